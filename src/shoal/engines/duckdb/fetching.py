"""Rows for `sorting`: keys and persons by number, and what each row adds, batch by batch into memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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
"""With more rows than this they stay in the engine; so many take about 1.5 GiB."""

_MOST_PEOPLE = (1 << 31) - 2
"""Persons are numbered in 32 bits."""

_BATCH = 1 << 20
"""So many rows come at a time."""


def sortable(bounded: Bounded) -> bool:
    """Whether there is something to add up, persons are told apart by one whole number or text, and keys by their looks."""
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
    """The rows to fetch: a SELECT, the names of keys and of the person in it, the person's type, and what is added.

    ``grouped`` is a SELECT of keys and persons, ``people`` one of persons alone where it says more cheaply how many
    there are.  ``added`` has the narrowest type in which each number fits: less memory is less time.
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
        """The rows of weights; the value is the last key."""
        person, kind = persons_of(spread.relation)[0], spread.relation.person[0]
        rows = split_values(spread, views, DUCKDB)
        return cls(rows, rows, "", (*keys_of(spread.bounded), "v"), person, kind)


def _plain(bounded: Bounded) -> bool:
    """Whether all rows of a table are asked for: then what a file says of itself tells how many persons there are."""
    rows = bounded.relation
    while isinstance(rows, Project):
        rows = rows.source
    return isinstance(rows, Scan)


class Groups(NamedTuple):
    """Every key that rows have, numbered in a table of the engine; how many rows and persons there are, and where."""

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
    if not 0 < groups.rows <= most:
        return None
    found = connection.sql(_selected(wanted, groups))
    sizes = [
        np.dtype(np.int32 if kind == "INTEGER" else np.int64) for kind in wanted.added.values()
    ]
    if not groups.dense:
        return _whole(found.to_arrow_table(), groups, sizes, keyed=bool(wanted.keys))
    taken: Columns | PersonTotals = (
        Columns(len(groups.keys), groups.rows, groups.people, sizes)
        if wanted.keys
        else PersonTotals(groups.people, len(sizes))
    )
    return taken if _taken(taken, _batches(found), groups, keyed=bool(wanted.keys)) else None


def _selected(wanted: Wanted, groups: Groups) -> str:
    """The SELECT of each row's person, what it adds, and its group."""
    source, person = f"({wanted.rows}) AS r", f"r.{wanted.person}"
    if wanted.keys:
        same = " AND ".join(f"r.{key} IS NOT DISTINCT FROM n.{key}" for key in wanted.keys)
        source += f" JOIN {groups.table} AS n ON {same}"
    outputs = [f"CAST({person} - ({groups.lowest}) AS INTEGER)" if groups.dense else person]
    outputs += [f"CAST(r.{name} AS {kind})" for name, kind in wanted.added.items()]
    outputs += ["n.g"] * bool(wanted.keys)
    return f"SELECT {', '.join(f'{sql} AS o{at}' for at, sql in enumerate(outputs))} FROM {source}"


def _batches(found: Any) -> Iterator[list[Any]]:
    """The columns of a result, so many rows at a time."""
    read = getattr(found, "to_arrow_reader", None) or found.fetch_arrow_reader  # its older name
    for batch in read(_BATCH):
        yield batch.columns


def _taken(
    into: Columns | PersonTotals, batches: Iterator[list[Any]], groups: Groups, *, keyed: bool
) -> bool:
    """Take all rows in; False if they are not those that were seen: written between two looks."""
    rows = 0
    for columns in batches:
        if any(column.null_count for column in columns):
            return False
        persons, *others = (column.to_numpy(zero_copy_only=False) for column in columns)
        rows += len(persons)
        if rows > groups.rows:
            return False
        if len(persons):
            if not 0 <= persons.min() <= persons.max() < groups.people:
                return False
            keys = others.pop() if keyed else None
            into.take(persons, keys, others)
    return rows == groups.rows


def _whole(
    table: Any, groups: Groups, sizes: Sequence[Any], *, keyed: bool
) -> Columns | PersonTotals | None:
    """Rows whose persons get their numbers here, all at once."""
    if table.num_rows != groups.rows:
        return None
    persons, *others = table.columns
    numbers, people = _numbered(persons)
    columns = [each.to_numpy() for each in others]
    keys = columns.pop() if keyed else None
    taken: Columns | PersonTotals = (
        Columns(len(groups.keys), groups.rows, people, sizes)
        if keyed
        else PersonTotals(people, len(sizes))
    )
    taken.take(numbers, keys, columns)
    return taken


def _numbered(column: Any) -> tuple[NDArray[np.int32], int]:
    """Persons by number, and how many numbers there are; all rows without a person are one person's."""
    import pyarrow as pa  # noqa: PLC0415 - heavy

    coded = column.dictionary_encode().unify_dictionaries()
    known = len(coded.chunk(0).dictionary)
    indices = pa.chunked_array([chunk.indices for chunk in coded.chunks])
    return indices.fill_null(known).to_numpy(), known + 1
