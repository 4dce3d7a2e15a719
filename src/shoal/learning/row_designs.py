"""Rows as whole numbers that models add up: a matrix of features, or the bin of each feature."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.errors import UnknownNameError
from shoal.learning.exact_sums import Floats, Integers, products, scores, sums_by_code
from shoal.learning.feature_columns import STEPS, FeatureColumn

Arrays = Mapping[str, NDArray[Any]]


class CoefficientBlock(NamedTuple):
    """The coefficients of one column, from ``start`` to ``stop``.

    ``ordered`` says that neighbouring coefficients are neighbouring values of a number; ``linear``
    that there is one, the slope of a number.  Coefficients of two columns together are a ``grid``:
    the number of lines and whether they are ordered, and the same of its columns.
    """

    name: str
    start: int
    stop: int
    ordered: bool
    linear: bool
    grid: tuple[tuple[int, bool], tuple[int, bool]] | None = None


@dataclass(frozen=True)
class LinearDesign:
    """A matrix of whole numbers: one column for each number, one for each level, and an intercept.

    With ``reference`` the first level of each column has no column of its own, so that no column is
    a sum of others.

    Guarantee: the squares of a row add up to at most `squared`, whatever its values are.
    Proof: training.md, *Rows*.
    """

    columns: tuple[FeatureColumn, ...]
    reference: bool = False

    @cached_property
    def blocks(self) -> tuple[CoefficientBlock, ...]:
        made, at = [], 0
        for column in self.columns:
            if column.ordered:
                made.append(CoefficientBlock(column.name, at, at + 1, ordered=False, linear=True))
                at += 1
                if column.nullable:
                    made.append(
                        CoefficientBlock(column.name, at, at + 1, ordered=False, linear=False)
                    )
                    at += 1
            else:
                size = len(column.levels) + 1 - self.reference
                made.append(
                    CoefficientBlock(column.name, at, at + size, ordered=False, linear=False)
                )
                at += size
        return tuple(made)

    @property
    def size(self) -> int:
        """The number of coefficients, the intercept last."""
        return (self.blocks[-1].stop if self.blocks else 0) + 1

    @property
    def squared(self) -> int:
        """The most that the squares of one row add up to: one step square per column, and one."""
        return (len(self.columns) + 1) * STEPS * STEPS

    @property
    def names(self) -> list[str]:
        """What each coefficient belongs to, without the intercept."""
        found = []
        for column in self.columns:
            if column.ordered:
                found += [column.name, *([f"{column.name} missing"] if column.nullable else [])]
            else:
                levels = [*map(str, column.levels), "(other)"][int(self.reference) :]
                found += [f"{column.name}={level}" for level in levels]
        return found

    def matrix(self, arrays: Arrays, keep: NDArray[np.bool_] | None = None) -> Floats:
        """The rows; where ``keep`` is false a row is all zeros and adds nothing to any sum."""
        rows = _length(arrays, self.columns)
        made = np.zeros((rows, self.size), order="F")
        at = 0
        for column in self.columns:
            values = arrays[column.name]
            if column.ordered:
                steps, missing = column.steps(values)
                made[:, at] = steps
                at += 1
                if column.nullable:
                    made[:, at] = missing * STEPS
                    at += 1
            else:
                codes = column.codes(values) - self.reference
                known = codes >= 0
                made[np.flatnonzero(known), at + codes[known]] = STEPS
                at += len(column.levels) + 1 - self.reference
        made[:, at] = STEPS
        if keep is not None:
            made[~keep] = 0
        return made


@dataclass(frozen=True)
class BinnedDesign:
    """The number of each feature's bin or level: a row adds 1 in one cell of every column.

    A number has ``bins`` equal bins over its declared range, and one more where it is missing.
    """

    columns: tuple[FeatureColumn, ...]
    bins: int = 32

    @cached_property
    def blocks(self) -> tuple[CoefficientBlock, ...]:
        made, at = [], 0
        for column in self.columns:
            if column.ordered:
                made.append(
                    CoefficientBlock(column.name, at, at + self.bins, ordered=True, linear=False)
                )
                at += self.bins
                if column.nullable:
                    made.append(
                        CoefficientBlock(column.name, at, at + 1, ordered=False, linear=False)
                    )
                    at += 1
            else:
                size = len(column.levels) + 1
                made.append(
                    CoefficientBlock(column.name, at, at + size, ordered=False, linear=False)
                )
                at += size
        return tuple(made)

    @property
    def size(self) -> int:
        return (self.blocks[-1].stop if self.blocks else 0) + 1

    def codes(self, arrays: Arrays) -> Integers:
        """The cell of each row in every column: one line of numbers per column."""
        rows = _length(arrays, self.columns)
        found, at = np.empty((len(self.columns), rows), dtype=np.int64), 0
        for line, column in enumerate(self.columns):
            if column.ordered:
                cells = column.bins(arrays[column.name], self.bins)
                if not column.nullable:  # a missing number stands in the middle
                    cells = np.where(cells == self.bins, self.bins // 2, cells)
                width = self.bins + column.nullable
            else:
                cells, width = column.codes(arrays[column.name]), len(column.levels) + 1
            found[line] = cells + at
            at += width
        return found


class LinearRows:
    """Rows of a `LinearDesign`, read only through sums."""

    def __init__(self, design: LinearDesign, arrays: Arrays, keep: NDArray[np.bool_]) -> None:
        self.design = design
        self.matrix = design.matrix(arrays, keep)

    def scores(self, weights: Floats, bits: int) -> Integers:
        """Each row's score in units of 2^-20: whole weights of 2^-bits times the row."""
        exact = scores(self.matrix, weights, STEPS)
        return np.floor(exact * 2.0 ** (20 - bits - 14)).astype(np.int64)

    def gradient(self, residuals: Integers, most: int) -> Integers:
        """The sum of rows, each times its residual."""
        column = residuals.astype(np.float64)[:, None]
        return products(self.matrix, column, STEPS, most)[:, 0]


class BinnedRows:
    """Rows of a `BinnedDesign`, read only through sums."""

    def __init__(self, design: BinnedDesign, arrays: Arrays, keep: NDArray[np.bool_]) -> None:
        self.keep, self.size = keep, design.size
        self.codes = design.codes(arrays)

    def beside(self, lines: Integers, size: int) -> BinnedRows:
        """These rows with more columns of cells: ``lines`` are their numbers, counted from 0, and
        the intercept comes after all of them.
        """
        found = copy(self)
        found.size = self.size + size
        found.codes = np.vstack([self.codes, lines + (self.size - 1)])
        return found

    def scores(self, weights: Floats, bits: int) -> Integers:
        """Each row's score in units of 2^-20: its cells' whole weights of 2^-bits, added."""
        whole = weights.astype(np.int64)
        total = np.full(self.codes.shape[1], whole[-1])
        for line in self.codes:
            total += whole[line]
        return np.floor(total * 2.0 ** (20 - bits)).astype(np.int64)

    def gradient(self, residuals: Integers, most: int) -> Integers:
        """The sum of residuals in every cell, and of all."""
        held = np.where(self.keep, residuals, 0)
        found = np.zeros(self.size, dtype=np.int64)
        for line in self.codes:
            found += sums_by_code(line, self.size, held, most)
        found[-1] = held.sum()
        return found


def _length(arrays: Arrays, columns: Sequence[FeatureColumn]) -> int:
    """How many rows there are; a column that is not there is named."""
    for column in columns:
        if column.name not in arrays:
            raise UnknownNameError(
                f"there is no column {column.name!r}.",
                remedy=f"The model needs the columns {', '.join(c.name for c in columns)}.",
            )
    return len(arrays[columns[0].name]) if columns else 0


def numbers_of(columns: Sequence[FeatureColumn], arrays: Arrays) -> Floats:
    """Columns of numbers as whole steps from -`STEPS` to `STEPS`; missing ones are 0, the middle."""
    made = np.zeros((_length(arrays, columns), len(columns)))
    for at, column in enumerate(columns):
        made[:, at] = column.steps(arrays[column.name])[0]
    return made
