"""Something run in a process of its own, within limits of memory and time, and the class of both
that it took.
"""

from __future__ import annotations

import multiprocessing as mp
import resource
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

from scripts.fuzzing.case import Ending, ending

MEMORY = 1 << 30
"""More than this beyond what a process starts with is out of memory."""
SECONDS = 8
"""More processor time than this ends a process."""
LARGE, LONG = 200 << 20, 2.0
"""From these on a run is large or long."""


@dataclass(frozen=True)
class Taken:
    """How a run ended, and what it took."""

    ending: Ending
    seconds: float
    bytes: int

    @property
    def size(self) -> str:
        return "large" if self.bytes >= LARGE else "small"

    @property
    def time(self) -> str:
        return "long" if self.seconds >= LONG else "short"


def taken(act: Callable[..., Any], *given: Any) -> Taken:
    """Run ``act`` in a child; it and what it is given can be pickled."""
    context = mp.get_context("forkserver")
    context.set_forkserver_preload(["scripts.fuzzing.preloaded"])
    here, there = context.Pipe(duplex=False)
    child = context.Process(target=_run, args=(there, act, given), daemon=True)
    child.start()
    there.close()
    try:
        found: Taken = here.recv() if here.poll(4 * SECONDS) else _ended("ran on")
    except EOFError:
        found = _ended("was ended by its limits")
    child.kill()
    child.join()
    return found


def _ended(how: str) -> Taken:
    return Taken(Ending(f"failed ({how})"), float(SECONDS), MEMORY)


def _run(there: Connection, act: Callable[..., Any], given: tuple[Any, ...]) -> None:
    start = _peak()
    room = _virtual() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (room, room))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))
    began = time.process_time()
    found = ending(lambda: str(act(*given)))
    there.send(Taken(found, time.process_time() - began, _peak() - start))
    there.close()


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _virtual() -> int:
    with open("/proc/self/statm") as told:  # noqa: PTH123 - not a file of anybody
        return int(told.read().split()[0]) * resource.getpagesize()


class TooLong(Exception):  # noqa: N818 - a proof, not an error
    """Something took more processor time than it may."""


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Stop what runs here, in this process, once it took so much processor time; in Python alone,
    and in the main thread.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGPROF, _too_long)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _too_long(number: int, frame: object) -> None:
    del number, frame
    raise TooLong
