"""Choosing between values: CASE, COALESCE, NULLIF, LEAST and GREATEST."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from shoal.plan.expression import Call, Expression, Literal
from shoal.plan.facts import Span
from shoal.plan.functions.function import (
    Fitted,
    alike,
    function,
    longest_of,
    require,
    wrong_number,
)
from shoal.plan.types import BOOLEAN, Kind, Type, Value


def _hull(parts: list[Expression]) -> Span | None:
    """The hull of the spans of those parts that are not NULL; None if one of them is not known."""
    found: Span | None = None
    for part in parts:
        if isinstance(part, Literal) and part.value is None:
            continue
        if part.span is None:
            return None
        found = part.span if found is None else found.hull(part.span)
    return found


def _fit_case(arguments: tuple[Expression, ...], _: Type | None) -> Fitted:
    """Conditions and values in turn, and at the end the value of ELSE."""
    if len(arguments) < 3 or len(arguments) % 2 == 0:
        raise wrong_number(3, len(arguments))
    for condition in arguments[:-1:2]:
        require(condition, (Kind.BOOLEAN,))
    values, kind = alike((*arguments[1::2], arguments[-1]))
    made: list[Expression] = []
    for condition, value in zip(arguments[:-1:2], values[:-1], strict=True):
        unknown = isinstance(condition, Literal) and condition.value is None
        made += [Literal(None, BOOLEAN) if unknown else condition, value]
    return (*made, values[-1]), kind


def values_of_case(call: Call) -> list[Expression]:
    """What a CASE may come to."""
    return [*call.arguments[1::2], call.arguments[-1]]


@function(
    "case",
    _fit_case,
    span=lambda call: _hull(values_of_case(call)),
    strict=False,
    may_be_null=lambda call: any(value.nullable for value in values_of_case(call)),
    written="CASE {case} END",
    length=lambda call: longest_of(values_of_case(call)),
)
def _case(_: Call, *values: Value) -> Value:
    for condition, value in zip(values[:-1:2], values[1::2], strict=True):
        if condition is True:
            return value
    return values[-1]


def _all_alike(arguments: tuple[Expression, ...], _: Type | None) -> Fitted:
    return alike(arguments)


def _longest(call: Call) -> int:
    return longest_of(call.arguments)


def _all_nullable(call: Call) -> bool:
    return all(argument.nullable for argument in call.arguments)


@function(
    "coalesce",
    _all_alike,
    span=lambda call: _hull(list(call.arguments)),
    strict=False,
    may_be_null=_all_nullable,
    length=_longest,
)
def _coalesce(_: Call, *values: Value) -> Value:
    return next((value for value in values if value is not None), None)


def _fit_nullif(arguments: tuple[Expression, ...], _: Type | None) -> Fitted:
    if len(arguments) != 2:
        raise wrong_number(2, len(arguments))
    return alike(arguments)


@function(
    "nullif",
    _fit_nullif,
    span=lambda call: call.arguments[0].span,
    strict=False,
    may_be_null=lambda _: True,
    length=lambda call: call.arguments[0].length,
    uses=2,
)
def _nullif(_: Call, value: Value, other: Value) -> Value:
    return None if value is not None and value == other else value


def _end(expression: Expression, *, top: bool) -> Fraction | None:
    """One end of an expression's values: of LEAST and GREATEST also where the other end is not
    known.
    """
    if not (isinstance(expression, Call) and expression.name in ("least", "greatest")):
        span = expression.span
        return None if span is None else (span.hi if top else span.lo)
    far: Any = max if top else min
    ends = [_end(part, top=top) for part in _present(expression)]
    if (expression.name == "least") == top:
        # NULL is passed over, so a part that is never NULL bounds the whole from this side
        sure = [_end(part, top=top) for part in _present(expression) if not part.nullable]
        known = [end for end in sure if end is not None]
        if known:
            return Fraction(min(known) if top else max(known))
    return None if not ends or None in ends else far(ends)


def _present(call: Call) -> list[Expression]:
    return [a for a in call.arguments if not (isinstance(a, Literal) and a.value is None)]


def _extreme_span(call: Call) -> Span | None:
    if not call.type.ordered:
        return None
    lo, hi = _end(call, top=False), _end(call, top=True)
    return None if lo is None or hi is None else Span(lo, hi)


@function(
    "least",
    _all_alike,
    span=_extreme_span,
    strict=False,
    may_be_null=_all_nullable,
    length=_longest,
)
def _least(_: Call, *values: Any) -> Value:
    known: list[Any] = [value for value in values if value is not None]
    return min(known) if known else None


@function(
    "greatest",
    _all_alike,
    span=_extreme_span,
    strict=False,
    may_be_null=_all_nullable,
    length=_longest,
)
def _greatest(_: Call, *values: Any) -> Value:
    known: list[Any] = [value for value in values if value is not None]
    return max(known) if known else None
