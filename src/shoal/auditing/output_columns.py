"""Parts of outputs as columns: the numbers, texts and lengths that are in tuples, dicts and lists,
each by where it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.auditing.output_events import key_of
from shoal.auditing.outputs import Array, Outputs, is_number, numbers_of

_FREQUENT = 8
"""So many values of each part, if they are frequent, have a feature of their own."""
_MOST_PARTS = 64


def flatten(output: Any, at: str = "") -> dict[str, Any]:
    """The parts of an output by where they are: numbers, texts, and lengths of what has any.

    >>> flatten({"n": 3, "top": ["a", None]})
    {'.n': 3, '.top#': 2, '.top[0]': 'a', '.top[1]': None}
    """
    if isinstance(output, dict):
        return {
            name: part
            for key, each in output.items()
            for name, part in flatten(each, f"{at}.{key}").items()
        }
    if isinstance(output, set | frozenset):
        return {f"{at}#": len(output), **{f"{at} has {key_of(each)}": 1 for each in output}}
    if isinstance(output, np.ndarray):
        return flatten(output.tolist(), at)
    if isinstance(output, list | tuple):
        found: dict[str, Any] = {f"{at}#": len(output)}
        for place, each in enumerate(output):
            found.update(flatten(each, f"{at}[{place}]"))
        return found
    return {at: output}


@dataclass(frozen=True)
class OutputColumn:
    """One part of every output: its number where it is one (NaN otherwise), and its key.

    Both are functions of the one output, whatever others there are; so an event that is made of
    them is one set of outputs.
    """

    name: str
    numbers: Array
    read: Callable[[], list[Any]]

    @cached_property
    def values(self) -> list[Any]:
        """The part itself; None where an output has none."""
        return self.read()

    @cached_property
    def keys(self) -> NDArray[np.object_]:
        """The part as a text that tells it apart."""
        return np.array([key_of(each) for each in self.values], dtype=object)

    def is_(self, key: str | float) -> Array:
        """Where the part is just that: a key, a number, or NaN for what is no number."""
        if isinstance(key, str):
            return np.asarray(self.keys == key, dtype=np.float64)
        found = np.isnan(self.numbers) if np.isnan(key) else self.numbers == key
        return np.asarray(found, dtype=np.float64)

    def frequent(self) -> list[tuple[str | float, int]]:
        """Numbers where there is nothing else, or keys, with how often they come; the most frequent
        first.
        """
        if not all(each is None or is_number(each) for each in self.values):
            return list(Counter(self.keys.tolist()).most_common(_FREQUENT))
        values, counts = np.unique(self.numbers, return_counts=True)
        order = np.argsort(-counts, kind="stable")[:_FREQUENT]
        return list(zip(values[order].tolist(), counts[order].tolist(), strict=True))


def columns_of(outputs: Outputs, names: Sequence[str] | None = None) -> list[OutputColumn]:
    """The parts of the outputs as columns, the most frequent first; ``names`` fixes which."""
    if outputs.table is not None:
        return _table_columns(outputs, *outputs.table, names)
    flat = [flatten(each) for each in outputs.listed]
    if names is None:
        seen = Counter(name for each in flat for name in each)
        names = [name for name, _ in seen.most_common(_MOST_PARTS)]
    return [_column(name, [each.get(name) for each in flat]) for name in names]


def _column(name: str, values: list[Any]) -> OutputColumn:
    return OutputColumn(name, numbers_of(values), lambda: values)


def _table_columns(
    outputs: Outputs, numbers: Array, lengths: Array, names: Sequence[str] | None
) -> list[OutputColumn]:
    """The columns of rows of numbers, by the names that `flatten` gives them."""
    known = {"#": lengths, **{f"[{place}]": column for place, column in enumerate(numbers)}}
    wanted = list(known)[:_MOST_PARTS] if names is None else names
    none = np.full(len(lengths), np.nan)

    def reader(name: str) -> Callable[[], list[Any]]:
        return lambda: [flatten(each).get(name) for each in outputs.listed]

    return [OutputColumn(name, known.get(name, none), reader(name)) for name in wanted]
