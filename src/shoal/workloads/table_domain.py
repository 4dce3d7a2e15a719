"""The declared values of columns: every cell that a table can have, known without looking at the
data.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

from shoal.errors import SchemaError, UnknownNameError

MOST_VALUES = 100_000
"""A column may have so many declared values."""


@dataclass(frozen=True)
class TableDomain:
    """Columns and their declared values, in order; a cell of a table is one value of each of its
    columns.

    Needs: the values are public facts, such as a list of codes, and never read off the data.
    Edges: a column of one value is allowed and tells nothing.  ``TableDomain.of`` also takes a
        number n, which stands for the values 0, 1, ..., n - 1.

    >>> TableDomain.of({"sex": ["f", "m"], "age": 100}).cells(("sex", "age"))
    200
    """

    columns: tuple[tuple[str, tuple[Any, ...]], ...]

    def __post_init__(self) -> None:
        names = [name for name, _ in self.columns]
        if len(set(names)) < len(names):
            raise SchemaError("two columns have the same name.", remedy="Name each column once.")
        for name, values in self.columns:
            _check_values(name, values)

    @classmethod
    def of(cls, given: TableDomain | Mapping[str, Any]) -> TableDomain:
        """What a caller gave as a domain: for each column its values, or how many there are."""
        if isinstance(given, TableDomain):
            return given
        if not isinstance(given, Mapping):
            raise SchemaError(
                f"a domain must map columns to their values; got {type(given).__name__}.",
                remedy="Give {'sex': ['f', 'm'], 'age': range(100)}.",
            )
        return cls(tuple((str(name), _values(name, held)) for name, held in given.items()))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The columns, in order."""
        return tuple(name for name, _ in self.columns)

    @cached_property
    def _by_name(self) -> dict[str, tuple[Any, ...]]:
        return dict(self.columns)

    def values(self, name: str) -> tuple[Any, ...]:
        """The declared values of a column."""
        if name not in self._by_name:
            raise UnknownNameError(
                f"there is no column {str(name)[:40]!r} in the domain.",
                remedy=f"The columns are: {', '.join(self.names)}.",
            )
        return self._by_name[name]

    def size(self, name: str) -> int:
        """How many values a column has."""
        return len(self.values(name))

    def shape(self, names: Iterable[str]) -> tuple[int, ...]:
        """The sizes of some columns."""
        return tuple(self.size(name) for name in names)

    def cells(self, names: Iterable[str]) -> int:
        """How many cells the table of some columns has."""
        return prod(self.shape(names))

    def in_order(self, names: Iterable[str]) -> tuple[str, ...]:
        """Some columns, each once, in the order of the domain."""
        wanted = set(names)
        for name in wanted:
            self.values(name)
        return tuple(name for name in self.names if name in wanted)

    def part(self, names: Iterable[str]) -> TableDomain:
        """The domain of some of the columns."""
        return TableDomain(tuple((name, self.values(name)) for name in self.in_order(names)))

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)


def _values(name: object, held: Iterable[Any] | int) -> tuple[Any, ...]:
    if isinstance(held, bool) or not isinstance(held, int | Iterable) or isinstance(held, str):
        raise SchemaError(
            f"the values of column {str(name)[:40]!r} must be a list or a number.",
            remedy="Give a list of values such as ['f', 'm'], or a number n for 0 to n - 1.",
        )
    if isinstance(held, int):
        held = range(min(max(held, 0), MOST_VALUES + 1))
    return tuple(held)


def _check_values(name: str, values: tuple[Any, ...]) -> None:
    if not 1 <= len(values) <= MOST_VALUES:
        raise SchemaError(
            f"column {name[:40]!r} must have from 1 to {MOST_VALUES} values.",
            remedy="List the values it can have, or group them into fewer.",
        )
    if len(set(values)) < len(values):
        raise SchemaError(
            f"a value of column {name[:40]!r} is listed twice.", remedy="List each value once."
        )
