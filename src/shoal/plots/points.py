"""What a picture shows, as plain numbers: nothing here draws, and nothing that draws computes."""

from __future__ import annotations

import contextlib
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate

from shoal.accounting import Account, Bound, Comparison, compare, profile_points, promise_from
from shoal.accounting.orders import best_order
from shoal.errors import PriceError
from shoal.exact import Number, float_down, float_up, open_unit
from shoal.interpret import trade_off
from shoal.measures import Renyi, ZeroConcentrated, renyi_epsilon_up
from shoal.plots.measure_names import measure_in_words

Point = tuple[float, float]
Line = tuple[Point, ...]

FALSE_ALARMS = Fraction(1, 20)
"""The rate of false alarms at which the tester's picture has its mark."""

_BELOW = 1000
"""A profile is drawn down to a delta so many times smaller than the one asked about."""

_POINTS = 29
_HAIR = 1 + Fraction(1, 10**4)
_ORDERS = {Fraction(f"{1 + 0.05 * 1.22**step:.3g}") for step in range(45)} | {
    Fraction(order) for order in range(2, 17)
}
_ALARMS = sorted(
    {Fraction(step, 40) for step in range(41)} | {Fraction(1, 2**step) for step in range(2, 14)}
)


@dataclass(frozen=True)
class ProfileData:
    """The lines of a profile by their names, tightest first, (epsilon, delta) each, and the point
    asked about.
    """

    lines: dict[str, Line]
    lower: Line
    best: Bound

    @classmethod
    def of(cls, account: Account, *, delta: Number) -> ProfileData:
        """The upper bound of every measure, and the lower end where one is known."""
        asked = open_unit(delta, "delta")
        found = compare(account, delta=asked)
        points = _points(account, asked)
        reach = points[-1].best.epsilon * _HAIR
        lines: defaultdict[str, list[Point]] = defaultdict(list)
        for point in points:
            for bound in point.bounds:
                if bound.epsilon <= reach and bound.delta < 1:
                    lines[bound.measure].append((float_up(bound.epsilon), float_up(bound.delta)))
        return cls(
            {
                measure_in_words(bound.measure): _falling(lines[bound.measure])
                for bound in found.bounds
                if len(lines[bound.measure]) > 1
            },
            tuple(sorted(_low(each, each.lower) for each in points if each.lower is not None)),
            found.best,
        )


@dataclass(frozen=True)
class TradeOffData:
    """The least share of missed detections at each rate of false alarms, and one point of it."""

    line: Line
    mark: Point
    best: Bound

    @classmethod
    def of(cls, account: Account, *, delta: Number) -> TradeOffData:
        """What the promise of an account, taken at the points of its profile, leaves to a
        tester.
        """
        asked = open_unit(delta, "delta")
        curve = trade_off(promise_from(account, _points(account, asked)))
        missed = {at: float_down(curve.type_two_down(at)) for at in [*_ALARMS, FALSE_ALARMS]}
        return cls(
            tuple((float(at), missed[at]) for at in _ALARMS),
            (float(FALSE_ALARMS), missed[FALSE_ALARMS]),
            compare(account, delta=asked).best,
        )


@dataclass(frozen=True)
class RenyiData:
    """The Rényi divergence by order, the line of the zero-concentrated promise, and the best
    order.
    """

    line: Line
    straight: Line
    mark: Point
    best: Bound

    @classmethod
    def of(cls, account: Account, *, delta: Number) -> RenyiData:
        """The curve at orders from just above 1; an account that has none is refused, with the
        reason.
        """
        asked = open_unit(delta, "delta")
        found = best_order(
            lambda order: renyi_epsilon_up(_divergence(account, order), order=order, delta=asked)
        )
        assert found is not None
        best, epsilon = Fraction(f"{float(found[0]):.4g}"), found[1]
        orders = sorted({*_ORDERS, best})
        return cls(
            tuple((float(order), float_up(_divergence(account, order))) for order in orders),
            _straight(account, orders),
            (float(best), float_up(_divergence(account, best))),
            Bound(epsilon, asked, Renyi.__name__),
        )


@lru_cache(maxsize=8)
def _points(account: Account, delta: Fraction) -> tuple[Comparison, ...]:
    """The profile, computed once for all pictures of an account."""
    return profile_points(account, least_delta=delta / _BELOW, count=_POINTS)


def _divergence(account: Account, order: Fraction) -> Fraction:
    cost = account.cost(Renyi, orders=[order])
    assert isinstance(cost, Renyi)
    return cost.epsilon_at(order)


def _straight(account: Account, orders: Iterable[Fraction]) -> Line:
    """The line rho times the order, where there is a rho."""
    with contextlib.suppress(PriceError):
        cost = account.cost(ZeroConcentrated)
        assert isinstance(cost, ZeroConcentrated)
        return tuple((float(order), float_up(cost.rho * order)) for order in orders)
    return ()


def _falling(points: Iterable[Point]) -> Line:
    """Points by epsilon; one that holds at a smaller epsilon holds at a larger one, too."""
    line = sorted(points)
    return tuple(zip((at for at, _ in line), accumulate((d for _, d in line), min), strict=True))


def _low(point: Comparison, lower: Fraction) -> Point:
    """A point at or below the truth: the end in the direction that was asked for."""
    if point.asked == "epsilon":
        return float_down(lower), float_down(point.best.delta)
    return float_down(point.best.epsilon), float_down(lower)
