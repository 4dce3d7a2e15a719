"""Laplace noise: thin tails, paid for with a delta."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from shoal.exact import Real, ball
from shoal.functions.smooth.approximate import SmoothApproximate
from shoal.noise import IntegerNoise, rounded_laplace


@dataclass(frozen=True, init=False, repr=False)
class SmoothLaplace(SmoothApproximate):
    """Add Laplace noise of scale smooth sensitivity / alpha.

    Guarantee: (epsilon, delta)-DP: ``share`` of epsilon hides the value, the rest and delta hide
        the width.
    Needs: epsilon > 0, 0 < delta < 1, 0 < share < 1.
    Edges: a small delta asks for a keep close to 1, about 1 - (1 - share) epsilon / ln(1 / delta).
    Reference: Nissim, Raskhodnikova and Smith 2007, Lemma 2.9; the keep here is the exact one.
        Proof: smooth.md.

    >>> mechanism = SmoothLaplace(epsilon=1, delta="1e-6")
    >>> print(mechanism.cost, "| keep", round(float(mechanism.keep), 3))
    epsilon 1, delta 1e-6 | keep 0.952
    """

    @property
    def alpha(self) -> Fraction:
        return self.share * self.epsilon

    @property
    def _delta_of_width(self) -> Fraction:
        return self.delta

    def _width_delta(self, lost: Fraction) -> Real:
        """With q = 1 - lost: lost * exp(-(spare - ln q) q / lost)."""
        keep = 1 - lost

        def delta() -> arb:
            return ball(lost) * (-(ball(self._spare) - ball(keep).log()) * ball(keep / lost)).exp()

        return delta

    def _noise(self, scale: Fraction) -> IntegerNoise:
        return rounded_laplace(scale)

    def _quantile(self, confidence: Fraction) -> Real:
        return lambda: -ball(1 - confidence).log()
