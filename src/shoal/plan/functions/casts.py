"""Casts: every pair of types that has one, each total and the same on every engine.

Text is read by a fixed grammar, so that no engine's own leniency shows.  Reals have no cast to
text: engines write the same double in different ways.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from fractions import Fraction

from shoal.errors import ExpressionError
from shoal.plan.expression import Call, Expression
from shoal.plan.facts import Span, widest
from shoal.plan.functions.dates import DAY
from shoal.plan.functions.function import Fitted, function, overflows, rounded, wrong_number
from shoal.plan.types import (
    INTEGER,
    REAL,
    Kind,
    Type,
    Value,
    decimal_units,
    finite,
    from_units,
    nearest,
    rescaled,
    within,
)

TEXT_FORMS = {
    Kind.INTEGER: r"[-+]?[0-9]{1,19}",
    Kind.DECIMAL: r"[-+]?[0-9]{1,18}([.][0-9]{0,18})?",
    Kind.REAL: r"[-+]?([0-9]{1,300}([.][0-9]{0,300})?|[.][0-9]{1,300})([eE][-+]?[0-9]{1,4})?",
    Kind.DATE: r"[0-9]{4}-[0-9]{2}-[0-9]{2}",
    Kind.TIMESTAMP: r"[0-9]{4}-[0-9]{2}-[0-9]{2}[ T]([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]([.][0-9]{1,6})?",
    Kind.BOOLEAN: r"[Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee]",
}
"""How each kind is written in text; text of another form casts to NULL.  Letters and digits are
ASCII.
"""

_FORMS = {kind: re.compile(form) for kind, form in TEXT_FORMS.items()}
_TARGETS = {
    Kind.INTEGER: {Kind.DECIMAL, Kind.REAL, Kind.TEXT, Kind.BOOLEAN},
    Kind.DECIMAL: {Kind.INTEGER, Kind.DECIMAL, Kind.REAL},
    Kind.REAL: {Kind.INTEGER, Kind.DECIMAL},
    Kind.TEXT: set(TEXT_FORMS),
    Kind.BOOLEAN: {Kind.INTEGER, Kind.TEXT},
    Kind.DATE: {Kind.TIMESTAMP, Kind.TEXT},
    Kind.TIMESTAMP: {Kind.DATE},
}


def _fit(arguments: tuple[Expression, ...], to: Type | None) -> Fitted:
    if len(arguments) != 1 or to is None:
        raise wrong_number(1, len(arguments))
    source = arguments[0].type
    if source != to and to.kind not in _TARGETS[source.kind]:
        allowed = ", ".join(sorted(_TARGETS[source.kind]))
        raise ExpressionError(
            f"a {source} has no cast to {to} that is the same on every engine.",
            remedy=f"A {source.kind} can be cast to: {allowed}.",
        )
    return arguments, to


def _ends(call: Call) -> tuple[Fraction, Fraction] | None:
    """The ends of the results, before what does not fit is NULL."""
    span, source, to = call.arguments[0].span, call.arguments[0].type, call.type
    if source.kind is Kind.BOOLEAN and to.kind is Kind.INTEGER:
        return Fraction(0), Fraction(1)
    if span is None or not source.ordered or not to.ordered:
        return None
    if source.temporal:
        day = Fraction(DAY[to.kind], DAY[source.kind])
        return (
            Fraction(math.floor(span.lo * day)) if day < 1 else span.lo * day,
            Fraction(math.floor(span.hi * day)) if day < 1 else span.hi * day,
        )
    return _at_scale(span.lo, source, to), _at_scale(span.hi, source, to)


def _at_scale(end: Fraction, source: Type, to: Type) -> Fraction:
    if source.exact and to == REAL:
        return Fraction(from_units(int(end * 10**source.scale), source))
    if source == REAL:
        units = _scaled_real(nearest(end), to)
        return end if units is None else Fraction(units, 10**to.scale)
    return Fraction(rescaled(int(end * 10**source.scale), to.scale - source.scale), 10**to.scale)


def _span(call: Call) -> Span | None:
    ends = _ends(call)
    if ends is None:
        return widest(call.type) if call.type.temporal else None
    return Span(*ends) if call.type.temporal else rounded(*ends, call.type)


def _may_be_null(call: Call) -> bool:
    source, to = call.arguments[0].type, call.type
    if source == to or source.temporal or source.kind is Kind.BOOLEAN:
        return False
    if to.kind in (Kind.TEXT, Kind.BOOLEAN):
        return source.kind is Kind.TEXT
    if source.exact and to == REAL:
        return False
    ends = _ends(call)
    return ends is None or overflows(*ends, to)


def _scaled_real(number: float, to: Type) -> int | None:
    """A real in units of a scale: ties to even for integers, away from zero for decimals, as in
    DuckDB.
    """
    if to == INTEGER:
        return round(number)
    scaled = finite(number * float(10**to.scale))
    if scaled is None or abs(scaled) >= 2.0**63:
        return None
    whole = math.trunc(scaled)
    return whole + ((scaled > 0) - (scaled < 0) if abs(scaled - whole) >= 0.5 else 0)


_WRITTEN = {Kind.INTEGER: 20, Kind.BOOLEAN: 5, Kind.DATE: 10}
"""The most characters that a value is written in."""


def _length(call: Call) -> int:
    source = call.arguments[0]
    return source.length if source.type.kind is Kind.TEXT else _WRITTEN[source.type.kind]


@function(
    "cast",
    _fit,
    span=_span,
    may_be_null=_may_be_null,
    written="CAST({0} AS {type})",
    length=_length,
)
def _cast(call: Call, value: object) -> Value:
    source, to = call.arguments[0].type, call.type
    if isinstance(value, str):
        return _from_text(value, to)
    if isinstance(value, bool):
        return ("true" if value else "false") if to.kind is Kind.TEXT else int(value)
    if isinstance(value, dt.datetime):
        return value if to.kind is Kind.TIMESTAMP else value.date()
    if isinstance(value, dt.date):
        if to.kind is Kind.TEXT:
            return value.isoformat()
        return value if to.kind is Kind.DATE else dt.datetime.combine(value, dt.time())
    if isinstance(value, float):
        return value if to == REAL else _checked(_scaled_real(value, to))
    assert isinstance(value, int)
    match to.kind:
        case Kind.TEXT:
            return str(value)
        case Kind.BOOLEAN:
            return value != 0
        case Kind.REAL:
            return from_units(value, source)
    return within(rescaled(value, to.scale - source.scale))


def _checked(units: int | None) -> int | None:
    return None if units is None else within(units)


def _from_text(text: str, to: Type) -> Value:
    if to.kind is Kind.TEXT:
        return text
    if not _FORMS[to.kind].fullmatch(text):
        return None
    try:
        match to.kind:
            case Kind.INTEGER:
                return within(int(text))
            case Kind.DECIMAL:
                return decimal_units(text, to.scale)
            case Kind.REAL:
                return finite(float(text))
            case Kind.DATE:
                return dt.date.fromisoformat(text)
            case Kind.TIMESTAMP:
                head, _, fraction = text.partition(".")
                moment = dt.datetime.fromisoformat(head)
                return moment.replace(microsecond=int(fraction.ljust(6, "0") or 0))
            case _:
                return text.lower() == "true"
    except ValueError:
        return None
