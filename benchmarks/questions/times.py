"""CPU, wall and memory of every question, for everyone, each in a fresh process on the same
file.
"""

from __future__ import annotations

import os
import statistics
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from benchmarks.measure import Goal, quantity
from benchmarks.questions import processes
from benchmarks.questions.kept import is_kept, kept
from benchmarks.questions.processes import (
    MOST_CPU_SECONDS,
    MOST_MEGABYTES,
    OURS,
    PEERS,
    PLAIN,
    Contestant,
)
from benchmarks.questions.workloads import WORKLOADS

FULL, SMALLER = 10**7, 10**6
PROCESSES = 3
PATIENCE = float(os.environ.get("BENCH_PATIENCE", MOST_CPU_SECONDS))
"""A peer whose CPU on the smaller table says that it would need more seconds on the full one is
left there.
"""
ACTS = {
    "first": "**Shoal**, first question",
    "again": "**Shoal**, the same again",
    "other": "**Shoal**, another with these keys",
}
MEASURES = {
    "cpu": "CPU seconds",
    "wall": "Wall seconds",
    "megabytes": "Peak memory of the process and its children, megabytes",
}


@dataclass(frozen=True)
class Cell:
    """What one contestant needed for one question: numbers by act, or a reason why there are
    none.
    """

    rows: int
    found: dict[str, Any] = field(default_factory=dict)

    @property
    def reason(self) -> str:
        return str(self.found.get("cannot") or self.found.get("failed") or "")

    def number(self, measure: str, act: str = "first") -> float | None:
        if self.reason:
            return None
        return float(
            self.found["megabytes"] if measure == "megabytes" else self.found[act][measure]
        )

    def shown(self, measure: str, act: str = "first") -> str:
        found = self.number(measure, act)
        if found is None:
            return "cannot" if "cannot" in self.found else "failed"
        mark = "" if self.rows == FULL else f" at {quantity(self.rows)} rows"
        if mark and measure == "cpu":
            mark += f", {quantity(self.rows / found)}/s"
        return quantity(found) + mark


Cells = dict[str, Cell]


def measured(*, with_ours: bool) -> dict[str, dict[int, Cells]]:
    """Contestant -> rows -> workload -> what it needed."""
    found: dict[str, dict[int, Cells]] = {}
    for contestant in (PLAIN, OURS) if with_ours else (PLAIN,):
        found[contestant.name] = {
            rows: {work: _several(contestant, work, rows) for work in WORKLOADS}
            for rows in (SMALLER, FULL)
        }
    for peer in PEERS:
        if processes.version(peer) is not None:
            found[peer.name] = _climbed(peer)
    return found


def _several(contestant: Contestant, work: str, rows: int) -> Cell:
    """The median CPU and the least wall time of a few processes: other work can only lengthen a
    wait.
    """
    runs = [processes.timed(contestant, work, rows) for _ in range(PROCESSES)]
    failed = [run for run in runs if "failed" in run]
    if failed:
        return Cell(rows, failed[0])
    made: dict[str, Any] = {
        act: {
            "cpu": statistics.median(run[act]["cpu"] for run in runs),
            "wall": min(run[act]["wall"] for run in runs),
        }
        for act in runs[0]
        if act != "megabytes"
    }
    return Cell(rows, made | {"megabytes": max(run["megabytes"] for run in runs)})


def _climbed(peer: Contestant) -> dict[int, Cells]:
    """A peer on the smaller table, and on the full one where that is within the limits."""
    found: dict[int, Cells] = {SMALLER: {}, FULL: {}}
    for work in WORKLOADS:
        found[SMALLER][work] = small = _once(peer, work, SMALLER)
        cpu, memory = small.number("cpu"), small.number("megabytes")
        times = FULL / SMALLER
        if cpu is None or memory is None:
            continue
        fits = cpu * times <= PATIENCE and memory <= MOST_MEGABYTES / 2
        if fits or is_kept(peer, _name(work, FULL)):
            found[FULL][work] = _once(peer, work, FULL)
    return found


def _once(peer: Contestant, work: str, rows: int) -> Cell:
    measure = partial(processes.timed, peer, work, rows)
    return Cell(rows, kept(peer, _name(work, rows), measure))


def _name(work: str, rows: int) -> str:
    return f"time {work} {rows}"


def tables(found: dict[str, dict[int, Cells]]) -> list[str]:
    return [_table(found, key, title) for key, title in MEASURES.items()] + _notes(found)


def _table(found: dict[str, dict[int, Cells]], measure: str, title: str) -> str:
    lines = [f"| {title} | " + " | ".join(WORKLOADS) + " |", "|---|" + "---:|" * len(WORKLOADS)]
    for name, sizes in found.items():
        acts = ACTS if name == OURS.name and measure != "megabytes" else {"first": name}
        for act, shown in acts.items():
            cells = [_largest(sizes, work).shown(measure, act) for work in WORKLOADS]
            lines.append(f"| {shown} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _largest(sizes: dict[int, Cells], work: str) -> Cell:
    """The cell of the largest table that was answered, else of one that was tried."""
    tried = [sizes[rows][work] for rows in (FULL, SMALLER) if work in sizes[rows]]
    return next((cell for cell in tried if not cell.reason), tried[-1])


def _notes(found: dict[str, dict[int, Cells]]) -> list[str]:
    lines = [
        f"- {name}, {work}, {cell.rows:,} rows: {cell.reason}"
        for name, sizes in found.items()
        for cells in sizes.values()
        for work, cell in cells.items()
        if cell.reason
    ]
    return ["\n".join(lines)] if lines else []


def goals(found: dict[str, dict[int, Cells]]) -> list[Goal]:
    if OURS.name not in found:
        return []
    plain, ours = found[PLAIN.name][FULL], found[OURS.name][FULL]
    made = []
    for act, bound, promise in (
        ("first", 15, "a first question within 15 times the plain query's CPU"),
        ("again", 1, "the same question again within the plain query's CPU"),
        ("other", 1, "another question with these keys within the plain query's CPU"),
    ):
        worst = {w: _ratio(ours[w], plain[w], act) for w in WORKLOADS}
        where = max(worst, key=worst.__getitem__)
        missed = [w for w, ratio in worst.items() if ratio > bound]
        shown = where if len(missed) < 2 else f"{where}; beyond it: {', '.join(missed)}"
        made.append(Goal(promise, bound, worst[where], where=shown, at_most=True))
    made += [_faster(found, peer.name) for peer in PEERS if peer.name in found]
    memory = {w: ours[w].number("megabytes") or 0.0 for w in WORKLOADS}
    largest = max(memory, key=memory.__getitem__)
    promise = "under 4096 MB at 10 M rows"
    made.append(Goal(promise, 4096, memory[largest], " MB", where=largest, at_most=True))
    return made


def _ratio(ours: Cell, theirs: Cell, act: str = "first") -> float:
    mine, other = ours.number("cpu", act), theirs.number("cpu")
    assert mine is not None
    assert other is not None
    return mine / other


def _faster(found: dict[str, dict[int, Cells]], peer: str) -> Goal:
    """How many times less CPU our first question needs, on the largest table that the peer could
    do.
    """
    times = {}
    for work in WORKLOADS:
        theirs = _largest(found[peer], work)
        if not theirs.reason:
            times[work] = 1 / _ratio(found[OURS.name][theirs.rows][work], theirs)
    promise = f"a first question needs at least 10 times less CPU than {peer}"
    if not times:
        return Goal(promise, 10, None)
    worst = min(times, key=times.__getitem__)
    return Goal(promise, 10, times[worst], where=worst)
