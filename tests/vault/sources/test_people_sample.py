"""A file about people who have a budget already is noticed at whatever path it lies, and nobody is
told who is in it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any
from unittest.mock import patch

import pyarrow as pa
import pytest
from tests.vault.office import FACTS, PLANTED, UNIT, office, rows, write

import shoal
from shoal.engines.duckdb import DuckDB
from shoal.errors import SourceError, VaultError
from shoal.vault.sources.people_sample import MOST, overlap

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


@pytest.mark.slow
@pytest.mark.parametrize("first", ["person", "row"])
def test_the_same_rows_are_noticed_whether_rows_or_people_are_protected(
    first: str, tmp_path: Path
) -> None:
    units: dict[str, Any] = {"person": UNIT, "row": shoal.Row()}
    one, other = (units[first], units["row" if first == "person" else "person"])
    vault = shoal.open(tmp_path / "office.shoal")
    vault.add("visits", write(tmp_path), protects=one, budget=shoal.Pure(1))
    shorter = write(tmp_path, "other.parquet", rows().slice(1))
    with pytest.raises(VaultError, match=r"(?s)are in 'visits' already.*protect .*, as 'visits'"):
        vault.add("again", shorter, protects=other, budget=shoal.Pure(1))
    assert list(vault.datasets) == ["visits"]
    made = vault.add("again", shorter, protects=one, shares="visits")
    assert made.accounts == ("visits",)


@pytest.mark.slow
def test_a_file_about_people_of_another_account_is_no_update_unasked(tmp_path: Path) -> None:
    vault = office(tmp_path)
    others = write(tmp_path, "others.parquet", rows(first=5000))
    vault.add("others", others, protects=UNIT, columns=FACTS, budget=shoal.Pure(1))
    theirs = write(tmp_path, "theirs.parquet", rows(first=5000).slice(1))
    for relation in ("same people", "all people", "same rows"):
        with pytest.raises(VaultError, match=r"(?s)in 'others' already.*'visits', 'others'"):
            vault.update("visits", path=theirs, relation=relation)
    assert vault.dataset("visits").version == 1
    made = vault.add("both", theirs, protects=UNIT, columns=FACTS, shares=["visits", "others"])
    assert set(made.accounts) == {"visits", "others"}


def test_people_of_an_earlier_version_with_another_account_come_back_only_by_a_word(
    tmp_path: Path,
) -> None:
    vault = office(tmp_path)
    wave = write(tmp_path, "wave.parquet", rows(first=5000))
    vault.update("visits", path=wave, relation="new people", budget=shoal.Pure(1))
    back = write(tmp_path, "back.parquet", rows().slice(1))
    with pytest.raises(VaultError, match=r"(?s)version 1 of 'visits' already.*'all people'"):
        vault.update("visits", path=back, relation="same people")
    made = vault.update("visits", path=back, relation="all people")
    assert len(made.accounts) == 2


def test_an_update_with_the_same_or_with_unknown_people_is_taken(tmp_path: Path) -> None:
    vault = office(tmp_path)
    for at, first in enumerate([1, 300, 9000]):
        changed = write(tmp_path, f"changed{at}.parquet", rows(first=first))
        made = vault.update("visits", path=changed, relation="same people")
        assert made.accounts == ("visits",)


def test_who_was_said_to_have_only_equal_ids_is_not_asked_again(tmp_path: Path) -> None:
    vault = office(tmp_path)
    staff = pa.table({"user_id": list(range(500)), "age": [40] * 500})
    path = write(tmp_path, "staff.parquet", staff)
    said: Any = {"protects": UNIT, "budget": shoal.Pure(1)}
    vault.add("staff", path, relation="new people", **said)
    later = write(tmp_path, "later.parquet", staff.slice(3))
    made = vault.update("staff", path=later, relation="same people")
    assert made.accounts == ("staff",)


def test_a_shared_budget_is_no_leave_for_the_people_of_a_third_dataset(tmp_path: Path) -> None:
    vault = office(tmp_path)
    others = write(tmp_path, "others.parquet", rows(first=5000))
    vault.add("others", others, protects=UNIT, columns=FACTS, budget=shoal.Pure(1))
    theirs = write(tmp_path, "theirs.parquet", rows(first=5000).slice(1))
    with pytest.raises(VaultError, match=r"--shares visits --shares others"):
        vault.add("again", theirs, protects=UNIT, columns=FACTS, shares="visits")


def test_rows_that_cannot_be_sampled_are_not_registered(tmp_path: Path) -> None:
    vault = shoal.open(tmp_path / "office.shoal")
    refusal = SourceError("the engine could not read the rows.", remedy="Check the source.")
    with (
        patch.object(DuckDB, "least_hashes", side_effect=refusal),
        pytest.raises(SourceError, match="could not read"),
    ):
        vault.add("visits", write(tmp_path), protects=UNIT, budget=shoal.Pure(1))
    assert list(vault.datasets) == []
