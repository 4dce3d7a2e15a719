"""One wait, in a process of its own: ``python -m benchmarks.questions.quick_worker TASK VISITS
REGIONS``.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from benchmarks.questions.contestants.ours import opened, previewed, released
from benchmarks.questions.workloads import DELTA, EPSILON, WORKLOADS, Files

WARMING = "SELECT category, AVG(age) AS age FROM visits WHERE age > 20 GROUP BY category"
SMALL = "SELECT SUM(spend) AS total FROM visits"


def main() -> None:
    task, visits, regions = sys.argv[1:]
    files = Files(Path(visits), Path(regions))
    print(json.dumps(TASKS[task](files)))


def previews(files: Files) -> dict[str, float]:
    """Planning and pricing of each question, from its text on, after another one was previewed."""
    spent = {}
    for name, workload in WORKLOADS.items():
        made = opened(workload, files, DELTA)
        made.sql(WARMING).preview(epsilon=EPSILON)
        spent[name] = _milliseconds(partial(previewed, made, workload))
    return spent


def cold_preview(files: Files) -> dict[str, float]:
    """The first preview of a process, with whatever is imported for it."""
    workload = WORKLOADS["count"]
    made = opened(workload, files, DELTA)
    return {"count": _milliseconds(partial(previewed, made, workload))}


def first(files: Files) -> dict[str, float]:
    workload = WORKLOADS["count"]
    made = opened(workload, files, DELTA)
    return released(made, workload.sql, EPSILON, delta=None)[""]


def warm(files: Files) -> dict[str, float]:
    """A question with one number, where another question has been answered before."""
    workload = WORKLOADS["count"]
    made = opened(workload, files, DELTA)
    made.sql(WARMING).release(epsilon=EPSILON)

    def ask() -> object:
        return released(made, SMALL, EPSILON, delta=None)

    return {"first asked": _milliseconds(ask), "asked again": _milliseconds(ask)}


def _milliseconds(act: Callable[[], object]) -> float:
    start = time.perf_counter()
    act()
    return 1000 * (time.perf_counter() - start)


TASKS = {"previews": previews, "cold preview": cold_preview, "first": first, "warm": warm}

if __name__ == "__main__":
    main()
