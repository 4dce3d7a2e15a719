"""The exact trade-off curve of a promise about Rényi divergences.

A test turns two laws into two coins: x, the power, and α, the type-I error.  Divergences cannot
grow by that, so the coins keep the promise at every order, both ways; and since two coins that keep
it are a release themselves, the largest such x is the best bound there is.  It is found in floats
and then proved: at one order, in balls, coins of that x break the promise, and so do all of larger
x.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from shoal.exact import (
    Number,
    at_precision,
    ball,
    closed_unit,
    upper,
)
from shoal.interpret.advantage import Moments, moment_advantage_up
from shoal.interpret.profiles import OfMeasure, Profile
from shoal.interpret.trade_offs import TradeOff
from shoal.measures.one_parameter import ZeroConcentrated
from shoal.measures.renyi import Renyi

Floats = NDArray[np.float64]

_REACH = 690.0
"""Beyond these log-odds, about 10^300 to 1, only the total variation is used."""

_BITS = 192
_NUDGES = [2.0**-power for power in (44, 38, 32, 26, 20, 14, 8, 4)]


@dataclass(frozen=True, slots=True)
class MomentCurve(TradeOff):
    """The trade-off curve of a zero-concentrated or Rényi promise.

    Guarantee: no test of a release that keeps the promise does better; two coins that keep it, too,
        come within about one part in 10^6 of the bound.
    Edges: type-I error 0 gives 1: what is impossible under the one law is so under the other.
    Reference: Balle, Barthe, Gaboardi, Hsu and Sato 2020, Theorem 10, for the idea; van Erven and
        Harremoës 2014, Theorem 9 (post-processing); the divergence of coins grows as they part.
    """

    measure: Moments

    def type_two_down(self, type_one: Number) -> Fraction:
        return self._errors(closed_unit(type_one, "type_one"))[1]

    def power_up(self, type_one: Number) -> Fraction:
        return self._errors(closed_unit(type_one, "type_one"))[0]

    def delta_up(self, epsilon: Number) -> Fraction:
        return self.profile().delta_up(epsilon)

    def profile(self) -> Profile:
        return OfMeasure(self.measure)

    def _errors(self, alpha: Fraction) -> tuple[Fraction, Fraction]:
        """The largest power and the least type-II error, which add up to 1."""
        if alpha in (0, 1) or _is_nothing(self.measure):
            return alpha, 1 - alpha
        most = min(Fraction(1), alpha + moment_advantage_up(self.measure))
        return min((most, 1 - most), self._coins(alpha))

    def _coins(self, alpha: Fraction) -> tuple[Fraction, Fraction]:
        """The closest coins that are proved to break the promise; 1 and 0 where none are."""
        start = _log_odds(alpha)
        if abs(start) <= _REACH:
            odds, order, forward = _widest(self.measure, start)
            for nudge in _NUDGES:
                power, miss = _coin(odds + nudge * (1 + abs(odds)))
                if power <= alpha or odds > _REACH:
                    break
                if _breaks(self.measure, order, (power, alpha) if forward else (alpha, power)):
                    return power, miss
        return Fraction(1), Fraction(0)


def _is_nothing(measure: Moments) -> bool:
    """Whether the promise is that both laws are equal."""
    if isinstance(measure, ZeroConcentrated):
        return measure.rho == 0
    return measure.curve[0][1] == 0


def _bound(measure: Moments, order: Fraction) -> Fraction:
    return measure.to_renyi([order]).curve[0][1]


def _widest(measure: Moments, start: float) -> tuple[float, Fraction, bool]:
    """The log-odds of the power at which the promise just breaks, at which order and which way."""
    if isinstance(measure, Renyi):
        orders = np.array([float(order) for order, _ in measure.curve])
        bounds = np.array([float(bound) for _, bound in measure.curve])
        odds, place, forward = _bisect(orders, bounds, start)
        return odds, measure.curve[place][0], forward
    gaps = np.geomspace(1e-6, 1e5, 440)
    for _ in range(3):
        orders = 1 + gaps
        odds, place, forward = _bisect(orders, float(measure.rho) * orders, start)
        around = gaps[max(place - 1, 0)], gaps[min(place + 1, len(gaps) - 1)]
        best = Fraction(float(orders[place]))
        gaps = np.geomspace(*around, 100)
    return odds, best, forward


def _bisect(orders: Floats, bounds: Floats, start: float) -> tuple[float, int, bool]:
    low, high = start, start + 1.0
    while high < _REACH + 1 and _excess(orders, bounds, high, start).max() <= 0:
        low, high = high, high + 2 * (high - low)
    for _ in range(70):
        middle = (low + high) / 2
        if _excess(orders, bounds, middle, start).max() > 0:
            high = middle
        else:
            low = middle
    place = int(np.argmax(_excess(orders, bounds, high, start)))
    return high, place % len(orders), place < len(orders)


def _excess(orders: Floats, bounds: Floats, power: float, start: float) -> Floats:
    """By how much coins of these log-odds break the promise at each order, both ways."""
    both = [_divergence(orders, one, other) for one, other in ((power, start), (start, power))]
    return np.concatenate([divergence - bounds for divergence in both])


def _divergence(orders: Floats, one: float, other: float) -> Floats:
    up = -orders * np.logaddexp(0, -one) - (1 - orders) * np.logaddexp(0, -other)
    down = -orders * np.logaddexp(0, one) - (1 - orders) * np.logaddexp(0, other)
    return np.asarray(np.logaddexp(up, down) / (orders - 1))


def _breaks(measure: Moments, order: Fraction, coins: tuple[Fraction, Fraction]) -> bool:
    """Whether the divergence of two coins is above the bound at this order, decided by balls."""
    one, other = coins

    def question() -> bool:
        sides = ((one, other), (1 - one, 1 - other))
        powers = [(ball(order) * ball(x / y).log()).exp() * ball(y) for x, y in sides]
        divergence = (powers[0] + powers[1]).log() / ball(order - 1)
        return bool(divergence > ball(_bound(measure, order)))

    return at_precision(_BITS, question)


def _log_odds(alpha: Fraction) -> float:
    odds = alpha / (1 - alpha)
    return float(upper(lambda: ball(odds).log())) if odds != 1 else 0.0


def _coin(log_odds: float) -> tuple[Fraction, Fraction]:
    """A probability with about these log-odds, and the rest, exactly."""
    if log_odds <= 0:
        power = Fraction(1 / (1 + math.exp(-log_odds)))
        return power, 1 - power
    rest = Fraction(1 / (1 + math.exp(min(log_odds, 700.0))))
    return 1 - rest, rest
