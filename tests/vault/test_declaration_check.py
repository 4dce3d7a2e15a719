"""What a declaration cuts off: counted exactly, told to the curator alone, and written nowhere."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from pyarrow import parquet
from tests.engines.spark_session import needs_java, session

import shoal
from shoal.engines.spark import SparkTable
from shoal.errors import VaultError
from shoal.vault.declaration_check import WARNING

ROWS = """patient,ward,age,admitted
1,Surgery,34,2026-01-05
1, Surgery,34,2026-02-11
1,surgery,200,2031-01-01
2,Medicine,-1,
3,Zoo,abc,2026-03-01
"""
TYPES = {"patient": "integer", "ward": "text", "age": "integer", "admitted": "date"}
SAID: dict[str, Any] = {
    "protects": shoal.Person("patient", groups=1, rows_per_group=2),
    "columns": {
        "ward": shoal.Choices(["Surgery", "Medicine"]),
        "age": shoal.Range(0, "120.5"),
        "admitted": shoal.Range("2026-01-01", "2026-12-31"),
    },
    "budget": shoal.Pure(1),
}
TYPED = """CREATE TABLE visits AS SELECT * FROM (VALUES
(1, 'Surgery', 34, DATE '2026-01-05'), (1, ' Surgery', 34, '2026-02-11'), (1, 'surgery', 200, '2031-01-01'),
(2, 'Medicine', -1, NULL), (3, 'Zoo', NULL, '2026-03-01')) AS t(patient, ward, age, admitted)"""


@pytest.fixture
def vault(tmp_path: Path) -> shoal.Vault:
    (tmp_path / "visits.csv").write_text(ROWS)
    made = shoal.open(tmp_path / "office.shoal")
    made.add("visits", shoal.CsvFile(tmp_path / "visits.csv", TYPES), **SAID)
    return made


def test_values_outside_choices_are_counted_and_those_spelled_otherwise_are_told_apart(
    vault: shoal.Vault,
) -> None:
    ward = {each.name: each for each in vault.check("visits").columns}["ward"]
    assert (ward.outside, ward.spelled_otherwise, ward.misfits, ward.nulls) == (3, 2, 0, 0)
    assert dict(ward.values_outside) == {" Surgery": 1, "surgery": 1, "Zoo": 1}


def test_numbers_outside_a_range_and_cells_of_another_type_are_counted(vault: shoal.Vault) -> None:
    age = {each.name: each for each in vault.check("visits").columns}["age"]
    assert (age.below, age.above, age.misfits, age.nulls) == (1, 1, 1, 0)


@pytest.mark.parametrize("mark", [";", "|", "\t"])
def test_a_separator_that_the_header_shows_is_found_by_the_check_as_well(
    vault: shoal.Vault, tmp_path: Path, mark: str
) -> None:
    (tmp_path / "others.csv").write_text(ROWS.replace(",", mark))
    others = shoal.CsvFile(tmp_path / "others.csv", TYPES)
    vault.add("others", others, **{**SAID, "budget": None}, shares="visits")
    assert vault.check("others").columns == vault.check("visits").columns


def test_days_outside_a_range_and_empty_cells_are_counted(vault: shoal.Vault) -> None:
    admitted = {each.name: each for each in vault.check("visits").columns}["admitted"]
    assert (admitted.below, admitted.above, admitted.misfits, admitted.nulls) == (0, 1, 0, 1)


def test_persons_beyond_their_share_are_counted_with_and_without_groups(vault: shoal.Vault) -> None:
    found = vault.check("visits")
    alone, by_ward = found.shares
    assert (found.rows, alone.persons, alone.beyond_rows, alone.most_rows) == (5, 3, 1, 3)
    # person 1 has one row in Surgery and two that are read as NULL
    assert (by_ward.by, by_ward.beyond_groups, by_ward.most_groups, by_ward.most_rows) == (
        "ward",
        1,
        2,
        2,
    )


def test_the_warning_comes_first_in_words_and_in_data(vault: shoal.Vault) -> None:
    found = vault.check("visits")
    assert str(found).startswith(WARNING)
    assert next(iter(found.to_dict())) == "warning"


def test_nothing_is_written_and_nothing_is_spent(vault: shoal.Vault, tmp_path: Path) -> None:
    before = (vault.position, (tmp_path / "office.shoal").read_bytes())
    vault.check("visits")
    assert (vault.position, (tmp_path / "office.shoal").read_bytes()) == before
    assert str(vault.budget("visits").left) == "epsilon 1"


def test_an_analyst_is_told_none_of_it(vault: shoal.Vault) -> None:
    vault.grant("ana", "visits", shoal.Pure(1))
    with pytest.raises(VaultError, match="only the curator"):
        vault.as_("ana").check("visits")


def test_a_declaration_that_fits_cuts_nothing(tmp_path: Path) -> None:
    parquet.write_table(pa.table({"x": [1.0, 2.0, None]}), tmp_path / "t.parquet")
    with shoal.open(tmp_path / "v.shoal") as vault:
        vault.add(
            "t",
            tmp_path / "t.parquet",
            protects=shoal.Row(),
            columns={"x": shoal.Range(0, 5)},
            budget=shoal.Pure(1),
        )
        found = vault.check("t")
    [x] = found.columns
    assert (x.below, x.above, x.nulls, x.misfits, found.shares) == (0, 0, 1, 0, ())
    assert x.findings == ["1 row is empty in the source"]


def typed_rows(folder: Path) -> Path:
    """The same rows as a table of a DuckDB file, where a cell of another type is NULL."""
    file = folder / "visits.duckdb"
    with duckdb.connect(str(file)) as made:
        made.execute(TYPED).fetchall()
    return file


def test_a_table_of_duckdb_is_checked_as_a_file_is(vault: shoal.Vault, tmp_path: Path) -> None:
    file, of_file = typed_rows(tmp_path), vault.check("visits")
    with shoal.open(tmp_path / "other.shoal") as other:
        other.add("visits", file, table="visits", **SAID)
        found = other.check("visits")
    assert (found.rows, found.shares) == (of_file.rows, of_file.shares)
    for one, same in zip(found.columns, of_file.columns, strict=True):
        assert (one.misfits, one.nulls) == (0, same.misfits + same.nulls)
        assert replace(one, misfits=same.misfits, nulls=same.nulls) == same


@needs_java
@pytest.mark.parametrize("kind", ["frame", "csv"])
def test_rows_of_spark_are_checked_as_a_file_is(
    vault: shoal.Vault, tmp_path: Path, kind: str
) -> None:
    of_file, running = vault.check("visits"), session()
    source: Any = SparkTable(running, str(tmp_path / "visits.csv"), TYPES)
    if kind == "frame":
        with duckdb.connect(str(typed_rows(tmp_path))) as made:
            source = running.createDataFrame(made.sql("FROM visits").to_arrow_table())
    with shoal.open(tmp_path / "other.shoal") as other:
        other.add("visits", source, **SAID)
        found = other.check("visits")
    assert (found.rows, found.shares) == (of_file.rows, of_file.shares)
    for one, same in zip(found.columns, of_file.columns, strict=True):
        if kind == "csv":
            assert one == same
        assert one.misfits + one.nulls == same.misfits + same.nulls
        assert replace(one, misfits=same.misfits, nulls=same.nulls) == same
