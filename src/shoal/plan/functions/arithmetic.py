"""Arithmetic: exact on whole numbers of units, IEEE 754 on reals, NULL where it does not fit."""

from __future__ import annotations

import math
from fractions import Fraction

from shoal.errors import ExpressionError
from shoal.plan.expression import Call, Expression, cast
from shoal.plan.facts import Span
from shoal.plan.functions.function import (
    NUMBERS,
    Fitted,
    alike,
    always,
    function,
    overflows,
    require,
    rounded,
    spans,
    wrong_number,
)
from shoal.plan.types import (
    INTEGER,
    LARGEST_SCALE,
    REAL,
    Kind,
    Type,
    Value,
    decimal,
    finite,
    value_at,
    within,
)


def _numbers(arguments: tuple[Expression, ...], count: int) -> None:
    if len(arguments) != count:
        raise wrong_number(count, len(arguments))
    for argument in arguments:
        require(argument, NUMBERS)


def _two_alike(arguments: tuple[Expression, ...], _: Type | None) -> Fitted:
    _numbers(arguments, 2)
    return alike(arguments)


def _two_to_multiply(arguments: tuple[Expression, ...], _: Type | None) -> Fitted:
    _numbers(arguments, 2)
    left, right = arguments
    scale = left.type.scale + right.type.scale
    if left.type.exact and right.type.exact and scale <= LARGEST_SCALE:
        return arguments, decimal(scale)
    return (cast(left, REAL), cast(right, REAL)), REAL


def _two_reals(arguments: tuple[Expression, ...], _: Type | None) -> Fitted:
    _numbers(arguments, 2)
    return tuple(cast(argument, REAL) for argument in arguments), REAL


def _two_integers(arguments: tuple[Expression, ...], _: Type | None) -> Fitted:
    _numbers(arguments, 2)
    for argument in arguments:
        require(argument, (Kind.INTEGER,))
    return tuple(cast(argument, INTEGER) for argument in arguments), INTEGER


def _one(arguments: tuple[Expression, ...], _: Type | None) -> Fitted:
    _numbers(arguments, 1)
    return arguments, arguments[0].type


def _one_to_whole(arguments: tuple[Expression, ...], _: Type | None) -> Fitted:
    _numbers(arguments, 1)
    return arguments, REAL if arguments[0].type == REAL else INTEGER


def _one_to_sign(arguments: tuple[Expression, ...], _: Type | None) -> Fitted:
    _numbers(arguments, 1)
    return arguments, INTEGER


def _one_real(arguments: tuple[Expression, ...], _: Type | None) -> Fitted:
    _numbers(arguments, 1)
    return (cast(arguments[0], REAL),), REAL


def _exact_ends(call: Call) -> tuple[Fraction, Fraction] | None:
    """The ends of the exact results of + - * or negation, before any rounding."""
    found = spans(call)
    if found is None:
        return None
    match call.name:
        case "add":
            return found[0].lo + found[1].lo, found[0].hi + found[1].hi
        case "subtract":
            return found[0].lo - found[1].hi, found[0].hi - found[1].lo
        case "negate":
            return -found[0].hi, -found[0].lo
        case "multiply":
            corners = [
                a * b for a in (found[0].lo, found[0].hi) for b in (found[1].lo, found[1].hi)
            ]
            return min(corners), max(corners)
    raise ExpressionError("this is not arithmetic.", remedy="Use + - or *.")


def _span(call: Call) -> Span | None:
    ends = _exact_ends(call)
    return rounded(*ends, call.type) if ends else None


def _may_overflow(call: Call) -> bool:
    ends = _exact_ends(call)
    return ends is None or overflows(*ends, call.type)


def _fits(call: Call, number: float) -> Value:
    if call.type == REAL:
        return finite(float(number))
    assert isinstance(number, int)
    return within(number)


@function("add", _two_alike, span=_span, may_be_null=_may_overflow, written="({0} + {1})")
def _add(call: Call, left: float, right: float) -> Value:
    return _fits(call, left + right)


@function("subtract", _two_alike, span=_span, may_be_null=_may_overflow, written="({0} - {1})")
def _subtract(call: Call, left: float, right: float) -> Value:
    return _fits(call, left - right)


@function(
    "multiply", _two_to_multiply, span=_span, may_be_null=_may_overflow, written="({0} * {1})"
)
def _multiply(call: Call, left: float, right: float) -> Value:
    return _fits(call, left * right)


@function("negate", _one, span=_span, may_be_null=_may_overflow, written="(-{0})")
def _negate(call: Call, operand: float) -> Value:
    return _fits(call, -operand)


def _quotient_span(call: Call) -> Span | None:
    found = spans(call)
    if found is None or found[1].lo <= 0 <= found[1].hi:
        return None
    corners = [a / b for a in (found[0].lo, found[0].hi) for b in (found[1].lo, found[1].hi)]
    if call.type == INTEGER:
        corners = [Fraction(math.trunc(corner)) for corner in corners]
    return rounded(min(corners), max(corners), call.type)


def _quotient_may_be_null(call: Call) -> bool:
    found = spans(call)
    if found is None or found[1].lo <= 0 <= found[1].hi:
        return True
    corners = [a / b for a in (found[0].lo, found[0].hi) for b in (found[1].lo, found[1].hi)]
    return overflows(min(corners), max(corners), call.type)


@function(
    "divide",
    _two_reals,
    span=_quotient_span,
    may_be_null=_quotient_may_be_null,
    written="({0} / {1})",
)
def _divide(_: Call, left: float, right: float) -> Value:
    return finite(left / right) if right else None


@function(
    "int_divide",
    _two_integers,
    span=_quotient_span,
    may_be_null=_quotient_may_be_null,
    written="({0} // {1})",
)
def _int_divide(_: Call, left: int, right: int) -> Value:
    if right == 0:
        return None
    size = abs(left) // abs(right)
    return within(size if (left < 0) == (right < 0) else -size)


def _remainder_span(call: Call) -> Span | None:
    found = spans(call)
    if found is None:
        return None
    size = max(abs(found[1].lo), abs(found[1].hi))
    size = min(size, max(abs(found[0].lo), abs(found[0].hi)))
    return Span(-size if found[0].lo < 0 else Fraction(0), size if found[0].hi > 0 else Fraction(0))


@function("mod", _two_alike, span=_remainder_span, may_be_null=always, written="({0} % {1})")
def _mod(call: Call, left: float, right: float) -> Value:
    if right == 0:
        return None
    if call.type == REAL:
        return finite(math.fmod(left, right))
    size = int(abs(left) % abs(right))
    return size if left >= 0 else -size


def _absolute_span(call: Call) -> Span | None:
    span = call.arguments[0].span
    if span is None:
        return None
    lo = Fraction(0) if span.lo <= 0 <= span.hi else min(abs(span.lo), abs(span.hi))
    return rounded(lo, max(abs(span.lo), abs(span.hi)), call.type)


def _absolute_may_be_null(call: Call) -> bool:
    span = call.arguments[0].span
    return call.type != REAL and (span is None or overflows(span.lo, -span.lo, call.type))


@function("abs", _one, span=_absolute_span, may_be_null=_absolute_may_be_null)
def _abs(call: Call, operand: float) -> Value:
    return _fits(call, abs(operand))


@function("sign", _one_to_sign, span=lambda call: _sign_span(call.arguments[0].span))
def _sign(_: Call, operand: float) -> Value:
    return (operand > 0) - (operand < 0)


def _sign_span(span: Span | None) -> Span:
    lo, hi = (span.lo, span.hi) if span else (-1, 1)
    return Span(Fraction((lo > 0) - (lo < 0)), Fraction((hi > 0) - (hi < 0)))


def _root_span(call: Call) -> Span | None:
    span = call.arguments[0].span
    if span is None:
        return None
    lo, hi = (value_at(max(end, Fraction(0)), REAL) for end in (span.lo, span.hi))
    assert isinstance(lo, float)
    assert isinstance(hi, float)
    return Span(Fraction(math.sqrt(lo)), Fraction(math.sqrt(hi)))


def _root_may_be_null(call: Call) -> bool:
    span = call.arguments[0].span
    return span is None or span.lo < 0


@function("sqrt", _one_real, span=_root_span, may_be_null=_root_may_be_null)
def _sqrt(_: Call, operand: float) -> Value:
    return math.sqrt(operand) if operand >= 0 else None


def _floor_span(call: Call) -> Span | None:
    span = call.arguments[0].span
    return Span(Fraction(math.floor(span.lo)), Fraction(math.floor(span.hi))) if span else None


@function("floor", _one_to_whole, span=_floor_span)
def _floor(call: Call, operand: float) -> Value:
    if call.type == REAL:
        return finite(float(math.floor(operand)))
    return int(operand // 10 ** call.arguments[0].type.scale)


def _ceil_span(call: Call) -> Span | None:
    span = call.arguments[0].span
    return Span(Fraction(math.ceil(span.lo)), Fraction(math.ceil(span.hi))) if span else None


@function("ceil", _one_to_whole, span=_ceil_span)
def _ceil(call: Call, operand: float) -> Value:
    if call.type == REAL:
        return finite(float(math.ceil(operand)))
    return int(-(-operand // 10 ** call.arguments[0].type.scale))
