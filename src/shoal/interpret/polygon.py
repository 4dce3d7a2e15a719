"""A trade-off curve with finitely many corners, exactly."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from flint import arb

from shoal.errors import ConversionError, RangeError, ShapeError
from shoal.exact import (
    Number,
    ball,
    closed_unit,
    exactly,
    holdable_up,
    is_below,
    lower,
    non_negative,
    short,
    upper,
)
from shoal.interpret.polygon_below import corners_below
from shoal.interpret.profiles import Profile
from shoal.interpret.trade_offs import TradeOff

Corners = tuple[tuple[Fraction, Fraction], ...]
"""Pairs (type-I error, type-II error) by increasing type-I error, from 0 to 1."""


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Polygon(TradeOff):
    """A convex polygon through points (type-I error, type-II error), with exact numbers.

    Guarantee: every value of the curve is exact; delta and epsilon are rounded to the named side.
    Needs: points from type-I error 0 on, type-II errors that fall to 0 along a convex curve; from
        the point where they are 0 the curve goes on to (1, 0).
    Reference: Neyman and Pearson 1933; Dong, Roth and Su 2022, Proposition 2.2.

    >>> coin = Polygon([(0, 1), ("1/4", "1/4"), (1, 0)])
    >>> coin.type_two_down("1/8"), coin.power_up("1/8")
    (Fraction(5, 8), Fraction(3, 8))
    """

    corners: Corners

    def __init__(self, corners: Iterable[tuple[Number, Number]]) -> None:
        object.__setattr__(self, "corners", _read(corners))

    def __repr__(self) -> str:
        shown = (f"({exactly(alpha)}, {exactly(beta)})" for alpha, beta in self.corners)
        return f"Polygon(corners=[{', '.join(shown)}])"

    def __str__(self) -> str:
        shown = [f"({short(alpha)}, {short(beta)})" for alpha, beta in self.bent]
        if len(shown) > 5:
            shown = [*shown[:2], f"... {len(shown) - 4} points ...", *shown[-2:]]
        return f"trade-off curve {' '.join(shown)}"

    @classmethod
    def below(cls, function: Callable[[float], float], *, points: int = 400) -> Polygon:
        """A polygon on or below a convex, falling function of the type-I error, close to it.

        >>> print(Polygon.below(lambda alpha: (1 - alpha) ** 2, points=16).type_two_down("1/2") <= Fraction(1, 4))
        True
        """
        return cls(corners_below(function, points=points))

    @property
    def bent(self) -> Corners:
        """The corners up to the first type-II error 0, behind which the curve is the axis."""
        end = next(place for place, (_, beta) in enumerate(self.corners) if beta == 0)
        return self.corners[: end + 1]

    def type_two_down(self, type_one: Number) -> Fraction:
        alpha = closed_unit(type_one, "type_one")
        place = max(1, bisect_left(self.corners, alpha, key=lambda corner: corner[0]))
        (x, y), (following, below) = self.corners[place - 1], self.corners[place]
        return y + (below - y) * (alpha - x) / (following - x)

    def power_up(self, type_one: Number) -> Fraction:
        return 1 - self.type_two_down(type_one)

    def inverse(self) -> Polygon:
        """The curve of the same pair with its hypotheses swapped, exactly."""
        swapped = {beta: alpha for alpha, beta in reversed(self.corners)}
        return Polygon(sorted((swapped | {Fraction(1): Fraction(0)}).items()))

    def delta_up(self, epsilon: Number) -> Fraction:
        return self._delta(non_negative(epsilon, "epsilon"), up=True)

    def delta_down(self, epsilon: Number) -> Fraction:
        """A delta below which this curve, one way round, allows no promise at this epsilon."""
        return self._delta(non_negative(epsilon, "epsilon"), up=False)

    def _delta(self, epsilon: Fraction, *, up: bool) -> Fraction:
        """1 - f(α) - e^ε α at the corner up to which the curve falls more steeply than e^ε."""
        alpha, beta = self.corners[_steeper_pieces(self.corners, epsilon)]
        if alpha == 0 or epsilon == 0:
            return 1 - beta - alpha

        def delta() -> arb:
            return ball(1 - beta) - ball(epsilon).exp() * ball(alpha)

        return min(Fraction(1), upper(delta)) if up else max(Fraction(0), lower(delta))

    def least_ratio(self, delta: Fraction) -> Fraction | None:
        """The least e^ε >= 1 with this delta, one way round, exactly; None where it is infinite."""
        if 1 - self.corners[0][1] > delta:
            return None
        ratios = [(1 - beta - delta) / alpha for alpha, beta in self.corners[1:]]
        return max(Fraction(1), *ratios)

    def polygon_down(self) -> Polygon:
        return self

    def profile(self) -> Profile:
        return OfPolygon(self)


@dataclass(frozen=True, slots=True)
class OfPolygon(Profile):
    """The profile of a polygon, the larger of its two directions."""

    curve: Polygon

    def delta_up(self, epsilon: Number) -> Fraction:
        return max(self.curve.delta_up(epsilon), self.curve.inverse().delta_up(epsilon))

    def epsilon_up(self, delta: Number) -> Fraction:
        target = closed_unit(delta, "delta")
        ratios = [curve.least_ratio(target) for curve in (self.curve, self.curve.inverse())]
        if None in ratios:
            raise ConversionError(
                f"at delta {short(target)} no epsilon is large enough: some outcomes are possible "
                "under one law only.",
                remedy="Ask with a larger delta, at least the probability of those outcomes.",
            )
        largest = max(ratio for ratio in ratios if ratio is not None)
        return Fraction(0) if largest == 1 else holdable_up(upper(lambda: ball(largest).log()))

    @property
    def marks(self) -> tuple[Fraction, ...]:
        return ()


def _steeper_pieces(corners: Corners, epsilon: Fraction) -> int:
    """How many pieces of the curve fall more steeply than e^ε."""

    def is_shallow(place: int) -> bool:
        (alpha, beta), (following, below) = corners[place], corners[place + 1]
        slope = (beta - below) / (following - alpha)
        if epsilon == 0 or slope == 0:
            return slope <= 1
        return not is_below(lambda: ball(epsilon), lambda: ball(slope).log())

    return bisect_left(range(len(corners) - 1), True, key=is_shallow)


def _read(corners: Iterable[tuple[Number, Number]]) -> Corners:
    points = list(corners)
    if not all(isinstance(point, tuple | list) and len(point) == 2 for point in points):
        raise ShapeError("corners must be pairs (type-I error, type-II error).", remedy=_REMEDY)
    read = [(closed_unit(x, "type_one"), closed_unit(y, "type_two")) for x, y in points]
    if len(read) < 2 or read[0][0] != 0 or read[-1][1] != 0:
        raise RangeError(
            "corners must begin at type-I error 0 and end at type-II error 0.", remedy=_REMEDY
        )
    if read[-1] != _END:
        read.append(_END)
    if any(left[0] >= right[0] or left[1] < right[1] for left, right in pairwise(read)):
        raise RangeError(
            "type-I errors must rise, and type-II errors must not, from corner to corner.",
            remedy=_REMEDY,
        )
    slopes = [(y - below) / (following - x) for (x, y), (following, below) in pairwise(read)]
    for place, (one, following) in enumerate(pairwise(slopes), start=2):
        if one < following:
            raise RangeError(
                f"a trade-off curve is convex; this one bends the other way at point {place}.",
                remedy="Leave the point out: two tests can be mixed, so the curve cannot lie above a chord.",
            )
    return tuple(read)


_END = (Fraction(1), Fraction(0))
_REMEDY = "Give points such as [(0, 1), ('1/4', '1/4'), (1, 0)]."
