"""Results made ready for the page of a poll: the numbers are those of `shoal.polls`, only their
shape is made here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import groupby
from typing import Any

from shoal.exact import short_up, shown_up
from shoal.local import Subsets
from shoal.polls import PollQuestion, PublishedPoll, Results
from shoal.polls.estimates import Difference, PollEstimate
from shoal.polls.protocol import DEVICE, DIRECT, readable_odds
from shoal.polls.report_meaning import Suspicion
from shoal.polls.results import QuestionResult
from shoal.server.respondent_text import promise, sentence, suspicion, suspicion_in_words

EPSILONS = (
    "0.1",
    "0.2",
    "0.3",
    "0.4",
    "0.5",
    "0.6",
    "0.7",
    "0.8",
    "0.9",
    "1",
    "1.1",
    "1.25",
    "1.5",
    "1.75",
    "2",
    "2.5",
    "3",
    "3.5",
    "4",
    "5",
    "6",
)
DELTA = "1e-6"
_WIDEST = 8
"""So many answers stand side by side in a table."""


def results(handle: PublishedPoll, confidence: str) -> dict[str, Any]:
    """Everything that the page refreshes; computed again only when a counter has changed."""
    found = handle.results(confidence)
    told = _whole(_Kept(found))
    invited = handle.invited if handle.poll.once == "invitation" else None
    return {**told, "invited": invited}


class _Kept:
    """Results that are equal when their poll, counters, state and confidence are."""

    def __init__(self, found: Results) -> None:
        self.found = found
        self._key = (found.poll.mark, tuple(found.cells.items()), found.is_open, found.confidence)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Kept) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)


@lru_cache(maxsize=16)
def _whole(kept: _Kept) -> dict[str, Any]:
    found = kept.found
    return {
        "open": found.is_open,
        "reports": found.people,
        "confidence": float(found.confidence),
        "promised": _promised(found),
        "central": _central(found),
        "questions": [_question(found, each) for each in found],
    }


def _promised(found: Results) -> dict[str, str]:
    """The odds in words, and behind them epsilon and what it means for one person."""
    few, _, epsilon = promise(found.poll).partition(" · ")
    arms = [arm for arm in found.poll.arms if len(arm.direct) < len(arm.designs)]
    known = [arm.hidden_ratio for arm in arms if arm.hidden_ratio is not None]
    told = [epsilon] if epsilon else []
    told += [suspicion_in_words(max(known))] if known and len(known) == len(arms) else []
    told += (
        ["what is asked directly is not hidden"] if any(a.direct for a in found.poll.arms) else []
    )
    words = sentence("; ".join(told)).replace(" %", "\N{NO-BREAK SPACE}%") if told else ""
    return {"value": sentence(few).removesuffix("."), "words": words}


def _central(found: Results) -> list[dict[str, str]]:
    """What the counts alone tell about one person, in the arms where that is clearly less than what
    one report tells; elsewhere the number says nothing new.
    """
    several = len(found.poll.arms) > 1
    return [
        {
            "title": "Epsilon of the counts alone" + (f", {name}" if several else ""),
            "value": short_up(each.central, digits=2),
            "words": "This is what the counts tell about one person to someone who sees this page "
            f"and no single report: a person is hidden among at least {each.people:,} (delta {DELTA}).",
        }
        for name, each in found.shuffled(delta=DELTA).items()
        if each is not None and 2 * each.central <= each.local
    ]


def _question(found: Results, result: QuestionResult) -> dict[str, Any]:
    question, scale = result.question, result.question.scale
    place = found.poll.questions.index(question)
    ways = {arm.name: arm.designs[place].way for arm in found.poll.arms}
    hidden = any(way != DIRECT for way in ways.values())
    bounds = (0, 1) if scale is None else (float(scale.low), float(scale.high))
    shown = [_estimate(name, ways[name], rows) for name, rows in result.arms.items()]
    if result.together:
        shown.append(_estimate("together", "together", result.together))
    return {
        "name": question.name,
        "text": question.text,
        "kind": question.kind,
        "unit": "" if scale is None else scale.unit,
        "bounds": bounds,
        "hidden": hidden,
        "notes": _notes(question, result, ways),
        "estimates": [each for each in shown if each["rows"]],
        "differences": _differences(question, result.differences) if hidden else [],
    }


def _notes(question: PollQuestion, result: QuestionResult, ways: Mapping[str, str]) -> list[str]:
    made = []
    if question.scale is not None and DEVICE in ways.values():
        made.append(
            "Each report is one bit: it tells the mean of the numbers, and nothing of their spread."
        )
    if result.together:
        made.append(
            "“together” joins the ways that hide the answer, weighted by how many reported and how much each report tells; its interval is Hoeffding's, which covers at least as often as it says."
        )
    return made


def _estimate(title: str, way: str, rows: Sequence[PollEstimate]) -> dict[str, Any]:
    shown = [
        {
            "answer": each.answer,
            "value": float(each.value),
            "exact": each.interval,
            "always": each.always,
            "enough": each.enough,
        }
        for each in rows
        if each.value is not None
    ]
    least, people = (max(each.least for each in rows), rows[0].people) if rows else (0, 0)
    return {"title": title, "way": way, "rows": shown, "people": people, "least": least}


def _differences(question: PollQuestion, found: Sequence[Difference]) -> list[dict[str, Any]]:
    """Arms in pairs; of two answers only the second, since the first is its mirror image."""
    made = []
    for (one, two), rows in groupby(found, key=lambda each: each.arms):
        listed = list(rows)
        kept = listed[1:] if len(question.answers) == 2 and len(listed) == 2 else listed
        shown = [
            {
                "answer": each.answer,
                "value": float(each.value),
                "exact": each.interval,
                "always": each.always,
                "enough": each.enough,
            }
            for each in kept
        ]
        made.append({"title": f"{one} less {two}", "rows": shown})
    return made


def posterior(handle: PublishedPoll, name: str, *, even: bool) -> dict[str, Any]:
    """For each way that hides the answer, what a report tells about whoever sent it."""
    found = handle.results()
    question = found.poll.question(name)
    place, size = found.poll.questions.index(question), len(question.answers)
    few = not all(each.enough for rows in found[name].arms.values() for each in rows)
    prior = [Fraction(1, size)] * size if even or few else None
    tables = [
        _suspicion(found.suspicion(name, arm=arm.name, prior=prior), arm.designs[place].law)
        for arm in found.poll.arms
        if arm.designs[place].way != DIRECT
    ]
    if question.scale is not None:
        note = "Before a report all numbers are taken to be equally likely."
    else:
        early = "There are too few answers yet: all answers are taken to be equally likely."
        note = early if few and not even else ""
    return {"tables": tables, "note": note}


def _suspicion(found: Suspicion, law: object) -> dict[str, Any]:
    if isinstance(law, Subsets):
        pairs = zip(found.rows[::2], found.rows[1::2], strict=True)
        rows = [
            {"label": answer, "chances": [float(before), float(held[place]), float(free[place])]}
            for place, (answer, before, ((_, held), (_, free))) in enumerate(
                zip(found.answers, found.prior, pairs, strict=True)
            )
        ]
        return {
            "title": found.arm,
            "head": ["answer", "before", "if the set has it", "if not"],
            "rows": rows,
        }
    places = list(range(len(found.answers)))
    if len(places) > _WIDEST:
        places = [0, len(places) - 1]
    rows = [{"label": "before", "chances": [float(found.prior[place]) for place in places]}]
    rows += [
        {"label": f"sends “{report}”", "chances": [float(chances[place]) for place in places]}
        for report, chances in found.rows
    ]
    return {
        "title": found.arm,
        "head": ["", *(found.answers[place] for place in places)],
        "rows": rows,
    }


def what_if(handle: PublishedPoll, name: str, confidence: str) -> dict[str, Any]:
    """The margin and the people at other epsilons, for a question that a device randomises."""
    found = handle.results(confidence)
    question = found.poll.question(name)
    place = found.poll.questions.index(question)
    arms = found.poll.arms
    present = next((arm for arm in arms if arm.designs[place].way != DIRECT), arms[0])
    now = float(present.designs[place].law.epsilon)
    rows = [
        {
            "epsilon": asked,
            "margin": _margin(each.margin, question) if found.people else None,
            "people": each.people if found.people else None,
            "suspicion": float(suspicion(readable_odds(asked))),
        }
        for asked, each in zip(EPSILONS, found.what_if(EPSILONS, question=name), strict=True)
    ]
    nearest = min(range(len(EPSILONS)), key=lambda place: abs(float(EPSILONS[place]) - min(now, 9)))
    told = "the mean" if question.scale is not None else f"“{question.answers[-1]}”"
    words = f"Epsilons are for this question alone. The margin is that of {told}; as many people and the present margin are those of “{present.name}”."
    return {"rows": rows, "present": nearest, "words": words}


def _margin(margin: float, question: PollQuestion) -> str:
    if question.scale is None:
        return f"{shown_up(100 * margin, digits=3)} %"
    return f"{shown_up(margin, digits=3)} {question.scale.unit}".strip()


def crosstab(handle: PublishedPoll, one: str, two: str, confidence: str) -> dict[str, Any]:
    """Two questions together: in each way of asking, and in all that hide an answer."""
    found = handle.results(confidence).cross_tab(one, two)
    every = {**found.arms, **({"together": found.together} if found.together else {})}
    answers = found.questions[0].answers
    tables = [
        {
            "title": name,
            "columns": found.questions[1].answers,
            "rows": [
                {"answer": answer, "cells": [_cell(each) for each in row]}
                for answer, row in zip(answers, rows, strict=True)
            ],
        }
        for name, rows in every.items()
        if rows and rows[0][0].people
    ]
    note = "Shares of all who were asked so, each with its interval"
    note += ": the always-valid one, while the poll is open" if handle.is_open else ""
    note += ". Cells need many more people than single questions."
    return {"tables": tables, "note": note}


def _cell(each: PollEstimate) -> dict[str, Any]:
    return {
        "value": float(each.value or 0),
        "interval": each.always or each.interval,
        "enough": each.enough,
    }
