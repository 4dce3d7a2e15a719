"""A Rényi curve known at some orders bounds the orders between them.

Write t = α - 1 and K(t) = t D(1 + t), D the divergence of order 1 + t.  K is the logarithm of the
mean of e^(t L) and so convex (Hölder), and K(0) = 0.  Given bounds at some orders, the lower convex
hull of (0, 0) and the points (t, t ε) therefore bounds K from above up to the largest order, and
points above that hull say nothing that the others do not imply.  All of it is exact.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from shoal.exact import Number, out_of_range, rational

Points = tuple[tuple[Fraction, Fraction], ...]
"""Pairs (order, epsilon) by increasing order."""


def order_above_one(order: Number) -> Fraction:
    """Read the order of a Rényi divergence."""
    number = rational(order, "order")
    if number <= 1:
        raise out_of_range("order", number, "above 1")
    return number


class Piece(NamedTuple):
    """One straight piece of the hull: K(t) <= intercept + slope t from one order to the next."""

    first: Fraction
    last: Fraction
    intercept: Fraction
    slope: Fraction

    def divergence(self, order: Fraction) -> Fraction:
        """The bound on the divergence of an order on this piece."""
        return self.slope + self.intercept / (order - 1)


def corners(points: Sequence[tuple[Fraction, Fraction]]) -> Points:
    """The points that are not implied by the others, unchanged.

    Guarantee: the hull of what is kept is the hull of what was given, and two sets of points with
        the same hull keep the same points.
    Needs: points sorted by order, each order above 1 and given once, every epsilon >= 0.
    """
    kept: list[tuple[Fraction, Fraction]] = []
    for point in points:
        while kept and _is_implied(kept[-2] if len(kept) > 1 else None, kept[-1], point):
            kept.pop()
        kept.append(point)
    return tuple(kept)


def piece_before(points: Points, place: int) -> Piece:
    """The piece that ends at the point in this place; the first begins at order 1."""
    order, epsilon = points[place]
    if place == 0:
        return Piece(Fraction(1), order, Fraction(0), epsilon)
    return _piece(points[place - 1], points[place])


def piece_at(points: Points, order: Fraction) -> Piece:
    """The piece that holds an order from above 1 to the largest."""
    return piece_before(points, bisect_left(points, order, key=lambda point: point[0]))


def _piece(left: tuple[Fraction, Fraction], right: tuple[Fraction, Fraction]) -> Piece:
    t, u = left[0] - 1, right[0] - 1
    slope = (u * right[1] - t * left[1]) / (u - t)
    return Piece(left[0], right[0], t * (left[1] - slope), slope)


def _is_implied(
    left: tuple[Fraction, Fraction] | None,
    middle: tuple[Fraction, Fraction],
    right: tuple[Fraction, Fraction],
) -> bool:
    """Whether the middle point lies on or above the chord from left (or the origin) to right."""
    if left is None:
        return middle[1] >= right[1]
    return middle[1] >= _piece(left, right).divergence(middle[0])
