"""The row *learning*: models on real and generated rows at four epsilons, beside no privacy,
diffprivlib, DP-EBM and Opacus.

Every contestant has its defaults and the same public facts.  `LEARNING_SEEDS` says how often each
model is trained; tables show means.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from benchmarks.learning import intervals
from benchmarks.learning.problems import TASKS
from benchmarks.measure import Goal, Row, table

ROOT = Path(__file__).parents[2]
EPSILONS = ("0.1", "0.5", "1", "3")
SEEDS = int(os.environ.get("LEARNING_SEEDS", "10"))
PATIENCE = 900
PLAIN = "not private"


@dataclass(frozen=True)
class Contestant:
    """Someone who trains: the file that asks it, and whose Python runs it."""

    name: str
    module: str
    is_peer: bool = True

    @property
    def python(self) -> Path:
        if not self.is_peer:
            return Path(sys.executable)
        return ROOT / ".venv-peers" / f"learning-{self.module}" / "bin" / "python"


OURS = Contestant("**Shoal**", "ours", is_peer=False)
SCIKIT = Contestant("scikit-learn", "plain", is_peer=False)
PEERS = (
    Contestant("diffprivlib", "diffprivlib"),
    Contestant("DP-EBM", "interpret"),
    Contestant("Opacus", "opacus"),
)

GOALS = (
    ("Adult, logistic", "0.1", 0.830, False),
    ("Adult, logistic", "1", 0.847, False),
    ("Adult, additive", "0.1", 0.885, False),
    ("Adult, additive", "0.5", 0.905, False),
    ("Adult, additive", "1", 0.909, False),
    ("Adult, additive", "3", 0.911, False),
    ("Friedman1, additive", "0.1", 0.78, False),
    ("Friedman1, additive", "0.5", 0.925, False),
    ("Friedman1, additive", "1", 0.94, False),
    ("Friedman1, additive", "3", 0.947, False),
    ("exclusive or, additive", "0.5", 0.885, False),
    ("diamonds-like, linear", "0.1", 0.93, False),
    ("diamonds-like, linear", "1", 0.978, False),
    ("Adult, 8 clusters of five numbers", "0.1", 1600, True),
    ("Adult, 8 clusters of five numbers", "1", 1160, True),
    ("digits, 5 components", "1", 0.43, False),
)
"""Task, epsilon, the bound of its mean score, and whether it is an upper one."""

INTERVALS = 4
"""So many times as many fits where intervals are counted."""

WIDTHS = {
    ("linear", 10_000): 1.8,
    ("linear", 100_000): 1.2,
    ("logistic", 10_000): 1.25,
    ("logistic", 100_000): 1.06,
}

Scores = dict[str, dict[str, list[float]]]


def run(*, with_ours: bool) -> Row:
    """Measure the row; without ours it trains the peers alone."""
    row = Row("Learning")
    found: dict[str, dict[str, dict[str, float]]] = {}
    for task, about in TASKS.items():
        cells: dict[str, dict[str, float]] = {}
        for each in (SCIKIT, *((OURS,) if with_ours else ()), *PEERS):
            asked = (PLAIN,) if each is SCIKIT else EPSILONS
            trained = fits(each, task, ["1"] if each is SCIKIT else list(EPSILONS))
            if trained:
                cells[each.name] = means(dict(zip(asked, trained.values(), strict=True)))
        if cells:
            found[task] = cells
            columns = [PLAIN, *map(_column, EPSILONS), "CPU s"]
            row.tables.append(table(f"{task}: {about.score}", columns, cells, digits=about.digits))
    if with_ours:
        held = interval_cells()
        columns = ["coverage", "width", "identified", "CPU s"]
        title = f"Intervals at epsilon 1, {INTERVALS * SEEDS} fits of six coefficients each"
        row.tables.append(table(title, columns, held))
        row.goals += [*goals(found), *interval_goals(held)]
    return row


def interval_cells() -> dict[str, dict[str, float]]:
    """Coverage and width by model, number of rows and ranges."""
    found = {}
    for model in intervals.MODELS:
        for size in intervals.SIZES:
            for words, half in intervals.RANGES.items():
                print(f"learning: intervals, {model}, {size:,} rows, {words}", flush=True)
                cells = intervals.measured(model, size, half, INTERVALS * SEEDS, seed=size + half)
                found[f"{model}, {size:,} rows, {words}"] = cells
    return found


def interval_goals(held: dict[str, dict[str, float]]) -> list[Goal]:
    """Widths by model and number of rows, also with loose ranges; coverage over all of them."""
    made = []
    for (model, size), bound in WIDTHS.items():
        names = [name for name in held if name.startswith(f"{model}, {size:,} rows")]
        widest = max(names, key=lambda name: held[name]["width"])
        promise = (
            f"{model} intervals, {size:,} rows: at most {bound} times as wide as without noise"
        )
        made.append(Goal(promise, bound, held[widest]["width"], where=widest, at_most=True))
    mean = statistics.mean(each["coverage"] for each in held.values())
    made.append(Goal("mean coverage at least 0.93", 0.93, mean, unit=""))
    made.append(Goal("mean coverage at most 0.97", 0.97, mean, unit="", at_most=True))
    return made


def _column(epsilon: str) -> str:
    return epsilon if epsilon == PLAIN else f"epsilon {epsilon}"


def means(trained: Scores) -> dict[str, float]:
    """The mean score of each column, and the median of CPU seconds."""
    made = {_column(name): statistics.mean(each["scores"]) for name, each in trained.items()}
    made["CPU s"] = statistics.median(s for each in trained.values() for s in each["seconds"])
    return made


def fits(contestant: Contestant, task: str, epsilons: list[str]) -> Scores | None:
    """What a contestant reached; nothing, and a line, where it is not there or failed."""
    if not contestant.python.exists():
        print(f"skipped: {contestant.name} ({contestant.python} is not there)", flush=True)
        return None
    print(f"learning: {contestant.name.strip('*')}, {task}", flush=True)
    seeds = 1 if contestant is SCIKIT else SEEDS
    command = [str(contestant.python), "-m", "benchmarks.learning.worker", contestant.module]
    path = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    try:
        done = subprocess.run(
            [*command, task, str(seeds), *epsilons],
            cwd=ROOT, check=True, capture_output=True, text=True, timeout=PATIENCE,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PYTHONPATH": path},
        )  # fmt: skip
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as problem:
        print(f"learning: {contestant.name}, {task}: {type(problem).__name__}", flush=True)
        return None
    found: Scores = json.loads(done.stdout.splitlines()[-1])
    return found if found and all(each["scores"] for each in found.values()) else None


def goals(found: dict[str, dict[str, dict[str, float]]]) -> list[Goal]:
    made = []
    for task, epsilon, bound, at_most in GOALS:
        ours = found.get(task, {}).get(OURS.name, {})
        side = "at most" if at_most else "at least"
        made.append(
            Goal(
                f"{task}, epsilon {epsilon}: {TASKS[task].score} {side} {bound:g}",
                bound,
                ours.get(_column(epsilon)),
                unit="",
                at_most=at_most,
            )
        )
    for task in ("Adult, logistic", "diamonds-like, linear"):
        cells = found.get(task, {})
        mine, plain = (cells.get(each.name, {}).get("CPU s") for each in (OURS, SCIKIT))
        times = mine / plain if mine and plain else None
        made.append(Goal(f"{task}: CPU at most 3 times scikit-learn's", 3, times, at_most=True))
    return made
