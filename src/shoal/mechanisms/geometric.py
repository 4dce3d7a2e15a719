"""Geometric noise for integers: the Laplace law on the integers, plain or clamped to a public
range.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Self

import numpy as np

from shoal import events
from shoal.errors import CalibrationError, RangeError
from shoal.exact import Grid, Number, out_of_range, positive, rational
from shoal.measures import Measure, Pure
from shoal.mechanisms.laplace import Laplace
from shoal.mechanisms.mechanism import Mechanism
from shoal.mechanisms.values import narrowed
from shoal.noise import secret
from shoal.sensitivity import Sensitivity


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
