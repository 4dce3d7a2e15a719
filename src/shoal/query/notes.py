"""What stands beside the numbers of an answer: what its intervals do not cover, and what looks wrong.

All of it follows from public facts and from released numbers, so it is free.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

from shoal.plan import Key, Listed, Statistic, columns_of, name_of
from shoal.query.clipping import limits_of
from shoal.query.estimates import Noisy
from shoal.query.keys import Group
from shoal.query.pricing import Priced

NOISE_ONLY = "Intervals cover the noise only."
NEARLY_ALL = Fraction(9, 10)
"""If so much of a released count is NULL, or at one end of a range, the declaration is questioned."""

_COUNTS = (Statistic.COUNT_ROWS, Statistic.COUNT, Statistic.COUNT_PERSONS, Statistic.COUNT_DISTINCT)


def bounding_notes(made: Priced) -> tuple[str, ...]:
    """That intervals cover the noise only, where people or values beyond a stated limit count for less."""
    said = [*_people(made), *_values(made)]
    return (" ".join([NOISE_ONLY, *said]),) if said else ()


def _people(made: Priced) -> list[str]:
    limits = limits_of(made.question, made.noised.bounded)
    if not limits:
        return []
    only_counts = all(each.statistic in _COUNTS for each in made.question.aggregates)
    so = "the true count may be higher" if only_counts else "the true numbers may differ"
    return [f"People {' or '.join(limits)} count for less, so {so}."]


def _values(made: Priced) -> list[str]:
    read = [each.argument for each in made.question.aggregates if each.statistic not in _COUNTS]
    held = any(
        column.span is not None and column.choices is None
        for argument in read
        if argument is not None
        for column in columns_of(argument)
    )
    return ["Values outside a declared range count as its nearer end."] if held else []


def matching_notes(
    made: Priced, groups: Sequence[Group], noisy: Sequence[Noisy]
) -> tuple[str, ...]:
    """A hint for each key of which nearly all released mass is NULL, or at one end of its declared range."""
    terms = made.noised.bounded.terms
    counted = next((term for term in terms if term.quantity in ("count", "persons")), None)
    if counted is None or not groups:
        return ()
    masses = [each[counted] for each in noisy]
    error = Fraction(made.noised.error(counted, Fraction(95, 100)))
    found = (
        _mismatch(key, [group[at] for group in groups], masses, error)
        for at, key in enumerate(made.question.keys)
    )
    return tuple(note for note in found if note is not None)


def _mismatch(
    key: Key, values: Sequence[object], masses: Sequence[Fraction], error: Fraction
) -> str | None:
    if not isinstance(key.known, Listed) or not key.known.values:
        return None

    def share(has: Callable[[object], bool]) -> Fraction:
        """The share of values that have something, 0 where noise alone could make it."""
        total = sum(masses, Fraction(0))
        own = [mass for value, mass in zip(values, masses, strict=True) if has(value)]
        part = sum(own, Fraction(0))
        sure = part > 2 * error * math.isqrt(len(own) + 1) and total > 0
        return min(Fraction(1), part / total) if sure else Fraction(0)

    chosen = any(column.choices is not None for column in columns_of(key.expression))
    missing = share(lambda value: value is None)
    if chosen and missing >= NEARLY_ALL:
        return (
            f"{math.floor(100 * missing)} % of the released count is NULL: the declared choices of {name_of(key.name)} "
            "may not match the data (check spaces and upper or lower case)."
        )
    ends = key.known.values[0], key.known.values[-1]
    if chosen or len(key.known.values) < 3:
        return None
    for word, end in zip(("lowest", "highest"), ends, strict=True):
        held = share(lambda value, end=end: value is not None and value == end)  # type: ignore[misc]
        if held >= NEARLY_ALL:
            return (
                f"{math.floor(100 * held)} % of the released count is at the {word} value of {name_of(key.name)}: "
                "its declared range may not match the data."
            )
    return None
