"""Spark's types as ours, and the SQL that reads each: NaN, infinities, bytes that are no text and
what does not fit are NULL.

Each reading also says what it may lose, as for every engine; timestamps become whole microseconds.
"""

from __future__ import annotations

import re

from shoal.engines.column_reading import DAYS, ColumnReading, Loss
from shoal.engines.spark.functions import MOMENT_OF_DAY
from shoal.plan import BOOLEAN, INTEGER, REAL, TEXT, TIMESTAMP, decimal
from shoal.plan.facts import widest

_INTEGERS = {"tinyint", "smallint", "int", "bigint"}
_LOCAL = (
    "("
    + MOMENT_OF_DAY.replace("{0}", "CAST({0} AS DATE)")
    + " + HOUR({0}) * CAST(3600000000 AS BIGINT) + MINUTE({0}) * CAST(60000000 AS BIGINT) "
    "+ CAST(EXTRACT(SECOND FROM {0}) * 1000000 AS BIGINT))"
)
_FIRST_MOMENT, _LAST_MOMENT = (
    "TIMESTAMP_NTZ '0001-01-01 00:00:00'",
    "TIMESTAMP_NTZ '9999-12-31 23:59:59.999999'",
)


def reading_of(written: str) -> ColumnReading | None:
    """How a column of a Spark type is read; None if it has no type of ours.

    >>> reading_of("decimal(9,2)").type, reading_of("binary")
    (Type(kind=<Kind.DECIMAL: 'decimal'>, scale=2), None)
    """
    if written in _INTEGERS:
        return ColumnReading(INTEGER, "CAST({0} AS BIGINT)")
    if written in ("float", "double"):
        held = "CAST({0} AS DOUBLE)"
        finite = f"ABS({held}) <= CAST('1.7976931348623157e308' AS DOUBLE)"
        real = f"CASE WHEN {finite} THEN {held} + CAST('0.0' AS DOUBLE) END"
        return ColumnReading(REAL, real, Loss.TO_NULL)
    if written == "boolean":
        return ColumnReading(BOOLEAN, "{0}")
    if re.fullmatch(r"string( collate \S+)?|(var)?char\(\d+\)", written):
        plain = "{0}" if written == "string" else "COLLATE(CAST({0} AS STRING), 'UTF8_BINARY')"
        return ColumnReading(
            TEXT, f"CASE WHEN IS_VALID_UTF8({plain}) THEN {plain} END", Loss.TO_NULL
        )
    if written == "date":
        return DAYS
    return _moment(written) or _decimal(written)


def _moment(written: str) -> ColumnReading | None:
    if written == "timestamp":
        limits = widest(TIMESTAMP)
        assert limits is not None
        ends = " AND ".join(f"CAST({int(end)} AS BIGINT)" for end in (limits.lo, limits.hi))
        sql = "UNIX_MICROS({0})"
        inside = f"CASE WHEN {sql} BETWEEN {ends} THEN {sql} END"
    elif written == "timestamp_ntz":
        inside = f"CASE WHEN {{0}} BETWEEN {_FIRST_MOMENT} AND {_LAST_MOMENT} THEN {_LOCAL} END"
    else:
        return None
    return ColumnReading(TIMESTAMP, inside, Loss.TO_NULL)


def _decimal(written: str) -> ColumnReading | None:
    found = re.fullmatch(r"decimal\((\d+),\s*(\d+)\)", written)
    if not found:
        return None
    width, scale = int(found[1]), int(found[2])
    if scale == 0:
        return ColumnReading(INTEGER, "TRY_CAST({0} AS BIGINT)", Loss.TO_NULL)
    if width > 18:
        return ColumnReading(REAL, "CAST(CAST({0} AS STRING) AS DOUBLE)", Loss.DISTINCTION)
    power = f"CAST({10**scale} AS DECIMAL({scale + 1},0))"
    return ColumnReading(decimal(scale), f"CAST({{0}} * {power} AS BIGINT)")
