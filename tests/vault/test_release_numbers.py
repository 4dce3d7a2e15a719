"""Releases are numbered 1, 2, 3, whatever else the journal holds."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from tests.vault.office import COUNT, office

import shoal
from shoal.errors import VaultError
from shoal.ledger import Ledger
from shoal.query.certificate import hash_of
from shoal.vault import Vault


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    """Two releases of the curator and one of Ana, with facts between them in the journal."""
    made = office(tmp_path)
    made.sql(COUNT).release(epsilon="0.01")
    made.grant("ana", "visits", shoal.Pure("0.5"))
    made.as_("ana").sql(f"{COUNT} WHERE spend > 10").release(epsilon="0.01")
    made.grant("ben", "visits", shoal.Pure("0.5"))
    made.sql(f"{COUNT} WHERE spend > 20").release(epsilon="0.01")
    return made


def test_numbers_count_releases_and_entries_stay_under_their_own_name(vault: Vault) -> None:
    log = vault.log()
    assert [each.number for each in log] == [1, 2, 3]
    entries = [each.entry.number for each in log]
    assert entries == sorted(entries)
    assert entries[0] > 3
    for each in log:
        told = each.to_dict()
        assert (told["release"], told["entry"]) == (each.number, each.entry.number)
        assert each.certificate["release"] == each.number
        assert each.certificate["ledger"]["entry"] == each.entry.number
        assert vault.show(each.number) == each
        assert vault.wrong_with(each.certificate) == []


def test_an_analyst_sees_the_same_number_as_the_curator(vault: Vault) -> None:
    assert [each.number for each in vault.as_("ana").log()] == [2]
    assert vault.as_("ana").show(2).asked_by == "ana"


def test_a_log_that_is_cut_has_the_numbers_of_the_whole_one(vault: Vault) -> None:
    for at in range(30):
        vault.sql(f"{COUNT} WHERE spend > {at + 100}").release(epsilon="0.01")
    assert [each.number for each in vault.log(2)] == [32, 33]
    assert [each.number for each in vault.log(None)] == list(range(1, 34))


def test_a_charge_that_is_given_back_keeps_its_number(vault: Vault, tmp_path: Path) -> None:
    charge = vault._ledger.charge(
        "visits", shoal.events.StatedPure("0.01"), caller="ana", body={"question": "x"}
    )
    assert isinstance(charge, shoal.ledger.Charge)
    charge.failed_before_data("a reason")
    vault.sql(f"{COUNT} WHERE spend > 30").release(epsilon="0.01")
    assert [(each.number, each.state) for each in vault.log(2)] == [
        (4, "given back"),
        (5, "answered"),
    ]


@pytest.mark.parametrize("number", [-1, 0, 4, 2**70])
def test_a_number_that_no_release_has_is_refused(vault: Vault, number: int) -> None:
    with pytest.raises(VaultError, match=f"no release {number}"):
        vault.show(number)


def test_who_types_the_place_in_the_journal_is_told_the_number(vault: Vault) -> None:
    entry = vault.log()[-1].entry.number
    with pytest.raises(VaultError, match=f"Entry {entry} of the journal is release 3"):
        vault.show(entry)


def test_a_certificate_with_the_number_of_another_release_is_wrong(vault: Vault) -> None:
    certificate = {**vault.show(2).certificate, "release": 1}
    certificate["hash"] = hash_of(certificate)
    assert any("says another number" in each for each in vault.wrong_with(certificate))


def test_a_file_without_the_index_gets_it_and_counts_the_same(vault: Vault, tmp_path: Path) -> None:
    vault.close()
    place = tmp_path / "office.shoal"
    with sqlite3.connect(place) as file:
        file.execute("DROP INDEX shoal_charges")
    with Ledger(place, read_only=True) as ledger:
        assert ledger.charges_until(ledger.head.number) == 3
    with shoal.open(place) as again:
        assert [each.number for each in again.log()] == [1, 2, 3]
    with sqlite3.connect(place) as file:
        plan = file.execute(
            "EXPLAIN QUERY PLAN SELECT count(*) FROM shoal_entries WHERE kind = 'charge' AND number <= 9"
        ).fetchall()
    assert "COVERING INDEX shoal_charges" in str(plan)


def test_counting_again_and_further_back_gives_the_same(vault: Vault) -> None:
    ledger = vault._ledger
    entries = [each.entry.number for each in vault.log()]
    assert [ledger.charges_until(each) for each in entries] == [1, 2, 3]
    assert [ledger.charges_until(each) for each in reversed(entries)] == [3, 2, 1]
    assert ledger.charges_until(0) == 0
    assert ledger.charges_until(entries[-1] + 1) == 3
