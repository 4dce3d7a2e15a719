"""A line that came from Spark, in values of the plan."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from shoal.plan import Kind, Type, Value
from shoal.plan.types import EPOCH, MICROSECOND


def pythonic(line: Sequence[Any], kinds: Sequence[Type]) -> tuple[Value, ...]:
    """Each value of its type: timestamps come as microseconds, and the sign of a zero is taken off.

    >>> from shoal.plan import INTEGER, TIMESTAMP
    >>> pythonic((7, -1), (INTEGER, TIMESTAMP))
    (7, datetime.datetime(1969, 12, 31, 23, 59, 59, 999999))
    """
    return tuple(_one(value, kind.kind) for value, kind in zip(line, kinds, strict=True))


def _one(value: Any, kind: Kind) -> Value:
    if value is None:
        return None
    if kind is Kind.TIMESTAMP:
        return EPOCH + value * MICROSECOND  # type: ignore[no-any-return]
    return value + 0.0 if kind is Kind.REAL else value  # type: ignore[no-any-return]
