"""A good place to evaluate a bound that is true everywhere."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

_GRID = 8
_GOLDEN_STEPS = 24
_GOLDEN = (math.sqrt(5) - 1) / 2


def promising(cost: Callable[[Fraction], float], low: float, high: float) -> Fraction:
    """A number between two others at which the cost is about smallest.

    Guarantee: none, but that it lies between them; whatever is computed there must be true anyway.
        A grid first, then golden sections about its best point.
    """
    width = (high - low) / _GRID
    places = [low + width * step for step in range(_GRID + 1)]
    best = min(places, key=lambda place: cost(Fraction(place)))
    left, right = max(low, best - width), min(high, best + width)
    inner = [right - _GOLDEN * (right - left), left + _GOLDEN * (right - left)]
    costs = [cost(Fraction(place)) for place in inner]
    for _ in range(_GOLDEN_STEPS):
        if costs[0] <= costs[1]:
            right = inner[1]
            inner = [right - _GOLDEN * (right - left), inner[0]]
            costs = [cost(Fraction(inner[0])), costs[0]]
        else:
            left = inner[0]
            inner = [inner[1], left + _GOLDEN * (right - left)]
            costs = [costs[1], cost(Fraction(inner[1]))]
    return Fraction(min([*inner, best], key=lambda place: cost(Fraction(place))))
