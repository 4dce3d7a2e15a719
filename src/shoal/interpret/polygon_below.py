"""The corners of a polygon on or below a convex, falling function, close to it.

Over one piece of the grid, the continued chord of the next piece is never above a convex function.
The polygon is the convex hull below the points where such chords meet.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise

import numpy as np

from shoal.errors import RangeError
from shoal.exact import whole

Point = tuple[Fraction, Fraction]
Line = tuple[float, float, float]
"""A slope, and a point through which the line goes."""

_NEAR_0, _NEAR_1 = 1e-18, 1e-9
"""The grid has no point nearer to 0, or to 1, than this: doubles lie far closer together at 0 than
at 1.
"""
_SURE = 1e-11
"""Values of a function are lowered by this much first: far more than the rounding of a chord of
doubles, about 1e-15.
"""


def corners_below(function: Callable[[float], float], *, points: int = 400) -> list[Point]:
    """The corners, from type-I error 0 to type-II error 0; (0, 0) and (1, 0) where all values are
    almost 0.

    Needs: a function that is right to within 1e-12, convex and falling; one that is not is refused
    where the grid shows it.
    """
    grid = _grid(whole(points, "points", at_least=16))
    values = [_value(function, at) for at in grid]
    _check_bends_up(grid, values)
    return _hull(_ended(_corners(grid, values)))


def _grid(count: int) -> list[float]:
    """Places that are dense at both ends, where curves are steep or flat."""
    low, high = np.geomspace(_NEAR_0, 0.5, count * 2 // 3), np.geomspace(_NEAR_1, 0.5, count // 3)
    return sorted({*low.tolist(), *(1 - high).tolist()})


def _value(function: Callable[[float], float], at: float) -> float:
    found = float(function(at))
    if not 0 <= found <= 1:
        raise RangeError(
            "a trade-off curve has values between 0 and 1.",
            remedy="Give a function from the one error to the other.",
        )
    return found - _SURE


def _check_bends_up(grid: list[float], values: list[float]) -> None:
    """Refuse what is not convex, or does not fall, by more than rounding explains."""
    x, y = np.array(grid), np.array(values)
    between = y[:-2] + (y[2:] - y[:-2]) * (x[1:-1] - x[:-2]) / (x[2:] - x[:-2])
    if (np.diff(y) > _SURE).any() or (y[1:-1] > between + _SURE).any():
        raise RangeError(
            "a trade-off curve falls and is convex; the function is not.",
            remedy="Give the least second error as a function of the first, right to 1e-11.",
        )


def _corners(grid: list[float], values: list[float]) -> list[tuple[float, float]]:
    """Where the chords before and after each piece of the grid meet; the outermost are continued to
    the ends.
    """
    chords = [_chord(*pair) for pair in pairwise(zip(grid, values, strict=True))]
    found = [(0.0, min(1.0, _at(chords[1], 0.0)))]
    for place, (one, other) in enumerate(zip(chords, chords[2:], strict=False), start=1):
        if other[0] > one[0]:
            meet = (_at(other, 0.0) - _at(one, 0.0)) / (one[0] - other[0])
            x = min(max(meet, grid[place]), grid[place + 1])
            found.append((x, min(_at(one, x), _at(other, x))))
    return [*found, (1.0, _at(chords[-2], 1.0))]


def _chord(one: tuple[float, float], other: tuple[float, float]) -> Line:
    return (other[1] - one[1]) / (other[0] - one[0]), one[0], one[1]


def _at(line: Line, x: float) -> float:
    return line[2] + line[0] * (x - line[1])


def _ended(corners: list[tuple[float, float]]) -> list[Point]:
    """The corners as far as they lie above 0, and the point where the curve reaches 0."""
    if corners[0][1] <= 0:
        return [(Fraction(0), Fraction(0)), (Fraction(1), Fraction(0))]
    found: list[Point] = []
    for x, y in corners:
        point = Fraction(x), Fraction(y)
        if point[1] <= 0:
            (a, b), (c, d) = found[-1], point
            return [*found, (a + (c - a) * b / (b - d), Fraction(0))]
        found.append(point)
    return [*found[:-1], (Fraction(1), Fraction(0))]


def _hull(points: list[Point]) -> list[Point]:
    """The corners of the convex hull below points that are sorted."""
    kept: list[Point] = []
    for point in points:
        while len(kept) > 1 and not _turns_up(kept[-2], kept[-1], point):
            kept.pop()
        kept.append(point)
    return kept


def _turns_up(one: Point, two: Point, three: Point) -> bool:
    return (two[1] - one[1]) * (three[0] - two[0]) < (three[1] - two[1]) * (two[0] - one[0])
