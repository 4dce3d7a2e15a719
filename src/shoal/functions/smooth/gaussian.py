"""Normal noise: the thinnest tails, and a delta for the value and for the width."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from flint import arb

from shoal.exact import Real, ball, lower
from shoal.functions.smooth.approximate import SmoothApproximate
from shoal.functions.smooth.mechanism import normal_quantile
from shoal.measures import gaussian_mu_down
from shoal.noise import IntegerNoise, rounded_normal


@dataclass(frozen=True, init=False, repr=False)
class SmoothGaussian(SmoothApproximate):
    """Add normal noise of standard deviation smooth sensitivity / alpha.

    Guarantee: (epsilon, delta)-DP: ``share`` of epsilon and half of delta hide the value, the rest
        hides the width.
    Needs: epsilon > 0, 0 < delta < 1, 0 < share < 1.
    Edges: the width may change less than with Laplace noise: keep is about 1 - epsilon / (4 ln(1 /
        delta)).
    Reference: Nissim, Raskhodnikova and Smith 2007, Lemma 2.7; both parts are exact here.
    Proof: smooth.md.

    >>> mechanism = SmoothGaussian(epsilon=1, delta="1e-6")
    >>> print(mechanism.cost, "| alpha", round(float(mechanism.alpha), 3))
    epsilon 1, delta 1e-6 | alpha 0.117
    """

    @cached_property
    def alpha(self) -> Fraction:
        """The largest mu that is (share * epsilon, delta e^-spare / 2)-DP."""
        delta = lower(lambda: ball(self.delta / 2) * ball(-self._spare).exp())
        return gaussian_mu_down(self.share * self.epsilon, delta)

    @property
    def _delta_of_width(self) -> Fraction:
        return self.delta / 2

    def _width_delta(self, lost: Fraction) -> Real:
        """P(|N| > t q) - e^spare P(|N| > t), q = 1 - lost, t^2 = 2 (spare - ln q) / (1 - q^2):
        where the wider law is likelier.
        """
        keep = 1 - lost

        def delta() -> arb:
            half_square = (ball(self._spare) - ball(keep).log()) / ball(1 - keep * keep)
            place = half_square.sqrt()
            return (place * ball(keep)).erfc() - ball(self._spare).exp() * place.erfc()

        return delta

    def _noise(self, scale: Fraction) -> IntegerNoise:
        return rounded_normal(scale)

    def _quantile(self, confidence: Fraction) -> Real:
        return normal_quantile(confidence)
