"""From noisy totals to aggregates: the estimate, and the interval that the noise leaves open.

An interval takes every total it rests on to be off by at most its own error, at a confidence that
together gives the one asked for (Bonferroni), and is the hull of what the aggregate can then be,
cut to what it can be at all, its ends rounded outward.  It covers the noise; how a sample stands
for a population is another question.  Its ends as values of the column's type, rounded outward
again, are what every face of an answer shows.
"""

from __future__ import annotations

import datetime as dt
import math
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import product
from typing import Any

from shoal.exact import float_down, float_up, shown
from shoal.plan import (
    PAIRED,
    REAL,
    Aggregate,
    Kind,
    Statistic,
    Term,
    Type,
    Value,
    range_of,
    value_at,
)
from shoal.plan.types import EPOCH, MICROSECOND, within, written
from shoal.query.interval_arithmetic import Enclosure
from shoal.query.moment_estimates import enclosed
from shoal.query.quantiles import Quantile
from shoal.query.recipes import MEANS, SHAPES, SPREADS, Recipe

Noisy = Mapping[Term | Quantile, Fraction]
"""The released totals and places of one group, each on the number line of its argument."""

_ROOTS = (Statistic.DEVIATION, Statistic.DEVIATION_POPULATION)
_COUNTS = (
    Statistic.COUNT,
    Statistic.COUNT_ROWS,
    Statistic.COUNT_PERSONS,
    Statistic.COUNT_DISTINCT,
)
_SAMPLES = (Statistic.VARIANCE, Statistic.DEVIATION)
_MOMENTS = (*PAIRED, *SHAPES)
_ANYTHING = {
    Statistic.CORRELATION: (-1.0, 1.0),
    Statistic.DETERMINATION: (0.0, 1.0),
}
"""What a statistic can be at all, where that is not every number."""


@dataclass(frozen=True)
class Interval:
    """Two ends, both included."""

    lo: float
    hi: float

    def __str__(self) -> str:
        return shown(None, self.lo, self.hi).bracket


def estimate(recipe: Recipe, noisy: Noisy) -> Value:
    """The value of an aggregate, as one of its type."""
    if recipe.place is not None:
        return value_at(noisy[recipe.place], recipe.aggregate.type)
    totals = [noisy[term] for term in recipe.terms]
    statistic = recipe.aggregate.statistic
    if statistic in MEANS:
        return _mean(recipe, *totals)
    if statistic in SPREADS:
        return _spread(recipe, *totals)
    if statistic in _MOMENTS:
        found = enclosed(recipe, [Enclosure(total, total) for total in totals])
        return None if found is None else _number(found.middle)
    value = totals[0] if len(totals) == 1 else totals[0] + recipe.middle * totals[1]
    return _typed(value, recipe.aggregate)


def interval(recipe: Recipe, noisy: Noisy, errors: Mapping[Any, float]) -> Interval:
    """Where an aggregate can be if every total is within its error, or between the ends of its
    place.
    """
    if recipe.place is not None:
        return _place_interval(recipe, noisy)
    totals = [noisy[term] for term in recipe.terms]
    if recipe.terms in errors:  # the error of a sum that is made of a pair of totals
        return _around(totals[0] + recipe.middle * totals[1], errors[recipe.terms])
    off = [_at_least(errors[term]) for term in recipe.terms]
    statistic = recipe.aggregate.statistic
    if statistic in MEANS:
        return _mean_interval(recipe, totals, off)
    if statistic in SPREADS:
        return _spread_interval(recipe, totals, off)
    if statistic in _MOMENTS:
        where = enclosed(
            recipe, [Enclosure.around(*pair) for pair in zip(totals, off, strict=True)]
        )
        if where is None:
            return Interval(*_ANYTHING.get(statistic, (-math.inf, math.inf)))
        return _outward(where.lo, where.hi)
    middle = recipe.middle if len(totals) == 2 else Fraction(0)
    value = totals[0] + (middle * totals[1] if middle else 0)
    reach = off[0] + (abs(middle) * off[1] if middle else 0)
    lo, hi = value - reach, value + reach
    # No true count is below 0, so nothing that is possible is cut off.
    if statistic in _COUNTS or _has_sign(recipe, 1):
        lo, hi = max(Fraction(0), lo), max(Fraction(0), hi)
    elif _has_sign(recipe, -1):
        lo, hi = min(Fraction(0), lo), min(Fraction(0), hi)
    return _outward(lo, hi)


def _around(value: Fraction, error: float) -> Interval:
    reach = _at_least(error)
    return _outward(value - reach, value + reach)


def _has_sign(recipe: Recipe, sign: int) -> bool:
    """Whether no row adds a number of the other sign to a sum that is one total.

    A sum of two totals is not cut: each is rounded for itself where people count for less, so it
    can be a hair beyond 0.
    """
    (term, *others) = recipe.terms
    return not others and (term.lo >= 0 if sign > 0 else term.hi <= 0)


def _at_least(error: float) -> Fraction:
    """An error that was rounded to a float, not below what it was rounded from."""
    # A float nearest to an error can lie just below it; the next one cannot.
    return Fraction(math.nextafter(error, math.inf)) if error else Fraction(0)


def _outward(lo: Fraction, hi: Fraction) -> Interval:
    return Interval(float_down(lo), float_up(hi))


def _place_interval(recipe: Recipe, noisy: Noisy) -> Interval:
    """Between the ends that were drawn, and wide enough to hold the estimate and the rounding to
    the grid.
    """
    assert recipe.place is not None
    assert recipe.aggregate.argument is not None
    lo, hi = range_of(recipe.aggregate.argument)
    found = [(noisy[place], place.grid.step * place.grid.halves / 2) for place in recipe.places]
    least, most = min(at - half for at, half in found), max(at + half for at, half in found)
    low = lo if all(end.side > 0 for end in recipe.ends) else max(lo, least)
    high = hi if all(end.side < 0 for end in recipe.ends) else min(hi, most)
    between = _outward(low, high)
    if recipe.aggregate.argument.type != REAL:
        return between
    whole = _outward(
        lo, hi
    )  # a real just below half a step is rounded up: one float more on each side
    return Interval(
        max(whole.lo, math.nextafter(between.lo, -math.inf)),
        min(whole.hi, math.nextafter(between.hi, math.inf)),
    )


def error_of(recipe: Recipe, errors: Mapping[Any, float], rows: float | None) -> float | None:
    """How far an aggregate can be off, given that of its totals; of a mean only for known
    ``rows``.
    """
    if recipe.place is not None:
        return None
    if recipe.terms in errors:
        return errors[recipe.terms]
    off = [errors[term] for term in recipe.terms]
    if recipe.aggregate.statistic in MEANS:
        return None if rows is None else (off[0] + _half(recipe) * off[1]) / rows
    if recipe.aggregate.statistic in SPREADS:
        if rows is None or recipe.aggregate.statistic in _ROOTS:
            return None
        half = _half(recipe)
        return (off[0] + 2 * half * off[1] + 1.5 * half**2 * off[2]) / rows
    if recipe.aggregate.statistic in _MOMENTS:
        return None if rows is None else _covariance_error(recipe, off, rows)
    return off[0] + (abs(float(recipe.middle)) * off[1] if len(off) == 2 else 0.0)


def _covariance_error(recipe: Recipe, off: list[float], rows: float) -> float | None:
    """How far a covariance can be off; what other statistics of moments divide by depends on the
    data.
    """
    if recipe.aggregate.statistic not in (Statistic.COVARIANCE, Statistic.COVARIANCE_POPULATION):
        return None
    own, other = (float((hi - lo) / 2) for lo, hi in map(range_of, recipe.arguments))
    # A mean about the middle is at most half the range, and the derivative by the number of rows,
    # a product of means less the covariance, at most the product of both halves (Cauchy-Schwarz).
    products, sum_own, sum_other, count = off
    return (products + other * sum_own + own * sum_other + own * other * count) / rows


def _typed(value: Fraction, aggregate: Aggregate) -> Value:
    kind = aggregate.type
    if kind.kind is Kind.REAL:
        return _number(value)
    return within(math.floor(value * 10**kind.scale + Fraction(1, 2)))


def _exact_ends(recipe: Recipe) -> tuple[Fraction, Fraction]:
    assert recipe.aggregate.argument is not None
    return range_of(recipe.aggregate.argument)


def _ends(recipe: Recipe) -> tuple[float, float]:
    lo, hi = _exact_ends(recipe)
    return float(lo), float(hi)


def _half(recipe: Recipe) -> float:
    lo, hi = _ends(recipe)
    return (hi - lo) / 2


def _held(value: float, lo: float, hi: float) -> float:
    return min(max(value, lo), hi)


def _number(value: Fraction) -> float:
    """The nearest float; beyond all floats the largest, so that no value is an error."""
    try:
        return float(value)
    except OverflowError:
        return math.copysign(sys.float_info.max, value)


def _mean(recipe: Recipe, total: Fraction, count: Fraction) -> float:
    try:
        return _held(float(recipe.middle) + float(total) / max(float(count), 1.0), *_ends(recipe))
    except OverflowError:
        lo, hi = _exact_ends(recipe)
        return _number(min(max(recipe.middle + total / max(count, Fraction(1)), lo), hi))


def _mean_interval(recipe: Recipe, totals: list[Fraction], off: list[Fraction]) -> Interval:
    lo, hi = _exact_ends(recipe)
    total, count = totals
    if count - off[1] <= 0:
        return _outward(lo, hi)
    corners = [
        recipe.middle + above / max(below, Fraction(1))
        for above, below in _corners((total, count), (off[0], off[1]))
    ]
    return _outward(max(lo, min(hi, *corners)), min(hi, max(lo, *corners)))


def _spread(recipe: Recipe, squares: Fraction, total: Fraction, count: Fraction) -> float:
    level = recipe.terms[0].level * recipe.terms[0].worth
    size = max(_number(count), 1.0)
    try:
        variance = float(squares) / size + float(level) - (float(total) / size) ** 2
        held = _held(variance, 0.0, _half(recipe) ** 2)
    except OverflowError:
        lo, hi = _exact_ends(recipe)
        rows = max(count, Fraction(1))
        exact = squares / rows + level - (total / rows) ** 2
        held = _number(max(Fraction(0), min(exact, ((hi - lo) / 2) ** 2)))
    return _as_asked(recipe)(held, size)


def _spread_interval(recipe: Recipe, totals: list[Fraction], off: list[Fraction]) -> Interval:
    ends = _exact_ends(recipe)
    most, finish = ((ends[1] - ends[0]) / 2) ** 2, _bounds_as_asked(recipe)
    squares, total, count = totals
    rows = count - off[2], count + off[2]
    if rows[0] <= 1:
        return finish((Fraction(0), most), rows)
    level = recipe.terms[0].level * recipe.terms[0].worth
    second = [
        above / below + level for above, below in _corners((squares, count), (off[0], off[2]))
    ]
    first = [above / below for above, below in _corners((total, count), (off[1], off[2]))]
    least = Fraction(0) if min(first) <= 0 <= max(first) else min(abs(each) for each in first)
    lo = min(second) - max(abs(each) for each in first) ** 2
    hi = max(second) - least**2
    held = max(Fraction(0), min(lo, most)), max(Fraction(0), min(hi, most))
    return finish(held, rows)


def _bounds_as_asked(
    recipe: Recipe,
) -> Callable[[tuple[Fraction, Fraction], tuple[Fraction, Fraction]], Interval]:
    """From ends of the population's variance, and of the number of rows, to those of the
    statistic.
    """
    statistic = recipe.aggregate.statistic

    def finish(ends: tuple[Fraction, Fraction], rows: tuple[Fraction, Fraction]) -> Interval:
        lo, hi = ends
        if statistic in _SAMPLES:
            least, most = _sample_factors(*rows)
            lo, hi = lo * least, hi * most
        if statistic not in _ROOTS:
            return _outward(lo, hi)
        low, high = math.sqrt(float_down(lo)), math.sqrt(float_up(hi))
        return Interval(max(0.0, math.nextafter(low, -math.inf)), math.nextafter(high, math.inf))

    return finish


def _sample_factors(fewest: Fraction, most: Fraction) -> tuple[Fraction, Fraction]:
    """Between which numbers n / (n - 1) lies for a number of rows between two: it rises up to 2
    rows, then falls.
    """

    def factor(rows: Fraction) -> Fraction:
        held = max(rows, Fraction(1))
        return held / max(held - 1, Fraction(1))

    ends = factor(fewest), factor(most)
    return min(ends), Fraction(2) if fewest <= 2 <= most else max(ends)


def _as_asked(recipe: Recipe) -> Callable[[float, float], float]:
    """From the population's variance to the statistic: of a sample, or its root."""
    statistic = recipe.aggregate.statistic

    def finish(variance: float, size: float) -> float:
        if statistic in _SAMPLES:
            variance *= size / max(size - 1, 1.0)
        return math.sqrt(variance) if statistic in _ROOTS else variance

    return finish


def _corners(
    at: tuple[Fraction, Fraction], off: tuple[Fraction, Fraction]
) -> Iterator[tuple[Fraction, Fraction]]:
    for signs in product((-1, 1), repeat=2):
        yield at[0] + signs[0] * off[0], at[1] + signs[1] * off[1]


End = int | float | Decimal | dt.date | None
"""An end in the type of its column; None where there is none."""
Ends = tuple[End, End]

_DAY = dt.timedelta(days=1)


def ends_in(kind: Type, between: Interval) -> Ends:
    """The ends of an interval as values of a type.

    Guarantee: what lies in the interval lies between them.
    """
    return _end(kind, between.lo, math.floor), _end(kind, between.hi, math.ceil)


def interval_of(ends: Ends) -> Interval:
    """The interval again, on the number line of its type (days for dates, microseconds for
    timestamps).
    """
    low, high = map(_number_of_end, ends)
    return Interval(
        -math.inf if low is None else float_down(low), math.inf if high is None else float_up(high)
    )


def whole_units(kind: Type, between: Interval) -> Interval:
    """An interval of whole numbers, its ends rounded outward to whole numbers."""
    if kind.kind is not Kind.INTEGER:
        return between
    lo, hi = between.lo, between.hi  # the floor and the ceiling of a float are floats again
    return Interval(
        float(math.floor(lo)) if math.isfinite(lo) else lo,
        float(math.ceil(hi)) if math.isfinite(hi) else hi,
    )


def _end(kind: Type, end: float, side: Any) -> End:
    if not math.isfinite(end):
        return None
    try:
        match kind.kind:
            case Kind.INTEGER:
                return int(side(end))
            case Kind.DECIMAL:
                found = written(side(Fraction(end) * 10**kind.scale), kind)
                assert isinstance(found, Decimal)
                return found
            case Kind.DATE:
                return dt.date.fromordinal(side(end) + EPOCH.toordinal())
            case Kind.TIMESTAMP:
                moment: dt.datetime = EPOCH + side(end) * MICROSECOND
                return moment
            case _:
                return end
    except (OverflowError, ValueError):  # no calendar goes there
        return None


def _number_of_end(end: End) -> Fraction | None:
    if end is None:
        return None
    if isinstance(end, dt.datetime):
        return Fraction((end - EPOCH) // MICROSECOND)
    if isinstance(end, dt.date):
        return Fraction((end - EPOCH.date()) // _DAY)
    return Fraction(end)
