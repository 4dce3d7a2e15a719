"""Noise on each person's own number: exact Laplace or Gaussian noise on a grid."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from shoal.errors import RangeError, ShapeError
from shoal.exact import Number, rational
from shoal.local.numeric.mechanism import Mean
from shoal.measures import Approx, Measure, Pure
from shoal.mechanisms import Gaussian, Laplace


@dataclass(frozen=True)
class NoisyNumber:
    """A number between ``low`` and ``high``, plus noise that hides where in the range it lies.

    Guarantee: that of the mechanism, whose sensitivity is the whole range.
    Needs: low < high, chosen without looking at the data; values beyond them are cut.
    Edges: the other mechanisms of this folder have less error; this one is what most people know.
    Reference: Dwork, McSherry, Nissim and Smith 2006.

    >>> NoisyNumber.laplace(1, low=-1, high=1).cost
    Pure(epsilon=1)
    """

    low: Fraction
    high: Fraction
    mechanism: Laplace | Gaussian

    @classmethod
    def laplace(cls, epsilon: Number, *, low: Number, high: Number) -> Self:
        """Laplace noise: pure."""
        ends = _ends(low, high)
        return cls(*ends, Laplace.for_epsilon(epsilon, sensitivity=ends[1] - ends[0]))

    @classmethod
    def gaussian(cls, epsilon: Number, *, delta: Number, low: Number, high: Number) -> Self:
        """Gaussian noise: approximate."""
        ends = _ends(low, high)
        budget = Approx(epsilon, delta)
        return cls(*ends, Gaussian.for_budget(budget, sensitivity=ends[1] - ends[0]))

    @property
    def cost(self) -> Measure:
        """What one report costs the person who sends it."""
        price: Pure | Measure = self.mechanism.cost
        return price

    def report(self, values: Any) -> NDArray[np.float64]:
        """One noisy number for each value."""
        numbers = np.asarray(values, dtype=np.float64).reshape(-1)
        cut = np.clip(numbers, float(self.low), float(self.high))
        return np.asarray(self.mechanism.release(cut), dtype=np.float64)

    def estimate(self, reports: Any) -> Mean:
        """The mean of the values behind these reports."""
        told = np.asarray(reports, dtype=np.float64).reshape(-1)
        if not len(told):
            raise ShapeError(
                "at least one report is needed.", remedy="Collect at least one report first."
            )
        return Mean(len(told), float(told.mean()), float(told.var()) / max(1, len(told) - 1))


def _ends(low: Number, high: Number) -> tuple[Fraction, Fraction]:
    ends = rational(low, "low"), rational(high, "high")
    if ends[0] >= ends[1]:
        raise RangeError("low must be below high.", remedy="Give the range that values are cut to.")
    return ends
