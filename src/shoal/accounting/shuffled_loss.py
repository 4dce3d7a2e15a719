"""A loss that stands above every shuffle of answers to one bit, as a list of atoms;
`shuffled_count.md` has the proof.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache
from itertools import count, pairwise

from shoal.accounting.shuffled_count import HIGHEST_EPSILON, MOST_PEOPLE, profile_for, worst_delta
from shoal.exact import Number, ball, float_up, non_negative, upper, whole
from shoal.loss import AtomicLoss

Point = tuple[Fraction, Fraction]
"""An e^epsilon, and a delta that is enough there."""

_BLOCKS = 512
_HAIR = 1 + Fraction(1, 1 << 20)
_STEPS, _FEWEST = 16, 144
"""Atoms by standard deviation of the loss, and how many there are at least up to the local epsilon.
"""

_SMALLEST = 1e-30
"""Where no more than this is needed, the rest counts as an infinite loss."""


@lru_cache(maxsize=1 << 6)
def shuffled_binary_loss(local_epsilon: Number, *, people: int) -> AtomicLoss | None:
    """A symmetric loss whose delta is at least that of shuffled answers to one bit, at every
    epsilon.

    Guarantee: n people answer by randomized response on one bit with ε0; this loss dominates
        theirs, whatever the others hold and whichever way the value of a person changes.  So the
        sum of such losses dominates that of several shuffles.  Proof in `shuffled_count.md`.
    Needs: local_epsilon >= 0, people >= 1.
    Edges: None for a local epsilon of 0 or above 60, and where the masses do not make a law; a mass
        of at most 10^-30 is infinite.
    Reference: Zhu, Dong and Wang 2022, for sums of dominating losses.
    """
    local, n = non_negative(local_epsilon, "local_epsilon"), whole(people, "people", at_least=1)
    if not 0 < local <= HIGHEST_EPSILON:
        return None
    n = min(n, MOST_PEOPLE)
    odds = Fraction(float_up(upper(lambda: ball(local).exp())))
    step = _step(local, n)
    points: list[Point] = []
    for place in count():
        gain = Fraction(math.exp(place * step))
        delta = worst_delta(profile_for(odds, gain), n, most_blocks=_BLOCKS) if gain < odds else 0.0
        # a hair more than each delta but the first, so that no rounding asks for a negative mass at
        # 0
        points.append((gain, Fraction(delta) * (_HAIR if place else 1)))
        if delta <= _SMALLEST:
            return _loss_through(points, step)
    raise AssertionError("unreachable: delta is 0 from the local epsilon on")


def _step(local: Fraction, people: int) -> float:
    """The distance of the atoms; any is sound."""
    odds = math.exp(local)
    deviation = (odds - 1) / math.sqrt(odds * people)
    steps = max(_FEWEST, math.ceil(float(local) / deviation * _STEPS))
    return float(local) / steps


def _loss_through(points: list[Point], step: float) -> AtomicLoss | None:
    """The symmetric loss whose delta is the lower hull of these points, linear in e^epsilon between
    them.

    Where the slope changes by b at g, there is an atom at ln g of mass g b, and its mirror image at
    -ln g of mass b.
    """
    hull = _lower_hull(points)
    slopes = [(high - low) / (right - left) for (left, low), (right, high) in pairwise(hull)]
    infinite = hull[-1][1]
    places = {gain: place for place, (gain, _) in enumerate(points)}
    atoms: list[tuple[float, float]] = []
    rest = 1 - infinite
    for (gain, _), before, after in zip(hull[1:], slopes, [*slopes[1:], Fraction(0)], strict=True):
        bend = after - before
        loss = places[gain] * step
        atoms += [(loss, float(gain * bend)), (-loss, float(bend))]
        rest -= (gain + 1) * bend
    if rest < 0:
        return None
    return AtomicLoss((*atoms, (0.0, float(rest))), infinite=float_up(infinite), unit=step)


def _lower_hull(points: Iterable[Point]) -> list[Point]:
    hull: list[Point] = []
    for x, y in points:
        while len(hull) > 1:
            (x0, y0), (x1, y1) = hull[-2:]
            if (y1 - y0) * (x - x0) < (y - y0) * (x1 - x0):
                break
            hull.pop()
        hull.append((x, y))
    return hull
