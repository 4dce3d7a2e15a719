"""Answers: without noise they are those of plain SQL, with noise their intervals cover."""

from __future__ import annotations

import html
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import csv, parquet
from tests.query.tables import FACTS, SCHEMA, TOWNS, made, rows, without_noise

import shoal
from shoal.engines.duckdb import DuckTable
from shoal.errors import SchemaError, UnknownNameError

BUDGETS = [shoal.Pure(100), shoal.Approx(1000, "1e-3"), shoal.ZeroConcentrated(1000)]
QUESTIONS = [
    "SELECT COUNT(*) AS n, COUNT(age) AS k, COUNT(DISTINCT who) AS p FROM data",
    "SELECT SUM(age) AS s, SUM(spend) AS t FROM data",
    "SELECT AVG(age) AS a, AVG(spend) AS b, SUM(spend) AS s, COUNT(*) AS n FROM data WHERE age > 30",
    "SELECT kind, AVG(spend) AS m, VARIANCE(age) AS v, VAR_POP(age) AS w FROM data WHERE kind IN ('a', 'b') GROUP BY kind",
    "SELECT kind, STDDEV(age) AS d, STDDEV_POP(spend) AS e FROM data WHERE kind IN ('a', 'b') GROUP BY kind",
    (
        "SELECT region, COUNT(*) AS n, SUM(size) AS s, SUM(spend) / COUNT(*) AS m FROM data JOIN towns USING (town) "
        "GROUP BY region HAVING COUNT(*) > 3 ORDER BY n DESC LIMIT 2"
    ),
    "SELECT age // 50 AS half, COUNT(*) FILTER (WHERE kind = 'a') AS n FROM data WHERE age < 100 GROUP BY half",
]


def size(budget: shoal.Measure, amount: str = "0.5") -> dict[str, Any]:
    return {"rho" if isinstance(budget, shoal.ZeroConcentrated) else "epsilon": amount}


def plain(sql: str, data: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    connection = duckdb.connect()
    connection.register("data", pa.Table.from_pylist(data, schema=SCHEMA))
    connection.register("towns", TOWNS)
    return connection.execute(sql).fetchall()


def in_order(found: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    return sorted(found, key=repr)


@pytest.mark.slow
@pytest.mark.parametrize("sql", QUESTIONS)
@pytest.mark.parametrize("budget", BUDGETS, ids=str)
def test_without_noise_an_answer_is_that_of_plain_sql_where_nobody_exceeds(
    sql: str, budget: shoal.Measure
) -> None:
    data = rows(60, each=3)
    with without_noise():
        answer = made(data, budget=budget).sql(sql).release(**size(budget))
    wanted = in_order([row for row in plain(sql, data) if row[0] is not None])
    found = in_order([row for row in answer.rows if row[0] is not None and row[1:] != (0,)])
    assert len(found) == len(wanted)
    for one, other in zip(found, wanted, strict=True):
        for left, right in zip(one, other, strict=True):
            same = isinstance(right, str) or right is None
            assert left == right if same else left == pytest.approx(float(right), rel=1e-5)


def test_every_known_group_appears_though_it_is_empty() -> None:
    for data in (rows(50), []):
        answer = (
            made(data).sql("SELECT kind, COUNT(*) AS n FROM data GROUP BY kind").release(epsilon=1)
        )
        assert [row[0] for row in answer.rows] == ["a", "b", "c", None]


@pytest.mark.slow
@pytest.mark.parametrize("budget", BUDGETS[:2], ids=str)
@pytest.mark.parametrize("column", ["n", "s", "m", "v", "d"])
def test_intervals_cover_what_would_be_said_without_noise(
    budget: shoal.Measure, column: str
) -> None:
    sql = (
        "SELECT age AS age, COUNT(*) AS n, SUM(spend) AS s, AVG(spend) AS m, VARIANCE(spend) AS v, "
        "STDDEV_POP(spend) AS d FROM data GROUP BY age"
    )
    data = rows(3000, each=2)
    ask = made(data, budget=budget).sql(sql)
    with without_noise():
        truth = ask.release(**size(budget, "2"))
    noisy = ask.release(**size(budget, "2"))
    at = truth.columns.index(column)
    inside = [
        ends.lo - 1e-6 <= row[at] <= ends.hi + 1e-6  # type: ignore[operator]
        for row, ends in zip(truth.rows, noisy.interval(column), strict=True)
    ]
    assert len(inside) == 122
    assert sum(inside) >= 100  # 95% of 122 are 116; below 100 less than once in 10^7 runs
    wide, narrow = (noisy.interval(column, "0.5", simultaneous=s)[5] for s in (True, False))
    assert wide.lo <= narrow.lo <= narrow.hi <= wide.hi


def test_intervals_are_neither_empty_nor_everything() -> None:
    answer = (
        made(rows(3000)).sql("SELECT AVG(spend) AS m, COUNT(*) AS n FROM data").release(epsilon=1)
    )
    for name, least, most in (("m", 0.1, 60), ("n", 1, 100)):
        ends = answer.interval(name)[0]
        assert least < ends.hi - ends.lo < most


def test_every_kind_of_source_gives_the_same_answer(tmp_path: Path) -> None:
    table = pa.Table.from_pylist(rows(50, each=2), schema=SCHEMA)
    parquet.write_table(table, tmp_path / "data.parquet")
    csv.write_csv(table, tmp_path / "data.csv")
    connection = duckdb.connect(str(tmp_path / "data.duckdb"))
    connection.register("given", table)
    connection.execute("CREATE TABLE data AS FROM given")
    frames = [table, table.to_pandas(), pl.from_arrow(table), DuckTable(connection, "data")]
    found = set()
    types = {"who": "integer", "town": "text", "kind": "text", "age": "integer", "spend": "real"}
    files = [tmp_path / "data.parquet", shoal.CsvFile(tmp_path / "data.csv", types)]
    for source in [*frames, *files]:
        held = shoal.private(
            source,
            protects=shoal.Person("who", rows_per_group=2),
            columns=FACTS,
            budget=shoal.Pure(9),
        )
        with without_noise():
            answer = held.sql(
                "SELECT kind, COUNT(*) AS n, SUM(spend) AS s FROM data GROUP BY kind"
            ).release(epsilon=1)
        found.add(tuple(answer.rows))
    connection.close()
    assert len(found) == 1


def test_private_tables_of_the_same_persons_are_joined_and_stacked() -> None:
    data = pa.Table.from_pylist(rows(40, each=2), schema=SCHEMA)
    people = pa.table({"who": list(range(40)), "sex": ["f", "m"] * 20})
    held = shoal.private(
        {"data": data, "people": people},
        protects=shoal.Person("who", groups=2, rows_per_group=4),
        columns={"data.spend": shoal.Range(0, 500), "people.sex": shoal.Choices(["f", "m"])},
        keys={"people.who": 1},
        budget=shoal.Pure(10),
    )
    joined = (
        "SELECT sex, COUNT(*) AS n, SUM(spend) AS s FROM data JOIN people USING (who) GROUP BY sex"
    )
    stacked = "SELECT COUNT(*) AS n FROM (SELECT who FROM data UNION ALL SELECT who FROM people)"
    with without_noise():
        found = held.sql(joined).release(epsilon=1).rows
        both = held.sql(stacked).release(epsilon=1).rows
    totals = {
        sex: sum(r["spend"] for r in rows(40, each=2) if "fm"[r["who"] % 2] == sex) for sex in "fm"
    }
    assert [row[:2] for row in found] == [("f", 40), ("m", 40), (None, 0)]
    assert [row[2] for row in found[:2]] == pytest.approx([totals["f"], totals["m"]])
    assert both == [(120,)]
    with pytest.raises(SchemaError, match=r"data.who, data.town"):
        shoal.private(
            {"data": data},
            protects=shoal.Row(),
            columns={"spend": shoal.Range(0, 1)},
            budget=shoal.Pure(1),
        )


def test_a_required_column_needs_no_count_of_its_own() -> None:
    sql = "SELECT COUNT(*) AS n, AVG(age) AS m FROM data"
    one, two = (made(rows(5), required=r).sql(sql).release(epsilon=1) for r in (["age"], []))
    assert (len(one.certificate["terms"]), len(two.certificate["terms"])) == (2, 3)


def test_order_limit_and_having_look_at_released_values() -> None:
    sql = "SELECT kind, COUNT(*) AS n FROM data GROUP BY kind HAVING n > 500 ORDER BY n DESC, kind LIMIT 1"
    data = [*rows(2000), *({**row, "who": 10000 + row["who"], "kind": "b"} for row in rows(2000))]
    answer = made(data).sql(sql).release(epsilon=10)
    assert [row[0] for row in answer.rows] == ["b"]
    assert len(answer.interval("n")) == 1


def test_an_answer_becomes_a_table_in_every_form(tmp_path: Path) -> None:
    answer = (
        made(rows(30))
        .sql("SELECT kind, COUNT(*) AS n, COUNT(*) / 2 AS h FROM data GROUP BY kind")
        .release(epsilon=1)
    )
    table = answer.to_arrow()
    assert table.column_names == ["kind", "n", "n_low", "n_high", "h", "h_low", "h_high"]
    assert answer.to_arrow(intervals=False).column_names == ["kind", "n", "h"]
    assert isinstance(answer.to_pandas(), pd.DataFrame)
    assert answer.to_polars().shape == (4, 7)
    answer.to_csv(tmp_path / "answer.csv")
    assert (tmp_path / "answer.csv").read_text().startswith('"kind","n","n_low","n_high","h",')
    assert str(answer).splitlines()[0].split() == ["kind", "n", "h"]


def test_hostile_keys_are_shown_as_text_in_html() -> None:
    hostile = "<script>alert('x')</script>"
    facts = {"kind": shoal.Choices([hostile])}
    answer = (
        made([], columns=facts)
        .sql("SELECT kind, COUNT(*) AS n FROM data GROUP BY kind")
        .release(epsilon=1)
    )
    assert hostile not in answer._repr_html_()
    assert html.escape(hostile) in answer._repr_html_()


def test_what_does_not_follow_from_intervals_has_none() -> None:
    sql = (
        "SELECT CASE WHEN COUNT(*) > 5 THEN 1 ELSE 2 END AS c, MEDIAN(age) + 1 AS q, COUNT(*) % 3 AS r, "
        "COUNT(*) > 3 AS b, SUM(age) AS s FROM data"
    )
    answer = made(rows(9)).sql(sql).release(epsilon=1)
    for name in "cqrb":
        with pytest.raises(UnknownNameError, match="Columns with an interval: s"):
            answer.interval(name)


def test_the_builder_asks_what_sql_asks() -> None:
    held = made(rows(30))
    built = held.table().where("age > 30").group_by("kind").agg(n="count(*)", m="avg(spend)")
    asked = held.sql(
        "SELECT kind, COUNT(*) AS n, AVG(spend) AS m FROM data WHERE age > 30 GROUP BY kind"
    )
    assert built.question == asked.question
    joined = (
        held.table("data").join("towns", using="town").group_by(place="region").agg(n="count(*)")
    )
    with without_noise():
        assert {row[0] for row in joined.release(epsilon=1).rows} == {None, "north", "south"}
    with pytest.raises(UnknownNameError, match="The tables are: data, towns"):
        held.table("nobody")


def test_distinct_tuples_are_those_of_plain_sql_whatever_their_texts_look_like() -> None:
    texts = ["", "a", "1:a", "n", "1:", ":", None, "a1:a", "11:a"]
    pairs = [(one, other) for one in texts for other in texts]
    data = pa.table(
        {
            "a": [one for one, _ in pairs] * 2,
            "b": [other for _, other in pairs] * 2,
            "d": [at < len(pairs) for at in range(2 * len(pairs))],
        }
    )
    held = shoal.private(data, name="data", protects=shoal.Row(), budget=shoal.Pure(9))
    every = "COUNT(DISTINCT (a, b)) AS n, COUNT(DISTINCT (a, b, d)) AS m, COUNT(DISTINCT a, b) AS k"
    with without_noise():
        (found,) = held.sql(f"SELECT {every} FROM data").release(epsilon=1).rows
    known = [each for each in pairs if None not in each]
    assert found == (len(pairs), 2 * len(pairs), len(known))
    assert duckdb.sql("SELECT COUNT(DISTINCT (a, b)), COUNT(DISTINCT (a, b, d)) FROM data").fetchall() == [found[:2]]  # fmt: skip
