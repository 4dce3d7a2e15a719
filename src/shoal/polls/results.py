"""The results of a poll: everything its counters say, by question and arm."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

from shoal.errors import PollError
from shoal.exact import Number, open_unit
from shoal.local.shuffling import ShuffledReports
from shoal.polls.crosstab import CrossTab, cross_tab
from shoal.polls.estimates import (
    Difference,
    Measured,
    PollEstimate,
    combined,
    differences,
    estimates,
    measured,
)
from shoal.polls.poll import Poll, PollArm
from shoal.polls.poll_question import PollQuestion
from shoal.polls.protocol import DIRECT
from shoal.polls.report_meaning import Suspicion, suspicions
from shoal.polls.sample_size import WhatIf, what_if
from shoal.polls.shuffled import central
from shoal.polls.written_poll import epsilon_text


@dataclass(frozen=True)
class QuestionResult:
    """One question: estimates in each arm, in all arms together that hide the answer, and arms
    compared.
    """

    question: PollQuestion
    arms: Mapping[str, tuple[PollEstimate, ...]]
    together: tuple[PollEstimate, ...]
    differences: tuple[Difference, ...]

    def to_dict(self) -> dict[str, Any]:
        """The result as plain values."""
        return {
            "question": self.question.name,
            "text": self.question.text,
            "kind": self.question.kind,
            "arms": {name: [each.to_dict() for each in found] for name, found in self.arms.items()},
            "together": [each.to_dict() for each in self.together],
            "differences": [each.to_dict() for each in self.differences],
        }


class Results:
    """What the counters of a poll say.  Each interval holds by itself with the stated confidence.

    Edges: while the poll is open every estimate also has ``always``, an interval that holds however
        often one looks.  The standard deviation of a range told by one bit cannot be had from its
        reports.

    >>> poll = Poll("commute", "Have you ever ...?", odds=3)
    >>> results = Results(poll, {"00": 120, "01": 80}, is_open=False)
    >>> print(results["commute"].arms["randomised"][1])
    yes: 0.300 [0.163, 0.443]
    >>> print(Results(poll, {"00": 60, "01": 40}, is_open=False)["commute"].arms["randomised"][1])
    yes: too few answers yet (100 of 119)
    """

    def __init__(
        self, poll: Poll, cells: Mapping[str, int], *, is_open: bool, confidence: Number = "0.95"
    ) -> None:
        self.poll = poll
        self.cells = dict(sorted(cells.items()))
        self.is_open = is_open
        self.confidence = open_unit(confidence, "confidence")
        self._risk = 1 - self.confidence

    @cached_property
    def _told(self) -> list[Counter[tuple[int, ...]]]:
        """For each arm, how often each list of reports came."""
        found: list[Counter[tuple[int, ...]]] = [Counter() for _ in self.poll.arms]
        for text, count in self.cells.items():
            arm, reports = self.poll.read(text)
            found[arm][reports] += count
        return found

    @property
    def people(self) -> int:
        """How many reports were counted."""
        return sum(self.cells.values())

    @property
    def arms(self) -> dict[str, int]:
        """How many of them came from each arm."""
        pairs = zip(self.poll.arms, self._told, strict=True)
        return {arm.name: told.total() for arm, told in pairs}

    # one question

    def __getitem__(self, question: str) -> QuestionResult:
        return self._results[self.poll.question(question).name]

    def __iter__(self) -> Any:
        return iter(self._results.values())

    @cached_property
    def _results(self) -> dict[str, QuestionResult]:
        places = enumerate(self.poll.questions)
        return {question.name: self._result(place, question) for place, question in places}

    def _result(self, place: int, question: PollQuestion) -> QuestionResult:
        found = {
            arm.name: self._measured(number, place) for number, arm in enumerate(self.poll.arms)
        }
        hidden = [found[arm.name] for arm in self.poll.arms if arm.designs[place].way != DIRECT]
        return QuestionResult(
            question,
            {
                name: estimates(each, self._risk, is_open=self.is_open)
                for name, each in found.items()
            },
            combined(hidden, self._risk, is_open=self.is_open),
            tuple(
                each
                for one, two in combinations(found.items(), 2)
                for each in differences(one, two, self._risk, is_open=self.is_open)
            ),
        )

    def _measured(self, arm: int, place: int) -> Measured:
        design = self.poll.arms[arm].designs[place]
        return measured(self.poll.questions[place], design, self.reports(arm, place))

    def reports(self, arm: int, place: int) -> Counter[int]:
        """How often each report to a question came in an arm, both by their places."""
        found: Counter[int] = Counter()
        for reports, count in self._told[arm].items():
            found[reports[place]] += count
        return found

    # more than one question

    def cross_tab(self, first: str, second: str) -> CrossTab:
        """The shares of pairs of answers to two questions, in each arm and together."""
        places = self._place(first), self._place(second)
        if places[0] == places[1]:
            raise PollError("two different questions are needed.", remedy="Name another one.")
        pairs = []
        for arm, told in zip(self.poll.arms, self._told, strict=True):
            counts: Counter[tuple[int, int]] = Counter()
            for reports, count in told.items():
                counts[reports[places[0]], reports[places[1]]] += count
            designs = arm.designs[places[0]], arm.designs[places[1]]
            pairs.append((arm.name, designs, counts))
        questions = self.poll.questions[places[0]], self.poll.questions[places[1]]
        return cross_tab(questions, pairs, self._risk, is_open=self.is_open)

    # one respondent

    def suspicion(
        self, question: str, *, arm: str | None = None, prior: Sequence[Number] | None = None
    ) -> Suspicion:
        """How likely each answer of one respondent is after each report, from a prior or from the
        estimate itself.
        """
        place = self._place(question)
        found = self._arm(arm, place)
        design = self.poll.arms[found].designs[place]
        return suspicions(
            self.poll.questions[place],
            design,
            self.reports(found, place),
            prior,
            self.poll.arms[found].name,
        )

    def shuffled(self, *, delta: Number = "1e-6") -> dict[str, ShuffledReports | None]:
        """What all counters together cost one person, in each arm, towards someone who sees nothing
        else; None where a report has no bound.
        """
        pairs = zip(self.poll.arms, self._told, strict=True)
        return {arm.name: central(arm, told, delta) for arm, told in pairs}

    def what_if(
        self,
        epsilons: Iterable[Number],
        *,
        question: str | None = None,
        margin: Number | None = None,
    ) -> tuple[WhatIf, ...]:
        """How wide the interval would be with as many people at another epsilon, and how many a
        margin would need.

        The margin is that of the normal interval; if left out, the one of the present design.
        """
        place = self._place(question or self.poll.questions[0].name)
        arm = self._arm(None, place)
        found = self._measured(arm, place)
        return what_if(
            self.poll.questions[place],
            self.poll.arms[arm].designs[place],
            found,
            epsilons,
            margin=margin,
            risk=self._risk,
        )

    def _place(self, question: str) -> int:
        return self.poll.questions.index(self.poll.question(question))

    def _arm(self, name: str | None, question: int) -> int:
        """The place of an arm; if none is named, of the first that hides the answer to a
        question.
        """
        names = [arm.name for arm in self.poll.arms]
        if name is not None and name not in names:
            raise PollError(
                f"there is no arm {str(name)[:40]!r}.", remedy=f"The arms are: {', '.join(names)}."
            )
        if name is not None:
            return names.index(name)
        ways = [arm.designs[question].way for arm in self.poll.arms]
        return next((place for place, way in enumerate(ways) if way != DIRECT), 0)

    # in writing

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values; exact numbers are texts."""
        costs = self.shuffled()
        return {
            "name": self.poll.name,
            "mark": self.poll.mark,
            "open": self.is_open,
            "people": self.people,
            "confidence": str(self.confidence),
            "arms": [self._arm_dict(arm, costs[arm.name]) for arm in self.poll.arms],
            "questions": [each.to_dict() for each in self],
        }

    def _arm_dict(self, arm: PollArm, found: ShuffledReports | None) -> dict[str, Any]:
        return {
            "name": arm.name,
            "people": self.arms[arm.name],
            "epsilon": epsilon_text(arm.epsilon),
            "hidden_epsilon": epsilon_text(arm.hidden_epsilon),
            "shuffled": None
            if found is None
            else {
                "epsilon": epsilon_text(found.central),
                "delta": str(found.delta),
                "people": found.people,
            },
        }

    def to_json(self) -> str:
        """The same as text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=1)

    def to_csv(self) -> str:
        """One line for each estimate."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(
            [
                "question",
                "arm",
                "answer",
                "people",
                "estimate",
                "error",
                "low",
                "high",
                "always_low",
                "always_high",
                "method",
                "least",
            ]
        )
        for result in self:
            every = {**result.arms, "together": result.together}
            for arm, found in every.items():
                for each in found:
                    value = None if each.value is None else float(each.value)
                    row = [result.question.name, arm, each.answer, each.people, value, each.error]
                    always = each.always or (None, None)
                    rest = [*each.interval, *always, each.method, each.least]
                    writer.writerow([*map(unarmed, row), *rest])
        return text.getvalue()

    def __str__(self) -> str:
        state = "open" if self.is_open else "closed"
        lines = [
            f"{self.poll.name}: {self.people} reports, {state}, at {float(self.confidence):.4g} confidence"
        ]
        for result in self:
            lines.append(result.question.text)
            for arm, found in result.arms.items():
                lines += [f"  {arm}: {each}" for each in found]
            lines += [f"  together: {each} ({each.method})" for each in result.together]
        return "\n".join(lines)


def unarmed(value: object) -> object:
    """A text that no spreadsheet takes for a formula."""
    if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r"):
        return f"'{value}"
    return value
