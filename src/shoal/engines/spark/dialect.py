"""Spark's spellings: the same whatever the session's settings (ANSI mode, time zone, escapes,
precision of decimals).

Timestamps are held as whole microseconds since 1970, without a zone, so that no session's time zone
can show.  Names and texts are written in hexadecimal where a setting could give a sign in them a
meaning.
"""

from __future__ import annotations

import datetime as dt
import re

from shoal.engines.spark.functions import DAY_OF_MOMENT, MOMENT_OF_DAY, OWN
from shoal.engines.sql import Dialect
from shoal.plan import Kind
from shoal.plan.types import EPOCH, MICROSECOND

_PLAIN = re.compile(r"[A-Za-z0-9 _.,:;+=<>()\[\]-]*")


class SparkDialect(Dialect):
    """Spellings whose names and texts mean the same under every setting."""

    def name(self, name: str) -> str:
        """A name in hexadecimal: letters of either case differ, and nothing in it is
        substituted.
        """
        return "n" + name.encode().hex()

    def text(self, text: str) -> str:
        """A text constant; where a sign in it could mean something, its bytes."""
        if _PLAIN.fullmatch(text):
            return f"'{text}'"
        return f"CAST(X'{text.encode().hex()}' AS STRING)"

    def moment(self, moment: dt.datetime) -> str:
        """A timestamp constant, in microseconds."""
        return f"CAST({(moment - EPOCH) // MICROSECOND} AS BIGINT)"


SPARK = SparkDialect(
    types={
        Kind.INTEGER: "BIGINT",
        Kind.DECIMAL: "BIGINT",
        Kind.REAL: "DOUBLE",
        Kind.TEXT: "STRING",
        Kind.BOOLEAN: "BOOLEAN",
        Kind.DATE: "DATE",
        Kind.TIMESTAMP: "BIGINT",
    },
    wide="DECIMAL(38,0)",
    digits="DECIMAL(21,0)",
    nearest="CASE WHEN RINT({0}) >= CAST('-9223372036854775808' AS DOUBLE) "
    "AND RINT({0}) < CAST('9223372036854775808' AS DOUBLE) THEN CAST(RINT({0}) AS BIGINT) END",
    away="(RINT({0}) + CASE WHEN {0} > 0 AND {0} - RINT({0}) = CAST('0.5' AS DOUBLE) THEN 1 "
    "WHEN {0} < 0 AND RINT({0}) - {0} = CAST('0.5' AS DOUBLE) THEN -1 ELSE 0 END)",
    floor="CASE WHEN ABS({0}) < CAST('4503599627370496' AS DOUBLE) THEN CAST(FLOOR({0}) AS DOUBLE) ELSE {0} END",
    ceil="CASE WHEN ABS({0}) < CAST('4503599627370496' AS DOUBLE) THEN CAST(CEIL({0}) AS DOUBLE) ELSE {0} END",
    divided="({0} DIV {1})",
    tenth="FLOOR({0} / 10)",
    finite="(ABS({0}) <= CAST('1.7976931348623157e308' AS DOUBLE))",
    matches="({0} RLIKE {1})",
    anchored=r"\A(?:{0})\z",
    days_between="CAST(DATEDIFF({0}, {1}) AS BIGINT)",
    day_at="DATE_ADD(DATE '1970-01-01', CAST({0} AS INT))",
    microseconds="{0}",
    moment_at="CAST({0} AS BIGINT)",
    moment_of_day=MOMENT_OF_DAY,
    day_of_moment=DAY_OF_MOMENT,
    starts_with="STARTSWITH({0}, {1})",
    ends_with="ENDSWITH({0}, {1})",
    trims={
        "trim": "TRIM(BOTH ' ' FROM {0})",
        "ltrim": "TRIM(LEADING ' ' FROM {0})",
        "rtrim": "TRIM(TRAILING ' ' FROM {0})",
    },
    read_text={
        Kind.TIMESTAMP: "("
        + MOMENT_OF_DAY.replace("{0}", "TRY_CAST(LEFT({0}, 10) AS DATE)")
        + " + TRY_CAST(SUBSTRING({0}, 12, 2) AS BIGINT) * 3600000000"
        " + TRY_CAST(SUBSTRING({0}, 15, 2) AS BIGINT) * 60000000"
        " + TRY_CAST(SUBSTRING({0}, 18, 2) || RPAD(SUBSTRING({0}, 21, 6), 6, '0') AS BIGINT))"
    },
    cut="CASE WHEN OCTET_LENGTH({0}) > {1} THEN LEFT({0}, {1}) ELSE {0} END",
    word=22,
    canonical={Kind.REAL: "({0} + CAST('0.0' AS DOUBLE))"},  # texts lose their collation when read
    together="/*+ REPARTITION({0}) */",
    own=OWN,
)
