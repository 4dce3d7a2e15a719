"""The ends of an interval as values of their column's type, rounded outward: what every face of an
answer shows.
"""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

from shoal.exact import float_down, float_up
from shoal.plan import Kind, Type
from shoal.plan.values import EPOCH, MICROSECOND, written
from shoal.query.estimates import Interval

End = int | float | Decimal | dt.date | None
"""An end in the type of its column; None where there is none."""
Ends = tuple[End, End]

_DAY = dt.timedelta(days=1)


def ends_in(kind: Type, between: Interval) -> Ends:
    """The ends of an interval as values of a type.

    Guarantee: what lies in the interval lies between them.
    """
    return _end(kind, between.lo, math.floor), _end(kind, between.hi, math.ceil)


def interval_of(ends: Ends) -> Interval:
    """The interval again, on the number line of its type (days for dates, microseconds for
    timestamps).
    """
    low, high = map(_number, ends)
    return Interval(
        -math.inf if low is None else float_down(low), math.inf if high is None else float_up(high)
    )


def whole_units(kind: Type, between: Interval) -> Interval:
    """An interval of whole numbers, its ends rounded outward to whole numbers."""
    if kind.kind is not Kind.INTEGER:
        return between
    lo, hi = between.lo, between.hi  # the floor and the ceiling of a float are floats again
    return Interval(
        float(math.floor(lo)) if math.isfinite(lo) else lo,
        float(math.ceil(hi)) if math.isfinite(hi) else hi,
    )


def _end(kind: Type, end: float, side: Any) -> End:
    if not math.isfinite(end):
        return None
    try:
        match kind.kind:
            case Kind.INTEGER:
                return int(side(end))
            case Kind.DECIMAL:
                found = written(side(Fraction(end) * 10**kind.scale), kind)
                assert isinstance(found, Decimal)
                return found
            case Kind.DATE:
                return dt.date.fromordinal(side(end) + EPOCH.toordinal())
            case Kind.TIMESTAMP:
                moment: dt.datetime = EPOCH + side(end) * MICROSECOND
                return moment
            case _:
                return end
    except (OverflowError, ValueError):  # no calendar goes there
        return None


def _number(end: End) -> Fraction | None:
    if end is None:
        return None
    if isinstance(end, dt.datetime):
        return Fraction((end - EPOCH) // MICROSECOND)
    if isinstance(end, dt.date):
        return Fraction((end - EPOCH.date()) // _DAY)
    return Fraction(end)
