"""Density of a few columns together: one noisy count in each cell of a public grid, and cells as
wide as the rows and the noise ask for.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from sklearn.base import DensityMixin

from shoal.errors import FactsError
from shoal.exact import whole
from shoal.learning.estimator import PrivateEstimator
from shoal.learning.exact_sums import Floats, Integers
from shoal.learning.feature_columns import FeatureColumn
from shoal.learning.row_designs import Arrays, BinnedDesign
from shoal.learning.training_plan import NoisySums, PlannedSum

_MOST_CELLS = 1 << 16
_MOST_BINS = 256


@dataclass(kw_only=True, eq=False, repr=False)
class HistogramDensity(DensityMixin, PrivateEstimator):  # type: ignore[misc]
    """The share of rows in each cell of a grid over all columns, numbers and categories.

    Numbers have ``bins`` equal bins over their declared range, a power of two; by default 256, and
    fewer if there would be more than 65,536 cells.  Neighbouring bins are joined, two and two, as
    long as released counts say that wider ones are closer to the truth.

    Guarantee: one release of counts at the stated price, which may be an epsilon without a delta.
    Needs: ``columns`` are public facts.
    Edges: missing numbers count as the middle of the range, or have a bin of their own in a column
        that is ``nullable``; values beyond a range count as its end.  No density is 0: half a row
        is added to each cell.
    Proof: training.md, *Histograms*.
    """

    takes_pure_budgets = True
    _target_needed = False

    bins: int | None = None

    def _sums(self, columns: tuple[FeatureColumn, ...]) -> list[PlannedSum]:
        size = math.prod(_widths(columns, _bins(columns, self.bins)))
        return [PlannedSum("cells", size, 1, Fraction(1), 1)]

    def _train(self, columns: tuple[FeatureColumn, ...], arrays: Arrays, sums: NoisySums) -> None:
        bins = _bins(columns, self.bins)
        widths = _widths(columns, bins)
        cells = _cells(columns, arrays, bins)
        counts = np.bincount(cells, minlength=math.prod(widths)).astype(np.int64)
        noisy, sigma = sums.release("cells", counts)
        self.bins_, kept = _joined(noisy.reshape(widths), columns, bins, sigma)
        held = _not_negative(kept.reshape(-1)) + 0.5
        self.shares_ = (held / held.sum()).reshape(kept.shape)
        self.edges_ = tuple(_edges(each, self.bins_) for each in columns if each.ordered)

    def score_samples(self, X: Any) -> Floats:  # noqa: N803 - scikit-learn's name
        """The logarithm of the density at each row, in the units of the columns.

        A category, and a missing number that has a bin of its own, count with their share.
        """
        columns = self._columns()
        cells = _cells(columns, self._arrays(X), self.bins_)
        wide = _log_volumes(columns, self.bins_).reshape(-1)
        return np.asarray(np.log(self.shares_.reshape(-1)[cells]) - wide[cells])

    def score(self, X: Any, y: Any = None) -> float:  # noqa: N803, ARG002
        """The mean of `score_samples`."""
        return float(self.score_samples(X).mean())


def _bins(columns: tuple[FeatureColumn, ...], stated: int | None) -> int:
    """How many bins each number has: as stated, or as many as keep the grid small enough."""
    if stated is not None:
        found = whole(stated, "bins", at_least=1)
        if found & (found - 1):
            raise FactsError(
                f"{found} bins cannot be joined two and two.",
                remedy="Give a power of two: bins=64.",
            )
    else:
        found = _MOST_BINS
        while found > 1 and math.prod(_widths(columns, found)) > _MOST_CELLS:
            found //= 2
    size = math.prod(_widths(columns, found))
    if size > _MOST_CELLS:
        raise FactsError(
            f"a grid of {size:,} cells is too fine; at most {_MOST_CELLS:,} can be counted.",
            remedy="Take fewer columns, or fewer bins.",
        )
    return found


def _widths(columns: tuple[FeatureColumn, ...], bins: int) -> tuple[int, ...]:
    """The number of cells along each column."""
    return tuple(bins + each.nullable if each.ordered else len(each.levels) + 1 for each in columns)


def _cells(columns: tuple[FeatureColumn, ...], arrays: Arrays, bins: int) -> Integers:
    """The cell of each row."""
    lines, at = BinnedDesign(columns, bins).codes(arrays), 0
    found = np.zeros(lines.shape[1], dtype=np.int64)
    for line, width in zip(lines, _widths(columns, bins), strict=True):
        found = found * width + (line - at)
        at += width
    return found


def _joined(
    counts: Floats, columns: tuple[FeatureColumn, ...], bins: int, sigma: float
) -> tuple[int, Floats]:
    """The number of bins that is likely closest to the true density, and counts of its cells.

    The mean squared error is estimated, up to a constant, by sum of (2 c + 2 s^2 - c^2) / volume,
    where c is a noisy count and s^2 the variance of its noise: c^2 - s^2 - c is c (c - 1) of the
    true count on average.
    """
    noises = np.full(counts.shape, sigma**2)
    best, found = math.inf, (bins, counts)
    while True:
        volumes = np.exp(_log_volumes(columns, bins, scaled=True))
        error = float(((2 * counts + 2 * noises - counts**2) / volumes).sum())
        if error <= best:
            best, found = error, (bins, counts)
        if bins == 1 or not any(each.ordered for each in columns):
            return found
        for axis, column in enumerate(columns):
            if column.ordered:
                counts, noises = (_halved(each, axis, bins) for each in (counts, noises))
        bins //= 2


def _halved(table: Floats, axis: int, bins: int) -> Floats:
    """Bins joined two and two along one axis; a bin for missing numbers stays by itself."""
    moved = np.moveaxis(table, axis, 0)
    joined = moved[:bins:2] + moved[1:bins:2]
    return np.asarray(np.moveaxis(np.concatenate([joined, moved[bins:]]), 0, axis))


def _log_volumes(columns: tuple[FeatureColumn, ...], bins: int, *, scaled: bool = False) -> Floats:
    """The logarithm of the volume of each cell: widths of bins, and 1 for levels and missing numbers.

    If ``scaled`` every range has a width of 1.
    """
    widths = _widths(columns, bins)
    found = np.zeros(widths)
    for axis, column in enumerate(columns):
        if column.ordered:
            line = np.zeros(widths[axis])
            wide = 1.0 if scaled else 2 * float(column.half)
            line[:bins] = math.log(wide / bins) if wide > 0 else 0.0
            found += line.reshape([-1 if at == axis else 1 for at in range(len(columns))])
    return found


def _not_negative(counts: Floats) -> Floats:
    """The nearest counts that have the same sum and are not negative."""
    total = max(float(counts.sum()), 0.0)
    falling = -np.sort(-counts)
    excess = (np.cumsum(falling) - total) / np.arange(1, len(counts) + 1)
    last = max(int((falling > excess).sum()), 1)
    return np.asarray(np.maximum(counts - excess[last - 1], 0))


def _edges(column: FeatureColumn, bins: int) -> Floats:
    """The ends of a column's bins."""
    return np.linspace(float(column.low or 0), float(column.high or 0), bins + 1)
