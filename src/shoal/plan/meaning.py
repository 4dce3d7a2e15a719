"""What an expression comes to in a row, and every value it can come to."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from math import prod

from shoal.errors import FactsError
from shoal.plan.expression import Call, Expression, Literal, Ref, columns_of
from shoal.plan.facts import Column
from shoal.plan.printing import text_of
from shoal.plan.stepped_values import STEPPED, stepped_values
from shoal.plan.types import BOOLEAN, MOST_INTEGER, REAL, Kind, Value, value_at

_LONGEST_SHOWN = 60
"""A longer expression is called x in advice."""

MOST_COMBINATIONS = 100_000
"""How many combinations of column values are tried to list the values of an expression."""

_MOST_WORK = 1_500_000
"""So many parts of expressions are computed at most to list values."""

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
    if (
        expression.type.exact
        and expression.type.numeric
        and largest * 10**expression.type.scale >= MOST_INTEGER
    ):
        raise FactsError(
            f"the range of {text_of(expression)} reaches to the end of all whole numbers.",
            remedy=f"Bound it in the question: {clamped(expression)}.",
        )
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
    stepped = stepped_values(expression, most)
    if stepped is not None:
        return stepped
    inner = _only_through(expression)
    if inner is not None:
        listed = values_of(inner, most=most)
        if listed is not None:
            every = [*listed, *([None] if inner.nullable else [])]
            made = {_with(expression, inner, value) for value in every} - {None}
            return tuple(sorted(made))  # type: ignore[type-var]
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
    count = prod(len(found) for found in known)
    if count > most or count * expression.cost.parts > _MOST_WORK:
        return natural
    rows = (dict(zip(columns, values, strict=True)) for values in product(*known))
    found = {evaluate(expression, row) for row in rows} - {None}
    return tuple(sorted(found))  # type: ignore[type-var]


def _only_through(expression: Expression) -> Expression | None:
    """The one function of few values through which an expression reads its columns; None if there
    is none.
    """
    found: list[Expression] = []
    return found[0] if _gather(expression, found, whole=expression) and found else None


def _gather(part: Expression, found: list[Expression], whole: Expression) -> bool:
    if isinstance(part, Ref):
        return False
    if not isinstance(part, Call):
        return True
    if part.name in STEPPED and part is not whole and any(True for _ in columns_of(part)):
        if all(part != other for other in found):
            found.append(part)
        return len(found) == 1
    return all(_gather(argument, found, whole) for argument in part.arguments)


def _with(expression: Expression, inner: Expression, value: Value) -> Value:
    """The value of an expression in which one part has this value."""
    if expression is inner or expression == inner:
        return value
    if isinstance(expression, Call):
        parts = [_with(argument, inner, value) for argument in expression.arguments]
        return expression.function.of(expression, parts)
    assert isinstance(expression, Literal)
    return expression.value


def _steps(expression: Expression, most: int) -> tuple[Value, ...] | None:
    """The values between the ends of a span, where there are few."""
    span, kind = expression.span, expression.type
    if span is None or kind.kind is Kind.TIMESTAMP:
        return None
    if kind == REAL:
        whole = isinstance(expression, Call) and _is_whole(expression)
        few = span.hi - span.lo < most and max(abs(span.lo), abs(span.hi)) < 2**53
        ends = range(math.floor(span.lo), math.ceil(span.hi) + 1) if whole and few else ()
        return tuple(float(each) for each in ends) or None
    unit = 10**kind.scale
    if (span.hi - span.lo) * unit + 1 > most:
        return None
    first, last = int(span.lo * unit), int(span.hi * unit)
    return tuple(value_at(Fraction(step, unit), kind) for step in range(first, last + 1))


def _is_whole(call: Call) -> bool:
    """Whether a real function has whole values only."""
    if call.name == "round":
        digits = call.arguments[1]
        return isinstance(digits, Literal) and digits.value == 0
    return call.name in ("floor", "ceil")


def _list_of(column: Column, most: int) -> tuple[Value, ...] | None:
    if column.choices is not None:
        return column.choices
    return (False, True) if column.type == BOOLEAN else _steps(Ref(column), most)
