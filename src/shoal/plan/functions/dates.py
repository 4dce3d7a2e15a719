"""Dates and timestamps: their parts, their truncation, and differences in days."""

from __future__ import annotations

import datetime as dt
from fractions import Fraction

from shoal.errors import ExpressionError
from shoal.plan.expression import Call, Expression, Literal, cast
from shoal.plan.facts import Span, widest
from shoal.plan.functions.function import (
    MOMENTS,
    Fitted,
    constant,
    function,
    require,
    spans,
    wrong_number,
)
from shoal.plan.types import DATE, INTEGER, TIMESTAMP, Kind, Type, Value, number_of, value_at

PARTS = {
    "year": (1, 9999),
    "quarter": (1, 4),
    "month": (1, 12),
    "week": (1, 53),
    "day": (1, 31),
    "dow": (0, 6),
    "hour": (0, 23),
    "minute": (0, 59),
    "second": (0, 59),
}
"""Every part that can be extracted, with its least and its greatest value; Sunday is day 0 of a
week.
"""

_OF_A_DAY = ("hour", "minute", "second")
UNITS = ("year", "quarter", "month", "week", "day", "hour", "minute", "second")
"""What a moment can be truncated to; weeks begin on Monday."""


def _fit_part(arguments: tuple[Expression, ...], _: Type | None) -> Fitted:
    if len(arguments) != 2:
        raise wrong_number(2, len(arguments))
    name = constant(arguments[0], "the part of a date")
    if name not in PARTS:
        raise ExpressionError(
            f"{str(name)[:40]!r} is not a part of a date.",
            remedy=f"Choose from {', '.join(PARTS)}.",
        )
    require(arguments[1], MOMENTS)
    moment = arguments[1]
    return (arguments[0], cast(moment, TIMESTAMP) if name in _OF_A_DAY else moment), INTEGER


def _part_name(call: Call) -> str:
    name = call.arguments[0]
    assert isinstance(name, Literal)
    return str(name.value)


def part_of(name: str, moment: dt.date) -> int:
    """One part of a date or timestamp."""
    match name:
        case "quarter":
            return (moment.month + 2) // 3
        case "week":
            return moment.isocalendar().week
        case "dow":
            return moment.isoweekday() % 7
        case "hour":
            return moment.hour if isinstance(moment, dt.datetime) else 0
        case "minute":
            return moment.minute if isinstance(moment, dt.datetime) else 0
        case "second":
            return moment.second if isinstance(moment, dt.datetime) else 0
    return int(getattr(moment, name))


def _part_span(call: Call) -> Span:
    name = _part_name(call)
    span, kind = call.arguments[1].span, call.arguments[1].type
    if name == "year" and span is not None:
        ends = [value_at(end, kind) for end in (span.lo, span.hi)]
        lo, hi = (Fraction(end.year) for end in ends if isinstance(end, dt.date))
        return Span(lo, hi)
    return Span(*(Fraction(end) for end in PARTS[name]))


@function("date_part", _fit_part, span=_part_span)
def _date_part(_: Call, name: str, moment: dt.date) -> Value:
    return part_of(name, moment)


def _fit_trunc(arguments: tuple[Expression, ...], _: Type | None) -> Fitted:
    if len(arguments) != 2:
        raise wrong_number(2, len(arguments))
    unit = constant(arguments[0], "the unit of DATE_TRUNC")
    if unit not in UNITS:
        raise ExpressionError(
            f"{str(unit)[:40]!r} is not a unit to truncate to.",
            remedy=f"Choose from {', '.join(UNITS)}.",
        )
    require(arguments[1], MOMENTS)
    moment = arguments[1]
    fitted = cast(moment, TIMESTAMP) if unit in _OF_A_DAY else moment
    return (arguments[0], fitted), fitted.type


def start_of(unit: str, moment: dt.date) -> dt.date:
    """The first moment of the year, quarter, ... that a moment lies in."""
    if isinstance(moment, dt.datetime) and unit in _OF_A_DAY:
        minute = moment.minute if unit != "hour" else 0
        second = moment.second if unit == "second" else 0
        return moment.replace(minute=minute, second=second, microsecond=0)
    day = moment.date() if isinstance(moment, dt.datetime) else moment
    match unit:
        case "year":
            day = day.replace(month=1, day=1)
        case "quarter":
            day = day.replace(month=(day.month - 1) // 3 * 3 + 1, day=1)
        case "month":
            day = day.replace(day=1)
        case "week":
            day -= dt.timedelta(days=day.weekday())
    return dt.datetime.combine(day, dt.time()) if isinstance(moment, dt.datetime) else day


def _trunc_span(call: Call) -> Span | None:
    span, kind, unit = call.arguments[1].span, call.type, _part_name(call)
    if span is None:
        return widest(kind)
    ends = [value_at(end, kind) for end in (span.lo, span.hi)]
    places = [number_of(start_of(unit, end), kind) for end in ends if isinstance(end, dt.date)]
    lo, hi = (place for place in places if place is not None)
    return Span(lo, hi)


@function("date_trunc", _fit_trunc, span=_trunc_span)
def _date_trunc(_: Call, unit: str, moment: dt.date) -> Value:
    return start_of(unit, moment)


def _two_moments(arguments: tuple[Expression, ...], _: Type | None) -> Fitted:
    if len(arguments) != 2:
        raise wrong_number(2, len(arguments))
    days = tuple(_as_day(argument) for argument in arguments)
    return days, INTEGER


def _as_day(argument: Expression) -> Expression:
    if not (isinstance(argument, Literal) and isinstance(argument.value, str)):
        require(argument, MOMENTS)
    return cast(argument, DATE)


def _days_span(call: Call) -> Span | None:
    found = spans(call)
    if found is None:
        limits = widest(DATE)
        assert limits is not None
        size = limits.hi - limits.lo
        return Span(-size, size)
    return Span(found[0].lo - found[1].hi, found[0].hi - found[1].lo)


@function("days_between", _two_moments, span=_days_span, written="({0} - {1})")
def _days_between(_: Call, later: dt.date, earlier: dt.date) -> Value:
    return later.toordinal() - earlier.toordinal()


def _moment_and_days(arguments: tuple[Expression, ...], _: Type | None) -> Fitted:
    if len(arguments) != 2:
        raise wrong_number(2, len(arguments))
    require(arguments[0], MOMENTS)
    require(arguments[1], (Kind.INTEGER,))
    return (arguments[0], cast(arguments[1], INTEGER)), arguments[0].type


DAY = {Kind.DATE: 1, Kind.TIMESTAMP: 86_400_000_000}
"""How long a day is on the number line of a type."""
SECOND = 1_000_000
"""How long a second is on that of timestamps."""


def step_of(call: Call) -> int:
    """How far `add_days` or `add_seconds` moves a moment by one."""
    return SECOND if call.name == "add_seconds" else DAY[call.type.kind]


def _moved_ends(call: Call) -> tuple[Fraction, Fraction] | None:
    found = spans(call)
    if found is None:
        return None
    step = step_of(call)
    return found[0].lo + found[1].lo * step, found[0].hi + found[1].hi * step


def _moved_span(call: Call) -> Span | None:
    ends, limits = _moved_ends(call), widest(call.type)
    if ends is None or limits is None:
        return limits
    return Span(min(max(ends[0], limits.lo), limits.hi), max(min(ends[1], limits.hi), limits.lo))


def _may_leave_the_calendar(call: Call) -> bool:
    ends, limits = _moved_ends(call), widest(call.type)
    return ends is None or limits is None or ends[0] < limits.lo or ends[1] > limits.hi


@function(
    "add_days",
    _moment_and_days,
    span=_moved_span,
    may_be_null=_may_leave_the_calendar,
    written="({0} + {1})",
)
def _add_days(call: Call, moment: dt.date, days: int) -> Value:
    return _moved(call, moment, days)


def _moved(call: Call, moment: dt.date, count: int) -> Value:
    place, limits = number_of(moment, call.type), widest(call.type)
    assert place is not None
    assert limits is not None
    moved = place + count * step_of(call)
    return value_at(moved, call.type) if limits.lo <= moved <= limits.hi else None


def _moment_and_seconds(arguments: tuple[Expression, ...], _: Type | None) -> Fitted:
    if len(arguments) != 2:
        raise wrong_number(2, len(arguments))
    require(arguments[0], MOMENTS)
    require(arguments[1], (Kind.INTEGER,))
    constant(arguments[1], "the seconds of an interval")
    return (cast(arguments[0], TIMESTAMP), cast(arguments[1], INTEGER)), TIMESTAMP


@function(
    "add_seconds",
    _moment_and_seconds,
    span=_moved_span,
    may_be_null=_may_leave_the_calendar,
    written="({0} + INTERVAL ({1}) SECOND)",
)
def _add_seconds(call: Call, moment: dt.date, seconds: int) -> Value:
    return _moved(call, moment, seconds)
