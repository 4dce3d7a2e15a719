"""A local minimum of a smooth function of numbers that are 0 or more, by quasi-Newton steps."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from shoal.workloads.column_queries import Floats

_STEPS = 300
_KEPT = 12
"""How many earlier steps a search direction is made of."""


def descend(start: Floats, both: Callable[[Floats], tuple[float, Floats]]) -> Floats:
    """Projected quasi-Newton descent: entries stay at 0 or above."""
    theta, (error, slope) = start, both(start)
    moves: list[tuple[Floats, Floats]] = []
    for _ in range(_STEPS):
        free = (theta > 0) | (slope < 0)
        direction = _direction(slope * free, moves) * free
        if float((direction * slope).sum()) >= 0:
            moves.clear()
            direction = -slope * free
        length = 1.0 if moves else 0.1 / max(float(np.abs(direction).max()), 1e-300)
        for _ in range(30):
            tried = np.maximum(theta + length * direction, 0.0)
            found, its_slope = both(tried)
            if found <= error + 1e-4 * float((slope * (tried - theta)).sum()):
                break
            length /= 2
        else:
            break
        moved, turned = tried - theta, its_slope - slope
        if float((moved * turned).sum()) > 1e-12 * float((turned * turned).sum()):
            moves = [*moves[-_KEPT + 1 :], (moved, turned)]
        gained = error - found
        theta, error, slope = tried, found, its_slope
        if gained < 1e-7 * error:
            break
    return theta


def _direction(slope: Floats, moves: list[tuple[Floats, Floats]]) -> Floats:
    """The quasi-Newton direction from the last moves and how the slope changed with them."""
    found, scales = -slope, []
    for moved, turned in reversed(moves):
        scale = float((moved * found).sum() / (moved * turned).sum())
        scales.append(scale)
        found = found - scale * turned
    if moves:
        moved, turned = moves[-1]
        found = found * float((moved * turned).sum() / (turned * turned).sum())
    for (moved, turned), scale in zip(moves, reversed(scales), strict=True):
        back = float((turned * found).sum() / (moved * turned).sum())
        found = found + (scale - back) * moved
    return found
