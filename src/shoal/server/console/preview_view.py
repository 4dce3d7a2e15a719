"""A preview for people to read: what it costs, and how far each number can be off."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from shoal.exact import shown_up
from shoal.query import Preview
from shoal.query.payment import left_text
from shoal.query.preview import Expected
from shoal.query.shown_answer import level_of
from shoal.server.console.question_form import QuestionForm
from shoal.vault.people.access import Access

ROWS = 10_000
"""Errors that depend on the size of a group are shown for a group of so many rows."""
DECADES = 7
"""The scale of error bars goes from 1 to ten to this power."""


@dataclass(frozen=True)
class ErrorBar:
    """One number of an answer: how far it can be off, in words and as a length on a log scale."""

    name: str
    words: str
    noise: str
    length: float | None

    @classmethod
    def of(cls, expected: Expected) -> ErrorBar:
        """The error bar to expect."""
        error = expected.error
        if error is not None:
            words = f"±{shown_up(error)}"
        elif expected.per_row is not None:
            error = expected.per_row / ROWS
            each = f"about ±{shown_up(error, digits=2)} for {ROWS:,} rows"
            words = f"±{shown_up(expected.per_row)} ÷ rows in the group ({each})"
        elif expected.rank is not None:
            words = f"±{shown_up(expected.rank)} rows in rank"
        else:
            words = "depends on the data"
        return cls(expected.name, words, expected.noise, _length(error))


def _length(error: float | None) -> float | None:
    """Where an error is on a scale from 0 (1 or less) to 1.

    >>> _length(1), _length(10**7), _length(None)
    (0.0, 1.0, None)
    """
    if error is None or not math.isfinite(error):
        return None
    return round(min(1.0, max(0.0, math.log10(max(error, 1e-9)) / DECADES)), 4)


@dataclass(frozen=True)
class PreviewView:
    """What the page says of a preview."""

    price: str
    fits: bool
    level: str
    bars: tuple[ErrorBar, ...]
    notes: tuple[str, ...]
    left: Mapping[str, str]

    @classmethod
    def of(cls, form: QuestionForm, access: Access) -> PreviewView:
        """Preview a question as it was typed; free."""
        asked, terms = form.asked(access)
        found: Preview = asked.preview(**terms)
        told = found.notes
        if found.threshold is not None:
            least = f"{found.threshold:,.0f}"
            told = (
                f"Groups of about {least} or more people are shown; smaller ones are not.",
                *told,
            )
        bars = tuple(map(ErrorBar.of, found.columns))
        left = {name: left_text(each) for name, each in access.left(asked).items()}
        return cls(found.price, found.fits, level_of(found.confidence), bars, told, left)
