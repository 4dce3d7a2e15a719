"""Two totals that are released as a sum and a difference, and how far one unit moves both.

`bounding.md`, Two totals together, has the proof.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from shoal.errors import InternalError
from shoal.plan.bounded_totals import Bounded
from shoal.plan.terms import Quantity, Term
from shoal.sensitivity import Norm, Sensitivity

_FINE = 1 << 10
"""Factors are in a proportion with at most so large a denominator: within 2^-20 of the best."""

_ADDED_UP = (Quantity.COUNT, Quantity.SUM, Quantity.SQUARES)


def can_be_paired(term: Term) -> bool:
    """Whether a total adds up rows, each of which counts by the same share in every such total."""
    return term.quantity in _ADDED_UP


@dataclass(frozen=True)
class PairOfTotals:
    """Two totals x and y, told as ``a x + b y`` and ``a x - b y`` with whole numbers a and b.

    Guarantee: between neighbours these move by at most ``sensitivity``, both over all groups
        together, in L1.
    Needs: totals of one `Bounded` in L1 that `can_be_paired`.
    Edges: one that no data can move is refused, for it needs no noise.
    Proof: bounding.md, Two totals together.
    """

    terms: tuple[Term, Term]
    factors: tuple[int, int]
    sensitivity: Sensitivity

    @classmethod
    def of(cls, bounded: Bounded, one: Term, other: Term) -> PairOfTotals:
        moves = bounded.sensitivity(one), bounded.sensitivity(other)
        far, near = moves[0].value, moves[1].value
        if (
            bounded.norm is not Norm.L1
            or one == other
            or not (far and near)
            or not (can_be_paired(one) and can_be_paired(other))
        ):
            raise InternalError("two totals cannot be paired.", remedy="Please report it.")
        a, b = _proportion(near / far)
        # Any whole numbers are safe, for the sensitivity follows from them; these make it least.
        moved = 2 * max(a * far, b * near)
        return cls((one, other), (a, b), Sensitivity(moved, Norm.L1, moves[0].relation))

    def factor(self, term: Term) -> int:
        """By what a total is multiplied."""
        return self.factors[self.terms.index(term)]

    def mixed(self, one: Sequence[int], other: Sequence[int]) -> tuple[list[int], list[int]]:
        """The sum and the difference of each group."""
        a, b = self.factors
        both = list(zip(one, other, strict=True))
        return [a * x + b * y for x, y in both], [a * x - b * y for x, y in both]

    def parted(
        self, total: Sequence[int], difference: Sequence[int]
    ) -> tuple[list[Fraction], list[Fraction]]:
        """The two totals of each group again, from their sum and difference."""
        a, b = self.factors
        both = list(zip(total, difference, strict=True))
        one = [Fraction(s + d, 2 * a) for s, d in both]
        return one, [Fraction(s - d, 2 * b) for s, d in both]


def _proportion(ratio: Fraction) -> tuple[int, int]:
    """Whole numbers in about this proportion, neither of them 0."""
    if ratio >= 1:
        near = ratio.limit_denominator(_FINE)
        return near.numerator, near.denominator
    near = (1 / ratio).limit_denominator(_FINE)
    return near.denominator, near.numerator
