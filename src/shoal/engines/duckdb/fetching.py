"""Rows for `sorting`: keys and persons by number, and what each row adds, as columns in memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.engines.duckdb.dialect import DUCKDB
from shoal.engines.duckdb.sorting import Columns
from shoal.engines.sql import keys_of, persons_of, row_values
from shoal.plan import INTEGER, REAL, TEXT, Bounded, Person, Type, Value

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


def fetched(
    connection: duckdb.DuckDBPyConnection,
    bounded: Bounded,
    views: Mapping[str, str],
    most: int = MOST_ROWS,
) -> tuple[list[tuple[Value, ...]], Columns] | None:
    """The groups there are, in the order of their numbers, and the rows; None if these are none or too many."""
    rows, added = row_values(bounded, views, DUCKDB)
    person, keys = persons_of(bounded.relation)[0], keys_of(bounded)
    groups, seen = _groups(connection, rows, keys, person, bounded.relation.person[0])
    if not 0 < seen.rows <= most:
        return None
    source = f"({rows}) AS r"
    if keys:
        same = " AND ".join(f"r.{key} IS NOT DISTINCT FROM n.{key}" for key in keys)
        source += f" JOIN shoal_groups AS n ON {same}"
    outputs = [f"CAST({person} - ({seen.lowest}) AS INTEGER)" if seen.dense else person]
    outputs += [f"CAST({name} AS BIGINT)" for name in added]
    outputs += ["g"] * bool(keys)
    found = connection.sql(f"SELECT {', '.join(outputs)} FROM {source}").to_arrow_table()
    persons, *others = found.columns
    if seen.dense:
        numbers, people = persons.to_numpy(), seen.highest - seen.lowest + 1
    else:
        numbers, people = _numbered(persons)
    columns = [each.to_numpy() for each in others]
    places = columns.pop() if keys else None
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
    connection: duckdb.DuckDBPyConnection, rows: str, keys: list[str], person: str, kind: Type
) -> tuple[list[tuple[Value, ...]], _Seen]:
    """Every key that rows have, numbered in a table shoal_groups, and what was seen of persons."""
    ends = (f"MIN({person})", f"MAX({person})") if kind == INTEGER else ("0", f"{_MOST_PEOPLE}")
    seen = f"COUNT(*) AS c, COUNT({person}) AS p, {ends[0]} AS lo, {ends[1]} AS hi"
    grouped = f"SELECT {', '.join([*keys, seen])} FROM ({rows})"
    if keys:
        grouped += f" GROUP BY {', '.join(keys)}"
    numbered = f"SELECT *, CAST(row_number() OVER () - 1 AS INTEGER) AS g FROM ({grouped})"
    connection.execute(f"CREATE OR REPLACE TEMP TABLE shoal_groups AS {numbered}")
    found = connection.execute(
        "SELECT COALESCE(SUM(c), 0), COALESCE(SUM(p), 0), COALESCE(MIN(lo), 0), COALESCE(MAX(hi), 0) "
        "FROM shoal_groups"
    ).fetchall()
    seen_all = _Seen(*map(int, found[0]))
    if not keys:
        return [()], seen_all
    listed = f"SELECT {', '.join(keys)} FROM shoal_groups ORDER BY g"
    return connection.execute(listed).fetchall(), seen_all


def _numbered(column: Any) -> tuple[NDArray[np.int32], int]:
    """Persons by number, and how many numbers there are; all rows without a person are one person's."""
    import pyarrow as pa  # noqa: PLC0415 - heavy

    coded = column.dictionary_encode().unify_dictionaries()
    known = len(coded.chunk(0).dictionary)
    indices = pa.chunked_array([chunk.indices for chunk in coded.chunks])
    return indices.fill_null(known).to_numpy(), known + 1
