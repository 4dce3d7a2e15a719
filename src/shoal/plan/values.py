"""Values as the row language sees them: read totally, written plainly, and placed on the number
line.

Inside the plan an exact number is its whole number of units, a real is a finite float whose zero
has no sign, and NULL is None.  Whatever does not fit its type is NULL: that is the rule for bad
data.
"""

from __future__ import annotations

import datetime as dt
import math
from decimal import ROUND_HALF_UP, Context, Decimal, InvalidOperation
from fractions import Fraction

from shoal.plan.types import LEAST_INTEGER, MOST_INTEGER, Kind, Type

Value = int | float | str | bool | dt.date | dt.datetime | None
"""What a cell holds inside the plan; None is NULL."""

EPOCH = dt.datetime(1970, 1, 1)
MICROSECOND = dt.timedelta(microseconds=1)
_WIDE = Context(prec=100, rounding=ROUND_HALF_UP)
_FURTHEST = 400


def is_broken(text: str) -> bool:
    """Whether a text holds what no table can: NUL, or half of a surrogate pair, which has no bytes
    in UTF-8.

    >>> is_broken("a" + chr(0)), is_broken(chr(0xD800)), is_broken("fish")
    (True, True, False)
    """
    try:
        return b"\0" in text.encode()
    except UnicodeEncodeError:
        return True


def within(number: int) -> int | None:
    """A whole number if it fits 64 bits."""
    return number if LEAST_INTEGER <= number <= MOST_INTEGER else None


def finite(number: float) -> float | None:
    """A float if it is finite, with the sign of its zero taken off."""
    return number + 0.0 if math.isfinite(number) else None


def nearest(number: Fraction | int) -> float:
    """The double nearest to a rational; infinite beyond the largest."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def read(value: object, kind: Type) -> Value:
    """A cell of the data as a value of its type; NULL if it is not one.

    >>> from shoal.plan.types import INTEGER, REAL, decimal
    >>> read(2**63, INTEGER), read(float("nan"), REAL), read(Decimal("1.50"), decimal(2))
    (None, None, 150)
    """
    match kind.kind:
        case Kind.INTEGER | Kind.DECIMAL:
            return _read_exact(value, kind)
        case Kind.REAL:
            return _read_real(value)
        case Kind.TEXT:
            return value if isinstance(value, str) else None
        case Kind.BOOLEAN:
            return value if isinstance(value, bool) else None
        case Kind.DATE:
            plain = isinstance(value, dt.date) and not isinstance(value, dt.datetime)
            return value if plain and isinstance(value, dt.date) else None
        case Kind.TIMESTAMP:
            return _read_timestamp(value)


def _read_exact(value: object, kind: Type) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        return None
    units = Decimal(value)
    if not units.is_finite() or units.adjusted() > 40:
        return None
    return within(int(units.scaleb(kind.scale, _WIDE).to_integral_value(context=_WIDE)))


def _read_real(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return None
    if isinstance(value, float):
        return finite(value)
    exact = Decimal(value)
    if not exact.is_finite() or exact.adjusted() > _FURTHEST:
        return None
    # Closer to 0 than any double; written out as a fraction it could have a billion digits.
    return 0.0 if exact.adjusted() < -_FURTHEST else finite(nearest(Fraction(exact)))


def _read_timestamp(value: object) -> dt.datetime | None:
    if not isinstance(value, dt.datetime):
        return None
    if value.tzinfo is None:
        return value
    try:
        return value.astimezone(dt.UTC).replace(tzinfo=None)
    except OverflowError:
        return None


def written(value: Value, kind: Type) -> object:
    """A value as people and other programs expect it: exact numbers with a point as `Decimal`.

    >>> from shoal.plan.types import decimal
    >>> written(150, decimal(2))
    Decimal('1.50')
    """
    if kind.kind is Kind.DECIMAL and isinstance(value, int):
        return Decimal(value).scaleb(-kind.scale, _WIDE)
    return value


def from_units(units: int, kind: Type) -> float:
    """The real that an exact number becomes: its units as a double, divided once by a power of
    ten.
    """
    return float(units) / float(10**kind.scale) if kind.scale else float(units)


def rescaled(units: int, by: int) -> int:
    """Units of one scale as units of another; halves go away from zero."""
    if by >= 0:
        return int(units * 10**by)
    step = int(10**-by)
    size = (abs(units) + step // 2) // step
    return size if units >= 0 else -size


def decimal_units(text: str, scale: int) -> int | None:
    """The units of a decimal written in digits; None if it does not fit."""
    try:
        scaled = Decimal(text).scaleb(scale, _WIDE)
    except InvalidOperation:
        return None
    return within(int(scaled.to_integral_value(context=_WIDE)))


def number_of(value: Value, kind: Type) -> Fraction | None:
    """Where a value stands on the number line: days for dates, microseconds for timestamps.

    >>> from shoal.plan.types import DATE
    >>> number_of(dt.date(1970, 1, 3), DATE)
    Fraction(2, 1)
    """
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return None
    if isinstance(value, dt.datetime):
        return Fraction((value - EPOCH) // MICROSECOND)
    if isinstance(value, dt.date):
        return Fraction(value.toordinal() - EPOCH.toordinal())
    return Fraction(value) / int(10**kind.scale)


def value_at(number: Fraction, kind: Type) -> Value:
    """The value of a type at a place on the number line, rounded down to one of the type's."""
    match kind.kind:
        case Kind.REAL:
            return nearest(number)
        case Kind.DATE:
            return dt.date.fromordinal(math.floor(number) + EPOCH.toordinal())
        case Kind.TIMESTAMP:
            return EPOCH + math.floor(number) * MICROSECOND
        case _:
            return math.floor(number * int(10**kind.scale))
