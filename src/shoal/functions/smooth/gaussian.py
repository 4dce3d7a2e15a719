"""Normal noise: the thinnest tails, and a delta for the value and for the width."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Self

from flint import arb

from shoal.events import StatedApprox
from shoal.exact import Number, Real, ball, is_below, lower, open_unit, positive, turning_point
from shoal.functions.smooth.mechanism import Smooth, normal_quantile
from shoal.functions.smooth.statistic import Statistic
from shoal.functions.smooth.widths import approx_of
from shoal.measures import Approx, Measure, gaussian_mu_down
from shoal.noise import IntegerNoise, current, rounded_normal


@dataclass(frozen=True, init=False, repr=False)
class SmoothGaussian(Smooth):
    """Add normal noise of standard deviation smooth sensitivity / alpha.

    Guarantee: (epsilon, delta)-DP: ``share`` of epsilon and half of delta hide the value, the rest hides the width.
    Needs: epsilon > 0, 0 < delta < 1, 0 < share < 1.
    Edges: the width may change less than with Laplace noise: keep is about 1 - epsilon / (4 ln(1 / delta)).
    Reference: Nissim, Raskhodnikova and Smith 2007, Lemma 2.7; both parts are exact here.  Proof: smooth.md.

    >>> mechanism = SmoothGaussian(epsilon=1, delta="1e-6")
    >>> print(mechanism.cost, "| alpha", round(float(mechanism.alpha), 3))
    epsilon 1, delta 1e-6 | alpha 0.117
    """

    epsilon: Fraction
    delta: Fraction
    share: Fraction

    def __init__(self, *, epsilon: Number, delta: Number, share: Number = "1/2") -> None:
        put = object.__setattr__
        put(self, "epsilon", positive(epsilon, "epsilon"))
        put(self, "delta", open_unit(delta, "delta"))
        put(self, "share", open_unit(share, "share"))

    @classmethod
    def for_budget(cls, budget: Measure) -> Self:
        """The mechanism that an approximate budget pays for."""
        epsilon, delta = approx_of(budget)
        return cls(epsilon=epsilon, delta=delta)

    @property
    def _spare(self) -> Fraction:
        return (1 - self.share) * self.epsilon

    @cached_property
    def alpha(self) -> Fraction:
        """The largest mu that is (share * epsilon, delta e^-spare / 2)-DP."""
        delta = lower(lambda: ball(self.delta / 2) * ball(-self._spare).exp())
        return gaussian_mu_down(self.share * self.epsilon, delta)

    @cached_property
    def keep(self) -> Fraction:
        """The least keep whose change of width costs at most the rest of epsilon and half of delta."""

        def holds(lost: Fraction) -> bool:
            if lost >= 1 or lower(lambda: ball(1 - lost).log() + ball(self._spare)) <= 0:
                return False
            return is_below(_width_delta(1 - lost, self._spare), lambda: ball(self.delta / 2))

        lost, _ = turning_point(holds, start=Fraction(1, 64), bits=40)
        return 1 - lost

    @property
    def cost(self) -> Approx:
        return Approx(self.epsilon, self.delta)

    def event_for(self, statistic: Statistic) -> StatedApprox:
        return StatedApprox(
            epsilon=self.epsilon,
            delta=self.delta,
            relation=statistic.relation,
            private=current().private,
        )

    def _noise(self, scale: Fraction) -> IntegerNoise:
        return rounded_normal(scale)

    def _quantile(self, confidence: Fraction) -> Real:
        return normal_quantile(confidence)


def _width_delta(keep: Fraction, spare: Fraction) -> Real:
    """P(|N| > t q) - e^spare P(|N| > t), t^2 = 2 (spare - ln q) / (1 - q^2): where the wider law is likelier."""

    def delta() -> arb:
        half_square = (ball(spare) - ball(keep).log()) / ball(1 - keep * keep)
        place = half_square.sqrt()
        return (place * ball(keep)).erfc() - ball(spare).exp() * place.erfc()

    return delta
