"""Accounts, charges, and what a request finds in the journal."""

from __future__ import annotations

import contextlib
import itertools
import json
import stat
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from shoal.errors import (
    AccountError,
    BudgetExceeded,
    ChargeError,
    InFlightError,
    KeyReusedError,
    PriceError,
    ShapeError,
    TamperedError,
)
from shoal.events import Gaussian, Laplace, StatedApprox, StatedPure
from shoal.ledger import Charge, Ledger, Replay
from shoal.ledger.head import HeadFile
from shoal.ledger.store import head_path
from shoal.measures import Approx, Pure, ZeroConcentrated

TENTH = StatedPure("0.1")


@pytest.fixture
def ledger(place: str) -> Iterator[Ledger]:
    with Ledger(place) as made:
        made.open_account("visits", Pure(1), relation="add_remove")
        yield made


def charged(found: Charge | Replay) -> Charge:
    assert isinstance(found, Charge)
    return found


def replayed(found: Charge | Replay) -> Replay:
    assert isinstance(found, Replay)
    return found


# exactness


def test_ten_tenths_fill_a_budget_of_one_and_the_least_more_is_refused(ledger: Ledger) -> None:
    for _ in range(10):
        charged(ledger.charge("visits", TENTH, caller="ana")).answered(1)
    assert ledger.account("visits").left == Pure(0)
    with pytest.raises(BudgetExceeded, match=r"'visits'.*Nothing was spent"):
        ledger.charge("visits", StatedPure("1e-300"), caller="ana")
    assert ledger.account("visits").events == 10


def test_delta_is_counted_exactly_too(place: str) -> None:
    with Ledger(place) as ledger:
        ledger.open_account("visits", Approx(10, "2e-6"), relation="add_remove")
        for _ in range(10):
            ledger.charge("visits", StatedApprox("0.01", "1e-7"), caller="ana")
        with pytest.raises(BudgetExceeded, match="may fail"):
            ledger.charge("visits", StatedApprox("0.01", "1e-300"), caller="ana")
        charged(ledger.charge("visits", StatedPure("0.01"), caller="ana"))


# several accounts


def test_a_charge_takes_from_every_account_or_from_none(ledger: Ledger) -> None:
    ledger.open_account("visits@ana", Pure("0.2"), relation="add_remove")
    names = ["visits", "visits@ana"]
    for _ in range(2):
        charged(ledger.charge(names, TENTH, caller="ana"))
    assert not ledger.would_fit(names, TENTH)
    with pytest.raises(BudgetExceeded, match="visits@ana"):
        ledger.charge(names, TENTH, caller="ana")
    assert ledger.account("visits").spent == Pure("0.2")
    assert ledger.account("visits@ana").spent == Pure("0.2")


def test_accounts_of_different_measures_are_charged_together(ledger: Ledger) -> None:
    ledger.open_account("rho", ZeroConcentrated("0.1"), relation="add_remove")
    ledger.open_account("approx", Approx(1, "1e-6"), relation="add_remove")
    charged(ledger.charge(["visits", "rho", "approx"], Laplace(10, 1), caller="ana"))
    assert ledger.account("visits").spent == Pure("0.1")
    assert ledger.account("rho").spent <= ZeroConcentrated("0.005")
    assert 0 < ledger.account("approx").spent.epsilon < 1  # type: ignore[attr-defined]
    charged(ledger.charge(["rho", "approx"], Gaussian(20, 1), caller="ana"))
    assert [account.events for account in ledger.accounts()] == [2, 2, 1]


def test_a_budget_can_be_changed_but_not_below_what_was_spent(ledger: Ledger) -> None:
    charged(ledger.charge("visits", StatedPure("0.7"), caller="ana"))
    with pytest.raises(AccountError, match="below what was spent"):
        ledger.change_budget("visits", Pure("0.6"))
    assert ledger.change_budget("visits", Pure("0.7")).left == Pure(0)
    assert ledger.change_budget("visits", Pure(2)).left == Pure("1.3")
    with pytest.raises(AccountError, match="same measure"):
        ledger.change_budget("visits", ZeroConcentrated(1))


def test_opening_an_account_again_changes_nothing(ledger: Ledger) -> None:
    charged(ledger.charge("visits", TENTH, caller="ana"))
    assert ledger.open_account("visits", Pure(1), relation="add_remove").spent == Pure("0.1")
    with pytest.raises(AccountError, match="open already"):
        ledger.open_account("visits", Pure(2), relation="add_remove")
    with pytest.raises(AccountError, match="no account 'visit'"):
        ledger.charge("visit", TENTH, caller="ana")
    with pytest.raises(AccountError, match="different accounts"):
        ledger.charge(["visits", "visits"], TENTH, caller="ana")


# idempotency


@pytest.mark.parametrize("in_turn", [False, True], ids=["read", "in turn"])
def test_the_same_key_and_request_returns_the_stored_answer(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch, *, in_turn: bool
) -> None:
    if in_turn:  # as when the head is late, and a transaction decides
        monkeypatch.setattr(ledger, "_answered_before", lambda _: None)
    first = charged(ledger.charge("visits", TENTH, caller="ana", body={"q": 1}, key="k"))
    first.answered({"n": 5})
    again = replayed(ledger.charge("visits", TENTH, caller="ana", body={"q": 1}, key="k"))
    assert (again.charge, again.answer) == (first.number, {"n": 5})
    assert ledger.account("visits").spent == Pure("0.1")


def test_the_same_key_with_another_request_is_an_error(ledger: Ledger) -> None:
    charged(ledger.charge("visits", TENTH, caller="ana", body={"q": 1}, key="k")).answered(1)
    for body, event in [({"q": 2}, TENTH), ({"q": 1}, StatedPure("0.2"))]:
        with pytest.raises(KeyReusedError):
            ledger.charge("visits", event, caller="ana", body=body, key="k")
    assert ledger.account("visits").spent == Pure("0.1")


def test_a_key_belongs_to_its_caller(ledger: Ledger) -> None:
    charged(ledger.charge("visits", TENTH, caller="ana", key="k")).answered(1)
    charged(ledger.charge("visits", TENTH, caller="bea", key="k"))


def test_a_request_in_flight_is_an_error(ledger: Ledger) -> None:
    first = charged(ledger.charge("visits", TENTH, caller="ana", key="k"))
    with pytest.raises(InFlightError):
        ledger.charge("visits", TENTH, caller="ana", key="k")
    first.answered(7)
    assert replayed(ledger.charge("visits", TENTH, caller="ana", key="k")).answer == 7


def test_a_charge_that_ended_without_an_answer_is_never_taken_up(ledger: Ledger) -> None:
    with (
        pytest.raises(KeyboardInterrupt),
        charged(ledger.charge("visits", TENTH, caller="ana", key="k")),
    ):
        raise KeyboardInterrupt
    with pytest.raises(ChargeError, match="ended without an answer"):
        ledger.charge("visits", TENTH, caller="ana", key="k")
    charged(ledger.charge("visits", TENTH, caller="ana", key="another")).answered(7)
    assert ledger.account("visits").spent == Pure("0.2")


def test_of_two_attempts_at_one_charge_only_the_later_can_answer(place: str) -> None:
    with Ledger(place, patience="1e-6") as ledger:
        ledger.open_account("visits", Pure(1), relation="add_remove")
        slow = charged(ledger.charge("visits", TENTH, caller="ana", key="k"))
        quick = charged(ledger.charge("visits", TENTH, caller="ana", key="k"))
        with pytest.raises(ChargeError, match="someone else"):
            slow.answered(1)
        quick.answered(2)
        with pytest.raises(ChargeError):
            slow.answered(1)
        assert replayed(ledger.charge("visits", TENTH, caller="ana", key="k")).answer == 2
        assert ledger.account("visits").spent == Pure("0.1")


def test_the_same_question_is_answered_free_for_everyone(ledger: Ledger) -> None:
    charged(ledger.charge("visits", TENTH, caller="ana", same="digest")).answered("a")
    assert replayed(ledger.charge("visits", TENTH, caller="bea", same="digest")).answer == "a"
    assert ledger.account("visits").spent == Pure("0.1")


# failing


def test_what_failed_before_data_was_read_is_given_back_by_an_entry(ledger: Ledger) -> None:
    before = ledger.head.number
    first = charged(ledger.charge("visits", TENTH, caller="ana", key="k"))
    first.failed_before_data("the file is gone")
    assert ledger.account("visits").left == Pure(1)
    assert [entry.kind for entry in ledger.entries(since=before)] == ["charge", "failed"]
    charged(ledger.charge("visits", TENTH, caller="ana", key="k"))


def test_nothing_is_given_back_once_data_was_read(ledger: Ledger) -> None:
    first = charged(ledger.charge("visits", TENTH, caller="ana"))
    first.reads_data()
    with pytest.raises(ChargeError, match="has read data"):
        first.failed_before_data("too late")
    assert ledger.account("visits").spent == Pure("0.1")


def test_nothing_is_given_back_of_a_charge_that_someone_else_began(place: str) -> None:
    with Ledger(place, patience="1e-6") as ledger:
        ledger.open_account("visits", Pure(1), relation="add_remove")
        charged(ledger.charge("visits", TENTH, caller="ana", key="k")).reads_data()
        again = charged(ledger.charge("visits", TENTH, caller="ana", key="k"))
        assert not again.may_be_given_back
        with pytest.raises(ChargeError, match="may have"):
            again.failed_before_data("no file")
        assert ledger.account("visits").spent == Pure("0.1")


def test_nothing_is_given_back_once_it_was_answered_or_given_back(ledger: Ledger) -> None:
    first = charged(ledger.charge("visits", TENTH, caller="ana"))
    first.answered(1)
    second = charged(ledger.charge("visits", TENTH, caller="ana"))
    second.failed_before_data("no")
    for settled in (first, second):
        with pytest.raises(ChargeError):
            settled.failed_before_data("no")
        with pytest.raises(ChargeError):
            settled.answered(2)
    assert ledger.account("visits").spent == Pure("0.1")


# facts, the file, threads


def test_facts_are_kept_in_order(ledger: Ledger) -> None:
    ledger.record("dataset", {"name": "b"}, key="b")
    ledger.record("analyst", {"name": "x"})
    ledger.record("dataset", {"name": "a"})
    again = ledger.record("dataset", {"name": "b"}, key="b")
    assert [entry.fact["name"] for entry in ledger.facts("dataset")] == ["b", "a"]
    assert again == ledger.facts("dataset")[0]
    with pytest.raises(KeyReusedError):
        ledger.record("dataset", {"name": "c"}, key="b")
    with pytest.raises(AccountError, match="ledger itself"):
        ledger.record("charge", {})
    with pytest.raises(ShapeError):
        ledger.record("dataset", {"budget": float("nan")})
    charged(ledger.charge("visits", TENTH, caller="fact dataset", key="z"))
    ledger.record("dataset", {"name": "z"}, key="z")


@pytest.mark.parametrize("event", [None, "laplace", Pure(1)])
def test_only_events_are_charged(event: object, ledger: Ledger) -> None:
    with pytest.raises(ShapeError, match="must be an event"):
        ledger.charge("visits", event, caller="ana")  # type: ignore[arg-type]


def test_a_rehearsal_is_never_charged(ledger: Ledger) -> None:
    with pytest.raises(PriceError, match="rehearsal"):
        ledger.charge("visits", StatedPure("0.1", private=False), caller="ana")
    assert ledger.account("visits").events == 0


def test_a_text_is_the_canonical_json_of_the_request(ledger: Ledger) -> None:
    body = {"b": "é", "a": [1, None, True, "\u2028"]}
    names = ["visits"]
    entry = charged(ledger.charge(names, TENTH, caller='"q"', body=body, key="ü", same="s")).entry
    said = {
        "accounts": names,
        "body": body,
        "caller": '"q"',
        "event": TENTH.to_dict(),
        "key": "ü",
        "same": "s",
    }
    assert entry.body == said
    assert entry.text == json.dumps(said, sort_keys=True, separators=(",", ":"))


def test_entries_are_chained(ledger: Ledger) -> None:
    for number in range(25):
        ledger.record("note", number)
    entries = list(ledger.entries())
    assert all(entry.is_whole for entry in entries)
    assert [entry.number for entry in entries] == list(range(1, 28))
    for earlier, later in itertools.pairwise(entries):
        assert later.previous == earlier.hash
    assert ledger.head.hash == entries[-1].hash
    assert ledger.verify().is_sound
    assert [entry.number for entry in ledger.entries(since=5, limit=2)] == [6, 7]


def test_a_ledger_opens_as_it_was_left_and_only_its_owner_can_read_it(tmp_path: Path) -> None:
    path = tmp_path / "office.shoal"
    with Ledger(path) as ledger:
        ledger.open_account("visits", Approx(1, "1e-6"), relation="change")
        charged(ledger.charge("visits", Gaussian(30, 1), caller="ana")).answered(1)
        before = ledger.accounts()
    for name in ("office.shoal", "office.shoal.head"):
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600
    with Ledger(path) as ledger:
        assert ledger.accounts() == before
        charged(ledger.charge("visits", Gaussian(30, 1), caller="ana"))
        assert ledger.account("visits").events == 2


def test_threads_get_exactly_what_the_budget_holds(place: str) -> None:
    with Ledger(place) as ledger:
        ledger.open_account("visits", Pure(100), relation="add_remove")
        granted: list[int] = []

        def ask() -> None:
            for _ in range(50):
                with contextlib.suppress(BudgetExceeded):
                    granted.append(
                        charged(ledger.charge("visits", StatedPure(1), caller="t")).number
                    )

        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(set(granted)) == 100
        assert ledger.account("visits").left == Pure(0)


def test_a_key_that_an_equal_question_answered_stands_for_its_request_from_then_on(
    ledger: Ledger,
) -> None:
    charged(ledger.charge("visits", TENTH, caller="bea", same="digest")).answered("b")
    for _ in range(2):
        again = ledger.charge("visits", TENTH, caller="ana", body={"q": 1}, key="k", same="digest")
        assert replayed(again).answer == "b"
    for body, same in [({"q": 2}, "digest"), ({"q": 1}, "other"), ({"q": 1}, None)]:
        with pytest.raises(KeyReusedError, match="'k'"):
            ledger.charge("visits", TENTH, caller="ana", body=body, key="k", same=same)
    assert ledger.account("visits").events == 1
    assert [entry.kind for entry in ledger.entries()][-2:] == ["answered", "repeated"]
    assert ledger.verify().is_sound


def test_answers_are_given_again_while_another_process_has_the_turn_to_write(
    tmp_path: Path,
) -> None:
    path = tmp_path / "office.shoal"
    with Ledger(path) as ledger:
        ledger.open_account("visits", Pure(1), relation="add_remove")
        charged(ledger.charge("visits", TENTH, caller="ana", key="k", same="digest")).answered(7)
        replayed(ledger.charge("visits", TENTH, caller="bea", key="b", same="digest"))
        writer = HeadFile(head_path(path))
        writer.lock()
        again = [("ana", "k"), ("bea", "b"), ("cem", None)]
        found: list[Charge | Replay] = []

        def ask() -> None:
            for caller, key in again:
                found.append(ledger.charge("visits", TENTH, caller=caller, key=key, same="digest"))

        asking = threading.Thread(target=ask, daemon=True)
        asking.start()
        asking.join(timeout=30)
        waits = asking.is_alive()
        writer.unlock()
        assert not waits
        assert [replayed(each).answer for each in found] == [7, 7, 7]
        assert ledger.account("visits").events == 1


def test_no_answer_is_given_again_while_asking_has_stopped(tmp_path: Path) -> None:
    path = tmp_path / "office.shoal"
    with Ledger(path) as ledger:
        ledger.open_account("visits", Pure(1), relation="add_remove")
        charged(ledger.charge("visits", TENTH, caller="ana", key="k")).answered(7)
        ledger.take(lambda transaction: transaction.raise_alarm("an entry is lost"))
        with pytest.raises(TamperedError, match="an entry is lost"):
            ledger.charge("visits", TENTH, caller="ana", key="k")


def test_no_answer_is_given_again_by_an_old_copy(tmp_path: Path) -> None:
    path, copy = tmp_path / "office.shoal", tmp_path / "copy"
    with Ledger(path) as ledger:
        ledger.open_account("visits", Pure(1), relation="add_remove")
        charged(ledger.charge("visits", TENTH, caller="ana", key="k")).answered(7)
    copy.write_bytes(path.read_bytes())
    with Ledger(path) as ledger:
        charged(ledger.charge("visits", TENTH, caller="ana", key="later")).answered(8)
    copy.replace(path)
    with Ledger(path) as ledger, pytest.raises(TamperedError, match="old copy"):
        ledger.charge("visits", TENTH, caller="ana", key="k")


def test_a_request_in_flight_says_when_it_may_be_taken_up(place: str) -> None:
    with Ledger(place, patience=900) as slow, Ledger(place, patience=30) as quick:
        slow.open_account("visits", Pure(1), relation="add_remove")
        slow.charge("visits", TENTH, caller="ana", key="k")
        with pytest.raises(InFlightError, match="taken up again in 15 minutes"):
            slow.charge("visits", TENTH, caller="ana", key="k")
        with pytest.raises(InFlightError, match=r"taken up again in \d+ seconds?\."):
            quick.charge("visits", TENTH, caller="ana", key="k")


def test_an_account_that_comes_with_a_fact_is_opened_only_if_the_fact_is_written(
    ledger: Ledger,
) -> None:
    opens = {"new": (Pure(2), "add_remove")}
    first = ledger.record("dataset", {"name": "a"}, key="after 0")
    with pytest.raises(KeyReusedError):
        ledger.record("dataset", {"name": "b"}, key="after 0", opens=opens)
    assert [account.name for account in ledger.accounts()] == ["visits"]
    ledger.record("dataset", {"name": "b"}, key=f"after {first.number}", opens=opens)
    assert ledger.account("new").budget == Pure(2)
    assert [entry.kind for entry in ledger.entries()][-2:] == ["account", "dataset"]
    ledger.record("dataset", {"name": "c"}, opens={"new": (Pure(3), "add_remove")})
    assert ledger.account("new").budget == Pure(3)
    ledger.charge("new", TENTH, caller="ana")
    with pytest.raises(AccountError, match="open already"):
        ledger.record("dataset", {"name": "d"}, opens={"new": (Pure(4), "add_remove")})
    assert ledger.verify().is_sound


def test_the_hash_of_an_outcome_tells_nothing_to_who_can_guess_it(tmp_path: Path) -> None:
    """Who knows the rest of an entry and its moment cannot check a guess of the answer."""
    salts = set()
    with Ledger(tmp_path / "book.shoal") as ledger:
        ledger.open_account("visits", Pure(9), relation="add_remove")
        for at in range(3):
            held = ledger.charge("visits", StatedPure(1), caller="ana", key=str(at))
            assert isinstance(held, Charge)
            settled = held.answered(45) if at < 2 else held.leave("no answer")
            salts.add(json.loads(settled.text)["salt"])
    assert len(salts) == 3
    assert all(len(salt) == 32 for salt in salts)
