"""The same question asked by several at once is charged once, and all get the one answer."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from shoal.errors import InFlightError
from shoal.events import StatedPure
from shoal.ledger import Charge, Ledger, Replay
from shoal.measures import Pure

TENTH = StatedPure("0.1")
ROOT = Path(__file__).parents[2]


@pytest.fixture
def ledger(place: str) -> Ledger:
    made = Ledger(place, patience=900, wait=20)
    made.open_account("visits", Pure(1), relation="add_remove")
    made.open_account("visits@ana", Pure(1), relation="add_remove")
    return made


def asked(ledger: Ledger, caller: str, pause: float = 0.3, **more: Any) -> Any:
    """Ask, work for a while if it is one's own charge, and return the answer."""
    found = ledger.charge("visits", TENTH, caller=caller, same="digest", **more)
    if isinstance(found, Replay):
        return found.answer
    time.sleep(pause)
    found.answered(caller)
    return caller


def together(acts: Sequence[Callable[[], Any]]) -> list[Any]:
    """What each act returns or raises, all begun at once."""
    found: list[Any] = [None] * len(acts)
    gate = threading.Barrier(len(acts))

    def run(at: int) -> None:
        gate.wait()
        try:
            found[at] = acts[at]()
        except InFlightError as error:
            found[at] = error

    threads = [threading.Thread(target=run, args=(at,)) for at in range(len(acts))]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    return found


def test_four_threads_with_one_question_pay_once_and_hear_one_answer(ledger: Ledger) -> None:
    asks = [("ana", None), ("bea", "k"), ("cyd", None), ("dan", "l")]
    acts = [partial(asked, ledger, name, key=key) for name, key in asks]
    answers = together(acts)
    assert len(set(answers)) == 1
    assert ledger.account("visits").spent == Pure("0.1")
    assert ledger.verify().is_sound
    assert asked(ledger, "bea", key="k") == answers[0]


PROCESS = """
import json, sys, time
from pathlib import Path
from shoal.events import StatedPure
from shoal.ledger import Ledger, Replay
place, gate, name = sys.argv[1:]
with Ledger(place) as ledger:
    Path(gate, name).touch()
    while len(list(Path(gate).iterdir())) < 3:
        time.sleep(0.01)
    found = ledger.charge("visits", StatedPure("0.1"), caller=name, same="digest")
    if not isinstance(found, Replay):
        time.sleep(0.5)
        found.answered(name)
    print(json.dumps(name if not isinstance(found, Replay) else found.answer))
"""


def processes(program: str, place: str, gate: Path) -> list[Any]:
    gate.mkdir()
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
    running = [
        subprocess.Popen(
            [sys.executable, "-c", program, place, str(gate), name],
            env=environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        for name in ("ana", "bea", "cyd")
    ]
    return [json.loads(each.communicate(timeout=300)[0]) for each in running]


@pytest.mark.slow
def test_three_processes_with_one_question_pay_once_and_hear_one_answer(
    ledger: Ledger, place: str, tmp_path: Path
) -> None:
    answers = processes(PROCESS, place, tmp_path / "gate")
    assert len(set(answers)) == 1
    assert ledger.account("visits").spent == Pure("0.1")


def test_when_the_first_is_given_back_the_second_is_charged(ledger: Ledger) -> None:
    first = ledger.charge("visits", TENTH, caller="ana", same="digest")
    assert isinstance(first, Charge)
    threading.Timer(0.2, lambda: first.failed_before_data("no file")).start()
    assert asked(ledger, "bea", 0) == "bea"
    assert ledger.account("visits").spent == Pure("0.1")


def test_when_the_first_ends_without_an_answer_the_second_is_charged_anew(ledger: Ledger) -> None:
    first = ledger.charge("visits", TENTH, caller="ana", same="digest")
    assert isinstance(first, Charge)
    threading.Timer(0.2, lambda: first.leave("MemoryError")).start()
    assert asked(ledger, "bea", 0) == "bea"
    assert ledger.account("visits").spent == Pure("0.2")


def test_who_waits_too_long_is_refused_and_not_charged(place: str) -> None:
    with Ledger(place, wait="0.1") as ledger:
        ledger.open_account("visits", Pure(1), relation="add_remove")
        ledger.charge("visits", TENTH, caller="ana", same="digest")
        with pytest.raises(
            InFlightError, match=r"(?s)same question .* taken up again in 15 minutes"
        ):
            ledger.charge("visits", TENTH, caller="bea", same="digest")
        assert ledger.account("visits").spent == Pure("0.1")


def test_who_waits_for_an_answer_is_told_so(
    ledger: Ledger, caplog: pytest.LogCaptureFixture
) -> None:
    first = ledger.charge("visits", TENTH, caller="ana", same="digest")
    assert isinstance(first, Charge)
    threading.Timer(2.6, lambda: first.answered("a")).start()
    assert asked(ledger, "bea") == "a"
    assert f"the same question (charge {first.number})" in caplog.text


def test_a_charge_whose_owner_died_is_taken_up_at_no_further_cost(place: str) -> None:
    with Ledger(place, patience="0.3") as ledger:
        ledger.open_account("visits", Pure(1), relation="add_remove")
        first = ledger.charge("visits", TENTH, caller="ana", same="digest")
        second = ledger.charge("visits", TENTH, caller="bea", key="k", same="digest")
        assert isinstance(second, Charge)
        assert second.number == first.number  # type: ignore[union-attr]
        assert not second.may_be_given_back
        second.answered("b")
        assert ledger.account("visits").spent == Pure("0.1")
        again = ledger.charge("visits", TENTH, caller="bea", key="k", same="digest")
        assert isinstance(again, Replay)
        assert ledger.verify().is_sound


def test_a_charge_that_took_from_fewer_accounts_is_not_taken_up(place: str) -> None:
    with Ledger(place, patience="0.3") as ledger:
        for name in ("visits", "visits@bea"):
            ledger.open_account(name, Pure(1), relation="add_remove")
        ledger.charge("visits", TENTH, caller="ana", same="digest")
        ledger.charge(["visits", "visits@bea"], TENTH, caller="bea", same="digest")
        assert ledger.account("visits").spent == Pure("0.2")
        assert ledger.account("visits@bea").spent == Pure("0.1")
