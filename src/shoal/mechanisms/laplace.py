"""Laplace noise: on the integers, and on a grid for reals; for integers alone it is called
geometric, plain or clamped to a public range.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Self

import numpy as np
from flint import arb

from shoal import events
from shoal.errors import CalibrationError, RangeError
from shoal.exact import (
    Grid,
    Number,
    Real,
    ball,
    float_up,
    open_unit,
    out_of_range,
    positive,
    rational,
    upper,
    whole,
)
from shoal.measures import Measure, Pure
from shoal.mechanisms.additive import Additive, apart
from shoal.mechanisms.affordable_parameters import pure_epsilon_of
from shoal.mechanisms.mechanism import Mechanism
from shoal.mechanisms.values import narrowed, read_grid
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


@dataclass(frozen=True, init=False, repr=False)
class Geometric(Laplace):
    """Add two-sided geometric noise to counts and other integers.

    Guarantee: (sensitivity / scale)-DP, exactly, for integers whose L1 sensitivity is the declared
        one.
    Needs: scale > 0; a whole-number sensitivity >= 0; integer values.
    Edges: sensitivity 0 costs 0; reals are refused rather than rounded, and so is a grid.
    Reference: Ghosh, Roughgarden and Sundararajan 2009.  Proof: additive.md.

    >>> Geometric.for_epsilon(1, sensitivity=1).error("0.95")
    3
    """

    reals: ClassVar[bool] = False

    def __init__(
        self, *, scale: Number, sensitivity: Number | Sensitivity, grid: Grid | None = None
    ) -> None:
        if grid is not None:
            raise RangeError(
                "geometric noise lives on the integers, but a grid was given.",
                remedy="Leave the grid out, or use Laplace for real values.",
            )
        super().__init__(scale=scale, sensitivity=sensitivity)
        if self.sensitivity.value.denominator != 1:
            raise out_of_range("sensitivity", self.sensitivity.value, "a whole number, 0 or more")

    def event_for(self, *, size: int) -> events.Event:
        return events.Geometric(
            scale=self.scale,
            sensitivity=self.sensitivity.value,
            size=size,
            relation=self.sensitivity.relation,
            private=secret(),
        )


@dataclass(frozen=True, init=False, repr=False)
class TruncatedGeometric(Mechanism):
    """Geometric noise on a count that is publicly known to lie in a range, the answer clamped to
    it.

    Guarantee: (sensitivity / scale)-DP, exactly.
    Needs: as `Geometric`; public whole numbers low <= high.
    Edges: a value outside the range is allowed; the answer never is.  Arrays need the L1
        sensitivity of all their counts together.
    Reference: Ghosh, Roughgarden and Sundararajan 2009: for one count in [low, high] no epsilon-DP
        mechanism serves any user better, whatever the user's loss and prior.  Proof: additive.md.

    >>> half = TruncatedGeometric.for_epsilon(1, sensitivity=1, low=0, high=10)
    >>> 0 <= half.release(3) <= 10
    True
    """

    geometric: Geometric
    low: int
    high: int

    def __init__(
        self, *, scale: Number, sensitivity: Number | Sensitivity, low: Number, high: Number
    ) -> None:
        bounds = rational(low, "low"), rational(high, "high")
        for name, bound in zip(("low", "high"), bounds, strict=True):
            if bound.denominator != 1:
                raise out_of_range(name, bound, "a whole number")
        if bounds[0] > bounds[1]:
            raise out_of_range("low", bounds[0], "at most high")
        keep = object.__setattr__
        keep(self, "geometric", Geometric(scale=scale, sensitivity=sensitivity))
        keep(self, "low", bounds[0].numerator)
        keep(self, "high", bounds[1].numerator)

    @classmethod
    def for_epsilon(
        cls, epsilon: Number, *, sensitivity: Number | Sensitivity, low: Number, high: Number
    ) -> Self:
        """The mechanism that costs exactly this epsilon."""
        plain = Geometric.for_epsilon(epsilon, sensitivity=sensitivity)
        return cls(scale=plain.scale, sensitivity=sensitivity, low=low, high=high)

    @classmethod
    def for_budget(
        cls, budget: Measure, *, sensitivity: Number | Sensitivity, low: Number, high: Number
    ) -> Self:
        """The mechanism with the least noise that a budget allows, in any measure it can meet."""
        plain = Geometric.for_budget(budget, sensitivity=sensitivity)
        return cls(scale=plain.scale, sensitivity=sensitivity, low=low, high=high)

    @classmethod
    def for_error(
        cls,
        error: Number,
        *,
        confidence: Number,
        sensitivity: Number | Sensitivity,
        low: Number,
        high: Number,
        size: int = 1,
    ) -> Self:
        """The most private mechanism whose noise, before clamping, is within the target."""
        if positive(error, "error") >= rational(high, "high") - rational(low, "low"):
            raise CalibrationError(
                "no answer within the range is further off than this, so every epsilon does.",
                remedy="Ask for an error below high - low, or state the epsilon yourself.",
            )
        plain = Geometric.for_error(
            error, confidence=confidence, sensitivity=sensitivity, size=size
        )
        return cls(scale=plain.scale, sensitivity=sensitivity, low=low, high=high)

    def release(self, value: Any) -> Any:
        """The integer, or the array of integers, plus noise, clamped to the range."""
        noisy = self.geometric.release(value)
        if not isinstance(noisy, np.ndarray):
            return min(self.high, max(self.low, noisy))
        if noisy.dtype == np.int64 and self.low >= -(1 << 63) and self.high < 1 << 63:
            return np.asarray(np.clip(noisy, self.low, self.high))
        return narrowed(
            np.asarray(np.clip(noisy.astype(object), self.low, self.high), dtype=object)
        )

    def error(self, confidence: Number, *, size: int = 1) -> float:
        """How far a release of values in the range can be off, with at least this probability."""
        return min(self.geometric.error(confidence, size=size), self.high - self.low)

    def _shown(self) -> Iterator[tuple[str, Any]]:
        yield from (("scale", self.scale), ("sensitivity", self.sensitivity))
        yield from (("low", self.low), ("high", self.high))

    @property
    def scale(self) -> Fraction:
        return self.geometric.scale

    @property
    def sensitivity(self) -> Sensitivity:
        return self.geometric.sensitivity

    @property
    def cost(self) -> Pure:
        """What one release costs."""
        return self.geometric.cost

    @property
    def event(self) -> events.Event:
        """The description of a release of one integer."""
        return self.event_for(size=1)

    def event_for(self, *, size: int) -> events.Event:
        """The description of a release of ``size`` integers; for several, of what is then
        clamped.
        """
        if size != 1:
            return self.geometric.event_for(size=size)
        return events.TruncatedGeometric(
            scale=self.scale,
            sensitivity=self.sensitivity.value,
            low=self.low,
            high=self.high,
            relation=self.sensitivity.relation,
            private=secret(),
        )
