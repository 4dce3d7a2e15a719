"""Many outputs of one mechanism on one dataset: numbers, rows of numbers, or anything that Python
holds.
"""

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


LARGE = 1e300
"""Numbers beyond this, and infinity, count as this."""


@dataclass(frozen=True)
class Outputs:
    """Outputs in the order they were drawn: ``numbers`` (one each; NaN is no number), ``items`` as
    they came, or both.

    Whatever is read from an output (its number, its parts, its key) is a function of that output
    alone, whatever others there are.
    """

    numbers: Array | None = None
    items: Sequence[Any] | None = None

    def __len__(self) -> int:
        return len(self.numbers) if self.numbers is not None else len(self.listed)

    def part(self, start: int, end: int) -> Outputs:
        """The outputs from one place to another."""
        return Outputs(
            None if self.numbers is None else self.numbers[start:end],
            None if self.items is None else self.items[start:end],
        )

    @property
    def are_numbers(self) -> bool:
        """Whether each is a number or no answer."""
        return (
            self.numbers is not None
            or _plain(self.listed)
            or all(each is None or is_number(each) for each in self.listed)
        )

    def as_numbers(self) -> Outputs:
        """With a number for each: NaN for what is none."""
        if self.numbers is not None:
            return self
        return Outputs(numbers_of(self.listed), self.items)

    def as_items(self) -> Outputs:
        """Without numbers: each output as a whole."""
        return Outputs(items=self.listed)

    @cached_property
    def table(self) -> tuple[Array, Array] | None:
        """Numbers by place, and lengths, where every output is a row of numbers; NaN where there is
        none.
        """
        items = self.items
        if items is None or not all(type(each) in (tuple, list) for each in items):
            return None
        if not {type(part) for each in items for part in each} <= _PLAIN:
            return None
        columns = list(zip_longest(*items, fillvalue=None))
        try:
            numbers = np.array(columns, dtype=np.float64).reshape(len(columns), len(items))
        except OverflowError:  # whole numbers beyond every float
            return None
        return np.clip(numbers, -LARGE, LARGE), np.fromiter(map(len, items), np.float64, len(items))

    @property
    def listed(self) -> Sequence[Any]:
        """The outputs one by one."""
        if self.items is not None:
            return self.items
        assert self.numbers is not None
        return [None if each != each else each for each in self.numbers.tolist()]  # noqa: PLR0124 - only NaN differs from itself


_PLAIN = {bool, int, float, type(None)}


def _plain(items: Sequence[Any]) -> bool:
    """Python's own numbers, or None; quick to find out."""
    return set(map(type, items)) <= _PLAIN


def is_number(output: Any) -> bool:
    """Whether an output is one real number, of Python or numpy."""
    return isinstance(output, bool | int | float | np.bool_ | np.integer | np.floating)


def number_of(output: Any) -> float:
    """The number that an output is, at most `LARGE`; NaN for all else.

    >>> number_of(True), number_of(10**400), number_of("3")
    (1.0, 1e+300, nan)
    """
    if not is_number(output):
        return np.nan
    try:
        number = float(output)
    except OverflowError:  # a whole number beyond every float
        return LARGE if output > 0 else -LARGE
    return number if number != number else max(-LARGE, min(LARGE, number))  # noqa: PLR0124 - NaN stays


def numbers_of(items: Sequence[Any]) -> Array:
    """`number_of` each."""
    if _plain(items):
        try:
            return np.clip(np.array(items, dtype=np.float64), -LARGE, LARGE)
        except OverflowError:  # whole numbers beyond every float
            pass
    return np.fromiter(map(number_of, items), np.float64, len(items))


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
    return Outputs(items=raw)


def _from_array(raw: NDArray[Any]) -> Outputs:
    if raw.ndim == 0:
        raise ShapeError(
            "a batch of outputs has one output for each sample; got a single number.",
            remedy="Return an array of many, or leave batch out.",
        )
    if raw.dtype.kind in "iufb" and (raw.ndim == 1 or raw.size == len(raw)):
        return Outputs(numbers=np.clip(raw.reshape(-1).astype(np.float64), -LARGE, LARGE))
    if raw.dtype.names is not None or raw.ndim == 1:
        return Outputs(items=raw.tolist())
    return Outputs(items=[tuple(row) for row in raw.reshape(len(raw), -1).tolist()])


def joined(parts: Sequence[Outputs]) -> Outputs:
    """One after another."""
    if all(each.numbers is not None for each in parts):
        return Outputs(
            numbers=np.concatenate([each.numbers for each in parts if each.numbers is not None])
        )
    return Outputs(items=[item for each in parts for item in each.listed])


def alike(
    first: Outputs, second: Outputs, *, looked_at: tuple[int, int]
) -> tuple[Outputs, Outputs]:
    """Both as numbers or both as items, by so many of the first of each: those that test an event
    have no say in how they are read.
    """
    starts = first.part(0, looked_at[0]), second.part(0, looked_at[1])
    if all(each.are_numbers for each in starts):
        return first.as_numbers(), second.as_numbers()
    return first.as_items(), second.as_items()
