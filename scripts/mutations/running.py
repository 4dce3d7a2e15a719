"""Running the tests that must notice a fault, and saying whether they did."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import asdict, dataclass
from enum import StrEnum
from itertools import count
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any

from scripts.mutations.copying import ReusedCopy, surroundings
from scripts.mutations.mutation import Mutation

WORKERS = 2
LIMIT = 300.0
"""Seconds for the tests of one mutation."""
_FAILED = re.compile(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", re.MULTILINE)
_SOME_FAILED = 1
_SAID = 2000
"""So many of the last characters are kept of what pytest says, where it names no test that failed.
"""
_FEW = 8
"""So few tests are done sooner than a second worker has started."""


class Outcome(StrEnum):
    """What became of a fault.  Only the first is good: tests failed, and did not fail without the
    fault.
    """

    KILLED = "killed"
    SURVIVED = "survived"
    TIMED_OUT = "timed out"
    NOT_RUN = "not run"


@dataclass(frozen=True)
class Judged:
    """A mutation and its outcome, with the first test that failed, or what was said in place of a
    name.
    """

    mutation: Mutation
    outcome: Outcome
    seconds: float
    killed_by: str = ""
    said: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            **asdict(self.mutation),
            "outcome": str(self.outcome),
            "seconds": round(self.seconds, 1),
            "killed_by": self.killed_by,
            "said": self.said,
        }


def killers(judged: Iterable[Judged]) -> list[str]:
    """Every test that killed a mutation, each once, with all its cases."""
    found = (each.killed_by for each in judged if each.outcome is Outcome.KILLED)
    return list(dict.fromkeys(test.partition("[")[0] for test in found))


def failing_without(base: Path, tests: Sequence[str], limit: float) -> list[str]:
    """The tests that fail on the copy as it is: they prove nothing.  Empty means that all pass."""
    if not tests:
        return []
    shared = ["-n", str(WORKERS)] if len(tests) > _FEW else []
    code, said = _pytest(base, [*shared, "--tb=no", *tests], limit)
    if code == 0:
        return []
    return _FAILED.findall(said) or [said.strip()[-_SAID:] or "no test was run"]


def judge(copy: ReusedCopy, mutation: Mutation, limit: float = LIMIT) -> Judged:
    """Plant a fault in a copy, and run its tests up to the first that fails."""
    began = monotonic()
    with copy.spoilt(mutation) as root:
        code, said = _pytest(root, ["-x", "--tb=no", *mutation.tests], limit)
    seconds = monotonic() - began
    failed = _FAILED.findall(said)
    if code is None:
        return Judged(mutation, Outcome.TIMED_OUT, seconds)
    if code == 0:
        return Judged(mutation, Outcome.SURVIVED, seconds)
    if code == _SOME_FAILED and failed:
        return Judged(mutation, Outcome.KILLED, seconds, killed_by=failed[0])
    # pytest itself may end with the code of a failed test: only a name says that a test failed
    return Judged(mutation, Outcome.NOT_RUN, seconds, said=said.strip()[-_SAID:])


def judge_all(
    base: Path,
    mutations: Sequence[Mutation],
    *,
    limit: float = LIMIT,
    told: Callable[[Judged], None] = lambda _: None,
) -> list[Judged]:
    """Judge two at a time, each in a copy of its own; the results are in the order of the list."""
    with (
        TemporaryDirectory(prefix="shoal-mutants-", ignore_cleanup_errors=True) as folder,
        ThreadPoolExecutor(WORKERS) as pool,
    ):
        made = count()
        free: SimpleQueue[ReusedCopy] = SimpleQueue()

        def new() -> ReusedCopy:
            return ReusedCopy(base, Path(folder) / str(next(made)))

        def one(mutation: Mutation) -> Judged:
            copy = free.get()
            try:
                judged = judge(copy, mutation, limit)
                if judged.outcome is Outcome.TIMED_OUT:
                    copy = new()  # programs that its tests started may still write to the old one
                return judged
            finally:
                free.put(copy)

        for _ in range(min(WORKERS, len(mutations))):
            free.put(new())
        begun = [pool.submit(one, each) for each in mutations]
        for done in as_completed(begun):
            told(done.result())
        return [each.result() for each in begun]


def _pytest(root: Path, options: Sequence[str], limit: float) -> tuple[int | None, str]:
    """The exit code, None when the time was up, and what was printed."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options]
    running = subprocess.Popen(  # noqa: S603 - our own words
        command,
        cwd=root,
        env=surroundings(root),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        said, _ = running.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        _end(running)
        return None, ""
    return running.returncode, said


def _end(running: subprocess.Popen[str]) -> None:
    """End a run with all that it started."""
    with suppress(ProcessLookupError):
        os.killpg(running.pid, signal.SIGKILL)
    running.communicate()
