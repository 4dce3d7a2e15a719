"""Laplace noise: on the integers, and on a grid for reals."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Self

from flint import arb

from shoal import events
from shoal.exact import Grid, Number, Real, ball, float_up, open_unit, positive, upper, whole
from shoal.measures import Measure, Pure
from shoal.mechanisms.additive import Additive, apart
from shoal.mechanisms.affordable_parameters import pure_epsilon_of
from shoal.mechanisms.values import read_grid
from shoal.noise import IntegerNoise, discrete_laplace, secret
from shoal.sensitivity import Norm, Sensitivity


@dataclass(frozen=True, init=False, repr=False)
class Laplace(Additive):
    """Add noise with P(x) proportional to exp(-|x| / scale) to each number.

    Guarantee: (sensitivity / scale)-DP, exactly, for one number or a whole vector whose L1
        sensitivity is the declared one; no floating point lies between value and noise.
    Needs: scale > 0 and sensitivity >= 0, in the units of the value; a vector needs its L1
        sensitivity.
    Edges: sensitivity 0 costs 0; scale 0 is refused, never read as "no noise".  On the grid the
        noise is wider than ``scale`` by the share that rounding adds: for one number less than
        10^-12 while epsilon is above 1/1000.
    Reference: Dwork, McSherry, Nissim and Smith 2006.  Proof: additive.md.

    >>> mechanism = Laplace.for_epsilon("0.5", sensitivity=1)
    >>> print(mechanism.cost, "| within", mechanism.error("0.95", integers=True))
    epsilon 0.5 | within 6
    >>> answer = mechanism.release(42)
    """

    scale: Fraction
    sensitivity: Sensitivity
    grid: Grid | None

    def __init__(
        self, *, scale: Number, sensitivity: Number | Sensitivity, grid: Grid | None = None
    ) -> None:
        keep = object.__setattr__
        keep(self, "scale", positive(scale, "scale"))
        keep(self, "sensitivity", Sensitivity.read(sensitivity, norm=Norm.L1))
        keep(self, "grid", read_grid(grid))

    @classmethod
    def for_epsilon(
        cls, epsilon: Number, *, sensitivity: Number | Sensitivity, grid: Grid | None = None
    ) -> Self:
        """The mechanism that costs exactly this epsilon."""
        return cls.for_budget(
            Pure(positive(epsilon, "epsilon")), sensitivity=sensitivity, grid=grid
        )

    @property
    def epsilon(self) -> Fraction:
        return self.sensitivity.value / self.scale

    @property
    def cost(self) -> Pure:
        """What one release costs."""
        return Pure(self.epsilon)

    @property
    def event(self) -> events.Event:
        """The description of a release of one number."""
        return self.event_for(size=1)

    def event_for(self, *, size: int) -> events.Event:
        """The description of a release of ``size`` numbers."""
        return events.Laplace(
            scale=self.scale,
            sensitivity=self.sensitivity.value,
            size=size,
            relation=self.sensitivity.relation,
            private=secret(),
        )

    def textbook_error(self, confidence: Number, *, size: int = 1) -> float:
        """The bound usually quoted for continuous noise, scale * ln(size / (1 - confidence)).

        Noise on the integers exceeds it up to twice as often as it says; `error` is exact for both.
        """
        risk = (1 - open_unit(confidence, "confidence")) / whole(size, "size", at_least=1)
        return float_up(upper(lambda: -ball(risk).log() * ball(self.scale)))

    @property
    def spread(self) -> Fraction:
        return self.scale

    @classmethod
    def _with(cls, spread: Fraction, sensitivity: Number | Sensitivity, grid: Grid | None) -> Self:
        return cls(scale=spread, sensitivity=sensitivity, grid=grid)

    @classmethod
    def _spread_for(cls, budget: Measure, sensitivity: Number | Sensitivity) -> Fraction:
        return apart(Sensitivity.read(sensitivity, norm=Norm.L1)) / pure_epsilon_of(budget)

    def _noise(self, spread: Fraction) -> IntegerNoise:
        return discrete_laplace(spread)

    def _coverage(self, spread: Fraction, steps: int) -> Real:
        return laplace_coverage(spread, steps)

    def _quantile(self, spread: Fraction, beyond: Real) -> Real:
        return laplace_quantile(spread, beyond)

    def _steps_apart(self, distance: Fraction, size: int) -> Fraction:
        """Whole steps, fewer than ``distance`` and one for each number together."""
        return Fraction(math.ceil(distance) + size - 1)


def laplace_coverage(scale: Fraction, steps: int) -> Real:
    """P(|X| <= steps) for the discrete Laplace law: 1 - 2 q^(steps + 1) / (1 + q), q = exp(-1 /
    scale).
    """

    def chance() -> arb:
        beyond = 2 * ball(-Fraction(steps + 1) / scale).exp()
        return 1 - beyond / (1 + ball(-1 / scale).exp())

    return chance


def laplace_quantile(scale: Fraction, beyond: Real) -> Real:
    """Where `laplace_coverage` would be 1 - beyond, were steps not whole."""
    return lambda: -ball(scale) * (beyond() * (1 + ball(-1 / scale).exp()) / 2).log()
