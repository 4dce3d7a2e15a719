"""A planner with one rule of bounding broken is caught: some neighbour then moves the noise's input
too far.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from tests.query.tables import made, without_noise

import shoal
from shoal.auditing.replay import replay
from shoal.engines.duckdb import engine as duckdb_engine
from shoal.engines.duckdb import sorting
from shoal.engines.sql import totals as totals_sql
from shoal.errors import PriceError
from shoal.noise.seam import seeded
from shoal.plan import WHOLE, Bounded, Term

PERSON = shoal.Person("who", groups=2, rows_per_group=2)
CHANGING = shoal.Person("who", groups=1, rows_per_group=2, relation="change")
MANY_ROWS = [(1, "a", 100, 400.0)] * 9
MANY_GROUPS = [(1, kind, 100, 400.0) for kind in ("a", "b", "c", None) for _ in range(2)]
OTHERS = [(who, "a", 50, 10.0) for who in range(2, 6)]
SQL = "SELECT kind, COUNT(*) AS n, SUM(spend) AS s FROM data GROUP BY kind"


def rows(cells: list[tuple[Any, ...]]) -> list[dict[str, Any]]:
    return [{"who": w, "kind": k, "age": a, "spend": s, "town": "Aldam"} for w, k, a, s in cells]


def worst(data: list[dict[str, Any]], unit: Any, sql: str, other: list[dict[str, Any]]) -> Fraction:
    """How far the inputs of a noise move between neighbours, in multiples of its sensitivity."""

    def run(held: list[dict[str, Any]]) -> Any:
        return made(held, protects=unit).sql(sql).rehearse(epsilon=1)

    found = replay(run, [(data, other)])
    assert {each.kind for each in found.differences} <= {"moved"}
    assert found.noises
    return found.worst


def edited(old: str, new: str) -> Callable[..., str]:
    """The SQL of totals with a piece replaced; it must be there to be broken."""
    real = totals_sql

    def broken(*given: Any) -> str:
        sql = real(*given)
        assert old in sql
        return sql.replace(old, new)

    return broken


CASES: dict[str, tuple[Any, list[dict[str, Any]], list[dict[str, Any]], Any]] = {
    "rows per group": (PERSON, rows(MANY_ROWS + OTHERS), rows(OTHERS), ("LEAST(c.n, 2)", "c.n")),
    "groups": (PERSON, rows(MANY_GROUPS + OTHERS), rows(OTHERS), ("w.f", "CAST(NULL AS BIGINT)")),
}


@pytest.mark.slow
@pytest.mark.parametrize("rule", CASES)
def test_a_broken_rule_of_the_engine_is_caught(rule: str) -> None:
    unit, data, other, (old, new) = CASES[rule]
    assert worst(data, unit, SQL, other) <= 1
    with patch.object(duckdb_engine, "sortable", lambda _: False):
        assert worst(data, unit, SQL, other) <= 1
        with patch.object(duckdb_engine, "totals", edited(old, new)):
            assert worst(data, unit, SQL, other) > 1


BROKEN: dict[str, tuple[str, Callable[..., Any]]] = {
    "rows per group": ("_scaled", lambda sums, _, __, below: sums * (WHOLE // below)),
    "groups": ("_factors", lambda sizes, _, first: np.full(len(sizes), WHOLE)),
}


@pytest.mark.parametrize("rule", CASES)
def test_a_broken_rule_of_sorting_is_caught(rule: str) -> None:
    unit, data, other, _ = CASES[rule]
    with patch.object(sorting, *BROKEN[rule]):
        assert worst(data, unit, SQL, other) > 1


@pytest.mark.slow
def test_a_forgotten_change_is_caught() -> None:
    one, other = rows([(1, "a", 1, 499.0)] * 2), rows([(1, "b", 1, 499.0)] * 2)
    assert worst(one, CHANGING, SQL, other) <= 1
    real = Bounded.sensitivity

    def half(bounded: Bounded, term: Term) -> Any:
        return real(bounded, term).scaled_by(Fraction(1, 2))

    with patch.object(Bounded, "sensitivity", half):
        assert worst(one, CHANGING, SQL, other) > 1


def test_a_forgotten_bound_of_a_value_is_caught() -> None:
    data, other = rows([(1, "a", 1, 499.0)] * 2), rows([])
    assert worst(data, PERSON, "SELECT SUM(spend) AS s FROM data", other) <= 1
    with patch.object(Term, "bound", 1):
        assert worst(data, PERSON, "SELECT SUM(spend) AS s FROM data", other) > 1


def test_a_join_that_multiplies_rows_is_bounded_for_rows() -> None:
    towns = {"town": ["Aldam"] * 3, "region": ["x", "y", "z"]}
    import pyarrow as pa  # noqa: PLC0415 - only here

    inputs = []
    for data in (rows(OTHERS), rows(OTHERS[1:])):
        table = pa.Table.from_pylist(data)
        held = shoal.private(
            table, protects=shoal.Row(), public={"towns": pa.table(towns)}, budget=shoal.Pure(9)
        )
        with without_noise() as given:
            held.sql("SELECT COUNT(*) AS n FROM data JOIN towns USING (town)").release(epsilon=1)
        inputs.append(given[0])
    (mechanism, before), (_, after) = inputs
    assert before[0] - after[0] == 3 == mechanism.sensitivity.value


@pytest.mark.parametrize("sql", [SQL, "SELECT MEDIAN(age) AS m FROM data"], ids=["sums", "median"])
def test_a_rehearsal_is_never_charged_as_private(sql: str) -> None:
    pure, concentrated = (
        made(rows(OTHERS), budget=budget) for budget in (shoal.Pure(9), shoal.ZeroConcentrated(9))
    )
    with seeded(1), pytest.raises(PriceError, match="rehearsal"):
        pure.sql(sql).release(epsilon=1)
    with seeded(1), pytest.raises(PriceError, match="rehearsal"):
        concentrated.sql(sql).release(rho=1)
    assert pure.budget.spent == shoal.Pure(0)
    assert concentrated.budget.spent == shoal.ZeroConcentrated(0)


@pytest.mark.slow
def test_a_hundred_thousand_private_keys_are_selected_from() -> None:
    data = rows([(who, "a", 1, 1.0) for who in range(100_000)])
    for at, row in enumerate(data):
        row["town"] = f"town {at if at % 2 else 0}"
    held = made(data, protects=shoal.Row(), budget=shoal.Approx(10, "1e-3"))
    answer = held.sql("SELECT town, COUNT(*) AS n FROM data GROUP BY town").release(
        epsilon=5, delta="1e-12"
    )
    # each of 50,000 others is told with a chance of 1e-12
    assert [row[0] for row in answer.rows] == ["town 0"]
