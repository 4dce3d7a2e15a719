"""Record and play: between neighbours every noise gets inputs within its declared sensitivity, of one shape."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.query.tables import made, without_noise

import shoal
from shoal.errors import ShoalError
from shoal.mechanisms.additive import Additive

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
Given = list[tuple[Additive, list[int]]]


def played(data: list[dict[str, Any]], unit: Any, sql: str, law: str) -> tuple[Given, Any]:
    with without_noise() as seen:
        held = made(data, protects=unit, budget=shoal.Approx(100, "1e-3"))
        answer = held.sql(sql).release(epsilon=1, noise=law)
    return seen, answer


def without(data: list[dict[str, Any]], unit: Any) -> list[list[dict[str, Any]]]:
    if isinstance(unit, shoal.Row):
        return [data[:at] + data[at + 1 :] for at in range(len(data))]
    owners = {tuple(row[c] for c in unit.columns) for row in data}
    return [[row for row in data if tuple(row[c] for c in unit.columns) != who] for who in owners]


@pytest.mark.parametrize("sql", QUESTIONS)
@pytest.mark.parametrize("unit", UNITS, ids=str)
@settings(max_examples=6, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(data=st.lists(CELLS, max_size=6), law=st.sampled_from(["laplace", "gaussian"]))
def test_neighbours_give_every_noise_inputs_within_its_sensitivity(
    sql: str, unit: Any, data: list[dict[str, Any]], law: str
) -> None:
    if "DISTINCT who" in sql and unit != UNITS[0]:
        return
    seen, answer = played(data, unit, sql, law)
    for other in without(data, unit):
        again, second = played(other, unit, sql, law)
        assert [m for m, _ in again] == [m for m, _ in seen], "another noise"
        assert [row[0] for row in second.rows if second.columns[0] in ("kind", "region")] == [
            row[0] for row in answer.rows if answer.columns[0] in ("kind", "region")
        ]
        for (mechanism, before), (_, after) in zip(seen, again, strict=True):
            assert len(before) == len(after)
            norm = mechanism.sensitivity.norm
            moved = [Fraction(a - b) for a, b in zip(before, after, strict=True)]
            assert norm.measure(moved) <= norm.measure([mechanism.sensitivity.value])


HOSTILE = [
    [],
    [{"who": 1, "town": "x", "kind": "a", "age": 1, "spend": 1.0}] * 100_000,
    [{"who": w, "town": f"t{w}", "kind": "a", "age": 2**63 - 1, "spend": 1e308} for w in range(5000)],
    [{"who": None, "town": None, "kind": None, "age": None, "spend": None}] * 9,
    [{"who": w, "town": "x", "kind": "a", "age": 50, "spend": s} for w in range(9) for s in (float("nan"), float("inf"), -float("inf"))],
]  # fmt: skip


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
