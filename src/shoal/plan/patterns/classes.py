"""Sets of characters as patterns write them: after a backslash and in brackets."""

from __future__ import annotations

from collections.abc import Callable

from shoal.plan.patterns.letters import (
    DIGITS,
    LAST,
    NAMED,
    SPACES,
    WORD,
    Letters,
    all_but,
    letter_set,
    of_characters,
)
from shoal.plan.patterns.pattern_source import PatternSource

Cased = Callable[[Letters], Letters]
"""What adds the other case of letters to a set, or adds nothing."""

_CONTROLS = {"t": "\t", "n": "\n", "r": "\r", "f": "\f", "v": "\v", "a": "\a"}
_SETS = {"d": DIGITS, "w": WORD, "s": SPACES}
_HEX = "0123456789abcdefABCDEF"
_TABLES = "sets by Unicode tables differ between engines"
_INSIDE = "places within words differ between engines"
_REFERENCE = "a reference to a group has no linear time"
_ESCAPES = r"Write \d, \w, \s, \b, \t, \n, \x41, \x{e9} or a backslash before a sign."


def escaped(source: PatternSource) -> Letters:
    """What stands after a backslash that was read."""
    sign = source.get()
    if sign.lower() in _SETS:
        found = _SETS[sign.lower()]
        return found if sign.islower() else all_but(found)
    if sign in _CONTROLS:
        return of_characters(_CONTROLS[sign])
    if sign == "x":
        return _by_number(source)
    if sign.isascii() and not sign.isalnum():
        return of_characters(sign)
    reason = (
        _INSIDE
        if sign == "B"
        else _TABLES
        if sign in "pP"
        else _REFERENCE
        if sign.isdigit()
        else "this escape is unknown"
    )
    raise source.wrong(reason, _ESCAPES, -1)


def _by_number(source: PatternSource) -> Letters:
    """Two hexadecimal digits, or any number of them in braces."""
    braced, digits = source.take("{"), ""
    while source.more and source.next in _HEX and len(digits) < (6 if braced else 2):
        digits += source.get()
    closed = source.take("}") if braced else len(digits) == 2
    code = int(digits, 16) if digits and closed else LAST + 1
    found = letter_set([(code, code)]) if 0 < code <= LAST else ()
    if not found:
        raise source.wrong("this is no number of a character", r"Write \x41 or \x{e9}.")
    return found


def bracketed(source: PatternSource, cased: Cased) -> Letters:
    """The set in brackets, of which the opening one was read; cases are added before it is
    turned.
    """
    turned, found, first = source.take("^"), list[tuple[int, int]](), True
    while first or not source.take("]"):
        first = False
        if not source.more:
            raise source.wrong("a set in brackets has no end", r"Close it with ]; \[ is itself.")
        if source.rest.startswith("[:"):
            found += _named(source, cased)
        else:
            found += _range(source)
    letters = cased(letter_set(found))
    letters = all_but(letters) if turned else letters
    if not letters:
        raise source.wrong("the set holds no character", "Leave one in it.", -1)
    return letters


def _named(source: PatternSource, cased: Cased) -> Letters:
    name, closed, _ = source.rest[2:].partition(":]")
    plain = name.removeprefix("^")
    if not closed or plain not in NAMED:
        raise source.wrong(
            "there is no set of this name", f"Write one of [:{':], [:'.join(NAMED)}:]."
        )
    source.skip(len(name) + 4)
    return NAMED[plain] if name == plain else all_but(cased(NAMED[plain]))


def _range(source: PatternSource) -> Letters:
    first = _member(source)
    if not source.rest.startswith("-") or source.rest.startswith("-]"):
        return first
    source.skip(1)
    last = _member(source)
    if len(first) != 1 or len(last) != 1 or first[0][0] > last[0][1] or not _single(first, last):
        raise source.wrong("a range has no order", r"Write [a-z]; \- is the sign itself.", -1)
    return letter_set([(first[0][0], last[0][0])])


def _single(*ends: Letters) -> bool:
    return all(each[0][0] == each[0][1] for each in ends)


def _member(source: PatternSource) -> Letters:
    sign = source.get()
    if sign != "\\":
        return of_characters(sign)
    if source.more and source.next == "b":
        raise source.wrong("a set holds characters, not places", r"Write \x08 for a backspace.")
    return escaped(source)
