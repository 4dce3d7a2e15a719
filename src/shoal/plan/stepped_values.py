"""Values that follow from the ends of a range: bins, the first days of months, parts of dates.

A function that rises in steps takes every value between those of the two ends, so its values are
listed without trying those of its column.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterator
from fractions import Fraction

from shoal.plan.expression import Call, Expression, Literal
from shoal.plan.functions.dates import PARTS, part_of, start_of
from shoal.plan.types import REAL, Kind, Value, value_at

STEPPED = ("date_trunc", "date_part", "bin", "floor", "ceil", "round", "int_divide", "width_bucket")
"""Functions of few values; what an expression makes of them has as few."""

_NEXT = {
    "year": dt.timedelta(days=366),
    "quarter": dt.timedelta(days=93),
    "month": dt.timedelta(days=32),
    "week": dt.timedelta(days=7),
    "day": dt.timedelta(days=1),
    "hour": dt.timedelta(hours=1),
    "minute": dt.timedelta(minutes=1),
    "second": dt.timedelta(seconds=1),
}
"""From the first moment of a unit, so much later lies in the next one."""
_MANY_DAYS = 1500
"""Of a longer range, the parts of dates are all there can be."""


def stepped_values(call: Expression, most: int) -> tuple[Value, ...] | None:
    """Every value but NULL of a function that rises in steps, in order; None if it is none, or has
    too many.
    """
    if not isinstance(call, Call) or call.name not in ("date_trunc", "date_part", "bin"):
        return None
    span = call.arguments[0 if call.name == "bin" else 1].span
    if span is None:
        return None
    if call.name == "bin":
        return _bins(call, span.lo, span.hi, most)
    unit, kind = call.arguments[0], call.arguments[1].type
    assert isinstance(unit, Literal)
    lo, hi = value_at(span.lo, kind), value_at(span.hi, kind)
    assert isinstance(lo, dt.date)
    assert isinstance(hi, dt.date)
    if call.name == "date_part":
        return _parts(str(unit.value), lo, hi)
    found: list[Value] = []
    for moment in _starts(str(unit.value), lo, hi):
        if len(found) >= most:
            return None
        found.append(moment)
    return tuple(found)


def _starts(unit: str, lo: dt.date, hi: dt.date) -> Iterator[dt.date]:
    moment = start_of(unit, lo)
    while moment <= hi:
        yield moment
        try:
            moment = start_of(unit, moment + _NEXT[unit])
        except OverflowError:
            return


def _parts(name: str, lo: dt.date, hi: dt.date) -> tuple[Value, ...] | None:
    if name == "year":
        return tuple(range(lo.year, hi.year + 1))
    if name in ("hour", "minute", "second"):
        first, last = PARTS[name]
        return tuple(range(first, last + 1))
    days = (hi - lo).days
    if days > _MANY_DAYS:
        first, last = PARTS[name]
        return tuple(range(first, last + 1))
    one = dt.timedelta(days=1)
    return tuple(
        sorted({part_of(name, lo + at * one) for at in range(days + 1)} | {part_of(name, hi)})
    )


def _bins(call: Call, lo: Fraction, hi: Fraction, most: int) -> tuple[Value, ...] | None:
    """The ends of bins, computed as the function computes them."""
    if call.type.kind not in (Kind.INTEGER, Kind.DECIMAL, Kind.REAL):
        return None
    ends = [call.function.of(call, [_cell(end, call), *_constants(call)]) for end in (lo, hi)]
    first, last = ends
    if not isinstance(first, int | float) or not isinstance(last, int | float):
        return None
    width, origin = _constants(call)[:2]
    assert isinstance(width, int | float)
    assert isinstance(origin, int | float)
    if call.type != REAL:
        assert isinstance(first, int)
        assert isinstance(last, int)
        return tuple(range(first, last + 1, int(width))) if (last - first) / width < most else None
    if (last - first) / width >= most:
        return None
    begin, end = (math.floor((float(each) - origin) / width) for each in (lo, hi))
    found = {k * width + origin + 0.0 for k in range(begin - 1, end + 2)}
    return tuple(sorted(each for each in found if first <= each <= last))


def _constants(call: Call) -> list[Value]:
    return [each.value if isinstance(each, Literal) else None for each in call.arguments[1:]]


def _cell(end: Fraction, call: Call) -> Value:
    return value_at(end, call.arguments[0].type)
