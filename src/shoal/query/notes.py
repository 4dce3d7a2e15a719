"""What stands beside the numbers of an answer: what its intervals do not cover, and what looks
wrong.

All of it follows from public facts and from released numbers, so it is free.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

from shoal.exact import float_up, shown_up
from shoal.plan import (
    Expression,
    Key,
    Kind,
    Listed,
    Person,
    Statistic,
    Term,
    columns_of,
    name_of,
    text_of,
)
from shoal.query.estimates import Noisy
from shoal.query.joint_noise import JointNoised
from shoal.query.keys import Group
from shoal.query.pricing import Priced, limits_of
from shoal.sensitivity import Relation

NOISE_ONLY = "Intervals cover the noise only."
CHOSEN_BY_NOISE = (
    "Noise helped to choose the rows that are shown, so their intervals miss more often than they say. "
    "Those of interval(column, simultaneous=True) hold whichever rows are shown."
)
_PUBLIC_COUNT = (
    "All neighbouring datasets have the same number of rows, so it is public: "
    "it gets no noise and costs nothing."
)
NEARLY_ALL = Fraction(9, 10)
"""If so much of a released count is NULL, or at one end of a range, the declaration is questioned.
"""

_LONGEST_SHOWN = 60

_COUNTS = (Statistic.COUNT_ROWS, Statistic.COUNT, Statistic.COUNT_PERSONS, Statistic.COUNT_DISTINCT)


def bounding_notes(made: Priced) -> tuple[str, ...]:
    """That intervals cover the noise only, where people or values beyond a stated limit count for
    less.
    """
    said = [*_people(made), *_values(made)]
    return (" ".join([NOISE_ONLY, *said]),) if said else ()


def relation_notes(made: Priced) -> tuple[str, ...]:
    """Under *change*, how far one unit that is replaced moves the totals; elsewhere nothing is
    said.
    """
    bounded = made.noised.bounded
    if bounded.unit.relation is not Relation.CHANGE or not bounded.terms:
        return ()
    who = "person who" if isinstance(bounded.unit, Person) else "row that"
    said = [f"Neighbouring datasets differ by one {who} is replaced by another."]
    moved = [
        f"the {term.shown} by at most {shown_up(float_up(far * bounded.worth(term)))}"
        for term in bounded.terms
        if (far := bounded.sensitivity(term).value)
    ]
    if moved:
        where = ", over all groups together" if bounded.keys else ""
        said.append(f"That moves {', and '.join(moved)}{where}.")
    return (" ".join(said), *exact_count_notes(made))


def exact_count_notes(made: Priced) -> tuple[str, ...]:
    """That the number of rows is told as it is, where no neighbour has another."""
    bounded = made.noised.bounded
    exact = any(term.quantity == "count" and made.noised.of(term) is None for term in bounded.terms)
    return (_PUBLIC_COUNT,) if exact else ()


def _people(made: Priced) -> list[str]:
    limits = limits_of(made.question, made.noised.bounded)
    if not limits:
        return []
    only_counts = all(each.statistic in _COUNTS for each in made.question.aggregates)
    so = "the true count may be higher" if only_counts else "the true numbers may differ"
    return [f"People {' or '.join(limits)} count for less, so {so}."]


def _values(made: Priced) -> list[str]:
    read = [
        argument
        for each in made.question.aggregates
        if each.statistic not in _COUNTS
        for argument in each.arguments
    ]
    held = any(
        column.span is not None and column.choices is None
        for argument in read
        for column in columns_of(argument)
    )
    return ["Values outside a declared range count as its nearer end."] if held else []


def interval_notes(made: Priced) -> tuple[str, ...]:
    """Which quantiles have no interval, and why."""
    without = [each.aggregate for each in made.recipes if each.place is not None and not each.ends]
    bare = [each.name for each in without if each.type.numeric]
    moments = [each.name for each in without if not each.type.numeric]
    said = []
    if bare:
        some = "quantiles get them" if len(bare) > 1 else "a quantile gets one"
        said.append(
            f"No interval for {', '.join(map(name_of, bare))}: {some} for a part of the cost. "
            "Ask with intervals='0.95'."
        )
    if moments:
        said.append(
            f"No interval for {', '.join(map(name_of, moments))}: quantiles of dates have none."
        )
    return tuple(said)


def matching_notes(
    made: Priced, groups: Sequence[Group], noisy: Sequence[Noisy]
) -> tuple[str, ...]:
    """A hint for each key and each argument of which nearly all released mass is NULL, or at one
    end of its declared range.
    """
    if not groups:
        return ()
    empty = dict.fromkeys(_without_values(made, noisy))
    terms = made.noised.bounded.terms
    counts = [term for term in terms if term.quantity in ("count", "persons")]
    counted = min(counts, key=lambda term: term.argument is not None, default=None)
    if counted is None:
        return tuple(empty)
    masses = [each[counted] for each in noisy]
    error = _error(made, counted)
    found = (
        _mismatch(key, [group[at] for group in groups], masses, error)
        for at, key in enumerate(made.question.keys)
    )
    return (*(note for note in found if note is not None), *empty)


def _error(made: Priced, term: Term) -> Fraction:
    level = Fraction(95, 100)
    error = made.noised.error(term, level)
    if isinstance(made.noised, JointNoised) and math.isinf(error):  # only sums were measured
        error = made.noised.widest(level)
    return Fraction(error)


def _without_values(made: Priced, noisy: Sequence[Noisy]) -> Iterator[str]:
    """That a released count of values, over all groups, is not above its noise."""
    for term in made.noised.bounded.terms:
        if term.quantity != "count" or term.argument is None:
            continue
        total = sum((each[term] for each in noisy), Fraction(0))
        if total > 2 * _error(made, term) * (math.isqrt(len(noisy)) + 1):
            continue
        declared = _declared(term.argument)
        if declared:
            yield (
                f"No more values of {_shortened(text_of(term.argument))} were counted than noise alone makes: "
                f"it may be NULL in nearly all of these rows. Check {declared}."
            )


def _declared(expression: Expression) -> str:
    """What is declared of the columns of an expression, in words, where it can make a cell NULL."""
    facts = []
    for column in dict.fromkeys(columns_of(expression)):
        if column.choices is not None:
            facts.append(f"the declared choices of {name_of(column.name)}")
        elif column.type.kind is not Kind.TEXT:
            facts.append(f"that the cells of {name_of(column.name)} are of its type, {column.type}")
    return " and ".join(facts)


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}..."


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
    declared = _declared(key.expression)
    if declared and missing >= NEARLY_ALL:
        return f"{math.floor(100 * missing)} % of the released count is NULL. Check {declared}."
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
