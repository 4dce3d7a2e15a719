"""Reads the text of a pattern, or says at which character it leaves the language."""

from __future__ import annotations

from functools import lru_cache

from shoal.errors import ExpressionError
from shoal.plan.patterns.classes import bracketed, escaped
from shoal.plan.patterns.letters import EVERY, NO_NEWLINE, Letters, in_both_cases, of_characters
from shoal.plan.patterns.pattern_source import PatternSource
from shoal.plan.patterns.syntax import (
    Alternatives,
    Boundary,
    Letter,
    Pattern,
    Repetition,
    Series,
    size_of,
)
from shoal.plan.sizes import LONGEST_PATTERN

LARGEST_PATTERN = 1_000
"""A pattern has at most so many ranges of characters, once its repetitions are written out."""

MOST_TIMES = 1_000
DEEPEST_GROUPS = 50
_SIGNS = {"*": (0, None), "+": (1, None), "?": (0, 1)}
_PLACES = {"^": Boundary.START, "$": Boundary.END}
_ESCAPED_PLACES = {"A": Boundary.START, "z": Boundary.END, "b": Boundary.WORD}
_NO_GROUP = (
    "a group that looks around, has a name or sets options is not read",
    "Use ( ) or (?: ) for groups, and (?i) or (?s) at the very start only.",
)


@lru_cache(maxsize=256)
def pattern_of(text: str) -> Pattern:
    """The pattern that a text means, read once."""
    return read_pattern(text)


def read_pattern(text: str) -> Pattern:
    r"""The pattern that a text means.

    Guarantee: what is returned has at most `LARGEST_PATTERN` ranges once repetitions are written
    out, and groups nest at most `DEEPEST_GROUPS` deep.
    Needs: a text.
    Edges: whatever is outside of the language is an `ExpressionError` that names the character.
    Reference: patterns.md, The language.

    >>> read_pattern("a|b")
    Alternatives(parts=(Letter(letters=((97, 97),)), Letter(letters=((98, 98),))))
    """
    if len(text) > LONGEST_PATTERN:
        raise ExpressionError(
            f"the pattern has {len(text):,} characters; at most {LONGEST_PATTERN:,} are allowed.",
            remedy="Use a shorter pattern.",
        )
    source = PatternSource(text)
    found = _PatternReader(source).whole()
    if size_of(found) > LARGEST_PATTERN:
        raise ExpressionError(
            f"the pattern has {size_of(found):,} ranges of characters once its repetitions are "
            f"written out; at most {LARGEST_PATTERN:,} are allowed.",
            remedy="Repeat fewer times: {1,20} or + in place of {1,500}.",
        )
    return found


class _PatternReader:
    """Reads alternatives, series, repetitions and single parts, each by a method."""

    def __init__(self, source: PatternSource) -> None:
        self.source = source
        self.any_case = False
        self.dot: Letters = NO_NEWLINE
        self.depth = 0

    def whole(self) -> Pattern:
        self._options()
        found = self._alternatives()
        if self.source.more:
            raise self.source.wrong("a closing bracket has no opening one", r"Write \) for itself.")
        return found

    def _options(self) -> None:
        """(?i), (?s) and (?is) at the very start."""
        rest = self.source.rest
        end = rest.find(")")
        if not rest.startswith("(?") or end < 3 or not set(rest[2:end]) <= set("is"):
            return
        self.any_case = "i" in rest[2:end]
        self.dot = EVERY if "s" in rest[2:end] else NO_NEWLINE
        self.source.skip(end + 1)

    def _alternatives(self) -> Pattern:
        parts = [self._series()]
        while self.source.take("|"):
            parts.append(self._series())
        return parts[0] if len(parts) == 1 else Alternatives(tuple(parts))

    def _series(self) -> Pattern:
        parts: list[Pattern] = []
        while self.source.more and self.source.next not in "|)":
            parts.append(self._repeated(self._single()))
        return parts[0] if len(parts) == 1 else Series(tuple(parts))

    def _repeated(self, part: Pattern) -> Pattern:
        times = self._times()
        if times is None:
            return part
        if isinstance(part, Boundary):
            raise self.source.wrong("a place cannot be repeated", "Leave the repetition out.", -1)
        lazy = self.source.take("?")
        if self.source.more and self.source.next in "*+?{":
            raise self.source.wrong(
                "a repetition is repeated", "Put the part into a group first: (?:a+)*."
            )
        return Repetition(part, *times, lazy=lazy)

    def _times(self) -> tuple[int, int | None] | None:
        for sign, times in _SIGNS.items():
            if self.source.take(sign):
                return times
        if not self.source.take("{"):
            return None
        least = self._number()
        most: int | None = least
        if self.source.take(","):
            most = None if self.source.more and self.source.next == "}" else self._number()
        if not self.source.take("}") or (most is not None and most < least):
            raise self.source.wrong(
                "a repetition in braces is not complete", r"Write {2}, {2,} or {2,5}; \{ is itself."
            )
        return least, most

    def _number(self) -> int:
        digits = ""
        while self.source.more and self.source.next in "0123456789" and len(digits) < 5:
            digits += self.source.get()
        if not digits or int(digits) > MOST_TIMES:
            raise self.source.wrong(
                f"a number of at most {MOST_TIMES:,} is needed in braces",
                r"Write {2}, {2,} or {2,5}; \{ is itself.",
            )
        return int(digits)

    def _single(self) -> Pattern:
        sign = self.source.get()
        match sign:
            case "(":
                return self._group()
            case "[":
                return Letter(bracketed(self.source, self._cased))
            case ".":
                return Letter(self.dot)
            case "\\" if self.source.more and self.source.next in _ESCAPED_PLACES:
                return _ESCAPED_PLACES[self.source.get()]
            case "\\":
                return self._letter(escaped(self.source))
            case "^" | "$":
                return _PLACES[sign]
            case "*" | "+" | "?" | "{":
                raise self.source.wrong(
                    "there is nothing to repeat", rf"Write \{sign} for the sign itself.", -1
                )
        return self._letter(of_characters(sign))

    def _group(self) -> Pattern:
        if self.source.more and self.source.next == "?":
            if not self.source.rest.startswith("?:"):
                raise self.source.wrong(*_NO_GROUP)
            self.source.skip(2)
        self.depth += 1
        if self.depth > DEEPEST_GROUPS:
            raise self.source.wrong("groups are nested too deeply", "Use fewer groups.")
        found = self._alternatives()
        if not self.source.take(")"):
            raise self.source.wrong("a group has no end", r"Close it with ); write \( for itself.")
        self.depth -= 1
        return found

    def _letter(self, letters: Letters) -> Letter:
        return Letter(self._cased(letters))

    def _cased(self, letters: Letters) -> Letters:
        return in_both_cases(letters) if self.any_case else letters
