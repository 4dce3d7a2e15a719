"""What a table asks of one of its columns: each value, every value up to a point, or every range of
values.  `shoal.workloads.column_hierarchy` has groups of values.

A query of a column of n values is a matrix Q with n columns; it is never written out.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Tridiagonal = tuple[Floats, Floats]
"""A symmetric matrix with three diagonals: the middle one, and the one beside it."""


def summed(table: Any, axis: int, groups: NDArray[np.int64], size: int) -> Any:
    """Sums along an axis over the cells of each group; whole numbers stay whole numbers."""
    return GroupSums(groups, size)(table, axis)


class GroupSums:
    """Sums over the cells of each group, made ready to be used often."""

    def __init__(self, groups: NDArray[np.int64], size: int) -> None:
        order = np.argsort(groups, kind="stable")
        self._order = None if np.array_equal(order, np.arange(len(groups))) else order
        self._starts = np.searchsorted(groups[order], np.arange(size))
        self._size, self._members = size, len(groups)

    def __call__(self, table: Any, axis: int) -> Any:
        """Sums along an axis; whole numbers stay whole numbers."""
        if self._size == 1:
            return np.asarray(table.sum(axis=axis, keepdims=True))
        if self._order is not None:
            table = np.take(table, self._order, axis=axis)
        if self._size == self._members:
            return table
        return np.add.reduceat(table, self._starts, axis=axis)


class ColumnQuery(ABC):
    """The rows of a matrix Q over the values of a column."""

    word: str
    is_ordered = False
    """Whether the order of the values matters."""

    def label(self, column: str) -> str:
        """How a table is called by what it asks of a column."""
        return f"{self.word}({column})" if self.word else column

    @abstractmethod
    def rows(self, size: int) -> int:
        """How many rows Q has for a column of so many values."""

    @abstractmethod
    def names(self, values: Sequence[Any]) -> list[Any]:
        """What each row counts: a value, or the first and last value of a range."""

    @abstractmethod
    def row_sums(self, size: int) -> Floats:
        """How many values each row counts: Q times the vector of ones."""

    @abstractmethod
    def gram(self, size: int) -> Floats:
        """The matrix of Q transposed times Q."""

    def gram_times(self, columns: Floats) -> Floats:
        """The gram matrix times some columns."""
        found: Floats = self.gram(len(columns)) @ columns
        return found

    def inverse_gram(self, size: int) -> Tridiagonal | None:  # noqa: ARG002 - for those that have one
        """The inverse of the gram matrix where it has three diagonals, which makes optimising
        fast.
        """
        return None

    @abstractmethod
    def apply(self, counts: Floats, axis: int) -> Floats:
        """Q times an array along an axis."""

    @abstractmethod
    def variances(self, covariance: Floats) -> Floats:
        """The variance of each row where the values' estimates have a covariance: the diagonal of Q
        C Q'.
        """


class EachValue(ColumnQuery):
    """One row for each value."""

    word = ""

    def rows(self, size: int) -> int:
        return size

    def names(self, values: Sequence[Any]) -> list[Any]:
        return list(values)

    def row_sums(self, size: int) -> Floats:
        return np.ones(size)

    def gram(self, size: int) -> Floats:
        return np.eye(size)

    def gram_times(self, columns: Floats) -> Floats:
        return columns

    def inverse_gram(self, size: int) -> Tridiagonal:
        return np.ones(size), np.zeros(size - 1)

    def apply(self, counts: Floats, axis: int) -> Floats:  # noqa: ARG002 - the identity
        return counts

    def variances(self, covariance: Floats) -> Floats:
        return np.diagonal(covariance).copy()


class EachPrefix(ColumnQuery):
    """One row for each value: how many have it or an earlier one."""

    word = "prefix"
    is_ordered = True

    def rows(self, size: int) -> int:
        return size

    def names(self, values: Sequence[Any]) -> list[Any]:
        return [(values[0], value) for value in values]

    def row_sums(self, size: int) -> Floats:
        return np.arange(1.0, size + 1)

    def gram(self, size: int) -> Floats:
        place = np.arange(size)
        return (size - np.maximum.outer(place, place)).astype(np.float64)

    def gram_times(self, columns: Floats) -> Floats:
        return np.cumsum(np.cumsum(columns, axis=0)[::-1], axis=0)[::-1]

    def inverse_gram(self, size: int) -> Tridiagonal:
        middle = np.full(size, 2.0)
        middle[0] = 1.0
        return middle, np.full(size - 1, -1.0)

    def apply(self, counts: Floats, axis: int) -> Floats:
        return np.cumsum(counts, axis=axis)

    def variances(self, covariance: Floats) -> Floats:
        return np.diagonal(covariance.cumsum(0).cumsum(1)).copy()


class EachRange(ColumnQuery):
    """One row for each range of neighbouring values, n (n + 1) / 2 of them: by their first value,
    then by their last.
    """

    word = "ranges"
    is_ordered = True

    def rows(self, size: int) -> int:
        return size * (size + 1) // 2

    def names(self, values: Sequence[Any]) -> list[Any]:
        return [(low, high) for at, low in enumerate(values) for high in values[at:]]

    def row_sums(self, size: int) -> Floats:
        low, high = np.triu_indices(size)
        return (high - low + 1).astype(np.float64)

    def gram(self, size: int) -> Floats:
        place = np.arange(1, size + 1)
        low, high = np.minimum.outer(place, place), np.maximum.outer(place, place)
        found: Floats = (low * (size + 1 - high)).astype(np.float64)
        return found

    def gram_times(self, columns: Floats) -> Floats:
        size = len(columns)
        place = np.arange(1.0, size + 1)[:, None]
        before = np.cumsum(place * columns, axis=0)
        after = np.cumsum(((size + 1 - place) * columns)[::-1], axis=0)[::-1]
        found: Floats = (size + 1 - place) * before
        found[:-1] += place[:-1] * after[1:]
        return found

    def inverse_gram(self, size: int) -> Tridiagonal:
        return np.full(size, 2.0) / (size + 1), np.full(size - 1, -1.0) / (size + 1)

    def apply(self, counts: Floats, axis: int) -> Floats:
        moved = np.moveaxis(counts, axis, 0)
        before: Floats = np.concatenate([np.zeros((1, *moved.shape[1:])), np.cumsum(moved, axis=0)])
        low, high = np.triu_indices(moved.shape[0])
        found: Floats = before[high + 1] - before[low]
        return np.moveaxis(found, 0, axis)

    def variances(self, covariance: Floats) -> Floats:
        size = len(covariance)
        sums = np.zeros((size + 1, size + 1))
        sums[1:, 1:] = covariance.cumsum(0).cumsum(1)
        low, high = np.triu_indices(size)
        own = np.diagonal(sums)
        found: Floats = own[high + 1] + own[low] - 2 * sums[low, high + 1]
        return found


EACH_VALUE, EACH_PREFIX, EACH_RANGE = EachValue(), EachPrefix(), EachRange()
