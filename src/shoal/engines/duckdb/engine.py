"""DuckDB as an engine: sources become views in our types, relations become one SELECT over them."""

from __future__ import annotations

from collections.abc import Mapping
from threading import Lock
from typing import TYPE_CHECKING, Any

from shoal.engines.duckdb.connection import locked, opened
from shoal.engines.duckdb.dialect import DUCKDB
from shoal.engines.duckdb.sources import DuckTable, FileOf, attach, readable
from shoal.engines.duckdb.types import Loss, Reading, reading_of
from shoal.engines.sql import names_of, persons_of, select
from shoal.errors import ShoalError, SourceError
from shoal.plan import Column, Person, Rows, Table, Value, tables_of

if TYPE_CHECKING:
    import duckdb


class DuckDB:
    """Named sources, fixed once, and the relations over them.

    A source is a path to Parquet or CSV, an Arrow table, a pandas or polars frame, or a `DuckTable`.
    Once made, the engine reads these and no other file, and fetches nothing.

    >>> import pyarrow as pa
    >>> engine = DuckDB({"people": pa.table({"age": [41, None], "tags": [["x"], []]})})
    >>> [str(column) for column in engine.columns("people")], dict(engine.left_out("people"))
    (['age integer'], {'tags': 'VARCHAR[]'})
    """

    def __init__(
        self,
        sources: Mapping[str, object],
        *,
        threads: int | None = None,
        memory: str | None = None,
    ) -> None:
        found = {name: readable(source, name) for name, source in sources.items()}
        self._connection = _connection_for(found, threads, memory)
        self._lock = Lock()  # a connection serves one thread at a time
        self._readings: dict[str, dict[str, Reading]] = {}
        self._left_out: dict[str, dict[str, str]] = {}
        self._views: dict[str, str] = {}
        for at, (name, source) in enumerate(found.items()):
            self._make_view(name, attach(self._connection, source, name, at), at)
        if not any(_borrowed(source) for source in found.values()):
            paths = [path for s in found.values() if isinstance(s, FileOf) for path in s.paths]
            locked(self._connection, paths)

    def _make_view(self, name: str, written: str, at: int) -> None:
        described = _guarded(
            self._connection,
            f"SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM {written})",
        )
        readings = {column: reading_of(kind) for column, kind in described}
        self._readings[name] = {c: reading for c, reading in readings.items() if reading}
        self._left_out[name] = {c: kind for c, kind in described if not readings[c]}
        if not self._readings[name]:
            raise SourceError(
                f"the source of {name!r} has no column of a type that can be used.",
                remedy="Give numbers, texts, truth values, dates or timestamps.",
            )
        columns = ", ".join(
            f"{reading.sql.format(DUCKDB.name(column))} AS {DUCKDB.name(column)}"
            for column, reading in self._readings[name].items()
        )
        self._views[name] = f"shoal_view_{at}"
        sql = f"CREATE TEMP VIEW shoal_view_{at} AS SELECT {columns} FROM {written}"
        _guarded(self._connection, sql)

    def columns(self, table: str) -> tuple[Column, ...]:
        return tuple(Column(name, reading.type) for name, reading in self._readings[table].items())

    def left_out(self, table: str) -> Mapping[str, str]:
        return self._left_out[table]

    def rows(self, relation: Rows, *, persons: bool = False) -> list[tuple[Value, ...]]:
        outputs = [*names_of(relation).values(), *(persons_of(relation) if persons else ())]
        return self.run(f"SELECT {', '.join(outputs)} FROM ({self.sql(relation)})")

    def sql(self, relation: Rows) -> str:
        """The SELECT that computes a relation: columns c0, c1, ..., the person's key p0, p1, ..."""
        for table in tables_of(relation).values():
            self._check(table)
        return select(relation, self._views, DUCKDB)

    def run(self, sql: str) -> list[tuple[Any, ...]]:
        """Run a SELECT made of `sql` and give its rows; an error of the engine is told without its text."""
        with self._lock:
            return _guarded(self._connection, sql)

    def arrow(self, sql: str) -> Any:
        """Run a SELECT made of `sql` and give an Arrow table."""
        with self._lock:
            return _told(lambda: self._connection.execute(sql).to_arrow_table())

    def _check(self, table: Table) -> None:
        readings = self._readings.get(table.name)
        if readings is None:
            raise SourceError(
                f"the engine has no source for table {table.name!r}.",
                remedy="Give a source for it when making the engine.",
            )
        for column in table.columns:
            reading = readings.get(column.name)
            if reading is None or reading.type != column.type:
                found = reading.type if reading else "no type that can be used"
                raise SourceError(
                    f"column {column.name!r} of table {table.name!r} is stated as {column.type}; "
                    f"its source has {found}.",
                    remedy="State the columns as `engine.columns` finds them.",
                )
            if column.person is not None and isinstance(table.protects, Person):
                _check_person(column, reading, table.protects)


def _check_person(column: Column, reading: Reading, person: Person) -> None:
    merges = reading.loss is Loss.TO_NULL and person.nulls == "one"
    if reading.loss is Loss.DISTINCTION or merges:
        raise SourceError(
            f"column {column.name!r} cannot say who a row belongs to: {reading.loss.value}.",
            remedy="Use a column of 64-bit integers or text, or nulls='drop'.",
        )


def _borrowed(source: object) -> bool:
    return isinstance(source, DuckTable) and hasattr(source.database, "cursor")


def _connection_for(
    sources: Mapping[str, object], threads: int | None, memory: str | None
) -> duckdb.DuckDBPyConnection:
    """A connection of our own, or another one to the database that was handed over open."""
    borrowed = [s.database for s in sources.values() if isinstance(s, DuckTable) and _borrowed(s)]
    if any(other is not borrowed[0] for other in borrowed):
        raise SourceError(
            "tables of two open connections cannot be read together.",
            remedy="Attach both databases to one connection.",
        )
    return borrowed[0].cursor() if borrowed else opened(threads=threads, memory=memory)


def _guarded(connection: duckdb.DuckDBPyConnection, sql: str) -> list[tuple[Any, ...]]:
    found: list[tuple[Any, ...]] = _told(lambda: connection.execute(sql).fetchall())
    return found


def _told(act: Any) -> Any:
    """Do something with the engine; its errors may quote data, so only their kind is told."""
    import duckdb  # noqa: PLC0415 - heavy

    try:
        return act()
    except ShoalError:
        raise
    except (duckdb.Error, UnicodeError, OverflowError, ValueError) as error:
        kind = type(error).__name__
    raise SourceError(
        f"the engine could not read the rows ({kind}).",
        remedy="Check that the source is whole and fits into memory.",
    )
