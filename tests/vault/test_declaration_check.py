"""What a declaration cuts off: counted exactly, told to the curator alone, and written nowhere."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

import shoal
from shoal.errors import VaultError
from shoal.vault.declaration_check import WARNING

ROWS = """patient,ward,age,admitted
1,Surgery,34,2026-01-05
1, Surgery,34,2026-02-11
1,surgery,200,2031-01-01
2,Medicine,-1,
3,Zoo,abc,2026-03-01
"""


@pytest.fixture
def vault(tmp_path: Path) -> shoal.Vault:
    (tmp_path / "visits.csv").write_text(ROWS)
    made = shoal.open(tmp_path / "office.shoal")
    made.add(
        "visits",
        shoal.CsvFile(
            tmp_path / "visits.csv",
            {"patient": "integer", "ward": "text", "age": "integer", "admitted": "date"},
        ),
        protects=shoal.Person("patient", groups=1, rows_per_group=2),
        columns={
            "ward": shoal.Choices(["Surgery", "Medicine"]),
            "age": shoal.Range(0, "120.5"),
            "admitted": shoal.Range("2026-01-01", "2026-12-31"),
        },
        budget=shoal.Pure(1),
    )
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
