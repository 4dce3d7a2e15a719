"""Every source is read with one schema: no row, file or folder name changes what other rows are
read as.
"""

from __future__ import annotations

import datetime as dt
import os
import socket
from decimal import Decimal
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet
from scripts.source_table import CASES, END, PAGE, START, Case, found, with_table

import shoal
from shoal.engines.duckdb import DuckDB, DuckTable
from shoal.engines.source_reading import ColumnReading
from shoal.errors import ChangedError, SchemaError, ShoalError, SourceError
from shoal.plan import INTEGER, TEXT, Scan, Table

ROW: Any = {"protects": shoal.Row(), "budget": shoal.Pure(1)}
NOON = dt.datetime(2026, 1, 2, 12)


def rows_of(source: object) -> list[tuple[Any, ...]]:
    engine = DuckDB({"t": source})
    return sorted(engine.rows(Scan(Table("t", engine.columns("t")))), key=repr)


def broken_text() -> Any:
    held = pa.array([b"a", b"\xff", b"c"])
    return pa.table({"s": pa.Array.from_buffers(pa.string(), 3, held.buffers()), "n": [1, 2, 3]})


# the table of the page


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.source}: {case.declared}")
def test_a_hostile_row_changes_no_type_and_no_other_row(case: Case, tmp_path: Path) -> None:
    assert f"| {case.source} | {case.declared} | {found(case, tmp_path)} |" in PAGE.read_text()


def test_the_page_has_no_line_that_was_not_tried() -> None:
    page = PAGE.read_text()
    shown = page.partition(START)[2].partition(END)[0].strip().splitlines()[2:]
    assert len(shown) == len(CASES)
    assert with_table.__doc__


# files


OTHER_COLUMNS = {
    "another type": {"x": pa.array([1, 2]), "s": ["a", "b"]},
    "a wider type": {"x": pa.array([1.5, 2.5], pa.float32()), "s": ["a", "b"]},
    "another unit": {"x": pa.array([1.5, 2.5]), "s": pa.array([1, 2], pa.timestamp("us"))},
    "another name": {"x": [1.5, 2.5], "S": ["a", "b"]},
    "another order": {"s": ["a", "b"], "x": [1.5, 2.5]},
    "one column more": {"x": [1.5, 2.5], "s": ["a", "b"], "more": [1, 2]},
    "one column less": {"x": [1.5, 2.5]},
}


@pytest.mark.parametrize("other", OTHER_COLUMNS)
@pytest.mark.parametrize("first", [True, False])
def test_files_that_differ_in_their_columns_are_refused_by_name(
    other: str, first: bool, tmp_path: Path
) -> None:
    own = pa.table({"x": [0.5] * 1000, "s": ["a"] * 1000})
    names = ("a.parquet", "b.parquet") if first else ("b.parquet", "a.parquet")
    for name, table in zip(names, (pa.table(OTHER_COLUMNS[other]), own), strict=True):
        parquet.write_table(table, tmp_path / name)
    for act in (
        lambda: shoal.private(str(tmp_path / "*.parquet"), name="t", **ROW),
        lambda: shoal.open(tmp_path / "v.shoal").add("t", tmp_path, **ROW),
    ):
        with pytest.raises(SourceError, match=r"different columns.*a\.parquet and b\.parquet"):
            act()


def test_files_with_the_same_columns_are_one_table_though_one_may_have_no_null(
    tmp_path: Path,
) -> None:
    for name, nullable in (("a", True), ("b", False)):
        schema = pa.schema([pa.field("x", pa.int64(), nullable=nullable)])
        parquet.write_table(pa.table({"x": [1]}, schema=schema), tmp_path / f"{name}.parquet")
    assert rows_of(str(tmp_path / "*.parquet")) == [(1,), (1,)]


def test_the_name_of_a_folder_is_no_column(tmp_path: Path) -> None:
    folder = tmp_path / "p=5"
    folder.mkdir()
    parquet.write_table(pa.table({"p": [1, 2, 3]}), folder / "a.parquet")
    (folder / "a.csv").write_text("p\n1\n2\n3\n")
    for source in (folder / "a.parquet", shoal.CsvFile(folder / "a.csv", {"p": "integer"})):
        assert rows_of(source) == [(1,), (2,), (3,)]
    vault = shoal.open(tmp_path / "v.shoal")
    vault.add("t", folder, protects=shoal.Person("p"), budget=shoal.Pure(1))
    assert len(vault._payer(["t"]).engine.rows(Scan(vault.dataset("t").table))) == 3


@pytest.mark.parametrize("names", [["id", "id"], ["id", "ID"], ["id", ""]])
@pytest.mark.parametrize("kind", ["arrow", "parquet", "pandas", "csv"])
def test_names_that_sql_would_change_are_refused(
    kind: str, names: list[str], tmp_path: Path
) -> None:
    table = pa.table([pa.array([1, 2]), pa.array([3, 4])], names=names)
    source: Any = table
    if kind == "parquet":
        source = tmp_path / "t.parquet"
        parquet.write_table(table, source)
    elif kind == "pandas":
        source = pd.DataFrame([[1, 3], [2, 4]], columns=names)
    elif kind == "csv":
        (tmp_path / "t.csv").write_text(f"{','.join(names)}\n1,3\n2,4\n")
        source = shoal.CsvFile(tmp_path / "t.csv", header=True)
    with pytest.raises((SourceError, SchemaError)):
        shoal.private(source, name="t", **ROW)


def test_a_person_is_the_column_that_the_file_calls_so(tmp_path: Path) -> None:
    table = pa.table([pa.array([1, 1]), pa.array([5, 6])], names=["id", "id"])
    with pytest.raises(SourceError, match="two columns of 'data' are called 'id'"):
        shoal.private(table, protects=shoal.Person("id_1"), budget=shoal.Pure(1))


@pytest.mark.parametrize("kind", ["int96", "parquet", "arrow", "pandas"])
def test_moments_that_lose_their_nanoseconds_identify_nobody(kind: str, tmp_path: Path) -> None:
    table = pa.table({"at": pa.array([1, 2], pa.timestamp("ns"))})
    source: Any = {"arrow": table, "pandas": table.to_pandas()}.get(kind, tmp_path / "t.parquet")
    if isinstance(source, Path):
        parquet.write_table(table, source, use_deprecated_int96_timestamps=kind == "int96")
    with pytest.raises(SourceError, match="different values may be read as one"):
        shoal.private(source, protects=shoal.Person("at"), budget=shoal.Pure(1), name="t")


@pytest.mark.parametrize("kind", ["arrow", "parquet", "csv"])
def test_bytes_that_are_no_text_are_refused_at_the_door_and_never_by_a_question(
    kind: str, tmp_path: Path
) -> None:
    source: Any = broken_text()
    if kind == "parquet":
        source = tmp_path / "t.parquet"
        parquet.write_table(broken_text(), source)
    elif kind == "csv":
        (tmp_path / "t.csv").write_bytes(b"s,n\na,1\n\xff,2\nc,3\n")
        source = shoal.CsvFile(tmp_path / "t.csv", {"s": "text", "n": "integer"})
    with pytest.raises(SourceError):
        shoal.private(source, name="t", **ROW)
    if kind != "arrow":
        vault = shoal.open(tmp_path / "v.shoal")
        with pytest.raises(SourceError):
            vault.add("t", source, **ROW)
        assert vault.datasets == {}


def test_texts_are_read_and_not_only_counted_when_a_source_is_looked_at() -> None:
    """DuckDB 2 refuses broken text where it is counted, too; earlier versions only counted it."""
    assert ColumnReading(TEXT, "{0}").asked("s") == "MAX(LENGTH(s))"
    assert ColumnReading(INTEGER, "{0}").asked("n") == "COUNT(n)"


def test_a_file_that_joins_a_registered_folder_is_refused_before_anything_is_charged(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "parts"
    folder.mkdir()
    parquet.write_table(pa.table({"x": [0.5] * 9}), folder / "a.parquet")
    vault = shoal.open(tmp_path / "v.shoal")
    vault.add("t", folder, **ROW)
    parquet.write_table(pa.table({"x": [1]}), folder / "b.parquet")
    with pytest.raises(ChangedError):
        vault.sql("SELECT COUNT(*) AS n FROM t").release(epsilon="0.5")
    assert vault.budget("t").spent == shoal.Pure(0)
    with pytest.raises(SourceError, match="different columns"):
        vault.update("t", relation="same people")


def test_wide_tables_are_read_some_columns_at_a_time(tmp_path: Path) -> None:
    names = [f"c{at}" for at in range(700)]
    path = tmp_path / "t.parquet"
    parquet.write_table(pa.table({name: [1.5] for name in names}), path)
    with (
        patch("shoal.engines.duckdb.engine._MOST_COLUMNS", 256),
        patch.object(DuckDB, "run", autospec=True, side_effect=DuckDB.run) as run,
    ):
        shoal.open(tmp_path / "v.shoal").add("t", path, **ROW)
    said = [call.args[1] for call in run.call_args_list]
    asked = [each.count('"c') for each in said if "BIT_XOR(HASH(" in each]
    assert (sum(asked), max(asked)) == (700, 256)


# columns of objects


def frame(*values: Any) -> Any:
    return pd.DataFrame({"x": pd.Series(list(values), dtype=object), "y": range(len(values))})


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ((NOON, NOON.date()), "dates, moments"),
        ((NOON.date(), NOON), "dates, moments"),
        ((1, 2.5), "numbers, whole numbers"),
        ((1, Decimal("2.5")), "decimals, whole numbers"),
        ((Decimal("2.5"), Decimal(1)), "how many digits"),
        (("a", 1), "texts, whole numbers"),
        ((True, 1), "truth values, whole numbers"),
        ((None, None), "none of which says its type"),
    ],
)
def test_a_column_whose_rows_would_decide_its_type_is_refused_with_the_type_to_declare(
    values: tuple[Any, ...], words: str
) -> None:
    with pytest.raises(SourceError, match=words) as refusal:
        shoal.private(frame(*values), **ROW)
    assert "frame.astype({'x': " in str(refusal.value)
    shoal.private(frame(*values).drop(columns="x"), **ROW)


def test_whole_numbers_beyond_64_bits_are_null_and_not_an_overflow() -> None:
    assert rows_of(frame(1, 2**63, -(2**70), None)) == [(1, 0), (None, 1), (None, 2), (None, 3)]


def test_objects_that_may_be_null_cannot_be_the_one_person_without_a_key() -> None:
    for value in (2**63, 1):
        unit = shoal.Person("x", nulls="one")
        with pytest.raises(SourceError, match="read as NULL"):
            shoal.private(frame(1, value), protects=unit, budget=shoal.Pure(1))


def test_categories_are_declared_and_not_counted() -> None:
    kind = pd.CategoricalDtype(["a", "b", "c"])
    assert rows_of(pd.DataFrame({"x": pd.Series(["a", None], dtype=kind)})) == [("a",), (None,)]
    with pytest.raises(SourceError, match="several kinds"):
        rows_of(pd.DataFrame({"x": pd.Series(["a", 1], dtype="category")}))


# texts that no table can hold


@pytest.mark.parametrize("text", ["\ud800", "a\0b"])
def test_a_text_that_no_table_can_hold_is_refused_before_anything_is_charged(text: str) -> None:
    held = shoal.private(pa.table({"s": ["a", "b"]}), **ROW)
    acts: list[Any] = [
        lambda: shoal.Choices(["a", text]),
        lambda: shoal.Person(text),
        lambda: shoal.private(pa.table({"s": ["a"]}), name=text, **ROW),
        lambda: shoal.private(pa.table({"s": ["a"]}), public={text: pa.table({"k": [1]})}, **ROW),
        lambda: held.sql(f"SELECT COUNT(*) AS n FROM data WHERE s = '{text}'"),
        lambda: held.sql(f'SELECT COUNT(*) AS "{text}" FROM data'),
    ]
    for act in acts:
        with pytest.raises(ShoalError, match=r"NUL|surrogate"):
            act()
    assert held.budget.spent == shoal.Pure(0)


# what is stated of columns


def test_a_pair_is_the_range_of_a_column(tmp_path: Path) -> None:
    table = pa.table({"age": [41, 17]})
    held = shoal.private(table, columns={"age": (17, 90)}, **ROW)
    assert str(held.tables["data"].column("age").span) == "17 .. 90"
    assert str(held.stating({"age": (0, 9)}).tables["data"].column("age").span) == "0 .. 9"
    parquet.write_table(table, tmp_path / "t.parquet")
    vault = shoal.open(tmp_path / "v.shoal")
    vault.add("t", tmp_path / "t.parquet", columns={"age": (17, 90)}, **ROW)
    assert str(vault.dataset("t").table.column("age").span) == "17 .. 90"


@pytest.mark.parametrize("fact", [[17, 90], (1, 2, 3), 17, "17:90", ("tea", "milk"), None, {1, 2}])
def test_what_states_neither_a_range_nor_choices_is_refused(fact: Any, tmp_path: Path) -> None:
    table = pa.table({"age": [41, 17]})
    parquet.write_table(table, tmp_path / "t.parquet")
    acts: list[Any] = [
        lambda: shoal.private(table, columns={"age": fact}, **ROW),
        lambda: shoal.private(table, **ROW).stating({"age": fact}),
        lambda: shoal.open(tmp_path / "v.shoal").add(
            "t", tmp_path / "t.parquet", columns={"age": fact}, **ROW
        ),
    ]
    for act in acts:
        with pytest.raises(SchemaError, match="Range"):
            act()


def test_a_file_whose_name_is_a_pattern_is_not_read_as_another(tmp_path: Path) -> None:
    for called in ("report[1].parquet", "report1.parquet"):
        parquet.write_table(pa.table({"x": [1]}), tmp_path / called)
    with pytest.raises(SourceError, match="pattern"):
        DuckDB({"data": tmp_path / "report[1].parquet"})


def test_a_csv_file_whose_name_is_a_pattern_is_not_read_as_another(tmp_path: Path) -> None:
    for called in ("report[1].csv", "report1.csv"):
        (tmp_path / called).write_text("x\n1\n")
    with pytest.raises(SourceError, match="pattern"):
        DuckDB({"data": shoal.CsvFile(tmp_path / "report[1].csv", {"x": "integer"})})


def special(folder: Path, suffix: str) -> list[Path]:
    """Things with a name that are no plain files: a folder, a pipe, a socket, a device, and links
    to none.
    """
    names = ("folder", "pipe", "socket", "device", "nowhere", "itself")
    made = [folder / f"{name}{suffix}" for name in names]
    made[0].mkdir()
    os.mkfifo(made[1])
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(made[2]))
    made[3].symlink_to("/dev/zero")
    made[4].symlink_to("gone")
    made[5].symlink_to(made[5].name)
    return [*made, folder / ("x" * 300 + suffix), folder / f"a\0{suffix}"]


@pytest.mark.parametrize("suffix", [".csv", ".csv.gz", ".parquet", ".duckdb"])
def test_what_is_no_plain_file_is_refused_before_it_is_opened(tmp_path: Path, suffix: str) -> None:
    vault = shoal.open(tmp_path / "v.shoal")
    for path in special(tmp_path, suffix):
        source: Any = {
            ".parquet": path,
            ".duckdb": DuckTable(path, "t"),
        }.get(suffix) or shoal.CsvFile(path, {"x": "integer"})
        with pytest.raises(SourceError, match=r"plain file|is not there"):
            shoal.private(source, **ROW)
        with pytest.raises(SourceError, match=r"nothing to read|not a kind of file|only inside"):
            vault.add("t", source, **ROW)
