"""Sub-queries over public tables are constants: the question is the one with the constants written
out, and it counts what DuckDB counts.
"""

from __future__ import annotations

import duckdb
import pyarrow as pa
import pytest
import sqlglot
from tests.query.tables import without_noise

import shoal
from shoal.plan import INTEGER, Row, Table, column
from shoal.sql.public_selects import is_public

TOWNS = pa.table({"city": ["A", "B", "C", None], "region": ["n", "s", "s", "s"], "size": [10, 20, 30, 5]})  # fmt: skip
PEOPLE = pa.table({"city": ["A", "B", "C", "D", None] * 40, "x": [n % 35 for n in range(200)]})


def held() -> shoal.Private:
    return shoal.private(
        PEOPLE,
        name="people",
        protects=shoal.Row(),
        columns={"city": shoal.Choices(["A", "B", "C", "D"]), "x": (0, 40)},
        public={"towns": TOWNS},
        budget=shoal.Pure(1000),
    )


QUESTIONS = [
    "SELECT COUNT(*) AS n FROM people WHERE city IN (SELECT city FROM towns WHERE region = 'n')",
    "SELECT COUNT(*) AS n FROM people WHERE city NOT IN (SELECT city FROM towns WHERE size > 15)",
    "SELECT COUNT(*) AS n FROM people WHERE city NOT IN (SELECT city FROM towns)",
    "SELECT COUNT(*) AS n FROM people WHERE x > (SELECT AVG(size) FROM towns)",
    "SELECT COUNT(*) AS n FROM people WHERE x > (SELECT MAX(size) FROM towns WHERE region = 'none')",
    "SELECT SUM(x) * 1.0 / (SELECT SUM(size) FROM towns) AS rate FROM people",
    "SELECT COUNT(*) AS n FROM people p WHERE EXISTS (SELECT 1 FROM towns t WHERE t.city = p.city AND t.region = 's')",
    "SELECT COUNT(*) AS n FROM people p WHERE NOT EXISTS (SELECT 1 FROM towns t WHERE t.city = p.city)",
    "SELECT COUNT(*) AS n FROM people WHERE city IN (SELECT city FROM towns ORDER BY size DESC LIMIT 2)",
    "SELECT COUNT(*) AS n FROM people WHERE city IN (SELECT col0 FROM (VALUES ('A'), ('D')))",
    "WITH w(city) AS (VALUES ('A'), ('D')) SELECT COUNT(*) AS n FROM people WHERE city IN (SELECT city FROM w)",
    "WITH line AS (SELECT 7 AS low) SELECT COUNT(*) AS n FROM people WHERE x < (SELECT low FROM line)",
    "SELECT COUNT(*) AS n FROM people WHERE x < (SELECT MAX(s) FROM (SELECT region, SUM(size) AS s FROM towns GROUP BY region) r) / 2",
]  # fmt: skip


@pytest.mark.slow
def test_public_sub_queries_count_what_duckdb_counts() -> None:
    asked = held()
    with duckdb.connect() as db:
        db.register("people", PEOPLE)
        db.register("towns", TOWNS)
        for sql in QUESTIONS:
            with without_noise():
                found = asked.sql(sql).release(epsilon=1).rows
            assert [tuple(map(float, row)) for row in found] == [
                tuple(map(float, row)) for row in db.execute(sql).fetchall()
            ], sql


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("SELECT COUNT(*) AS n FROM people WHERE x > (SELECT size FROM towns)", "one value"),
        (
            "SELECT COUNT(*) AS n FROM people WHERE x IN (SELECT city, size FROM towns)",
            "one column",
        ),
        ("SELECT COUNT(*) AS n FROM people WHERE x > (SELECT AVG(x) FROM people)", "whose row"),
        ("SELECT COUNT(*) AS n FROM people WHERE x IN (SELECT x FROM people)", "whose row"),
        (
            "SELECT COUNT(*) AS n FROM people WHERE x > (WITH people AS (SELECT * FROM people) SELECT MAX(x) FROM people)",
            "whose row",
        ),
    ],
)
def test_other_sub_queries_are_refused_and_private_rows_are_never_read(sql: str, said: str) -> None:
    asked = held()
    with pytest.raises(shoal.errors.ShoalError, match=said):
        asked.sql(sql)
    assert str(asked.budget.spent) == "epsilon 0"


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT MAX(x) FROM people",
        'SELECT MAX(x) FROM "PEOPLE"',
        "SELECT MAX(x) FROM (SELECT x FROM people)",
        "WITH people AS (SELECT * FROM people) SELECT MAX(x) FROM people",
        "WITH a AS (SELECT * FROM people) SELECT MAX(x) FROM a",
        "SELECT MAX(x) FROM nobody_knows",
    ],
)
def test_a_private_table_is_never_public_under_any_name(sql: str) -> None:
    known = {"people": Table("people", (column("x", INTEGER),), protects=Row())}
    assert not is_public(sqlglot.parse_one(sql, dialect="duckdb"), known)
