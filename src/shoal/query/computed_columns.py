"""Intervals of columns that are computed from released numbers, by interval arithmetic on those of
the parts.

The parts' intervals hold all at once at the confidence asked for, since each total they rest on
gets its share of what may fail (Bonferroni); whatever a column is computed to from values within
them lies within the span of its expression, which the plan knows exactly, the rounding of reals
included.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from shoal.exact import float_down, float_up
from shoal.plan import Call, Column, Expression, Literal, Ref, Value, columns_of
from shoal.plan.facts import Span
from shoal.query.estimates import Interval
from shoal.query.recipes import Recipe

_FOLLOWED = (
    "add",
    "subtract",
    "multiply",
    "negate",
    "divide",
    "int_divide",
    "abs",
    "sign",
    "floor",
    "ceil",
    "round",
    "sqrt",
    "least",
    "greatest",
    "cast",
    "exp",
    "ln",
    "log10",
    "log2",
    "power",
)
"""Functions whose span follows from those of their arguments."""


def parts_of(expression: Expression, recipes: tuple[Recipe, ...]) -> tuple[Recipe, ...]:
    """The aggregates that a column is computed from; none if its interval does not follow from
    theirs.
    """
    named = {recipe.aggregate.name: recipe for recipe in recipes}
    read = dict.fromkeys(column.name for column in columns_of(expression))
    found = tuple(named[name] for name in read if name in named)
    if any(recipe.place is not None for recipe in found) or not is_followed(expression):
        return ()
    return found


def is_followed(expression: Expression) -> bool:
    """Whether the span of an expression follows from the spans of the columns it reads."""
    if not isinstance(expression, Call):
        return expression.type.numeric
    numeric = expression.type.numeric and expression.name in _FOLLOWED
    return numeric and all(is_followed(argument) for argument in expression.arguments)


def computed_interval(
    expression: Expression, row: Mapping[str, Value], parts: Mapping[str, Interval]
) -> Interval:
    """Where a computed column is if its parts are within their intervals; ``row`` has the keys.

    Edges: everywhere, if a divisor may be 0.
    """
    span = _within(expression, row, parts).span
    if span is None:
        return Interval(-math.inf, math.inf)
    return Interval(float_down(span.lo), float_up(span.hi))


def _within(
    expression: Expression, row: Mapping[str, Value], parts: Mapping[str, Interval]
) -> Expression:
    match expression:
        case Ref(column) if column.name in parts:
            return Ref(replace(column, span=_whole(column, parts[column.name])))
        case Ref(column):
            return Literal(row[column.name], column.type)
        case Call(name, arguments, kind):
            return Call(name, tuple(_within(a, row, parts) for a in arguments), kind)
    return expression


def _whole(column: Column, part: Interval) -> Span:
    """An interval in units of the column's type, outward: a released number is rounded to them."""
    lo, hi = Fraction(part.lo), Fraction(part.hi)
    if not column.type.exact:
        return Span(lo, hi)
    unit = 10**column.type.scale
    return Span(Fraction(math.floor(lo * unit), unit), Fraction(math.ceil(hi * unit), unit))
