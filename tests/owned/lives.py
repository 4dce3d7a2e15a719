"""Processes that fork while they hold a budget: ``python -m tests.owned.lives ACT PLACE``, run by
the tests.

Each is a process of its own without threads, so that it can fork; what it learns it prints as one
JSON value.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import parquet

import shoal
from shoal.accounting import PrivacyFilter, PureFilter, filter_for
from shoal.errors import ShoalError
from shoal.events import StatedPure
from shoal.ledger import Charge, Ledger
from shoal.local.protocols.statistical import StatisticalQueries
from shoal.measures import Approx, Pure, ZeroConcentrated
from shoal.mechanisms import AboveThreshold
from shoal.owned import this_process

ONE = StatedPure(1)


def forked(life: Callable[[], Any]) -> Any:
    """What a forked child comes to: a value, or the code of the error that refused it."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(60)  # who waits for a lock that nobody holds is not waited for
        os.close(reader)
        try:
            told = life()
        except ShoalError as error:
            told = error.code
        os.write(writer, json.dumps(told).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        told = pipe.read()
    os.waitpid(child, 0)
    return json.loads(told) if told else "died"


def spends(kept: PrivacyFilter) -> str:
    kept.spend(ONE)
    return "spent"


def budgets(place: str) -> Any:
    """Each kind of budget of one whole question: what a child gets, what a grandchild gets, what
    the parent still gets.
    """
    del place
    return {
        type(budget).__name__: _inherited(filter_for(budget, relation="add_remove"))
        for budget in (Pure(1), ZeroConcentrated("1/2"), Approx(1, "1e-6"))
    }


def _inherited(kept: PrivacyFilter) -> list[Any]:
    return [
        forked(lambda: spends(kept)),
        forked(lambda: forked(lambda: spends(kept))),
        forked(lambda: str(kept.spent)),
        forked(lambda: kept.would_fit(ONE)),
        spends(kept),
    ]


def table(place: str) -> Any:
    """A table in memory with a budget of 1: a child asks, then its parent."""
    del place
    rows = pa.table({"age": pa.array(np.arange(100) % 90)})
    opened = shoal.private(rows, protects=shoal.Row(), budget=Pure(1))

    def ask() -> str:
        opened.sql("SELECT COUNT(*) AS n FROM data").release(epsilon=1)
        return "answered"

    return [forked(ask), ask(), forked(lambda: repr(opened.budget))]


def runs(place: str) -> Any:
    """A run with one positive in 40 children, and then in its parent."""
    del place
    run = AboveThreshold(epsilon=100, sensitivity=1).start(threshold=50)
    children = [forked(lambda: run.ask(10**6)) for _ in range(40)]
    return {"children": children, "parent": run.ask(10**6)}


def oracle(place: str) -> Any:
    """Two queries of the same people, by a child and its parent."""
    del place
    asked = StatisticalQueries(
        np.zeros(60_000), tolerance="0.1", queries=10, failure="0.05", epsilon=1
    )
    query = lambda rows: rows * 0  # noqa: E731
    return [forked(lambda: asked.ask(query)), isinstance(asked.ask(query), float)]


def locked(place: str) -> Any:
    """A fork at a moment when a thread holds the lock of a filter."""
    del place
    kept = PureFilter(1)
    inside, done = threading.Event(), threading.Event()

    def hold() -> None:
        with kept._turn:  # as if it were in the middle of spending
            inside.set()
            done.wait(60)

    thread = threading.Thread(target=hold)
    thread.start()
    inside.wait(60)
    told = forked(lambda: spends(kept))
    done.set()
    thread.join()
    return told


def charge(place: str) -> Any:
    """An open charge: a child answers, gives back, and leaves its block; the parent then
    answers.
    """
    ledger = Ledger(Path(place) / "book.shoal")
    ledger.open_account("visits", Pure(1), relation="add_remove")
    held = ledger.charge("visits", ONE, caller="ana")
    assert isinstance(held, Charge)

    def leaves() -> str:
        with held:
            pass
        return "left"

    told = [
        forked(lambda: held.answered(1).number),
        forked(lambda: held.failed_before_data("no").number),
        forked(held.reads_data),
        forked(leaves),
    ]
    held.answered(1)
    return [*told, str(ledger.account("visits").left), ledger.verify().is_sound]


def vault(place: str) -> Any:
    """A vault with rows open: four children and the parent ask for 0.3 of 1 each."""
    os.chdir(place)
    parquet.write_table(pa.table({"age": list(range(80)) * 500}), "people.parquet")
    opened = shoal.open("office.shoal")
    opened.add("people", "people.parquet", protects=shoal.Row(), budget=Pure(1))

    def ask(at_least: int) -> str:
        text = f"SELECT COUNT(*) AS n FROM people WHERE age >= {at_least}"
        opened.sql(text).release(epsilon="0.3")
        return "answered"

    told = [ask(0), *(forked(partial(ask, at)) for at in range(1, 5)), ask_or_code(ask)]
    return [*told, str(opened.budget("people").left), opened.verify().is_sound]


def ask_or_code(ask: Callable[[int], str]) -> str:
    try:
        return ask(9)
    except ShoalError as error:
        return error.code


def numbers(place: str) -> Any:
    """Whether a child that has the number of its grandparent would be taken for it."""
    del place
    mine = this_process()
    really = os.getpid
    pretended = os.getpid()

    def child() -> bool:
        os.getpid = lambda: pretended
        try:
            return this_process() == mine
        finally:
            os.getpid = really

    return forked(child)


ACTS = {
    each.__name__: each for each in (budgets, table, runs, oracle, locked, charge, vault, numbers)
}

if __name__ == "__main__":
    sys.stdout.write(json.dumps(ACTS[sys.argv[1]](sys.argv[2]), default=float))
