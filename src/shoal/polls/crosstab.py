"""Pairs of answers to two questions, from pairs of randomised reports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from shoal.errors import PollError
from shoal.local import Subsets
from shoal.local.intervals import Groups
from shoal.local.subsets import set_of
from shoal.polls.estimates import Measured, PollEstimate, combined, estimates
from shoal.polls.poll_question import PollQuestion
from shoal.polls.protocol import DIRECT, AskedQuestion, Law

MOST_PAIRS = 2500
Pair = tuple[int, int]


@dataclass(frozen=True)
class CrossTab:
    """Shares of pairs of answers: by arm, and together where several arms hide them.  Rows are the
    first question's answers.

    An arm that asks directly what another arm hides is left out of ``together``: it measures what
    people say openly.
    """

    questions: tuple[PollQuestion, PollQuestion]
    arms: Mapping[str, tuple[tuple[PollEstimate, ...], ...]]
    together: tuple[tuple[PollEstimate, ...], ...]

    def to_dict(self) -> dict[str, Any]:
        """The table as plain values."""
        return {
            "questions": [question.name for question in self.questions],
            "rows": list(self.questions[0].answers),
            "columns": list(self.questions[1].answers),
            "arms": {name: _rows(rows) for name, rows in self.arms.items()},
            "together": _rows(self.together),
        }


def _rows(rows: tuple[tuple[PollEstimate, ...], ...]) -> list[list[dict[str, Any]]]:
    return [[cell.to_dict() for cell in row] for row in rows]


def cross_tab(
    questions: tuple[PollQuestion, PollQuestion],
    arms: Sequence[tuple[str, tuple[AskedQuestion, AskedQuestion], Counter[Pair]]],
    risk: Fraction,
    *,
    is_open: bool,
) -> CrossTab:
    """The table of two questions; each pair of reports counts the product of what each counts
    alone.
    """
    for question in questions:
        if question.scale is not None:
            raise PollError(
                f"{question.name!r} is a range, told by its mean; it has no shares to be crossed.",
                remedy="Ask it with bins, which make it a choice.",
            )
    size = len(questions[0].answers) * len(questions[1].answers)
    if size > MOST_PAIRS:
        raise PollError(
            f"the table would have {size} cells; {MOST_PAIRS} can be had.",
            remedy="Cross questions with fewer answers.",
        )
    found = {name: _measured(questions, designs, counts) for name, designs, counts in arms}
    masked = {place for _, designs, _ in arms for place in (0, 1) if designs[place].way != DIRECT}
    hidden = [
        found[name]
        for name, designs, _ in arms
        if masked and all(designs[place].way != DIRECT for place in masked)
    ]
    wide = len(questions[1].answers)
    return CrossTab(
        questions,
        {name: _cut(estimates(each, risk, is_open=is_open), wide) for name, each in found.items()},
        _cut(combined(hidden, risk, is_open=is_open), wide),
    )


def _cut(cells: tuple[PollEstimate, ...], wide: int) -> tuple[tuple[PollEstimate, ...], ...]:
    return tuple(cells[start : start + wide] for start in range(0, len(cells), wide))


def _measured(
    questions: tuple[PollQuestion, PollQuestion],
    designs: tuple[AskedQuestion, AskedQuestion],
    counts: Counter[Pair],
) -> Measured:
    one, two = questions
    names = tuple(f"{a} & {b}" for a in one.answers for b in two.answers)
    sides = [
        _worths(design.law, {pair[place] for pair in counts})
        for place, design in enumerate(designs)
    ]
    possible = [_possible(design.law) for design in designs]
    groups = tuple(
        _groups(counts, sides, (a, b), (possible[0](a), possible[1](b)))
        for a in range(len(one.answers))
        for b in range(len(two.answers))
    )
    return Measured(names, groups, (Fraction(0), Fraction(1)))


def _groups(
    counts: Counter[Pair], sides: Sequence[Any], answers: Pair, possible: tuple[Any, Any]
) -> Groups:
    """How many pairs count so much for a pair of answers, with every product that could come."""
    tally = {a * b: 0 for a in possible[0] for b in possible[1]}
    first, second = sides
    for (y, z), count in counts.items():
        tally[first[y][answers[0]] * second[z][answers[1]]] += count
    return tuple(sorted(tally.items()))


def _worths(law: Law, reports: set[int]) -> dict[int, Sequence[Fraction]]:
    """By what each report counts for each answer."""
    if isinstance(law, Subsets):
        less, more = law.worths
        made: dict[int, Sequence[Fraction]] = {}
        for report in reports:
            held = set(set_of(report, law.size))
            made[report] = [more if place in held else less for place in range(len(law.answers))]
        return made
    places = range(len(law.answers))
    return {report: [law.worth(report, place) for place in places] for report in reports}


def _possible(law: Law) -> Any:
    """For each answer, the set of what a report can count for it."""
    if isinstance(law, Subsets):
        return lambda _: set(law.worths)
    return lambda place: {law.worth(report, place) for report in range(law.kinds)}
