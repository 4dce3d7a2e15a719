"""Threads take turns: what they ask for at once is done at once, and nobody waits for ever."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from shoal.errors import BudgetExceeded, StorageError
from shoal.events import StatedPure
from shoal.ledger import Charge, Ledger, group_commit
from shoal.ledger.group_commit import CommitTurn, GroupCommit
from shoal.measures import Pure


def together(count: int, act: Any) -> None:
    threads = [threading.Thread(target=act, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
        assert not thread.is_alive()


def test_what_is_asked_for_while_one_works_is_done_in_one_batch() -> None:
    sizes: list[int] = []
    first, others = threading.Event(), threading.Event()

    def work(batch: Sequence[CommitTurn[int]]) -> None:
        sizes.append(len(batch))
        first.set()
        others.wait(timeout=60)
        for turn in batch:
            turn.result = turn.act(None)

    turns = GroupCommit(work)
    results: list[int] = []
    leader = threading.Thread(target=lambda: results.append(turns.take(lambda _: -1)))
    leader.start()
    first.wait(timeout=60)
    threads = [
        threading.Thread(target=lambda n=n: results.append(turns.take(lambda _: n)))
        for n in range(5)
    ]
    for thread in threads:
        thread.start()
    while len(turns._line) < 5:
        time.sleep(0.001)
    others.set()
    for thread in [leader, *threads]:
        thread.join(timeout=60)
    assert sizes == [1, 5]
    assert sorted(results) == [-1, 0, 1, 2, 3, 4]


def test_work_that_breaks_wakes_everyone() -> None:
    def work(batch: Sequence[CommitTurn[int]]) -> None:
        for turn in batch:
            turn.error = ValueError("no")

    turns = GroupCommit(work)
    errors: list[str] = []

    def ask(_: int) -> None:
        for _ in range(50):
            with pytest.raises(ValueError, match="no"):
                turns.take(lambda _: 1)
            errors.append("no")

    together(8, ask)
    assert len(errors) == 400


def test_who_is_interrupted_while_waiting_leaves_the_line_to_the_others() -> None:
    entered, go = threading.Event(), threading.Event()
    done: list[int] = []

    def work(batch: Sequence[CommitTurn[int]]) -> None:
        entered.set()
        go.wait(timeout=60)
        for turn in batch:
            turn.result = turn.act(None)

    turns = GroupCommit(work)
    slow = threading.Thread(target=lambda: done.append(turns.take(lambda _: 1)))
    slow.start()
    entered.wait(timeout=60)

    def interrupt() -> None:
        while not turns._line:
            time.sleep(0.001)
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGUSR1)

    class Interrupted(BaseException):
        pass

    def handle(*_: object) -> None:
        raise Interrupted

    before = signal.signal(signal.SIGUSR1, handle)
    helper = threading.Thread(target=interrupt)
    helper.start()
    try:
        with pytest.raises(Interrupted):
            turns.take(lambda _: 2)
    finally:
        helper.join(timeout=60)
        signal.signal(signal.SIGUSR1, before)
    go.set()
    slow.join(timeout=60)
    assert turns.take(lambda _: 3) == 3
    assert done == [1]


def test_refusals_and_grants_of_one_batch_do_not_mix(tmp_path: Path) -> None:
    with Ledger(tmp_path / "office.shoal") as ledger:
        ledger.open_account("small", Pure(3), relation="add_remove")
        ledger.open_account("large", Pure(1000), relation="add_remove")
        granted: list[tuple[str, int]] = []
        refused: list[int] = []

        def ask(number: int) -> None:
            name = ("small", "large")[number % 2]
            for _ in range(20):
                try:
                    charge = ledger.charge(name, StatedPure(1), caller=str(number))
                    assert isinstance(charge, Charge)
                    granted.append((name, charge.number))
                except BudgetExceeded:
                    refused.append(number)

        together(8, ask)
        assert sum(name == "small" for name, _ in granted) == 3
        assert sum(name == "large" for name, _ in granted) == 80
        assert len(refused) == 77
        assert len({number for _, number in granted}) == 83
        assert ledger.verify().is_sound


def test_a_batch_that_cannot_be_committed_grants_nothing_to_anyone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Ledger(tmp_path / "office.shoal") as ledger:
        ledger.open_account("visits", Pure(1000), relation="add_remove")
        outcomes: list[object] = []

        def watch(step: str) -> None:
            if step == "written" and len(outcomes) < 40:
                raise OSError(5, "Input/output error")

        monkeypatch.setattr(group_commit, "watch_steps", watch)

        def ask(number: int) -> None:
            for _ in range(10):
                try:
                    outcomes.append(ledger.charge("visits", StatedPure(1), caller=str(number)))
                except StorageError as error:
                    outcomes.append(error)

        together(8, ask)
        grants = [each for each in outcomes if isinstance(each, Charge)]
        assert len(outcomes) == 80
        assert 0 < len(grants) <= 40
        assert ledger.account("visits").events == len(grants)
        assert ledger.verify().is_sound


def test_an_interrupt_reaches_only_whoever_was_interrupted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Ledger(tmp_path / "office.shoal") as ledger:
        ledger.open_account("visits", Pure(10), relation="add_remove")

        def watch(step: str) -> None:
            if step == "committed":
                raise KeyboardInterrupt

        monkeypatch.setattr(group_commit, "watch_steps", watch)
        with pytest.raises(KeyboardInterrupt):
            ledger.charge("visits", StatedPure(1), caller="ana")
        monkeypatch.setattr(group_commit, "watch_steps", None)
        ledger.charge("visits", StatedPure(1), caller="ana")
        assert ledger.account("visits").spent == Pure(2)
        assert ledger.verify().is_sound


def test_those_who_were_done_together_are_done_together_again() -> None:
    sizes: list[int] = []
    gate = threading.Event()

    def work(batch: Sequence[CommitTurn[int]]) -> None:
        sizes.append(len(batch))
        gate.wait(timeout=60)
        for turn in batch:
            turn.result = turn.act(None)

    turns = GroupCommit(work, waits=(60, 60))
    begun = threading.Thread(target=lambda: turns.take(lambda _: 0))
    begun.start()
    while not sizes:  # who comes before its batch is taken is in the batch
        time.sleep(0.001)

    def ask(number: int) -> None:
        for _ in range(4):
            assert turns.take(lambda _: number) == number

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(5)]
    for thread in threads:
        thread.start()
    while len(turns._line) < 5:
        time.sleep(0.001)
    gate.set()
    for thread in [begun, *threads]:
        thread.join(timeout=60)
        assert not thread.is_alive()
    assert sizes == [1, 5, 5, 5, 5]


def test_who_comes_back_alone_is_served_alone() -> None:
    sizes: list[int] = []
    gate = threading.Event()

    def work(batch: Sequence[CommitTurn[int]]) -> None:
        sizes.append(len(batch))
        gate.wait(timeout=60)
        for turn in batch:
            turn.result = turn.act(None)

    turns = GroupCommit(work, waits=(0.001, 0.001))
    threads = [threading.Thread(target=lambda: turns.take(lambda _: 0)) for _ in range(6)]
    threads[0].start()
    while not sizes:  # who comes before its batch is taken is in the batch
        time.sleep(0.001)
    for thread in threads[1:]:
        thread.start()
    while len(turns._line) < 5:
        time.sleep(0.001)
    gate.set()
    for thread in threads:
        thread.join(timeout=60)
    assert [turns.take(lambda _: 3) for _ in range(3)] == [3, 3, 3]
    assert sizes == [1, 5, 1, 1, 1]


def test_when_the_first_is_interrupted_while_it_waits_for_company_the_next_one_leads() -> None:
    def work(batch: Sequence[CommitTurn[int]]) -> None:
        for turn in batch:
            turn.result = turn.act(None)

    class Interrupted(BaseException):
        pass

    def handle(*_: object) -> None:
        raise Interrupted

    turns = GroupCommit(work, waits=(60, 60))
    turns._expected = 3
    done: list[int] = []
    second = threading.Thread(target=lambda: done.append(turns.take(lambda _: 2)))

    def interrupt() -> None:
        while not turns._line:
            time.sleep(0.001)
        second.start()
        while len(turns._line) < 2:
            time.sleep(0.001)
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGUSR1)

    before = signal.signal(signal.SIGUSR1, handle)
    helper = threading.Thread(target=interrupt)
    helper.start()
    try:
        with pytest.raises(Interrupted):
            turns.take(lambda _: 1)
    finally:
        helper.join(timeout=60)
        signal.signal(signal.SIGUSR1, before)
    second.join(timeout=60)
    assert done == [2]


class Trapped(BaseException):
    """An interrupt at a line that a test chose."""


def trapped(name: str, at: int) -> Any:
    """A tracer that interrupts a method of turns before its n-th line.

    A line that comes again is the end of a `with`, which no interrupt parts from giving the lock
    back.
    """
    seen: set[int] = set()

    def local(frame: Any, event: str, _: object) -> Any:
        if event == "line" and frame.f_lineno not in seen:
            seen.add(frame.f_lineno)
            if len(seen) == at + 1:
                raise Trapped
        return local

    return lambda frame, *_: local if frame.f_code is getattr(GroupCommit, name).__code__ else None


LINES = {
    ("alone", "take"): 11,
    ("alone", "_appoint"): 3,
    ("alone", "_lead"): 8,
    ("alone", "_pass_on"): 10,
    ("behind another", "take"): 12,
    ("behind another", "_sleep"): 2,
    ("behind another", "_lead"): 8,
    ("before others", "take"): 12,
    ("before others", "_sleep"): 6,
    ("before others", "_pass_on"): 10,
}
"""How many lines of each method are passed."""


@pytest.mark.parametrize(
    ("where", "name", "at"),
    [(where, name, at) for (where, name), lines in LINES.items() for at in range(lines)],
)
def test_an_interrupt_before_any_line_leaves_nobody_waiting(where: str, name: str, at: int) -> None:
    busy, entered, go = where == "behind another", threading.Event(), threading.Event()
    if not busy:
        go.set()

    def work(batch: Sequence[CommitTurn[int]]) -> None:
        entered.set()
        go.wait(timeout=60)
        for turn in batch:
            turn.result = turn.act(None)

    turns, done = GroupCommit(work, waits=(0.01, 0.01)), list[int]()
    turns._expected = 3 if where == "before others" else 0
    others = [
        threading.Thread(target=lambda n=n: done.append(turns.take(lambda _: n)), daemon=True)
        for n in range(3)
    ]
    if busy:
        others[0].start()
        entered.wait(timeout=60)
        threading.Timer(0.05, go.set).start()
    before = sys.gettrace()
    sys.settrace(trapped(name, at))
    try:
        with pytest.raises(Trapped):
            turns.take(lambda _: -1)
    finally:
        sys.settrace(before)
    for thread in others[busy:]:
        thread.start()
    for thread in others:
        thread.join(timeout=20)
    assert sorted(done) == [0, 1, 2]


def test_who_was_in_a_batch_that_was_interrupted_is_not_told_that_it_is_done() -> None:
    entered, go = threading.Event(), threading.Event()

    def work(batch: Sequence[CommitTurn[int]]) -> None:
        if len(batch) > 1:
            raise Trapped
        entered.set()
        go.wait(timeout=60)

    turns, told = GroupCommit(work), dict[int, object]()

    def ask(number: int) -> None:
        try:
            told[number] = turns.take(lambda _: 1)
        except (StorageError, Trapped) as error:
            told[number] = type(error)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(3)]
    threads[0].start()
    entered.wait(timeout=60)
    for thread in threads[1:]:
        thread.start()
    while len(turns._line) < 2:
        time.sleep(0.001)
    go.set()
    for thread in threads:
        thread.join(timeout=60)
    assert told[0] is None
    assert {told[1], told[2]} == {StorageError, Trapped}
