"""What an analyst waits for: previews, the first answer of a fresh process, and a small question to
warm rows.

Waits are the least of a few processes: what else a machine does can only make them longer.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time

from benchmarks.measure import Goal, table
from benchmarks.questions import data
from benchmarks.questions.processes import OURS, ROOT

ROWS = 10**6
PROCESSES = 5
WORKER = "benchmarks.questions.quick_worker"


def run() -> tuple[list[str], list[Goal]]:
    print(f"questions: previews and first answers, {ROWS:,} rows", flush=True)
    previews = _least("previews")
    warm = _least("warm")
    first = min(_spent("first") for _ in range(PROCESSES))
    slowest = max(previews, key=previews.__getitem__)
    shown = table(
        "Wall milliseconds of the first preview after another question",
        list(previews),
        {OURS.name: previews},
    )
    cold = _least("cold preview")["count"]
    return [shown], [
        Goal("a preview within 50 ms", 50, previews[slowest], " ms", where=slowest, at_most=True),
        Goal("the first preview of a process within 50 ms", 50, cold, " ms", at_most=True),
        Goal("from nothing to a first count of 10^6 rows within 2 s", 2, first, " s", at_most=True),
        Goal(
            "a scalar question to 10^6 warm rows within 100 ms",
            100,
            warm["first asked"],
            " ms",
            where=f"asked again {warm['asked again']:.1f} ms",
            at_most=True,
        ),
    ]


def _least(task: str) -> dict[str, float]:
    runs = [json.loads(_process(task).splitlines()[-1]) for _ in range(PROCESSES)]
    return {name: min(run[name] for run in runs) for name in runs[0]}


def _spent(task: str) -> float:
    start = time.perf_counter()
    _process(task)
    return time.perf_counter() - start


def _process(task: str) -> str:
    paths = [str(data.visits(ROWS)), str(data.regions())]
    command = [sys.executable, "-m", WORKER, task, *paths]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True)
    return done.stdout
