"""Outputs of a program: run as often as needed on each of two datasets; what it prints is what it
answers.
"""

from __future__ import annotations

import json
import math
import os
import shlex
import signal
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from shoal.auditing.output_samples import turns
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
    """A command whose word ``{d}`` stands for the dataset, and ``{n}``, if it is there, for the
    outputs wanted of one run.

    Each line that it prints is one output: a number, JSON, or text.  It is started without a shell.
    A run that fails or takes too long gives no answer; whether there is an answer may be what tells
    two datasets apart.  Where a run prints many outputs a failed one is refused.
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
            raise RangeError(
                "the command has a quotation mark without its fellow.",
                remedy='Write it as "python their_mech.py {d}".',
            ) from None
        if not any(PLACE in word for word in words):
            raise RangeError(
                f"the command does not say where the dataset goes: {self.command[:80]!r}.",
                remedy='Put {d} where the program expects it: "python their_mech.py {d}".',
            )
        if self.per_run < 1 or self.jobs < 1 or self.seconds <= 0:
            raise RangeError(
                "outputs of a run, jobs and seconds must be above 0.",
                remedy="Leave them out, or give larger ones.",
            )

    def words(self, data: str, wanted: int) -> list[str]:
        """The command with its words filled in."""
        return [
            word.replace(PLACE, data).replace(NUMBER, str(wanted))
            for word in shlex.split(self.command)
        ]

    def run(self, data: str, wanted: int) -> Run:
        """Run it once."""
        words = self.words(data, wanted)
        try:
            told_all, said_all, code = _ended(words, self.seconds)
        except subprocess.TimeoutExpired:
            return Run([None] * wanted, f"it took longer than {self.seconds:g} seconds")
        except OSError as error:
            raise SourceError(
                f"the program cannot be started: {error.strerror or type(error).__name__}.",
                remedy="Check its name, and that it can be run from here.",
            ) from None
        told = [read_line(line) for line in told_all.splitlines() if line.strip()]
        if code:
            said = said_all.strip()[-_SHOWN:] or "nothing on its standard error"
            short = [None] * max(0, wanted - len(told))
            return Run([*told[:wanted], *short], f"it ended with code {code} and said: {said}")
        if wanted == 1 and not told:
            return Run([None])
        if len(told) != wanted:
            raise RangeError(
                f"a run should print {wanted} outputs, one a line; it printed {len(told)}.",
                remedy="Say with --per-run how many lines it prints; {n} in the command is that number.",
            )
        return Run(told)

    def sample(
        self,
        first: str,
        second: str,
        samples: int,
        *,
        progress: Callable[[int, int], None] | None = None,
    ) -> tuple[Outputs, Outputs]:
        """So many outputs on each dataset, a few runs at a time; the datasets take turns, and coins
        say which is first.
        """
        sides = list(turns(-(-samples // self.per_run)))
        found: tuple[list[Any], list[Any]] = ([], [])
        with ThreadPoolExecutor(max_workers=self.jobs) as pool:
            runs = pool.map(lambda side: self.run((first, second)[side], self.per_run), sides)
            for side, run in zip(sides, runs, strict=True):
                found[side].extend(run.outputs)
                self._note(run)
                if progress is not None:
                    progress(sum(min(len(each), samples) for each in found), 2 * samples)
        return read_outputs(found[0][:samples]), read_outputs(found[1][:samples])

    def _note(self, run: Run) -> None:
        """Keep why a run failed; where a run prints many outputs, refuse it: these would all be
        missing together, and outputs must be independent.
        """
        if run.failure is None:
            return
        if self.per_run > 1:
            raise SourceError(
                f"a run that should print {self.per_run} outputs gave none, or not all: {run.failure}",
                remedy="Ask for one output a run (--per-run 1): then a run that fails is one output, and it counts.",
            )
        if len(self.failures) < 5:
            self.failures.append(run.failure)

    def check(self, first: str, second: str) -> None:
        """Run it once on each dataset; a program that fails on both is told from one that leaks by
        failing.
        """
        runs = [self.run(data, self.per_run) for data in (first, second)]
        if all(run.failure for run in runs):
            raise SourceError(
                f"the program failed on both datasets: {runs[0].failure}",
                remedy="Run it by hand on each dataset until it prints one output a line.",
            )
        if self.per_run > 1:
            for run in runs:
                self._note(run)


def _ended(words: list[str], seconds: float) -> tuple[str, str, int]:
    """What a program printed, what it said on its standard error, and its code.

    It reads nothing, and it is a group of its own, so that a run which takes too long ends with all
    that it started.
    """
    with subprocess.Popen(  # noqa: S603 - to run the caller's program is what was asked for
        words,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    ) as process:
        try:
            told, said = process.communicate(timeout=seconds)
        except BaseException:
            _kill(process)
            raise
        return told, said, process.returncode


def _kill(process: subprocess.Popen[str]) -> None:
    """End a program and its children."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (AttributeError, ProcessLookupError, PermissionError):  # no groups here, or it has ended
        process.kill()


def read_line(line: str) -> Any:
    """One printed output: JSON if it is, else text; infinities are numbers as Python and JSON write
    them, and what is not a number is a text.

    >>> read_line("3.5"), read_line('{"n": 2}'), read_line("yes"), read_line("-inf"), read_line("NaN")
    (3.5, {'n': 2}, 'yes', -inf, 'nan')
    """
    text = line.strip()
    if text.lower() in _CONSTANTS:
        return _constant(text)
    try:
        return json.loads(text, parse_constant=_constant)
    except (ValueError, RecursionError):
        return text


_CONSTANTS = {
    "inf": math.inf,
    "+inf": math.inf,
    "-inf": -math.inf,
    "infinity": math.inf,
    "-infinity": -math.inf,
    "nan": "nan",
    "-nan": "nan",
}


def _constant(text: str) -> Any:
    return _CONSTANTS[text.lower()]
