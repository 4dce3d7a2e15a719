"""Constants as SQL, each with its type and to the last bit."""

from __future__ import annotations

import datetime as dt

from shoal.engines.sql.dialect import Dialect
from shoal.plan import Literal, Type, Value


def literal(constant: Literal, dialect: Dialect) -> str:
    """A literal of the plan."""
    return value(constant.value, constant.type, dialect)


def value(given: Value, kind: Type, dialect: Dialect) -> str:
    """A value of a type."""
    if given is None:
        return f"CAST(NULL AS {dialect.types[kind.kind]})"
    if isinstance(given, bool):
        return "TRUE" if given else "FALSE"
    if isinstance(given, str):
        return dialect.text(given)
    if isinstance(given, dt.datetime):
        return dialect.moment(given)
    if isinstance(given, dt.date):
        return f"DATE '{given.isoformat()}'"
    return real(given) if isinstance(given, float) else whole(given)


def real(number: float) -> str:
    """A double, by the shortest decimal that reads back as the same."""
    return f"CAST('{float(number)!r}' AS DOUBLE)"


def whole(number: int) -> str:
    return f"CAST({number} AS BIGINT)"
