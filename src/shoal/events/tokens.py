"""Compact text in pieces, and errors that point at the piece."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass

from shoal.errors import EventTextError
from shoal.events.event import LONGEST_TEXT
from shoal.exact import DECIMAL

_NUMBER = DECIMAL.removeprefix("[-+]?")  # a plus between events is a mark
_NUMBER = rf"-?{_NUMBER}"
_PIECES = re.compile(
    rf"(?P<skip>\s+|\#[^\n]*)|(?P<number>{_NUMBER}(?:/{_NUMBER})?)"
    r"|(?P<word>x(?=[0-9])|[^\W\d][\w-]*)|(?P<mark>[+|()=,])"
)
_REST = re.compile(r"[\w./]+")
"""What follows a number without a space and is no part of it."""
_WIDEST = 72
"""An error shows so many characters of the line it is about."""


@dataclass(frozen=True, slots=True)
class Token:
    """One piece of a text: a word, a number, a mark or the end."""

    kind: str
    text: str
    start: int

    def __str__(self) -> str:
        return "the end of the text" if self.kind == "end" else f"'{_shortened(self.text)}'"


def tokens(text: str) -> list[Token]:
    """The pieces of a text, in order, the last of them its end; spaces and '# ...' are passed
    over.
    """
    if len(text) > LONGEST_TEXT:
        raise EventTextError(
            f"the text has {len(text)} characters; at most {LONGEST_TEXT} are read.",
            remedy="Write equal releases once, with '| x' and their number.",
        )
    found, place = list[Token](), 0
    while place < len(text):
        match = _PIECES.match(text, place)
        if match is None:
            raise misplaced(text, Token("mark", text[place], place))
        rest = _REST.match(text, match.end())
        if match.lastgroup == "number" and rest is not None:
            whole = Token("number", match.group() + rest.group(), place)
            remedy = (
                "Write digits alone, with a point, an exponent or a slash: 10000, 0.5, 1e-6 or 1/3."
            )
            raise pointing(text, whole, f"{whole} is not a number.", remedy=remedy)
        if match.lastgroup != "skip":
            found.append(Token(str(match.lastgroup), match.group(), place))
        place = match.end()
    return [*found, Token("end", "", len(text.rstrip()))]


def pointing(text: str, token: Token, problem: str, *, remedy: str) -> EventTextError:
    """An error about a text, with the line it is on and carets under the piece it is about."""
    before = text.rfind("\n", 0, token.start) + 1
    after = text.find("\n", token.start)
    line = text[before : after if after >= 0 else len(text)]
    column, width = token.start - before, max(1, len(token.text))
    if len(line) > _WIDEST:
        cut = max(0, min(column - _WIDEST // 3, len(line) - _WIDEST))
        shown, after_cut = line[cut : cut + _WIDEST], cut + _WIDEST < len(line)
        line = f"{'...' if cut else ''}{shown}{'...' if after_cut else ''}"
        column, width = column - cut + (3 if cut else 0), min(width, _WIDEST - column + cut)
    drawn = re.sub(r"\s", " ", line)
    carets = " " * column + "^" * width
    where = f"line {text.count(chr(10), 0, before) + 1}: " if "\n" in text.strip() else ""
    opening = f"{where}{problem}\n    {drawn.rstrip()}\n    {carets}"
    return EventTextError(opening, remedy=remedy, position=token.start)


def misplaced(text: str, token: Token) -> EventTextError:
    """A character that no event is written with."""
    remedy = "Write words, numbers and the marks + | ( ) = , alone."
    if token.text in "{[" and not text[: token.start].strip():
        remedy = "This looks like JSON, which Event.from_json reads."
    return pointing(text, token, f"{token} has no meaning here.", remedy=remedy)


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that a word was probably meant to be."""
    plain = word.lower().replace("-", "_")
    close = difflib.get_close_matches(plain, list(known), n=1, cutoff=0.6)
    return close[0] if close else None


def _shortened(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:37]}..."
