"""Exact sums where SUM holds 64 bits only: numbers are cut into words, and each word is added up by
itself.

With words of b bits a number x, |x| <= ``size``, is x = sum of 2^(b i) w_i, where the highest word
has the sign and the others are from 0 to 2^b - 1; all are at most 2^b in size, so fewer than 2^(63
- b) of them add up within 64 bits.  Where SUM is wide by itself (``dialect.word`` is 0) a number is
its only word.
"""

from __future__ import annotations

from collections.abc import Sequence

from shoal.engines.sql.dialect import Dialect


def count_of_words(size: int, dialect: Dialect) -> int:
    """Into how many words a number of at most this size is cut."""
    return 1 if not dialect.word else max(1, -(-size.bit_length() // dialect.word))


def names_of_words(name: str, size: int, dialect: Dialect) -> list[str]:
    """The names of the words of a number, the highest first."""
    count = count_of_words(size, dialect)
    return [name] if count == 1 else [f"{name}_{at}" for at in reversed(range(count))]


def cut(name: str, size: int, dialect: Dialect) -> list[str]:
    """The words of a number that has a name, the highest first."""
    top = count_of_words(size, dialect) - 1
    if not top:
        return [name]
    mask = (1 << dialect.word) - 1
    lower = [_shifted(name, at * dialect.word) for at in reversed(range(top))]
    return [_shifted(name, top * dialect.word), *(f"({each} & {mask})" for each in lower)]


def _shifted(name: str, bits: int) -> str:
    return f"SHIFTRIGHT({name}, {bits})" if bits else name


def joined(names: Sequence[str], dialect: Dialect, *, wide: bool) -> str:
    """One number of sums of words; with ``wide`` whatever they are, without where all of it fits 64
    bits.
    """
    if len(names) == 1:
        return names[0]
    first = f"CAST({names[0]} AS {dialect.wide})" if wide else names[0]
    for name in names[1:]:
        first = f"({first} * {1 << dialect.word} + {name})"
    return first


def number_of(words: Sequence[int], dialect: Dialect) -> int:
    """The number whose words, the highest first, add up to these."""
    total = 0
    for word in words:
        total = (total << dialect.word) + int(word)
    return total


def most_added(dialect: Dialect) -> int | None:
    """Of how many numbers the sum is exact, at least; None if there is no end."""
    return (1 << (63 - dialect.word)) - 1 if dialect.word else None
