"""Ids in a vault: `shares` declares that an id means the same person, and without it equal ids are
nobody's evidence.
"""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from tests.vault.office import write

import shoal
from shoal.errors import RelationError
from shoal.plan import INTEGER, TEXT, tables_of
from shoal.vault import Vault
from shoal.vault.dataset import Dataset

UNIT = shoal.Person("u", groups=1, rows_per_group=4)
STACKED = "SELECT COUNT(*) AS n FROM (SELECT k FROM {0} UNION ALL SELECT k FROM {1})"
JOINED = "SELECT COUNT(*) AS n FROM {0} LEFT JOIN {1} ON {0}.u = {1}.u"


def table(first: int) -> pa.Table:
    return pa.table({"u": list(range(first, first + 50)), "k": [first] * 50})


def clinics(folder: Path) -> Vault:
    """Two clinics that number their patients from 1 on, with a budget each."""
    vault = shoal.open(folder / "clinics.shoal")
    for at, name in enumerate(("east", "west")):
        add(vault, folder, name, at, budget=shoal.Pure(4), relation="new people")
    return vault


def add(vault: Vault, folder: Path, name: str, first: int, **more: object) -> Dataset:
    path = write(folder, f"{name}.parquet", table(first))
    return vault.add(name, path, protects=UNIT, keys={"u": 4}, **more)  # type: ignore[arg-type]


def test_datasets_with_budgets_of_their_own_are_stacked_as_different_people(tmp_path: Path) -> None:
    with clinics(tmp_path) as vault:
        ask = vault.sql(STACKED.format("east", "west"))
        assert ask.question.relation.person == (INTEGER, TEXT)
        assert {t.space for t in tables_of(ask.question.relation).values()} == {"east", "west"}
        ask.release(epsilon=1)
        assert [vault.budget(name).left for name in ("east", "west")] == [shoal.Pure(3)] * 2


def test_datasets_with_budgets_of_their_own_are_not_joined_and_nothing_is_charged(
    tmp_path: Path,
) -> None:
    with clinics(tmp_path) as vault:
        with pytest.raises(RelationError, match="'east' and 'west' have budgets of their own"):
            vault.sql(JOINED.format("east", "west"))
        with pytest.raises(RelationError, match="have budgets of their own"):
            vault.rehearse(20).sql(JOINED.format("west", "east"))
        assert vault.budget("east").spent == shoal.Pure(0)


def test_what_the_refusal_says_to_declare_is_accepted_and_charged_to_both(tmp_path: Path) -> None:
    with clinics(tmp_path) as vault:
        add(vault, tmp_path, "both", 1, shares="east")
        assert vault.dataset("both").accounts == ("west", "east")
        vault.sql(JOINED.format("east", "both")).release(epsilon=1)
        assert [vault.budget(name).left for name in ("east", "west")] == [shoal.Pure(3)] * 2
        with pytest.raises(RelationError, match="shares its ids with tables that share none"):
            vault.sql(
                "SELECT COUNT(*) AS n FROM (SELECT k FROM east UNION ALL SELECT k FROM west UNION ALL SELECT k FROM both)"
            )


def test_datasets_that_share_an_account_have_one_id_for_one_person(tmp_path: Path) -> None:
    with clinics(tmp_path) as vault:
        add(vault, tmp_path, "later", 10, shares="east")
        for sql in (STACKED, JOINED):
            assert vault.sql(sql.format("east", "later")).question.relation.person == (INTEGER,)


def test_new_people_share_no_ids_with_those_before(tmp_path: Path) -> None:
    with clinics(tmp_path) as vault:
        add(vault, tmp_path, "later", 10, shares="east")
        write(tmp_path, "east.parquet", table(500))
        vault.update("east", relation="new people", budget=shoal.Pure(1))
        with pytest.raises(RelationError, match="have budgets of their own"):
            vault.sql(JOINED.format("east", "later"))
        write(tmp_path, "east.parquet", table(501))
        vault.update("east", relation="all people")
        assert vault.sql(JOINED.format("east", "later")).question.relation.person == (INTEGER,)


def test_a_dataset_that_was_moved_among_others_pays_with_them_and_shares_no_ids(
    tmp_path: Path,
) -> None:
    with clinics(tmp_path) as vault:
        path = write(tmp_path, "east.parquet", table(700))
        moved = vault.update("west", relation="same people", path=path)
        assert (moved.accounts, moved.ids) == (("west", "east"), ("west",))
        vault.update("east", relation="same people", path=write(tmp_path, "e2.parquet", table(2)))
        for sql in (STACKED, JOINED):
            with pytest.raises(RelationError, match="pay from one account"):
                vault.sql(sql.format("east", "west"))


def test_what_was_declared_of_ids_is_in_the_journal(tmp_path: Path) -> None:
    with clinics(tmp_path) as vault:
        add(vault, tmp_path, "later", 10, shares=["east", "west"])
    with shoal.open(tmp_path / "clinics.shoal") as vault:
        later = vault.dataset("later")
        assert later.ids == ("east", "west")
        before = {key: value for key, value in later.to_dict().items() if key != "ids"}
        assert Dataset.from_dict(before, 0).ids == later.accounts
