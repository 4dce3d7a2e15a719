"""Covariance, correlation, regression, skewness and kurtosis from noisy totals, with their
intervals.

`enclosed` computes a statistic from totals that are each known within an error; with errors of 0 it
is the estimate.  What a statistic can be at all cuts both: a variance is no less than 0 and no more
than the square of half the range, a correlation lies between -1 and 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from shoal.plan import Expression, Statistic, Term, range_of
from shoal.query.interval_arithmetic import Enclosure
from shoal.query.recipes import SHAPES, Recipe

_ONE, _ZERO = Fraction(1), Fraction(0)
_Part = tuple[Term, Enclosure]


@dataclass(frozen=True)
class _Moments:
    """Of one argument the middle of its range, the mean about it, and the variance."""

    centre: Fraction
    mean: Enclosure
    variance: Enclosure | None


def enclosed(recipe: Recipe, totals: Sequence[Enclosure]) -> Enclosure | None:
    """Where a statistic is, given where its totals are; None where that can be anything.

    Edges: it can be anything, and an estimate is NULL, where a variance that is divided by may be
        0, or where there may be too few rows.
    """
    if recipe.aggregate.statistic in SHAPES:
        return _shape(recipe, totals)
    return _paired(recipe, totals)


def _paired(recipe: Recipe, totals: Sequence[Enclosure]) -> Enclosure | None:
    statistic = recipe.aggregate.statistic
    own, other = recipe.arguments
    (_, products), sum_own, sum_other, (_, count), *squares = zip(recipe.terms, totals, strict=True)
    rows = count.held(_ONE)
    x = _moments(other, rows, sum_other, *squares[:1])
    y = _moments(own, rows, sum_own, *squares[1:])
    most = _half(own) * _half(other)
    covariance = (products / rows - y.mean * x.mean).held(-most, most)
    match statistic:
        case Statistic.COVARIANCE_POPULATION:
            return covariance
        case Statistic.COVARIANCE:
            return covariance * _sample_factor(rows)
    assert x.variance is not None
    if rows.lo < 2:
        return None
    if statistic in (Statistic.SLOPE, Statistic.INTERCEPT):
        if x.variance.lo <= 0:
            return None
        slope = covariance / x.variance
        if statistic is Statistic.SLOPE:
            return slope
        return (y.mean + y.centre) - slope * (x.mean + x.centre)
    assert y.variance is not None
    found = _correlation(covariance, (x.variance * y.variance).root)
    if found is None:
        return None
    return found.square if statistic is Statistic.DETERMINATION else found


def _correlation(covariance: Enclosure, spread: Enclosure) -> Enclosure | None:
    """A covariance over the product of two deviations, as far as that is known."""
    if spread.lo > 0:
        return (covariance / spread).held(-_ONE, _ONE)
    if spread.hi <= 0:
        return None
    # The spread may be next to 0, but no more than its upper end: that still tells the sign.
    ends = covariance.lo / spread.hi, covariance.hi / spread.hi
    if ends[0] > 0:
        return Enclosure(min(_ONE, ends[0]), _ONE)
    if ends[1] < 0:
        return Enclosure(-_ONE, max(-_ONE, ends[1]))
    return None


def _shape(recipe: Recipe, totals: Sequence[Enclosure]) -> Enclosure | None:
    *powers, squares, total, (_, count) = zip(recipe.terms, totals, strict=True)
    rows = count.held(_ONE)
    found = _moments(recipe.arguments[0], rows, total, squares)
    mean, variance = found.mean, found.variance
    fewest = 2 if recipe.aggregate.statistic is Statistic.SKEWNESS else 3
    if variance is None or variance.lo <= 0 or rows.lo <= fewest:
        return None
    second = variance + mean.square
    cubes = powers[-1][1] / rows
    if recipe.aggregate.statistic is Statistic.SKEWNESS:
        third = cubes - mean * second * Fraction(3) + mean * mean.square * Fraction(2)
        return third / (variance * variance.root) * _skewness_factor(rows)
    term, summed = powers[0]
    fourths = summed / rows + term.middle * term.step
    fourth = (
        fourths
        - mean * cubes * Fraction(4)
        + mean.square * second * Fraction(6)
        - mean.square.square * Fraction(3)
    )
    ratio = (fourth / variance.square).held(_ONE)  # never below 1, by Jensen
    return _adjusted_kurtosis(ratio, rows)


def _moments(argument: Expression, rows: Enclosure, total: _Part, *squares: _Part) -> _Moments:
    """The mean about the middle of the range, and the variance where squares are given."""
    term, summed = total
    centre, (lo, hi) = term.middle * term.step, range_of(argument)
    mean = (summed / rows).held(lo - centre, hi - centre)
    if not squares:
        return _Moments(centre, mean, None)
    ((term, summed),) = squares
    # Squares have a coarser grid, and so may have another middle than sums.
    moved = mean + (centre - term.middle * term.step)
    second = summed / rows + term.level * term.worth
    variance = (second - moved.square).held(_ZERO, _half(argument) ** 2)
    return _Moments(centre, mean, variance)


def _half(argument: Expression) -> Fraction:
    lo, hi = range_of(argument)
    return (hi - lo) / 2


def _sample_factor(rows: Enclosure) -> Enclosure:
    """The factor n / (n - 1), which falls from 2 rows on; for fewer the divisor is 1."""
    ends = [_factor(rows.lo), _factor(rows.hi), *[Fraction(2)] * (rows.lo <= 2 <= rows.hi)]
    return Enclosure(min(ends), max(ends))


def _factor(rows: Fraction) -> Fraction:
    return rows / max(rows - 1, _ONE)


def _skewness_factor(rows: Enclosure) -> Enclosure:
    """The factor sqrt(n (n - 1)) / (n - 2), which falls from 3 rows on."""

    def of(count: Fraction) -> Enclosure:
        under = count * (count - 1) / (count - 2) ** 2
        return Enclosure(under, under).root

    return Enclosure(of(rows.hi).lo, of(rows.lo).hi)


def _adjusted_kurtosis(ratio: Enclosure, rows: Enclosure) -> Enclosure:
    """The excess kurtosis of a sample without bias for normal rows, from that of its rows.

    (n - 1) / ((n - 2) (n - 3)) ((n + 1) ratio - 3 (n - 1)); both factors fall with n.
    """

    def outer(count: Fraction) -> Fraction:
        return (count - 1) * (count + 1) / ((count - 2) * (count - 3))

    def less(count: Fraction) -> Fraction:
        return 3 * (count - 1) ** 2 / ((count - 2) * (count - 3))

    factor = Enclosure(outer(rows.hi), outer(rows.lo))
    return ratio * factor - Enclosure(less(rows.hi), less(rows.lo))
