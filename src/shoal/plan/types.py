"""The seven types of a value, and which type two of them have in common.

Every number that is exact is a 64-bit whole number of units: an integer counts ones, a decimal of
scale s counts units of 10^-s.  A real is an IEEE double, always finite, and its zero has no sign.
Dates run from 0001-01-01 to 9999-12-31, timestamps are microseconds of the same years without a
zone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

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
