"""On Spark too every path is read with one schema: no file and no name of a folder changes what
other rows are read as.
"""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pyarrow as pa
import pytest
from pyarrow import parquet
from tests.engines.spark_session import needs_java, session

import shoal
from shoal.engines.spark import Spark, SparkTable, files
from shoal.errors import SchemaError, ShoalError, SourceError
from shoal.plan import Person, Row, Scan, Table

pytestmark = needs_java

ROW: Any = {"protects": shoal.Row(), "budget": shoal.Pure(1)}
OTHER_COLUMNS = {
    "another type": {"x": pa.array([1, 2]), "s": ["a", "b"]},
    "a wider type": {"x": pa.array([1.5, 2.5], pa.float32()), "s": ["a", "b"]},
    "another name": {"x": [1.5, 2.5], "S": ["a", "b"]},
    "another order": {"s": ["a", "b"], "x": [1.5, 2.5]},
    "one column more": {"x": [1.5, 2.5], "s": ["a", "b"], "more": [1, 2]},
    "one column less": {"x": [1.5, 2.5]},
}


def rows_of(path: object, types: dict[str, Any] | None = None) -> list[tuple[Any, ...]]:
    engine = Spark({"t": SparkTable(session(), str(path), types)})
    try:
        scan = Scan(Table("t", engine.columns("t"), protects=Row()))
        return sorted(engine.rows(scan), key=repr)
    finally:
        engine.close()


def check_person(column: str, source: SparkTable, nulls: Any = "drop") -> None:
    shoal.private(source, name="t", protects=Person(column, nulls=nulls), budget=shoal.Pure(1))


def folder_of(tables: dict[str, Any], folder: Path) -> Path:
    for name, table in tables.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        parquet.write_table(table, folder / name)
    return folder


# files of Parquet and ORC


@pytest.mark.parametrize("other", OTHER_COLUMNS)
@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("remote", [False, True])
def test_files_that_differ_in_their_columns_are_refused_by_name(
    other: str, first: bool, remote: bool, tmp_path: Path
) -> None:
    names = ("a.parquet", "b.parquet") if first else ("b.parquet", "a.parquet")
    own = pa.table({"x": [0.5] * 1000, "s": ["a"] * 1000})
    tables = dict(zip(names, (pa.table(OTHER_COLUMNS[other]), own), strict=True))
    folder = folder_of(tables, tmp_path / "it's [a] 100% table")
    source = SparkTable(session(), files.escaped(str(folder)))
    with (
        patch.object(files, "is_remote", return_value=remote),
        pytest.raises(SourceError, match=r"different columns.*a\.parquet and b\.parquet"),
    ):
        shoal.private(source, name="t", **ROW)


def test_a_vault_registers_no_folder_whose_files_differ(tmp_path: Path) -> None:
    tables = {"a.parquet": pa.table({"x": [0.5]}), "b.parquet": pa.table({"x": [1]})}
    folder = folder_of(tables, tmp_path / "parts")
    vault = shoal.open(tmp_path / "v.shoal")
    with pytest.raises(SourceError, match="different columns: 'x'"):
        vault.add("t", SparkTable(session(), f"{folder}/"), **ROW)
    assert vault.datasets == {}


def test_files_of_orc_that_differ_are_refused_by_name(tmp_path: Path) -> None:
    folder = tmp_path / "t.orc"
    for value in ("CAST(1 AS BIGINT)", "CAST(0.5 AS DOUBLE)"):
        session().sql(f"SELECT {value} AS x").write.mode("append").orc(str(folder))
    with pytest.raises(SourceError, match="different columns: 'x'"):
        rows_of(folder)


def test_files_with_the_same_columns_are_one_table_whoever_wrote_them(tmp_path: Path) -> None:
    folder = tmp_path / "t.parquet"
    session().sql("SELECT CAST(1 AS BIGINT) AS x").write.parquet(str(folder))
    folder_of({"more.parquet": pa.table({"x": [2]})}, folder)
    assert rows_of(folder) == [(1,), (2,)]


def test_files_with_one_footer_are_looked_at_once(tmp_path: Path) -> None:
    same = {f"{at}.parquet": pa.table({"x": [at]}) for at in range(20)}
    folder = folder_of(same, tmp_path / "t.parquet")
    with patch.object(SparkTable, "frame", autospec=True, side_effect=SparkTable.frame) as read:
        assert len(rows_of(folder)) == 20
    assert read.call_count == 2


def test_a_summary_file_does_not_decide_what_rows_are_read_as(tmp_path: Path) -> None:
    folder = folder_of({"a.parquet": pa.table({"x": [0.5]})}, tmp_path / "t.parquet")
    parquet.write_metadata(pa.schema([("x", pa.int64())]), folder / "_common_metadata")
    with pytest.raises(SourceError, match="different columns: 'x'"):
        rows_of(folder)


# names of folders


def test_the_name_of_a_folder_is_no_column(tmp_path: Path) -> None:
    own = {"p=5/a.parquet": pa.table({"p": [1, 2, 3]}), "p=x/b.parquet": pa.table({"p": [4]})}
    folder = folder_of(own, tmp_path / "t.parquet")
    assert rows_of(folder) == [(1,), (2,), (3,), (4,)]
    (tmp_path / "t.csv" / "p=5").mkdir(parents=True)
    (tmp_path / "t.csv" / "p=5" / "a.csv").write_text("p,s\n1,a\n2,b\n")
    assert rows_of(tmp_path / "t.csv", {"p": "integer"}) == [(1, "a"), (2, "b")]


def test_a_person_in_a_folder_is_the_column_of_the_files(tmp_path: Path) -> None:
    table = pa.table({"p": list(range(9)), "x": [1] * 9})
    folder = folder_of({"p=5/a.parquet": table}, tmp_path / "t.parquet")
    vault = shoal.open(tmp_path / "v.shoal")
    source = SparkTable(session(), str(folder))
    vault.add("t", source, protects=shoal.Person("p"), budget=shoal.Pure(1))
    rows = vault._payer(["t"]).engine.rows(Scan(vault.dataset("t").table))
    assert {row[0] for row in rows} == set(range(9))


# what is lost


@pytest.mark.parametrize("int96", [False, True])
def test_moments_that_lose_their_nanoseconds_identify_nobody(int96: bool, tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    table = pa.table({"at": pa.array([dt.datetime(2026, 1, 2)], pa.timestamp("us", "UTC"))})
    parquet.write_table(table, path, use_deprecated_int96_timestamps=int96)
    source = SparkTable(session(), str(path))
    if int96:
        with pytest.raises(SourceError, match="different values may be read as one"):
            check_person("at", source)
    else:
        check_person("at", source)


def test_cells_that_do_not_fit_are_not_one_person(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("u,s\n1,a\nx,b\ny,c\n")
    source = SparkTable(session(), str(path), {"u": "integer", "s": "text"})
    with pytest.raises(SourceError, match="read as NULL"):
        check_person("u", source, nulls="one")
    check_person("u", source)


# files of CSV


@pytest.mark.parametrize("other", ["s,u\nb,2\n", "u\n2\n", "u,S\n2,b\n", "u,s,t\n1,b,c\n", ""])
@pytest.mark.parametrize("first", [True, False])
def test_csv_files_whose_headers_differ_are_refused_by_name(
    other: str, first: bool, tmp_path: Path
) -> None:
    folder = tmp_path / "t.csv"
    folder.mkdir()
    names = ("a.csv", "b.csv") if first else ("b.csv", "a.csv")
    for name, text in zip(names, ("u,s\n1,a\n", other), strict=True):
        (folder / name).write_text(text)
    with pytest.raises(SourceError, match=r"different columns.*a\.csv and b\.csv"):
        rows_of(folder, {"u": "integer", "s": "text"})


def test_spark_skips_the_rows_of_a_lone_column_that_are_empty_so_it_is_refused(
    tmp_path: Path,
) -> None:
    path = tmp_path / "t.csv"
    path.write_text("age\n41\n\n7\n")
    plain = session().read.csv(str(path), header=True)
    assert plain.count() == 2  # of three rows
    with pytest.raises(SchemaError, match="one column"):
        rows_of(path, {"age": "integer"})


@pytest.mark.parametrize("header", ["id,id", "id,ID", "id,"])
def test_names_that_spark_would_change_are_refused(header: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"{header}\na,b\n")
    with pytest.raises(ShoalError, match="twice"):
        rows_of(path)


@pytest.mark.parametrize("text", ["ann,41\nbob,7\n", "ann,flu\nann,cold\n", "ann,2026-01-02\n"])
def test_a_first_row_that_looks_like_data_becomes_no_names_and_is_not_told(
    text: str, tmp_path: Path
) -> None:
    path = tmp_path / "t.csv"
    path.write_text(text)
    vault = shoal.open(tmp_path / "v.shoal")
    for act in (
        lambda: shoal.private(SparkTable(session(), str(path)), name="t", **ROW),
        lambda: vault.add("t", SparkTable(session(), str(path)), **ROW),
    ):
        with pytest.raises(SchemaError, match="looks like data") as refusal:
            act()
        assert "ann" not in str(refusal.value)


def test_names_that_are_declared_are_names_whatever_they_look_like(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("2025,2026\n1,2026\n")
    source = SparkTable(session(), str(path), {"2025": "integer", "2026": "integer"})
    vault = shoal.open(tmp_path / "v.shoal")
    vault.add("t", source, **ROW)
    assert [each.name for each in vault.dataset("t").columns] == ["2025", "2026"]
    assert vault.sql("SELECT COUNT(*) AS n FROM t").release(epsilon="0.5") is not None
