"""DuckDB: every source, every type, hostile names, and nothing reached but what was given."""

from __future__ import annotations

import datetime as dt
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.engines import CsvFile
from shoal.engines.duckdb import DuckDB, DuckTable
from shoal.engines.duckdb.sources import reading_of
from shoal.engines.reference import Reference
from shoal.errors import SourceError
from shoal.plan import (
    INTEGER,
    REAL,
    TEXT,
    Choices,
    Literal,
    Person,
    Project,
    Ref,
    Row,
    Scan,
    Table,
    call,
    column,
)

DATA = pa.table(
    {"name": ["ann", "bob", None], "age": [41, None, 7], "spend": [1.5, float("inf"), None]}
)
PLAIN = [("ann", 41, 1.5), ("bob", None, None), (None, 7, None)]


def everything(engine: DuckDB, name: str = "t") -> list[tuple[Any, ...]]:
    scan = Scan(Table(name, engine.columns(name), protects=Row()))
    return sorted(engine.rows(scan), key=repr)


def source_of(kind: str, folder: Path) -> object:
    path = str(folder / f"it's a table.{kind}")
    match kind:
        case "parquet":
            pq.write_table(DATA, path)
            return path
        case "csv":
            Path(path).write_text("name,age,spend\nann,41,1.5\nbob,,\n,7,\n")
            return CsvFile(path, {"name": "text", "age": "integer", "spend": "real"})
        case "duckdb":
            with duckdb.connect(path) as connection:
                connection.register("held", DATA)
                connection.execute('CREATE TABLE "odd; name" AS SELECT * FROM held')
            return DuckTable(path, "odd; name")
        case "connection":
            connection = duckdb.connect()
            connection.register("held", DATA)
            connection.execute("CREATE TABLE kept AS SELECT * FROM held")
            return DuckTable(connection, "kept")
        case "pandas":
            return pd.DataFrame(
                {
                    "name": ["ann", "bob", None],
                    "age": pd.array([41, None, 7], "Int64"),
                    "spend": [1.5, float("inf"), None],
                }
            )
        case "polars":
            return pl.from_arrow(DATA)
        case "batch":
            return DATA.to_batches()[0]
    return DATA


@pytest.mark.parametrize(
    "kind", ["parquet", "csv", "duckdb", "connection", "pandas", "polars", "batch", "arrow"]
)
def test_every_kind_of_source_gives_the_same_rows(kind: str, tmp_path: Path) -> None:
    engine = DuckDB({"t": source_of(kind, tmp_path)})
    assert [(c.name, c.type) for c in engine.columns("t")] == [
        ("name", TEXT),
        ("age", INTEGER),
        ("spend", REAL),
    ]
    assert everything(engine) == sorted(PLAIN, key=repr)


def test_many_files_are_one_table(tmp_path: Path) -> None:
    for at in range(3):
        pq.write_table(DATA, tmp_path / f"part{at}.parquet")
    assert len(everything(DuckDB({"t": str(tmp_path / "part*.parquet")}))) == 9


HOSTILE = {
    "TINYINT": ["127", "-128"],
    "UINTEGER": ["4294967295"],
    "UBIGINT": ["18446744073709551615", "9223372036854775807"],
    "HUGEINT": ["170141183460469231731687303715884105727", "-9223372036854775808"],
    "FLOAT": ["'nan'", "'inf'", "0.1", "3.4028235e38", "-0.0"],
    "DOUBLE": ["'nan'", "'-inf'", "5e-324", "1.7976931348623157e308"],
    "DECIMAL(18,2)": ["9999999999999999.99", "-0.01"],
    "DECIMAL(18,18)": ["0.999999999999999999", "-0.000000000000000001"],
    "DECIMAL(38,0)": ["99999999999999999999999999999999999999", "5"],
    "DECIMAL(38,10)": ["9999999999999999999999999999.9999999999", "0.1", "-1234567.8901234567"],
    "VARCHAR": ["''", "'it''s'", "'🤦'"],
    "BOOLEAN": ["true"],
    "UUID": ["'6ccd780c-baba-1026-9564-5b8c656024db'"],
    "DATE": ["'infinity'", "'-infinity'", "'5877642-06-25 (BC)'", "'10000-01-01'", "'9999-12-31'", "'0001-01-01'", "'0001-12-31 (BC)'"],
    "TIMESTAMP": ["'infinity'", "'-infinity'", "'294247-01-10 04:00:54.775806'", "'0001-01-01'", "'1969-12-31 23:59:59.999999'"],
    "TIMESTAMP_S": ["'infinity'", "'294247-01-10'", "'2000-02-29 12:00:00'"],
    "TIMESTAMP_MS": ["'infinity'", "'294247-01-10'", "'1969-12-31 23:59:59.999'"],
    "TIMESTAMP_NS": ["'2262-04-11 23:47:16.854775806'", "'1969-12-31 23:59:59.999999999'", "'1677-09-22 00:00:00'"],
    "TIMESTAMP WITH TIME ZONE": ["'infinity'", "'-infinity'", "'2020-01-01 00:00:00+02'", "'294247-01-10 04:00:54.775806+00'"],
}  # fmt: skip
EXPECTED: dict[str, list[Any]] = {
    "UBIGINT": [None, 2**63 - 1],
    "HUGEINT": [None, -(2**63)],
    "FLOAT": [None, None, 0.10000000149011612, 3.4028234663852886e38, 0.0],
    "DOUBLE": [None, None, 5e-324, 1.7976931348623157e308],
    "DECIMAL(18,2)": [999999999999999999, -1],
    "DECIMAL(18,18)": [999999999999999999, -1],
    "DECIMAL(38,0)": [None, 5],
    "DECIMAL(38,10)": [1e28, 0.1, float(Decimal("-1234567.8901234567"))],
    "DATE": [None, None, None, None, dt.date.max, dt.date.min, None],
    "TIMESTAMP": [None, None, None, dt.datetime.min, dt.datetime(1969, 12, 31, 23, 59, 59, 999999)],
    "TIMESTAMP_S": [None, None, dt.datetime(2000, 2, 29, 12)],
    "TIMESTAMP_MS": [None, None, dt.datetime(1969, 12, 31, 23, 59, 59, 999000)],
    "TIMESTAMP_NS": [
        dt.datetime(2262, 4, 11, 23, 47, 16, 854775),
        dt.datetime(1969, 12, 31, 23, 59, 59, 999999),
        dt.datetime(1677, 9, 22),
    ],
    "TIMESTAMP WITH TIME ZONE": [None, None, dt.datetime(2019, 12, 31, 22), None],
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", HOSTILE)
def test_every_type_is_read_without_fail_and_what_does_not_fit_is_null(kind: str) -> None:
    connection = duckdb.connect()
    connection.execute(f"CREATE TABLE t (n INTEGER, x {kind})")
    for at, value in enumerate([*HOSTILE[kind], "NULL"]):
        connection.execute(f"INSERT INTO t VALUES ({at}, {value})")
    found = [row[1] for row in sorted(DuckDB({"t": DuckTable(connection, "t")}).rows(
        Scan(Table("t", DuckDB({"t": DuckTable(connection, "t")}).columns("t"), protects=Row())))
    )]  # fmt: skip
    assert found[-1] is None
    if kind in EXPECTED:
        assert found[:-1] == EXPECTED[kind]
    else:
        assert None not in found[:-1]


@pytest.mark.parametrize(
    "kind",
    ["BLOB", "TIME", "INTERVAL", "INTEGER[]", "STRUCT(a INTEGER)", "MAP(INTEGER, INTEGER)", "BIT"],
)
def test_a_type_without_a_place_here_is_left_out(kind: str) -> None:
    connection = duckdb.connect()
    connection.execute(f"CREATE TABLE t (x {kind}, y INTEGER)")
    engine = DuckDB({"t": DuckTable(connection, "t")})
    assert [c.name for c in engine.columns("t")] == ["y"]
    assert list(engine.left_out("t")) == ["x"]
    assert reading_of(kind) is None


@pytest.mark.parametrize(
    ("kind", "nulls", "fits"),
    [
        ("BIGINT", "one", True), ("VARCHAR", "one", True), ("UUID", "one", True), ("DECIMAL(9,2)", "one", True),
        ("HUGEINT", "drop", True), ("HUGEINT", "one", False), ("DATE", "drop", True), ("DATE", "one", False),
        ("TIMESTAMP_NS", "drop", False), ("UBIGINT", "one", False),
    ],
)  # fmt: skip
def test_a_key_of_persons_must_be_read_without_making_two_persons_one(
    kind: str, nulls: Any, fits: bool
) -> None:
    connection = duckdb.connect()
    connection.execute(f"CREATE TABLE t (u {kind})")
    engine = DuckDB({"t": DuckTable(connection, "t")})
    scan = Scan(Table("t", engine.columns("t"), protects=Person("u", nulls=nulls)))
    if fits:
        assert engine.rows(scan) == []
    else:
        with pytest.raises(SourceError, match="who a row belongs to"):
            engine.rows(scan)


names = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=10)


@pytest.mark.slow
@settings(max_examples=60)
@given(names, names)
def test_hostile_names_and_texts_mean_nothing(name: str, text: str) -> None:
    table = pa.table({name: [text, "other"]})
    engine = DuckDB({name: table}, threads=1)
    (held,) = engine.columns(name)
    scan = Scan(Table(name, (column(held.name, TEXT, Choices([text, "x'); --"])),), protects=Row()))
    same = Project(scan, (("same", call("eq", Ref(scan.columns[0]), Literal(text, TEXT))), ("c", Ref(scan.columns[0]))))  # fmt: skip
    slow = Reference({name: table.to_pylist()}).rows(same)
    assert sorted(engine.rows(same), key=repr) == sorted(slow, key=repr)


@pytest.mark.parametrize(
    "sql",
    ["SELECT * FROM read_csv('/etc/passwd')", "COPY (SELECT 1) TO '/tmp/shoal-leak.csv'", "INSTALL httpfs",
     "SET enable_external_access = true", "ATTACH '/tmp/shoal-other.db'", "SELECT * FROM read_text('/etc/hostname')"],
)  # fmt: skip
def test_the_engine_reaches_for_nothing_it_was_not_given(sql: str, tmp_path: Path) -> None:
    engine = DuckDB({"t": source_of("parquet", tmp_path)})
    with pytest.raises(SourceError):
        engine.run(sql)
    assert len(everything(engine)) == 3


def test_an_error_of_the_engine_quotes_nothing() -> None:
    engine = DuckDB({"t": pa.table({"s": ["secret-value"]})})
    with pytest.raises(SourceError) as caught:
        engine.run("SELECT CAST(s AS INTEGER) FROM shoal_view_0")
    assert "secret" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


@pytest.mark.parametrize(
    "source", ["gone.parquet", "gone.txt", 7, [1, 2], DuckTable("gone.db", "t"), {"x": 1}]
)
def test_a_source_that_cannot_be_read_is_refused(source: object) -> None:
    with pytest.raises(SourceError):
        DuckDB({"t": source})


def test_a_frame_that_mixes_kinds_is_refused_without_its_values() -> None:
    with pytest.raises(SourceError) as caught:
        DuckDB({"t": pd.DataFrame({"x": ["secret", 3, 2.5]}, dtype=object)})
    assert "secret" not in str(caught.value)


def test_a_table_stated_otherwise_than_its_source_is_refused() -> None:
    engine = DuckDB({"t": DATA})
    for table in (
        Table("t", (column("age", TEXT),), protects=Row()),
        Table("t", (column("gone", TEXT),), protects=Row()),
        Table("other", (column("age", INTEGER),), protects=Row()),
    ):
        with pytest.raises(SourceError):
            engine.rows(Scan(table))


@pytest.mark.slow
def test_a_long_query_draws_nothing_into_the_output_where_python_runs_no_script() -> None:
    program = """
import duckdb
from shoal.engines.duckdb.connection import opened, quiet
for each in (opened(), quiet(duckdb.connect().cursor())):
    print(each.execute("SELECT current_setting('enable_progress_bar')").fetchone()[0])
"""
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert ran.stdout == "False\nFalse\n"
