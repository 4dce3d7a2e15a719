"""Rows of a public number, clamped to a public range and rounded to a public grid: exact integers from here on.

Clamping and rounding are done to each row by itself, so neighbours stay neighbours.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from shoal.errors import RangeError, ShapeError
from shoal.exact import Grid, Number, exponent_of, not_finite, rational, short, whole
from shoal.mechanisms.values import exact_real, plain, read_grid

FINE = 30
"""The default grid has steps of 2^-30 of the range or a little finer."""
_WIDEST = 1 << 40


@dataclass(frozen=True)
class BoundedRows:
    """How many rows there are, between which numbers, and in which steps they are counted.

    ``low`` and ``high`` are in steps of the grid.  The range is at most 2^40 steps wide, so that sums of
    millions of rows stay exact in 64 bits.
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

        Edges: another number of rows than the public one is refused; so is what is not a finite number, and
            neither message says anything about a value.
        """
        values = _array(rows)
        if values.size != self.size:
            raise ShapeError(
                f"{self.size} rows were declared, and another number was given.",
                remedy="Declare the number of rows, which is public here, as size.",
            )
        return self.clamped(values)

    def clamped(self, values: NDArray[Any]) -> NDArray[np.int64]:
        """Numbers in steps above ``low``, however many."""
        steps = self.grid.array_to_steps(values)
        inside = np.minimum(np.maximum(steps, self.low), self.high) - self.low
        return np.asarray(inside, dtype=np.int64)

    def number(self, steps: int | Fraction) -> Fraction:
        """The real number so many steps above ``low``."""
        return (self.low + steps) * self.grid.spacing


def _array(rows: Iterable[Any]) -> NDArray[Any]:
    """One number per row, with its exact value."""
    if isinstance(rows, np.ndarray):
        values = plain(rows)
        if values.ndim == 1 and values.dtype.kind in "iuf":
            return values
        listed: list[Any] = values.tolist() if values.ndim == 1 else []
    else:
        listed = _listed(rows)
    if isinstance(rows, np.ndarray) and values.ndim != 1:
        raise _unusable(f"an array of {values.ndim} dimensions")
    if all(type(each) is float for each in listed):
        return np.array(listed, dtype=np.float64)
    exact = np.empty(len(listed), dtype=object)
    exact[:] = [_number(each) for each in listed]
    return exact


def _listed(rows: Iterable[Any]) -> list[Any]:
    if isinstance(rows, str | bytes | dict) or not isinstance(rows, Iterable):
        raise _unusable(type(rows).__name__)
    return list(rows)


def _number(value: Any) -> Any:
    if isinstance(value, bool | np.bool_):
        raise not_finite()
    return exact_real(value)


def _unusable(kind: str) -> ShapeError:
    return ShapeError(
        f"rows must be a list or a one-dimensional array of numbers; got {kind}.",
        remedy="Give one number per row.",
    )
