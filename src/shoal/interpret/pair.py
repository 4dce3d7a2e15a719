"""Two finite laws over the same outcomes, with exact probabilities."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import cast

from shoal.errors import RangeError, ShapeError
from shoal.exact import Number, closed_unit, exactly
from shoal.interpret.polygon import Polygon
from shoal.interpret.profiles import Profile

Law = Mapping[Hashable, Number] | Sequence[Number]
"""What a law may be given as: the probability of each outcome, by name or by place."""


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Pair:
    """What a release looks like on two neighbours: the laws p and q of a finite output.

    Needs: probabilities that add up to exactly 1; a float means the decimal its writer typed, so
        0.1, 0.2, 0.7 do.  Laws by name may name different outcomes; what is not named is
        impossible.

    >>> Pair({"yes": "3/4", "no": "1/4"}, {"yes": "1/4", "no": "3/4"}).profile().epsilon_up("1/2")
    Fraction(0, 1)
    """

    p: tuple[Fraction, ...]
    q: tuple[Fraction, ...]

    def __init__(self, p: Law, q: Law) -> None:
        first, second = _aligned(p, q)
        _check_total(first, "p")
        _check_total(second, "q")
        object.__setattr__(self, "p", tuple(first))
        object.__setattr__(self, "q", tuple(second))

    def __repr__(self) -> str:
        laws = (", ".join(map(exactly, one)) for one in (self.p, self.q))
        return "Pair(p=[{}], q=[{}])".format(*laws)

    @property
    def atoms(self) -> list[tuple[Fraction, Fraction]]:
        """The two probabilities of each outcome that is possible under one law at least."""
        return [(x, y) for x, y in zip(self.p, self.q, strict=True) if x or y]

    @property
    def is_equal(self) -> bool:
        """Whether both laws are the same."""
        return self.p == self.q

    def swapped(self) -> Pair:
        """The same laws the other way round."""
        return Pair(self.q, self.p)

    def times(self, other: Pair) -> Pair:
        """Two independent releases together."""
        return Pair(_product(self.p, other.p), _product(self.q, other.q))

    def through(self, channel: Sequence[Sequence[Number]]) -> Pair:
        """What is left after post-processing: row i of the channel is the law of what outcome i
        becomes.
        """
        rows = [[closed_unit(cell, "channel") for cell in row] for row in channel]
        if len(rows) != len(self.p) or len({len(row) for row in rows}) != 1:
            raise ShapeError(
                f"a channel needs one row for each of the {len(self.p)} outcomes, all of one length.",
                remedy="Give a row of probabilities for each outcome.",
            )
        for row in rows:
            _check_total(row, "a row of the channel")
        return Pair(_mixed(self.p, rows), _mixed(self.q, rows))

    def trade_off(self) -> Polygon:
        """The exact trade-off curve of testing p (type-I error) against q (type-II error).

        Guarantee: the least type-II error at each type-I error, by rejecting p where q/p is
            largest, with a coin at the edge.
        Reference: Neyman and Pearson 1933.
        """
        corners, alpha, beta = dict[Fraction, Fraction](), Fraction(0), Fraction(1)
        corners[alpha] = beta
        for x, y in sorted(self.atoms, key=_ratio, reverse=True):
            alpha, beta = alpha + x, beta - y
            corners[alpha] = beta
        return Polygon(_without_middles(list(corners.items())))

    def profile(self) -> Profile:
        """The least delta at each epsilon for these two laws, both ways round."""
        return self.trade_off().profile()


def _ratio(atom: tuple[Fraction, Fraction]) -> tuple[bool, Fraction]:
    x, y = atom
    return (True, Fraction(0)) if x == 0 else (False, y / x)


def _without_middles(corners: list[tuple[Fraction, Fraction]]) -> list[tuple[Fraction, Fraction]]:
    """The corners at which the curve bends."""
    kept = corners[:1]
    for point in corners[1:]:
        if len(kept) > 1 and _is_straight(kept[-2], kept[-1], point):
            kept.pop()
        kept.append(point)
    return kept


def _is_straight(*points: tuple[Fraction, Fraction]) -> bool:
    (a, b), (c, d), (e, f) = points
    return (b - d) * (e - c) == (d - f) * (c - a)


def _product(one: Sequence[Fraction], other: Sequence[Fraction]) -> list[Fraction]:
    return [x * y for x in one for y in other]


def _mixed(law: Sequence[Fraction], rows: list[list[Fraction]]) -> list[Fraction]:
    return [
        sum((x * cell for x, cell in zip(law, column, strict=True)), Fraction(0))
        for column in zip(*rows, strict=True)
    ]


def _aligned(p: Law, q: Law) -> tuple[list[Fraction], list[Fraction]]:
    first, second = _listed(p, q)
    if len(first) != len(second):
        raise ShapeError(
            f"p has {len(first)} outcomes and q has {len(second)}; they must be the same outcomes.",
            remedy="Give 0 for what is impossible, or name the outcomes in a mapping.",
        )
    return [closed_unit(x, "p") for x in first], [closed_unit(y, "q") for y in second]


def _listed(p: Law, q: Law) -> tuple[list[Number], list[Number]]:
    """Both laws as lists over the same outcomes."""
    if isinstance(p, Mapping) and isinstance(q, Mapping):
        outcomes = list(dict.fromkeys([*p, *q]))
        return [p.get(outcome, 0) for outcome in outcomes], [
            q.get(outcome, 0) for outcome in outcomes
        ]
    if any(isinstance(law, Mapping | str) or not isinstance(law, Sequence) for law in (p, q)):
        raise ShapeError(
            "p and q must both map outcomes to probabilities, or both be lists of them.",
            remedy=_REMEDY,
        )
    return cast("list[Number]", list(p)), cast("list[Number]", list(q))


def _check_total(law: Sequence[Fraction], name: str) -> None:
    total = sum(law, Fraction(0))
    if total != 1:
        raise RangeError(
            f"the probabilities of {name} must add up to exactly 1; they add up to {exactly(total)}.",
            remedy=_REMEDY,
        )


_REMEDY = "Give exact probabilities, such as ['1/3', '2/3'] or {'yes': 0.75, 'no': 0.25}."
