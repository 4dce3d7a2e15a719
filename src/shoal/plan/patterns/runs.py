"""Patterns that find runs of one set of characters: what can be taken out of a text or replaced.

Which part of a text a pattern finds depends on the order in which an engine tries, and engines
differ.  For runs there is one order only: from left to right, as long as possible.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from shoal.errors import ExpressionError
from shoal.plan.patterns.letters import Letters, holds
from shoal.plan.patterns.reading import pattern_of
from shoal.plan.patterns.syntax import (
    Boundary,
    Letter,
    Pattern,
    Repetition,
    Series,
    letters_written,
    times_written,
)


@dataclass(frozen=True)
class LetterRun:
    """At least ``least`` characters of a set, as many as there are up to ``most``; only at the
    start of a text if ``at_start``.
    """

    letters: Letters
    least: int = 1
    most: int | None = 1
    at_start: bool = False

    def written(self, *, possessive: bool) -> str:
        """The run for RE2, or for an engine that must be told not to return to earlier places."""
        start = Boundary.START.value if self.at_start else ""
        times = times_written(self.least, self.most) + ("+" if possessive else "")
        return start + letters_written(self.letters) + times

    def found_in(self, text: str) -> Iterator[tuple[int, int]]:
        """Where runs begin and end, from left to right."""
        start = at = 0
        while at <= len(text):
            inside = at < len(text) and holds(self.letters, ord(text[at]))
            full = self.most is not None and at - start == self.most
            if inside and not full:
                at += 1
                continue
            if at - start >= self.least:
                yield start, at
            if self.at_start:
                return
            start = at = at if inside else at + 1


def run_of(text: str) -> LetterRun:
    """The run that a pattern finds; other patterns are refused."""
    pattern = pattern_of(text)
    found = _run(pattern)
    if found is None:
        raise ExpressionError(
            "what a pattern finds is the same in every engine only for one set of characters and its repetitions.",
            remedy="Write a pattern such as '[0-9]+', '^[A-Z]{1,3}' or '[^a-z]'; or use SPLIT_PART, SUBSTRING or REPLACE.",
        )
    return found


def _run(pattern: Pattern, *, at_start: bool = False) -> LetterRun | None:
    match pattern:
        case Series((Boundary.START, rest)) if not at_start:
            return _run(rest, at_start=True)
        case Letter(letters):
            return LetterRun(letters, at_start=at_start)
        case Repetition(Letter(letters), least, most, lazy) if least and not lazy:
            return LetterRun(letters, least, most, at_start)
    return None
