"""A claim as a trade-off curve: how small the one error of telling two datasets apart can be, given the other.

Whoever guesses from an output which of two neighbours it came from errs with some chance on the one (alpha) and on the other (beta).  The
claim of a curve f is beta >= f(alpha) for every way of guessing and both orders of the datasets (Dong, Roth and Su 2022, "f-DP").
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.auditing.extra import audit_module
from shoal.errors import ConversionError, RangeError
from shoal.exact import Number, ball, closed_unit, float_up, short, upper, whole
from shoal.measures import Approx, GaussianDP, Measure, Pure

Array = NDArray[np.float64]
Point = tuple[Fraction, Fraction]

_ROOM = 1e-12
"""Chances are given so much room for roundings of the curve."""
_NEAR_0, _NEAR_1 = 1e-18, 1e-9
"""A curve that is made of a function has no corner nearer to 0, or to 1, than this."""
_SURE = 1e-11
"""Values of a function are lowered by so much before a curve is made of them; roundings are far smaller."""


@dataclass(frozen=True, init=False)
class TradeOff:
    """A convex, falling curve through points (alpha, beta), straight in between, from alpha 0 to beta 0.

    The claim is the curve between the points as well: where they are taken from a curve that bends, it is `below` that promises no more.

    >>> curve = TradeOff([(0, 1), ("0.25", "0.25"), (1, 0)])
    >>> print(curve)
    trade-off curve (0, 1) (0.25, 0.25) (1, 0)
    >>> curve.beta(0.125).item(), round(curve.most(0.125).item(), 9)
    (0.625, 0.375)
    """

    points: tuple[Point, ...]

    def __init__(self, points: Iterable[tuple[Number, Number]]) -> None:
        try:
            read = tuple((closed_unit(a, "alpha"), closed_unit(b, "beta")) for a, b in points)
        except (TypeError, ValueError):
            raise RangeError("a trade-off curve is given by points (alpha, beta).", remedy='Give [(0, 1), ("0.2", "0.3"), (1, 0)].') from None  # fmt: skip
        _check(read)
        object.__setattr__(self, "points", read)

    def __str__(self) -> str:
        shown = [f"({short(a)}, {short(b)})" for a, b in self.points]
        if len(shown) > 5:
            shown = [*shown[:2], f"... {len(shown) - 4} points ...", *shown[-2:]]
        return f"trade-off curve {' '.join(shown)}"

    @classmethod
    def of(cls, measure: Measure) -> TradeOff:
        """The curve that a measure promises, rounded down where it is not rational: `Pure`, `Approx` or `GaussianDP`.

        >>> print(TradeOff.of(Approx(0, "0.1")))
        trade-off curve (0, 0.9) (0.9, 0)
        """
        match measure:
            case Pure():
                return cls._approximate(measure.epsilon, Fraction(0))
            case Approx():
                return cls._approximate(measure.epsilon, measure.delta)
            case GaussianDP():
                return cls.below(_normal(float_up(measure.mu)))
        raise ConversionError(
            f"{type(measure).__name__} has no trade-off curve of its own here.",
            remedy="Give a Pure, Approx or GaussianDP measure, or points.",
        )

    @classmethod
    def _approximate(cls, epsilon: Fraction, delta: Fraction) -> TradeOff:
        top = 1 - delta
        if delta == 1:
            raise RangeError("delta 1 promises nothing, so nothing can refute it.", remedy="Claim a delta below 1.")  # fmt: skip
        if epsilon == 0:
            return cls([(0, top), (top, 0)])
        corner = top / (1 + upper(lambda: ball(epsilon).exp()))
        return cls([(0, top), (corner, corner), (top, 0)])

    @classmethod
    def below(cls, function: Callable[[float], float], *, points: int = 400) -> TradeOff:
        """A curve of straight pieces on or below a convex, falling function of alpha, close to it.

        Beside a piece of the grid a chord of a convex function, continued, lies on or below it; the curve is the convex hull below these lines.
        """
        grid = _grid(whole(points, "points", at_least=16))
        values = [_value(function, at) for at in grid]
        _bends_up(grid, values)
        return cls(_hull(_ended(_corners(grid, values))))

    def beta(self, alpha: Any) -> Array:
        """The least second error, at this first one; 0 beyond the last point."""
        x, y = self._floats()
        return np.asarray(np.interp(np.asarray(alpha, dtype=np.float64), x, y, right=0.0))

    def most(self, q: Any) -> Array:
        """The largest chance that the claim allows an event of chance q on the neighbour, in both orders of the datasets; with room for roundings."""
        q = np.asarray(q, dtype=np.float64)
        x, y = self._floats()
        swapped = np.interp(q, y[::-1], x[::-1], right=0.0)
        return np.asarray(np.clip(1 - np.maximum(self.beta(q), swapped) + _ROOM, 0, 1))

    def _floats(self) -> tuple[Array, Array]:
        corners = np.array([(float(a), float(b)) for a, b in self.points])
        return corners[:, 0], corners[:, 1]


def _check(points: tuple[Point, ...]) -> None:
    """Refuse what is no trade-off curve."""
    if len(points) < 2 or points[0][0] != 0 or points[-1][1] != 0:
        raise RangeError(
            "a trade-off curve begins at alpha 0 and ends at beta 0.",
            remedy='Give [(0, 1), ("0.2", "0.3"), (1, 0)].',
        )
    if any(a >= c or b <= d for (a, b), (c, d) in pairwise(points)):
        raise RangeError("a trade-off curve falls from each point to the next.", remedy="Sort the points by alpha; give each once, and one with beta 0.")  # fmt: skip
    slopes = [(d - b) / (c - a) for (a, b), (c, d) in pairwise(points)]
    for place, (one, next_one) in enumerate(pairwise(slopes)):
        if one > next_one:
            raise RangeError(
                f"a trade-off curve is convex; this one bends the other way at point {place + 2}.",
                remedy="Leave the point out: two ways of guessing can be mixed, so the curve cannot lie above a chord.",
            )


def _grid(count: int) -> list[float]:
    """Places that are dense at both ends, where curves are steep or flat."""
    low, high = np.geomspace(_NEAR_0, 0.5, count * 2 // 3), np.geomspace(_NEAR_1, 0.5, count // 3)
    return sorted({*low.tolist(), *(1 - high).tolist()})


def _value(function: Callable[[float], float], at: float) -> float:
    found = float(function(at))
    if not 0 <= found <= 1:
        raise RangeError("a trade-off curve has values between 0 and 1.", remedy="Give a function from the one error to the other.")  # fmt: skip
    return found - _SURE


Line = tuple[float, float, float]
"""A slope, and a point through which it goes."""


def _chord(one: tuple[float, float], other: tuple[float, float]) -> Line:
    return (other[1] - one[1]) / (other[0] - one[0]), one[0], one[1]


def _bends_up(grid: list[float], values: list[float]) -> None:
    """Refuse what is not convex, or does not fall, by more than roundings."""
    x, y = np.array(grid), np.array(values)
    between = y[:-2] + (y[2:] - y[:-2]) * (x[1:-1] - x[:-2]) / (x[2:] - x[:-2])
    if (np.diff(y) > _SURE).any() or (y[1:-1] > between + _SURE).any():
        raise RangeError("a trade-off curve falls and is convex; the function is not.", remedy="Give the least second error as a function of the first, right to 1e-11.")  # fmt: skip


def _corners(grid: list[float], values: list[float]) -> list[tuple[float, float]]:
    """Where the chords before and after each piece of the grid meet; the first and the last but one are continued to the ends."""
    chords = [_chord(*pair) for pair in pairwise(zip(grid, values, strict=True))]
    found = [(0.0, min(1.0, _at(chords[1], 0.0)))]
    for place, (one, other) in enumerate(zip(chords, chords[2:], strict=False), start=1):
        if other[0] > one[0]:
            meet = (_at(other, 0.0) - _at(one, 0.0)) / (one[0] - other[0])
            x = min(max(meet, grid[place]), grid[place + 1])
            found.append((x, min(_at(one, x), _at(other, x))))
    return [*found, (1.0, _at(chords[-2], 1.0))]


def _at(line: Line, x: float) -> float:
    return line[2] + line[0] * (x - line[1])


def _ended(corners: list[tuple[float, float]]) -> list[Point]:
    """The corners as far as they lie above 0, and where the curve comes to it."""
    if corners[0][1] <= 0:
        raise RangeError("the curve is 0 nearly everywhere, so nothing can refute it.", remedy="Claim a curve of larger errors.")  # fmt: skip
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


def _normal(mu: float) -> Callable[[float], float]:
    """The trade-off curve of N(0, 1) and N(mu, 1)."""
    special = audit_module("scipy.special")
    ndtr, ndtri = special.ndtr, special.ndtri

    return lambda alpha: float(ndtr(-ndtri(alpha) - mu))
