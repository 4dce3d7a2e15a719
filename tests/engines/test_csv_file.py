"""CSV files: names and types are declared, never guessed silently, and one cell changes only
itself.
"""

from __future__ import annotations

import gzip
import re
import time
from pathlib import Path
from typing import Any

import pytest

import shoal
from shoal.engines.csv_file import header_of
from shoal.engines.duckdb import DuckDB
from shoal.errors import SchemaError, ShoalError, SourceError
from shoal.plan import Scan, Table

ROW: Any = {"protects": shoal.Row(), "budget": shoal.Pure(1)}
TYPES = {"age": "integer", "city": "text"}
PATIENT, DIAGNOSIS = "Zyzzogeton", "Morgellons"


def written(folder: Path, text: str | bytes, name: str = "t.csv") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def read(source: object) -> tuple[list[str], list[tuple[Any, ...]]]:
    held = shoal.private(source, name="t", **ROW)
    columns = held.tables["t"].columns
    rows = DuckDB({"t": source}).rows(Scan(Table("t", columns)))
    return [f"{each.name} {each.type}" for each in columns], sorted(rows, key=repr)


@pytest.mark.slow
@pytest.mark.parametrize("cell", ["1.5", "abc", "2026-01-01", "true", "99999999999999999999", "é"])
def test_one_cell_changes_neither_the_types_nor_another_row(cell: str, tmp_path: Path) -> None:
    plain = shoal.CsvFile(written(tmp_path, "age,city\n41,a\n17,b\n"), TYPES)
    more = shoal.CsvFile(
        written(tmp_path, f"age,city\n41,a\n17,b\n{cell},{cell}\n", "m.csv"), TYPES
    )
    types, rows = read(plain)
    assert read(more) == (types, sorted([*rows, (None, cell)], key=repr))


@pytest.mark.slow
def test_the_certificate_shows_the_declared_type_whatever_the_cells_are(tmp_path: Path) -> None:
    for name, cell in (("d", "17"), ("e", "17.5")):
        path = written(tmp_path, f"age,city\n41,a\n{cell},b\n", f"{name}.csv")
        vault = shoal.open(tmp_path / f"{name}.shoal")
        vault.add("t", shoal.CsvFile(path, TYPES), columns={"age": shoal.Range(0, 120)}, **ROW)
        assert str(vault.dataset("t").table.column("age").type) == "integer"
        answer = vault.sql("SELECT SUM(age) AS s FROM t").release(epsilon=1)
        assert isinstance(answer.rows[0][0], int)


def test_types_that_are_missing_are_proposed_and_the_proposal_works_when_pasted(
    tmp_path: Path,
) -> None:
    path = written(tmp_path, "age,zip,day,x\n41,01234,2026-01-01,1.5\n17,99999,2026-01-02,2\n")
    with pytest.raises(SchemaError) as refusal:
        shoal.private(path, **ROW)
    (line,) = re.findall(r"shoal\.CsvFile\(.*?\}\)", str(refusal.value))
    pasted = eval(line)
    assert read(pasted)[0] == ["age integer", "zip text", "day date", "x real"]
    vault = shoal.open(tmp_path / "v.shoal")
    with pytest.raises(SchemaError, match="'age', 'zip', 'day', 'x' are not declared"):
        vault.add("t", path, **ROW)
    assert vault.datasets == {}


def test_a_fact_that_leaves_one_type_declares_it(tmp_path: Path) -> None:
    path = written(tmp_path, "day,city,n\n2026-01-01,a,1\n")
    facts: dict[str, Any] = {
        "day": shoal.Range("2026-01-01", "2026-12-31"),
        "city": shoal.Choices(["a", "b"]),
        "n": shoal.Choices([1, 2]),
    }
    held = shoal.private(path, columns=facts, **ROW)
    assert [str(each.type) for each in held.tables["t"].columns] == ["date", "text", "integer"]
    with pytest.raises(SchemaError, match="'n' is not declared"):
        shoal.private(path, columns={**facts, "n": shoal.Range(0, 9)}, **ROW)


@pytest.mark.slow
@pytest.mark.parametrize(
    "first",
    [
        f"{PATIENT},41",
        f"{PATIENT},2026-01-31",
        f"{PATIENT},",
        f"{PATIENT},{PATIENT}",
        f"{PATIENT},true",
        f"{PATIENT},{DIAGNOSIS}",
    ],
)
def test_a_header_that_looks_like_data_is_questioned_and_never_shown(
    first: str, tmp_path: Path
) -> None:
    path = written(tmp_path, f"{first}\nsomebody,{DIAGNOSIS}\n")
    vault = shoal.open(tmp_path / "v.shoal")
    for act in (
        lambda: shoal.private(path, **ROW),
        lambda: vault.add("t", path, **ROW),
        lambda: vault.add("t", path, public=True),
        lambda: vault.proposal("t", path, **ROW),
    ):
        with pytest.raises(SchemaError, match="looks like data") as refusal:
            act()
        assert "header=False" in str(refusal.value)
        assert PATIENT not in str(refusal.value)
        assert DIAGNOSIS not in str(refusal.value)
    assert vault.datasets == {}


def test_a_file_without_a_header_has_the_names_that_are_declared(tmp_path: Path) -> None:
    path = written(tmp_path, f"41,{PATIENT}\n17,b\n")
    declared = shoal.CsvFile(path, TYPES, header=False)
    assert read(declared) == (["age integer", "city text"], [(17, "b"), (41, PATIENT)])
    with pytest.raises(SchemaError, match="need names"):
        shoal.CsvFile(path, header=False)
    with pytest.raises(SchemaError, match="does not hold the declared names") as refusal:
        shoal.private(shoal.CsvFile(path, TYPES), **ROW)
    assert PATIENT not in str(refusal.value)
    vault = shoal.open(tmp_path / "v.shoal")
    vault.add("t", declared, **ROW)
    (tmp_path / "t.toml").write_text(vault.to_toml("t"))
    again = shoal.open(tmp_path / "w.shoal").add_from(tmp_path / "t.toml")
    assert [each.name for each in again.columns] == list(TYPES)
    vault.sql("SELECT COUNT(*) AS n FROM t").release(epsilon=1)


def test_a_name_that_is_said_to_be_one_is_one(tmp_path: Path) -> None:
    path = written(tmp_path, "2024,2025\n1,2\n")
    with pytest.raises(SchemaError, match="looks like data"):
        shoal.private(path, **ROW)
    with pytest.raises(SchemaError, match=r"'2024': 'integer'"):
        shoal.private(shoal.CsvFile(path, header=True), **ROW)
    assert read(shoal.CsvFile(path, {"2024": "integer", "2025": "real"}))[1] == [(1, 2.0)]


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
def test_the_header_shows_what_separates_cells(mark: str, tmp_path: Path) -> None:
    text = f"age{mark}city\n41{mark}a, b\n" if mark != "," else 'age,city\n41,"a, b"\n'
    assert read(shoal.CsvFile(written(tmp_path, text), TYPES))[1] == [(41, "a, b")]


def test_packed_files_marks_and_line_ends_are_read(tmp_path: Path) -> None:
    text = '\ufeffage,city\r\n41,"a\r\nb"\r\n,\r\n'.encode()
    expected = [(41, "a\r\nb"), (None, None)]
    assert read(shoal.CsvFile(written(tmp_path, text), TYPES))[1] == expected
    packed = written(tmp_path, gzip.compress(text), "p.csv.gz")
    assert read(shoal.CsvFile(packed, TYPES))[1] == expected


@pytest.mark.parametrize("row", ["1", "1,a,b", '1,"a', '1,"a"b', "1,a\rb"])
def test_a_row_that_breaks_the_file_is_refused_at_the_door(row: str, tmp_path: Path) -> None:
    path = written(tmp_path, f"age,city\n41,a\n{row}\n17,{PATIENT}\n")
    with pytest.raises(SourceError) as refusal:
        shoal.private(shoal.CsvFile(path, TYPES), **ROW)
    assert PATIENT not in str(refusal.value)


def test_a_file_with_holes_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, "age,city\n41,a\n")
    with path.open("r+b") as file:
        file.truncate(1 << 26)
    with pytest.raises(SourceError, match="holes"):
        shoal.private(shoal.CsvFile(path, TYPES), **ROW)


@pytest.mark.parametrize("head", ["age,city\n41,a\n", ""])
def test_a_file_that_was_never_written_is_refused_at_once(head: str, tmp_path: Path) -> None:
    path = written(tmp_path, head)
    with path.open("r+b") as file:
        file.truncate(1 << 40)
    vault, start = shoal.open(tmp_path / "v.shoal"), time.monotonic()
    for act in (
        lambda: shoal.private(path, **ROW),
        lambda: shoal.private(shoal.CsvFile(path, TYPES), **ROW),
        lambda: vault.add("t", shoal.CsvFile(path, TYPES), **ROW),
        lambda: vault.add("t", path, public=True),
        lambda: vault.proposal("t", path, **ROW),
    ):
        with pytest.raises(ShoalError, match="holes"):
            act()
    assert time.monotonic() - start < 20


def test_files_with_other_headers_are_refused(tmp_path: Path) -> None:
    written(tmp_path, "age,city\n1,a\n", "a.csv")
    written(tmp_path, "city,age\nb,2\n", "b.csv")
    with pytest.raises(SourceError, match="different headers"):
        shoal.private(shoal.CsvFile(tmp_path / "*.csv", TYPES), name="t", **ROW)
    written(tmp_path, "age,city\n2,b\n", "b.csv")
    assert read(shoal.CsvFile(tmp_path / "*.csv", TYPES))[1] == [(1, "a"), (2, "b")]


def test_new_data_of_a_registered_file_keep_the_declared_types(tmp_path: Path) -> None:
    path = written(tmp_path, "age,city\n41,a\n")
    vault = shoal.open(tmp_path / "v.shoal")
    vault.add("t", shoal.CsvFile(path, TYPES), **ROW)
    written(tmp_path, "age,city\n41.5,a\nx,7\n")
    made = vault.update("t", relation="same people")
    assert [str(each.type) for each in made.columns] == ["integer", "text"]
    written(tmp_path, "age,city,more\n41,a,1\n")
    with pytest.raises(SchemaError, match="'more' is not declared"):
        vault.update("t", relation="same people")
    more = {**TYPES, "more": "real"}
    made = vault.update("t", relation="same people", path=shoal.CsvFile(path, more))
    assert [str(each.type) for each in made.columns] == ["integer", "text", "real"]


def test_a_header_of_very_many_columns_is_read(tmp_path: Path) -> None:
    names = [f"a column with a long name {at}" for at in range(6000)]
    path = written(tmp_path, f"{','.join(names)}\n{','.join('1' for _ in names)}\n")
    assert header_of(shoal.CsvFile(path), "t") == (names, ",")
