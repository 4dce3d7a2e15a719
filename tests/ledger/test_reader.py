"""Accounts are not read again while nothing was written, and never shown as they were."""

from __future__ import annotations

from typing import Any

import pytest

from shoal.errors import AccountError
from shoal.events import StatedPure
from shoal.ledger import Ledger
from shoal.measures import Pure

TENTH = StatedPure("0.1")


def charged(ledger: Ledger, name: str = "visits") -> None:
    with ledger.charge(name, TENTH, caller="ana") as charge:  # type: ignore[union-attr]
        charge.answered(1)


def test_what_another_process_spends_counts_at_the_next_look(place: str) -> None:
    with Ledger(place) as mine, Ledger(place) as other:
        mine.open_account("visits", Pure("0.2"), relation="add_remove")
        for left in ("epsilon 0.2", "epsilon 0.1", "epsilon 0"):
            assert str(mine.account("visits").left) == left
            assert str(mine.accounts(["visits"])[0].left) == left
            fits = left != "epsilon 0"
            assert mine.would_fit("visits", TENTH) is fits
            if fits:
                charged(other)


def test_a_changed_budget_and_a_new_account_count_at_the_next_look(place: str) -> None:
    with Ledger(place) as mine, Ledger(place) as other:
        mine.open_account("visits", Pure(1), relation="add_remove")
        assert mine.account("visits").budget == Pure(1)
        other.change_budget("visits", Pure(2))
        assert mine.account("visits").budget == Pure(2)
        with pytest.raises(AccountError):
            mine.account("doses")
        other.open_account("doses", Pure(3), relation="add_remove")
        assert [each.name for each in mine.accounts(["visits", "doses"])] == ["doses", "visits"]


def test_accounts_are_read_once_while_nothing_is_written(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Ledger(tmp_path / "office.shoal") as ledger:
        ledger.open_account("visits", Pure(1), relation="add_remove")
        before = ledger.account("visits")
        monkeypatch.setattr(ledger, "_reading", None)  # whoever reads now fails
        assert ledger.account("visits") is before
        monkeypatch.undo()
        charged(ledger)
        assert ledger.account("visits") != before


def test_the_head_is_that_of_the_last_commit_of_anybody(place: str) -> None:
    with Ledger(place) as mine, Ledger(place) as other:
        for _ in range(3):
            entry = other.record("note", {"said": "something"})
            assert (mine.head.number, mine.head.hash) == (entry.number, entry.hash)


@pytest.mark.postgres
def test_a_look_after_the_server_dropped_the_connection_finds_another(places: Any) -> None:
    import psycopg  # noqa: PLC0415 - only where there is a server

    address = places("postgres")
    with Ledger(address) as ledger:
        before = ledger.head
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"
            )
        assert ledger.head == before


def test_a_ledger_that_is_closed_and_used_again_still_looks(tmp_path: Any) -> None:
    ledger = Ledger(tmp_path / "office.shoal")
    before = ledger.head
    ledger.close()
    assert ledger.head == before
    ledger.close()
