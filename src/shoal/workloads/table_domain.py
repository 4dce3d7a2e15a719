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
from shoal.workloads.column_hierarchy import EachGroup, Hierarchy
from shoal.workloads.column_queries import EACH_VALUE, ColumnQuery

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
    levels: tuple[tuple[str, EachGroup], ...] = ()
    """Levels of hierarchies, each with the column it groups; of one column the coarsest first."""

    def __post_init__(self) -> None:
        names = [name for name, _ in self.columns] + [query.level for _, query in self.levels]
        if len(set(names)) < len(names):
            raise SchemaError(
                "two columns or levels have the same name.", remedy="Name each of them once."
            )
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

    def with_levels(self, hierarchies: Iterable[Hierarchy]) -> TableDomain:
        """The same columns with levels above some of them."""
        found = list(self.levels)
        for each in hierarchies:
            if any(column == each.column for column, _ in found):
                raise SchemaError(
                    f"column {each.column[:40]!r} has two hierarchies.",
                    remedy="Give it one hierarchy, whose levels lie in each other.",
                )
            finest_first = each.over(self.values(each.column))
            found += [(each.column, query) for query in reversed(finest_first)]
        return TableDomain(self.columns, tuple(found))

    def levels_of(self, column: str) -> tuple[EachGroup, ...]:
        """The levels above a column, the coarsest first."""
        return tuple(query for name, query in self.levels if name == column)

    def asked(self, names: Iterable[str]) -> list[tuple[str, ColumnQuery]]:
        """What a table asks for that names these columns and levels, in the order of the domain.

        Of several levels of one column the finest is asked for, since it tells the others.
        """
        by_level = {query.level: (column, query) for column, query in self.levels}
        found: dict[str, ColumnQuery] = {}
        for name in self.in_order_with_levels(names):
            column, query = by_level.get(name, (name, EACH_VALUE))
            found[column] = query
        return [(name, found[name]) for name in self.names if name in found]

    def in_order_with_levels(self, names: Iterable[str]) -> tuple[str, ...]:
        """Columns and levels, each once, in the order of the domain; levels before their column."""
        every = [
            each
            for name in self.names
            for each in (*(query.level for query in self.levels_of(name)), name)
        ]
        wanted = set(names)
        for name in wanted - set(every):
            self.values(name)
        return tuple(name for name in every if name in wanted)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The columns, in order."""
        return tuple(name for name, _ in self.columns)

    @property
    def named(self) -> tuple[str, ...]:
        """All columns and levels."""
        return (*self.names, *(query.level for _, query in self.levels))

    @cached_property
    def _by_name(self) -> dict[str, tuple[Any, ...]]:
        return dict(self.columns)

    def values(self, name: str) -> tuple[Any, ...]:
        """The declared values of a column."""
        if name not in self._by_name:
            raise UnknownNameError(
                f"there is no column {str(name)[:40]!r} in the domain.",
                remedy=f"The columns are: {', '.join(self.in_order_with_levels(self.named))}.",
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
        kept = self.in_order(names)
        return TableDomain(
            tuple((name, self.values(name)) for name in kept),
            tuple((name, query) for name, query in self.levels if name in kept),
        )

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
