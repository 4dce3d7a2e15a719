"""Where rows may come from: files, frames, Arrow tables, and tables of a DuckDB database; and DuckDB's
types as ours, with the SQL that reads each: NaN, infinities and what does not fit are NULL.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.engines.csv_file import CsvFile, as_csv, is_csv
from shoal.engines.duckdb.csv_reading import complete, typed_sql
from shoal.engines.duckdb.dialect import DUCKDB
from shoal.engines.duckdb.held_tables import made_table
from shoal.engines.frames import KINDS, TO_NULL, as_arrow
from shoal.engines.held_rows import HeldRows
from shoal.engines.source_reading import (
    DAYS,
    ColumnReading,
    Loss,
    check_names,
    check_plain,
    found_at,
    is_plain,
)
from shoal.errors import SourceError
from shoal.plan import BOOLEAN, INTEGER, REAL, TEXT, TIMESTAMP, decimal

if TYPE_CHECKING:
    import duckdb


@dataclass(frozen=True)
class DuckTable:
    """A table of a DuckDB database: a file, opened for reading only, or a connection that is
    open.
    """

    database: Any
    table: str


@dataclass(frozen=True)
class FileOf:
    """Files that DuckDB reads itself."""

    reader: str
    paths: tuple[str, ...]

    @property
    def listed(self) -> str:
        """The paths as a list in SQL."""
        return "[" + ", ".join("'" + path.replace("'", "''") + "'" for path in self.paths) + "]"

    @property
    def sql(self) -> str:
        """Columns as the files have them: none from the names of folders, and moments to the
        nanosecond.
        """
        return f"{self.reader}({self.listed}, hive_partitioning=false, union_by_name=false, int96_as='timestamp_ns')"


Readable = FileOf | CsvFile | DuckTable | Any
"""What a source becomes before it is read: files, a table of a database, or an Arrow table."""


def readable(source: object, name: str) -> Readable:
    """A source as something DuckDB can read; refused in words that quote nothing of its
    contents.
    """
    if is_csv(source):
        return complete(as_csv(source), {}, name)
    if isinstance(source, str | Path):
        return _files(str(source), name)
    if isinstance(source, DuckTable | FileOf | HeldRows):
        return source
    return as_arrow(source, name)


def _files(path: str, name: str) -> FileOf:
    if Path(path).suffix.lower() != ".parquet":
        raise SourceError(
            f"the source of {name!r} is not a kind of file that can be read.",
            remedy=f"Give {KINDS}.",
        )
    found = found_at(Path(path))
    check_plain(found, name)
    return FileOf("read_parquet", tuple(map(str, found)))


def check_schemas(connection: duckdb.DuckDBPyConnection, source: FileOf, name: str) -> None:
    """Refuse Parquet files that differ in the names or types of their columns, and names that SQL
    would mix up.

    DuckDB would impose the columns of the first file on all others, and cast what their rows hold.
    """
    import duckdb  # noqa: PLC0415 - heavy

    asked = (
        "SELECT file_name, name, num_children, type, type_length, converted_type, logical_type, scale, precision "
        f"FROM parquet_schema({source.listed}) ORDER BY file_name, column_id"
    )
    try:
        found = connection.execute(asked).fetchall()
    except duckdb.Error:
        raise SourceError(
            f"the source of {name!r} is not whole: a file of it is not Parquet.",
            remedy="Write it again.",
        ) from None
    schemas: dict[str, list[tuple[Any, ...]]] = {}
    for file, *element in found:
        schemas.setdefault(file, []).append(tuple(element))
    first, *others = schemas.items()
    check_names([label for label, *_ in _top(first[1])], name)
    for file, schema in others:
        if schema[1:] != first[1][1:]:
            raise _different(name, first, (file, schema))


def _top(schema: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """The columns themselves: an element with children is followed by them."""
    found, at = [], 1
    while at < len(schema):
        found.append(schema[at])
        inside = 1
        while inside:  # walk over the children, and theirs
            inside += int(schema[at][1] or 0) - 1
            at += 1
    return found


def _different(name: str, one: Any, other: Any) -> SourceError:
    (file, schema), (second, differing) = one, other
    pairs = zip_longest(_top(schema), _top(differing))
    ours, theirs = next(((a, b) for a, b in pairs if a != b), (None, None))
    label = (theirs or ours or ("",))[0]
    return SourceError(
        f"the files of {name!r} have different columns: {str(label)[:60]!r} is not the same in "
        f"{Path(file).name} and {Path(second).name}.",
        remedy="Write all files with the same columns, in the same order and of the same types.",
    )


def attach(connection: duckdb.DuckDBPyConnection, source: Readable, name: str, at: int) -> str:
    """Make a source known to a connection; how it is written in FROM."""
    import duckdb  # noqa: PLC0415 - heavy

    if isinstance(source, FileOf):
        check_schemas(connection, source, name)
        return source.sql
    if isinstance(source, CsvFile):
        return typed_sql(source)
    if isinstance(source, HeldRows):
        made_table(connection, source, f"shoal_held_{at}")
        return f"shoal_held_{at}"
    if not isinstance(source, DuckTable):
        return _registered(connection, source, name, f"shoal_arrow_{at}")
    path, table = Path(source.database), DUCKDB.name(source.table)
    if not is_plain(path):
        raise SourceError(f"the database of {name!r} is not there.", remedy="Check the path.")
    quoted = str(path.absolute()).replace("'", "''")
    try:
        connection.execute(f"ATTACH '{quoted}' AS shoal_database_{at} (READ_ONLY)")
    except duckdb.Error:
        raise SourceError(
            f"the database of {name!r} cannot be opened.",
            remedy="Check that it is a DuckDB file, and that no other program has it open for writing.",
        ) from None
    return f"shoal_database_{at}.{table}"


def _registered(connection: duckdb.DuckDBPyConnection, table: Any, name: str, called: str) -> str:
    import duckdb  # noqa: PLC0415 - heavy

    try:
        connection.register(called, table)
    except duckdb.Error:
        raise SourceError(
            f"the frame of {name!r} has a column of a type that DuckDB does not know.",
            remedy="Leave the column out, or give it a type of numbers, texts, truth values, dates or timestamps.",
        ) from None
    return called


def enums_of(source: DuckTable) -> dict[str, list[str]]:
    """The values that the type of each column of a table lists; no row is read."""
    import duckdb  # noqa: PLC0415 - heavy

    borrowed = hasattr(source.database, "cursor")
    try:
        connection = (
            source.database.cursor()
            if borrowed
            else duckdb.connect(str(source.database), read_only=True)
        )
    except duckdb.Error:
        raise SourceError(
            "the database cannot be opened.",
            remedy="Check that it is a DuckDB file, and that no other program has it open for writing.",
        ) from None
    try:
        asked = f"SELECT * FROM {DUCKDB.name(source.table)} LIMIT 0"
        columns = connection.execute(asked).description or []
    except duckdb.Error:
        raise SourceError(
            f"the database has no table {source.table[:60]!r}.", remedy="Check its name."
        ) from None
    finally:
        connection.close()
    return {
        name: list(dict(kind.children)["values"]) for name, kind, *_ in columns if kind.id == "enum"
    }


def read_in_part(source: object) -> frozenset[str]:
    """The columns of a source whose values may be NULL because they did not fit: typed cells of
    CSV, objects of pandas.
    """
    if isinstance(source, CsvFile):
        return frozenset(name for name, kind in source.types.items() if kind != TEXT)
    return frozenset(
        each.name
        for each in getattr(source, "schema", ())
        if each.metadata and TO_NULL.items() <= each.metadata.items() and not _is_text(each.type)
    )


def _is_text(kind: Any) -> bool:
    return str(kind) == "string"  # bytes that are no text were refused


# types

_SMALL_INTEGERS = {"TINYINT", "SMALLINT", "INTEGER", "UTINYINT", "USMALLINT", "UINTEGER"}
_WIDE_INTEGERS = {"UBIGINT", "HUGEINT", "UHUGEINT", "BIGNUM"}
_FIRST_MOMENT, _LAST_MOMENT = (
    "TIMESTAMP '0001-01-01 00:00:00'",
    "TIMESTAMP '9999-12-31 23:59:59.999999'",
)
_MOMENTS = {
    "TIMESTAMP": "{0}",
    "TIMESTAMP_S": "TRY_CAST({0} AS TIMESTAMP)",
    "TIMESTAMP_MS": "TRY_CAST({0} AS TIMESTAMP)",
    "TIMESTAMP WITH TIME ZONE": "MAKE_TIMESTAMP(CASE WHEN ISFINITE({0}) THEN EPOCH_US({0}) END)",
}


def reading_of(written: str) -> ColumnReading | None:
    """How a column of a DuckDB type is read; None if it has no type of ours.

    >>> reading_of("DECIMAL(9,2)").type, reading_of("BLOB")
    (Type(kind=<Kind.DECIMAL: 'decimal'>, scale=2), None)
    """
    if written == "BIGINT":
        return ColumnReading(INTEGER, "{0}")
    if written in _SMALL_INTEGERS:
        return ColumnReading(INTEGER, "CAST({0} AS BIGINT)")
    if written in _WIDE_INTEGERS:
        return ColumnReading(INTEGER, "TRY_CAST({0} AS BIGINT)", Loss.TO_NULL)
    if written in ("FLOAT", "DOUBLE"):
        real = "CASE WHEN ISFINITE({0}) THEN CAST({0} AS DOUBLE) END"
        return ColumnReading(REAL, real, Loss.TO_NULL)
    if written == "BOOLEAN":
        return ColumnReading(BOOLEAN, "{0}")
    if written in ("VARCHAR", "UUID") or written.startswith("ENUM("):
        return ColumnReading(TEXT, "CAST({0} AS VARCHAR)")
    if written == "DATE":
        return DAYS
    return _moment(written) or _decimal(written)


def _moment(written: str) -> ColumnReading | None:
    loss = Loss.TO_NULL
    if written == "TIMESTAMP_NS":  # towards the past, as everywhere
        nanos = "CAST(CASE WHEN ISFINITE({0}) THEN EPOCH_NS({0}) END AS HUGEINT)"
        below = f"(({nanos} - ((({nanos} % 1000) + 1000) % 1000)) // 1000)"
        sql = f"MAKE_TIMESTAMP(CAST({below} AS BIGINT))"
        loss = Loss.DISTINCTION
    elif written in _MOMENTS:
        sql = _MOMENTS[written]
    else:
        return None
    inside = f"CASE WHEN {sql} BETWEEN {_FIRST_MOMENT} AND {_LAST_MOMENT} THEN {sql} END"
    return ColumnReading(TIMESTAMP, inside, loss)


def _decimal(written: str) -> ColumnReading | None:
    found = re.fullmatch(r"DECIMAL\((\d+),\s*(\d+)\)", written)
    if not found:
        return None
    width, scale = int(found[1]), int(found[2])
    if scale == 0:
        return ColumnReading(INTEGER, "TRY_CAST({0} AS BIGINT)", Loss.TO_NULL)
    if width > 18:
        return ColumnReading(REAL, "CAST(CAST({0} AS VARCHAR) AS DOUBLE)", Loss.DISTINCTION)
    power = f"CAST({10**scale} AS DECIMAL(19,0))"
    units = f"CAST(CAST({{0}} AS DECIMAL(38,{scale})) * {power} AS BIGINT)"
    return ColumnReading(decimal(scale), units)
