"""Packing: many datasets that are close to one another and want different answers."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from flint import arb

from shoal.errors import ConversionError
from shoal.exact import Number, ball, lower, open_unit, whole
from shoal.limits.limit import Limit
from shoal.limits.promises import Promise, central
from shoal.measures import Approx, Measure, Pure

_FARTHEST = 1 << 20


def packing_risk_down(promise: Promise | Measure, *, sets: int, rows: int) -> Fraction:
    """The least chance of a wrong answer on one of so many datasets, at most ``rows`` rows apart,
    whose right answers exclude one another.

    Guarantee: 1 - (1 + (K - 1) e^(-h eps) delta_h) / (1 + (K - 1) e^(-h eps)), rounded down.
    Reference: Hardt and Talwar 2010; Beimel, Brenner, Kasiviswanathan and Nissim 2014.
    Proof: limits.md.

    >>> round(float(packing_risk_down(Pure(1), sets=1000, rows=5)), 3)
    0.871
    """
    number = whole(sets, "sets", at_least=2)
    apart = whole(rows, "rows", at_least=1)
    measure = central(promise).measure
    if not isinstance(measure, Pure | Approx):
        raise ConversionError(
            "a packing argument needs a pure or an approximate promise.",
            remedy="Give Pure or Approx, or use a bound by two points.",
        )
    return max(Fraction(0), lower(lambda: _risk(measure, number, apart)))


def largest_count(promise: Promise | Measure, *, cells: int) -> Limit:
    """Of the cell that is off most, of so many disjoint cells, for one row changed.

    Guarantee: the mean of the largest error over the cells, for some dataset with enough rows.
    Theorem: packing: h rows lie in any one of the cells.

    >>> float(largest_count(Pure("0.1"), cells=1000)) > 20
    True
    """
    number = whole(cells, "cells", at_least=2)
    return _packed(
        promise,
        sets=number,
        missed=lambda rows: Fraction(rows, 2),
        of="mean of the largest error of a cell",
        most=_FARTHEST,
    )


def rank(promise: Promise | Measure, *, points: int, people: int, level: Number = "1/2") -> Limit:
    """Of a quantile of the people at hand, chosen among so many points, in ranks, for one person
    changed.

    Guarantee: the mean number of ranks by which the answer misses, for some dataset.
    Theorem: packing: h people at any one of the points, the others at both ends.

    >>> 1 < float(rank(Pure(1), points=1000, people=501)) < 3
    True
    """
    places = whole(points, "points", at_least=4)
    share = open_unit(level, "level")
    size = whole(people, "people", at_least=1)

    def missed(rows: int) -> Fraction:
        """By how many ranks an answer below or above the right point misses, at least."""
        below = math.floor(share * (size - rows))
        return min(share * size - below, below + rows - share * size)

    return _packed(promise, sets=places - 2, missed=missed, of="mean error in ranks", most=size)


def _packed(
    promise: Promise | Measure, *, sets: int, missed: Callable[[int], Fraction], of: str, most: int
) -> Limit:
    """The largest miss times the risk, over datasets up to ``most`` rows apart."""
    best, where, worse, rows = Fraction(0), 1, 0, 1
    while rows <= most and worse < 8:
        risk = packing_risk_down(promise, sets=sets, rows=rows)
        found = max(Fraction(0), missed(rows)) * risk
        if found > best:
            best, where, worse = found, rows, 0
        elif best > 0:
            worse += 1
        rows += max(1, rows // 16)
    return Limit(best, of, f"{sets} datasets {where} rows apart (packing)")


def _risk(measure: Pure | Approx, sets: int, rows: int) -> arb:
    share = (sets - 1) * ball(-rows * measure.epsilon).exp()
    lost = arb(0)
    if isinstance(measure, Approx) and measure.delta > 0:
        grown = ball(Fraction(rows))
        if measure.epsilon > 0:
            grown = ball(rows * measure.epsilon).expm1() / ball(measure.epsilon).expm1()
        lost = ball(measure.delta) * grown
    return 1 - (1 + share * lost) / (1 + share)
