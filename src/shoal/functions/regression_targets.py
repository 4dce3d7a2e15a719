"""Regression curves as plain functions of data, for the sampler and `privatize`: nothing here is
private by itself.

Data are rows (x, y), x in [0, 1].  Each curve gives, for many datasets at once, how far it moves
between the two neighbours of a pair, from what is near the rows that differ.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.functions.operator import Reals

Curve = Callable[[Reals], Reals]
_CELLS = 1 << 10
_LITTLE = 1e-3


@dataclass(frozen=True)
class SpacedCurve:
    """Priestley and Chao's estimate with the spacings of the data, and a normalised Gaussian
    kernel.

    The sum over rows sorted by x, from the second on, of (x_i - x_(i-1)) K(t - x_i) y_i.  Its
    global sensitivity does not fall with the number of rows (kernel_sums.md), so that only a
    sampled one is useful.
    """

    bandwidth: float

    def __call__(self, data: NDArray[np.float64]) -> Curve:
        rows = data[np.argsort(data[:, 0], kind="stable")]
        x, weights = rows[1:, 0], np.diff(rows[:, 0]) * rows[1:, 1]
        return lambda points: self._kernel(np.asarray(points)[:, None] - x) @ weights

    def changes(self, batch: NDArray[np.float64], points: Reals) -> Reals:
        """How far the values at the points move: what the first of the last two rows adds, less
        what the second does.

        A row at x between a and b takes (x - a) of the spacing of b, and gives it to itself.
        """
        shared, ends = batch[:, :-2], batch[:, -2:]
        one, other = (self._added(shared, ends[:, at], points) for at in (0, 1))
        return one - other

    def _added(self, shared: Reals, row: Reals, points: Reals) -> Reals:
        x, y = row[:, :1], row[:, 1:]
        own, pairs = shared[:, :, 0], np.arange(len(shared))
        below = np.where(own <= x, own, -np.inf).max(axis=1, initial=-np.inf)[:, None]
        later = np.where(own > x, own, np.inf)
        at = later.argmin(axis=1)
        above, value = later[pairs, at][:, None], shared[pairs, at, 1][:, None]
        inner = np.isfinite(below)
        spacing = np.where(inner, x - below, 0.0)
        moved = spacing * y * self._kernel(points - x)
        known = np.isfinite(above)
        taken = np.where(inner, x - below, x - np.where(known, above, 0.0))
        lost = np.where(
            known, taken * value * self._kernel(points - np.where(known, above, 0.0)), 0.0
        )
        return np.asarray(moved - lost)

    def _kernel(self, far: Reals) -> Reals:
        scale = 1 / (self.bandwidth * math.sqrt(2 * math.pi))
        return np.asarray(scale * np.exp(-((far / self.bandwidth) ** 2) / 2))


@dataclass(frozen=True)
class LocalMean:
    """Nadaraya and Watson's estimate with a Gaussian kernel: the mean of y weighted by closeness of
    x.

    x is taken at the middle of one of 1024 cells, so that many datasets are summed up by cell.  A
    little weight at y = 0 stands for no rows at all.
    """

    bandwidth: float

    def __call__(self, data: NDArray[np.float64]) -> Curve:
        return lambda points: self._values(self._sums(data[None]), np.asarray(points))[0]

    def changes(self, batch: NDArray[np.float64], points: Reals) -> Reals:
        """How far the values at the points move between the two datasets of each pair."""
        table = self._table(points)
        base = self._sums(batch[:, :-2]) @ table
        found = []
        for at in (-2, -1):
            cells, y = self._cells(batch[:, at, 0]), batch[:, at, 1]
            more = table[cells]
            found.append(_mean(base + np.stack([more, more * y[:, None]])))
        return found[0] - found[1]

    def _values(self, sums: Reals, points: Reals) -> Reals:
        return _mean(sums @ self._table(points))

    def _sums(self, batch: Reals) -> Reals:
        """How many rows each cell has, and the sum of their y: two arrays with a line for each
        dataset.
        """
        pairs = len(batch)
        at = (self._cells(batch[:, :, 0]) + _CELLS * np.arange(pairs)[:, None]).reshape(-1)
        size = pairs * _CELLS
        counts = np.bincount(at, minlength=size).astype(np.float64)
        totals = np.bincount(at, weights=batch[:, :, 1].reshape(-1), minlength=size)
        return np.stack([counts, totals]).reshape(2, pairs, _CELLS)

    def _cells(self, x: Reals) -> NDArray[np.int64]:
        return np.clip((x * _CELLS).astype(np.int64), 0, _CELLS - 1)

    def _table(self, points: Reals) -> Reals:
        centres = (np.arange(_CELLS) + 0.5) / _CELLS
        return np.asarray(np.exp(-(((centres[:, None] - points) / self.bandwidth) ** 2) / 2))


def _mean(sums: Reals) -> Reals:
    return np.asarray(sums[1] / (sums[0] + _LITTLE))
