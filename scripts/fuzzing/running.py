"""Cases one after another, until time or their number is up; those that fail are made small and
kept.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from scripts.fuzzing.case import Case, Finding
from scripts.fuzzing.every import KINDS, Kind, case_of

MOST_KEPT = 3
"""So many findings of one kind and rule are made small and shown; others are counted."""
PATIENCE = 20.0
"""So many seconds a case may be made smaller for."""


@dataclass(frozen=True)
class Found:
    """A case that fails, as small as it was made."""

    seed: int
    kind: str
    finding: Finding
    written: str


@dataclass
class Tally:
    """What came of the cases of a kind."""

    cases: int = 0
    seconds: float = 0.0
    outcomes: Counter[str] = field(default_factory=Counter)
    rules: Counter[str] = field(default_factory=Counter)
    findings: int = 0
    """In how many cases something was found."""


@dataclass
class Run:
    """Everything that came of a run."""

    tallies: dict[str, Tally] = field(default_factory=lambda: {name: Tally() for name in KINDS})
    found: list[Found] = field(default_factory=list)
    first: dict[tuple[str, str], int] = field(default_factory=dict)
    """After how many cases of its kind a rule was first broken."""

    @property
    def cases(self) -> int:
        return sum(tally.cases for tally in self.tallies.values())

    @property
    def findings(self) -> int:
        return sum(tally.findings for tally in self.tallies.values())

    def add(self, other: Run) -> None:
        """What another process found, of other cases."""
        for name, theirs in other.tallies.items():
            mine = self.tallies[name]
            mine.cases += theirs.cases
            mine.seconds += theirs.seconds
            mine.findings += theirs.findings
            mine.outcomes += theirs.outcomes
            mine.rules += theirs.rules
        self.found += other.found


def run(
    seeds: Iterable[int],
    *,
    until: float | None = None,
    told: Callable[[Run], None] | None = None,
    shrink: bool = True,
    to_first: bool = False,
) -> Run:
    """Check the cases of these seeds until a moment of `time.monotonic`, or to the first that
    fails.

    ``told`` hears now and then how far it has come.
    """
    done, heard = Run(), 0.0
    for seed in seeds:
        kind, number = case_of(seed)
        _one(done, kind, number, seed, shrink=shrink)
        now = time.monotonic()
        if told is not None and now - heard >= 1:
            told(done)
            heard = now
        if (until is not None and now >= until) or (to_first and done.findings):
            break
    return done


def _one(done: Run, kind: Kind, number: int, seed: int, *, shrink: bool) -> None:
    tally = done.tallies[kind.name]
    start = time.process_time()
    case = kind.make(number)
    seen = case.check()
    tally.cases += 1
    tally.seconds += time.process_time() - start
    tally.outcomes[seen.outcome] += 1
    tally.findings += bool(seen.findings)
    for finding in {each.rule: each for each in seen.findings}.values():
        done.first.setdefault((kind.name, finding.rule), tally.cases)
        tally.rules[finding.rule] += 1
        if tally.rules[finding.rule] <= MOST_KEPT and finding is seen.findings[0]:
            small = smallest(case, finding) if shrink else case
            done.found.append(Found(seed, kind.name, _again(small, finding), small.written()))


def smallest(case: Case, finding: Finding) -> Case:
    """The case with all left out that can be while the same rule is broken."""
    ends = time.monotonic() + PATIENCE
    while time.monotonic() < ends:
        for less in case.smaller():
            if any(each.rule == finding.rule for each in less.check().findings):
                case = less
                break
            if time.monotonic() > ends:
                return case
        else:
            return case
    return case


def _again(case: Case, finding: Finding) -> Finding:
    return next((each for each in case.check().findings if each.rule == finding.rule), finding)


def progress(done: Run) -> None:
    """One line that says how far a run has come, in place of the last one."""
    line = f"fuzz: {done.cases:,} cases, {done.findings:,} findings"
    print(f"\r{line:<60}", end="", file=sys.stderr, flush=True)
