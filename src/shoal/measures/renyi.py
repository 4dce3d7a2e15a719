"""Rényi differential privacy: a bound on the divergence at each of some orders."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any, NoReturn

from shoal.errors import ConversionError, RangeError, ShapeError
from shoal.exact import Number, closed_unit, exactly, non_negative, short, short_up
from shoal.measures.approx import Approx
from shoal.measures.curve import Points, corners, order_above_one, piece_at
from shoal.measures.from_renyi import curve_delta_up, curve_epsilon_up
from shoal.measures.measure import Measure

Curve = Mapping[Any, Number] | Iterable[tuple[Number, Number]]
"""What a Rényi curve may be given as: order to epsilon."""


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Renyi(Measure):
    """Rényi differential privacy: at each order, the divergence is at most the epsilon beside it.

    The orders in between are bounded too, because order minus 1 times the divergence is convex in
    the order (see `shoal.measures.curve`).  Points implied by the others are dropped, so that equal
    promises are equal values; those kept are as given.  Nothing is said above the last order.

    >>> Renyi({2: 1, 4: 3, 3: 9})
    Renyi(curve={2: 1, 4: 3})
    >>> print(Renyi({2: 1, 4: 3}).epsilon_at(3))
    5/2
    """

    curve: Points

    def __init__(self, curve: Curve) -> None:
        object.__setattr__(self, "curve", corners(_read(curve)))

    def __str__(self) -> str:
        shown = [
            f"epsilon {short_up(epsilon)} at order {short(order)}" for order, epsilon in self.curve
        ]
        if len(shown) > 3:
            shown = [shown[0], f"{len(shown) - 2} orders between", shown[-1]]
        return "Rényi, " + ", ".join(shown)

    def __repr__(self) -> str:
        points = (f"{exactly(order)}: {exactly(epsilon)}" for order, epsilon in self.curve)
        return f"Renyi(curve={{{', '.join(points)}}})"

    def _spends_at_most(self, other: Renyi) -> bool:
        # Enough at the other's corners: between them this hull is convex and the other's straight.
        return self.last_order >= other.last_order and all(
            self.epsilon_at(order) <= epsilon for order, epsilon in other.curve
        )

    @property
    def last_order(self) -> Fraction:
        """The largest order about which something is promised."""
        return self.curve[-1][0]

    def epsilon_at(self, order: Number) -> Fraction:
        """The bound on the divergence of any order up to the last.

        Guarantee: exact, and the least bound that convexity draws from the points.
        Needs: 1 < order <= `last_order`; above it nothing is known, which is an error.
        Reference: van Erven and Harremoës 2014, Corollary 2.
        """
        wanted = order_above_one(order)
        if wanted > self.last_order:
            raise ConversionError(
                f"the curve ends at order {short(self.last_order)} and says nothing at order {short(wanted)}.",
                remedy="Ask for smaller orders, or take the curve at larger ones from the mechanism.",
            )
        return piece_at(self.curve, wanted).divergence(wanted)

    def to_approx(self, *, delta: Number) -> Approx:
        """The epsilon at this delta, the best over all orders up to the last:
        `curve_epsilon_up`.
        """
        target = closed_unit(delta, "delta")
        return Approx(curve_epsilon_up(self.curve, delta=target), target)

    def to_delta(self, *, epsilon: Number) -> Approx:
        """The delta at this epsilon, the best over all orders up to the last: `curve_delta_up`."""
        target = non_negative(epsilon, "epsilon")
        return Approx(target, curve_delta_up(self.curve, epsilon=target))

    def to_zero_concentrated(self) -> NoReturn:
        raise ConversionError(
            f"the curve ends at order {short(self.last_order)}, and rho must bound every order.",
            remedy="Take rho from the mechanism itself, or go on with to_approx(delta=...).",
        )

    def to_renyi(self, orders: Iterable[Number]) -> Renyi:
        """The same promise at these orders only, each at most the last: `epsilon_at`."""
        return Renyi((order, self.epsilon_at(order)) for order in read_orders(orders))

    def to_gaussian(self) -> NoReturn:
        raise ConversionError(
            f"the curve ends at order {short(self.last_order)}: finitely many moments of the loss "
            "give no Gaussian trade-off curve.",
            remedy="Take mu from the mechanism itself, or go on with to_approx(delta=...).",
        )


def read_orders(orders: Iterable[Number]) -> list[Fraction]:
    """Read the orders at which a curve is wanted."""
    if isinstance(orders, str) or not isinstance(orders, Iterable):
        raise ShapeError(
            f"orders must be a list of numbers; got {type(orders).__name__}.",
            remedy="Give orders such as [2, 4, 8, 16].",
        )
    return [order_above_one(order) for order in orders]


def _read(curve: Curve) -> list[tuple[Fraction, Fraction]]:
    points = sorted(
        (order_above_one(order), non_negative(epsilon, "epsilon"))
        for order, epsilon in _pairs(curve)
    )
    if not points:
        raise RangeError(
            "curve must hold at least one order; got none.",
            remedy="Give at least one order with its epsilon, such as {2: 0.5}.",
        )
    for (order, _), (following, _) in pairwise(points):
        if order == following:
            raise RangeError(
                f"curve must give each order once; order {short(order)} appears twice.",
                remedy="Keep one epsilon for it, the smaller if both are promised.",
            )
    return points


def _pairs(curve: Curve) -> list[tuple[Number, Number]]:
    given = curve.items() if isinstance(curve, Mapping) else curve
    if isinstance(given, Iterable) and not isinstance(given, str):
        points = list(given)
        if all(isinstance(point, tuple | list) and len(point) == 2 for point in points):
            return points
    raise ShapeError(
        f"curve must map orders to epsilons; got {type(curve).__name__}.",
        remedy="Give a mapping such as {2: 0.5, 8: 2}, or pairs (order, epsilon).",
    )
