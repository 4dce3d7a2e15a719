"""Rows of a public number, clamped to a public range and rounded to a public grid: exact integers
from here on.

Clamping and rounding are done to each row by itself, so neighbours stay neighbours.  Every row has
a place: a number beyond an end, an infinity too, counts as that end, and what is no number (NaN,
None, a text) counts as the low end.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from shoal.errors import RangeError, ShapeError
from shoal.exact import Grid, Number, exponent_of, rational, short, whole
from shoal.mechanisms.total_functions import each_row, number_of
from shoal.mechanisms.values import plain, read_grid

FINE = 30
"""The default grid has steps of 2^-30 of the range or a little finer."""
_WIDEST = 1 << 40
_FAR = 1 << 63
_LARGEST = sys.float_info.max


@dataclass(frozen=True)
class BoundedRows:
    """How many rows there are, between which numbers, and in which steps they are counted.

    ``low`` and ``high`` are in steps of the grid.  The range is at most 2^40 steps wide, so that
    sums of millions of rows stay exact in 64 bits.
    """

    size: int
    low: int
    high: int
    grid: Grid

    @classmethod
    def read(cls, *, size: int, low: Number, high: Number, grid: Grid | None) -> Self:
        """The rows that a caller describes; the bounds go to the nearest steps."""
        least, most = rational(low, "low"), rational(high, "high")
        if least >= most:
            raise RangeError(
                f"low must be below high; got low {short(least)} and high {short(most)}.",
                remedy="Give the public bounds as low < high.",
            )
        chosen = read_grid(grid) or Grid(exponent_of(most - least) - FINE)
        bottom, top = chosen.to_steps(least), chosen.to_steps(most)
        # answers lie between the rounded ends, and are doubles
        if max(abs(bottom), abs(top)) * chosen.spacing > _LARGEST:
            raise RangeError(
                f"low and high must lie between -{_LARGEST:.3g} and {_LARGEST:.3g}, the largest floating-point number.",
                remedy="Give the public bounds as narrow as you know them.",
            )
        if not 1 <= top - bottom <= _WIDEST:
            raise RangeError(
                "grid must cut the range into at least one step and at most 2^40.",
                remedy="Choose a spacing that fits the range, or leave grid out.",
            )
        return cls(whole(size, "size", at_least=1), bottom, top, chosen)

    @property
    def width(self) -> int:
        return self.high - self.low

    def steps(self, rows: Iterable[Any]) -> NDArray[np.int64]:
        """The rows in steps above ``low``, in the order given.

        Edges: another number of rows than the public one is refused; a row that is no number counts
        as ``low``.
        """
        values = _array(rows)
        if values.size != self.size:
            raise ShapeError(
                f"{self.size} rows were declared, and another number was given.",
                remedy="Declare the number of rows, which is public here, as size.",
            )
        return self.clamped(values)

    def clamped(self, values: NDArray[Any]) -> NDArray[np.int64]:
        """Rows in steps above ``low``, however many."""
        if values.dtype.kind == "O":
            return np.array([self._step_of(row) for row in values.tolist()], dtype=np.int64)
        finite = np.isfinite(values)
        if finite.all():
            return self._inside(values)
        beyond = np.where(values == np.inf, self.width, 0)
        return np.where(finite, self._inside(np.where(finite, values, 0)), beyond)

    def _inside(self, values: NDArray[Any]) -> NDArray[np.int64]:
        steps = self.grid.array_to_steps(values)
        # ends far from 0 may lie where no 64 bits hold their steps
        if not -_FAR <= self.low <= self.high < _FAR:
            steps = steps.astype(object)
        inside = np.minimum(np.maximum(steps, self.low), self.high) - self.low
        return np.asarray(inside, dtype=np.int64)

    def _step_of(self, row: Any) -> int:
        """One row, whatever it is, as an array of numbers would have it."""
        number = number_of(row)
        if number is None or number == -math.inf:
            return 0
        if number == math.inf:
            return self.width
        return min(max(self.grid.to_steps(number), self.low), self.high) - self.low

    def number(self, steps: int | Fraction) -> Fraction:
        """The real number so many steps above ``low``."""
        return (self.low + steps) * self.grid.spacing


def _array(rows: Iterable[Any]) -> NDArray[Any]:
    """One entry per row, with its exact value; an array of numbers by kind, or of objects of any
    kind.
    """
    if isinstance(rows, np.ndarray):
        values = plain(rows)
        if values.ndim != 1 or values.dtype.kind not in "iufO":
            raise _unusable(f"an array of {values.ndim} dimensions of {values.dtype}")
        return values
    listed = list(each_row(rows, of="number"))
    if all(type(each) is float for each in listed):
        return np.array(listed, dtype=np.float64)
    objects = np.empty(len(listed), dtype=object)
    for place, row in enumerate(listed):
        objects[place] = row
    return objects


def _unusable(kind: str) -> ShapeError:
    return ShapeError(
        f"rows must be a list or a one-dimensional array of numbers; got {kind}.",
        remedy="Give one number per row.",
    )
