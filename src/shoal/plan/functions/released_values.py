"""Functions of released values only: EXP, LN, POWER and their like.

Engines compute them to different last bits, so they are never part of a row.  Released values are
public, and Python computes them here, once.  Their spans are enclosed by exact arithmetic.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from shoal.exact import ball, lower, upper
from shoal.plan.expression import Call, cast
from shoal.plan.facts import Span
from shoal.plan.functions.function import (
    FUNCTIONS,
    NUMBERS,
    Fitted,
    Function,
    always,
    no_length,
    require,
    touched_once,
    wrong_number,
)
from shoal.plan.types import REAL, Type, Value, finite

RELEASED: dict[str, Function] = {}
"""Every such function, by the name it has in the plan."""

_FARTHEST = 700
"""Beyond this, exp leaves the doubles."""
_SLACK = Fraction(1, 1 << 48)
"""What Python's functions may be off by, relative to the value, with room to spare."""

Exact = Callable[[Any], Any]


def _fit(count: int) -> Callable[..., Fitted]:
    def fit(arguments: tuple[Any, ...], _: Type | None) -> Fitted:
        if len(arguments) != count:
            raise wrong_number(count, len(arguments))
        for argument in arguments:
            require(argument, NUMBERS)
        return tuple(cast(argument, REAL) for argument in arguments), REAL

    return fit


def _total(compute: Callable[..., float]) -> Callable[..., Value]:
    def value(_: Call, *numbers: float) -> Value:
        try:
            return finite(compute(*numbers))
        except (ValueError, OverflowError, ZeroDivisionError):
            return None

    return value


def _rising(exact: Exact, inside: Callable[[Fraction], bool]) -> Callable[[Call], Span | None]:
    """The span of a function that rises where it is defined."""

    def span(call: Call) -> Span | None:
        found = call.arguments[0].span
        if found is None or not (inside(found.lo) and inside(found.hi)):
            return None
        lo, hi = lower(lambda: exact(ball(found.lo))), upper(lambda: exact(ball(found.hi)))
        return Span(lo - abs(lo) * _SLACK, hi + abs(hi) * _SLACK)

    return span


def _power_span(call: Call) -> Span | None:
    base, exponent = (argument.span for argument in call.arguments)
    if base is None or exponent is None or exponent.lo != exponent.hi:
        return None
    power = exponent.lo
    if power.denominator != 1 or not 0 <= power <= 16:
        return None
    ends = [base.lo ** int(power), base.hi ** int(power)]
    if power % 2 == 0 and base.lo < 0 < base.hi:
        ends.append(Fraction(0))
    return Span(min(ends) - abs(min(ends)) * _SLACK, max(ends) + abs(max(ends)) * _SLACK)


def _enter(
    name: str,
    count: int,
    compute: Callable[..., float],
    span: Callable[[Call], Span | None],
) -> None:
    RELEASED[name] = Function(
        name, _fit(count), _total(compute), span, always, strict=True,
        written=f"{name.upper()}({{*}})", length=no_length, work=touched_once, uses=1,
    )  # fmt: skip


def _positive(end: Fraction) -> bool:
    return end > 0


_enter("exp", 1, math.exp, _rising(lambda x: x.exp(), lambda end: abs(end) < _FARTHEST))
_enter("ln", 1, math.log, _rising(lambda x: x.log(), _positive))
_enter("log10", 1, math.log10, _rising(lambda x: x.log() / ball(10).log(), _positive))
_enter("log2", 1, math.log2, _rising(lambda x: x.log() / ball(2).log(), _positive))
_enter("power", 2, math.pow, _power_span)

EVERY = {**FUNCTIONS, **RELEASED}
"""The functions of rows and those of released values."""
