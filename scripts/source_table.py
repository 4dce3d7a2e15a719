"""The table of docs/sources.md: what each source makes of each type, found by opening neighbouring
tables.

    python -m scripts.source_table        writes the table into the page

Every line is tried: a table of plain values, and the same with one more row that holds a hostile
value.
"""

from __future__ import annotations

import datetime as dt
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
from pyarrow import parquet

import shoal
from shoal.engines.duckdb import DuckDB, DuckTable
from shoal.engines.source_reading import check_stated
from shoal.errors import ShoalError
from shoal.plan import Person, Scan, Table

PAGE = Path(__file__).parent.parent / "docs" / "sources.md"
START, END = "<!-- table: scripts/source_table.py -->", "<!-- end of the table -->"

Source = Callable[[Sequence[Any], Path], object]


@dataclass(frozen=True)
class Case:
    """A source and a type, plain values of it, and values that a row might hold beside them."""

    source: str
    declared: str
    make: Source
    plain: tuple[Any, ...]
    hostile: tuple[tuple[str, Any], ...] = ()


@dataclass(frozen=True)
class Found:
    """What became of a case: the type, the fate of each hostile value, and whether the column can
    name persons.
    """

    type: str
    fates: tuple[tuple[str, str], ...]
    persons: str

    def __str__(self) -> str:
        fates = "; ".join(f"{value}: {fate}" for value, fate in self.fates)
        return f"{self.type} | {fates or '-'} | {self.persons}"


NOON = dt.datetime(2026, 1, 2, 12)  # noqa: DTZ001 - moments in the data have no zone
DAY = dt.date(2026, 1, 2)
BROKEN = b"\xff"


def arrow(kind: Any) -> Source:
    return lambda values, _: _table(values, kind)


def _table(values: Sequence[Any], kind: Any) -> Any:
    return pa.table({"x": _array(values, kind), "y": list(range(len(values)))})


def _array(values: Sequence[Any], kind: Any) -> Any:
    if kind == pa.string() and any(isinstance(value, bytes) for value in values):
        held = pa.array([v if isinstance(v, bytes) else v.encode() for v in values], pa.binary())
        return pa.Array.from_buffers(pa.string(), len(held), held.buffers())
    return pa.array(values, kind)


def parquet_file(kind: Any, **options: Any) -> Source:
    def make(values: Sequence[Any], folder: Path) -> object:
        path = folder / f"{len(list(folder.iterdir()))}.parquet"
        parquet.write_table(_table(values, kind), path, **options)
        return path

    return make


def parquet_folder(first: Any, other: Any) -> Source:
    """The plain values in one file; what comes after them in another, of another type."""

    def make(values: Sequence[Any], folder: Path) -> object:
        inside = folder / str(len(list(folder.iterdir())))
        inside.mkdir()
        parquet.write_table(pa.table({"x": pa.array(values[:2], first)}), inside / "a.parquet")
        if len(values) > 2:
            parquet.write_table(pa.table({"x": pa.array(values[2:], other)}), inside / "b.parquet")
        return str(inside / "*.parquet")

    return make


def csv_file(declared: str) -> Source:
    def make(values: Sequence[Any], folder: Path) -> object:
        path = folder / f"{len(list(folder.iterdir()))}.csv"
        cells = [v if isinstance(v, bytes) else str(v).encode() for v in values]
        path.write_bytes(b"x,y\n" + b"".join(b"%b,0\n" % cell for cell in cells))
        return shoal.CsvFile(path, {"x": declared, "y": "integer"})

    return make


def pandas_frame(dtype: Any) -> Source:
    return lambda values, _: pd.DataFrame({"x": pd.Series(list(values), dtype=dtype)})


def polars_frame(kind: Any) -> Source:
    return lambda values, _: pl.DataFrame({"x": pl.Series(list(values), dtype=kind)})


def duck_table(declared: str) -> Source:
    def make(values: Sequence[Any], _: Path) -> object:
        connection = duckdb.connect()
        connection.execute(f"CREATE TABLE t (x {declared})")
        for value in values:
            connection.execute("INSERT INTO t VALUES (?)", [value])
        return DuckTable(connection, "t")

    return make


INFINITE = (("infinity", float("inf")), ("NaN", float("nan")))
FAR = (("9999-12-31", dt.date(9999, 12, 31)),)
CASES = (
    Case(
        "CSV",
        "integer",
        csv_file("integer"),
        (1, 2),
        (("1.5", "1.5"), ("1_000", "1_000"), ("2^63", 2**63), ("abc", "abc"), ("nothing", "")),
    ),
    Case(
        "CSV",
        "real",
        csv_file("real"),
        (1.5, 2),
        (("1e999", "1e999"), ("nan", "nan"), ("abc", "abc")),
    ),
    Case(
        "CSV",
        "decimal(2)",
        csv_file("decimal(2)"),
        ("1.25", "2"),
        (("1.255", "1.255"), ("abc", "abc")),
    ),
    Case(
        "CSV",
        "text",
        csv_file("text"),
        ("a", "b"),
        (
            ("7", "7"),
            ("nothing", ""),
            ("not UTF-8", BROKEN),
            ("one cell more", "a,b"),
            ("open quote", '"a'),
        ),
    ),
    Case("CSV", "boolean", csv_file("boolean"), ("true", "false"), (("maybe", "maybe"),)),
    Case(
        "CSV",
        "date",
        csv_file("date"),
        (DAY, DAY),
        (("2026-13-01", "2026-13-01"), ("01/02/2026", "01/02/2026")),
    ),
    Case(
        "CSV",
        "timestamp",
        csv_file("timestamp"),
        (NOON, NOON),
        (("nanoseconds", "2026-01-02 12:00:00.123456789"), ("a date", "2026-01-02")),
    ),
    Case("Parquet", "int64", parquet_file(pa.int64()), (1, 2)),
    Case("Parquet", "uint64", parquet_file(pa.uint64()), (1, 2), (("2^63", 2**63),)),
    Case("Parquet", "double", parquet_file(pa.float64()), (1.5, 2.0), INFINITE),
    Case(
        "Parquet", "decimal(9, 2)", parquet_file(pa.decimal128(9, 2)), (Decimal("1.25"), Decimal(2))
    ),
    Case(
        "Parquet",
        "decimal(38, 2)",
        parquet_file(pa.decimal128(38, 2)),
        (Decimal("1.25"), Decimal(2)),
    ),
    Case("Parquet", "string", parquet_file(pa.string()), ("a", "b"), (("not UTF-8", BROKEN),)),
    Case("Parquet", "binary", parquet_file(pa.binary()), (b"a", b"b")),
    Case("Parquet", "date", parquet_file(pa.date32()), (DAY, DAY), FAR),
    Case("Parquet", "timestamp in microseconds", parquet_file(pa.timestamp("us")), (NOON, NOON)),
    Case(
        "Parquet",
        "timestamp in nanoseconds",
        parquet_file(pa.timestamp("ns")),
        (0, 1000),
        (("1 ns", 1),),
    ),
    Case(
        "Parquet",
        "INT96",
        parquet_file(pa.timestamp("ns"), use_deprecated_int96_timestamps=True),
        (0, 1000),
        (("1 ns", 1),),
    ),
    Case(
        "Parquet, several files",
        "int64",
        parquet_folder(pa.int64(), pa.float64()),
        (1, 2),
        (("a file with double", 1.5),),
    ),
    Case(
        "Parquet, several files",
        "string",
        parquet_folder(pa.string(), pa.int64()),
        ("7", "8"),
        (("a file with int64", 7),),
    ),
    Case("Arrow", "int64", arrow(pa.int64()), (1, 2)),
    Case("Arrow", "float16", arrow(pa.float16()), (1.5, 2.0), INFINITE),
    Case("Arrow", "string", arrow(pa.string()), ("a", "b"), (("not UTF-8", BROKEN),)),
    Case("Arrow", "timestamp in nanoseconds", arrow(pa.timestamp("ns")), (0, 1000), (("1 ns", 1),)),
    Case("Arrow", "null", arrow(pa.null()), (None, None)),
    Case("pandas", "int64", pandas_frame("int64"), (1, 2)),
    Case("pandas", "float64", pandas_frame("float64"), (1.5, 2.0), INFINITE),
    Case("pandas", "string", pandas_frame("string"), ("a", "b")),
    Case(
        "pandas",
        "datetime64[ns]",
        pandas_frame("datetime64[ns]"),
        (NOON, NOON),
        (("1 ns", pd.Timestamp(1)),),
    ),
    Case(
        "pandas",
        "object, whole numbers",
        pandas_frame(object),
        (1, 2),
        (("2^63", 2**63), ("1.5", 1.5), ("'a'", "a"), ("Decimal", Decimal(1))),
    ),
    Case(
        "pandas",
        "object, texts",
        pandas_frame(object),
        ("a", "b"),
        (("7", 7), ("half a surrogate pair", "\ud800")),
    ),
    Case(
        "pandas",
        "object, datetimes",
        pandas_frame(object),
        (NOON, NOON),
        (("a date", DAY), ("1 ns", pd.Timestamp(1)), ("9999-12-31", dt.datetime(9999, 12, 31))),  # noqa: DTZ001
    ),
    Case("pandas", "object, dates", pandas_frame(object), (DAY, DAY), (("a datetime", NOON), *FAR)),
    Case("pandas", "object, decimals", pandas_frame(object), (Decimal("1.25"), Decimal(2))),
    Case("pandas", "object, all missing", pandas_frame(object), (None, None), (("'a'", "a"),)),
    Case("polars", "Int64", polars_frame(pl.Int64), (1, 2)),
    Case("polars", "String", polars_frame(pl.String), ("a", "b")),
    Case(
        "polars",
        "Datetime in nanoseconds",
        polars_frame(pl.Datetime("ns")),
        (0, 1000),
        (("1 ns", 1),),
    ),
    Case("DuckDB", "BIGINT", duck_table("BIGINT"), (1, 2)),
    Case("DuckDB", "HUGEINT", duck_table("HUGEINT"), (1, 2), (("2^63", 2**63),)),
    Case("DuckDB", "VARCHAR", duck_table("VARCHAR"), ("a", "b")),
    Case(
        "DuckDB",
        "TIMESTAMP_NS",
        duck_table("TIMESTAMP_NS"),
        ("2026-01-02", "2026-01-03"),
        (("1 ns", "1970-01-01 00:00:00.000000001"),),
    ),
)


def found(case: Case, folder: Path) -> Found:
    """What becomes of a case; a hostile row may be refused, and changes no type and no other
    row.
    """
    try:
        kind, rows, persons = _opened(case.make(case.plain, folder))
    except (ShoalError, ValueError):
        return Found("refused", (), "-")
    fates = []
    for told, value in case.hostile:
        try:
            other, more, _ = _opened(case.make((*case.plain, value), folder))
        except ShoalError:
            fates.append((told, "refused"))
            continue
        added = _added(more, rows)
        if other != kind or added is None:
            raise AssertionError(f"{case.source} {case.declared}: {told} changes other rows")
        fates.append(
            (
                told,
                "NULL"
                if added[0] is None
                else "kept"
                if kind != "timestamp"
                else _moment(added[0]),
            )
        )
    return Found(kind, tuple(fates), persons)


def _moment(value: object) -> str:
    return "cut to a microsecond" if value == dt.datetime(1970, 1, 1) else "kept"  # noqa: DTZ001


def _added(more: list[Any], rows: list[Any]) -> Any:
    """The one row that a table has beside those of another; None if there is not just one."""
    rest = list(more)
    for row in rows:
        if row not in rest:
            return None
        rest.remove(row)
    return rest[0] if len(rest) == 1 else None


def _opened(source: object) -> tuple[str, list[Any], str]:
    """The type of column x, all rows, and whether x can name persons; as `shoal.private` opens
    it.
    """
    held = shoal.private(source, protects=shoal.Row(), budget=shoal.Pure(1), name="t")
    (table,) = held.tables.values()
    engine = DuckDB({"t": source})
    if "x" not in {each.name for each in table.columns}:
        return "left out", [], "no"
    column = table.column("x")
    rows = [row[:1] for row in engine.rows(Scan(Table("t", table.columns)))]
    return str(column.type), rows, _persons(engine, table)


def _persons(engine: DuckDB, table: Table) -> str:
    for nulls, told in (("one", "yes"), ("drop", "yes, with nulls='drop'")):
        try:
            unit = Person("x", nulls=nulls)  # type: ignore[arg-type]
            check_stated(Table("t", table.columns, protects=unit), engine._readings["t"])  # noqa: SLF001
        except ShoalError:
            continue
        return told
    return "no"


def table() -> str:
    """The table as Markdown."""
    return "\n".join(_lines())


def _lines() -> Iterator[str]:
    yield "| source | the column is declared as | read as | one more row with | can identify persons |"
    yield "|---|---|---|---|---|"
    with tempfile.TemporaryDirectory() as folder:
        for at, case in enumerate(CASES):
            own = Path(folder) / str(at)
            own.mkdir()
            yield f"| {case.source} | {case.declared} | {found(case, own)} |"


def with_table(page: str) -> str:
    """The page with the table of today in it."""
    before, _, rest = page.partition(START)
    _, _, after = rest.partition(END)
    return f"{before}{START}\n{table()}\n{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text()))
