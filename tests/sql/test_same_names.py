"""The same text may mean different things: the case of a literal counts, and a name means what it
means where it stands.  The answers are those of DuckDB, up to the order of rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from tests.query.tables import without_noise

import shoal
from shoal.errors import RefusedError, UnknownNameError

KINDS = ["a"] * 10 + ["A"] * 4 + ["b"] * 6
VISITS = pa.table(
    {"kind": KINDS, "age": list(range(len(KINDS)))},
    schema=pa.schema([pa.field("kind", pa.string(), False), pa.field("age", pa.int64(), False)]),
)
OTHERS = VISITS.slice(0, 12)
TOWNS = pa.table({"kind": ["a", "b"], "size": [3, 9]})
TABLES = {"visits": VISITS, "Visits": OTHERS}


def asked(sql: str, **tables: pa.Table) -> list[tuple[object, ...]]:
    tables = tables or {"visits": VISITS}
    held = shoal.private(
        tables,
        protects=shoal.Row(),
        columns={
            f"{name}.{column}": bound
            for name in tables
            for column, bound in (("kind", shoal.Choices(["a", "A", "b"])), ("age", (0, 40)))
        },
        public={"towns": TOWNS},
        budget=shoal.Pure(1000),
    )
    with without_noise():
        return _plain(held.sql(sql).release(epsilon=1).rows)


def meant(sql: str) -> list[tuple[object, ...]]:
    with duckdb.connect() as db:
        db.register("visits", VISITS)
        db.register("towns", TOWNS)
        return _plain(db.execute(sql).fetchall())


def _plain(rows: Sequence[Sequence[Any]]) -> list[tuple[object, ...]]:
    """Rows in order; groups without a row are in the private answer alone."""
    told = [
        tuple(
            str(cell) if cell is None or isinstance(cell, str | bool) else round(float(cell), 6)
            for cell in row
        )
        for row in rows
    ]
    return sorted(
        (row for row in told if any(cell for cell in row if not isinstance(cell, str))), key=str
    )


LITERALS = [
    "SELECT COUNT(*) AS n FROM visits WHERE kind = 'a' UNION ALL SELECT COUNT(*) AS n FROM visits WHERE kind = 'A'",
    "SELECT kind, COUNT(*) FILTER (WHERE kind = 'A') AS n FROM visits GROUP BY ROLLUP(kind)",
    "SELECT COUNT(*) FILTER (WHERE kind = 'A') AS x, COUNT(*) FILTER (WHERE kind = 'a') AS y, kind FROM visits GROUP BY CUBE(kind)",
    "SELECT kind = 'A' AS x, kind = 'a' AS y, COUNT(*) AS n FROM visits WHERE kind <> 'b' GROUP BY GROUPING SETS ((kind = 'A', kind = 'a'), ())",
    "WITH x AS (SELECT kind, COUNT(*) FILTER (WHERE kind = 'a') AS n FROM visits GROUP BY kind), y AS (SELECT kind, COUNT(*) FILTER (WHERE kind = 'A') AS m FROM visits GROUP BY kind) SELECT kind, x.n, y.m FROM x JOIN y USING (kind)",
]  # fmt: skip


@pytest.mark.parametrize("sql", LITERALS)
def test_literals_keep_their_case(sql: str) -> None:
    assert asked(sql) == meant(sql)


@pytest.mark.parametrize(
    "sql",
    [
        'SELECT COUNT(*) AS n FROM "visits" UNION ALL SELECT COUNT(*) AS n FROM "Visits"',
        "SELECT COUNT(*) AS n FROM visits UNION ALL SELECT COUNT(*) AS n FROM Visits",
        'SELECT COUNT(*) * 1.0 / (SELECT COUNT(*) FROM "Visits") AS share FROM "visits"',
        'WITH x AS (SELECT kind, COUNT(*) AS n FROM "visits" GROUP BY kind), y AS (SELECT kind, COUNT(*) AS m FROM "Visits" GROUP BY kind) SELECT kind, n, m FROM x JOIN y USING (kind)',
        "(SELECT COUNT(*) AS n FROM visits UNION ALL SELECT COUNT(*) AS n FROM visits LIMIT 1) UNION ALL SELECT COUNT(*) AS n FROM visits",
    ],
)  # fmt: skip
def test_tables_whose_names_differ_in_case_are_two(sql: str) -> None:
    with pytest.raises(RefusedError):
        asked(sql, **TABLES)


@pytest.mark.parametrize(
    "sql",
    [
        "WITH x AS (SELECT kind, COUNT(*) AS n FROM visits GROUP BY kind), visits AS (SELECT * FROM visits WHERE kind = 'b'), y AS (SELECT kind, COUNT(*) AS m FROM visits GROUP BY kind) SELECT kind, x.n, y.m FROM x JOIN y USING (kind)",
        "WITH x AS (SELECT kind, COUNT(*) AS n FROM visits WHERE age < (SELECT MAX(size) FROM towns) GROUP BY kind), towns AS (SELECT kind, size + 10 AS size FROM towns), y AS (SELECT kind, COUNT(*) AS m FROM visits WHERE age < (SELECT MAX(size) FROM towns) GROUP BY kind) SELECT kind, x.n, y.m FROM x JOIN y USING (kind)",
    ],
)  # fmt: skip
def test_groups_of_one_text_and_two_tables_are_not_joined(sql: str) -> None:
    with pytest.raises(RefusedError, match="not of the same rows"):
        asked(sql)


def test_groups_of_one_table_expression_are_joined() -> None:
    sql = "WITH few AS (SELECT * FROM visits WHERE age < 12), x AS (SELECT kind, COUNT(*) AS n FROM few GROUP BY kind), y AS (SELECT kind, SUM(age) AS m FROM few GROUP BY kind) SELECT kind, x.n, y.m FROM x JOIN y USING (kind)"
    assert asked(sql) == meant(sql)


T = "WITH t AS (SELECT kind, COUNT(*) AS n FROM visits GROUP BY kind)"


@pytest.mark.parametrize(
    "sql",
    [
        f"{T} SELECT kind, n * 1.0 / (SELECT SUM(n) FROM t) AS f FROM t WHERE kind = 'a'",
        f"{T} SELECT kind, n, (SELECT SUM(n) FROM t WHERE kind = 'a') AS m FROM t WHERE kind <> 'a'",
        f"{T} SELECT kind, n, (SELECT MAX(n) - MIN(n) FROM t WHERE kind <> 'b') AS m FROM t WHERE n < (SELECT AVG(n) FROM t WHERE kind <> 'A') AND n > 0",
        f"{T} SELECT t.kind, n, (SELECT SUM(n) FROM t) AS m FROM t JOIN towns ON towns.kind = t.kind",
        f"{T} SELECT t.kind, n, size FROM t JOIN towns ON towns.kind = t.kind WHERE n * 3 > (SELECT SUM(n) FROM t WHERE n > 0)",
        f"{T}, u AS (SELECT kind, n FROM t WHERE n > 5) SELECT kind, n * 1.0 / (SELECT SUM(n) FROM u) AS f FROM u WHERE kind = 'a'",
        f"{T} SELECT kind, n, n * 1.0 / SUM(n) OVER () AS here, n * 1.0 / (SELECT SUM(n) FROM t) AS all_of_it FROM t WHERE n < 10 ORDER BY (SELECT SUM(n) FROM t) - n LIMIT 1",
        f"{T} SELECT a.kind, a.n, (SELECT SUM(u.n) FROM t AS u WHERE u.kind <> 'b') AS m FROM t AS a WHERE a.n > 5",
        f"{T} SELECT SUM(n) AS m FROM t WHERE n < (SELECT MAX(n) FROM t)",
    ],
)  # fmt: skip
def test_a_number_of_all_groups_is_of_all_of_them(sql: str) -> None:
    assert asked(sql) == meant(sql)


@pytest.mark.parametrize(
    "inner",
    [
        "SELECT SUM(size) FROM t",
        "SELECT SUM(m) FROM t",
        "SELECT n FROM t",
        "SELECT size FROM t",
        "SELECT SUM(u.n) FROM t AS u WHERE u.kind = t.kind",
        "SELECT SUM(t.n) FROM t AS u",
    ],
)
def test_a_number_of_all_groups_knows_the_groups_alone(inner: str) -> None:
    joined = "FROM t JOIN towns ON towns.kind = t.kind"
    with pytest.raises((RefusedError, UnknownNameError)):
        asked(f"{T} SELECT t.kind, n AS m, ({inner}) AS x {joined}")


HIGH = "towns AS (SELECT kind, size + 10 AS size FROM towns)"
MOST = "(SELECT MAX(size) FROM towns)"


@pytest.mark.parametrize(
    "sql",
    [
        f"SELECT COUNT(*) AS n FROM (WITH {HIGH} SELECT age FROM visits WHERE age < {MOST}) t WHERE age < {MOST}",
        f"SELECT COUNT(*) AS n FROM (WITH {HIGH} SELECT age FROM visits WHERE age < {MOST} UNION ALL SELECT age FROM visits WHERE age > {MOST}) t WHERE age > {MOST}",
        f"SELECT COUNT(*) AS n FROM ((WITH {HIGH} SELECT age FROM visits WHERE age < {MOST}) UNION ALL SELECT age FROM visits WHERE age < {MOST}) t",
        f"WITH {HIGH}, v AS (SELECT age FROM visits WHERE age < {MOST}) SELECT COUNT(*) AS n FROM v",
        f"WITH v AS (SELECT age FROM visits WHERE age < {MOST}), {HIGH} SELECT COUNT(*) AS n FROM v",
        f"WITH v AS (WITH {HIGH} SELECT age FROM visits WHERE age < {MOST}) SELECT COUNT(*) AS n FROM v WHERE age > {MOST}",
        f"WITH x AS (SELECT kind, COUNT(*) AS n FROM visits WHERE age < {MOST} GROUP BY kind), {HIGH} SELECT kind, n FROM x WHERE n < {MOST}",
        f"SELECT kind, n FROM (WITH {HIGH} SELECT kind, COUNT(*) AS n FROM visits WHERE age < {MOST} GROUP BY kind) x WHERE n > {MOST}",
        f"SELECT COUNT(*) AS n FROM visits WHERE age > (WITH {HIGH} SELECT MIN(size) FROM towns) OR age < {MOST}",
        "WITH Visits AS (SELECT * FROM visits WHERE kind = 'b') SELECT COUNT(*) AS n FROM visits",
        "WITH VISITS AS (SELECT * FROM visits WHERE kind = 'b') SELECT COUNT(*) AS n FROM Visits",
    ],
)  # fmt: skip
def test_names_of_a_sub_query_end_with_it(sql: str) -> None:
    assert asked(sql) == meant(sql)


@pytest.mark.parametrize(
    "clause", ["t AS u(n, kind)", "t TABLESAMPLE 10%", "t JOIN t AS u(n, kind) ON t.kind = u.kind"]
)
def test_what_is_said_of_groups_in_from_is_not_passed_over(clause: str) -> None:
    with pytest.raises(RefusedError, match="not part of what can be asked"):
        asked(f"{T} SELECT 1 AS x FROM {clause}")
