"""No clause of a sub-query is dropped: a question is refused, or it counts what DuckDB counts."""

from __future__ import annotations

import duckdb
import pyarrow as pa
import pytest
from tests.query.tables import without_noise

import shoal

VISITS = pa.table({"who": [n // 2 for n in range(20)], "kind": ["a", "b"] * 10, "age": [20] * 20})
PEOPLE = pa.table({"who": list(range(12)), "h": list(range(12))})
TOWNS = pa.table({"kind": ["a", "c"], "size": [3, 9]})

COUNTED = [
    "FROM (SELECT DISTINCT who, COUNT(*) AS c FROM visits GROUP BY who, kind) t",
    "FROM visits WHERE (who, kind) IN (SELECT who, kind FROM visits QUALIFY ROW_NUMBER() OVER (PARTITION BY who ORDER BY kind) = 1)",
    "FROM (SELECT who, kind FROM (SELECT who, kind FROM visits GROUP BY who, kind) g QUALIFY ROW_NUMBER() OVER (PARTITION BY who ORDER BY kind) = 1) t",
    "FROM people WHERE who IN (SELECT who FROM visits GROUP BY who HAVING COUNT(*) > 1)",
    "FROM people p WHERE EXISTS (SELECT v.kind FROM visits v WHERE v.who = p.who)",
    "FROM visits v WHERE EXISTS (SELECT * FROM towns t WHERE t.kind = v.kind)",
    "FROM visits WHERE kind IN (SELECT kind FROM towns ORDER BY size DESC LIMIT 1)",
]
REFUSED = [
    "FROM (SELECT who, kind FROM visits GROUP BY who, kind QUALIFY ROW_NUMBER() OVER (PARTITION BY who ORDER BY kind) = 1) t",
    "FROM (SELECT who, COUNT(*) AS c FROM visits GROUP BY who WINDOW w AS (PARTITION BY who)) t",
    "FROM (SELECT DISTINCT ON (who) who, kind FROM visits) t",
    "FROM (SELECT DISTINCT ON (n) kind, n FROM (SELECT kind, COUNT(*) AS n FROM visits GROUP BY kind) g) t",
    "FROM visits WHERE kind IN (SELECT DISTINCT ON (size) kind FROM towns)",
    "FROM people p WHERE EXISTS (SELECT 1 FROM visits v WHERE v.who = p.who QUALIFY ROW_NUMBER() OVER (PARTITION BY v.who ORDER BY age) = 9)",
    "FROM people p WHERE EXISTS (SELECT 1 FROM visits v WHERE v.who = p.who LIMIT 0)",
    "FROM people p WHERE EXISTS (SELECT 1 FROM visits v WHERE v.who = p.who OFFSET 5)",
    "FROM people p WHERE EXISTS (SELECT 1 FROM visits v WHERE v.who = p.who HAVING COUNT(*) > 5)",
    "FROM people p WHERE EXISTS (SELECT COUNT(*) FROM visits v WHERE v.who = p.who AND v.kind = 'z')",
    "FROM people p WHERE EXISTS (SELECT UNNEST([]) FROM visits v WHERE v.who = p.who)",
    "FROM people p WHERE p.who IN (SELECT v.who FROM visits v LIMIT 0)",
    "FROM people p WHERE p.who IN ((SELECT v.who FROM visits v) LIMIT 0)",
    "FROM people p WHERE p.h < (SELECT MAX(age) FROM visits v WHERE v.who = p.who LIMIT 0)",
    "FROM visits v WHERE EXISTS (SELECT 1 FROM towns t WHERE t.kind = v.kind LIMIT 0)",
    "FROM visits v WHERE EXISTS (SELECT 1 FROM towns t WHERE t.kind = v.kind OFFSET 5)",
    "FROM visits v WHERE EXISTS (SELECT 1 FROM towns t WHERE t.kind = v.kind HAVING COUNT(*) > 5)",
    "FROM visits v WHERE EXISTS (SELECT COUNT(*) FROM towns t WHERE t.kind = v.kind AND size > 99)",
    "FROM visits v WHERE EXISTS (WITH towns AS (SELECT * FROM towns WHERE size > 99) SELECT 1 FROM towns t WHERE t.kind = v.kind)",
    "FROM visits WHERE EXISTS (SELECT 1)",
    "FROM visits WHERE EXISTS (SELECT 1 FROM (VALUES ('a')) t(k) WHERE t.k = visits.kind)",
    "FROM visits WHERE age > (SELECT SUM(a) FROM (VALUES ()) t(a))",
]


def held() -> shoal.Private:
    return shoal.private(
        {"visits": VISITS, "people": PEOPLE},
        protects=shoal.Person("who", groups=2, rows_per_group=3),
        columns={
            "visits.kind": shoal.Choices(["a", "b"]),
            "visits.age": shoal.Range(0, 120),
            "people.h": shoal.Range(0, 200),
        },
        public={"towns": TOWNS},
        budget=shoal.Approx(1000, "1e-3"),
    )


@pytest.mark.slow
def test_clauses_of_sub_queries_are_read_or_refused() -> None:
    asked = held()
    with duckdb.connect() as db:
        for name, table in (("visits", VISITS), ("people", PEOPLE), ("towns", TOWNS)):
            db.register(name, table)
        for rest in COUNTED:
            sql = f"SELECT COUNT(*) AS n {rest}"
            with without_noise():
                found = asked.sql(sql).release(epsilon=10)
            assert found.rows == db.execute(sql).fetchall(), sql
            assert not any("found" in note for note in found.notes), sql


@pytest.mark.parametrize("rest", REFUSED)
def test_a_clause_that_is_not_read_is_refused_before_anything_is_spent(rest: str) -> None:
    asked = held()
    with pytest.raises(shoal.errors.RefusedError) as caught:
        asked.sql(f"SELECT COUNT(*) AS n {rest}")
    assert caught.value.remedy
    assert str(asked.budget.spent).startswith("epsilon 0")
