"""Many outputs of one mechanism on one dataset: numbers, rows of numbers, or anything that Python holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import ShapeError

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Outputs:
    """Outputs in the order they were drawn: ``numbers`` (one each; NaN is no answer) or ``items``."""

    numbers: Array | None = None
    items: Sequence[Any] | None = None

    def __len__(self) -> int:
        return len(self.numbers) if self.numbers is not None else len(self.listed)

    def part(self, start: int, end: int) -> Outputs:
        """The outputs from one place to another."""
        if self.numbers is not None:
            return Outputs(numbers=self.numbers[start:end])
        return Outputs(items=self.listed[start:end])

    @cached_property
    def table(self) -> tuple[Array, Array] | None:
        """Numbers by place, and lengths, where every output is a row of numbers; NaN where there is none."""
        items = self.items
        if items is None or not all(type(each) in (tuple, list) for each in items):
            return None
        if not {type(part) for each in items for part in each} <= {bool, int, float, type(None)}:
            return None
        columns = list(zip_longest(*items, fillvalue=None))
        try:
            numbers = np.array(columns, dtype=np.float64).reshape(len(columns), len(items))
        except OverflowError:  # whole numbers beyond every float
            return None
        return numbers, np.fromiter(map(len, items), np.float64, len(items))

    @property
    def listed(self) -> Sequence[Any]:
        """The outputs one by one."""
        if self.items is not None:
            return self.items
        assert self.numbers is not None
        return [None if each != each else each for each in self.numbers.tolist()]  # noqa: PLR0124 - only NaN differs from itself


def read_outputs(raw: Any) -> Outputs:
    """Outputs as they came: an array with one output a row, or a sequence of them."""
    if isinstance(raw, Outputs):
        return raw
    if isinstance(raw, np.ndarray):
        return _from_array(raw)
    if isinstance(raw, str | bytes) or not isinstance(raw, Sequence):
        raise ShapeError(
            f"a batch of outputs is an array or a list; got {type(raw).__name__}.",
            remedy="Return one output for each sample: a numpy array or a list.",
        )
    if all(each is None or type(each) in (int, float, bool) for each in raw):
        return Outputs(numbers=_numbers(raw))
    return Outputs(items=raw)


def _numbers(raw: Sequence[Any]) -> Array:
    try:
        return np.array([np.nan if each is None else each for each in raw], dtype=np.float64)
    except OverflowError:  # whole numbers beyond every float
        capped = [np.nan if each is None else max(-(10**300), min(10**300, each)) for each in raw]
        return np.array(capped, dtype=np.float64)


def _from_array(raw: NDArray[Any]) -> Outputs:
    if raw.ndim == 0:
        raise ShapeError(
            "a batch of outputs has one output for each sample; got a single number.",
            remedy="Return an array of many, or leave batch out.",
        )
    if raw.dtype.kind in "iufb" and (raw.ndim == 1 or raw.size == len(raw)):
        return Outputs(numbers=raw.reshape(-1).astype(np.float64))
    if raw.dtype.names is not None or raw.ndim == 1:
        return read_outputs(raw.tolist())
    return Outputs(items=[tuple(row) for row in raw.reshape(len(raw), -1).tolist()])


def alike(first: Outputs, second: Outputs) -> tuple[Outputs, Outputs]:
    """Both as numbers, or both as items."""
    if first.numbers is not None and second.numbers is not None:
        return first, second
    return Outputs(items=first.listed), Outputs(items=second.listed)
