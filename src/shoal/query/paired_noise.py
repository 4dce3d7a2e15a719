"""Two totals with Laplace noise on their sum and on their difference, in the place of noise on
each.

One row moves a count by at most 1 and a sum by at most its bound; in shares of these, its sum and
its difference move by at most 2 *together*, since |a + b| + |a - b| = 2 max(|a|, |b|).  So both
totals are told for one epsilon, each with half the variance that half of the epsilon would leave.
Proof: plan/bounding.md, Two totals together.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import arb

from shoal.errors import InternalError
from shoal.events import Event
from shoal.exact import ball, is_below
from shoal.mechanisms import Geometric
from shoal.plan import Bounded, Term
from shoal.plan.terms import Quantity
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
    Proof: plan/bounding.md, Two totals together.
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


_TAIL_SHARES = (Fraction(1, 2), Fraction(1, 8), Fraction(1, 64), Fraction(1, 1024))
"""How the chance to fail is divided between two noises that weigh differently: the best is taken.
"""


@dataclass(frozen=True)
class PairedNoise:
    """A pair of totals, and the noise that its sum and its difference get.

    Guarantee: epsilon = sensitivity of the pair / scale, exactly, for both totals over all groups.
    Needs: integers as `Bounded` has them; both totals of the pair are drawn here and nowhere else.
    Reference: the L-infinity ball of two numbers is an L1 ball turned by 45 degrees, so this is the
        K-norm mechanism of two totals (Hardt and Talwar 2010; Awan and Slavkovic 2021).
    """

    pair: PairOfTotals
    noise: Geometric

    @property
    def spread(self) -> Fraction:
        """The scale of each of the two noises, in units of the sum and the difference."""
        return self.noise.scale

    def weight(self, term: Term) -> Fraction:
        """By what each noise is multiplied in the error of one of the totals, in its own units."""
        return Fraction(1, 2 * self.pair.factor(term))

    def release(
        self, first: Sequence[int], second: Sequence[int]
    ) -> tuple[list[Fraction], list[Fraction]]:
        """Both totals of so many groups, with their noise, in units of totals."""
        total, difference = self.pair.mixed(first, second)
        # One array, so that a witness sees how far both move together.
        drawn = self.noise.release(np.array([*total, *difference], dtype=object))
        found = [int(value) for value in drawn]
        return self.pair.parted(found[: len(total)], found[len(total) :])

    def event_for(self, *, size: int) -> Event:
        """What is released for so many groups: two numbers each."""
        return self.noise.event_for(size=2 * size)

    def error(self, term: Term, confidence: Fraction, *, size: int = 1) -> Fraction:
        """How far one total can be off in any of so many groups, in units of totals."""
        return error_of_two(self.noise.scale, confidence, size) * self.weight(term)

    def error_of_combination(
        self, weights: Mapping[Term, Fraction], confidence: Fraction, *, size: int = 1
    ) -> Fraction:
        """How far a weighted sum of both totals can be off, weights in the worth of their units.

        Guarantee: the chance of more is at most 1 - confidence, whatever the division of it.
        Edges: where one of the noises cancels, as in the sum of numbers from 0 on, it is the error
            of the other alone, or a hair more.
        """
        one, other = (weights[term] * self.weight(term) for term in self.pair.terms)
        sides = sorted((abs(one + other), abs(one - other)))
        if sides[0] == sides[1]:
            return sides[0] * error_of_two(self.noise.scale, confidence, size)

        def off(share: Fraction) -> Fraction:
            beyond = 1 - confidence
            rare = self.noise.error(1 - beyond * share, size=size, integers=True)
            usual = self.noise.error(1 - beyond * (1 - share), size=size, integers=True)
            return sides[0] * Fraction(rare) + sides[1] * Fraction(usual)

        if not sides[0]:
            return sides[1] * Fraction(self.noise.error(confidence, size=size, integers=True))
        return min(map(off, _TAIL_SHARES))


def pairs_among(
    bounded: Bounded, terms: Sequence[Term], weights: Mapping[Term, Fraction]
) -> list[PairOfTotals]:
    """Which totals to release in pairs: those of like weight, where it makes the weighed error
    less.

    Two noises by themselves cost w ** (1/3) each (`noise_choice`), and a pair (2 w + 2 w') ** (1/3).
    """
    able = sorted((t for t in terms if can_be_paired(t)), key=lambda t: -weights[t])
    found, at = [], 0
    while at + 1 < len(able):
        one, other = able[at], able[at + 1]
        apart = _cost(weights[one]) + _cost(weights[other])
        if _cost(pair_weight(weights[one], weights[other])) < apart:
            found.append(PairOfTotals.of(bounded, one, other))
            at += 1
        at += 1
    return found


def pair_weight(one: Fraction, other: Fraction) -> Fraction:
    """What a pair weighs beside totals that get noise by themselves."""
    return 2 * (one + other)


def _cost(weight: Fraction) -> float:
    return math.cbrt(weight)


def error_of_two(scale: Fraction, confidence: Fraction, size: int = 1) -> int:
    """How far the sum of two discrete Laplace noises of one scale can be off, in all of ``size``
    places at once.

    Guarantee: the chance of more, anywhere, is at most 1 - confidence.
    Edges: at most 2^-20 above the least such number, or 1.
    Reference: with q = exp(-1 / scale), P(|S| >= u) for u >= 1 is 2 q^u / (1 + q)^2 times
        u (1 - q) + (1 + q^2) / (1 + q) + q, by adding up q^|n| q^|s - n| over n, then over s.
    """

    def within(steps: int) -> bool:
        return not is_below(lambda: 1 - _beyond(scale, steps + 1), lambda: _each(confidence, size))

    beyond = -math.expm1(math.log(float(confidence)) / size)
    guess = _guess(max(beyond, 1e-300)) * float(scale)
    steps = max(0, math.floor(guess))
    stride = max(1, steps >> 21)
    while not within(steps):
        steps += stride
        stride *= 2
    return steps


def _each(confidence: Fraction, size: int) -> arb:
    return (ball(confidence).log() / size).exp()


def _beyond(scale: Fraction, least: int) -> arb:
    """The chance that the sum of two noises is ``least`` or more in size, for ``least`` >= 1."""
    q = (-1 / ball(scale)).exp()
    slope = least * (1 - q) + (1 + q * q) / (1 + q) + q
    return 2 * (-least / ball(scale)).exp() / (1 + q) ** 2 * slope


def _guess(beyond: float) -> float:
    """Where the chance (1 + x / 2) exp(-x), that of the law on the line, is about this."""
    x = max(0.0, -math.log(beyond))
    for _ in range(40):
        x = max(0.0, math.log1p(x / 2) - math.log(beyond))
    return x
