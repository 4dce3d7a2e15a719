"""An answer as JSON and back.  What was drawn is kept exactly; what follows from it is there to be read.

``columns``, ``rows`` and ``intervals`` are for readers.  ``groups`` and ``released`` are what was drawn: a question
that differs only in what comes after the draws is answered from them.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

from shoal.errors import InternalError
from shoal.plan import Kind, Term, Type, Value
from shoal.query.answer import CONFIDENCE, Answer
from shoal.query.keys import Group
from shoal.query.places import Place
from shoal.query.pricing import Priced

Json = None | bool | int | float | str


def stored(answer: Answer) -> dict[str, Any]:
    """Everything an answer is, as plain JSON values."""
    drawn = _drawn(answer.priced)
    return {
        "columns": list(answer.columns),
        "types": [str(kind) for kind in answer.types],
        "rows": [[plain(value) for value in row] for row in answer.rows],
        "confidence": str(answer.confidence),
        "intervals": intervals_of(answer),
        "groups": [[plain(value) for value in group] for group in answer.groups],
        "released": [[str(noisy[what]) for what in drawn] for noisy in answer.noisy],
        "certificate": dict(answer.certificate),
    }


def restored(made: Priced, kept: Mapping[str, Any], confidence: Fraction = CONFIDENCE) -> Answer:
    """The answer that `stored` wrote, for the question as it is asked now."""
    drawn, kinds = _drawn(made), [key.expression.type for key in made.question.keys]
    released = [dict(zip(drawn, map(Fraction, row), strict=False)) for row in kept["released"]]
    if any(len(row) != len(drawn) for row in kept["released"]):
        raise InternalError(
            "the answer that was kept is not one to this question.",
            remedy="Ask it with another key, and report this.",
        )
    groups: list[Group] = [
        tuple(_value(value, kind) for value, kind in zip(group, kinds, strict=True))
        for group in kept["groups"]
    ]
    return Answer(made, groups, released, kept["certificate"], confidence)


def intervals_of(answer: Answer) -> dict[str, list[list[float | None]]]:
    """The interval of every number that has one, by column; an end without a number is None."""
    return {
        name: [[_finite(each.lo), _finite(each.hi)] for each in answer.interval(name)]
        for name in answer.columns
        if answer.has_interval(name)
    }


def _finite(end: float) -> float | None:
    return end if math.isfinite(end) else None


def plain(value: object) -> Json:
    """A cell as JSON has it: decimals, dates and timestamps as text."""
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, dt.date):
        return value.isoformat()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return str(value)


def _drawn(made: Priced) -> list[Term | Place]:
    return [*made.noised.bounded.terms, *(placed.place for placed in made.places)]


def _value(value: Any, kind: Type) -> Value:
    if value is None:
        return None
    if kind.kind is Kind.TIMESTAMP:
        return dt.datetime.fromisoformat(value)
    if kind.kind is Kind.DATE:
        return dt.date.fromisoformat(value)
    found: Value = value
    return found
