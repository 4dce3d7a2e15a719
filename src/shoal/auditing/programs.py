"""Outputs of a program: run as often as needed on each of two datasets; what it prints is what it answers."""

from __future__ import annotations

import json
import shlex
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from shoal.auditing.outputs import Outputs, read_outputs
from shoal.errors import RangeError, SourceError

PLACE, NUMBER = "{d}", "{n}"
_SHOWN = 1200
"""So many characters of what a failing program said are shown, the last ones."""


@dataclass(frozen=True)
class Run:
    """What one run gave: outputs, and why it failed if it did."""

    outputs: list[Any]
    failure: str | None = None


@dataclass
class Program:
    """A command whose word ``{d}`` stands for the dataset, and ``{n}``, if it is there, for the outputs wanted of one run.

    Each line that it prints is one output: a number, JSON, or text.  It is started without a shell.  A run that fails or takes too
    long gives no answer; whether there is an answer may be what tells two datasets apart.
    """

    command: str
    per_run: int = 1
    seconds: float = 60.0
    jobs: int = 2
    failures: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        try:
            words = shlex.split(self.command)
        except ValueError:
            raise RangeError("the command has a quotation mark without its fellow.", remedy='Write it as "python their_mech.py {d}".') from None  # fmt: skip
        if not any(PLACE in word for word in words):
            raise RangeError(
                f"the command does not say where the dataset goes: {self.command[:80]!r}.",
                remedy='Put {d} where the program expects it: "python their_mech.py {d}".',
            )
        if self.per_run < 1 or self.jobs < 1 or self.seconds <= 0:
            raise RangeError("outputs of a run, jobs and seconds must be above 0.", remedy="Leave them out, or give larger ones.")  # fmt: skip

    def words(self, data: str, wanted: int) -> list[str]:
        """The command with its words filled in."""
        return [word.replace(PLACE, data).replace(NUMBER, str(wanted)) for word in shlex.split(self.command)]  # fmt: skip

    def run(self, data: str, wanted: int) -> Run:
        """Run it once."""
        try:
            done = subprocess.run(  # noqa: S603 - to run the caller's program is what was asked for
                self.words(data, wanted), capture_output=True, text=True, timeout=self.seconds, check=False, errors="replace"
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return Run([None] * wanted, f"it took longer than {self.seconds:g} seconds")
        except OSError as error:
            raise SourceError(
                f"the program cannot be started: {error.strerror or type(error).__name__}.",
                remedy="Check its name, and that it can be run from here.",
            ) from None
        told = [read_line(line) for line in done.stdout.splitlines() if line.strip()]
        if done.returncode:
            said = done.stderr.strip()[-_SHOWN:] or "nothing on its standard error"
            short = [None] * max(0, wanted - len(told))
            return Run([*told[:wanted], *short], f"it ended with code {done.returncode} and said: {said}")  # fmt: skip
        if wanted == 1 and not told:
            return Run([None])
        if len(told) != wanted:
            raise RangeError(
                f"a run should print {wanted} outputs, one a line; it printed {len(told)}.",
                remedy="Say with --per-run how many lines it prints; {n} in the command is that number.",
            )
        return Run(told)

    def sample(
        self, data: str, samples: int, *, progress: Callable[[int, int], None] | None = None
    ) -> Outputs:
        """So many outputs on one dataset, a few runs at a time."""
        found: list[Any] = []
        with ThreadPoolExecutor(max_workers=self.jobs) as pool:
            for run in pool.map(lambda wanted: self.run(data, wanted), list(self._wanted(samples))):
                found += run.outputs
                if run.failure is not None and len(self.failures) < 5:
                    self.failures.append(run.failure)
                if progress is not None:
                    progress(min(len(found), samples), samples)
        return read_outputs(found[:samples])

    def _wanted(self, samples: int) -> Iterator[int]:
        for _ in range(-(-samples // self.per_run)):
            yield self.per_run

    def check(self, first: str, second: str) -> None:
        """Run it once on each dataset; a program that fails on both is told from one that leaks by failing."""
        runs = [self.run(data, self.per_run) for data in (first, second)]
        if all(run.failure for run in runs):
            raise SourceError(
                f"the program failed on both datasets: {runs[0].failure}",
                remedy="Run it by hand on each dataset until it prints one output a line.",
            )


def read_line(line: str) -> Any:
    """One printed output: JSON if it is, else text.

    >>> read_line("3.5"), read_line('{"n": 2}'), read_line("yes")
    (3.5, {'n': 2}, 'yes')
    """
    text = line.strip()
    try:
        return json.loads(text)
    except ValueError:
        return text
