"""Rounding and bins: ROUND to a number of digits, BIN and WIDTH_BUCKET."""

from __future__ import annotations

import math
from fractions import Fraction

from shoal.errors import ExpressionError
from shoal.plan.expression import Call, Expression, Literal, cast
from shoal.plan.facts import Span
from shoal.plan.functions.function import NUMBERS, Fitted, constant, function, require, rounded
from shoal.plan.types import (
    INTEGER,
    REAL,
    Kind,
    Type,
    Value,
    common_type,
    decimal,
    finite,
    number_of,
    rescaled,
    value_at,
    within,
)

MOST_DIGITS = 15
WHOLE_REALS = 2.0**52
"""From here on every double is a whole number."""


def _fit_round(arguments: tuple[Expression, ...], _: Type | None) -> Fitted:
    if len(arguments) == 1:
        arguments = (*arguments, Literal(0, INTEGER))
    if len(arguments) != 2:
        raise ExpressionError("ROUND takes a number and digits.", remedy="Write ROUND(x, 2).")
    operand, digits = arguments
    require(operand, NUMBERS)
    count = constant(digits, "the number of digits")
    if type(count) is not int or not 0 <= count <= MOST_DIGITS:
        raise ExpressionError(
            f"the number of digits must be a whole number from 0 to {MOST_DIGITS}.",
            remedy="Write ROUND(x, 2); for tens and hundreds use BIN(x, 100).",
        )
    kind = operand.type
    return (operand, digits), decimal(min(kind.scale, count)) if kind.exact else REAL


def _round_span(call: Call) -> Span | None:
    span = call.arguments[0].span
    if span is None:
        return None
    if call.type == REAL:
        digits = _digits(call)
        lo, hi = (_round_real(value_at(end, REAL), digits) for end in (span.lo, span.hi))
        return Span(Fraction(lo), Fraction(hi))
    lo_units, hi_units = (
        _round_units(int(end * 10 ** call.arguments[0].type.scale), call)
        for end in (span.lo, span.hi)
    )
    unit = 10**call.type.scale
    return Span(Fraction(lo_units, unit), Fraction(hi_units, unit))


def _digits(call: Call) -> int:
    digits = call.arguments[1]
    assert isinstance(digits, Literal)
    assert isinstance(digits.value, int)
    return digits.value


def _round_real(operand: Value, digits: int) -> float:
    assert isinstance(operand, float)
    power = float(10**digits)
    scaled = operand * power
    if not abs(scaled) < WHOLE_REALS:
        return operand
    whole = math.trunc(scaled)
    if abs(scaled - whole) >= 0.5:
        whole += 1 if scaled > 0 else -1
    return whole / power + 0.0


def _round_units(units: int, call: Call) -> int:
    return rescaled(units, call.type.scale - call.arguments[0].type.scale)


@function("round", _fit_round, span=_round_span)
def _round(call: Call, operand: float, digits: int) -> Value:
    if call.type == REAL:
        return _round_real(operand, digits)
    return _round_units(int(operand), call)


def _fit_bin(arguments: tuple[Expression, ...], _: Type | None) -> Fitted:
    if len(arguments) == 2:
        arguments = (*arguments, Literal(0, INTEGER))
    if len(arguments) != 3:
        raise ExpressionError(
            "BIN takes a number, a width and perhaps an origin.", remedy="Write BIN(age, 10)."
        )
    for argument in arguments:
        require(argument, NUMBERS)
    constant(arguments[1], "the width of a bin"), constant(arguments[2], "the origin of the bins")
    kind = arguments[0].type
    for argument in arguments[1:]:
        found = common_type(kind, argument.type)
        assert found is not None
        kind = found
    made = tuple(cast(argument, kind) for argument in arguments)
    width = constant(made[1], "the width of a bin")
    constant(made[2], "the origin of the bins")
    if not isinstance(width, int | float) or width <= 0:
        raise ExpressionError(
            "the width of a bin must be above 0.", remedy="Write BIN(x, 10) for 0, 10, 20, ..."
        )
    return made, kind


def _bin_start(kind: Type, operand: float, width: float, origin: float) -> Value:
    if kind == REAL:
        steps = finite((operand - origin) / width)
        return None if steps is None else finite(math.floor(steps) * width + origin)
    return within(int((operand - origin) // width * width + origin))


def _bin_span(call: Call) -> Span | None:
    span, *rest = (argument.span for argument in call.arguments)
    if span is None or any(other is None for other in rest):
        return None
    width, origin = (a.value for a in call.arguments[1:] if isinstance(a, Literal))
    assert isinstance(width, int | float)
    assert isinstance(origin, int | float)
    kind = call.type
    ends = [value_at(end, kind) for end in (span.lo, span.hi)]
    starts = [
        number_of(_bin_start(kind, end, width, origin), kind)
        for end in ends
        if isinstance(end, int | float)
    ]
    if any(start is None for start in starts):
        return None
    lo, hi = (start for start in starts if start is not None)
    return rounded(lo, hi, kind)


@function("bin", _fit_bin, span=_bin_span, may_be_null=lambda call: _bin_span(call) is None)
def _bin(call: Call, operand: float, width: float, origin: float) -> Value:
    return _bin_start(call.type, operand, width, origin)


def _fit_bucket(arguments: tuple[Expression, ...], _: Type | None) -> Fitted:
    if len(arguments) != 4:
        raise ExpressionError(
            "WIDTH_BUCKET takes a number, two ends and a number of buckets.",
            remedy="Write WIDTH_BUCKET(age, 0, 100, 10).",
        )
    for argument in arguments[:3]:
        require(argument, NUMBERS)
    kind = arguments[0].type
    for argument in arguments[1:3]:
        kind = common_type(kind, argument.type) or REAL
    made = tuple(cast(argument, kind) for argument in arguments[:3])
    lo, hi = (constant(end, "an end of the buckets") for end in made[1:])
    count = constant(arguments[3], "the number of buckets")
    in_order = isinstance(lo, int | float) and isinstance(hi, int | float) and lo < hi
    if not in_order or type(count) is not int or not 1 <= count <= 10**6:
        raise ExpressionError(
            "WIDTH_BUCKET needs ends that run upward and 1 to 1000000 buckets.",
            remedy="Write WIDTH_BUCKET(age, 0, 100, 10).",
        )
    if kind == REAL and finite(float(hi) - float(lo)) is None:  # type: ignore[arg-type]
        raise ExpressionError("the buckets are too wide.", remedy="Choose ends closer together.")
    return (*made, arguments[3]), INTEGER


def _bucket_of(kind: Type, operand: float, lo: float, hi: float, count: int) -> int:
    if operand < lo:
        return 0
    if operand >= hi:
        return count + 1
    if kind.kind is Kind.REAL:
        return min(math.floor((operand - lo) / (hi - lo) * count), count - 1) + 1
    return int((operand - lo) * count // (hi - lo)) + 1


def _bucket_span(call: Call) -> Span:
    lo, hi, count = (a.value for a in call.arguments[1:] if isinstance(a, Literal))
    assert isinstance(count, int)
    span, kind = call.arguments[0].span, call.arguments[0].type
    if span is None or not isinstance(lo, int | float) or not isinstance(hi, int | float):
        return Span(Fraction(0), Fraction(count + 1))
    ends = [value_at(end, kind) for end in (span.lo, span.hi)]
    low, high = (
        Fraction(_bucket_of(kind, end, lo, hi, count))
        for end in ends
        if isinstance(end, int | float)
    )
    return Span(low, high)


@function("width_bucket", _fit_bucket, span=_bucket_span)
def _width_bucket(call: Call, operand: float, lo: float, hi: float, count: int) -> Value:
    return _bucket_of(call.arguments[0].type, operand, lo, hi, count)
