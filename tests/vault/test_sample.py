"""A file about people who have a budget already is noticed at whatever path it lies, and nobody is told who is in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from tests.vault.office import FACTS, PLANTED, UNIT, office, rows, write

import shoal
from shoal.errors import VaultError
from shoal.vault.sample import MOST, overlap

ROWS: dict[str, Any] = {"protects": shoal.Row(), "budget": shoal.Pure(1)}


def test_a_file_one_row_shorter_at_a_new_path_gets_no_new_budget_unasked(tmp_path: Path) -> None:
    vault = office(tmp_path)
    shorter = write(tmp_path, "other.parquet", rows().slice(1))
    with pytest.raises(VaultError, match=r"(?s)--shares visits.*--new-people"):
        vault.add("again", shorter, protects=UNIT, columns=FACTS, budget=shoal.Pure(1))
    assert list(vault.datasets) == ["visits"]
    made = vault.add("again", shorter, protects=UNIT, columns=FACTS, shares="visits")
    assert made.accounts == ("visits",)


def test_rows_that_are_protected_by_themselves_are_known_again(tmp_path: Path) -> None:
    vault = shoal.open(tmp_path / "office.shoal")
    vault.add("visits", write(tmp_path, "visits.parquet"), **ROWS)
    shorter = write(tmp_path, "other.parquet", rows().slice(1))
    with pytest.raises(VaultError, match="are in 'visits' already"):
        vault.add("again", shorter, **ROWS)
    vault.add("again", shorter, relation="new people", **ROWS)


@pytest.mark.parametrize("first", [0, 500])
def test_a_part_of_the_people_with_other_columns_is_noticed(first: int, tmp_path: Path) -> None:
    vault = office(tmp_path)
    part = pa.table({"user_id": [str(first + at) for at in range(100)], "age": [40] * 100})
    with pytest.raises(VaultError, match="are in 'visits' already"):
        vault.add(
            "ages", write(tmp_path, "ages.parquet", part), protects=UNIT, budget=shoal.Pure(1)
        )


def test_other_people_get_an_account_of_their_own(tmp_path: Path) -> None:
    vault = office(tmp_path)
    others = write(tmp_path, "other.parquet", rows(first=590))  # ten of six hundred are in both
    made = vault.add("others", others, protects=UNIT, columns=FACTS, budget=shoal.Pure(1))
    assert made.accounts == ("others",)


def test_a_sample_is_small_and_says_nothing_without_the_key(tmp_path: Path) -> None:
    vault = office(tmp_path)
    mine = vault.dataset("visits")
    assert len(mine.sample) == MOST
    assert list(mine.sample) == sorted(set(mine.sample))
    (tmp_path / "elsewhere").mkdir()
    theirs = office(tmp_path / "elsewhere").dataset("visits")
    assert not set(mine.sample) & set(theirs.sample)
    assert vault.as_("ana").dataset("visits").sample == ()
    assert "sample" not in mine.stated
    assert PLANTED not in str(mine.to_dict())


def test_samples_of_few_and_of_many_are_compared_where_both_are_whole() -> None:
    many = [f"{at:016x}" for at in range(MOST)]
    assert overlap(many, many)
    assert overlap(many[:5], many)
    assert not overlap([], many)
    assert not overlap([f"{MOST + 7:016x}"], many)  # beyond what the larger one knows
