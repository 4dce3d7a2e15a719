"""DuckDB's types as ours, and the SQL that reads each: NaN, infinities and what does not fit are
NULL.
"""

from __future__ import annotations

import re

from shoal.engines.column_reading import DAYS, ColumnReading, Loss
from shoal.plan import BOOLEAN, INTEGER, REAL, TEXT, TIMESTAMP, decimal

_SMALL_INTEGERS = {"TINYINT", "SMALLINT", "INTEGER", "UTINYINT", "USMALLINT", "UINTEGER"}
_WIDE_INTEGERS = {"UBIGINT", "HUGEINT", "UHUGEINT", "BIGNUM"}
_FIRST_MOMENT, _LAST_MOMENT = (
    "TIMESTAMP '0001-01-01 00:00:00'",
    "TIMESTAMP '9999-12-31 23:59:59.999999'",
)
_MOMENTS = {
    "TIMESTAMP": "{0}",
    "TIMESTAMP_S": "TRY_CAST({0} AS TIMESTAMP)",
    "TIMESTAMP_MS": "TRY_CAST({0} AS TIMESTAMP)",
    "TIMESTAMP WITH TIME ZONE": "MAKE_TIMESTAMP(CASE WHEN ISFINITE({0}) THEN EPOCH_US({0}) END)",
}


def reading_of(written: str) -> ColumnReading | None:
    """How a column of a DuckDB type is read; None if it has no type of ours.

    >>> reading_of("DECIMAL(9,2)").type, reading_of("BLOB")
    (Type(kind=<Kind.DECIMAL: 'decimal'>, scale=2), None)
    """
    if written == "BIGINT":
        return ColumnReading(INTEGER, "{0}")
    if written in _SMALL_INTEGERS:
        return ColumnReading(INTEGER, "CAST({0} AS BIGINT)")
    if written in _WIDE_INTEGERS:
        return ColumnReading(INTEGER, "TRY_CAST({0} AS BIGINT)", Loss.TO_NULL)
    if written in ("FLOAT", "DOUBLE"):
        real = "CASE WHEN ISFINITE({0}) THEN CAST({0} AS DOUBLE) END"
        return ColumnReading(REAL, real, Loss.TO_NULL)
    if written == "BOOLEAN":
        return ColumnReading(BOOLEAN, "{0}")
    if written in ("VARCHAR", "UUID") or written.startswith("ENUM("):
        return ColumnReading(TEXT, "CAST({0} AS VARCHAR)")
    if written == "DATE":
        return DAYS
    return _moment(written) or _decimal(written)


def _moment(written: str) -> ColumnReading | None:
    loss = Loss.TO_NULL
    if written == "TIMESTAMP_NS":  # towards the past, as everywhere
        nanos = "CAST(CASE WHEN ISFINITE({0}) THEN EPOCH_NS({0}) END AS HUGEINT)"
        below = f"(({nanos} - ((({nanos} % 1000) + 1000) % 1000)) // 1000)"
        sql = f"MAKE_TIMESTAMP(CAST({below} AS BIGINT))"
        loss = Loss.DISTINCTION
    elif written in _MOMENTS:
        sql = _MOMENTS[written]
    else:
        return None
    inside = f"CASE WHEN {sql} BETWEEN {_FIRST_MOMENT} AND {_LAST_MOMENT} THEN {sql} END"
    return ColumnReading(TIMESTAMP, inside, loss)


def _decimal(written: str) -> ColumnReading | None:
    found = re.fullmatch(r"DECIMAL\((\d+),\s*(\d+)\)", written)
    if not found:
        return None
    width, scale = int(found[1]), int(found[2])
    if scale == 0:
        return ColumnReading(INTEGER, "TRY_CAST({0} AS BIGINT)", Loss.TO_NULL)
    if width > 18:
        return ColumnReading(REAL, "CAST(CAST({0} AS VARCHAR) AS DOUBLE)", Loss.DISTINCTION)
    power = f"CAST({10**scale} AS DECIMAL(19,0))"
    units = f"CAST(CAST({{0}} AS DECIMAL(38,{scale})) * {power} AS BIGINT)"
    return ColumnReading(decimal(scale), units)
