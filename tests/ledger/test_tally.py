"""A tally counts each mark once, and a mark and its count are never apart."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from shoal.errors import AnsweredError, ClosedError, InvitationError, TamperedError
from shoal.ledger import Ledger, Tally, group_commit
from shoal.ledger.transaction import Transaction

ROOT = Path(__file__).parent.parent.parent


def opened(transaction: Transaction) -> None:
    """Let everything pass."""


def closed(transaction: Transaction) -> None:
    raise ClosedError("closed.", remedy="Wait.")


def run(script: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", script, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )


def test_a_cell_is_counted_and_its_mark_used(place: str) -> None:
    with Ledger(place) as ledger:
        tally, other = Tally(ledger, "commute"), Tally(ledger, "other")
        for mark, cell in (("a", "01"), ("b", "00"), ("c", "01")):
            tally.count(cell, mark, gate=opened)
        other.count("7", "a", gate=opened)
        assert tally.cells() == {"00": 1, "01": 2}
        assert (tally.marks(), other.marks()) == ((3, 3), (1, 1))
        assert ledger.verify().is_sound


@pytest.mark.parametrize("cell", ["01", "00"])
def test_a_mark_that_comes_again_changes_nothing_with_the_same_cell_or_another(
    cell: str, place: str
) -> None:
    with Ledger(place) as ledger:
        tally = Tally(ledger, "commute")
        tally.count("01", "a", gate=opened)
        with pytest.raises(AnsweredError):
            tally.count(cell, "a", gate=opened)
        assert (tally.cells(), tally.marks()) == ({"01": 1}, (1, 1))


def test_only_marks_that_were_given_out_count_where_that_is_asked(place: str) -> None:
    with Ledger(place) as ledger:
        tally = Tally(ledger, "commute")
        tally.give_out(["a", "b"], fact=lambda transaction: None)
        with pytest.raises(InvitationError):
            tally.count("01", "c", gate=opened, given_out=True)
        tally.count("01", "a", gate=opened, given_out=True)
        with pytest.raises(AnsweredError):
            tally.count("01", "a", gate=opened, given_out=True)
        assert (tally.cells(), tally.marks()) == ({"01": 1}, (2, 1))


def test_a_gate_that_is_shut_lets_nothing_be_counted(place: str) -> None:
    with Ledger(place) as ledger:
        tally = Tally(ledger, "commute")
        with pytest.raises(ClosedError):
            tally.count("01", "a", gate=closed)
        assert (tally.cells(), tally.marks()) == ({}, (0, 0))


def test_of_eight_threads_with_one_mark_one_is_counted(place: str) -> None:
    with Ledger(place) as ledger:
        tally = Tally(ledger, "commute")
        outcomes: list[str] = []
        barrier = threading.Barrier(8)

        def go(number: int) -> None:
            for mark in range(10):
                barrier.wait()
                try:
                    tally.count(str(number), f"mark {mark}", gate=opened)
                    outcomes.append("counted")
                except AnsweredError:
                    outcomes.append("refused")

        threads = [threading.Thread(target=go, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert (outcomes.count("counted"), outcomes.count("refused")) == (10, 70)
        assert sum(tally.cells().values()) == 10
        assert tally.marks() == (10, 10)


RACE = """
import json, os, sys
from shoal.errors import AnsweredError
from shoal.ledger import Ledger, Tally
children = []
for number in range(8):
    reader, writer = os.pipe()
    if os.fork() == 0:
        tally, counted = Tally(Ledger(sys.argv[1]), "commute"), 0
        for mark in range(20):
            try:
                tally.count(str(number), f"mark {mark}", gate=lambda transaction: None)
                counted += 1
            except AnsweredError:
                pass
        os.write(writer, str(counted).encode())
        os._exit(0)
    children.append(reader)
counted = [int(os.read(reader, 9)) for reader in children]
for _ in children:
    os.wait()
print(json.dumps(counted))
"""


@pytest.mark.slow
def test_of_eight_processes_with_one_mark_one_is_counted(place: str) -> None:
    Ledger(place).close()
    counted = json.loads(run(RACE, place).communicate()[0])
    assert sum(counted) == 20
    with Ledger(place) as ledger:
        tally = Tally(ledger, "commute")
        assert tally.cells() == {str(n): each for n, each in enumerate(counted) if each}
        assert tally.marks() == (20, 20)
        assert ledger.verify().is_sound


DYING = """
import os, signal, sys
from shoal.ledger import Ledger, Tally, group_commit
ledger = Ledger(sys.argv[1])
tally = Tally(ledger, "commute")
tally.count("00", "first", gate=lambda transaction: None)
def watch(step):
    if step == sys.argv[2]:
        os.kill(os.getpid(), signal.SIGKILL)
group_commit.watch_steps = watch
tally.count("01", "second", gate=lambda transaction: None)
"""


@pytest.mark.slow
@pytest.mark.parametrize("step", group_commit.STEPS)
def test_killed_after_any_step_a_mark_and_its_count_are_both_there_or_both_not(
    step: str, place: str
) -> None:
    child = run(DYING, place, step)
    child.communicate()
    assert child.returncode == -9
    durable = step in {"committed", "marked"}
    with Ledger(place) as ledger:
        tally = Tally(ledger, "commute")
        assert tally.cells() == ({"00": 1, "01": 1} if durable else {"00": 1})
        assert tally.marks() == ((2, 2) if durable else (1, 1))
        assert ledger.verify().is_sound


STREAM = """
import sys
from shoal.ledger import Ledger, Tally
tally = Tally(Ledger(sys.argv[1]), "commute")
for number in range(10**6):
    tally.count(str(number % 3), f"{sys.argv[2]} {number}", gate=lambda transaction: None)
    print(number, flush=True)
"""


@pytest.mark.slow
@pytest.mark.parametrize("times", [4, pytest.param(60, marks=pytest.mark.audit)])
def test_killed_at_any_moment_what_was_confirmed_is_counted(times: int, tmp_path: Path) -> None:
    place, confirmed = str(tmp_path / "office.shoal"), 0
    for at in range(times):
        child = run(STREAM, place, str(at))
        assert child.stdout is not None
        for _ in range(3 + at % 5):
            child.stdout.readline()
            confirmed += 1
        child.kill()
        confirmed += len(child.stdout.read().splitlines())  # also what readline had taken ahead
        child.communicate()
        with Ledger(place) as ledger:
            tally = Tally(ledger, "commute")
            counted, (known, used) = sum(tally.cells().values()), tally.marks()
            assert counted == known == used
            assert confirmed <= counted <= confirmed + at + 1
            assert ledger.verify().is_sound


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE shoal_counters SET count = count + 1",
        "DELETE FROM shoal_counters",
        "DELETE FROM shoal_marks",
        "INSERT INTO shoal_marks VALUES ('commute', 'x', 1)",
    ],
)
def test_counters_and_marks_that_do_not_agree_are_found(change: str, tmp_path: Path) -> None:
    path = tmp_path / "office.shoal"
    with Ledger(path) as ledger:
        Tally(ledger, "commute").count("01", "a", gate=opened)
    connection = sqlite3.connect(path)
    connection.execute(change)
    connection.commit()
    connection.close()
    with Ledger(path) as ledger:
        verdict = ledger.verify()
        assert not verdict.is_sound
        assert "the tally 'commute' counts" in verdict.findings[0]


def test_nothing_is_counted_while_the_journal_is_not_sound(tmp_path: Path) -> None:
    path = tmp_path / "office.shoal"
    with Ledger(path) as ledger:
        Tally(ledger, "commute").count("01", "a", gate=Transaction.check_calm)
    connection = sqlite3.connect(path)
    connection.execute("DELETE FROM shoal_marks")
    connection.commit()
    connection.close()
    with Ledger(path) as ledger:
        ledger.verify()
        with pytest.raises(TamperedError):
            Tally(ledger, "commute").count("01", "b", gate=Transaction.check_calm)


def test_what_is_stored_does_not_tell_the_order_in_which_marks_came(tmp_path: Path) -> None:
    dumps = []
    for name, order in (("one", "abc"), ("two", "cba")):
        path = tmp_path / f"{name}.shoal"
        with Ledger(path) as ledger:
            for mark in order:
                Tally(ledger, "commute").count("01", mark, gate=opened)
        connection = sqlite3.connect(path)
        dumps.append([line for line in connection.iterdump() if "shoal_entries" not in line])
        connection.close()
    assert dumps[0] == dumps[1]
