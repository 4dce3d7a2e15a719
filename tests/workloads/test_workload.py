"""What is no workload is refused with a word about what to type; odd workloads have a meaning."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.workloads.dense import table_matrix

import shoal
from shoal.accounting import account
from shoal.errors import (
    CalibrationError,
    DataError,
    RangeError,
    SchemaError,
    ShapeError,
    ShoalError,
    UnknownNameError,
)
from shoal.workloads import (
    AllRanges,
    GivenMarginals,
    Marginals,
    PrefixSums,
    TableDomain,
    Total,
    WantedTables,
    Workload,
)

SMALL = {"a": ["x", "y"], "b": 3}


def _plan() -> Any:
    return Workload.of(SMALL, [Marginals(["a", "b"])]).plan(rho=1)


REFUSED: dict[str, tuple[Callable[[], object], type[ShoalError], str]] = {
    "no domain": (lambda: Workload.of(["a"], [Total()]), SchemaError, "map columns"),  # type: ignore[arg-type]
    "a text as values": (lambda: TableDomain.of({"a": "xy"}), SchemaError, "list or a number"),
    "truth as a number": (lambda: TableDomain.of({"a": True}), SchemaError, "list or a number"),
    "no values": (lambda: TableDomain.of({"a": []}), SchemaError, "from 1 to"),
    "too many values": (lambda: TableDomain.of({"a": 10**9}), SchemaError, "from 1 to"),
    "a value twice": (lambda: TableDomain.of({"a": [1, 1]}), SchemaError, "twice"),
    "no table": (lambda: Workload.of(SMALL, ["a"]), SchemaError, "list of tables"),  # type: ignore[list-item]
    "an unknown column": (lambda: Workload.of(SMALL, [Marginals(["c"])]), UnknownNameError, "'c'"),
    "a column twice": (lambda: Marginals(["a", "a"]), SchemaError, "twice"),
    "a text as columns": (lambda: Marginals("ab"), SchemaError, "list of names"),
    "both orders": (lambda: Marginals(["a"], up_to=1, of=1), SchemaError, "both"),
    "too high an order": (lambda: Marginals(["a"], up_to=2), SchemaError, "1 columns"),
    "no weight": (lambda: Total(weight=0), RangeError, "weight must be above 0"),
    "itself in by": (lambda: PrefixSums("a", by=["a"]), SchemaError, "by"),
    "too many cells": (
        lambda: Workload.of(dict.fromkeys("abc", 1000), [Marginals(list("abc"))]),
        SchemaError,
        "cells together",
    ),
    "too long an order": (
        lambda: Workload.of({"a": 5000, "b": 2}, [AllRanges("a", by=["b"])]),
        SchemaError,
        "at most 4096",
    ),
    "no budget": (lambda: Workload.of(SMALL, [Total()]).plan(), RangeError, "a budget or a rho"),
    "two budgets": (
        lambda: Workload.of(SMALL, [Total()]).plan(shoal.ZeroConcentrated(1), rho=1),
        RangeError,
        "only one of them",
    ),
    "another kind of budget": (
        lambda: Workload.of(SMALL, [Total()]).plan(shoal.Renyi({2: 1})),
        RangeError,
        "in epsilon or in rho",
    ),
    "hardly any budget": (
        lambda: Workload.of(SMALL, [Total()]).plan(rho="1e-40"),
        CalibrationError,
        "wider",
    ),
    "an unknown table": (lambda: _plan().rmse("a"), UnknownNameError, "The tables are: a,b"),
    "an array of another shape": (
        lambda: _plan().release(np.zeros(6, dtype=int)),
        ShapeError,
        "shape",
    ),
    "counts that are no numbers": (lambda: _plan().release([["x"] * 3] * 2), DataError, "whole"),
    "counts that are floats": (lambda: _plan().release(np.zeros((2, 3))), DataError, "whole"),
    "a cell outside": (lambda: _plan().release({("z", 1): 4}), DataError, "not in the declared"),
    "a cell of one value": (lambda: _plan().release({"x": 4}), DataError, "not in the declared"),
    "a marginal that is missing": (
        lambda: _plan().release(GivenMarginals.of(TableDomain.of(SMALL), {("a",): [1, 2]})),
        ShapeError,
        "not given",
    ),
    "a marginal of another shape": (
        lambda: GivenMarginals.of(TableDomain.of(SMALL), {("a",): [1, 2, 3]}),
        ShapeError,
        "shape",
    ),
    "no person": (
        lambda: Workload.of(SMALL, [Total()]).plan(rho=1, rows_per_person=0),
        RangeError,
        "rows_per_person",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_makes_no_sense_is_refused_with_what_to_type_instead(name: str) -> None:
    act, error, words = REFUSED[name]
    with pytest.raises(error, match=words) as caught:
        act()
    assert caught.value.remedy


def test_an_empty_workload_costs_nothing_and_publishes_nothing() -> None:
    plan = Workload.of(SMALL, []).plan(rho=1)
    assert account(plan.event).cost(shoal.Pure) == shoal.Pure(0)
    assert len(plan.release(np.zeros((2, 3), dtype=int))) == 0
    assert plan.overall_rmse == 0
    assert plan.optimality_gap == 0


def test_a_table_that_is_wanted_twice_is_published_once_with_both_weights() -> None:
    twice = Workload.of(SMALL, [Marginals(["a"]), Marginals(["b"]), Marginals(["a"], weight=2)])
    once = Workload.of(SMALL, [Marginals(["a"], weight=3), Marginals(["b"])])
    assert twice == once


def test_a_domain_of_one_cell_has_a_total_and_nothing_more_to_measure() -> None:
    plan = Workload.of({"a": ["x"], "b": 1}, [Marginals(["a", "b"], up_to=2)]).plan(rho="0.5")
    assert plan.measured == ((),)
    assert plan.rmse("a", "b") == pytest.approx(plan.rmse("total")) == pytest.approx(1)
    assert plan.release({("x", 0): 1000})["a"].values == pytest.approx([1000], abs=9)


def test_columns_may_be_named_in_any_order() -> None:
    plan = _plan()
    assert plan.table("b", "a") is plan.table("a", "b") is plan.table("b,a")


def test_a_workload_is_a_value() -> None:
    one, two = (Workload.of(SMALL, [AllRanges("b", by=["a"])]) for _ in range(2))
    assert one == two
    assert hash(one) == hash(two)
    assert repr(AllRanges("b", by=["a"], weight="1/2")) == "AllRanges('b', by=['a'], weight='1/2')"
    assert repr([Marginals(["a"], up_to=1), Total()]) == "[Marginals(['a'], up_to=1), Total()]"


def test_a_strategy_is_known_by_its_hash() -> None:
    lines: list[list[WantedTables]] = [
        [Marginals(["a", "b"])],
        [Marginals(["b"])],
        [AllRanges("b")],
        [PrefixSums("b")],
    ]
    hashes = [
        [Workload.of(SMALL, each).plan(rho=1).strategy_hash for each in lines] for _ in range(2)
    ]
    assert hashes[0] == hashes[1]
    assert len(set(hashes[0])) == len(lines)


def test_an_approximate_budget_without_delta_is_a_pure_one() -> None:
    workload = Workload.of(SMALL, [Marginals(["a", "b"])])
    assert workload.plan(shoal.Approx(1, 0)).event == workload.plan(epsilon=1).event


@pytest.mark.parametrize("price", [{"rho": 1}, {"epsilon": 1}])
@pytest.mark.parametrize(
    "lines",
    [
        [PrefixSums("a"), AllRanges("a"), Marginals(["a"]), Total()],
        [Marginals(["a", "b"], up_to=2), Marginals(["a", "b"], up_to=2), Marginals(["b"])],
        [PrefixSums("b", by=["a"]), AllRanges("b", by=["a"]), Marginals(["a"])],
    ],
)
def test_queries_that_follow_from_each_other_have_one_answer(lines: Any, price: Any) -> None:
    """More queries than cells: the matrix of all queries has not full rank."""
    workload = Workload.of(SMALL, lines)
    domain = workload.used
    matrix = np.vstack([table_matrix(domain, table).astype(float) for table in workload.tables])
    assert np.linalg.matrix_rank(matrix) < len(matrix)
    released = workload.plan(**price).release(np.arange(6).reshape(2, 3))
    told = np.concatenate([np.ravel(table.values) for table in released])
    cells, *_ = np.linalg.lstsq(matrix, told, rcond=None)
    assert matrix @ cells == pytest.approx(told, abs=1e-6)


def test_a_preview_has_a_picture_of_errors_with_a_row_for_each_table() -> None:
    plan = Workload.of(SMALL, [Marginals(["a", "b"], up_to=2)]).plan(rho=1)
    picture = plan.heat_map()
    assert picture.startswith("<svg")
    for table in plan.lines():
        assert f">{table.name}</text>" in picture
        assert f"±{table.widest:,.1f}" in picture
    assert picture.count("<rect") == 1 + 2 + 3 + 6
    assert picture in plan._repr_html_()
    assert "<svg" not in Workload.of(SMALL, []).plan(rho=1)._repr_html_()
