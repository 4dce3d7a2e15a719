"""How the benchmarks measure and tell: CPU time, medians, ratios, and goals that are computed."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

Act = Callable[[], object]
Cells = Mapping[str, float]
"""Column -> measured number; a column that is not there was not measured."""

RUNS = 5
AT_LEAST_SECONDS = 0.2


def cpu_seconds(act: Act) -> float:
    """CPU seconds of one call: the median of several runs that together take at least 0.2 s.

    One call goes before, unmeasured, so that what is built once is not counted here.
    """
    act()
    calls = 1
    spent = _run(act, calls)
    while spent * RUNS < AT_LEAST_SECONDS:
        calls *= 2
        spent = _run(act, calls)
    runs = [spent, *(_run(act, calls) for _ in range(RUNS - 1))]
    return statistics.median(runs) / calls


def first_cpu_seconds(act: Act) -> float:
    """CPU seconds of the very first call."""
    return _run(act, 1)


def _run(act: Act, calls: int) -> float:
    start = time.process_time()
    for _ in range(calls):
        act()
    return time.process_time() - start


@dataclass(frozen=True)
class Goal:
    """A promise about a measured number; whether it is met is worked out, never written down."""

    promise: str
    bound: float
    measured: float | None
    unit: str = "x"
    where: str = ""
    at_most: bool = False

    @property
    def is_met(self) -> bool | None:
        if self.measured is None:
            return None
        return self.measured <= self.bound if self.at_most else self.measured >= self.bound

    def line(self) -> str:
        if self.measured is None:
            return f"- goal: {self.promise} · not measured"
        verdict = "met" if self.is_met else "**not met**"
        where = f" ({self.where})" if self.where else ""
        return f"- goal: {self.promise} · measured {quantity(self.measured)}{self.unit}{where} · {verdict}"


@dataclass
class Row:
    """What one row of the benchmarks found."""

    title: str
    tables: list[str] = field(default_factory=list)
    goals: list[Goal] = field(default_factory=list)

    def markdown(self) -> str:
        goals = "\n".join(goal.line() for goal in self.goals)
        return "\n\n".join([f"## {self.title}", *self.tables, goals])


def table(title: str, columns: Sequence[str], rows: Mapping[str, Cells], *, digits: int = 3) -> str:
    """A markdown table of measured numbers; "–" where nothing was measured."""

    def shown(number: float) -> str:
        return quantity(number) if digits == 3 else f"{number:.{digits}g}"

    head = f"| {title} | " + " | ".join(columns) + " |"
    rule = "|---|" + "---:|" * len(columns)
    body = [
        f"| {name} | " + " | ".join(shown(cells[c]) if c in cells else "–" for c in columns) + " |"
        for name, cells in rows.items()
    ]
    return "\n".join([head, rule, *body])


def ratios(ours: Cells, theirs: Cells) -> dict[str, float]:
    """Ours divided by theirs, where both were measured."""
    return {column: ours[column] / theirs[column] for column in ours if column in theirs}


def smallest(cells: Cells, columns: Sequence[str]) -> tuple[float | None, str]:
    """The worst of the named columns and where it is."""
    among = {column: cells[column] for column in columns if column in cells}
    if not among:
        return None, ""
    worst = min(among, key=among.__getitem__)
    return among[worst], worst


def quantity(number: float) -> str:
    """Three digits and a unit: 12.3 M, 456 k, 0.0123."""
    for size, unit in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if number >= size:
            return f"{_three(number / size)}{unit}"
    return _three(number)


def _three(number: float) -> str:
    if number >= 100:
        return f"{number:.0f}"
    return f"{number:.1f}" if number >= 10 else f"{number:.3g}"
