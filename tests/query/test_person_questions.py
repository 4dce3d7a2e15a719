"""Questions about what each person's rows come to: they have the answers of plain SQL, and one person
moves them as far as is claimed.
"""

from __future__ import annotations

import datetime as dt
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.query.tables import made, without_noise
from tests.query.test_neighbours import CELLS, asking, check

import shoal
from shoal.auditing.replay import replay
from shoal.errors import RefusedError
from shoal.plan import Bounded, count_of
from shoal.sensitivity import Norm

PER_PERSON = [
    "SELECT n, COUNT(*) AS c FROM (SELECT who, COUNT(*) AS n FROM data GROUP BY who) GROUP BY n",
    "SELECT AVG(s) AS m, MAX(s) AS t FROM (SELECT who, SUM(spend) AS s, COUNT(*) AS n FROM data GROUP BY who HAVING n > 1)",
    "SELECT kind, AVG(m) AS m, SUM(n) AS n FROM (SELECT who, kind, AVG(age) AS m, COUNT(DISTINCT town) AS n FROM data GROUP BY ALL) GROUP BY kind",
    "SELECT COUNT(*) AS n, SUM(m) AS m FROM (SELECT who, kind, MIN(age) AS m FROM data GROUP BY who, kind)",
    "SELECT kind, COUNT(*) AS n FROM (SELECT DISTINCT who, kind, age FROM data) GROUP BY kind",
    "SELECT kind, COUNT(*) AS n FROM data d WHERE NOT EXISTS (SELECT 1 FROM data e WHERE e.who = d.who AND e.age > 50) GROUP BY kind",
    "SELECT COUNT(*) AS n, SUM((SELECT MAX(age) FROM data e WHERE e.who = d.who AND e.kind = d.kind)) AS s FROM data d",
    "SELECT kind, COUNT(*) AS n, SUM(g) AS g FROM (SELECT who, kind, age - LAG(age) OVER (PARTITION BY who ORDER BY spend) AS g FROM data) GROUP BY kind",
    "SELECT kind, COUNT(*) AS n, AVG(age) AS m FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY who ORDER BY age DESC) AS r FROM data) WHERE r = 1 GROUP BY kind",
    "SELECT COUNT(*) AS n FROM (SELECT who, COUNT(*) OVER (PARTITION BY who, kind ORDER BY age) AS c FROM data QUALIFY c > 1)",
    "SELECT COUNT(*) AS n FROM (SELECT who, kind FROM data WHERE age > 50 EXCEPT SELECT who, kind FROM data WHERE spend > 9)",
    "SELECT COUNT(*) AS n, SUM(e.age) AS s FROM data d LEFT JOIN data e ON d.who = e.who AND e.kind = 'a' AND d.age > 3",
]
PERSONS = [
    shoal.Person("who", groups=2, rows_per_group=2),
    shoal.Person("who", groups=1, rows_per_group=3, nulls="one"),
    shoal.Person("who", groups=3, rows_per_group=2, relation="change"),
]


@pytest.mark.slow
@pytest.mark.parametrize("sql", PER_PERSON)
@pytest.mark.parametrize("unit", PERSONS, ids=str)
@settings(max_examples=3, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(data=st.lists(CELLS, max_size=7), law=st.sampled_from(["laplace", "gaussian", None]))
def test_one_person_moves_such_answers_within_the_sensitivity(
    sql: str, unit: Any, data: list[dict[str, Any]], law: str | None
) -> None:
    if unit.relation == "change":
        # everything of person 1 becomes another's
        other = [{**row, "age": 7, "kind": "b"} if row["who"] == 1 else row for row in data]
        found = replay(asking(unit, sql, epsilon=1, noise=law), [(data, other)], relation="change")
        assert found.differences == ()
        return
    check(asking(unit, sql, epsilon=1, noise=law), data, unit)


def hospital() -> tuple[dict[str, pa.Table], Any]:
    """People and their visits; some have none."""
    visits = [
        {
            "who": who,
            "ward": "abc"[(who + at * at) % 3],
            "cost": (who * 7 + at * 13) % 100,
            "fee": ((who * 5 + at) % 40) / 4,
            "day": dt.date(2026, 1, 1) + dt.timedelta(days=(who * 11 + at * 29) % 300),
            "note": None if (who + at) % 4 == 0 else f"n{at}",
        }
        for who in range(60)
        for at in range(who % 5)
    ]
    people = [{"who": who, "sex": "fm"[who % 2], "born": 1930 + who} for who in range(60)]
    tables = {"visits": pa.Table.from_pylist(visits), "people": pa.Table.from_pylist(people)}
    held = shoal.private(
        tables,
        protects=shoal.Person("who", groups=3, rows_per_group=4),
        columns={
            "visits.ward": shoal.Choices(["a", "b", "c"]),
            "visits.cost": (0, 100),
            "visits.fee": (0, 10),
            "visits.day": shoal.Range("2026-01-01", "2026-12-31"),
            "people.sex": shoal.Choices(["f", "m"]),
            "people.born": (1900, 2026),
        },
        keys={"people.who": 1},
        budget=shoal.Pure(10**9),
    )
    return tables, held


SAME_AS_SQL = [
    "SELECT AVG(n) AS x FROM (SELECT who, COUNT(*) AS n FROM visits GROUP BY who)",
    "SELECT n, COUNT(*) AS x FROM (SELECT who, COUNT(*) AS n FROM visits GROUP BY who) GROUP BY n",
    "SELECT AVG(CASE WHEN n >= 3 THEN 1 ELSE 0 END) AS x FROM (SELECT who, COUNT(*) AS n FROM visits GROUP BY who)",
    "SELECT COUNT(*) AS x FROM (SELECT who FROM visits GROUP BY who HAVING COUNT(*) >= 3)",
    "SELECT AVG(s) AS x, SUM(f) AS y FROM (SELECT who, SUM(cost) AS s, SUM(fee) AS f FROM visits GROUP BY who)",
    "SELECT COUNT(s) AS x FROM (SELECT who, SUM(CASE WHEN cost > 80 THEN cost END) AS s FROM visits GROUP BY who)",
    "SELECT AVG(m) AS x FROM (SELECT who, AVG(fee) AS m FROM visits GROUP BY who)",
    "SELECT SUM(lo) AS x, SUM(hi) AS y FROM (SELECT who, MIN(cost) AS lo, MAX(cost) AS hi FROM visits GROUP BY 1)",
    "SELECT ward, SUM(n) AS x FROM (SELECT who, ward, COUNT(*) AS n FROM visits GROUP BY who, ward) GROUP BY ward",
    "SELECT COUNT(*) AS x, SUM(n) AS y FROM (SELECT who, ward, COUNT(*) AS n FROM visits GROUP BY ALL)",
    "SELECT SUM(n) AS x FROM (SELECT who, LEAST(COUNT(*), 2) AS n FROM visits GROUP BY who)",
    "WITH p AS (SELECT who, COUNT(*) FILTER (WHERE ward = 'a') AS a, COUNT(DISTINCT ward) AS d, COUNT(note) AS c FROM visits GROUP BY who) SELECT d, SUM(a) AS x, SUM(c) AS y FROM p GROUP BY d",
    "SELECT COUNT(*) AS x FROM (SELECT DISTINCT who, ward FROM visits)",
    "SELECT n, COUNT(*) AS x FROM (SELECT p.who, COUNT(v.ward) AS n FROM people p LEFT JOIN visits v ON p.who = v.who GROUP BY p.who) GROUP BY n",
    "SELECT sex, SUM(n) AS x FROM (SELECT who, COUNT(*) AS n FROM visits GROUP BY who) v JOIN people p ON p.who = v.who GROUP BY sex",
    "SELECT AVG(d) AS x FROM (SELECT who, MAX(day) - MIN(day) AS d FROM visits GROUP BY who HAVING COUNT(*) > 1)",
    "SELECT COUNT_IF(a) AS x FROM (SELECT who, BOOL_OR(ward = 'a') AS a FROM visits GROUP BY who)",
    "SELECT COUNT(*) AS x FROM people p WHERE EXISTS (SELECT 1 FROM visits v WHERE v.who = p.who AND v.ward = 'a')",
    "SELECT COUNT(*) AS x FROM people p WHERE p.sex = 'f' AND NOT EXISTS (SELECT 1 FROM visits v WHERE v.who = p.who)",
    "SELECT sex, COUNT(*) AS x FROM people WHERE who IN (SELECT who FROM visits WHERE cost > 50) GROUP BY sex",
    "SELECT COUNT(*) AS x FROM people WHERE who NOT IN (SELECT who FROM visits)",
    "SELECT COUNT(*) AS x FROM people WHERE who IN (SELECT who FROM visits GROUP BY who HAVING COUNT(*) >= 3) OR born < 1940",
    "SELECT COUNT(*) AS x FROM visits v WHERE (v.who, v.ward) IN (SELECT w.who, w.ward FROM visits w WHERE w.cost < 20)",
    "SELECT AVG(CASE WHEN EXISTS (SELECT 1 FROM visits v WHERE v.who = p.who) THEN 1 ELSE 0 END) AS x FROM people p",
    "SELECT COUNT(*) AS x FROM people p WHERE (SELECT COUNT(*) FROM visits v WHERE v.who = p.who) = 0",
    "SELECT AVG((SELECT COUNT(*) FROM visits v WHERE v.who = p.who)) AS x, SUM((SELECT MAX(cost) FROM visits v WHERE v.who = p.who)) AS y FROM people p",
    "SELECT COUNT(*) AS x FROM visits v WHERE EXISTS (SELECT 1 FROM visits w WHERE w.who = v.who AND w.ward = v.ward AND w.cost > 80)",
    "SELECT COUNT(*) AS x FROM (SELECT who FROM people INTERSECT SELECT who FROM visits)",
    "SELECT COUNT(*) AS x FROM (SELECT who, ward FROM visits INTERSECT SELECT who, NULLIF(ward, 'b') FROM visits)",
    "SELECT COUNT(*) AS x FROM (SELECT who FROM people EXCEPT SELECT who FROM visits WHERE ward = 'a')",
    "SELECT COUNT(*) AS x FROM (SELECT who, sex FROM people UNION SELECT who, 'f' FROM visits)",
    "SELECT COUNT(*) AS x FROM people SEMI JOIN visits USING (who)",
    "SELECT COUNT(*) AS x FROM people p ANTI JOIN visits v ON p.who = v.who AND v.ward = 'a'",
    "SELECT COUNT(*) AS x FROM visits v, people p WHERE v.who = p.who AND p.sex = 'f' AND v.cost > 10",
    "SELECT sex, COUNT(v.ward) AS x FROM people p LEFT JOIN visits v ON p.who = v.who AND v.ward = 'a' AND p.born > 1950 GROUP BY sex",
    "SELECT sex, COUNT(*) AS x FROM visits v RIGHT JOIN people p ON p.who = v.who GROUP BY sex",
    "SELECT COUNT(*) AS x FROM visits v JOIN people p ON p.who = v.who AND v.cost > p.born - 1930",
    "SELECT COUNT(*) AS x FROM visits v JOIN visits w ON v.who = w.who AND v.day = w.day",
    "SELECT COUNT(*) AS x FROM (SELECT who, day - LAG(day) OVER (PARTITION BY who ORDER BY day) AS gap FROM visits) WHERE gap <= 30",
    "SELECT AVG(gap) AS x FROM (SELECT who, LEAD(day) OVER (PARTITION BY who ORDER BY day) - day AS gap FROM visits)",
    "SELECT ward, COUNT(*) AS x FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY who ORDER BY day) AS r FROM visits) WHERE r = 1 GROUP BY ward",
    "SELECT ward, COUNT(*) AS x FROM (SELECT * FROM visits QUALIFY ROW_NUMBER() OVER (PARTITION BY who ORDER BY day DESC) <= 2) GROUP BY ward",
    "SELECT first, COUNT(*) AS x FROM (SELECT who, FIRST_VALUE(ward) OVER (PARTITION BY who ORDER BY day) AS first FROM visits) GROUP BY first",
    "SELECT COUNT(*) AS x FROM (SELECT who, COUNT(*) OVER (PARTITION BY who ORDER BY day) AS n, SUM(cost) OVER (PARTITION BY who ORDER BY day) AS s FROM visits) WHERE n = 2 AND s > 40",
    "SELECT COUNT(*) AS x FROM (SELECT ward, LEAD(ward, 2) OVER w AS next, LAST_VALUE(cost) OVER (PARTITION BY who) AS l FROM visits WINDOW w AS (PARTITION BY who ORDER BY day)) WHERE ward = next AND l IS NOT NULL",
    "SELECT AVG(again) AS x FROM (SELECT who, MAX(CASE WHEN gap <= 40 THEN 1 ELSE 0 END) AS again FROM (SELECT who, day - LAG(day) OVER (PARTITION BY who ORDER BY day) AS gap FROM visits) GROUP BY who)",
    "SELECT SUM(n) AS x FROM (SELECT w, COUNT(*) + 1 AS n FROM (SELECT who AS w, ward FROM visits) GROUP BY w)",
]


@pytest.mark.parametrize("sql", SAME_AS_SQL)
def test_without_noise_the_answer_is_that_of_plain_sql(sql: str) -> None:
    tables, held = hospital()
    with without_noise():
        found = held.sql(sql).release(epsilon=10)
    with duckdb.connect() as plain:
        for name, table in tables.items():
            plain.register(name, table)
        meant = plain.execute(sql).fetchall()
    keyed = len(found.keys)
    by_key = {row[:keyed]: row[keyed:] for row in found.rows}
    for row in meant:
        mine = [float(value) for value in by_key[row[:keyed]]]
        assert mine == pytest.approx([float(value) for value in row[keyed:]], abs=1e-6)


def test_the_noise_is_that_of_one_row_a_person() -> None:
    _, held = hospital()
    rows = held.sql("SELECT COUNT(*) AS n FROM visits").preview(epsilon=1)
    each = held.sql(
        "SELECT COUNT(*) AS n FROM (SELECT who, COUNT(*) AS n FROM visits GROUP BY who)"
    )
    bounded = Bounded(each.question.relation, (), (count_of(),), Norm.L1)
    assert bounded.reach(count_of()) == bounded.fraction(count_of())
    assert "People with more" not in str(each.preview(epsilon=1))
    assert "People with more" in str(rows)


def test_a_limit_that_nobody_typed_is_told() -> None:
    _, held = hospital()
    asked = held.sql("SELECT AVG(n) AS x FROM (SELECT who, COUNT(*) AS n FROM visits GROUP BY who)")
    assert any("n is at most 12 for one person" in note for note in asked.question.notes)
    typed = "SELECT AVG(n) AS x FROM (SELECT who, LEAST(COUNT(*), 3) AS n FROM visits GROUP BY who)"
    assert not held.sql(typed).question.notes


def test_a_limit_that_nobody_could_know_is_asked_for() -> None:
    held = made([], protects=shoal.Person("who"), budget=shoal.Pure(1))
    with pytest.raises(RefusedError, match="how many rows of one person") as refusal:
        held.sql("SELECT AVG(n) FROM (SELECT who, COUNT(*) AS n FROM data GROUP BY who)")
    assert "LEAST(COUNT(*), 20)" in str(refusal.value)
    held.sql("SELECT AVG(n) FROM (SELECT who, LEAST(COUNT(*), 20) AS n FROM data GROUP BY who)")
    held.sql("SELECT COUNT(*) FROM (SELECT who FROM data GROUP BY who HAVING COUNT(*) > 9)")
