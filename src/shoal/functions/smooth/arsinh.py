"""Arsinh-normal noise: a concentrated promise for a width that follows the data."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Self

from flint import arb

from shoal.events import StatedZeroConcentrated
from shoal.exact import Number, Real, ball, lower, open_unit, positive, upper
from shoal.functions.smooth.mechanism import Smooth, normal_quantile
from shoal.functions.smooth.statistic import SmoothStatistic
from shoal.measures import Measure, ZeroConcentrated
from shoal.mechanisms.affordable_parameters import rho_of
from shoal.noise import IntegerNoise, rounded_arsinh_normal, secret


@dataclass(frozen=True, init=False, repr=False)
class SmoothArsinhNormal(Smooth):
    """Add noise sinh(bend * N) times smooth sensitivity / alpha, for a standard normal N.

    Guarantee: rho-zero-concentrated DP with sqrt(2 rho) = alpha (1 / bend + bend) + b (1.2 / bend +
        0.77 bend), where b = -ln(keep); ``share`` of the sum is spent on the value and the rest on
        the width.
    Needs: rho > 0, bend > 0, 0 < share < 1.
    Edges: the tails are those of a log-normal law, so all moments exist.  A small bend is nearly
        normal and lets the width change little.
    Reference: Bun and Steinke 2019, Section 4, for the law; the constants are ours.
    Proof: smooth.md.

    >>> mechanism = SmoothArsinhNormal(rho="1/2")
    >>> print(mechanism.cost, "| alpha", round(float(mechanism.alpha), 3))
    zero-concentrated, rho 0.5 | alpha 0.2
    """

    rho: Fraction
    bend: Fraction
    share: Fraction

    def __init__(self, *, rho: Number, bend: Number = "1/2", share: Number = "1/2") -> None:
        put = object.__setattr__
        put(self, "rho", positive(rho, "rho"))
        put(self, "bend", positive(bend, "bend"))
        put(self, "share", open_unit(share, "share"))

    @classmethod
    def for_budget(cls, budget: Measure) -> Self:
        """The mechanism with the largest rho that a budget allows."""
        return cls(rho=rho_of(budget))

    @cached_property
    def alpha(self) -> Fraction:
        part = self.share / (1 / self.bend + self.bend)
        return lower(lambda: ball(part) * ball(2 * self.rho).sqrt())

    @cached_property
    def keep(self) -> Fraction:
        part = (1 - self.share) / (TURN / self.bend + BOW * self.bend)

        def kept() -> arb:
            return (-ball(part) * ball(2 * self.rho).sqrt()).exp()

        return upper(kept, bits=48)

    @property
    def cost(self) -> ZeroConcentrated:
        return ZeroConcentrated(self.rho)

    def event_for(self, statistic: SmoothStatistic) -> StatedZeroConcentrated:
        return StatedZeroConcentrated(rho=self.rho, relation=statistic.relation, private=secret())

    def _noise(self, scale: Fraction) -> IntegerNoise:
        return rounded_arsinh_normal(scale, self.bend)

    def _quantile(self, confidence: Fraction) -> Real:
        def reach() -> arb:
            return (ball(self.bend) * normal_quantile(confidence)()).sinh()

        return reach


TURN = Fraction(6, 5)
"""At or above tanh w + w / cosh(w)^2 for every w; its largest value is 1.19968."""
BOW = Fraction(77, 100)
"""At or above 2 tanh w / cosh(w)^2 for every w; its largest value is 4 / (3 sqrt 3) = 0.76980."""
