"""The trade-off of an (epsilon, delta) promise: two straight lines and the axis.

f(α) = max(0, 1 - δ - e^ε α, e^-ε (1 - δ - α)).  A true promise at any one epsilon gives a true
bound, so the curve of a profile is the largest of these over its epsilons.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from shoal.exact import Number, ball, closed_unit, is_below, lower, upper
from shoal.interpret.polygon import Polygon
from shoal.interpret.profiles import OfMeasure, Profile
from shoal.interpret.trade_offs import TradeOff
from shoal.measures.approx import Approx


@dataclass(frozen=True, slots=True)
class ApproxCurve(TradeOff):
    """The trade-off curve of (epsilon, delta)-DP.

    Guarantee: the least f that the promise implies, to the last bit on the named side; it is
        attained by telling all with probability δ and else answering by randomized response.
    Needs: any promise; delta 1 gives the curve that is 0.
    Reference: Wasserman and Zhou 2010, Theorem 2.4; Dong, Roth and Su 2022, Proposition 2.5.
    """

    promise: Approx

    def type_two_down(self, type_one: Number) -> Fraction:
        alpha = closed_unit(type_one, "type_one")
        epsilon, rest = self.promise.epsilon, 1 - self.promise.delta
        left = rest - alpha
        if left <= 0:
            return Fraction(0)
        if epsilon == 0 or alpha == 0:
            return left
        shallow = lower(lambda: ball(-epsilon).exp() * ball(left))
        if not _steep_matters(epsilon, rest, alpha):
            return max(Fraction(0), shallow)
        return max(shallow, lower(lambda: ball(rest) - ball(epsilon).exp() * ball(alpha)))

    def power_up(self, type_one: Number) -> Fraction:
        alpha = closed_unit(type_one, "type_one")
        epsilon, delta = self.promise.epsilon, self.promise.delta
        left = 1 - delta - alpha
        if left <= 0:
            return Fraction(1)
        if epsilon == 0 or alpha == 0:
            return 1 - left
        shallow = upper(lambda: ball(1 - left) - ball(-epsilon).expm1() * ball(left))
        if not _steep_matters(epsilon, 1 - delta, alpha):
            return min(Fraction(1), shallow)
        return min(shallow, upper(lambda: ball(delta) + ball(epsilon).exp() * ball(alpha)))

    def delta_up(self, epsilon: Number) -> Fraction:
        return self.promise.to_delta(epsilon=epsilon).delta

    def polygon_down(self) -> Polygon:
        epsilon, rest = self.promise.epsilon, 1 - self.promise.delta
        if rest == 0:
            return Polygon([(0, 0), (1, 0)])
        if epsilon == 0:
            return Polygon([(0, rest), (rest, 0)])
        corner = rest / (1 + upper(lambda: ball(epsilon).exp()))
        return Polygon([(0, rest), (corner, corner), (rest, 0)])

    def profile(self) -> Profile:
        return OfMeasure(self.promise)


def _steep_matters(epsilon: Fraction, rest: Fraction, alpha: Fraction) -> bool:
    """Whether e^ε α < 1 - δ, for ε > 0 and α > 0, where the two sides are never equal."""
    return is_below(lambda: ball(epsilon), lambda: ball(rest / alpha).log())
