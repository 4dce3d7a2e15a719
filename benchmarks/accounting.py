"""The row *accounting*: epsilon of long compositions, beside dp-accounting and prv-accountant.

Each answer is the first of a fresh process, so that nothing is remembered; CPU time without imports, and the peak
memory of the whole process, with them.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from pathlib import Path

from benchmarks.measure import Cells, Goal, Row, table
from benchmarks.peers import has
from benchmarks.workloads import CONTESTANTS, WORKLOADS

PROCESSES = 3
MODULES = {
    "**Shoal**": "shoal",
    "dp-accounting": "dp_accounting",
    "prv-accountant": "prv_accountant",
}
OURS, PEER = "**Shoal**", "dp-accounting"
MOST_SECONDS = {"10^3 sampled": 0.1, "10^4 sampled": 0.15, "10^5 sampled": 0.4}
ROOT = Path(__file__).parents[1]


def run(*, with_ours: bool) -> Row:
    """Measure the row; without ours it times the peers alone."""
    row = Row("Accounting")
    names = [name for name in CONTESTANTS if has(MODULES[name]) and (with_ours or name != OURS)]
    found = {name: {work: answer(name, work) for work in WORKLOADS} for name in names}
    columns = list(WORKLOADS)
    for title, key in (
        ("Epsilon at delta 10^-6, from above", "epsilon"),
        ("CPU seconds of the first answer", "seconds"),
        ("Peak memory of the process, megabytes", "megabytes"),
    ):
        rows = {name: _column(found[name], key) for name in names}
        row.tables.append(table(title, columns, rows, digits=8 if key == "epsilon" else 3))
    if OURS in found:
        row.tables.append(_gaps(found[OURS]))
        row.goals += goals(found)
    return row


def answer(name: str, workload: str) -> dict[str, float]:
    """The median of a few processes."""
    print(f"accounting: {workload}, {name.replace('*', '')}")
    runs = [_process(name, workload) for _ in range(PROCESSES)]
    return {key: statistics.median(each[key] for each in runs) for key in runs[0]}


def _process(name: str, workload: str) -> dict[str, float]:
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.accounting_worker", name, workload]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    if done.returncode != 0:
        print(f"  failed: {done.stderr.strip().splitlines()[-1]}")
        return {}
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found if "epsilon" in found else {}


def _column(found: dict[str, dict[str, float]], key: str) -> Cells:
    return {work: cells[key] for work, cells in found.items() if key in cells}


def _gaps(ours: dict[str, dict[str, float]]) -> str:
    gaps = {work: cells["epsilon"] - cells["lower"] for work, cells in ours.items()}
    return table("Certified gap of epsilon", list(WORKLOADS), {OURS: gaps})


def goals(found: dict[str, dict[str, dict[str, float]]]) -> list[Goal]:
    ours = found[OURS]
    gap = {work: cells["epsilon"] - cells["lower"] for work, cells in ours.items()}
    widest = max(gap, key=gap.__getitem__)
    made = [Goal("certified gap at most 0.0001", 1e-4, gap[widest], "", where=widest, at_most=True)]
    if PEER in found:
        theirs = found[PEER]
        times = {w: theirs[w]["seconds"] / ours[w]["seconds"] for w in ours if theirs[w]}
        slowest = min(times, key=times.__getitem__)
        made.append(
            Goal("at least 5 times as fast as dp-accounting", 5, times[slowest], where=slowest)
        )
        above = {w: ours[w]["epsilon"] - theirs[w]["epsilon"] for w in ours if theirs[w]}
        loosest = max(above, key=above.__getitem__)
        made.append(
            Goal(
                "epsilon no larger than dp-accounting's",
                1e-9,
                above[loosest],
                " more",
                where=loosest,
                at_most=True,
            )
        )
    for work, bound in MOST_SECONDS.items():
        promise = f"{work}: at most {bound:g} CPU s"
        made.append(Goal(promise, bound, ours[work]["seconds"], " s", at_most=True))
    memory = {work: cells["megabytes"] for work, cells in ours.items()}
    largest = max(memory, key=memory.__getitem__)
    made.append(Goal("under 150 MB", 150, memory[largest], " MB", where=largest, at_most=True))
    steps = [_process(OURS, "running") for _ in range(PROCESSES)]
    for key in ("median", "worst"):
        measured = statistics.median(each[key] for each in steps)
        promise = f"a running account of 200 different releases answers within 5 ms, {key}"
        made.append(Goal(promise, 5, measured, " ms", at_most=True))
    return made
