"""Contestants as processes: where their Python is, whether they are there, and a run of one within
limits.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import psutil

from benchmarks.questions import data, tree
from benchmarks.questions.worker import MARK

ROOT = Path(__file__).parents[2]
MOST_CPU_SECONDS = 600
MOST_MEGABYTES = 16 * 1024
LOOK = 0.2
"""Seconds between looks at memory."""


@dataclass(frozen=True)
class Contestant:
    """Someone who answers: the module that asks it, its package, and whose Python runs it."""

    name: str
    module: str
    package: str
    is_peer: bool = True
    repetitions: int = 6
    """How often it is asked where its error is measured."""
    row: str = "questions"
    """The row it is a contestant of."""
    truths: int = 2
    """Of how many answers without noise its bounded truth is the mean: several where it samples
    rows.
    """

    @property
    def code(self) -> str:
        """The module that asks it, in full."""
        return f"benchmarks.{self.row}.contestants.{self.module}"

    @property
    def python(self) -> Path:
        if not self.is_peer:
            return Path(sys.executable)
        return ROOT / ".venv-peers" / self.place / "bin" / "python"

    @property
    def place(self) -> str:
        """The folder of its environment."""
        return self.module if self.row == "questions" else f"{self.module}-{self.row}"


PLAIN = Contestant("plain DuckDB, not private", "plain", "duckdb", is_peer=False)
OURS = Contestant("**Shoal**", "ours", "shoal", is_peer=False, repetitions=100, truths=1)
PEERS = (
    Contestant("OpenDP with Polars", "opendp", "opendp"),
    Contestant("PipelineDP, local", "pipelinedp", "pipeline-dp"),
    Contestant("SmartNoise SQL, pandas", "smartnoise", "smartnoise-sql"),
    Contestant("Tumult Analytics, Spark", "tumult", "tmlt.analytics", truths=1),
)


@cache
def version(contestant: Contestant) -> str | None:
    """The version that is installed; None, and a line once, if it cannot be run."""
    code = (
        f"import importlib, importlib.metadata as m; "
        f"importlib.import_module('{contestant.code}'); "
        f"print(m.version('{contestant.package}'))"
    )
    problem = f"{contestant.python} is not there; `make bench` makes it"
    if contestant.python.exists():
        command = [str(contestant.python), "-W", "ignore", "-c", code]
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
        if done.returncode == 0:
            return done.stdout.split()[-1]
        problem = (done.stderr.strip() or "it did not say why").splitlines()[-1]
    print(f"skipped: {contestant.name} ({problem})", flush=True)
    return None


def timed(contestant: Contestant, workload: str, rows: int) -> dict[str, Any]:
    return _run(contestant, workload, rows, "time")


def answers(
    contestant: Contestant, workload: str, rows: int, repetitions: int, epsilon: float
) -> dict[str, Any]:
    return _run(contestant, workload, rows, "answers", str(repetitions), str(epsilon))


def _run(contestant: Contestant, workload: str, rows: int, *task: str) -> dict[str, Any]:
    """What a worker found, with the peak of its memory; ``cannot`` or ``failed`` hold a reason
    instead.
    """
    paths = (str(data.visits(rows)), str(data.regions()))
    command = [str(contestant.python), "-W", "ignore", "-m", "benchmarks.questions.worker"]
    command += [contestant.code, workload, *paths, *task]
    print(
        f"{contestant.row}: {contestant.name.strip('*')}, {workload}, {rows:,} rows, {task[0]}",
        flush=True,
    )
    is_timed = task[0] == "time"
    with (
        tempfile.TemporaryFile("w+") as told,
        subprocess.Popen(command, stdout=told, stderr=subprocess.DEVNULL, cwd=ROOT) as process,
    ):
        peak, stopped = _watched(psutil.Process(process.pid), limits=is_timed)
        process.wait()
        told.seek(0)
        lines = told.read().splitlines()
    if stopped:
        return {"failed": stopped, "megabytes": peak}
    results = [line for line in lines if line.startswith(MARK)]
    if not results:
        return {"failed": f"ended with {process.returncode}"}
    found: dict[str, Any] = json.loads(results[-1].removeprefix(MARK))
    return found | {"megabytes": peak}


def _watched(root: psutil.Process, *, limits: bool) -> tuple[float, str]:
    """The peak of memory of a running tree, and why it was ended, if it was."""
    peak, spent, looked = 0.0, 0.0, time.monotonic()
    try:
        while root.is_running() and root.status() != psutil.STATUS_ZOMBIE:
            peak = max(peak, tree.megabytes(root))
            if limits and peak > MOST_MEGABYTES:
                tree.end(root)
                return peak, f"more than {MOST_MEGABYTES / 1024:g} GiB"
            if limits and time.monotonic() > looked + 5:
                spent, looked = tree.cpu_seconds(root), time.monotonic()
                if spent > MOST_CPU_SECONDS:
                    tree.end(root)
                    return peak, f"more than {MOST_CPU_SECONDS} CPU s"
            time.sleep(LOOK)
    except psutil.NoSuchProcess:
        pass
    return peak, ""
