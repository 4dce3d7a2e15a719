"""A charge whose process was killed is taken up at once; one whose process lives is not."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from tests.ledger.test_charge import charged

from shoal.errors import ChargeError, InFlightError
from shoal.events import StatedPure
from shoal.ledger import Charge, Ledger
from shoal.ledger.answering_locks import AnsweringLocks, locks_path
from shoal.measures import Pure

TENTH = StatedPure("0.1")
CHILD = """
import sys, time
from shoal.events import StatedPure
from shoal.ledger import Ledger
ledger = Ledger(sys.argv[1])
held = ledger.charge("visits", StatedPure("0.1"), caller="ana", key="k", same="question")
print(held.number, flush=True)
time.sleep(600)
"""
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="locks of open files are Linux's")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    place = tmp_path / "office.shoal"
    with Ledger(place) as ledger:
        ledger.open_account("visits", Pure(1), relation="add_remove")
    return place


class Other:
    """Another process that is charged, and answers nothing."""

    def __init__(self, path: Path) -> None:
        command = [sys.executable, "-c", CHILD, str(path)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.charge = int(self.process.stdout.readline())

    def kill(self) -> None:
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.communicate()


@pytest.mark.slow
@pytest.mark.parametrize(
    "asked", [{"key": "k", "same": "question"}, {"key": "k2", "same": "question"}]
)
def test_a_killed_process_keeps_nobody_waiting(path: Path, asked: dict[str, Any]) -> None:
    other = Other(path)
    with Ledger(path, wait="0.1") as ledger:
        caller = "ana" if asked["key"] == "k" else "bo"
        with pytest.raises(InFlightError):
            ledger.charge("visits", TENTH, caller=caller, **asked)
        other.kill()
        again = charged(ledger.charge("visits", TENTH, caller=caller, **asked))
        assert again.number == other.charge
        assert not again.may_be_given_back  # who was there before may have read
        again.answered(7)
        assert ledger.account("visits").spent == Pure("0.1")
        assert ledger.verify().is_sound


@pytest.mark.slow
def test_whoever_waits_goes_on_when_the_other_is_killed(path: Path) -> None:
    other = Other(path)
    with Ledger(path) as ledger, ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(ledger.charge, "visits", TENTH, caller="bo", same="question")
        time.sleep(0.3)
        assert not waiting.done()
        other.kill()
        charged(waiting.result(30)).answered(7)
        assert ledger.account("visits").spent == Pure("0.1")


@pytest.mark.slow
def test_of_many_who_find_a_killed_process_one_takes_up(path: Path) -> None:
    other = Other(path)
    other.kill()
    ready = threading.Barrier(4)
    with Ledger(path) as one, Ledger(path) as two, ThreadPoolExecutor(4) as pool:

        def ask(ledger: Ledger) -> object:
            ready.wait()
            found = ledger.charge("visits", TENTH, caller="bo", same="question")
            return found.answered(7) and "drawn" if isinstance(found, Charge) else "given"

        found = sorted(map(str, pool.map(ask, [one, two, one, two])))
        assert found == ["drawn", "given", "given", "given"]
        assert [entry.kind for entry in one.entries(since=other.charge)] == ["resumed", "answered"]
        assert one.account("visits").spent == Pure("0.1")


def test_who_lives_is_not_gone_in_the_same_ledger_and_in_another(path: Path) -> None:
    with Ledger(path, wait="0.01") as one, Ledger(path, wait="0.01") as two:
        held = charged(one.charge("visits", TENTH, caller="ana", key="k", same="question"))
        for ledger in (one, two):
            assert not ledger.is_gone(held.number, 0)
            with pytest.raises(InFlightError):
                ledger.charge("visits", TENTH, caller="ana", key="k", same="question")
        assert not two.is_gone(held.number, 1)
        assert not two.is_gone(held.number + 1, 0)  # nobody ever held it
        held.answered(1)
        assert stat.S_IMODE(locks_path(path).stat().st_mode) == 0o600


def test_who_was_taken_for_gone_and_lives_shows_nothing(path: Path) -> None:
    """What the guarantee rests on: a lock that fails wastes work, and nothing else."""
    with Ledger(path) as one, Ledger(path) as two:
        slow = charged(one.charge("visits", TENTH, caller="ana", key="k"))
        one._answering.close()  # as if the system had lost the lock
        gone = [
            two.is_gone(slow.number + more, attempt) for more, attempt in ((0, 0), (0, 1), (1, 0))
        ]
        assert gone == [True, False, False]  # this attempt at this charge, and no other
        quick = charged(two.charge("visits", TENTH, caller="ana", key="k"))
        with pytest.raises(ChargeError, match="someone else"):
            slow.answered(1)
        quick.answered(2)
        assert two.charge("visits", TENTH, caller="ana", key="k").answer == 2  # type: ignore[union-attr]
        assert two.account("visits").spent == Pure("0.1")


def test_a_charge_without_its_file_waits_for_patience(path: Path) -> None:
    with Ledger(path) as one, Ledger(path, wait="0.01") as two:
        held = charged(one.charge("visits", TENTH, caller="ana", key="k"))
        one._answering.close()
        locks_path(path).unlink()
        assert not two.is_gone(held.number, 0)
        with pytest.raises(InFlightError):
            two.charge("visits", TENTH, caller="ana", key="k")


def test_marks_of_an_earlier_ledger_of_this_name_say_nothing_of_a_new_one(path: Path) -> None:
    with Ledger(path) as old:
        number = charged(old.charge("visits", TENTH, caller="ana", key="k")).number
    path.unlink()  # its marks stay beside it, and nobody holds them
    (path.parent / f"{path.name}.head").unlink()
    with Ledger(path) as new:
        assert not new.is_gone(number, 0)


def test_a_link_in_the_place_of_the_locks_is_not_followed(tmp_path: Path) -> None:
    other, place = tmp_path / "precious", tmp_path / "office.shoal.answering"
    other.write_bytes(b"text")
    place.symlink_to(other)
    AnsweringLocks(place).hold(1, 0)()
    assert other.read_bytes() == b"text"
    AnsweringLocks(None).hold(1, 0)()
    assert not AnsweringLocks(None).is_gone(1, 0)


def test_a_fork_keeps_no_lock_of_its_own_for_its_parent(path: Path) -> None:
    with Ledger(path) as ledger, Ledger(path) as other:
        held = charged(ledger.charge("visits", TENTH, caller="ana", key="k"))
        child = os.fork()
        if child == 0:  # pragma: no cover - another process
            os._exit(0 if not ledger.is_gone(held.number, 0) else 1)
        assert os.waitpid(child, 0)[1] == 0
        assert not other.is_gone(held.number, 0)
        held.answered(1)
