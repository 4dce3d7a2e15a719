"""Processes that charge, race, fail and die: ``python -m tests.ledger.lives ACT PLACE ...``, run by
the tests.

Each is a process of its own without threads, so that it can fork; what it learns it prints as one
JSON value.
"""

from __future__ import annotations

import errno
import json
import os
import random
import resource
import select
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from shoal.errors import BudgetExceeded, ShoalError
from shoal.events import StatedPure
from shoal.ledger import Charge, Ledger, group_commit
from shoal.measures import Pure

ONE = StatedPure(1)
MANY = Pure(10**9)


def race(place: str, processes: int, requests: int) -> Any:
    """Several children, forked with an open ledger, ask for more than there is; how many each was
    granted.
    """
    ledger = Ledger(place)
    ledger.open_account("visits", Pure(100), relation="add_remove")
    pipes = [_forked(lambda: _granted(ledger, requests)) for _ in range(processes)]
    granted = [int(_read_all(pipe)) for pipe, _ in pipes]
    for _, child in pipes:
        os.waitpid(child, 0)
    verdict = ledger.verify()
    left = ledger.account("visits").left
    return {"granted": granted, "sound": verdict.is_sound, "left": str(left)}


def _granted(ledger: Ledger, requests: int) -> str:
    granted = 0
    for _ in range(requests):
        try:
            charge = ledger.charge("visits", ONE, caller=str(os.getpid()))
            assert isinstance(charge, Charge)
            charge.answered(1)
            granted += 1
        except BudgetExceeded:
            pass
    return str(granted)


def kill(place: str, times: int, seed: int) -> Any:
    """Kill a child at random moments of a stream of charges, and look at the ledger after each."""
    chance = random.Random(seed)
    with Ledger(place) as ledger:
        for name in ("visits", "visits@ana"):
            ledger.open_account(name, MANY, relation="add_remove")
    seen: set[int] = set()
    answered: set[int] = set()
    slowest = 0.0
    for _ in range(times):
        text = _killed(place, chance.uniform(0, 0.05))
        for line in text.splitlines()[: None if text.endswith("\n") else -1]:
            word, number = line.split()
            (answered if word == "answered" else seen).add(int(number))
        start = time.perf_counter()
        with Ledger(place) as ledger:
            ledger.record("look", {})
            slowest = max(slowest, time.perf_counter() - start)
            if not ledger.verify().is_sound:
                return {"verdict": str(ledger.verify())}
    return _compared(place, seen, answered, slowest)


def _compared(place: str, seen: set[int], answered: set[int], slowest: float) -> Any:
    with Ledger(place) as ledger:
        kinds: dict[str, set[int]] = {"charge": set(), "answered": set()}
        for entry in ledger.entries():
            if entry.kind in kinds:
                kinds[entry.kind].add(entry.of or entry.number)
        accounts = [(str(each.spent), each.events) for each in ledger.accounts()]
    return {
        "seen": len(seen),
        "charged": len(kinds["charge"]),
        "seen and not charged": sorted(seen - kinds["charge"]),
        "answered and not stored": sorted(answered - kinds["answered"]),
        "accounts": accounts,
        "slowest opening": slowest,
    }


def _killed(place: str, after: float) -> str:
    """What a child saw before it was killed, so long after its first charge."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        _stream(place, writer)
    os.close(writer)
    select.select([reader], [], [], 60)
    time.sleep(after)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return _read_all(reader)


def _stream(place: str, writer: int) -> None:
    """Charge and answer for ever, in two threads, and say so each time."""
    ledger = Ledger(place)

    def go() -> None:
        while True:
            charge = ledger.charge(["visits", "visits@ana"], ONE, caller="ana")
            assert isinstance(charge, Charge)
            os.write(writer, f"charged {charge.number}\n".encode())
            charge.answered({"n": charge.number})
            os.write(writer, f"answered {charge.number}\n".encode())

    for _ in range(2):
        threading.Thread(target=go).start()
    threading.Event().wait()


def die(place: str, step: str, commits: int) -> Any:
    """A child dies right after a step of one of its commits; what it saw, and what there is."""
    with Ledger(place) as ledger:
        ledger.open_account("visits", MANY, relation="add_remove")

    def life() -> str:
        ledger, met = Ledger(place), 0

        def watch(done: str) -> None:
            nonlocal met
            met += done == step
            if met == commits:
                os._exit(9)

        group_commit.watch_steps = watch
        while True:
            os.write(1, f"{_number(ledger)}\n".encode())

    reader, child = _forked(life, output=True)
    seen = [int(line) for line in _read_all(reader).split()]
    os.waitpid(child, 0)
    with Ledger(place) as ledger:
        there = [entry.number for entry in ledger.entries() if entry.kind == "charge"]
        after = _number(ledger)
        return {
            "seen": seen,
            "there": there,
            "after": after,
            "sound": ledger.verify().is_sound,
            "events": ledger.account("visits").events,
        }


def _number(ledger: Ledger) -> int:
    charge = ledger.charge("visits", ONE, caller="ana")
    assert isinstance(charge, Charge)
    return charge.number


def fill(place: str) -> Any:
    """Files may not grow any more, as on a full disk, and then may again."""
    ledger = Ledger(place)
    ledger.open_account("visits", MANY, relation="add_remove")
    largest = max(each.stat().st_size for each in Path(place).parent.iterdir())
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (largest + 40_000, hard))
    return _until_it_fails(
        ledger, lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard)), most=200
    )


def unsynced(place: str, flag: str) -> Any:
    """The library that is loaded before this process makes fsync fail while a file is there."""
    ledger = Ledger(place)
    ledger.open_account("visits", MANY, relation="add_remove")
    granted = [_number(ledger) for _ in range(5)]
    Path(flag).touch()
    found = _until_it_fails(ledger, lambda: Path(flag).unlink(), most=1)
    return {**found, "granted": granted + found["granted"]}


def _until_it_fails(ledger: Ledger, mend: Callable[[], None], most: int) -> dict[str, Any]:
    granted: list[int] = []
    code = problem = ""
    try:
        while len(granted) < most:
            granted.append(_number(ledger))
    except ShoalError as error:
        code, problem = error.code, error.problem
    mend()
    granted.append(_number(ledger))
    verdict = ledger.verify()
    there = [entry.number for entry in ledger.entries() if entry.kind == "charge"]
    return {
        "code": code,
        "problem": problem,
        "granted": granted,
        "there": there,
        "events": ledger.account("visits").events,
        "sound": verdict.is_sound,
    }


def read_only(place: str) -> Any:
    """The file and its directory can be read and not written."""
    with Ledger(place) as ledger:
        ledger.open_account("visits", MANY, relation="add_remove")
        _number(ledger)
    path = Path(place)
    for each in path.parent.iterdir():
        each.chmod(0o444)
    path.parent.chmod(0o555)
    if os.getuid() == 0:
        os.setuid(65534)
    try:
        with Ledger(place) as ledger:
            _number(ledger)
    except ShoalError as error:
        return {"code": error.code, "problem": error.problem}
    return {"code": "", "problem": ""}


def raising(place: str, step: str) -> Any:
    """A step fails with an error of the system; the same ledger goes on."""
    ledger = Ledger(place)
    ledger.open_account("visits", MANY, relation="add_remove")
    granted = [_number(ledger)]

    def watch(done: str) -> None:
        if done == step:
            group_commit.watch_steps = None
            raise OSError(errno.EIO, os.strerror(errno.EIO))

    group_commit.watch_steps = watch
    found = _until_it_fails(ledger, lambda: None, most=1)
    return {**found, "granted": granted + found["granted"]}


def _forked(life: Callable[[], str], *, output: bool = False) -> tuple[int, int]:
    reader, writer = os.pipe()
    child = os.fork()
    if child:
        os.close(writer)
        return reader, child
    try:
        if output:
            os.dup2(writer, 1)
        os.write(writer, life().encode())
    finally:
        os._exit(0)


def _read_all(reader: int) -> str:
    with os.fdopen(reader, "rb") as stream:
        return stream.read().decode()


ACTS: dict[str, Callable[..., Any]] = {
    "race": race,
    "kill": kill,
    "die": die,
    "fill": fill,
    "unsynced": unsynced,
    "read_only": read_only,
    "raising": raising,
}

if __name__ == "__main__":
    act, place, *rest = sys.argv[1:]
    sys.stdout.write(json.dumps(ACTS[act](place, *(int(w) if w.isdecimal() else w for w in rest))))
