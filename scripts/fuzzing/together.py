"""Cases shared out to several processes, some hundred at a time, and put together again."""

from __future__ import annotations

import multiprocessing as mp
import time
import warnings
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from itertools import islice

from scripts.fuzzing.running import Run, run

BATCH = 320
"""A whole number of questions, so that no process plans one for another."""


def run_together(
    seeds: Iterable[int],
    processes: int,
    *,
    until: float | None = None,
    told: Callable[[Run], None] | None = None,
) -> Run:
    """`run`, by several processes; cases that are under way when time is up are finished."""
    done, waiting = Run(), set[Future[Run]]()
    left = iter(seeds)
    with ProcessPoolExecutor(processes, mp_context=mp.get_context("spawn")) as pool:
        while part := tuple(islice(left, BATCH)):
            if until is not None and time.monotonic() >= until:
                break
            waiting.add(pool.submit(_part, part))
            if len(waiting) > processes:
                waiting = _gathered(done, waiting, told)
        while waiting:
            waiting = _gathered(done, waiting, told)
    return done


def _part(seeds: tuple[int, ...]) -> Run:
    warnings.simplefilter("ignore")
    return run(seeds)


def _gathered(
    done: Run, waiting: set[Future[Run]], told: Callable[[Run], None] | None
) -> set[Future[Run]]:
    ready, rest = wait(waiting, return_when=FIRST_COMPLETED)
    for each in ready:
        done.add(each.result())
    if told is not None:
        told(done)
    return rest
