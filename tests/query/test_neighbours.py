"""Record and play: between neighbours every noise gets inputs within its declared sensitivity, of
one shape.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.query.tables import FACTS, SCHEMA, made, without_noise

import shoal
from shoal.auditing.replay import replay
from shoal.errors import ShoalError

QUESTIONS = [
    "SELECT COUNT(*) AS n FROM data",
    "SELECT kind, COUNT(*) AS n, SUM(spend) AS s FROM data WHERE age > 30 GROUP BY kind",
    "SELECT kind, AVG(GREATEST(-5, LEAST(5, spend / (age - 50)))) AS x FROM data WHERE spend / (age - 50) < 7 GROUP BY kind",
    "SELECT kind, COUNT(DISTINCT town) AS d, COUNT(DISTINCT age // 40) AS e FROM data GROUP BY kind",
    "SELECT kind, VARIANCE(age) AS v, COUNT(DISTINCT who) AS p FROM data GROUP BY kind",
    "SELECT region, AVG(spend) AS m, SUM(size) AS s FROM data JOIN towns USING (town) GROUP BY region",
]
UNITS = [
    shoal.Person("who", groups=2, rows_per_group=2),
    shoal.Person("who", groups=1, rows_per_group=3, nulls="one"),
    shoal.Person(["who", "town"], groups=3, relation="change"),
    shoal.Row(),
]
CELLS = st.fixed_dictionaries(
    {
        "who": st.sampled_from([None, 1, 2, 3, 2**63 - 1]),
        "town": st.sampled_from([None, "Aldam", "Brook", "", "'; DROP TABLE data; --"]),
        "kind": st.sampled_from([None, "a", "b", "z"]),
        "age": st.none() | st.sampled_from([50, 2**63 - 1, -(2**63)]) | st.integers(0, 130),
        "spend": st.none() | st.floats(),
    }
)
MOST = [
    *QUESTIONS,
    "SELECT MEDIAN(age) AS m, MIN(spend) AS lo, MAX(spend) AS hi FROM data",
    "SELECT kind, QUANTILE(age, 0.9) AS q, COUNT(*) AS n FROM data GROUP BY kind",
    "SELECT STDDEV(spend) AS s, SUM(CASE WHEN kind = 'a' THEN age ELSE 0 END) AS t FROM data WHERE town IS NOT NULL",
    "SELECT CORR(spend, age) AS r, REGR_SLOPE(spend, age) AS s, SKEWNESS(spend) AS k FROM data",
    "SELECT kind, COVAR_SAMP(spend, age) AS c, KURTOSIS(age) AS k, SUM(age > 40) AS o FROM data GROUP BY kind",
    "SELECT kind, COUNT(*) AS n FROM data GROUP BY kind ORDER BY n DESC LIMIT 2",
    "SELECT kind, SUM(spend) / COUNT(*) AS each FROM data GROUP BY kind HAVING COUNT(*) > 1",
    "SELECT WIDTH_BUCKET(spend, 0, 500, 5) AS b, COUNT(*) AS n FROM data GROUP BY b",
    "SELECT kind, QUANTILE_CONT(spend, [0.1, 0.5, 0.9]) AS q FROM data GROUP BY kind",
]
SELECTED = [
    "SELECT town, COUNT(*) AS n FROM data GROUP BY town",
    "SELECT town, AVG(spend) AS m, MEDIAN(age) AS q FROM data GROUP BY town",
    "SELECT town, kind, COUNT(DISTINCT age // 40) AS n FROM data GROUP BY town, kind",
]


def asking(unit: Any, sql: str, budget: Any = None, **spend: Any) -> Any:
    """The rehearsal of a question, as a function of rows."""

    def run(data: list[dict[str, Any]]) -> Any:
        held = made(
            data,
            protects=unit,
            budget=budget or shoal.Approx(100, "1e-3"),
            towns="towns" in sql,
        )
        return held.sql(sql).rehearse(**spend)

    return run


def without(data: list[dict[str, Any]], unit: Any) -> list[list[dict[str, Any]]]:
    """All neighbours with somebody less."""
    if isinstance(unit, shoal.Row):
        return [data[:at] + data[at + 1 :] for at in range(len(data))]
    owners = {tuple(row[c] for c in unit.columns) for row in data}
    return [[row for row in data if tuple(row[c] for c in unit.columns) != who] for who in owners]


def pairs_of(data: list[dict[str, Any]], unit: Any) -> list[tuple[Any, Any]]:
    """Some neighbours with one unit less, and one with one more."""
    pairs = [(data, other) for other in without(data, unit)[:3]]
    return pairs + [(other, data) for _, other in pairs[:1]]


def check(run: Any, data: list[dict[str, Any]], unit: Any, **options: Any) -> None:
    found = replay(run, pairs_of(data, unit), **options)
    assert [str(each) for each in found.differences] == []
    assert found.errors == 0


@pytest.mark.slow
@pytest.mark.parametrize("sql", MOST)
@pytest.mark.parametrize("unit", UNITS, ids=str)
@settings(max_examples=2, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(data=st.lists(CELLS, max_size=6), law=st.sampled_from(["laplace", "gaussian", None]))
def test_neighbours_give_every_noise_inputs_within_its_sensitivity(
    sql: str, unit: Any, data: list[dict[str, Any]], law: str | None
) -> None:
    if "DISTINCT who" in sql and unit != UNITS[0]:
        return
    check(asking(unit, sql, epsilon=1, noise=law), data, unit)


@pytest.mark.slow
@pytest.mark.parametrize("sql", SELECTED)
@pytest.mark.parametrize("unit", UNITS, ids=str)
@settings(max_examples=2, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(data=st.lists(CELLS, max_size=6), law=st.sampled_from(["laplace", "gaussian"]))
def test_neighbours_vote_for_keys_within_the_sensitivity_and_the_threshold(
    sql: str, unit: Any, data: list[dict[str, Any]], law: str
) -> None:
    run = asking(unit, sql, epsilon=20, delta="0.0004", noise=law)
    check(run, data * 3 + [{**row, "who": at} for at, row in enumerate(data * 9)], unit)


@pytest.mark.slow
@pytest.mark.parametrize("spend", [{"rho": "0.5"}, {"rho": "0.5", "noise": "laplace"}], ids=str)
@pytest.mark.parametrize("sql", [QUESTIONS[1], MOST[6]])
@settings(max_examples=3, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(data=st.lists(CELLS, max_size=6))
def test_a_budget_in_rho_changes_nothing_about_it(
    sql: str, spend: dict[str, Any], data: list[dict[str, Any]]
) -> None:
    check(asking(UNITS[0], sql, shoal.ZeroConcentrated(9), **spend), data, UNITS[0])


@pytest.mark.slow
@settings(max_examples=5, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(data=st.lists(CELLS, max_size=5))
def test_ends_of_quantiles_are_chosen_within_the_sensitivity_too(
    data: list[dict[str, Any]],
) -> None:
    def run(rows: list[dict[str, Any]]) -> Any:
        held = made(rows, budget=shoal.Approx(100, "1e-3"))
        sql = "SELECT kind, MEDIAN(age) AS m FROM data GROUP BY kind"
        return held.sql(sql, intervals="0.9").rehearse(epsilon=1)

    check(run, data, shoal.Person("who", groups=2, rows_per_group=3))


@pytest.mark.slow
@settings(max_examples=6, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(
    data=st.lists(CELLS, min_size=1, max_size=4),
    other=CELLS,
    law=st.sampled_from(["laplace", "gaussian"]),
)
def test_a_row_that_changes_moves_inputs_within_the_sensitivity(
    data: list[dict[str, Any]], other: dict[str, Any], law: str
) -> None:
    unit = shoal.Row(relation=shoal.Relation.CHANGE)
    for sql in (QUESTIONS[1], QUESTIONS[3], MOST[7]):
        found = replay(
            asking(unit, sql, epsilon=1, noise=law), [(data, [other, *data[1:]])], relation="change"
        )
        assert found.differences == ()


@pytest.mark.slow
@settings(max_examples=4, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(data=st.lists(CELLS, max_size=6))
def test_private_tables_of_one_person_are_joined_within_the_sensitivity(
    data: list[dict[str, Any]],
) -> None:
    """Rows of the first kinds are one table, the others another; a person stands in both."""
    unit = shoal.Person("who", groups=2, rows_per_group=2)

    def run(rows: list[dict[str, Any]]) -> Any:
        left = [row for row in rows if row["kind"] in ("a", "b")]
        tables = {
            name: pa.Table.from_pylist(part, schema=SCHEMA)
            for name, part in (("visits", left), ("people", [r for r in rows if r not in left]))
        }
        held = shoal.private(
            tables,
            protects=unit,
            columns={"visits.kind": FACTS["kind"], "people.age": FACTS["age"]},
            keys={"visits.who": 2, "people.who": 1},
            budget=shoal.Pure(9),
        )
        sql = "SELECT visits.kind AS kind, COUNT(*) AS n, SUM(people.age) AS s FROM visits JOIN people USING (who) GROUP BY visits.kind"
        return held.sql(sql).rehearse(epsilon=1)

    check(run, data, unit)


HOSTILE = [
    [],
    [{"who": 1, "town": "x", "kind": "a", "age": 1, "spend": 1.0}] * 100_000,
    [{"who": w, "town": f"t{w}", "kind": "a", "age": 2**63 - 1, "spend": 1e308} for w in range(5000)],
    [{"who": None, "town": None, "kind": None, "age": None, "spend": None}] * 9,
    [{"who": w, "town": "x", "kind": "a", "age": 50, "spend": s} for w in range(9) for s in (float("nan"), float("inf"), -float("inf"))],
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(
    "data", HOSTILE, ids=["empty", "one person", "limits", "nulls", "not finite"]
)
@pytest.mark.parametrize("sql", QUESTIONS)
def test_hostile_rows_are_answered_within_bounds(data: list[dict[str, Any]], sql: str) -> None:
    held = made(data, budget=shoal.Approx(100, "1e-3"))
    answer = held.sql(sql).release(epsilon=5)
    for row in answer.rows:
        for name, value in zip(answer.columns, row, strict=True):
            assert isinstance(value, int | float | str | None)
            if name == "m":
                assert isinstance(value, float)
                assert 0 <= value <= 500
    with without_noise():
        told = held.sql("SELECT COUNT(*) AS n FROM data").release(epsilon=1).rows[0][0]
    people = len({row["who"] for row in data} - {None})
    assert isinstance(told, int)
    assert 0 <= told <= 3 * people


def test_no_message_tells_a_value_or_a_key() -> None:
    secret = "SECRET-KEY"
    data = [{"who": 1, "town": secret, "kind": "a", "age": 1, "spend": 1.0}]
    held = made(data, budget=shoal.Approx(1, "1e-6"))
    texts = [
        "SELECT town, COUNT(*) AS n FROM data GROUP BY town",
        "SELECT SUM(CAST(town AS INTEGER)) AS s FROM data",
        "SELECT COUNT(*) AS n FROM data WHERE town = 1",
        "SELECT town FROM data",
    ]
    for text in texts:
        for spend in (
            {"epsilon": 1},
            {"epsilon": 90, "delta": "1e-7"},
            {"epsilon": 1, "delta": "0.1"},
        ):
            with pytest.raises(ShoalError) as refusal:
                held.sql(text).release(**spend)
            assert secret not in str(refusal.value)
