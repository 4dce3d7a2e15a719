"""One contestant on one question, in a process of its own, under the Python of its environment.

``python -m benchmarks.questions.worker MODULE WORKLOAD VISITS REGIONS time`` times it from the
files on, without imports and start-up; with ``answers REPETITIONS EPSILON`` for ``time`` it prints
what was answered.
"""

from __future__ import annotations

import importlib
import json
import logging
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil

from benchmarks.questions.tree import cpu_seconds
from benchmarks.questions.workloads import EPSILON, WORKLOADS, CannotError, Files

MARK = "RESULT "
"""What the line begins with that the harness reads; peers print what they like besides."""


def main() -> None:
    name, workload, visits, regions, task, *more = sys.argv[1:]
    logging.disable(logging.WARNING)
    contestant = importlib.import_module(name)
    files = Files(Path(visits), Path(regions))
    try:
        found = (
            timed(contestant, workload, files)
            if task == "time"
            else answered(contestant, workload, files, int(more[0]), float(more[1]))
        )
    except CannotError as reason:
        found = {"cannot": str(reason)}
    print(MARK + json.dumps(found), flush=True)
    if hasattr(contestant, "finish"):
        contestant.finish()


def timed(contestant: Any, workload: str, files: Files) -> dict[str, Any]:
    wanted = WORKLOADS[workload]
    acts: dict[str, Callable[[], object]]
    if hasattr(contestant, "sequence"):
        acts = contestant.sequence(wanted, files)
    else:
        ask = contestant.prepare(wanted, files)
        acts = {"first": lambda: ask(EPSILON)}
    return {name: _measured(act) for name, act in acts.items()}


def _measured(act: Callable[[], object]) -> dict[str, float]:
    start, spent = time.perf_counter(), _cpu_seconds()
    act()
    return {"wall": time.perf_counter() - start, "cpu": _cpu_seconds() - spent}


def _cpu_seconds() -> float:
    """Of this process and those it started; its own share is known more finely than in
    hundredths.
    """
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    running = sum(cpu_seconds(child) for child in psutil.Process().children())
    return time.process_time() + ended.ru_utime + ended.ru_stime + running


def answered(
    contestant: Any, workload: str, files: Files, repetitions: int, epsilon: float
) -> dict[str, Any]:
    ask = contestant.prepare(WORKLOADS[workload], files)
    return {"answers": [ask(epsilon) for _ in range(repetitions)]}


if __name__ == "__main__":
    main()
