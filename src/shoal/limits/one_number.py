"""Limits for one number: a count, a mean, a proportion, a quantile."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial

from flint import arb

from shoal.errors import RangeError
from shoal.exact import (
    Number,
    Real,
    ball,
    lower,
    open_unit,
    out_of_range,
    positive,
    rational,
    upper,
    whole,
)
from shoal.limits.limit import Limit
from shoal.limits.promises import Central, Local, Promise, central, group_overlap, read
from shoal.limits.two_points import largest_product, overlap, sampling_overlap
from shoal.measures import Measure

SQUARED = "mean squared error"
_FARTHEST = 1 << 16


def count(promise: Promise | Measure) -> Limit:
    """Of how many rows have a property, in the dataset at hand, for one row that comes, goes or
    changes.

    Guarantee: the largest mean squared error over all datasets is at least max over h of (h / 2)^2
        o(h), o(h) the overlap that the promise leaves between datasets h rows apart.  Theorem: two
        datasets (Le Cam).

    >>> from shoal.measures import Pure
    >>> print(count(Pure(1)))
    at least 0.2384, mean squared error (two datasets 2 rows apart)
    """
    return _datasets(promise, Fraction(1), _FARTHEST)


def mean(
    promise: Promise | Measure,
    *,
    people: int,
    low: Number = 0,
    high: Number = 1,
    target: str = "population",
) -> Limit:
    """Of a mean of numbers from low to high, of so many people, a public number, for one person
    changed.

    Guarantee: with ``target="population"`` the mean squared error from the mean of the population,
        for some population; with ``target="sample"`` from the mean of the people at hand, for some
        people.
    Theorem: Le Cam with two Bernoulli laws, or with two datasets.
    Edges: the sample is for the central model only.

    >>> from shoal.measures import Pure
    >>> limit = mean(Pure("0.01"), people=100)
    >>> round(limit.price)
    64
    """
    size, width = whole(people, "people", at_least=1), _width(low, high)
    if _is_sample(target):
        return _datasets(promise, width / size, size)

    def risk(apart: Fraction, one: Real) -> Real:
        return lambda: ball((width * apart / 2) ** 2) * one()

    def affinity(apart: Fraction) -> arb:
        return ball(1 - apart * apart).sqrt()

    public = upper(lambda: ball(width) ** 2 / (4 * (1 + ball(Fraction(size)).sqrt()) ** 2))
    return _populations(
        promise, people=size, risk=risk, affinity=affinity, most=Fraction(1), public=public
    )


def proportion(promise: Promise | Measure, *, people: int, target: str = "population") -> Limit:
    """Of the share of people with a property: `mean` of zeros and ones.

    >>> from shoal.limits import Local
    >>> float(proportion(Local(1), people=10_000)) > 5e-6
    True
    """
    return mean(promise, people=people, target=target)


def quantile(
    promise: Promise | Measure, *, people: int, density: Number, level: Number = "1/2"
) -> Limit:
    """Of a quantile of a population whose density is ``density`` around it, for one person changed.

    Guarantee: the mean squared error, for some population whose density is at least that between
        the two quantiles considered.  Theorem: Le Cam: a share t of the people moved from below to
        above moves the quantile by t / density.

    >>> from shoal.measures import Pure
    >>> float(quantile(Pure(1), people=1000, density="0.02")) > 0
    True
    """
    size, dense = whole(people, "people", at_least=1), positive(density, "density")
    share = open_unit(level, "level")

    def risk(apart: Fraction, one: Real) -> Real:
        return lambda: ball((apart / dense / 2) ** 2) * one()

    def affinity(apart: Fraction) -> arb:
        below = ball(share * (share - apart)).sqrt()
        above = ball((1 - share) * (1 - share - apart)).sqrt()
        return below + ball(apart) + above

    most = min(share, 1 - share)
    return _populations(promise, people=size, risk=risk, affinity=affinity, most=most, public=None)


def _populations(
    promise: Promise | Measure,
    *,
    people: int,
    risk: Callable[[Fraction, Real], Real],
    affinity: Callable[[Fraction], arb],
    most: Fraction,
    public: Fraction | None,
) -> Limit:
    """The best of the limits by each promise and by sampling alone."""

    def private(one: Central | Local, apart: Fraction) -> Real:
        return risk(apart, overlap(one, people, apart))

    def seen(apart: Fraction) -> Real:
        return risk(apart, sampling_overlap(lambda: affinity(apart), people))

    found = [largest_product(partial(private, each), most=most) for each in read(promise)]
    found.append(largest_product(seen, most=most))
    value, where = max(found)
    theorem = f"two populations {float(where):.2g} apart in total variation"
    return Limit(value, SQUARED, theorem, public)


def _datasets(promise: Promise | Measure, unit: Fraction, most: int) -> Limit:
    """The largest (h unit / 2)^2 o(h), over h up to ``most``; it rises and then falls in h."""
    measure = central(promise).measure
    best, where, worse, rows = Fraction(0), 1, 0, 1
    while rows <= most and worse < 4:
        at = rows
        found = lower(lambda: ball((at * unit / 2) ** 2) * group_overlap(measure, at))  # noqa: B023 - asked at once
        if found > best:
            best, where, worse = found, rows, 0
        else:
            worse += 1
        rows = rows + max(1, rows // 16)
    word = "row" if where == 1 else "rows"
    return Limit(best, SQUARED, f"two datasets {where} {word} apart")


def _is_sample(target: str) -> bool:
    if target not in ("population", "sample"):
        raise RangeError(
            "target must be 'population' or 'sample'.",
            remedy="Say whether the error is from the population's number or from that of the people at hand.",
        )
    return target == "sample"


def _width(low: Number, high: Number) -> Fraction:
    width = rational(high, "high") - rational(low, "low")
    if width <= 0:
        raise out_of_range("high", rational(high, "high"), "above low")
    return width
