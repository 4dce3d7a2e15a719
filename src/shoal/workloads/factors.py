"""Whole-number matrices over the values of one column: what is measured of it.

A measurement is the Kronecker product of one factor for each of its columns, applied to a table of
counts one column at a time.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import suppress
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InternalError
from shoal.exact import IntegerArray
from shoal.workloads.column_queries import Floats

_FITS = 1 << 62
_NULL = 1e-10
"""Eigenvalues below this share of the largest belong to directions that are not measured."""


class Factor(ABC):
    """A matrix of whole numbers, with one column for each value of a column of the data."""

    size: int

    @property
    @abstractmethod
    def rows(self) -> int:
        """How many numbers it makes of the counts of a column."""

    @property
    @abstractmethod
    def longest(self) -> int:
        """The largest squared length of one of its columns."""

    @property
    @abstractmethod
    def widest(self) -> int:
        """The largest sum of sizes of one of its columns."""

    @property
    @abstractmethod
    def least_product(self) -> int:
        """The least inner product of two of its columns, each with itself among them."""

    @property
    @abstractmethod
    def growth(self) -> int:
        """No number it makes is larger than this times the sum of the sizes of what it is applied
        to.
        """

    @property
    @abstractmethod
    def identity(self) -> bytes:
        """What tells this matrix from all others."""

    @abstractmethod
    def apply(self, counts: IntegerArray, axis: int) -> IntegerArray:
        """The matrix times an array of whole numbers along an axis, exactly, where nothing
        overflows.
        """

    @abstractmethod
    def described(self) -> object:
        """The matrix for a reader of the measurements: in words, or as a list of its rows."""

    @abstractmethod
    def in_floats(self) -> Floats:
        """The matrix itself, in floats."""

    @abstractmethod
    def undo(self, answers: Floats, axis: int) -> Floats:
        """The pseudo-inverse along an axis: least squares."""

    @abstractmethod
    def covariance(self) -> Floats:
        """The covariance of what `undo` gives for answers with independent noise of variance 1."""


class Centred(Factor):
    """n I - J: each count times n, less the sum of all n counts.

    It is n times the projection on what the total does not tell.  Its columns have squared length n
    (n - 1), and two different ones the inner product -n.
    """

    def __init__(self, size: int) -> None:
        self.size = size

    @property
    def rows(self) -> int:
        return self.size

    @property
    def longest(self) -> int:
        return self.size * (self.size - 1)

    @property
    def widest(self) -> int:
        return 2 * (self.size - 1)

    @property
    def least_product(self) -> int:
        return -self.size if self.size > 1 else 0

    @property
    def growth(self) -> int:
        return self.size

    @property
    def identity(self) -> bytes:
        return f"centred {self.size}".encode()

    def apply(self, counts: IntegerArray, axis: int) -> IntegerArray:
        found: IntegerArray = self.size * counts - counts.sum(axis=axis, keepdims=True)
        return found

    def described(self) -> object:
        return f"{self.size} times the identity, less a matrix of ones"

    def in_floats(self) -> Floats:
        return self.size * np.eye(self.size) - 1

    def undo(self, answers: Floats, axis: int) -> Floats:
        found: Floats = (answers - answers.mean(axis=axis, keepdims=True)) / self.size
        return found

    def covariance(self) -> Floats:
        return (np.eye(self.size) - 1 / self.size) / self.size**2


class IntegerMatrix(Factor):
    """Any matrix of whole numbers below 2^31 in size."""

    def __init__(self, matrix: NDArray[np.int64]) -> None:
        if matrix.dtype != np.int64 or matrix.ndim != 2 or int(abs(matrix).max()) >= 1 << 31:
            raise InternalError(
                "a factor must be a matrix of 64-bit integers below 2^31.",
                remedy="Please report it with the workload.",
            )
        self.matrix = matrix
        self.size = matrix.shape[1]

    @property
    def rows(self) -> int:
        return len(self.matrix)

    @cached_property
    def longest(self) -> int:
        held = self.matrix if self._is_small else self.matrix.astype(object)
        return int((held * held).sum(axis=0).max())

    @cached_property
    def widest(self) -> int:
        return int(abs(self.matrix.astype(object)).sum(axis=0).max())

    @cached_property
    def least_product(self) -> int:
        return int(self._gram.min())

    @property
    def _is_small(self) -> bool:
        """Whether no inner product of two columns can leave 64 bits."""
        return int(abs(self.matrix).max()) ** 2 * self.rows < _FITS

    @cached_property
    def _gram(self) -> IntegerArray:
        """The matrix transposed times itself, exactly.

        Entries are cut into words of 16 bits.  Products of words sum to below 2^32 times the number
        of rows, which is below 2^53, so floats add them without rounding, and fast.
        """
        if self.rows >= 1 << 20:
            held = self.matrix.astype(object)
            return np.asarray(held.T @ held)
        high = (self.matrix >> 16).astype(np.float64)
        low = (self.matrix & 0xFFFF).astype(np.float64)
        kind = np.int64 if self._is_small else object
        top, mixed, bottom = (
            product.astype(np.int64).astype(kind)
            for product in (high.T @ high, high.T @ low, low.T @ low)
        )
        return np.asarray((top << 32) + ((mixed + mixed.T) << 16) + bottom)

    @property
    def growth(self) -> int:
        return int(abs(self.matrix).max())

    @property
    def identity(self) -> bytes:
        return f"matrix {self.matrix.shape} ".encode() + self.matrix.astype("<i8").tobytes()

    def apply(self, counts: IntegerArray, axis: int) -> IntegerArray:
        matrix = self.matrix if counts.dtype == np.int64 else self.matrix.astype(object)
        found: Any = np.tensordot(matrix, cast("Any", counts), axes=(1, axis))
        moved: IntegerArray = np.moveaxis(found, 0, axis)
        return moved

    def described(self) -> object:
        return self.matrix.tolist()

    def in_floats(self) -> Floats:
        return self.matrix.astype(np.float64)

    @cached_property
    def _covariance(self) -> Floats:
        gram = self._gram.astype(np.float64)
        with suppress(np.linalg.LinAlgError):  # far less work, where nothing is near to singular
            inverse = np.asarray(np.linalg.inv(gram), dtype=np.float64)
            if (
                0 < np.trace(inverse) * np.trace(gram) < 1 / _NULL
                and (inverse.diagonal() > 0).all()
            ):
                return (inverse + inverse.T) / 2
        return np.asarray(np.linalg.pinv(gram, rcond=_NULL, hermitian=True), dtype=np.float64)

    @cached_property
    def _inverse(self) -> Floats:
        found: Floats = self._covariance @ self.matrix.T
        return found

    def undo(self, answers: Floats, axis: int) -> Floats:
        return np.moveaxis(np.tensordot(self._inverse, answers, axes=(1, axis)), 0, axis)

    def covariance(self) -> Floats:
        return self._covariance
