"""The row *accounting*: epsilon of sixty compositions, beside dp-accounting, and of seven beside
prv-accountant.

Each answer is the first of a fresh process, so that nothing is remembered; CPU time without
imports, and the peak memory of the whole process, with them.
"""

from __future__ import annotations

import contextlib
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from benchmarks.accountants import GRID, MODULES, NARROW, OTHER, OURS, PEER, REFEREE, Found
from benchmarks.accounting_goals import MOST_LOOSER, goals, looser
from benchmarks.accounting_kept import kept
from benchmarks.accounting_table import reference_table, wide_table
from benchmarks.measure import Goal, Row
from benchmarks.peers import has
from benchmarks.running_account import MIXES, running_goals
from benchmarks.workloads import COMPOSITIONS, REFERENCE

PROCESSES = 3
AT_ONCE = 2
"""Processes of peers side by side; ours run by themselves, after them."""
PATIENCE = 60
"""CPU seconds of a process, imports and all, after which it is ended."""
ROOT = Path(__file__).parents[1]
SEVEN = [each.title for each in REFERENCE]


def run(*, with_ours: bool) -> Row:
    """Measure the row; without ours it times the peers alone."""
    row = Row("Accounting")
    theirs = _peer(PEER, COMPOSITIONS)
    others = _peer(OTHER, SEVEN)
    before = os.getloadavg()[0]
    ours = {title: answer(OURS, title) for title in COMPOSITIONS} if with_ours else {}
    if ours:
        _look_closer(ours, theirs)
    row.tables.append(wide_table(ours, theirs))
    row.tables.append(
        f"A dash: dp-accounting has no distribution for one of the kinds, or no lower end is known. Bold: misses a goal. "
        f"dp-accounting rounds losses to a grid of {GRID:g}, pessimistically, by connecting dots where it can; "
        f"at most two of its processes run at a time, and one ends after {PATIENCE} CPU seconds. "
        "†: below the lower end that Shoal certifies, so no upper bound; such numbers are not compared. "
        f"Where dp-accounting's number is less than ours, the lower end is found again with a bracket of {NARROW:g}, which is not timed. "
        f"Load of the machine before and after ours: {before:.1f} and {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores."
    )
    if others:
        row.tables.append(reference_table(OTHER, others))
    if ours:
        row.goals += goals(ours, theirs) + _running_goals()
    return row


def _look_closer(ours: dict[str, Found], theirs: dict[str, Found]) -> None:
    """A number of the peer that is less than ours is either tighter or below the truth: a narrower
    bracket tells which.
    """
    for title, above in looser(ours, theirs).items():
        if above > MOST_LOOSER and (found := answer(REFEREE, title)):
            ours[title]["lower"] = found["epsilon"] - found["gap"]


def _peer(name: str, titles: Iterable[str]) -> dict[str, Found]:
    """What a peer answers; nothing if it is not installed."""
    asked = list(titles)
    if not has(MODULES[name]):
        return {}
    with ThreadPoolExecutor(AT_ONCE) as pool:
        found = pool.map(lambda title: kept(name, title, partial(answer, name, title)), asked)
        return dict(zip(asked, found, strict=True))


def answer(name: str, title: str) -> Found:
    """One process; for ours on the reference workloads the median of a few."""
    first = _process(name, title)
    told = f"{first['seconds']:.3f} s" if "seconds" in first else "no answer"
    print(f"accounting: {name.replace('*', '')}, {title}: {told}", flush=True)
    if name != OURS or title not in SEVEN:
        return first
    runs = [first, *(_process(name, title) for _ in range(PROCESSES - 1))]
    return {key: statistics.median(each[key] for each in runs) for key in first}


def _process(name: str, title: str) -> Found:
    """What the worker printed; only ``over``, in seconds, if it took too long; nothing if it
    failed.
    """
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.accounting_worker", name, title]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT
    ) as process:
        while True:
            with contextlib.suppress(subprocess.TimeoutExpired):
                printed, complaints = process.communicate(timeout=0.5)
                break
            if _spent(process.pid) > PATIENCE:
                process.kill()
                return {"over": PATIENCE}
    if process.returncode != 0:
        print(f"  failed: {complaints.strip().splitlines()[-1]}")
        return {}
    found: Found = json.loads(printed.splitlines()[-1])
    return found if "epsilon" in found else {}


def _spent(process: int) -> float:
    """CPU seconds of a process so far, read from outside: a limit of the system makes its own clock
    coarse.
    """
    import psutil

    try:
        times = psutil.Process(process).cpu_times()
    except psutil.NoSuchProcess:
        return 0.0
    return float(times.user + times.system)


def _running_goals() -> list[Goal]:
    """The median of a few processes, for each mix of releases."""
    found = {}
    for mix in MIXES:
        runs = [_process(OURS, mix) for _ in range(PROCESSES)]
        found[mix] = {key: statistics.median(each[key] for each in runs) for key in runs[0]}
    return running_goals(found)
