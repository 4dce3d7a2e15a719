"""Estimates and their errors, against all matrices written out; and how good any strategy can
be.
"""

from __future__ import annotations

import sys
from math import sqrt
from typing import Any

import numpy as np
import pytest
from tests.workloads.dense import measurement_matrix, query_matrix, table_matrix

from shoal.workloads import AllRanges, Marginals, PrefixSums, Total, Workload
from shoal.workloads.column_queries import EACH_PREFIX, EACH_RANGE, EACH_VALUE
from shoal.workloads.optimum import GAP, optimum

ADULT = dict(enumerate([100, 100, 100, 99, 85, 42, 16, 15, 9, 7, 6, 5, 2, 2]))
"""The sizes of the columns of the Adult data, as in Xiao, He, Zhang and Kifer 2023."""

DOMAIN = {"a": 2, "b": 4, "c": 3, "one": 1}
LINES: dict[str, Any] = {
    "marginals": [Marginals(["a", "b", "c"], up_to=2)],
    "one table": [Marginals(["a", "b", "c"])],
    "weights": [Marginals(["a", "b"], weight=9), Marginals(["b", "c"]), Total(weight="1/4")],
    "a column of one value": [Marginals(["a", "one"], up_to=2), Marginals(["one", "b"])],
    "prefix sums": [PrefixSums("b")],
    "ranges and more of one column": [
        AllRanges("b", weight=2),
        PrefixSums("b"),
        Marginals(["b"]),
        Total(),
    ],
    "ranges among marginals": [AllRanges("b", by=["a"]), Marginals(["a", "c"], up_to=2)],
    "two ordered columns": [PrefixSums("b", by=["c"]), AllRanges("c"), Marginals(["a"])],
}


def _written_out(workload: Any) -> Any:
    rows = np.vstack([table_matrix(workload.domain, table) for table in workload.tables])
    parts = [measurement_matrix(workload.domain, m) for m in workload.strategy.measurements]
    return rows.astype(float), [part.astype(float) for part in parts]


@pytest.mark.parametrize("name", LINES)
def test_standard_errors_are_those_of_weighted_least_squares_over_all_cells(name: Any) -> None:
    workload = Workload.of(DOMAIN, LINES[name])
    plan = workload.plan(rho="0.2", rows_per_person=2)
    rows, parts = _written_out(workload)
    information = sum(
        part.T @ part / noise for part, noise in zip(parts, plan.noise_variances, strict=True)
    )
    expected = np.diagonal(rows @ np.linalg.pinv(information, rcond=1e-11) @ rows.T)
    found = np.concatenate([np.ravel(plan.standard_errors(t.name)) for t in workload.tables])
    assert np.allclose(found**2, expected, rtol=1e-7)


@pytest.mark.parametrize("name", LINES)
def test_estimates_are_those_of_weighted_least_squares_over_all_cells(name: Any) -> None:
    workload = Workload.of(DOMAIN, LINES[name])
    plan = workload.plan(rho="0.2")
    rows, parts = _written_out(workload)
    rng = np.random.default_rng(3)
    strategy = workload.strategy
    answers = [
        rng.normal(size=[factor.rows for factor in each.factors]) * sqrt(noise)
        for each, noise in zip(strategy.measurements, plan.noise_variances, strict=True)
    ]
    scales = [sqrt(noise) for noise in plan.noise_variances]
    stacked = np.vstack([part / scale for part, scale in zip(parts, scales, strict=True)])
    given = np.concatenate([a.reshape(-1) / s for a, s in zip(answers, scales, strict=True)])
    expected = rows @ np.linalg.lstsq(stacked, given, rcond=1e-11)[0]
    found = np.concatenate([np.ravel(e) for e in strategy.estimates(workload.tables, answers)])
    assert np.allclose(found, expected, atol=1e-7)


@pytest.mark.parametrize("name", LINES)
def test_without_noise_every_table_is_exact(name: Any) -> None:
    workload = Workload.of(DOMAIN, LINES[name])
    rng = np.random.default_rng(4)
    counts = rng.integers(0, 50, workload.domain.shape(workload.domain.names))
    rows, parts = _written_out(workload)
    answers = [
        (part @ counts.reshape(-1)).reshape([factor.rows for factor in each.factors])
        for part, each in zip(parts, workload.strategy.measurements, strict=True)
    ]
    found = workload.strategy.estimates(workload.tables, answers)
    assert np.allclose(np.concatenate([np.ravel(each) for each in found]), rows @ counts.ravel())


@pytest.mark.parametrize(("order", "published"), [(2, 6.3587), (3, 10.5153)])
def test_marginals_of_adult_reach_the_published_optimum(order: Any, published: Any) -> None:
    domain = {f"c{at}": size for at, size in ADULT.items()}
    workload = Workload.of(domain, [Marginals(list(domain), of=order)])
    plan = workload.plan(rho="0.5")
    assert plan.overall_rmse == pytest.approx(published, abs=6e-5)
    assert plan.optimality_gap is not None
    assert abs(plan.optimality_gap) < 1e-9


def test_asked_one_by_one_the_same_tables_have_half_as_much_error_again() -> None:
    domain = {f"c{at}": size for at, size in ADULT.items()}
    tables = Workload.of(domain, [Marginals(list(domain), of=2)]).tables
    assert sqrt(len(tables)) == pytest.approx(9.54, abs=0.005)  # sigma of each at rho 0.5 / 91


@pytest.mark.slow
@pytest.mark.parametrize(("line", "published"), [(PrefixSums, 2.956), (AllRanges, 3.515)])
def test_one_ordered_column_of_1024_values_reaches_the_published_optimum(
    line: Any, published: Any
) -> None:
    plan = Workload.of({"age": 1024}, [line("age")]).plan(rho="0.5")
    assert plan.overall_rmse == pytest.approx(published, abs=6e-4)
    assert plan.optimality_gap is not None
    assert -1e-9 < plan.optimality_gap < 1e-3


@pytest.mark.parametrize("name", ["marginals", "one table", "weights", "a column of one value"])
def test_the_bound_of_marginals_is_that_of_their_singular_values(name: Any) -> None:
    workload = Workload.of(DOMAIN, LINES[name])
    rows, _ = _written_out(workload)
    weights = np.repeat(
        [float(t.weight) for t in workload.tables],
        [t.cells(workload.domain) for t in workload.tables],
    )
    values = np.linalg.svd(np.sqrt(weights)[:, None] * rows, compute_uv=False)
    assert workload.strategy.bound == pytest.approx(values.sum() ** 2 / rows.shape[1])
    gap = workload.plan(rho=1).optimality_gap
    assert gap is not None
    assert abs(gap) < 1e-9


@pytest.mark.parametrize("query", [EACH_PREFIX, EACH_RANGE, EACH_VALUE])
@pytest.mark.parametrize("size", [1, 2, 7, 33])
def test_no_strategy_that_was_tried_beats_the_bound(query: Any, size: Any) -> None:
    gram = query.gram(size)
    found = optimum(gram, query.inverse_gram(size))
    assert found.bound <= found.error * (1 + 1e-9) <= found.bound * (1 + GAP) * (1 + 1e-8)
    rng = np.random.default_rng(size)
    for _ in range(50):
        near = found.strategy + rng.normal(scale=0.3 / size, size=found.strategy.shape)
        near /= np.sqrt((near**2).sum(axis=0)).max()
        assert np.trace(gram @ np.linalg.pinv(near.T @ near)) >= found.bound * (1 - 1e-9)


@pytest.mark.parametrize("query", [EACH_PREFIX, EACH_RANGE, EACH_VALUE])
@pytest.mark.parametrize("size", [1, 2, 6])
def test_a_query_of_a_column_is_the_matrix_it_stands_for(query: Any, size: Any) -> None:
    matrix = query_matrix(query, size).astype(float)
    assert np.array_equal(query.gram(size), matrix.T @ matrix)
    assert np.array_equal(query.row_sums(size), matrix.sum(axis=1))
    assert query.rows(size) == len(matrix) == len(query.names(range(size)))
    counts = np.arange(3.0 * size).reshape(3, size) ** 2
    assert np.allclose(query.apply(counts, 1), counts @ matrix.T)
    assert np.allclose(query.apply(counts.T, 0), matrix @ counts.T)
    root = np.random.default_rng(0).normal(size=(size, size))
    assert np.allclose(
        query.variances(root @ root.T), np.diagonal(matrix @ root @ root.T @ matrix.T)
    )
    if size > 1:
        middle, beside = query.inverse_gram(size)
        inverse = np.diag(middle) + np.diag(beside, 1) + np.diag(beside, -1)
        assert np.allclose(inverse @ matrix.T @ matrix, np.eye(size))


def test_the_fast_way_and_the_plain_way_find_the_same_optimum() -> None:
    for query in (EACH_PREFIX, EACH_RANGE):
        fast, plain = optimum(query.gram(40), query.inverse_gram(40)), optimum(query.gram(40))
        assert fast.error == pytest.approx(plain.error, rel=1e-6)


def test_what_a_table_weighs_buys_it_a_smaller_error() -> None:
    light = Workload.of(DOMAIN, [Marginals(["a"]), Marginals(["b", "c"])]).plan(rho=1)
    heavy = Workload.of(DOMAIN, [Marginals(["a"], weight=100), Marginals(["b", "c"])]).plan(rho=1)
    assert heavy.rmse("a") < light.rmse("a")
    assert heavy.rmse("b", "c") > light.rmse("b", "c")


def test_without_scipy_the_same_optimum_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    with_it = optimum(EACH_PREFIX.gram(50), EACH_PREFIX.inverse_gram(50))
    monkeypatch.setitem(sys.modules, "scipy.linalg", None)
    without = optimum(EACH_PREFIX.gram(50), EACH_PREFIX.inverse_gram(50))
    assert without.error == pytest.approx(with_it.error, rel=1e-9)


def test_several_tables_of_a_column_are_multiplied_as_their_matrix_is() -> None:
    lines = [AllRanges("b", weight=2), PrefixSums("b"), Marginals(["b"], weight="1/3"), Total()]
    strategy: Any = Workload.of({"b": 9}, lines).strategy
    columns = np.random.default_rng(3).normal(size=(9, 4))
    assert np.allclose(strategy._times(columns), strategy._gram @ columns)
    best = optimum(strategy._gram)
    assert strategy._optimum.error == pytest.approx(best.error, rel=1e-9)
