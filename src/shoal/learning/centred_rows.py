"""Rows less their released means, clipped to about the length that most of them have.

Levels that most rows share, and numbers that most rows have about alike, hardly lengthen a centred
row; so a gradient of centred rows needs less noise than one of rows as they are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from shoal.learning.exact_sums import (
    Floats,
    Integers,
    clip_factors,
    clipped,
    products,
    scores,
    sums_by_code,
)
from shoal.learning.feature_columns import STEPS
from shoal.learning.row_designs import BinnedRows, CoefficientBlock, LinearRows
from shoal.learning.whitened_rounds import LENGTH

LONGEST = 1.2
"""How long a row can be before it is clipped: its square, beside the mean square of all rows."""


class CentredLinearRows:
    """Rows of numbers and levels less their released means, read only through sums.

    Guarantee: a row adds a vector of length at most `LENGTH` times its residual to a gradient.
    Proof: training.md, *Centred rows*.
    """

    def __init__(self, rows: LinearRows, means: Floats, length: float) -> None:
        centre = np.rint(np.clip(means, -1, 1) * STEPS)
        centre[-1] = 0
        self.centre = centre / STEPS
        kept = rows.matrix[:, -1:] > 0
        self._matrix = np.where(kept, rows.matrix - centre, 0.0)
        held = max(length, 1.0)
        self._short, _ = clipped(np.floor(self._matrix * (LENGTH / (held * STEPS))), LENGTH)
        self.unit = held / LENGTH

    def scores(self, weights: Floats, bits: int) -> Integers:
        """Each row's score in units of 2^-20: whole weights of 2^-bits times the centred row."""
        exact = scores(self._matrix, weights, 2 * STEPS)
        return np.floor(exact * 2.0 ** (20 - bits - 14)).astype(np.int64)

    def gradient(self, residuals: Integers, most: int) -> Integers:
        """The sum of short rows, each times its residual."""
        column = residuals.astype(np.float64)[:, None]
        return products(self._short, column, LENGTH, most)[:, 0]


class CentredBinnedRows:
    """Rows as one cell per column, less the released share of each cell; read only through sums.

    A row is S in its own cells, less P in all cells, where P is about S times the cell's share, and
    S for the intercept: all whole numbers, so that sums follow from sums by cell.

    Guarantee: a row adds a vector of length at most `LENGTH` times its residual to a gradient.
    Proof: training.md, *Centred rows*.
    """

    def __init__(
        self, rows: BinnedRows, shares: Floats, spans: Sequence[tuple[int, int]], length: float
    ) -> None:
        self._rows, self._spans = rows, spans
        self._one = int(LENGTH / max(length, 1.0))
        self._parts = np.rint(np.clip(shares, 0, 1) * self._one).astype(np.int64)
        self._parts[-1] = 0
        self.centre = self._parts / self._one
        self.unit = 1.0 / self._one
        squares = np.full(rows.codes.shape[1], self._one**2, dtype=np.int64)
        for line, (start, stop) in zip(rows.codes, spans, strict=True):
            others = int((self._parts[start:stop] ** 2).sum())
            squares += self._one**2 - 2 * self._one * self._parts[line] + others
        self._factors = clip_factors(squares, LENGTH)

    def scores(self, weights: Floats, bits: int) -> Integers:
        """Each row's score in units of 2^-20."""
        moved = weights.copy()
        moved[-1] -= np.rint(float(weights @ self.centre))
        return self._rows.scores(moved, bits)

    def gradient(self, residuals: Integers, most: int) -> Integers:
        """The sum of centred rows, each times its residual and its weight."""
        kept = np.where(self._rows.keep, residuals * self._factors, 0)
        held = np.trunc(kept * 2.0**-15).astype(np.int64)
        total = int(held.sum())
        found = -self._parts * total
        for line in self._rows.codes:
            found += self._one * sums_by_code(line, len(found), held, most)
        found[-1] = self._one * total
        return found


def centred_moments(
    shares: Floats, variances: Floats, spans: Sequence[tuple[int, int]], rows: float
) -> Floats:
    """The sum of x x' of centred rows if columns were independent: cells of one column exclude each
    other; ``variances`` holds that of each number and NaN for cells.
    """
    made = np.zeros((len(shares), len(shares)))
    for start, stop in spans:
        part = shares[start:stop]
        inner = np.diag(part) - np.outer(part, part)
        if stop - start == 1 and not math.isnan(variances[start]):
            inner = np.array([[variances[start]]])
        made[start:stop, start:stop] = inner
    made[-1, -1] = 1.0
    values, vectors = np.linalg.eigh(made)
    return np.asarray((vectors * np.maximum(values, 1e-4)) @ vectors.T * rows)


def typical_length(moments: Floats, rows: float) -> float:
    """How long a centred row is before it is clipped, in steps of 1, from released moments."""
    return math.sqrt(LONGEST * float(np.trace(moments)) / rows)


def block_spans(blocks: Sequence[CoefficientBlock]) -> list[tuple[int, int]]:
    return [(each.start, each.stop) for each in blocks]
