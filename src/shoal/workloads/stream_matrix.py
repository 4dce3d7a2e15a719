"""The matrix of a stream: what is measured on each day is a sum over this day and all before it.

Day t measures c_0 x_t + c_1 x_(t-1) + ..., where the c are whole numbers in proportion to the
coefficients of 1 / sqrt(1 - z).  This is the square root of the matrix of running sums, so daily
counts and running totals are both told with little noise.
Proof: streams.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from shoal.workloads.column_queries import Floats

FINENESS = 1 << 20
"""The first coefficient; the others are rounded down to whole numbers."""

_SPARE = 64


@dataclass(frozen=True)
class StreamMatrix:
    """The measured sums of a stream of so many days.

    Guarantee: ``coefficients`` are whole numbers above 0 that never grow; ``squared_length`` is the
        sum of their squares.
    """

    days: int

    @cached_property
    def coefficients(self) -> tuple[int, ...]:
        """How much a day counts in its own measurement, in that of the next day, and so on."""
        found, exact = [], FINENESS << _SPARE
        for lag in range(self.days):
            if lag:
                exact = exact * (2 * lag - 1) // (2 * lag)
            found.append(exact >> _SPARE)
        return tuple(found)

    @property
    def squared_length(self) -> int:
        """The squared length of the first, and longest, column."""
        return sum(each * each for each in self.coefficients)

    def measured(self, counts: Sequence[int]) -> int:
        """What the last of some days measures, exactly; ``counts`` are those of all days so far."""
        return sum(c * x for c, x in zip(self.coefficients, reversed(counts), strict=False))

    @cached_property
    def _daily(self) -> Floats:
        """The coefficients of the inverse: how the measurements of a day and of those before it
        make the day's count.
        """
        own = np.array(self.coefficients, dtype=np.float64)
        found = np.zeros(self.days)
        found[0] = 1 / own[0]
        for lag in range(1, self.days):
            found[lag] = -(own[1 : lag + 1] @ found[lag - 1 :: -1][:lag]) / own[0]
        return found

    def daily(self, measured: Sequence[int]) -> Floats:
        """The estimated count of each day so far; later days do not change it."""
        return _causal(self._daily, measured)

    def running(self, measured: Sequence[int]) -> Floats:
        """The estimated total up to each day so far."""
        return _causal(np.cumsum(self._daily), measured)

    def daily_variances(self) -> Floats:
        """The variance of each day's count, for noise of variance 1."""
        return np.cumsum(self._daily**2)

    def running_variances(self) -> Floats:
        """The variance of the total up to each day."""
        return np.cumsum(np.cumsum(self._daily) ** 2)


def _causal(weights: Floats, measured: Sequence[int]) -> Floats:
    numbers = np.array([float(each) for each in measured])
    if not len(numbers):
        return numbers
    return np.convolve(weights[: len(numbers)], numbers)[: len(numbers)]
