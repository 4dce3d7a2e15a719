"""The row *spark*: the seven questions at ten million rows, and at fifty where the machine allows
it.
"""

from __future__ import annotations

import os
import statistics
from typing import Any

import psutil

from benchmarks.measure import Goal, Row, quantity
from benchmarks.questions import processes
from benchmarks.questions.kept import kept
from benchmarks.questions.processes import Contestant
from benchmarks.questions.workloads import DELTA, EPSILON, GROUPS, ROWS_PER_GROUP, WORKLOADS
from benchmarks.spark import cost
from benchmarks.spark.session import SETTINGS

FULL, LARGER = (int(n) for n in os.environ.get("BENCH_SPARK_ROWS", "10000000,50000000").split(","))
LARGER_NEEDS = 20 * 2**30
"""So many bytes of memory must a machine have for the larger table."""
PROCESSES = int(os.environ.get("BENCH_SPARK_PROCESSES", "2"))
FASTER, WITHIN = 5, 6

PLAIN = Contestant("plain Spark, not private", "plain", "pyspark", is_peer=False, row="spark")
OURS = Contestant("**Shoal**", "ours", "shoal", is_peer=False, row="spark")
TUMULT = Contestant("Tumult Analytics", "tumult", "tmlt.analytics", row="spark")
ACTS = {
    "first": "**Shoal**, first question",
    "again": "**Shoal**, the same again",
    "other": "**Shoal**, another with these keys",
}
MEASURES = {"cpu": "CPU seconds", "wall": "Wall seconds"}

Found = dict[str, dict[str, Any]]
"""Workload -> act -> measured numbers; ``failed`` or ``cannot`` hold a reason instead."""


def run(*, with_ours: bool) -> Row:
    """Measure the row; without ours it measures the peer and the plain query."""
    before = os.getloadavg()[0]
    row = Row("Spark", tables=[_words()])
    for rows in (FULL, LARGER) if _is_large() else (FULL,):
        found = {PLAIN.name: _several(PLAIN, rows)}
        if with_ours:
            found[OURS.name] = _several(OURS, rows)
        if rows == FULL and processes.version(TUMULT) is not None:
            found[TUMULT.name] = {work: _kept(work, rows) for work in WORKLOADS}
        row.tables += [_table(found, measure, rows) for measure in MEASURES]
        row.tables += _notes(found)
        if with_ours:
            row.goals += _goals(found, rows)
    if with_ours:
        row.tables += cost.tables()
    after = os.getloadavg()[0]
    row.tables.append(
        f"Load of the machine before and after: {before:.1f} and {after:.1f} on {os.cpu_count()} cores."
    )
    return row


def _kept(work: str, rows: int) -> dict[str, Any]:
    return kept(TUMULT, f"time {work} {rows}", lambda: processes.timed(TUMULT, work, rows))


def _is_large() -> bool:
    return LARGER > FULL and psutil.virtual_memory().total >= LARGER_NEEDS


def _several(contestant: Contestant, rows: int) -> Found:
    """The median CPU and the least wall time of a few processes; of the larger table one is
    enough.
    """
    many = PROCESSES if rows == FULL else 1
    return {
        work: _merged([processes.timed(contestant, work, rows) for _ in range(many)])
        for work in WORKLOADS
    }


def _merged(runs: list[dict[str, Any]]) -> dict[str, Any]:
    failed = [run for run in runs if "failed" in run]
    if failed:
        return failed[0]
    return {
        act: {
            "cpu": statistics.median(run[act]["cpu"] for run in runs),
            "wall": min(run[act]["wall"] for run in runs),
        }
        for act in runs[0]
        if act != "megabytes"
    }


def _table(found: dict[str, Found], measure: str, rows: int) -> str:
    head = f"{MEASURES[measure]}, {quantity(rows)} rows"
    lines = [f"| {head} | " + " | ".join(WORKLOADS) + " |", "|---|" + "---:|" * len(WORKLOADS)]
    for name, cells in found.items():
        for act, shown in (ACTS if name == OURS.name else {"first": name}).items():
            numbers = [_number(cells[work], measure, act) for work in WORKLOADS]
            told = ["–" if n is None else quantity(n) for n in numbers]
            lines.append(f"| {shown} | " + " | ".join(told) + " |")
    if OURS.name in found:
        lines += [
            f"| {words} | " + " | ".join(_times(found, name, measure, way)) + " |"
            for name, way, words in (
                (PLAIN.name, 1, "times the plain query"),
                (TUMULT.name, -1, "times less than Tumult"),
            )
            if name in found
        ]
    return "\n".join(lines)


def _times(found: dict[str, Found], name: str, measure: str, way: int) -> list[str]:
    ratios = _ratios(found, name, measure)
    return [quantity(ratios[work] ** way) if work in ratios else "–" for work in WORKLOADS]


def _ratios(found: dict[str, Found], name: str, measure: str) -> dict[str, float]:
    """Our first question over another's, where both answered."""
    made = {}
    for work in WORKLOADS:
        ours, theirs = (_number(found[who][work], measure) for who in (OURS.name, name))
        if ours is not None and theirs:
            made[work] = ours / theirs
    return made


def _number(cell: dict[str, Any], measure: str, act: str = "first") -> float | None:
    return None if act not in cell else float(cell[act][measure])


def _notes(found: dict[str, Found]) -> list[str]:
    lines = [
        f"- {name}, {work}: {cell.get('cannot') or cell.get('failed')}"
        for name, cells in found.items()
        for work, cell in cells.items()
        if "cannot" in cell or "failed" in cell
    ]
    return ["\n".join(lines)] if lines else []


def _goals(found: dict[str, Found], rows: int) -> list[Goal]:
    made = []
    for measure in MEASURES:
        word = "CPU" if measure == "cpu" else "wall time"
        plain = _ratios(found, PLAIN.name, measure)
        promise = f"a first question of {quantity(rows)} rows within {WITHIN} times the plain Spark query's {word}"
        made.append(_worst(promise, WITHIN, plain, at_most=True))
        if TUMULT.name in found:
            peer = {work: 1 / r for work, r in _ratios(found, TUMULT.name, measure).items()}
            promise = f"a first question of {quantity(rows)} rows needs at least {FASTER} times less {word} than Tumult Analytics"
            made.append(_worst(promise, FASTER, peer, at_most=False))
    return made


def _worst(promise: str, bound: float, ratios: dict[str, float], *, at_most: bool) -> Goal:
    if not ratios:
        return Goal(promise, bound, None)
    where = (max if at_most else min)(ratios, key=ratios.__getitem__)
    missed = [w for w, r in ratios.items() if (r > bound if at_most else r < bound)]
    shown = where if len(missed) < 2 else f"{where}; beyond it: {', '.join(missed)}"
    return Goal(promise, bound, ratios[where], where=shown, at_most=at_most)


def _words() -> str:
    settings = ", ".join(f"{name}={value}" for name, value in SETTINGS.items())
    return (
        f"The questions, bounds and rows of *questions*: epsilon {EPSILON:g}, delta {DELTA:g}, {GROUPS} groups and {ROWS_PER_GROUP} rows in each from one person, ten rows "
        f"from a person on average. Everyone has the same Spark (pyspark {processes.version(PLAIN)}, `local[*]`, {settings}) and a fresh process; the start of Spark and one small job "
        f"are not counted, compiling of what a question runs is. CPU is that of Python and Java. Shoal and the plain query: median CPU and least wall time of {PROCESSES} process(es) at {quantity(FULL)} rows "
        f"and one above; Tumult Analytics ({processes.version(TUMULT) or 'could not be run'}): one run."
    )
