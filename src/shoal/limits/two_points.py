"""Le Cam's two points: how much the outputs on two populations must overlap, and what that does to
every estimate.

If the outputs on n rows of P0 and of P1 have total variation T, and the truths are 2 D apart, then
for one of the two the mean squared error is at least D^2 (1 - T), and the mean absolute error at
least D (1 - T).  Proof: limits.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from flint import arb

from shoal.exact import Number, Real, ball, lower, open_unit, whole
from shoal.limits.promises import (
    Central,
    Local,
    Promise,
    group_overlap,
    overlap_of_divergence,
    read,
)
from shoal.measures import Measure

_FEWEST = 64
_MANY = 512
_STEPS = 120


def overlap_down(promise: Promise | Measure, *, people: int, distance: Number) -> Fraction:
    """At or below 1 - TV of the outputs on two populations of this total variation distance.

    It holds for every mechanism that keeps the promise, of so many people drawn independently.

    >>> from shoal.measures import Pure
    >>> float(overlap_down(Pure(1), people=100, distance="0.01")) > 0.5
    True
    """
    size, apart = whole(people, "people", at_least=1), open_unit(distance, "distance")
    return max(lower(overlap(each, size, apart)) for each in read(promise))


def overlap(promise: Central | Local, people: int, distance: Fraction) -> Real:
    """The same as a real number, for one promise."""
    if isinstance(promise, Local):
        return lambda: overlap_of_divergence(local_divergence(promise.epsilon, people, distance))
    return lambda: _central(promise.measure, people, distance)


def local_divergence(epsilon: Fraction, people: int, distance: Fraction) -> arb:
    """A bound of the Kullback-Leibler divergence of all reports: 2 n t tanh(eps / 2) (l / (1 -
    e^-l) - 1).

    l = ln(1 + (e^eps - 1) t) bounds the loss of one report between the two populations.
    """
    grown = ball(epsilon).expm1() * ball(distance)
    steep = grown.log1p() * (1 + grown) / grown - 1
    return 2 * people * ball(distance) * ball(epsilon / 2).tanh() * steep


def _central(measure: Measure, people: int, distance: Fraction) -> arb:
    """E g(H), H binomial: how many rows differ in the best coupling of the two samples; a tail is
    left out.

    Where many rows differ, g(h) P(H <= h) is taken instead, h eight deviations above the mean, by
    Cantelli's inequality.
    """
    if people * distance > _MANY:
        above = 8 * math.isqrt(math.ceil(people * distance))
        share = Fraction(above**2) / (above**2 + people * distance)
        return ball(share) * group_overlap(measure, math.ceil(people * distance) + above)
    odds = ball(distance / (1 - distance))
    chance = (people * (-ball(distance)).log1p()).exp()
    total, mean = arb(0), people * distance
    last = min(people, math.ceil(mean + 12 * math.sqrt(mean) + _FEWEST))
    for rows in range(last + 1):
        found = group_overlap(measure, rows)
        total += chance * found
        chance = chance * odds * (people - rows) / (rows + 1)
        if rows > mean and chance * found < total * arb(2) ** -80:
            break
    return total


def sampling_overlap(affinity: Callable[[], arb], people: int) -> Real:
    """1 - TV of the samples themselves: at least 1 - sqrt(1 - BC^(2 n)), BC the sum of sqrt(p
    q).
    """
    return lambda: 1 - (-(2 * people * affinity().log()).expm1()).sqrt()


def largest_product(
    risk: Callable[[Fraction], Real], *, most: Fraction = Fraction(1)
) -> tuple[Fraction, Fraction]:
    """The largest lower bound that a search over parameters below ``most`` finds, and where.

    Every parameter gives a valid bound, so nothing rests on the search.  It goes from ``most``
    downwards by factors until the bound has fallen for long, and then looks closer around the best.
    """
    best, where, worse = Fraction(0), most / 2, 0
    place = most * Fraction(15, 16)
    for _ in range(_STEPS):
        found = lower(risk(place), bits=24)
        if found > best:
            best, where, worse = found, place, 0
        else:
            worse += 1
        if best > 0 and worse > 6:
            break
        place = _short(place * Fraction(7, 10))
    step = Fraction(3, 20)
    while step > Fraction(1, 200):
        for factor in (1 + step, 1 - step):
            place = _short(where * factor)
            if place < most and (found := lower(risk(place), bits=24)) > best:
                best, where = found, place
                break
        else:
            step /= 2
    return lower(risk(where)), where


def _short(number: Fraction) -> Fraction:
    """A number close by with few digits."""
    scale = 1 << (24 + max(0, number.denominator.bit_length() - number.numerator.bit_length()))
    return Fraction(max(1, round(number * scale)), scale)
