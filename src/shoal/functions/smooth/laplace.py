"""Laplace noise: thin tails, paid for with a delta."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Self

from flint import arb

from shoal.events import StatedApprox
from shoal.exact import Number, Real, ball, is_below, lower, open_unit, positive, turning_point
from shoal.functions.smooth.mechanism import Smooth
from shoal.functions.smooth.statistic import Statistic
from shoal.functions.smooth.widths import approx_of
from shoal.measures import Approx, Measure
from shoal.noise import IntegerNoise, current, rounded_laplace


@dataclass(frozen=True, init=False, repr=False)
class SmoothLaplace(Smooth):
    """Add Laplace noise of scale smooth sensitivity / alpha.

    Guarantee: (epsilon, delta)-DP: ``share`` of epsilon hides the value, the rest and delta hide the width.
    Needs: epsilon > 0, 0 < delta < 1, 0 < share < 1.
    Edges: a small delta asks for a keep close to 1, about 1 - (1 - share) epsilon / ln(1 / delta).
    Reference: Nissim, Raskhodnikova and Smith 2007, Lemma 2.9; the keep here is the exact one.  Proof: smooth.md.

    >>> mechanism = SmoothLaplace(epsilon=1, delta="1e-6")
    >>> print(mechanism.cost, "| keep", round(float(mechanism.keep), 3))
    epsilon 1, delta 1e-6 | keep 0.952
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
    def alpha(self) -> Fraction:
        return self.share * self.epsilon

    @cached_property
    def keep(self) -> Fraction:
        """The least keep whose change of width costs at most the rest of epsilon and delta."""
        spare = self.epsilon - self.alpha

        def holds(lost: Fraction) -> bool:
            if lost >= 1 or lower(lambda: ball(1 - lost).log() + ball(spare)) <= 0:
                return False
            return is_below(_width_delta(lost, spare), lambda: ball(self.delta))

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
        return rounded_laplace(scale)

    def _quantile(self, confidence: Fraction) -> Real:
        return lambda: -ball(1 - confidence).log()


def _width_delta(lost: Fraction, spare: Fraction) -> Real:
    """What a width larger by the factor 1 / q, q = 1 - lost, costs beyond e^spare: lost * exp(-(spare - ln q) q / lost)."""
    keep = 1 - lost

    def delta() -> arb:
        return ball(lost) * (-(ball(spare) - ball(keep).log()) * ball(keep / lost)).exp()

    return delta
