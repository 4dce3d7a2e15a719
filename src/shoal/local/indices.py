"""Answers and reports as they come in: whole numbers from 0, never quoted back."""

from __future__ import annotations

from typing import Any

import numpy as np

from shoal.errors import DataError, ShapeError
from shoal.exact import IntegerArray
from shoal.mechanisms.values import array_of

Counts = tuple[int, ...]


def read_indices(value: Any, size: int, *, what: str) -> IntegerArray:
    """An array of whole numbers from 0 to size - 1, of the shape given."""
    found = array_of(value, what=what)
    if found.dtype.kind not in ("biu" if size == 2 else "iu"):
        raise ShapeError(
            f"{what} are whole numbers from 0 to {size - 1}; got {type(value).__name__} of another kind.",
            remedy="Number them from 0 and give an int, a list or an array of integers.",
        )
    if found.size and (found.min() < 0 or found.max() >= size):
        raise DataError(
            f"one of the {what} lies outside 0 to {size - 1}.",
            remedy="Map each of them to one of the choices by a public rule first.",
        )
    return found.astype(np.int64)


def read_counts(counts: Any, size: int) -> Counts:
    """How many reports there were of each kind, as plain integers."""
    tally = array_of(counts, what="counts")
    if tally.shape != (size,) or tally.dtype.kind not in "iu" or (tally < 0).any():
        raise ShapeError(
            f"counts of {size} kinds of report are needed, whole and 0 or more.",
            remedy="Give how many reports there were of each kind, zeros included.",
        )
    found: Counts = tuple(tally.tolist())
    if not sum(found):
        raise ShapeError(
            "at least one report is needed.", remedy="Collect at least one report first."
        )
    return found


def counted(reports: Any, size: int) -> Counts:
    """How many reports there are of each kind."""
    told = read_indices(reports, size, what="reports").reshape(-1)
    return read_counts(np.bincount(told, minlength=size), size)
