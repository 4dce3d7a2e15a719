"""Rows for `sorting`: keys and persons by number, and what each row adds, as columns in memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.engines.duckdb.dialect import DUCKDB
from shoal.engines.duckdb.sorting import Columns
from shoal.engines.sql import keys_of, persons_of, row_values, split_values
from shoal.plan import INTEGER, REAL, TEXT, Bounded, Person, Spread, Type, Value

if TYPE_CHECKING:
    import duckdb

MOST_ROWS = 1 << 25
"""With more rows than this they stay in the engine; so many take about 1.5 GiB."""

_MOST_PEOPLE = (1 << 31) - 2
"""Persons are numbered in 32 bits."""


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

    ``added`` has the narrowest type in which each number fits: less memory is less time.
    """

    rows: str
    keys: tuple[str, ...]
    person: str
    kind: Type
    added: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def totals(cls, bounded: Bounded, views: Mapping[str, str]) -> Wanted:
        """The rows of totals."""
        rows, added = row_values(bounded, views, DUCKDB)
        person, kind = persons_of(bounded.relation)[0], bounded.relation.person[0]
        sizes = {f"t{at}": term.bound for at, term in enumerate(bounded.terms)}
        narrow = {name: "INTEGER" if sizes[name] < 1 << 31 else "BIGINT" for name in added}
        return cls(rows, tuple(keys_of(bounded)), person, kind, narrow)

    @classmethod
    def weights(cls, spread: Spread, views: Mapping[str, str]) -> Wanted:
        """The rows of weights; the value is the last key."""
        person, kind = persons_of(spread.relation)[0], spread.relation.person[0]
        rows = split_values(spread, views, DUCKDB)
        return cls(rows, (*keys_of(spread.bounded), "v"), person, kind)


def fetched(
    connection: duckdb.DuckDBPyConnection, wanted: Wanted, most: int = MOST_ROWS
) -> tuple[list[tuple[Value, ...]], Columns] | None:
    """The groups there are, in the order of their numbers, and the rows; None if these are none or too many.

    The numbers of groups that differ in their last key only follow one another.
    """
    groups, seen = _groups(connection, wanted)
    if not 0 < seen.rows <= most:
        return None
    source = f"({wanted.rows}) AS r"
    if wanted.keys:
        same = " AND ".join(f"r.{key} IS NOT DISTINCT FROM n.{key}" for key in wanted.keys)
        source += f" JOIN shoal_groups AS n ON {same}"
    person = wanted.person
    outputs = [f"CAST({person} - ({seen.lowest}) AS INTEGER)" if seen.dense else person]
    outputs += [f"CAST({name} AS {kind})" for name, kind in wanted.added.items()]
    outputs += ["g"] * bool(wanted.keys)
    found = connection.sql(f"SELECT {', '.join(outputs)} FROM {source}").to_arrow_table()
    if found.num_rows != seen.rows:  # written between the two looks
        return None
    persons, *others = found.columns
    if seen.dense:
        numbers, people = persons.to_numpy(), seen.highest - seen.lowest + 1
        if not 0 <= numbers.min() <= numbers.max() < people:
            return None
    else:
        numbers, people = _numbered(persons)
    columns = [each.to_numpy() for each in others]
    places = columns.pop() if wanted.keys else None
    return groups, Columns(places, len(groups), numbers, people, columns)


class _Seen(NamedTuple):
    """How many rows there are, of them with a person, and between which numbers persons are."""

    rows: int
    known: int
    lowest: int
    highest: int

    @property
    def dense(self) -> bool:
        """Whether persons can be numbered from the lowest on without wasting memory."""
        spread = self.highest - self.lowest
        return self.rows == self.known and spread < min(4 * self.rows + 1024, _MOST_PEOPLE)


def _groups(
    connection: duckdb.DuckDBPyConnection, wanted: Wanted
) -> tuple[list[tuple[Value, ...]], _Seen]:
    """Every key that rows have, numbered in a table shoal_groups, and what was seen of persons."""
    person, keys = wanted.person, ", ".join(wanted.keys)
    ends = (f"MIN({person})", f"MAX({person})") if wanted.kind == INTEGER else ("0", _MOST_PEOPLE)
    seen = f"COUNT(*) AS c, COUNT({person}) AS p, {ends[0]} AS lo, {ends[1]} AS hi"
    grouped = f"SELECT {seen} FROM ({wanted.rows})"
    order = ""
    if keys:
        grouped = f"SELECT {keys}, {seen} FROM ({wanted.rows}) GROUP BY {keys}"
        order = f"ORDER BY {keys}" if len(wanted.keys) > 1 else ""
    numbered = f"SELECT *, CAST(row_number() OVER ({order}) - 1 AS INTEGER) AS g FROM ({grouped})"
    connection.execute(f"CREATE OR REPLACE TEMP TABLE shoal_groups AS {numbered}")
    found = connection.execute(
        "SELECT COALESCE(SUM(c), 0), COALESCE(SUM(p), 0), COALESCE(MIN(lo), 0), COALESCE(MAX(hi), 0) "
        "FROM shoal_groups"
    ).fetchall()
    seen_all = _Seen(*map(int, found[0]))
    if not keys:
        return [()], seen_all
    return connection.execute(f"SELECT {keys} FROM shoal_groups ORDER BY g").fetchall(), seen_all


def _numbered(column: Any) -> tuple[NDArray[np.int32], int]:
    """Persons by number, and how many numbers there are; all rows without a person are one person's."""
    import pyarrow as pa  # noqa: PLC0415 - heavy

    coded = column.dictionary_encode().unify_dictionaries()
    known = len(coded.chunk(0).dictionary)
    indices = pa.chunked_array([chunk.indices for chunk in coded.chunks])
    return indices.fill_null(known).to_numpy(), known + 1
