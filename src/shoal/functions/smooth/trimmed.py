"""Means of the rows between two ranks: the median, every quantile, the trimmed mean and the
mean.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

import numpy as np

from shoal.errors import RangeError
from shoal.exact import Grid, Number, closed_unit, whole
from shoal.functions.rows import BoundedRows
from shoal.functions.smooth.statistic import Reading, SmoothStatistic
from shoal.sensitivity import Relation


@dataclass(frozen=True, init=False)
class TrimmedMean(SmoothStatistic):
    """The mean of the rows that are left when the lowest and the highest few are dropped.

    ``size`` rows, a public number, are clamped to [low, high] and rounded to the grid; ``below`` of
    the lowest and ``above`` of the highest are dropped.  One row left is a quantile, `median` the
    middle one.

    Guarantee: A_k = max over c from 0 to k + 1 of x[size - above + c] - x[below - k + c], over the
        number of rows left, in sorted rows with ``low`` before and ``high`` behind them; exact
        where k is at most the number of rows left less 2 or one row is left, and a bound that
        serves elsewhere.
    Needs: neighbours under CHANGE.
    Reference: Nissim, Raskhodnikova and Smith 2007, Section 3.1.  Proof: smooth.md.

    >>> float(TrimmedMean(size=5, low=0, high=10, below=1, above=1).value([0, 2, 3, 4, 10]))
    3.0
    """

    rows: BoundedRows
    below: int
    above: int

    def __init__(
        self,
        *,
        size: int,
        low: Number,
        high: Number,
        below: int,
        above: int,
        grid: Grid | None = None,
    ) -> None:
        keep = object.__setattr__
        keep(self, "rows", BoundedRows.read(size=size, low=low, high=high, grid=grid))
        keep(self, "below", whole(below, "below", at_least=0))
        keep(self, "above", whole(above, "above", at_least=0))
        if self.rows.size * self.rows.width >= 1 << 62:
            raise RangeError(
                "the sum of all rows must be below 2^62 steps.",
                remedy="Choose a coarser grid.",
            )
        if self.left < 1:
            raise RangeError(
                "below and above must leave at least one row.",
                remedy="Drop fewer rows than there are.",
            )

    @classmethod
    def median(cls, *, size: int, low: Number, high: Number, grid: Grid | None = None) -> Self:
        """The middle row; of an even number the lower one."""
        return cls.quantile("1/2", size=size, low=low, high=high, grid=grid)

    @classmethod
    def quantile(
        cls, level: Number, *, size: int, low: Number, high: Number, grid: Grid | None = None
    ) -> Self:
        """The first row at or below which this share of all rows lies."""
        count = whole(size, "size", at_least=1)
        rank = max(1, math.ceil(closed_unit(level, "level") * count))
        return cls(size=count, low=low, high=high, below=rank - 1, above=count - rank, grid=grid)

    @property
    def left(self) -> int:
        """How many rows the mean is taken of."""
        return self.rows.size - self.below - self.above

    @property
    def relation(self) -> Relation:
        return Relation.CHANGE

    @property
    def spacing(self) -> Fraction:
        return self.rows.grid.spacing / self.left

    @property
    def bounds(self) -> tuple[int, int]:
        return self.rows.low * self.left, self.rows.high * self.left

    def reading(self, data: Iterable[Any]) -> Reading:
        ordered = np.sort(self.rows.steps(data))
        padded = np.concatenate([[0], ordered, [self.rows.width]])
        total = int(ordered[self.below : self.rows.size - self.above].sum())
        top, bottom = self.rows.size - self.above, self.below

        def span(distance: int) -> int:
            highs = padded.take(np.arange(top, top + distance + 2), mode="clip")
            lows = padded.take(np.arange(bottom - distance, bottom + 2), mode="clip")
            return int((highs - lows).max())

        return Reading(self.bounds[0] + total, span, self.below + self.above + 1)
