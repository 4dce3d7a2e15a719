"""Where a mechanism is asked twice: one after another, in threads, in children of a process, in
fresh processes.
"""

from __future__ import annotations

import os
import pickle
import select
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from shoal.errors import DataError

Mechanism = Callable[[Any], Any]
Answers = list[tuple[Any, ...]]
Task = tuple[Mechanism, Any]
Way = Callable[[Sequence[Task], int], list[Answers] | None]

_PATIENCE = 120


def one_after_another(tasks: Sequence[Task], n: int) -> list[Answers]:
    """In this process, first all of the one, then all of the other."""
    return [[row(act(data)) for _ in range(n)] for act, data in tasks]


def side_by_side(tasks: Sequence[Task], n: int) -> list[Answers]:
    """In threads that wait for each other before every draw."""
    gate = threading.Barrier(len(tasks))
    found: list[Answers] = [[] for _ in tasks]
    problems: list[BaseException] = []

    def work(at: int, act: Mechanism, data: Any) -> None:
        try:
            for _ in range(n):
                gate.wait(_PATIENCE)
                found[at].append(row(act(data)))
        except BaseException as problem:  # noqa: BLE001 - told to the caller, below
            problems.append(problem)
            gate.abort()

    threads = [threading.Thread(target=work, args=(at, *task)) for at, task in enumerate(tasks)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    if problems:
        raise next(
            (each for each in problems if not isinstance(each, threading.BrokenBarrierError)),
            problems[0],
        )
    return found


def forked(tasks: Sequence[Task], n: int) -> list[Answers] | None:
    """In children of this process, which begin with a copy of all it has."""
    if not hasattr(os, "fork"):
        return None
    for act, data in tasks:
        act(data)  # whatever is made at the first call is there before the fork
    return [pickle.loads(_child(act, data, n)) for act, data in tasks]  # noqa: S301 - our own child wrote it


def _child(act: Mechanism, data: Any, n: int) -> bytes:
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forks in processes with threads
        child = os.fork()
    if not child:
        try:
            told = pickle.dumps([row(act(data)) for _ in range(n)])
            with os.fdopen(writing, "wb") as pipe:
                pipe.write(told)
        finally:
            os._exit(0)
    os.close(writing)
    answers = _read_until(reading, time.monotonic() + _PATIENCE)
    if answers is None:
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    if answers is None:
        raise _hung("a child of this process")
    if not answers:
        raise DataError(
            "the mechanism failed in a child of this process.",
            remedy="Call it once by hand, after a fork.",
        )
    return answers


def _read_until(pipe: int, end: float) -> bytes | None:
    """All that is written to a pipe; None if that takes too long."""
    told = b""
    try:
        while select.select([pipe], [], [], max(0.0, end - time.monotonic()))[0]:
            part = os.read(pipe, 1 << 16)
            if not part:
                return told
            told += part
    finally:
        os.close(pipe)
    return None


def _hung(where: str) -> DataError:
    return DataError(
        f"the mechanism did not end within {_PATIENCE} seconds in {where}.",
        remedy="Ask for fewer draws, or find out what it waits for.",
    )


_FRESH = """
import pickle, sys
act, data, n = pickle.load(sys.stdin.buffer)
answers = [act(data) for _ in range(n)]
sys.stdout.buffer.write(b"answers:" + pickle.dumps(answers))
"""


def fresh(tasks: Sequence[Task], n: int) -> list[Answers] | None:
    """In new processes; None if the mechanism cannot be sent there."""
    found = []
    paths = os.pathsep.join(each for each in sys.path if each)
    for act, data in tasks:
        try:
            sent = pickle.dumps((act, data, n))
        except (pickle.PicklingError, AttributeError, TypeError):
            return None
        here = {**os.environ, "PYTHONPATH": paths}
        try:
            done = subprocess.run(  # noqa: S603 - our own child
                [sys.executable, "-c", _FRESH],
                input=sent,
                capture_output=True,
                check=False,
                timeout=_PATIENCE,
                env=here,
            )
        except subprocess.TimeoutExpired:
            raise _hung("a fresh process") from None
        _, mark, told = done.stdout.partition(b"answers:")
        if not mark:
            return None
        found.append([row(each) for each in pickle.loads(told)])  # noqa: S301 - as above
    return found


def row(answer: Any) -> tuple[Any, ...]:
    """An answer as a tuple: of floats and integers where it is made of numbers, else of itself."""
    given = np.asarray(answer)
    if given.dtype.kind in "iubf":
        return tuple(given.reshape(-1).tolist())
    return (answer,) if isinstance(answer, int) else (repr(answer),)
