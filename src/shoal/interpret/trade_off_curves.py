"""The trade-off curve of every promise: in closed form where there is one, else from the
profile.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from shoal.errors import ConversionError
from shoal.exact import (
    Number,
    ball,
    closed_unit,
    float_up,
    holdable_up,
    lower,
    non_negative,
    root_up,
    upper,
)
from shoal.exact.real import SMALLEST
from shoal.interpret.approx_trade_off import ApproxCurve
from shoal.interpret.moments import MomentCurve
from shoal.interpret.polygon import Polygon
from shoal.interpret.profiles import AllOf, OfMeasure, Profile, Promise, profile
from shoal.interpret.promising_point import promising
from shoal.interpret.trade_offs import TradeOff
from shoal.measures.approx import Approx
from shoal.measures.gaussian_profile import gaussian_delta_up
from shoal.measures.normal import upper_tail
from shoal.measures.one_parameter import GaussianDP, Pure, ZeroConcentrated
from shoal.measures.renyi import Renyi


def trade_off(*promises: Promise) -> TradeOff:
    """The trade-off curve of a release about which all the promises given are true.

    Guarantee: a lower bound on f that each promise implies, the largest of them; the least that is
        implied by each kind of measure, up to rounding and the sixth digit of a moment curve.
    Needs: promises that hold both ways round, which measures do.
    Reference: Dong, Roth and Su 2022, Propositions 2.5 and 2.12.

    >>> float(trade_off(Pure(1)).type_two_down(0.05)), float(trade_off(GaussianDP(1)).power_up(0.05))
    (0.8640859085770477, 0.25951102284144406)
    """
    if len(promises) == 1 and isinstance(promises[0], TradeOff):
        return promises[0]
    return _curve_of(profile(*promises))


def gaussian_sum_up(*mus: Number) -> Fraction:
    """The mu of several Gaussian promises together, the root of the sum of squares.

    Guarantee: releases that are mu_i-GDP, each chosen in view of the earlier ones, are mu-GDP
        together for the result, rounded up in its 64th bit and exact where it is rational.
    Reference: Dong, Roth and Su 2022, Corollary 3.3.

    >>> gaussian_sum_up(3, 4), float(gaussian_sum_up(1, 1))
    (Fraction(5, 1), 1.4142135623730951)
    """
    total = sum((non_negative(mu, "mu") ** 2 for mu in mus), Fraction(0))
    return holdable_up(root_up(total))


@dataclass(frozen=True, slots=True)
class GaussianCurve(TradeOff):
    """The trade-off curve of mu-GDP, Φ(Φ^-1(1 - α) - mu).

    Guarantee: that of the best test between N(0, 1) and N(mu, 1), within its 64th bit.
    Edges: α 0 gives 1, for the tails never end; an f below 2^-16500 is returned as 0.
    Reference: Dong, Roth and Su 2022, Definition 2.6.
    """

    promise: GaussianDP

    def type_two_down(self, type_one: Number) -> Fraction:
        alpha, mu = closed_unit(type_one, "type_one"), self.promise.mu
        if alpha in (0, 1) or mu == 0:
            return 1 - alpha
        least = lower(lambda: upper_tail(ball(mu) - _quantile(alpha)))
        return least if least >= SMALLEST else Fraction(0)

    def power_up(self, type_one: Number) -> Fraction:
        alpha, mu = closed_unit(type_one, "type_one"), self.promise.mu
        if alpha in (0, 1) or mu == 0:
            return alpha
        return min(Fraction(1), upper(lambda: upper_tail(_quantile(alpha) - ball(mu))))

    def delta_up(self, epsilon: Number) -> Fraction:
        return gaussian_delta_up(self.promise.mu, epsilon)

    def polygon_down(self) -> Polygon:
        return Polygon.below(lambda alpha: float(self.type_two_down(Fraction(alpha))))

    def profile(self) -> Profile:
        return OfMeasure(self.promise)


@dataclass(frozen=True, slots=True)
class ProfileCurve(TradeOff):
    """The trade-off curve of any profile, the largest of `ApproxCurve` over its epsilons.

    Guarantee: at the epsilon that is used, the bound is that of a promise that holds; a search
        picks the epsilon, so only tightness, never truth, depends on it.
    Reference: Dong, Roth and Su 2022, Proposition 2.12.
    """

    source: Profile

    def type_two_down(self, type_one: Number) -> Fraction:
        alpha = closed_unit(type_one, "type_one")
        return max(self._line(at).type_two_down(alpha) for at in self._epsilons(alpha))

    def power_up(self, type_one: Number) -> Fraction:
        alpha = closed_unit(type_one, "type_one")
        return min(self._line(at).power_up(alpha) for at in self._epsilons(alpha))

    def delta_up(self, epsilon: Number) -> Fraction:
        return self.source.delta_up(epsilon)

    def profile(self) -> Profile:
        return self.source

    def _line(self, epsilon: Fraction) -> ApproxCurve:
        return ApproxCurve(Approx(epsilon, self.source.delta_up(epsilon)))

    def _epsilons(self, alpha: Fraction) -> set[Fraction]:
        """Epsilons whose line is about the highest at α: steep ones, shallow ones, and the
        marks.
        """
        found = {Fraction(0), *self.source.marks}
        if alpha == 1:
            return found
        reach = self._reach((1 - alpha) / 2)
        if alpha == 0:
            return found | {self._reach(Fraction(1, 2**70))}
        log_alpha = -float_up(upper(lambda: -ball(alpha).log()))

        def steep(epsilon: Fraction) -> float:
            return float(self.source.delta_up(epsilon)) + math.exp(float(epsilon) + log_alpha)

        def shallow(epsilon: Fraction) -> float:
            return -math.exp(-float(epsilon)) * float(1 - alpha - self.source.delta_up(epsilon))

        found.add(promising(steep, 0.0, -log_alpha))
        found.add(promising(shallow, 0.0, float(reach) + 0.7))
        return found

    def _reach(self, delta: Fraction) -> Fraction:
        """The epsilon at this delta; where there is none, one at which the profile still speaks."""
        try:
            return self.source.epsilon_up(delta)
        except ConversionError:
            return max(self.source.marks, default=Fraction(1))


@dataclass(frozen=True, slots=True)
class LargestOf(TradeOff):
    """The largest of several curves that all hold."""

    parts: tuple[TradeOff, ...]

    def type_two_down(self, type_one: Number) -> Fraction:
        return max(part.type_two_down(type_one) for part in self.parts)

    def power_up(self, type_one: Number) -> Fraction:
        return min(part.power_up(type_one) for part in self.parts)

    def delta_up(self, epsilon: Number) -> Fraction:
        return min(part.delta_up(epsilon) for part in self.parts)

    def polygon_down(self) -> Polygon:
        parts = [part.polygon_down() for part in self.parts]
        return Polygon.below(
            lambda alpha: float(max(part.type_two_down(Fraction(alpha)) for part in parts))
        )

    def profile(self) -> Profile:
        return AllOf(tuple(part.profile() for part in self.parts))


def _curve_of(source: Profile) -> TradeOff:
    if isinstance(source, AllOf):
        return LargestOf(tuple(_curve_of(part) for part in source.parts))
    if isinstance(source, OfMeasure):
        match source.measure:
            case Pure():
                return ApproxCurve(source.measure.to_approx())
            case Approx():
                return ApproxCurve(source.measure)
            case GaussianDP():
                return GaussianCurve(source.measure)
            case ZeroConcentrated() | Renyi():
                return MomentCurve(source.measure)
    return ProfileCurve(source)


def _quantile(probability: Fraction) -> arb:
    """The x with P(N > x) = probability."""
    return arb(2).sqrt() * (2 * ball(probability)).erfcinv()
