"""Rows for `sorting`: keys and persons by number, and what each row adds, brought into memory as
numpy arrays.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.engines.duckdb.dialect import DUCKDB
from shoal.engines.duckdb.sorting import Columns, PersonTotals
from shoal.engines.sql import keys_of, persons_of, row_values, select, split_values
from shoal.plan import INTEGER, REAL, TEXT, Bounded, Person, Project, Scan, Spread, Type, Value

if TYPE_CHECKING:
    import duckdb

MOST_ROWS = 1 << 25
"""With more rows than this they stay in the engine; so many take about 2 GiB."""

_MOST_PEOPLE = (1 << 31) - 2
"""Persons are numbered in 32 bits."""

_PEOPLE = "shoal_people"
"""The table in which persons are numbered while rows are fetched."""


def sortable(bounded: Bounded) -> bool:
    """Whether there is something to add up, persons are told apart by one whole number or text, and
    keys by their looks.
    """
    person = bounded.relation.person
    return (
        bool(bounded.terms)
        and isinstance(bounded.unit, Person)
        and len(person) == 1
        and person[0] in (INTEGER, TEXT)
        and all(key.type != REAL for key in bounded.keys)
    )


@dataclass(frozen=True)
class Wanted:
    """The rows to fetch: a SELECT, the names of keys and of the person in it, the person's type,
    and what is added.

    ``grouped`` is a SELECT of keys and persons, ``people`` one of persons alone where it says more
    cheaply how many there are.  ``added`` has the narrowest type in which each number fits: less
    memory is less time.
    """

    rows: str
    grouped: str
    people: str
    keys: tuple[str, ...]
    person: str
    kind: Type
    added: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def totals(cls, bounded: Bounded, views: Mapping[str, str]) -> Wanted:
        """The rows of totals."""
        rows, added = row_values(bounded, views, DUCKDB)
        grouped, _ = row_values(replace(bounded, terms=()), views, DUCKDB)
        person, kind = persons_of(bounded.relation)[0], bounded.relation.person[0]
        sizes = {f"t{at}": term.bound for at, term in enumerate(bounded.terms)}
        narrow = {name: "INTEGER" if sizes[name] < 1 << 31 else "BIGINT" for name in added}
        people = select(bounded.relation, views, DUCKDB) if _plain(bounded) else ""
        return cls(rows, grouped, people, tuple(keys_of(bounded)), person, kind, narrow)

    @classmethod
    def weights(cls, spread: Spread, views: Mapping[str, str]) -> Wanted:
        """The rows of weights; a point of a grid is what a row adds, any other value the last
        key.
        """
        person, kind = persons_of(spread.relation)[0], spread.relation.person[0]
        rows, keys = split_values(spread, views, DUCKDB), tuple(keys_of(spread.bounded))
        if spread.grid is None:
            return cls(rows, rows, "", (*keys, "v"), person, kind)
        return cls(rows, rows, "", keys, person, kind, {"v": "BIGINT"})


def _plain(bounded: Bounded) -> bool:
    """Whether all rows of a table are asked for: then what a file says of itself tells how many
    persons there are.
    """
    rows = bounded.relation
    while isinstance(rows, Project):
        rows = rows.source
    return isinstance(rows, Scan)


class Groups(NamedTuple):
    """Every key that rows have, numbered in a table of the engine; how many rows and persons there
    are, and where.
    """

    table: str
    keys: list[tuple[Value, ...]]
    rows: int
    known: int
    lowest: int
    highest: int

    @property
    def dense(self) -> bool:
        """Whether persons can be numbered from the lowest on without wasting memory."""
        spread = self.highest - self.lowest
        return self.rows == self.known and spread < min(4 * self.rows + 1024, _MOST_PEOPLE)

    @property
    def people(self) -> int:
        return self.highest - self.lowest + 1


def groups_of(connection: duckdb.DuckDBPyConnection, wanted: Wanted, table: str) -> Groups:
    """The groups there are, in the order of their numbers, which are kept in a table of this name.

    The numbers of groups that differ in their last key only follow one another.
    """
    person, keys = wanted.person, ", ".join(wanted.keys)
    ends = (f"MIN({person})", f"MAX({person})") if wanted.kind == INTEGER else ("0", _MOST_PEOPLE)
    seen = f"COUNT(*) AS c, COUNT({person}) AS p, {ends[0]} AS lo, {ends[1]} AS hi"
    every = "COALESCE(SUM(c), 0), COALESCE(SUM(p), 0), COALESCE(MIN(lo), 0), COALESCE(MAX(hi), 0)"
    alone = f"(SELECT {seen} FROM ({wanted.people or wanted.grouped}))"
    if not keys:
        return Groups("", [()], *_numbers(connection, f"SELECT {every} FROM {alone}"))
    listed = keys if wanted.people else f"{keys}, {seen}"
    grouped = f"SELECT {listed} FROM ({wanted.grouped}) GROUP BY {keys}"
    order = f"ORDER BY {keys}" if len(wanted.keys) > 1 else ""
    numbered = f"SELECT *, CAST(row_number() OVER ({order}) - 1 AS INTEGER) AS g FROM ({grouped})"
    connection.execute(f"CREATE OR REPLACE TEMP TABLE {table} AS {numbered}")
    found = _numbers(connection, f"SELECT {every} FROM {alone if wanted.people else table}")
    names = connection.execute(f"SELECT {keys} FROM {table} ORDER BY g").fetchall()
    return Groups(table, names, *found)


def _numbers(connection: duckdb.DuckDBPyConnection, sql: str) -> tuple[int, int, int, int]:
    rows, known, lowest, highest = connection.execute(sql).fetchall()[0]
    return int(rows), int(known), int(lowest), int(highest)


def fetched(
    connection: duckdb.DuckDBPyConnection, wanted: Wanted, groups: Groups, most: int = MOST_ROWS
) -> Columns | PersonTotals | None:
    """The rows; None if these are none, too many, or others than those whose groups are known."""
    got = fetched_arrays(connection, wanted, groups, most)
    if got is None:
        return None
    sizes = [
        np.dtype(np.int32 if kind == "INTEGER" else np.int64) for kind in wanted.added.values()
    ]
    taken: Columns | PersonTotals = (
        PersonTotals(got.people, len(sizes))
        if got.keys is None
        else Columns(len(groups.keys), groups.rows, got.people, sizes)
    )
    taken.take(got.persons, got.keys, got.added)
    return taken


class RowArrays(NamedTuple):
    """Rows as they come: persons by number, of so many, the number of each row's key, and what it
    adds.
    """

    people: int
    persons: NDArray[Any]
    keys: NDArray[Any] | None
    added: list[NDArray[Any]]


def fetched_arrays(
    connection: duckdb.DuckDBPyConnection, wanted: Wanted, groups: Groups, most: int = MOST_ROWS
) -> RowArrays | None:
    """The same as arrays, in no order."""
    if not 0 < groups.rows <= most:
        return None
    with _people(connection, wanted, groups) as people:
        found = connection.execute(_selected(wanted, groups)).fetchnumpy()
    persons, *added = (found[f"o{at}"] for at in range(len(found)))
    if not _as_seen([persons, *added], groups.rows, people):
        return None
    keys = added.pop() if wanted.keys else None
    return RowArrays(people, persons, keys, added)


@contextmanager
def _people(connection: duckdb.DuckDBPyConnection, wanted: Wanted, groups: Groups) -> Iterator[int]:
    """How many numbers persons have; those that are no dense whole numbers get theirs in a table
    meanwhile.

    All rows without a person are one person's.  The engine numbers ten million rows of 700,000
    texts in 4 CPU seconds; a dictionary of Arrow took 10.
    """
    if groups.dense:
        yield groups.people
        return
    person, rows = wanted.person, wanted.people or wanted.grouped
    listed = f"SELECT DISTINCT {person} FROM ({rows})"
    numbered = f"SELECT {person}, CAST(row_number() OVER () - 1 AS INTEGER) AS q FROM ({listed})"
    connection.execute(f"CREATE OR REPLACE TEMP TABLE {_PEOPLE} AS {numbered}")
    try:
        yield int(connection.execute(f"SELECT COUNT(*) FROM {_PEOPLE}").fetchall()[0][0])
    finally:
        connection.execute(f"DROP TABLE IF EXISTS {_PEOPLE}")


def _selected(wanted: Wanted, groups: Groups) -> str:
    """The SELECT of each row's person, what it adds, and its group."""
    source, person = f"({wanted.rows}) AS r", f"r.{wanted.person}"
    if wanted.keys:
        same = " AND ".join(f"r.{key} IS NOT DISTINCT FROM n.{key}" for key in wanted.keys)
        source += f" JOIN {groups.table} AS n ON {same}"
    if not groups.dense:
        source += f" JOIN {_PEOPLE} AS q ON {person} IS NOT DISTINCT FROM q.{wanted.person}"
    outputs = [f"CAST({person} - ({groups.lowest}) AS INTEGER)" if groups.dense else "q.q"]
    outputs += [f"CAST(r.{name} AS {kind})" for name, kind in wanted.added.items()]
    outputs += ["n.g"] * bool(wanted.keys)
    return f"SELECT {', '.join(f'{sql} AS o{at}' for at, sql in enumerate(outputs))} FROM {source}"


def _as_seen(columns: list[NDArray[Any]], rows: int, people: int) -> bool:
    """Whether these can be the rows that were counted; False if the source was written between two
    looks.
    """
    persons = columns[0]
    if len(persons) != rows or any(np.ma.is_masked(column) for column in columns):
        return False
    return bool(0 <= persons.min() <= persons.max() < people)
