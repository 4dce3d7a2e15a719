"""What an expression comes to in a row, and every value it can come to."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from math import prod

from shoal.errors import FactsError
from shoal.plan.expression import Call, Expression, Literal, Ref, columns_of
from shoal.plan.facts import Column
from shoal.plan.printing import text_of
from shoal.plan.types import BOOLEAN, REAL, Kind
from shoal.plan.values import Value, value_at

_LONGEST_SHOWN = 60
"""A longer expression is called x in advice."""

MOST_COMBINATIONS = 100_000
"""How many combinations of column values are tried to list the values of an expression."""

_LARGEST = 10**153
"""Squares of what lies further out, added up, are no doubles any more."""


def evaluate(expression: Expression, row: Mapping[str, Value]) -> Value:
    """The value of an expression in a row, given by the names of its columns.

    >>> from shoal.plan.expression import call
    >>> from shoal.plan.facts import column
    >>> from shoal.plan.types import INTEGER
    >>> half = call("divide", Literal(1, INTEGER), Ref(column("n", INTEGER)))
    >>> evaluate(half, {"n": 2}), evaluate(half, {"n": 0})
    (0.5, None)
    """
    match expression:
        case Ref(column):
            return row[column.name]
        case Literal(value):
            return value
        case Call(_, arguments):
            return expression.function.of(expression, [evaluate(a, row) for a in arguments])


def range_of(expression: Expression) -> tuple[Fraction, Fraction]:
    """The exact ends between which every value of an expression lies, or an error that asks for
    facts.

    Guarantee: for all data, the value is NULL or between the ends, both included, on the number
        line of its type (days for dates, microseconds for timestamps).
    """
    if expression.span is not None:
        return expression.span.lo, expression.span.hi
    missing = sorted({c.name for c in columns_of(expression) if c.span is None and c.type.ordered})
    if missing:
        names = " and ".join(f"column {name!r}" for name in missing)
        raise FactsError(
            f"the range of {text_of(expression)} is not known.",
            remedy=f"State a Range for {names}, for example Range(0, 100).",
        )
    raise FactsError(
        f"the range of {text_of(expression)} does not follow from the ranges of its columns.",
        remedy=f"Bound it in the question: {clamped(expression)}.",
    )


def clamped(expression: Expression, lo: str = "0", hi: str = "100") -> str:
    """SQL that moves a value to the nearer of two ends, and leaves NULL what it is.

    LEAST and GREATEST pass over NULL: without the condition a missing value would count as one of
    the ends.
    """
    text = text_of(expression)
    text = text if len(text) <= _LONGEST_SHOWN else "x"
    return f"CASE WHEN {text} IS NOT NULL THEN GREATEST({lo}, LEAST({hi}, {text})) END"


def check_size(expression: Expression) -> None:
    """Refuse a range with whose ends noise, sums and squares cannot be computed, on either side of
    the charge.
    """
    largest = max(map(abs, range_of(expression)))
    if largest > _LARGEST or 0 < largest * _LARGEST < 1:
        far = "beyond 1e153" if largest > 1 else "no further than 1e-153 from 0"
        raise FactsError(
            f"the range of {text_of(expression)} reaches {far}.",
            remedy="State a Range of a size that can matter, or measure in another unit.",
        )


def values_of(expression: Expression, *, most: int = MOST_COMBINATIONS) -> tuple[Value, ...] | None:
    """Every value but NULL that an expression can have, in order; None if they cannot be listed.

    Guarantee: for all data, the value is NULL or in the list; the list depends on facts only.

    >>> from shoal.plan.expression import call
    >>> from shoal.plan.facts import Choices, column
    >>> from shoal.plan.types import INTEGER
    >>> values_of(call("mod", Ref(column("n", INTEGER, Choices([1, 2, 3]))), Literal(2, INTEGER)))
    (0, 1)
    """
    if isinstance(expression, Ref) and expression.column.choices is not None:
        return expression.column.choices
    if expression.type == BOOLEAN:
        return (False, True)
    natural = _steps(expression, most)
    columns = {column.name: column for column in columns_of(expression)}
    lists = [_list_of(column, most) for column in columns.values()]
    if any(found is None for found in lists):
        return natural
    known = [
        [*found, *([None] if c.nullable else [])]
        for found, c in zip(lists, columns.values(), strict=True)
        if found is not None
    ]
    if prod(len(found) for found in known) > most:
        return natural
    rows = (dict(zip(columns, values, strict=True)) for values in product(*known))
    found = {evaluate(expression, row) for row in rows} - {None}
    return tuple(sorted(found))  # type: ignore[type-var]


def _steps(expression: Expression, most: int) -> tuple[Value, ...] | None:
    """The values between the ends of a span, where there are few."""
    span, kind = expression.span, expression.type
    if span is None or kind == REAL or kind.kind is Kind.TIMESTAMP:
        return None
    unit = 10**kind.scale
    if (span.hi - span.lo) * unit + 1 > most:
        return None
    first, last = int(span.lo * unit), int(span.hi * unit)
    return tuple(value_at(Fraction(step, unit), kind) for step in range(first, last + 1))


def _list_of(column: Column, most: int) -> tuple[Value, ...] | None:
    if column.choices is not None:
        return column.choices
    return (False, True) if column.type == BOOLEAN else _steps(Ref(column), most)
