"""The seven types of a value, which type two of them have in common, and values: read totally,
written plainly, and placed on the number line.

Every number that is exact is a 64-bit whole number of units: an integer counts ones, a decimal of
scale s counts units of 10^-s.  A real is an IEEE double, always finite, and its zero has no sign.
Dates run from 0001-01-01 to 9999-12-31, timestamps are microseconds of the same years without a
zone.  Whatever does not fit its type is NULL, which is None: that is the rule for bad data.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal, InvalidOperation
from enum import StrEnum
from fractions import Fraction

from shoal.errors import ExpressionError, SchemaError
from shoal.exact import whole

LEAST_INTEGER = -(2**63)
MOST_INTEGER = 2**63 - 1
LARGEST_SCALE = 18


class Kind(StrEnum):
    """What a value is."""

    INTEGER = "integer"
    DECIMAL = "decimal"
    REAL = "real"
    TEXT = "text"
    BOOLEAN = "boolean"
    DATE = "date"
    TIMESTAMP = "timestamp"


@dataclass(frozen=True, slots=True)
class Type:
    """A kind, and for decimals the number of digits after the point.

    >>> print(Type(Kind.REAL), decimal(2))
    real decimal(2)
    """

    kind: Kind
    scale: int = 0

    def __post_init__(self) -> None:
        whole(self.scale, "scale", at_least=0)
        if self.scale > LARGEST_SCALE or (self.scale and self.kind is not Kind.DECIMAL):
            raise ExpressionError(
                f"a {self.kind} cannot have {self.scale} digits after the point.",
                remedy=f"Give decimals 0 to {LARGEST_SCALE} digits, and other types none.",
            )

    @property
    def exact(self) -> bool:
        """Whether a value is a whole number of units."""
        return self.kind in (Kind.INTEGER, Kind.DECIMAL)

    @property
    def numeric(self) -> bool:
        return self.exact or self.kind is Kind.REAL

    @property
    def temporal(self) -> bool:
        return self.kind in (Kind.DATE, Kind.TIMESTAMP)

    @property
    def ordered(self) -> bool:
        """Whether a `Range` can be stated for it."""
        return self.numeric or self.temporal

    def __str__(self) -> str:
        return f"decimal({self.scale})" if self.kind is Kind.DECIMAL else str(self.kind)


INTEGER = Type(Kind.INTEGER)
REAL = Type(Kind.REAL)
TEXT = Type(Kind.TEXT)
BOOLEAN = Type(Kind.BOOLEAN)
DATE = Type(Kind.DATE)
TIMESTAMP = Type(Kind.TIMESTAMP)


def decimal(scale: int) -> Type:
    """The type of exact numbers with ``scale`` digits after the point; without any, the
    integers.
    """
    return Type(Kind.DECIMAL, scale) if scale else INTEGER


def type_named(written: object) -> Type:
    """The type that a text names, or a type as it is.

    >>> type_named("decimal(2)") == decimal(2), type_named("text") == TEXT
    (True, True)
    """
    if isinstance(written, Type):
        return written
    found = re.fullmatch(r"decimal\(([0-9]{1,2})\)", str(written))
    if found and int(found[1]) <= LARGEST_SCALE:
        return decimal(int(found[1]))
    if isinstance(written, str) and written in set(Kind) - {Kind.DECIMAL}:
        return Type(Kind(written))
    raise SchemaError(
        f"{str(written)[:40]!r} is not a type.",
        remedy=f"The types are: {', '.join(Kind)}, decimals as decimal(2).",
    )


def common_type(left: Type, right: Type) -> Type | None:
    """The type in which two values can be compared or mixed; None if there is none.

    >>> common_type(INTEGER, decimal(2)), common_type(DATE, TIMESTAMP) == TIMESTAMP
    (Type(kind=<Kind.DECIMAL: 'decimal'>, scale=2), True)
    """
    if left == right:
        return left
    if left.exact and right.exact:
        return decimal(max(left.scale, right.scale))
    if left.numeric and right.numeric:
        return REAL
    if left.temporal and right.temporal:
        return TIMESTAMP
    return None


# values

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
