"""Sets of characters, as ranges of code points."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

Letters = tuple[tuple[int, int], ...]
"""Ranges of code points, both ends included: rising, apart from one another, without surrogates."""

LAST = 0x10FFFF
_HALVES = (0xD800, 0xDFFF)
"""Halves of surrogate pairs: no text holds one."""


def letter_set(ranges: Iterable[tuple[int, int]]) -> Letters:
    """The union of ranges.

    >>> letter_set([(66, 67), (65, 65), (70, 71)])
    ((65, 67), (70, 71))
    """
    found: list[tuple[int, int]] = []
    for lo, hi in sorted(_without_halves(ranges)):
        if found and lo <= found[-1][1] + 1:
            found[-1] = found[-1][0], max(hi, found[-1][1])
        else:
            found.append((lo, hi))
    return tuple(found)


def _without_halves(ranges: Iterable[tuple[int, int]]) -> Iterable[tuple[int, int]]:
    for lo, hi in ranges:
        below, above = (lo, min(hi, _HALVES[0] - 1)), (max(lo, _HALVES[1] + 1), hi)
        yield from (part for part in (below, above) if part[0] <= part[1])


def all_but(letters: Letters) -> Letters:
    """Every character that is not in a set."""
    found, after = list[tuple[int, int]](), 0
    for lo, hi in letters:
        if after < lo:
            found.append((after, lo - 1))
        after = hi + 1
    if after <= LAST:
        found.append((after, LAST))
    return letter_set(found)


def in_both_cases(letters: Letters) -> Letters:
    """A set with both cases of its ASCII letters; engines disagree about others."""
    found = list(letters)
    for lo, hi in letters:
        for first, last, shift in ((65, 90, 32), (97, 122, -32)):
            low, high = max(lo, first), min(hi, last)
            if low <= high:
                found.append((low + shift, high + shift))
    return letter_set(found)


def holds(letters: Letters, code: int) -> bool:
    """Whether a code point is in a set."""
    at = bisect_right(letters, (code, LAST)) - 1
    return at >= 0 and code <= letters[at][1]


def of_characters(characters: str) -> Letters:
    """The set of the characters of a text."""
    return letter_set((ord(each), ord(each)) for each in characters)


EVERY = all_but(())
DIGITS = letter_set([(48, 57)])
WORD = letter_set([(48, 57), (65, 90), (95, 95), (97, 122)])
SPACES = of_characters("\t\n\f\r ")
NO_NEWLINE = all_but(of_characters("\n"))
NAMED: dict[str, Letters] = {
    "alnum": letter_set([(48, 57), (65, 90), (97, 122)]),
    "alpha": letter_set([(65, 90), (97, 122)]),
    "ascii": letter_set([(0, 127)]),
    "blank": of_characters("\t "),
    "cntrl": letter_set([(0, 31), (127, 127)]),
    "digit": DIGITS,
    "graph": letter_set([(33, 126)]),
    "lower": letter_set([(97, 122)]),
    "print": letter_set([(32, 126)]),
    "punct": letter_set([(33, 47), (58, 64), (91, 96), (123, 126)]),
    "space": of_characters("\t\n\v\f\r "),
    "upper": letter_set([(65, 90)]),
    "word": WORD,
    "xdigit": letter_set([(48, 57), (65, 70), (97, 102)]),
}
"""Sets that have a name within brackets, such as [[:digit:]]; all of ASCII."""
