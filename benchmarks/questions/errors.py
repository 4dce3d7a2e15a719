"""How far answers are off at equal epsilon and bounds: from the plain truth, and from each
library's own bounded truth.

The bounded truth of a library is what it answers at an epsilon so large that its noise is below
notice; of those that sample it is a mean of several. With private keys it is that of the same
question with known ones.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from benchmarks.measure import Goal, quantity
from benchmarks.questions import processes
from benchmarks.questions.kept import kept
from benchmarks.questions.processes import OURS, PEERS, PLAIN, Contestant
from benchmarks.questions.workloads import EPSILON, NO_NOISE, WORKLOADS, Answers

ROWS = 200_000
SCALAR = 2
"""Questions that answer one number are asked so many times as often."""
LARGEST = 20
"""Where keys are private, errors are those of so many of the largest groups, where they are told.
"""

Truth = dict[str, Answers]
Column = tuple[str, str]
"""Workload, column."""
COLUMNS: list[Column] = [(work.name, c) for work in WORKLOADS.values() for c in work.columns]


@dataclass(frozen=True)
class Off:
    """A mean error and how well it is known."""

    mean: float
    standard_error: float


@dataclass
class Errors:
    """All errors of one contestant."""

    plain: dict[Column, Off] = field(default_factory=dict)
    own: dict[Column, Off] = field(default_factory=dict)
    groups: dict[str, float] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)
    """The questions without answers."""


def measured(*, with_ours: bool) -> dict[str, Errors]:
    truth = {work: _asked(PLAIN, work, 1, EPSILON)[0] for work in WORKLOADS}
    contestants = [peer for peer in PEERS if processes.version(peer) is not None]
    if with_ours:
        contestants.insert(0, OURS)
    return {each.name: _errors(each, truth) for each in contestants}


def _errors(contestant: Contestant, truth: Truth) -> Errors:
    made = Errors()
    own: Truth = {}
    for work, workload in WORKLOADS.items():
        many = contestant.repetitions * (1 if workload.key else SCALAR)
        answers = _asked(contestant, work, many, EPSILON)
        if not answers:
            made.missing.append(work)
            continue
        known = "by city" if workload.selects and contestant.is_peer else work
        if known not in own:
            own[known] = _mean(_asked(contestant, known, contestant.truths, NO_NOISE))
        made.groups[work] = statistics.fmean(len(answer) for answer in answers)
        if workload.selects:
            answers = [_largest(answer, truth[work]) for answer in answers]
        for column in workload.columns:
            made.plain[work, column] = _off(answers, truth[work], column)
            if own[known]:
                made.own[work, column] = _off(answers, own[known], column)
    return made


def _largest(answer: Answers, truth: Answers) -> Answers:
    """Who tells more groups tells smaller ones, of which means are worse; so only large ones are
    compared.
    """
    known = sorted(truth, key=lambda key: -truth[key]["n"])[:LARGEST]
    return {key: answer[key] for key in known if key in answer}


def _asked(contestant: Contestant, work: str, many: int, epsilon: float) -> list[Answers]:
    """Answers of a contestant; none where it cannot."""
    name = f"answers {work} {ROWS} {many} {epsilon:g}"
    found = kept(contestant, name, lambda: processes.answers(contestant, work, ROWS, many, epsilon))
    if "failed" in found:
        print(f"  {contestant.name}, {work}: {found['failed']}", flush=True)
    answers: list[Answers] = found.get("answers", [])
    return answers


def _mean(answers: Sequence[Answers]) -> Answers:
    if not answers:
        return {}
    return {
        key: {c: statistics.fmean(each[key][c] for each in answers if key in each) for c in cells}
        for key, cells in answers[0].items()
    }


def _off(answers: Sequence[Answers], truth: Answers, column: str) -> Off:
    """The mean over groups and repetitions; the standard error is that of the repetitions."""
    each = [
        statistics.fmean(
            abs(cells[column] - truth[key][column]) for key, cells in answer.items() if key in truth
        )
        for answer in answers
        if answer
    ]
    spread = statistics.stdev(each) / math.sqrt(len(each)) if len(each) > 1 else 0.0
    return Off(statistics.fmean(each), spread)


def tables(found: Mapping[str, Errors]) -> list[str]:
    return [
        _table("Mean error against the truth without bounds", found, "plain"),
        _table("Mean error against its own truth with bounds", found, "own"),
        _groups(found) + _missing(found),
    ]


def _table(title: str, found: Mapping[str, Errors], which: str) -> str:
    """One line per released number, for there are more of them than contestants."""
    lines = [f"| {title} | " + " | ".join(found) + " |", "|---|" + "---:|" * len(found)]
    for column in COLUMNS:
        cells = [getattr(errors, which).get(column) for errors in found.values()]
        shown = " | ".join(
            f"{_short(c.mean)} ± {_short(c.standard_error)}" if c else "–" for c in cells
        )
        lines.append(f"| {column[0]}: {column[1]} | {shown} |")
    return "\n".join(lines)


def _groups(found: Mapping[str, Errors]) -> str:
    told = ", ".join(
        f"{name} {errors.groups['by private city']:.0f}"
        for name, errors in found.items()
        if "by private city" in errors.groups
    )
    return f"Private cities told, of 200, on average: {told}. Their errors are those of the {LARGEST} largest, where they are told."


def _missing(found: Mapping[str, Errors]) -> str:
    lines = [
        f" {name} has no answers to: {', '.join(e.missing)}."
        for name, e in found.items()
        if e.missing
    ]
    return "".join(lines)


def _short(number: float) -> str:
    return quantity(number) if number >= 0.01 else f"{number:.1g}"


def goals(found: Mapping[str, Errors]) -> list[Goal]:
    return [
        _goal("the truth without bounds", found, "plain"),
        _goal("its own truth with bounds", found, "own"),
    ]


def _goal(what: str, found: Mapping[str, Errors], which: str) -> Goal:
    """Ours over the best peer's; twice the standard errors of both are allowed for."""
    promise = f"mean error against {what} no larger than the best peer's"
    if OURS.name not in found or len(found) < 2:
        return Goal(promise, 1, None)
    ratios, beyond = {}, []
    for column, ours in getattr(found[OURS.name], which).items():
        theirs = {
            name: getattr(errors, which)[column]
            for name, errors in found.items()
            if name != OURS.name and column in getattr(errors, which)
        }
        if not theirs:
            continue
        name = min(theirs, key=lambda each: theirs[each].mean)
        best: Off = theirs[name]
        slack = 2 * math.hypot(ours.standard_error, best.standard_error)
        label = f"{column[0]}: {column[1]}"
        ratios[label] = max(ours.mean - slack, 0.0) / best.mean if best.mean else math.inf
        if ratios[label] > 1:
            beyond.append(f"{label} {ours.mean / best.mean:.2f}x {name}")
    worst = max(ratios, key=ratios.__getitem__)
    where = f"less two standard errors; {worst}"
    if beyond:
        where += f"; beyond it: {'; '.join(beyond)}"
    return Goal(promise, 1, ratios[worst], where=where, at_most=True)
