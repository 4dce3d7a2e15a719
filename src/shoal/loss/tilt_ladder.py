"""The tilts at which a sum of losses is looked at, and the search for the best of them.

A tilt costs a moment of every loss, so few are asked for, and nearby questions share them.  Which
tilt is taken decides how narrow a bracket is and how long it takes, and not whether it holds.
"""

from __future__ import annotations

import math
from collections.abc import Callable

_PER_OCTAVE = 4
LOWEST, HIGHEST = -40, 56
"""Tilts are 2^(k / 4) for k between these: nearby questions then share what is known at a tilt."""
LONGEST_STRIDE = 8
_FIRST_STEP = 2.0

Rises = Callable[[int], tuple[float, float]]
"""At a tilt, a number with the sign of the slope of a function, and how fast that number grows."""


def tilt_of(index: float) -> float:
    return float(2.0 ** (index / _PER_OCTAVE))


def index_near(tilt: float) -> int:
    return min(HIGHEST, max(LOWEST, round(_PER_OCTAVE * math.log2(tilt))))


def spacing_of(octave: int) -> float:
    """The distance of the terms of a line; the arc is 2 pi over it."""
    return float(2 * math.pi / 2.0 ** (octave / 2))


def log_best_payoff(index: int) -> float:
    """The logarithm of the largest (1 - e^-y) e^(-tilt y)."""
    tilt = tilt_of(index)
    return tilt * math.log(tilt) - (1 + tilt) * math.log1p(tilt)


def log_expm1(number: float) -> float:
    return number + math.log(-math.expm1(-number))


def least_on_ladder(start: int, value: Callable[[int], float], rises: Rises) -> int:
    """Where on the ladder a function that falls and then rises is least: by Newton's method between
    the tilts where the signs of its slope differ.
    """
    low, high, here = LOWEST - 1, HIGHEST + 1, start
    while high - low > 1:
        above, faster = rises(here)
        low, high = (low, here) if above > 0 else (here, high)
        tilt = tilt_of(here)
        there = index_near(tilt - above / faster) if above < tilt * faster else LOWEST
        there = min(here + LONGEST_STRIDE, max(here - LONGEST_STRIDE, there))
        both_were_seen = low >= LOWEST and high <= HIGHEST
        if both_were_seen and not low < there < high:
            there = (low + high) // 2
        here = min(high - 1, max(low + 1, there))
    return min((max(low, LOWEST), min(high, HIGHEST)), key=value)


def shortest_arc(
    arc: Callable[[float], float], nearest: float, furthest: float, *, enough: float
) -> float:
    """The shortest arc that a tilt aside allows, or ``enough``; ``arc`` is asked about its distance
    in steps of the ladder.

    Cumulants are convex, so the arc falls and then rises with the distance: tilts further away, or
    else nearer, are tried as long as it gets shorter.
    """
    step, best, factor = _FIRST_STEP, arc(_FIRST_STEP), 2.0
    while best > enough and nearest <= factor * step <= furthest:
        if (found := arc(factor * step)) < best:
            step, best = factor * step, found
        elif step == _FIRST_STEP and factor > 1:
            factor = 0.5
        else:
            break
    return max(best, enough)
