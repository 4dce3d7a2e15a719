"""Words about dates and texts mean what DuckDB means by them, on both engines, and their values are
among those that are known beforehand.
"""

from __future__ import annotations

import datetime as dt
import random
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from shoal.engines.duckdb import DuckDB
from shoal.engines.reference import Reference
from shoal.errors import ShoalError
from shoal.plan import (
    DATE,
    INTEGER,
    REAL,
    TEXT,
    TIMESTAMP,
    Range,
    Row,
    Scan,
    Table,
    column,
    values_of,
)
from shoal.sql import expression, question, relation

_draw = random.Random(7)
DAYS = [
    dt.date(1990, 1, 1), dt.date(2009, 12, 31), dt.date(2000, 2, 29), dt.date(2001, 1, 31), dt.date(2000, 12, 31), dt.date(2005, 1, 1), dt.date(1999, 3, 1),
    *(dt.date(1990, 1, 1) + dt.timedelta(days=_draw.randrange(7300)) for _ in range(40)),
]  # fmt: skip
MOMENTS = [
    dt.datetime.combine(day, dt.time(_draw.randrange(24), _draw.randrange(60), _draw.randrange(60)))
    for day in DAYS
]
TEXTS = ["I21.9", "E11", "", ".", "a.b.c", "..", "éa.b", "xxaxx", "Dr. X", "31/12/2024", "1/2/2024"]
ROWS = pa.table(
    {
        "d": [None, *DAYS],
        "s": [None, *MOMENTS],
        "t": [None, *(TEXTS[n % len(TEXTS)] for n in range(len(DAYS)))],
        "n": [None, *(_draw.randrange(100) for _ in DAYS)],
        "r": [None, *(round(_draw.uniform(0, 990), 3) for _ in DAYS)],
    }
)
TABLE = Table(
    "t",
    (
        column("d", DATE, Range("1990-01-01", "2009-12-31")),
        column("s", TIMESTAMP, Range("1990-01-01", "2009-12-31 23:59:59")),
        column("t", TEXT),
        column("n", INTEGER, Range(0, 99)),
        column("r", REAL, Range(0, 1000)),
    ),
    protects=Row(),
)
WORDS = [
    "DAYNAME(d)", "MONTHNAME(s)", "STRFTIME(d, '%Y-%m')", "STRFTIME(s, '%d.%m.%y %H:%M:%S')", "STRFTIME(d, '%a %A %b %B')",
    "STRFTIME(d, '%j/%u/%w')", "STRFTIME(d, '%G-%V')", "EXTRACT(isodow FROM d)", "EXTRACT(doy FROM s)", "EXTRACT(isoyear FROM d)",
    "EXTRACT(decade FROM d)", "EXTRACT(century FROM d)", "EXTRACT(millennium FROM d)", "EXTRACT(second FROM s)",
    "CAST(EPOCH(s) AS BIGINT)", "CAST(EPOCH(d) AS BIGINT)", "DAYOFYEAR(d)", "DATE_PART('yearweek', d)",
    "CAST(d + INTERVAL 1 MONTH AS DATE)", "CAST(d - INTERVAL 13 MONTH AS DATE)", "CAST(d + INTERVAL 1 YEAR AS DATE)",
    "CAST(d - INTERVAL 65 YEAR AS DATE)", "s + INTERVAL 3 MONTH", "s - INTERVAL 2 QUARTER", "CAST(d + INTERVAL 2 WEEK AS DATE)",
    "s + INTERVAL 3 HOUR", "s - INTERVAL 90 MINUTE", "s + INTERVAL '45 seconds'", "d + INTERVAL 25 HOUR",
    "DATE_DIFF('hour', s, TIMESTAMP '1999-12-31 23:30:00')", "DATE_DIFF('minute', s, d)", "DATE_DIFF('second', TIMESTAMP '1965-01-01', s)",
    "s >= TIMESTAMP '1999-12-31'", "s < TIMESTAMP '1999-12-31' + INTERVAL 1 DAY", "s BETWEEN '1999-12-31' AND '2003-01-01 10:00:00'",
    "LAST_DAY(d)", "CAST(DATE_TRUNC('decade', d) AS DATE)", "CAST(DATE_TRUNC('century', d) AS DATE)", "DATE_TRUNC('second', s)",
    "DATE_SUB('year', d, DATE '2009-06-15')", "DATE_SUB('month', d, DATE '2009-06-15')", "DATE_SUB('year', DATE '2009-03-15', d)",
    "EXTRACT(year FROM AGE(DATE '2009-06-15', d))", "MAKE_DATE(2024, 2, 29) > d",
    "SPLIT_PART(t, '.', 1)", "SPLIT_PART(t, '.', 3)", "STRPOS(t, '.')", "POSITION('a.' IN t)", "INSTR(t, 'X')", "LTRIM(t, 'Dr. ')",
    "TRIM(t, 'x')", "RTRIM(t, '.9')", "TRIM(LEADING 'I' FROM t)", "LPAD(t, 4, '0')", "RPAD(t, 4, '*')", "CONCAT_WS('-', t, n, NULL, t)",
    "CAST(TRY_STRPTIME(t, '%d/%m/%Y') AS DATE)", "CAST(POWER(n, 2) AS BIGINT)", "n ** 3",
]  # fmt: skip
KEYS = [
    "DAYNAME(d)", "STRFTIME(d, '%Y-%m')", "DATE_TRUNC('month', d)", "DATE_TRUNC('decade', d)", "DATE_TRUNC('week', s)", "MONTH(s)",
    "FLOOR(r / 50) * 50", "BIN(r, 50)", "BIN(r, 0.7)", "FLOOR(n / 10) * 10", "BIN(DATE_DIFF('day', d, DATE '2009-12-31'), 100)",
    "ROUND(r / 100)", "CASE WHEN MONTH(d) < 7 THEN 'first' ELSE 'second' END", "YEAR(d) * 100 + MONTH(d)", "n // 7", "CEIL(r / 90)",
]  # fmt: skip


def plainly(values: list[Any]) -> list[Any]:
    return [float(each) if isinstance(each, int | float) else each for each in values]


@pytest.mark.slow
def test_words_mean_what_duckdb_means_by_them_on_both_engines() -> None:
    engine, reference = DuckDB({"t": ROWS}), Reference({"t": ROWS.to_pylist()})
    wrong = []
    with duckdb.connect() as db:
        db.register("t", ROWS)
        for word in WORDS:
            ours = word.replace("TRY_STRPTIME", "STRPTIME")
            wanted = [row[0] for row in db.execute(f"SELECT {word} FROM t").fetchall()]
            asked = relation(f"SELECT {ours} AS v FROM t", {"t": TABLE})
            for rows in (engine.rows(asked), reference.rows(asked)):
                found = plainly([row[0] for row in rows])
                if sorted(map(str, found)) != sorted(map(str, plainly(wanted))):
                    pairs = zip(
                        sorted(map(str, found)), sorted(map(str, plainly(wanted))), strict=True
                    )
                    wrong.append((word, [pair for pair in pairs if pair[0] != pair[1]][:3]))
    assert not wrong


@pytest.mark.slow
def test_every_value_of_a_key_is_among_those_known_beforehand() -> None:
    engine = DuckDB({"t": ROWS})
    for text in KEYS:
        made = expression(text, Scan(TABLE))
        known = values_of(made)
        assert known is not None, text
        assert list(known) == sorted(set(known)), text  # type: ignore[type-var]
        found = {
            row[0] for row in engine.rows(relation(f"SELECT {text} AS v FROM t", {"t": TABLE}))
        }
        assert found - {None} <= set(known), text


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("SELECT MONTH(d) AS m, COUNT(*) FROM t WHERE YEAR(d) = 2004 GROUP BY 1", 12),
        ("SELECT DATE_TRUNC('month', d) AS m, COUNT(*) FROM t WHERE YEAR(d) = 2004 GROUP BY 1", 12),
        ("SELECT DATE_TRUNC('month', s) AS m, COUNT(*) FROM t WHERE YEAR(s) >= 2008 GROUP BY 1", 24),
        ("SELECT BIN(DATE_DIFF('day', d, DATE '1991-02-05'), 100) AS b, COUNT(*) FROM t WHERE d < '1991-02-05' GROUP BY 1", 5),
        ("SELECT DATE_TRUNC('hour', s) AS h, COUNT(*) FROM t WHERE s >= '2004-03-01 00:00:00' AND s <= '2004-03-01 23:59:59' GROUP BY 1", 24),
    ],
)  # fmt: skip
def test_a_condition_narrows_the_values_of_a_key(text: str, count: int) -> None:
    (key,) = question(text, {"t": TABLE}).keys
    assert len(key.known.values) == count  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("SELECT STRFTIM(d, '%Y') AS y, COUNT(*) FROM t GROUP BY 1", "'STRFTIM'.*strftime"),
        ("SELECT COUNT(DISTINCT) AS n FROM t", "needs a column"),
        ("SELECT MODE(n) + 1 AS n FROM t", "MODE.*GROUP BY x ORDER BY"),
        ("SELECT BOOL_OR(n > 3) AS n FROM t", "COUNT_IF"),
        ("SELECT STRFTIME(d, '%Q') AS y, COUNT(*) FROM t GROUP BY 1", "%Q.*%Y"),
        ("SELECT zzyzx(n) AS n FROM t", "avg.*count.*median.*split_part.*sum"),
    ],
)
def test_errors_name_what_was_typed_and_what_there_is(text: str, said: str) -> None:
    with pytest.raises(ShoalError, match=f"(?s){said}"):
        question(text, {"t": TABLE})
