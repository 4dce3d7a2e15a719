"""A matrix of whole numbers for an ordered column of very many values, never written out."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InternalError
from shoal.exact import IntegerArray
from shoal.workloads.column_queries import Floats
from shoal.workloads.factors import Factor
from shoal.workloads.reflection import Reflection

KERNEL_FINENESS = 1 << 20
"""A kernel is rounded to whole multiples of one part in so many of its largest entry."""

SCALE_FINENESS = 1 << 12
"""The columns of a matrix are made equally long by whole numbers of about this size."""


class ReflectedFactor(Factor):
    """G D: the matrix G of a kernel of whole numbers, its columns multiplied by whole numbers D.

    Guarantee: ``longest`` is the largest squared length of a column, exactly.  No entry is
        negative, so no inner product of two columns is.
    Needs: a kernel over one period that is symmetric and does not grow from its first entry to the
        middle of the period; where the sign changes, not below 0 there.
    Proof: workloads.md, *Many values*.
    """

    def __init__(self, reflection: Reflection, kernel: NDArray[np.int64]) -> None:
        self.reflection, self.size = reflection, reflection.size
        half = kernel[: reflection.length // 2 + 1]
        mirrored = reflection.sign * kernel[: reflection.length // 2 : -1]
        is_symmetric = np.array_equal(mirrored, kernel[1 : 1 + len(mirrored)])
        falls = bool((np.diff(half) <= 0).all()) and int(half[-1]) >= 0
        if kernel.dtype != np.int64 or not (is_symmetric and falls) or int(half[0]) >= 1 << 31:
            raise InternalError(
                "a kernel must be symmetric and fall towards the middle of its period.",
                remedy="Please report it with the workload.",
            )
        self.kernel = kernel
        longest = max(self._squares)
        self.scales = np.array(
            [round(SCALE_FINENESS * (longest / own) ** 0.5) for own in self._squares],
            dtype=np.int64,
        )

    @classmethod
    def rounded(cls, reflection: Reflection, symbol: Floats) -> ReflectedFactor:
        """The matrix that multiplies each wave by about its entry of ``symbol``, times a number."""
        found = reflection.kernel(symbol)[: reflection.length // 2 + 1]
        if reflection.sign > 0:
            found = found - found[-1]  # a constant changes no entry of the matrix
        half = np.minimum.accumulate(np.rint(found * (KERNEL_FINENESS / found[0])))
        whole = np.maximum(half, 0).astype(np.int64)
        back = whole[1 : reflection.length - len(whole) + 1][::-1]
        return cls(reflection, np.concatenate([whole, reflection.sign * back]))

    @cached_property
    def _squares(self) -> list[int]:
        """The squared length of each column of G."""
        square = self.reflection.square(self.kernel.tolist())
        mirrored = square[1 + self.reflection.first :: 2][: self.size]
        return [square[0] - self.reflection.sign * own for own in mirrored]

    @property
    def rows(self) -> int:
        return self.size

    @cached_property
    def longest(self) -> int:
        pairs = zip(self.scales, self._squares, strict=True)
        return max(int(scale) * int(scale) * square for scale, square in pairs)

    @cached_property
    def widest(self) -> int:
        sums = self.reflection.product(self.kernel.tolist(), np.ones(self.size, dtype=np.int64))
        return max(int(scale) * own for scale, own in zip(self.scales, sums, strict=True))

    @property
    def least_product(self) -> int:
        """A lower bound of the inner products: no entry is negative."""
        return 0

    @property
    def growth(self) -> int:
        return 2 * int(self.kernel[0]) * int(self.scales.max())

    @property
    def identity(self) -> bytes:
        numbers = self.kernel.astype("<i8").tobytes() + self.scales.astype("<i8").tobytes()
        return f"reflected {self.reflection} ".encode() + numbers

    def apply(self, counts: IntegerArray, axis: int) -> IntegerArray:
        kernel = self.kernel.tolist()
        moved = np.moveaxis(counts.astype(object), axis, -1) * self.scales.astype(object)
        lines = moved.reshape(-1, self.size)
        found = np.empty(lines.shape, dtype=object)
        for at, line in enumerate(lines):
            found[at] = self.reflection.product(kernel, line)
        whole: IntegerArray = np.moveaxis(found.reshape(moved.shape), -1, axis)
        return whole

    def described(self) -> object:
        return {
            "kernel": self.kernel[: self.reflection.length // 2 + 1].tolist(),
            "scales": self.scales.tolist(),
            "meaning": "entry (i, j), from 0, is scales[j] times "
            f"(k(|i - j|) {'-' if self.reflection.sign > 0 else '+'} "
            f"k(i + j + {1 + self.reflection.first})), where k is the kernel and "
            f"k({self.reflection.length} - m) is {'' if self.reflection.sign > 0 else '-'}k(m)",
        }

    @cached_property
    def symbol(self) -> Floats:
        """By what G multiplies each wave."""
        return self.reflection.symbol(self.kernel.astype(np.float64))

    @property
    def _shrink(self) -> Floats:
        found: Floats = 1 / self.scales.astype(np.float64)
        return found

    def in_floats(self) -> Floats:
        place = np.arange(self.size)
        beside = self.kernel[np.abs(np.subtract.outer(place, place))]
        across = self.kernel[np.add.outer(place, place) + 1 + self.reflection.first]
        found: Floats = (beside - self.reflection.sign * across) * self.scales.astype(np.float64)
        return found

    def undo(self, answers: Floats, axis: int) -> Floats:
        def one(line: Floats) -> Floats:
            waves = self.reflection.coefficients(line) / self.symbol
            return self.reflection.values(waves) * self._shrink

        found: Floats = np.apply_along_axis(one, axis, answers)
        return found

    def covariance(self) -> Floats:
        inverse = np.linalg.inv(self.in_floats())
        found: Floats = inverse @ inverse.T
        return found
