"""No budget is had twice: whatever is renamed, moved, written anew or declared at once, the same
people pay.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from unittest.mock import patch

import duckdb
import pyarrow as pa
import pytest
from tests.vault.office import COUNT, FACTS, UNIT, office, rows, write

import shoal
from shoal.errors import ChangedError, SchemaError, SourceError, VaultError
from shoal.vault import Vault
from shoal.vault.dataset import Dataset

ROW: dict[str, Any] = {"protects": shoal.Row(), "budget": shoal.Pure(1)}


def database(folder: Path, *statements: str) -> Path:
    path = folder / "rows.duckdb"
    with duckdb.connect(str(path)) as connection:
        for each in ("CREATE TABLE taken AS SELECT range AS x FROM range(9)", *statements):
            connection.execute(each)
    return path


def held(folder: Path, *statements: str) -> tuple[Vault, Path]:
    """A vault with a table of a DuckDB file."""
    path = database(folder, *statements)
    vault = shoal.open(folder / "office.shoal")
    vault.add("first", path, table="taken", **ROW)
    return vault, path


# tables of DuckDB files


def test_a_duckdb_file_with_a_log_beside_it_is_refused_when_added_updated_and_asked(
    tmp_path: Path,
) -> None:
    vault, path = held(tmp_path)
    writer = duckdb.connect(str(path))
    writer.execute("INSERT INTO taken SELECT range FROM range(1000)")
    assert path.with_name("rows.duckdb.wal").exists()
    acts: list[Callable[[], object]] = [
        lambda: vault.add("again", path, table="taken", shares="first", **ROW),
        lambda: vault.update("first", relation="same people"),
        lambda: vault.sql("SELECT COUNT(*) AS n FROM first").release(epsilon="0.5"),
    ]
    for act in acts:
        with pytest.raises(SourceError, match=r"rows\.duckdb\.wal"):
            act()
    assert vault.budget("first").spent == shoal.Pure(0)
    writer.close()
    vault.update("first", relation="same people")
    [[n]] = vault.sql("SELECT COUNT(*) AS n FROM first").release(epsilon=1).rows
    assert n > 500  # type: ignore[operator]


def test_a_table_has_one_account_however_its_name_is_typed(tmp_path: Path) -> None:
    vault, path = held(tmp_path)
    made = vault.add("again", path, table="TAKEN", **ROW)
    assert (made.location.table, made.accounts) == ("taken", ("first",))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "words"), [("seen", "a view"), ("made", "not a table"), ("gone", "not a table")]
)
def test_only_a_table_of_a_duckdb_file_is_taken(name: str, words: str, tmp_path: Path) -> None:
    statements = ("CREATE VIEW seen AS FROM taken", "CREATE MACRO made() AS TABLE FROM taken")
    vault, path = held(tmp_path, *statements)
    with pytest.raises(SourceError, match=f"{words}.*") as refusal:
        vault.add("again", path, table=name, **ROW)
    assert "one of its tables: taken" in str(refusal.value)


def test_a_file_that_is_no_database_is_refused_in_words(tmp_path: Path) -> None:
    (tmp_path / "rows.duckdb").write_text("nothing of the kind " * 1000)
    with pytest.raises(SourceError, match="cannot be opened as a DuckDB file"):
        shoal.open(tmp_path / "office.shoal").add(
            "first", tmp_path / "rows.duckdb", table="t", **ROW
        )


def test_a_second_table_of_a_file_needs_a_word_on_who_is_in_it(tmp_path: Path) -> None:
    vault, path = held(tmp_path, "CREATE TABLE copied AS FROM taken")
    with pytest.raises(VaultError, match="same people"):
        vault.add("second", path, table="copied", **ROW)
    shared = vault.add("second", path, table="copied", shares="first", **ROW)
    assert shared.accounts == ("first",)


def test_another_table_of_a_copy_of_the_file_needs_a_word_on_who_is_in_it(tmp_path: Path) -> None:
    vault, path = held(tmp_path, "CREATE TABLE copied AS FROM taken")
    copy = tmp_path / "elsewhere.db"
    copy.write_bytes(path.read_bytes())
    with pytest.raises(VaultError, match=r"'first' lies or lay in elsewhere\.db or a copy of it"):
        vault.add("second", copy, table="copied", **ROW)
    assert vault.add("second", copy, table="copied", shares="first", **ROW).accounts == ("first",)
    other = vault.add("third", copy, table="copied", **ROW)
    assert other.accounts == ("first",)


def test_another_table_of_a_copy_may_be_said_to_be_of_new_people(tmp_path: Path) -> None:
    vault, path = held(tmp_path, "CREATE TABLE copied AS FROM taken")
    copy = tmp_path / "elsewhere.db"
    copy.write_bytes(path.read_bytes())
    made = vault.add("second", copy, table="copied", relation="new people", **ROW)
    assert made.accounts == ("second",)


def test_a_public_table_beside_a_private_one_in_a_file_needs_no_word(tmp_path: Path) -> None:
    vault, path = held(tmp_path, "CREATE TABLE towns AS SELECT 'Aldam' AS town")
    assert vault.add("towns", path, table="towns", public=True).public


# places where private rows lie


def test_a_file_that_was_written_anew_is_not_added_without_a_word_on_who_is_in_it(
    tmp_path: Path,
) -> None:
    vault = office(tmp_path)
    path = write(tmp_path, table=rows(601))
    given: dict[str, Any] = {"protects": UNIT, "columns": FACTS, "budget": shoal.Pure(1)}
    with pytest.raises(VaultError, match="'visits' lies or lay in"):
        vault.add("again", path, **given)
    with pytest.raises(VaultError, match="'same rows' does not say"):
        vault.add("again", path, relation="same rows", **given)
    assert list(vault.datasets) == ["visits"]
    assert vault.add("shared", path, shares="visits", **given).accounts == ("visits",)
    write(tmp_path, table=rows(300, first=9000))
    made = vault.add("others", path, relation="new people", **given)
    assert (made.accounts, made.declared) == (("others",), "new people")


def test_a_place_that_a_dataset_has_left_is_still_known(tmp_path: Path) -> None:
    vault = office(tmp_path)
    (tmp_path / "visits.parquet").rename(tmp_path / "moved.parquet")
    vault.update("visits", path=tmp_path / "moved.parquet")
    with pytest.raises(VaultError, match="'visits' lies or lay in"):
        vault.add("again", write(tmp_path, table=rows(601)), protects=UNIT, budget=shoal.Pure(1))


def test_a_file_of_a_folder_that_is_registered_is_not_new(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    write(tmp_path / "parts", "a.parquet", rows(300))
    part = write(tmp_path / "parts", "b.parquet", rows(300, first=300))
    vault = shoal.open(tmp_path / "office.shoal")
    vault.add("visits", part.parent, protects=UNIT, budget=shoal.Pure(1))
    with pytest.raises(VaultError, match="'visits' lies or lay in"):
        vault.add("part", part, protects=UNIT, budget=shoal.Pure(1))


def test_sharing_with_another_does_not_free_a_file_from_those_who_lie_there(tmp_path: Path) -> None:
    vault = office(tmp_path)
    few = write(tmp_path, "few.parquet", rows(3, first=9000))
    vault.add("few", few, protects=UNIT, budget=shoal.Pure(9))
    path = write(tmp_path, table=rows(601))
    with pytest.raises(VaultError, match="'visits' lies or lay in"):
        vault.add("again", path, protects=UNIT, shares="few")
    made = vault.add("again", path, protects=UNIT, shares=["few", "visits"])
    assert made.accounts == ("few", "visits")


def test_what_lies_where_private_rows_lay_is_not_public(tmp_path: Path) -> None:
    vault = office(tmp_path, towns=True)
    path = write(tmp_path, table=rows(601))
    with pytest.raises(VaultError, match="which is private"):
        vault.add("open", path, public=True)
    with pytest.raises(VaultError, match="which is private"):
        vault.update("towns", path=path)


def test_a_dataset_that_moves_onto_the_file_of_another_pays_from_both_accounts(
    tmp_path: Path,
) -> None:
    vault = office(tmp_path)
    few = write(tmp_path, "few.parquet", rows(3, first=9000))
    vault.add("few", few, protects=UNIT, columns=FACTS, budget=shoal.Pure(9))
    path = write(tmp_path, table=rows(601))
    made = vault.update("few", path=path, relation="same people")
    assert made.accounts == ("few", "visits")


# content that is known


def test_known_content_that_shares_with_another_is_charged_to_both_accounts(tmp_path: Path) -> None:
    vault = office(tmp_path)
    apart = write(tmp_path, "o.parquet", rows(50, first=9000))
    vault.add("other", apart, protects=UNIT, budget=shoal.Pure(2))
    copy = write(tmp_path, "copy.parquet")
    made = vault.add("both", copy, protects=UNIT, columns=FACTS, shares="other")
    assert made.accounts == ("visits", "other")
    vault.sql("SELECT COUNT(*) AS n FROM both").release(epsilon="0.5")
    assert [vault.budget(each).spent for each in ("visits", "other")] == [shoal.Pure("0.5")] * 2


def test_the_content_of_another_dataset_is_a_new_version_whatever_is_said(tmp_path: Path) -> None:
    vault = office(tmp_path, budget=shoal.Pure(100))
    other = write(tmp_path, "other.parquet", rows(50, first=9000))
    vault.add("other", other, protects=UNIT, columns=FACTS, budget=shoal.Pure(100))
    vault.sql(COUNT).release(epsilon=9)
    made = vault.update("visits", path=other, relation="same rows")
    assert (made.version, made.accounts) == (2, ("visits", "other"))
    [[n]] = vault.sql(COUNT).release(epsilon=9).rows
    assert n < 200  # type: ignore[operator]


@pytest.mark.slow
def test_the_same_content_that_is_added_at_once_opens_one_budget(tmp_path: Path) -> None:
    shoal.open(tmp_path / "office.shoal").close()
    paths = [write(tmp_path, f"v{at}.parquet") for at in range(4)]

    def add(at: int) -> Dataset:
        with shoal.open(tmp_path / "office.shoal") as vault:
            return vault.add(f"v{at}", paths[at], protects=UNIT, budget=shoal.Pure(1))

    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(add, range(4)))
    assert len({each.accounts for each in made}) == 1
    assert len(shoal.open(tmp_path / "office.shoal").datasets) == 4


@pytest.mark.slow
def test_a_declaration_that_another_overtook_is_decided_anew(tmp_path: Path) -> None:
    vault = shoal.open(tmp_path / "office.shoal")
    mine, theirs = write(tmp_path, "mine.parquet"), write(tmp_path, "theirs.parquet")
    real, first = vault._ledger.record, [True]

    def overtaken(*given: Any, **more: Any) -> Any:
        if first.pop() if first else False:
            with shoal.open(tmp_path / "office.shoal") as other:
                other.add("theirs", theirs, protects=UNIT, budget=shoal.Pure(1))
        return real(*given, **more)

    with patch.object(vault._ledger, "record", overtaken):
        made = vault.add("mine", mine, protects=UNIT, budget=shoal.Pure(1))
    assert made.accounts == ("theirs",)
    assert [each.name for each in vault._ledger.accounts()] == ["theirs"]


# files that hide that they were written


@pytest.mark.parametrize("swapped", [False, True])
def test_a_settled_file_that_is_written_with_the_same_size_and_date_is_found(
    swapped: bool, tmp_path: Path
) -> None:
    path = tmp_path / "visits.csv"
    path.write_text("age\n1\n2\n")
    os.utime(path, (1_700_000_000, 1_700_000_000))
    vault = shoal.open(tmp_path / "office.shoal")
    later = time.time_ns() + 10**10
    with patch("shoal.vault.sources.file_source.time.time_ns", return_value=later):
        vault.add("visits", shoal.CsvFile(path, {"age": "integer"}), **ROW)
    assert vault.dataset("visits").dates == vault.dataset("visits").location.dates()
    target = tmp_path / "swap.csv" if swapped else path
    target.write_text("age\n1\n3\n")
    os.utime(target, (1_700_000_000, 1_700_000_000))
    if swapped:
        target.replace(path)
    with pytest.raises(ChangedError):
        vault.sql(COUNT).release(epsilon="0.25")


def test_a_vault_that_kept_only_sizes_and_dates_is_still_read(tmp_path: Path) -> None:
    vault = office(tmp_path)
    written = {**vault.dataset("visits").to_dict(), "dates": [[1, 2]]}
    vault._ledger.record("dataset", written)
    again = shoal.open(tmp_path / "office.shoal")
    assert again.dataset("visits").dates == ((1, 2),)
    again.sql(COUNT).release(epsilon="0.25")


# declarations as files


def test_a_written_declaration_says_whose_account_it_shares_and_no_budget(tmp_path: Path) -> None:
    vault = office(tmp_path)
    vault.add("other", write(tmp_path, "o.parquet", rows(50)), protects=UNIT, shares="visits")
    for name in ("visits", "other"):
        (tmp_path / f"{name}.toml").write_text(vault.to_toml(name))
    text = (tmp_path / "other.toml").read_text()
    assert ('shares = "visits"\n' in text, "[budget]" in text) == (True, False)
    second = shoal.open(tmp_path / "second.shoal")
    second.add_from(tmp_path / "visits.toml")
    assert second.add_from(tmp_path / "other.toml").accounts == ("visits",)
    assert second.to_toml("other") == vault.to_toml("other")


def test_a_written_declaration_names_everyone_it_shares_with(tmp_path: Path) -> None:
    vault = office(tmp_path)
    apart = write(tmp_path, "o.parquet", rows(50, first=9000))
    vault.add("other", apart, protects=UNIT, budget=shoal.Pure(2))
    third = write(tmp_path, "t.parquet", rows(7))
    vault.add("third", third, protects=UNIT, shares=["visits", "other"])
    file = tmp_path / "third.toml"
    file.write_text(vault.to_toml("third"))
    assert 'shares = ["visits", "other"]' in file.read_text()
    assert vault.add_from(file, name="fourth").accounts == ("visits", "other")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('public = "false"', "true or false"),
        ("public = 1", "true or false"),
        ("public = []", "true or false"),
        ("public = true", "says public and protects"),
        ("shares = 3", "name of a dataset"),
        ("table = 3", "must be text"),
        ("secret = true", "'secret'"),
    ],
)
def test_a_declaration_that_is_not_plainly_public_is_not_taken_as_public(
    line: str, words: str, tmp_path: Path
) -> None:
    vault = office(tmp_path)
    file = tmp_path / "visits.toml"
    file.write_text(f"{line}\n{vault.to_toml('visits')}")
    with pytest.raises(SchemaError, match=words):
        vault.add_from(file, name="again")
    assert list(vault.datasets) == ["visits"]


def test_a_public_declaration_with_a_budget_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "towns.toml"
    write(tmp_path, "towns.csv", pa.table({"town": ["Aldam"]}))
    head = 'name = "towns"\npath = "towns.csv"\npublic = true\n'
    vault = shoal.open(tmp_path / "office.shoal")
    for more in ('[budget]\nepsilon = "1"\n', 'shares = "visits"\n', "columns = 3\n"):
        file.write_text(head + more)
        with pytest.raises(SchemaError):
            vault.add_from(file)
    file.write_text(head)
    assert vault.add_from(file).public
