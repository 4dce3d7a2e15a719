"""Noise on each person's own number: exact Laplace or Gaussian noise on a grid."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from shoal.errors import RangeError, ShapeError
from shoal.exact import Number, float_ends, read_float_ends, short
from shoal.local.protocols.numeric.mechanism import Mean
from shoal.local.protocols.oracles.oracle import not_a_report
from shoal.measures import Approx, Measure, Pure
from shoal.mechanisms import Gaussian, Laplace
from shoal.mechanisms.values import real_array


@dataclass(frozen=True)
class NoisyNumber:
    """A number between ``low`` and ``high``, plus noise that hides where in the range it lies.

    Guarantee: that of the mechanism, whose sensitivity is the whole range: values are cut to the
        outermost doubles inside it, which are at most high - low apart.
    Needs: low < high with at least two doubles between them, chosen without looking at the data;
        values beyond them are cut.
    Edges: the other mechanisms of this folder have less error; this one is what most people know.
    Reference: Dwork, McSherry, Nissim and Smith 2006.

    >>> NoisyNumber.laplace(1, low=-1, high=1).cost
    Pure(epsilon=1)
    """

    low: Fraction
    high: Fraction
    mechanism: Laplace | Gaussian

    def __post_init__(self) -> None:
        read_float_ends(self.low, self.high)
        if self.mechanism.sensitivity.value < self.high - self.low:
            raise RangeError(
                f"the noise hides values that are {short(self.mechanism.sensitivity.value)} apart, and the range is"
                f" {short(self.high - self.low)} wide.",
                remedy="Make it with NoisyNumber.laplace or NoisyNumber.gaussian, or give the mechanism the whole range as its sensitivity.",
            )

    @classmethod
    def laplace(cls, epsilon: Number, *, low: Number, high: Number) -> Self:
        """Laplace noise: pure."""
        ends = read_float_ends(low, high)
        return cls(*ends, Laplace.for_epsilon(epsilon, sensitivity=ends[1] - ends[0]))

    @classmethod
    def gaussian(cls, epsilon: Number, *, delta: Number, low: Number, high: Number) -> Self:
        """Gaussian noise: approximate."""
        ends = read_float_ends(low, high)
        budget = Approx(epsilon, delta)
        return cls(*ends, Gaussian.for_budget(budget, sensitivity=ends[1] - ends[0]))

    @property
    def cost(self) -> Measure:
        """What one report costs the person who sends it."""
        price: Pure | Measure = self.mechanism.cost
        return price

    def report(self, values: Any) -> NDArray[np.float64]:
        """One noisy number for each value."""
        return np.asarray(self.mechanism.release(self.cut(values)), dtype=np.float64)

    def cut(self, values: Any) -> NDArray[np.float64]:
        """The values before their noise, cut to the range."""
        numbers = real_array(values, what="values").reshape(-1)
        return np.clip(numbers, *float_ends(self.low, self.high))

    def estimate(self, reports: Any) -> Mean:
        """The mean of the values behind these reports."""
        told = real_array(reports, what="reports").reshape(-1)
        if not np.isfinite(told).all():
            raise not_a_report()
        if not len(told):
            raise ShapeError(
                "at least one report is needed.", remedy="Collect at least one report first."
            )
        with np.errstate(over="ignore", invalid="ignore"):
            mean, variance = float(told.mean()), float(told.var()) / max(1, len(told) - 1)
        if not np.isfinite([mean, variance]).all():  # reports beyond any noise
            raise not_a_report()
        return Mean(len(told), mean, variance)
