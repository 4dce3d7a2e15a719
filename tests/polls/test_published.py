from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

import pytest
from tests.polls.samples import polls, stream

import shoal
from shoal.errors import (
    AnsweredError,
    ClosedError,
    InvitationError,
    RangeError,
    ReportError,
    TamperedError,
    UnknownPollError,
    VaultError,
)
from shoal.ledger.entry import digest
from shoal.polls import Poll, PublishedPoll, once_number

POLLS = polls()
NUMBER = "0123456789abcdef" * 2


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "office.shoal"


def published(path: Path, name: str = "simplest") -> PublishedPoll:
    return shoal.open(path).publish(POLLS[name])


def test_a_poll_is_found_again_by_another_process_as_it_was_published(path: Path) -> None:
    for poll in POLLS.values():
        shoal.open(path).publish(poll)
    vault = shoal.open(path)
    assert list(vault.polls) == list(POLLS)
    for name, poll in POLLS.items():
        assert vault.poll(name).poll == poll
        assert vault.poll(name).poll.mark == poll.mark
    assert vault.verify().is_sound


def test_publishing_the_same_poll_again_changes_nothing_and_another_is_refused(path: Path) -> None:
    vault = shoal.open(path)
    vault.publish(POLLS["simplest"]).add("00", once=NUMBER, mark=POLLS["simplest"].mark)
    before = vault.position
    assert vault.publish(POLLS["simplest"]).people == 1
    assert vault.position == before
    with pytest.raises(UnknownPollError, match="another definition"):
        vault.publish(Poll("simplest", "Something else?", epsilon=1))
    assert vault.poll("simplest").poll == POLLS["simplest"]


def test_a_poll_that_is_not_there_is_said_to_be_missing(path: Path) -> None:
    with pytest.raises(UnknownPollError, match="is not there"):
        shoal.open(path).poll("nowhere")


def test_an_analyst_may_look_at_polls_and_not_run_them(path: Path) -> None:
    shoal.open(path).publish(POLLS["arms"])
    ana = shoal.open(path).as_("ana")
    poll = ana.poll("arms")
    for act in (poll.close, poll.reopen, ana.polls["arms"].close, lambda: poll.invite(1)):
        with pytest.raises(VaultError):
            act()
    with pytest.raises(VaultError):
        ana.publish(POLLS["simplest"])
    assert poll.results().people == 0


def test_a_number_is_counted_once_whatever_is_reported_with_it(path: Path) -> None:
    poll = published(path)
    poll.add("01", once=NUMBER, mark=poll.poll.mark)
    for report in ("01", "00"):
        with pytest.raises(AnsweredError):
            poll.add(report, once=NUMBER, mark=poll.poll.mark)
    assert poll.cells == {"01": 1}


def test_one_number_counts_once_in_each_of_two_polls(path: Path) -> None:
    one, two = published(path), published(path, "words")
    one.add("01", once=NUMBER, mark=one.poll.mark)
    two.add("01", once=NUMBER, mark=two.poll.mark)
    assert (one.people, two.people) == (1, 1)


def test_only_invitations_count_where_people_are_invited(path: Path) -> None:
    poll = published(path, "arms")
    numbers = poll.invite(3)
    assert len(set(numbers)) == 3
    for number in numbers[:2]:
        poll.add("001", once=number, mark=poll.poll.mark)
    with pytest.raises(InvitationError):
        poll.add("001", once=once_number(), mark=poll.poll.mark)
    assert (poll.people, poll.invited) == (2, 3)
    assert shoal.open(path).verify().is_sound


def test_the_file_does_not_tell_in_which_order_people_were_invited(path: Path) -> None:
    with shoal.open(path) as vault:
        poll = vault.publish(POLLS["arms"])
        kept = [digest(f"{poll.poll.mark}\n{number}") for number in poll.invite(40)]
    content = path.read_bytes()
    coming = sorted(kept, key=lambda each: content.find(each.encode()), reverse=True)
    assert min(content.find(each.encode()) for each in kept) > 0
    assert coming == sorted(kept)


def test_a_poll_for_every_browser_has_no_invitations(path: Path) -> None:
    with pytest.raises(UnknownPollError):
        published(path).invite(3)


@pytest.mark.parametrize("people", [0, 10**6])
def test_a_number_of_invitations_out_of_range_is_refused(people: int, path: Path) -> None:
    with pytest.raises(RangeError):
        published(path, "arms").invite(people)


def test_a_closed_poll_counts_nothing_until_it_is_opened_again(path: Path) -> None:
    poll = published(path)
    poll.add("00", once=once_number(), mark=poll.poll.mark)
    poll.close()
    assert not poll.is_open
    other = shoal.open(path).poll("simplest")
    with pytest.raises(ClosedError):
        other.add("01", once=NUMBER, mark=other.poll.mark)
    with pytest.raises(ClosedError):
        poll.close()
    assert poll.cells == {"00": 1}
    other.reopen()
    assert poll.is_open
    poll.add("01", once=NUMBER, mark=poll.poll.mark)
    assert poll.people == 2
    with pytest.raises(ClosedError):
        poll.reopen()
    assert shoal.open(path).verify().is_sound


def test_no_report_is_counted_after_the_moment_of_closing(path: Path) -> None:
    poll = published(path)
    refused = threading.Event()

    def go() -> None:
        while not refused.is_set():
            try:
                poll.add("01", once=once_number(), mark=poll.poll.mark)
            except ClosedError:
                refused.set()

    threads = [threading.Thread(target=go) for _ in range(4)]
    for thread in threads:
        thread.start()
    poll.close()
    at_closing = poll._last().fact["reports"]
    for thread in threads:
        thread.join()
    assert poll.people == at_closing
    poll.results()


@pytest.mark.parametrize(
    ("report", "once"),
    [
        ("2", NUMBER),
        ("02", NUMBER),
        ("0x", NUMBER),
        ("01", ""),
        ("01", "0" * 31),
        ("01", "0" * 33),
        ("01", "A" * 32),
        ("01", "g" * 32),
        ("01", None),
        (None, NUMBER),
    ],
)
def test_what_no_client_sends_is_refused_and_nothing_is_counted(
    report: str, once: str, path: Path
) -> None:
    poll = published(path)
    with pytest.raises(ReportError):
        poll.add(report, once=once, mark=poll.poll.mark)
    assert poll.people == 0


def test_a_report_for_another_definition_is_refused(path: Path) -> None:
    poll = published(path)
    with pytest.raises(UnknownPollError):
        poll.add("01", once=NUMBER, mark="0" * 64)
    poll.add("01", once=NUMBER, mark=poll.poll.mark)
    assert poll.people == 1


def test_a_report_of_another_poll_that_looks_alike_is_refused_and_nothing_is_counted(
    path: Path,
) -> None:
    """The text of a report fits every poll with as many digits; the mark says which one it is
    for.
    """
    poll = published(path)
    with pytest.raises(TypeError, match="mark"):
        poll.add("01", once=NUMBER)  # type: ignore[call-arg]
    for mark in ("", None, POLLS["arms"].mark, poll.poll.mark.upper()):
        with pytest.raises(UnknownPollError):
            poll.add("01", once=NUMBER, mark=mark)  # type: ignore[arg-type]
    assert poll.people == 0


def test_what_is_stored_holds_no_number_and_no_time_of_a_report(path: Path) -> None:
    poll = published(path, "arms")
    numbers = poll.invite(5)
    for number in numbers:
        poll.add("001", once=number, mark=poll.poll.mark)
    connection = sqlite3.connect(path)
    text = "\n".join(connection.iterdump())
    columns = {
        name: [column[1] for column in connection.execute(f"PRAGMA table_info({name})")]
        for name in ("shoal_counters", "shoal_marks")
    }
    connection.close()
    assert not any(number in text for number in numbers)
    assert columns == {
        "shoal_counters": ["tally", "cell", "count"],
        "shoal_marks": ["tally", "mark", "used"],
    }


def test_two_orders_of_the_same_reports_leave_the_same_counters_and_marks(tmp_path: Path) -> None:
    kept = []
    reports = [("00", "1" * 32), ("01", "2" * 32), ("00", "3" * 32)]
    for name, order in (("one", reports), ("two", reports[::-1])):
        path = tmp_path / f"{name}.shoal"
        poll = published(path)
        for report, once in order:
            poll.add(report, once=once, mark=poll.poll.mark)
        connection = sqlite3.connect(path)
        tables = ("shoal_counters", "shoal_marks")
        kept.append([connection.execute(f"SELECT * FROM {each}").fetchall() for each in tables])
        connection.close()
    assert kept[0] == kept[1]


def test_counters_changed_after_the_poll_was_closed_are_noticed(path: Path) -> None:
    poll = published(path)
    for place in range(4):
        poll.add(f"0{place % 2}", once=once_number(), mark=poll.poll.mark)
    poll.close()
    connection = sqlite3.connect(path)
    connection.execute("UPDATE shoal_counters SET count = 3 WHERE cell = '00'")
    connection.execute("UPDATE shoal_counters SET count = 1 WHERE cell = '01'")
    connection.commit()
    connection.close()
    with pytest.raises(TamperedError):
        shoal.open(path).poll("simplest").results()


def test_a_vault_of_before_there_were_polls_can_hold_them(tmp_path: Path) -> None:
    from tests.ledger import version_1  # noqa: PLC0415 - only here

    version_1.build(tmp_path / "old.shoal")
    vault = shoal.open(tmp_path / "old.shoal")
    assert vault.polls == {}
    vault.publish(POLLS["simplest"]).add("00", once=NUMBER, mark=POLLS["simplest"].mark)
    assert vault.poll("simplest").people == 1
    assert vault.verify().is_sound


def test_a_whole_poll_runs_from_definition_to_results(path: Path) -> None:
    poll = published(path, "everything")
    for number in range(50):
        client = poll.poll.client(stream(f"person {number}"))
        poll.add(client.respond_by_place([0] * 3), once=once_number(), mark=poll.poll.mark)
    results = poll.results()
    assert (results.people, sum(results.arms.values())) == (50, 50)
    assert results.is_open


def test_a_closed_poll_does_not_tell_in_which_order_numbers_came(path: Path) -> None:
    poll = published(path)
    numbers = [once_number() for _ in range(40)]
    for number in numbers:
        poll.add("01", once=number, mark=poll.poll.mark)
    kept = [digest(f"{poll.poll.mark}\n{number}") for number in numbers]

    def coming() -> list[str]:
        content = path.read_bytes()
        return sorted(kept, key=lambda each: content.find(each.encode()), reverse=True)

    assert coming() == kept
    poll.close()
    assert coming() == sorted(kept)
    assert path.with_name(path.name + "-wal").stat().st_size == 0


def test_results_taken_while_a_poll_is_closed_and_reopened_are_never_called_tampered(
    path: Path,
) -> None:
    poll, done = published(path), threading.Event()

    def run() -> None:
        for _ in range(15):
            poll.add("01", once=once_number(), mark=poll.poll.mark)
            poll.close()
            poll.reopen()
        done.set()

    thread = threading.Thread(target=run)
    thread.start()
    while not done.is_set():
        poll.results()
    thread.join()
    assert poll.results().people == 15
