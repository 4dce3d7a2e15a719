"""Datasets: where rows lie, what is stated of them, and whose budget they are charged to."""

from __future__ import annotations

import datetime as dt
import hashlib
import os
import time
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any
from unittest.mock import patch

import duckdb
import pyarrow as pa
import pytest
from pyarrow import parquet
from tests.vault.office import BY_KIND, COUNT, FACTS, PLANTED, UNIT, office, rows, write

import shoal
from shoal.engines.duckdb import DuckTable
from shoal.errors import ChangedError, SchemaError, ShoalError, SourceError, VaultError
from shoal.vault import Vault
from shoal.vault.plain_values import budget_from, number_to
from shoal.vault.sources import FileSource


def spent(vault: Vault, name: str = "visits") -> shoal.Measure:
    return vault.budget(name).spent


# the four places of rows


def _folder(folder: Path) -> dict[str, Any]:
    (folder / "parts").mkdir()
    write(folder / "parts", "a.parquet", rows(300))
    write(folder / "parts", "b.parquet", rows(300, first=300))
    return {"source": folder / "parts"}


def _database(folder: Path) -> dict[str, Any]:
    with duckdb.connect(str(folder / "rows.duckdb")) as connection:
        connection.register("held", rows())
        connection.execute("CREATE TABLE taken AS SELECT * FROM held")
    return {"source": folder / "rows.duckdb", "table": "taken"}


TYPES = {"user_id": "integer", "town": "text", "kind": "text", "spend": "real"}
PLACES: dict[str, Callable[[Path], dict[str, Any]]] = {
    "parquet": lambda folder: {"source": write(folder)},
    "csv": lambda folder: {"source": shoal.CsvFile(write(folder, "visits.csv"), TYPES)},
    "folder": _folder,
    "duckdb": _database,
    "duck table": lambda folder: {"source": DuckTable(_database(folder)["source"], "taken")},
}


@pytest.mark.slow
@pytest.mark.parametrize("place", PLACES)
def test_rows_are_found_wherever_they_lie(place: str, tmp_path: Path) -> None:
    vault = shoal.open(tmp_path / "office.shoal")
    vault.add(
        "visits", **PLACES[place](tmp_path), protects=UNIT, columns=FACTS, budget=shoal.Pure(50)
    )
    [[count]] = vault.sql(COUNT).release(epsilon=50).rows
    assert abs(count - 1200) < 100  # type: ignore[operator]


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("gone.parquet", "nothing to read"),
        ("visits.xlsx", "not a kind of file"),
        ("rows.duckdb", "name of one of its tables"),
        (pa.table({"a": [1]}), "lies nowhere"),
    ],
)
def test_a_source_that_cannot_be_kept_is_refused(source: Any, words: str, tmp_path: Path) -> None:
    (tmp_path / "visits.xlsx").write_text("x")
    _database(tmp_path)
    given = tmp_path / source if isinstance(source, str) else source
    vault = shoal.open(tmp_path / "office.shoal")
    with pytest.raises(SourceError, match=words):
        vault.add("visits", given, protects=UNIT, budget=shoal.Pure(1))
    assert vault.datasets == {}


def test_a_csv_file_with_a_row_that_cannot_be_read_is_refused_when_it_is_added(
    tmp_path: Path,
) -> None:
    path = tmp_path / "visits.csv"
    path.write_text("id,spend\n" + "1,2\n" * 30000 + f"2,3,{PLANTED}\n")
    vault = shoal.open(tmp_path / "office.shoal")
    declared = shoal.CsvFile(path, {"id": "integer", "spend": "real"})
    with pytest.raises(SourceError) as refusal:
        vault.add("visits", declared, protects=shoal.Row(), budget=shoal.Pure(1))
    assert PLANTED not in str(refusal.value)
    assert vault.datasets == {}


# refusals leave nothing behind

BAD: dict[str, tuple[dict[str, Any], type[ShoalError]]] = {
    "no unit": ({"protects": None}, SchemaError),
    "both": ({"public": True}, SchemaError),
    "not a unit": ({"protects": "user_id"}, SchemaError),
    "no budget": ({"budget": None}, VaultError),
    "no measure": ({"budget": "three"}, ShoalError),
    "no column": ({"columns": {"spent": shoal.Range(0, 1)}}, SchemaError),
    "no such type": ({"columns": {"town": shoal.Range(0, 1)}}, SchemaError),
    "no such person": ({"protects": shoal.Person("who")}, SchemaError),
    "required without a fact": ({"required": ["town"]}, SchemaError),
    "keys": ({"keys": {"user_id": 0}}, ShoalError),
    "sharing with nobody": ({"shares": "people"}, VaultError),
    "a name": ({"name": "my visits"}, VaultError),
    "a name with an at": ({"name": "visits@ana"}, VaultError),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", BAD)
def test_a_declaration_that_is_refused_leaves_nothing_behind(case: str, tmp_path: Path) -> None:
    vault = shoal.open(tmp_path / "office.shoal")
    before = vault._ledger.head
    given = {
        "name": "visits",
        "protects": UNIT,
        "columns": FACTS,
        "budget": shoal.Pure(1),
        **BAD[case][0],
    }
    with pytest.raises(BAD[case][1]):
        vault.add(given.pop("name"), write(tmp_path), **given)
    assert vault._ledger.head == before


def test_a_name_that_is_taken_is_refused(tmp_path: Path) -> None:
    vault = office(tmp_path)
    for name in ("visits", "VISITS"):
        with pytest.raises(VaultError, match="already"):
            vault.add(
                name, write(tmp_path, "other.parquet", rows(9)), protects=UNIT, budget=shoal.Pure(1)
            )


def test_a_vault_that_must_be_there_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(VaultError, match="there is no vault"):
        shoal.open(tmp_path / "office.shoal", create=False)
    assert list(tmp_path.iterdir()) == []


def test_a_declaration_that_was_cut_short_can_be_made_again(tmp_path: Path) -> None:
    vault = shoal.open(tmp_path / "office.shoal")
    vault._ledger.open_account("visits", shoal.Pure(7), relation="add_remove")
    vault.add("visits", write(tmp_path), protects=UNIT, columns=FACTS, budget=shoal.Pure(1))
    assert vault.budget("visits").whole == shoal.Pure(1)


# lineage


def test_the_same_content_under_another_name_shares_the_account_and_does_not_refill_it(
    tmp_path: Path,
) -> None:
    vault = office(tmp_path)
    vault.sql(COUNT).release(epsilon="0.75")
    (tmp_path / "parts").mkdir()
    copies = [write(tmp_path, "copy.parquet"), write(tmp_path / "parts", "a.parquet").parent]
    for at, source in enumerate(copies):
        made = vault.add(
            f"again{at}", source, protects=shoal.Person("user_id"), budget=shoal.Pure(100)
        )
        assert (made.accounts, made.declared) == (("visits",), "same people as visits")
        assert vault.budget(made.name).left == shoal.Pure("0.25")


def test_known_content_cannot_be_protected_less(tmp_path: Path) -> None:
    vault = office(tmp_path)
    copy = write(tmp_path, "copy.parquet")
    for unit in (shoal.Row(), shoal.Person("town"), shoal.Person("user_id", relation="change")):
        with pytest.raises(SchemaError, match="registered as 'visits'"):
            vault.add("again", copy, protects=unit, budget=shoal.Pure(1))
    with pytest.raises(VaultError, match="private"):
        vault.add("again", copy, public=True)


def test_public_content_cannot_become_private(tmp_path: Path) -> None:
    vault = office(tmp_path, towns=True)
    with pytest.raises(VaultError, match="public"):
        declared = shoal.CsvFile(tmp_path / "towns.csv", {"town": "text", "region": "text"})
        vault.add("people", declared, protects=shoal.Row(), budget=shoal.Pure(1))


def test_a_dataset_about_the_same_people_can_share_their_account(tmp_path: Path) -> None:
    vault = office(tmp_path)
    other = write(tmp_path, "other.parquet", rows(50))
    vault.add("other", other, protects=UNIT, columns=FACTS, shares="visits")
    vault.sql("SELECT COUNT(*) AS n FROM other").release(epsilon="0.75")
    assert vault.budget("visits").left == shoal.Pure("0.25")


def test_a_changed_file_is_refused_until_the_curator_says_what_it_is(tmp_path: Path) -> None:
    vault = office(tmp_path)
    vault.sql(COUNT).release(epsilon="0.25")
    write(tmp_path, table=rows(700))
    for each in (vault, shoal.open(tmp_path / "office.shoal")):
        with pytest.raises(ChangedError, match="version 1"):
            each.sql(COUNT).release(epsilon="0.25")
    assert spent(vault) == shoal.Pure("0.25")
    with pytest.raises(VaultError, match="same people"):
        vault.update("visits")
    with pytest.raises(VaultError, match="'fewer people'"):
        vault.update("visits", relation="fewer people")


def test_a_change_of_one_byte_that_keeps_size_and_date_is_found_in_a_fresh_file(
    tmp_path: Path,
) -> None:
    path = tmp_path / "visits.csv"
    path.write_text("age\n1\n2\n")
    vault = shoal.open(tmp_path / "office.shoal")
    declared = shoal.CsvFile(path, {"age": "integer"})
    vault.add("visits", declared, protects=shoal.Row(), budget=shoal.Pure(1))
    stat = path.stat()
    path.write_text("age\n1\n3\n")
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    with pytest.raises(ChangedError):
        shoal.open(tmp_path / "office.shoal").sql(COUNT).release(epsilon="0.25")


def test_a_file_that_is_long_settled_is_not_hashed_again(tmp_path: Path) -> None:
    path = write(tmp_path)
    vault = shoal.open(tmp_path / "office.shoal")
    later = time.time_ns() + 10**10
    with patch("shoal.vault.sources.file_source.time.time_ns", return_value=later):
        vault.add("visits", path, protects=UNIT, columns=FACTS, budget=shoal.Pure(1))
    with patch.object(FileSource, "identity", side_effect=AssertionError):
        vault._payer(["visits"]).engine.check_content()
    os.utime(path, (1_700_000_001, 1_700_000_001))
    vault.sql(COUNT).release(epsilon="0.25")


def test_the_same_people_go_on_with_the_same_account(tmp_path: Path) -> None:
    vault = office(tmp_path)
    vault.sql(COUNT).release(epsilon="0.75")
    write(tmp_path, table=rows(700))
    made = vault.update("visits", relation="same people")
    assert (made.version, made.accounts) == (2, ("visits",))
    vault.sql(COUNT).release(epsilon="0.25")
    assert vault.budget("visits").left == shoal.Pure(0)


def test_rows_that_were_only_written_anew_keep_their_answers(tmp_path: Path) -> None:
    vault = office(tmp_path)
    first = vault.sql(COUNT).release(epsilon="0.5")
    parquet.write_table(rows(), tmp_path / "visits.parquet", compression="gzip")
    assert vault.update("visits", relation="same rows").version == 1
    assert vault.sql(COUNT).release(epsilon="0.5").rows == first.rows
    assert spent(vault) == shoal.Pure("0.5")


def test_new_people_need_a_budget_and_have_an_account_of_their_own(tmp_path: Path) -> None:
    vault = office(tmp_path)
    vault.sql(COUNT).release(epsilon=1)
    write(tmp_path, table=rows(300, first=600))
    with pytest.raises(VaultError, match="need a budget"):
        vault.update("visits", relation="new people")
    made = vault.update("visits", relation="new people", budget=shoal.Pure(2))
    assert made.accounts == ("visits#2",)
    vault.sql(COUNT).release(epsilon=2)
    assert vault.budget("visits").left == shoal.Pure(0)


def test_old_content_that_comes_back_is_charged_to_its_old_account_whatever_is_said(
    tmp_path: Path,
) -> None:
    vault = office(tmp_path)
    write(tmp_path, table=rows(300, first=600))
    vault.update("visits", relation="new people", budget=shoal.Pure(2))
    write(tmp_path)
    made = vault.update("visits", relation="new people", budget=shoal.Pure(9))
    assert made.accounts == ("visits",)


def test_people_of_several_versions_are_charged_to_every_account(tmp_path: Path) -> None:
    vault = office(tmp_path)
    write(tmp_path, table=rows(300, first=600))
    vault.update("visits", relation="new people", budget=shoal.Pure(2))
    write(tmp_path, table=rows(900))
    made = vault.update("visits", relation="all people")
    assert made.accounts == ("visits", "visits#2")
    vault.sql(COUNT).release(epsilon="0.5")
    assert [each.spent for each in vault.budget("visits").accounts] == [shoal.Pure("0.5")] * 2


def test_of_several_accounts_the_one_with_least_left_is_shown(tmp_path: Path) -> None:
    vault = office(tmp_path, shoal.Pure(3))
    write(tmp_path, table=rows(300, first=600))
    vault.update("visits", relation="new people", budget=shoal.Pure(2))
    vault.sql(COUNT).release(epsilon="0.5")
    write(tmp_path, table=rows(900))
    vault.update("visits", relation="all people")
    standing = vault.budget("visits")
    assert [each.name for each in standing.accounts] == ["visits", "visits#2"]
    assert standing.tightest.name == "visits#2"
    assert (standing.whole, standing.spent) == (shoal.Pure(2), shoal.Pure("0.5"))
    assert standing.left == shoal.Pure("1.5")


def test_an_analyst_sees_nothing_of_a_dataset_that_depends_on_its_rows(tmp_path: Path) -> None:
    vault = office(tmp_path)
    vault.grant("ana", "visits", shoal.Pure(1))
    ana = vault.as_("ana")
    seen, again = ana.dataset("visits"), ana.datasets["visits"]
    write(tmp_path, table=rows(601))
    vault.update("visits", relation="same rows")
    assert vault.dataset("visits").size != 0
    assert (seen.size, seen.digest, seen.dates) == (None, "", ())
    assert replace(ana.dataset("visits"), entry=0, declared="") == replace(
        seen, entry=0, declared=""
    )
    assert again == seen
    ana.sql(COUNT).release(epsilon="0.5")


def test_a_file_that_was_moved_is_found_again(tmp_path: Path) -> None:
    vault = office(tmp_path)
    first = vault.sql(COUNT).release(epsilon="0.5")
    (tmp_path / "visits.parquet").rename(tmp_path / "moved.parquet")
    with pytest.raises(SourceError, match="nothing to read"):
        vault.sql(BY_KIND).release(epsilon="0.5")
    vault.update("visits", path=tmp_path / "moved.parquet")
    assert vault.sql(COUNT).release(epsilon="0.5").rows == first.rows


def test_a_new_version_keeps_the_facts_and_refuses_those_whose_column_is_gone(
    tmp_path: Path,
) -> None:
    vault = office(tmp_path)
    write(tmp_path, table=rows(700).drop_columns(["spend"]))
    with pytest.raises(SchemaError, match="'spend'"):
        vault.update("visits", relation="same people")
    write(tmp_path, table=rows(700))
    made = vault.update("visits", relation="same people")
    assert made.table.column("spend") == vault.dataset("visits").table.column("spend")
    assert made.table.column("spend").span is not None


# the vault file holds no rows, and no plain hash of them


def test_the_vault_holds_no_row_and_no_plain_hash_of_the_rows(tmp_path: Path) -> None:
    vault = office(tmp_path, columns={"spend": shoal.Range(0, 500)})
    vault.sql(COUNT).release(epsilon="0.5")
    vault.close()
    plain = hashlib.sha256((tmp_path / "visits.parquet").read_bytes()).hexdigest()
    for file in tmp_path.glob("office.shoal*"):
        held = file.read_bytes()
        assert PLANTED.encode() not in held
        assert plain.encode() not in held


def test_the_same_file_has_another_fingerprint_in_another_vault(tmp_path: Path) -> None:
    path, digests = write(tmp_path), []
    for name in ("one.shoal", "other.shoal"):
        vault = shoal.open(tmp_path / name)
        made = vault.add("visits", path, protects=UNIT, budget=shoal.Pure(1))
        digests.append(made.digest)
        assert made.digest not in vault.sql(COUNT).release(epsilon=1).certificate.values()
    assert digests[0] != digests[1]


# declarations as files

ALL_KINDS = pa.table(
    {
        "who": pa.array(["a", "b"]),
        "count of": pa.array([1, 2]),
        "price": pa.array([Decimal("1.50"), None], pa.decimal128(9, 2)),
        "day": pa.array([dt.date(2026, 1, 1), None]),
        "at": pa.array([dt.datetime(2026, 1, 1, 12), None], pa.timestamp("us")),
        "yes": pa.array([True, None]),
        "x": pa.array([0.5, None]),
    }
)


def all_kinds(folder: Path) -> Vault:
    vault = shoal.open(folder / "office.shoal")
    vault.add(
        "things",
        write(folder, "things.parquet", ALL_KINDS),
        protects=shoal.Person(["who"], groups=4, rows_per_group=2, nulls="one", relation="change"),
        columns={
            "count of": shoal.Range(0, 9),
            "price": shoal.Choices([Decimal("1.50"), Decimal("2.00")]),
            "day": shoal.Range("2026-01-01", "2026-12-31"),
            "at": shoal.Range("2026-01-01", "2026-12-31T23:59:59"),
            "yes": shoal.Choices([True, False]),
            "x": shoal.Range("0.1", "1/3"),
            "who": shoal.Choices(["a", 'quote " and \\ and é']),
        },
        required=["price"],
        keys={"who": 3},
        budget=shoal.Approx("1/3", "1e-7"),
    )
    return vault


def test_a_dataset_is_the_same_after_its_declaration_was_written_and_read(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    vault = all_kinds(tmp_path)
    file = tmp_path / "things.toml"
    file.write_text(vault.to_toml("things", beside=tmp_path))
    assert 'path = "things.parquet"' in file.read_text()
    other = shoal.open(tmp_path / "other" / "office.shoal")
    made = other.add_from(file)
    assert made.stated == vault.dataset("things").stated
    assert made.table == vault.dataset("things").table
    assert other.budget("things").whole == vault.budget("things").whole
    assert other.to_toml("things") == vault.to_toml("things")


def test_a_public_dataset_has_a_declaration_too(tmp_path: Path) -> None:
    vault = office(tmp_path, towns=True)
    file = tmp_path / "towns.toml"
    file.write_text(vault.to_toml("towns"))
    assert "public = true" in file.read_text()
    assert vault.add_from(file, name="places").public


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('type = "real"', 'type = "integer"', "declared as integer"),
        ('type = "real"', 'type = "number"', "not a type"),
        ('type = "real"', "", "has no type"),
        ("[columns.spend]", "[columns.spent]", "'spent'"),
        ("groups = 2", "grups = 2", "Write groups"),
        ('name = "visits"', 'nam = "visits"', "'nam'"),
        ('name = "visits"', "", "needs a name"),
        ('range = ["0", "500"]', 'range = ["0"]', "two ends"),
        ('range = ["0", "500"]', 'rang = ["0", "1"]', "'rang'"),
        ('epsilon = "1"', 'eps = "1"', "a budget is"),
        ("[budget]", "[budget", "not TOML"),
    ],
)
def test_a_declaration_with_a_mistake_is_refused_by_name(
    old: str, new: str, words: str, tmp_path: Path
) -> None:
    vault = office(tmp_path)
    text = vault.to_toml("visits")
    assert old in text
    file = tmp_path / "visits.toml"
    file.write_text(text.replace(old, new))
    with pytest.raises(SchemaError, match=words):
        vault.add_from(file, name="again")
    assert list(vault.datasets) == ["visits"]


@pytest.mark.parametrize(
    ("written", "budget"),
    [
        ({"epsilon": "1"}, shoal.Pure(1)),
        ({"epsilon": 1, "delta": "0"}, shoal.Pure(1)),
        ({"epsilon": "1", "delta": "1e-9"}, shoal.Approx(1, "1e-9")),
        ({"rho": 0.5}, shoal.ZeroConcentrated("0.5")),
    ],
)
def test_a_budget_is_read_as_it_is_meant(written: dict[str, Any], budget: shoal.Measure) -> None:
    assert budget_from(written) == budget


@pytest.mark.parametrize("text", ["0.1", "1/3", "1e-12", "123456789.5", "0", "-2.5", "1/1024"])
def test_a_number_that_is_written_is_read_as_the_same(text: str) -> None:
    number = shoal.exact.rational(text, "x")
    assert shoal.exact.rational(number_to(number), "x") == number


def test_a_declaration_made_elsewhere_is_seen_by_those_who_have_the_vault_open(
    tmp_path: Path,
) -> None:
    mine = office(tmp_path)
    ana = mine.as_("ana")
    assert list(mine.datasets) == ["visits"]
    with shoal.open(tmp_path / "office.shoal") as other:
        other.update("visits", columns={"spend": shoal.Range(0, 9)})
        other.add(
            "more",
            write(tmp_path, "more.parquet", rows(9, first=9000)),
            protects=UNIT,
            budget=shoal.Pure(1),
        )
    for vault in (mine, ana):
        assert list(vault.datasets) == ["visits", "more"]
        assert str(vault.dataset("visits").table.column("spend").span) == "0 .. 9"


def test_a_public_table_that_changed_is_refused_until_it_is_declared_anew(tmp_path: Path) -> None:
    vault = office(tmp_path, towns=True)
    sql = "SELECT region, COUNT(*) AS n FROM visits JOIN towns USING (town) GROUP BY region"
    write(tmp_path, "towns.csv", pa.table({"town": ["Aldam"], "region": ["west"]}))
    with pytest.raises(ChangedError, match="'towns'"):
        vault.sql(sql).release(epsilon="0.5")
    assert vault.update("towns").version == 2
    assert {row[0] for row in vault.sql(sql).release(epsilon="0.5").rows} == {"west", None}


# made-up rows


def test_made_up_rows_keep_to_what_is_stated_and_to_nothing_else(tmp_path: Path) -> None:
    vault = all_kinds(tmp_path)
    made = vault.dummy("things", 300)
    assert made.schema.names == ALL_KINDS.schema.names
    assert set(made.column("price").to_pylist()) == {Decimal("1.50"), Decimal("2.00")}
    days = [day for day in made.column("day").to_pylist() if day is not None]
    assert dt.date(2026, 1, 1) <= min(days) <= max(days) <= dt.date(2026, 12, 31)
    assert None in made.column("day").to_pylist()
    write(tmp_path, "things.parquet", ALL_KINDS.slice(1))
    assert vault.dummy("things", 3).num_rows == 3  # the file is not even looked at


def test_a_rehearsal_is_asked_in_the_measure_of_the_datasets_it_reads(tmp_path: Path) -> None:
    vault = office(tmp_path)
    told: dict[str, Any] = {"protects": UNIT, "columns": FACTS}
    apart = write(tmp_path, "apart.parquet", rows(50, first=9000))
    vault.add("apart", apart, budget=shoal.ZeroConcentrated(1), **told)
    made_up = vault.rehearse(50)
    assert made_up.sql(COUNT).release(epsilon="0.5").price == "epsilon 0.5"
    of_the_other = made_up.sql("SELECT COUNT(*) AS n FROM apart")
    assert "rho 0.1" in of_the_other.release(rho="0.1").price
    with pytest.raises(shoal.ShoalError):
        of_the_other.release(epsilon="0.5")


def test_a_rehearsal_of_every_question_is_free(tmp_path: Path) -> None:
    vault = office(tmp_path, towns=True)
    made_up = vault.rehearse(50)
    for _ in range(3):
        assert len(made_up.sql(BY_KIND).release(epsilon=1)) == 3
    joined = "SELECT region, COUNT(*) AS n FROM visits JOIN towns USING (town) GROUP BY region"
    assert made_up.sql(joined).release(epsilon=1).certificate["dummy"] is True
    assert vault.log() == []
    with pytest.raises(VaultError, match="no private dataset"):
        shoal.open(tmp_path / "empty.shoal").rehearse()
