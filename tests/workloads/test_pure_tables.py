"""Tables for an epsilon without delta: Laplace noise, weighted marginals and p-identity
strategies.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import exp, sqrt
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.workloads.dense import contributions, measurement_matrix, table_matrix
from tests.workloads.test_hierarchies import CASES, DOMAIN

import shoal
from shoal.accounting import account
from shoal.workloads import AllRanges, Marginals, PrefixSums, Total, Workload
from shoal.workloads.column_queries import EACH_PREFIX, EACH_RANGE, EACH_VALUE
from shoal.workloads.factors import IntegerMatrix
from shoal.workloads.p_identity import p_identity
from shoal.workloads.pure_strategy import PureStrategy

PLAIN: dict[str, Any] = {
    "marginals": ([Marginals(["d", "s", "a"], up_to=2)], []),
    "one table": ([Marginals(["d", "s", "a"])], []),
    "weights": ([Marginals(["d", "s"], weight=9), Marginals(["a"]), Total(weight="1/4")], []),
    "ranges among others": ([AllRanges("d", by=["s"]), Marginals(["s", "a"])], []),
    "one ordered column": (
        [AllRanges("d", weight=2), PrefixSums("d"), Marginals(["d"]), Total()],
        [],
    ),
}
ALL = PLAIN | CASES


def _workload(name: str) -> Workload:
    lines, hierarchies = ALL[name]
    return Workload.of(DOMAIN, lines, hierarchies)


@pytest.mark.parametrize("name", ALL)
def test_estimates_and_errors_are_those_of_least_squares_over_all_cells(name: Any) -> None:
    workload = _workload(name)
    plan = workload.plan(epsilon="0.2", rows_per_person=2)
    strategy, noise = workload.pure_strategy, plan.noise_variances
    parts = [measurement_matrix(workload.domain, m) for m in strategy.measurements]
    stacked = np.vstack([p.astype(float) / sqrt(v) for p, v in zip(parts, noise, strict=True)])
    rows = np.vstack([table_matrix(workload.domain, t) for t in workload.tables]).astype(float)
    rng = np.random.default_rng(3)
    answers = [
        rng.normal(size=[factor.rows for factor in each.factors]) * sqrt(v)
        for each, v in zip(strategy.measurements, noise, strict=True)
    ]
    given = np.concatenate([a.reshape(-1) / sqrt(v) for a, v in zip(answers, noise, strict=True)])
    best = rows @ np.linalg.lstsq(stacked, given, rcond=1e-11)[0]
    found = np.concatenate([np.ravel(e) for e in strategy.estimates(workload.tables, answers)])
    inverse = np.linalg.pinv(stacked.T @ stacked, rcond=1e-11, hermitian=True)
    errors = np.sqrt(np.diagonal(rows @ inverse @ rows.T))
    assert np.abs(found - best).max() < 2e-3 * errors.max()
    ours = np.concatenate([np.ravel(plan.standard_errors(t.name)) for t in workload.tables])
    assert np.allclose(ours, errors, rtol=2e-3)


@pytest.mark.parametrize("name", ALL)
def test_without_noise_every_table_is_exact(name: Any) -> None:
    workload = _workload(name)
    counts = np.random.default_rng(2).integers(0, 90, (6, 2, 3))
    strategy = workload.pure_strategy
    names = workload.domain.names
    answers = []
    for each in strategy.measurements:
        away = tuple(at for at, column in enumerate(names) if column not in each.columns)
        answers.append(each.exact(np.asarray(counts.sum(axis=away))).astype(float))
    found = strategy.estimates(workload.tables, answers)
    for table, values in zip(workload.tables, found, strict=True):
        expected = table_matrix(workload.domain, table).dot(counts.reshape(-1))
        assert np.allclose(values.reshape(-1), expected.astype(float), atol=1e-4)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("relation", ["add_remove", "change"])
def test_no_neighbours_lose_more_than_epsilon_and_marginals_use_all_of_it(
    name: Any, relation: Any
) -> None:
    workload = _workload(name)
    plan = workload.plan(epsilon="0.3", rows_per_person=2, relation=relation)
    parts = [measurement_matrix(workload.domain, m) for m in workload.pure_strategy.measurements]
    held = list(contributions(parts[0].shape[1], 1))
    moves = held if relation == "add_remove" else [a - b for a, b in product(held, held[:7])]
    losses = [
        sum(
            Fraction(sum(abs(int(v)) for v in part.dot(2 * move))) / noise.spread
            for part, noise in zip(parts, plan.mechanisms, strict=True)
        )
        for move in moves
    ]
    assert max(losses) <= Fraction(3, 10)
    if name in PLAIN and name != "ranges among others" and relation == "add_remove":
        assert max(losses) >= Fraction(3, 10) * (1 - Fraction(1, 10**5))
    cost: Any = account(plan.event).cost(shoal.Pure)
    assert cost.epsilon <= Fraction(3, 10)


@pytest.mark.parametrize("query", [EACH_PREFIX, EACH_RANGE, EACH_VALUE])
def test_a_gram_matrix_times_columns_is_that_product(query: Any) -> None:
    columns = np.random.default_rng(1).normal(size=(9, 4))
    assert query.gram_times(columns) == pytest.approx(query.gram(9) @ columns)


def test_p_identity_strategies_have_columns_that_sum_to_one_and_beat_trees_and_values() -> None:
    size = 128
    found = p_identity(size, EACH_PREFIX.gram_times)
    assert found.sum(axis=0) == pytest.approx(np.ones(size))
    gram = EACH_PREFIX.gram(size)
    error = np.trace(np.linalg.solve(found.T @ found, gram))
    workload = Workload.of({"v": size, "w": 2}, [PrefixSums("v")])
    trees = [PureStrategy(workload.used, workload.tables, each).error / 2 for each in (None, 4, 16)]
    assert error < min(trees) < max(trees) < size * (size + 1) / 2


@pytest.mark.slow
def test_1024_prefix_sums_and_ranges_are_as_good_as_published() -> None:
    """HDMM's p-identity strategies have 9.61 and 11.10 at epsilon 1."""
    for line, published in ((PrefixSums, 9.61), (AllRanges, 11.10)):
        plan = Workload.of({"v": 1024}, [line("v")]).plan(epsilon=1)
        assert plan.overall_rmse < published


def test_all_tables_of_a_pure_budget_are_one_charge_with_intervals_that_cover() -> None:
    rng = np.random.default_rng(4)
    rows = pa.table(
        {"sex": rng.choice(["f", "m"], 900), "region": rng.choice(["N", "S", "E"], 900)}
    )
    facts = {"sex": shoal.Choices(["f", "m"]), "region": shoal.Choices(["N", "S", "E"])}
    people = shoal.private(
        rows, protects=shoal.Row(), columns=facts, required=list(facts), budget=shoal.Pure(1)
    )
    asked = people.workload([Marginals(["sex", "region"], up_to=2)])
    released = asked.release(epsilon="0.5")
    assert people.budget.spent == shoal.Pure("0.5")
    assert released.certificate is not None
    assert released.certificate["noise"] == "laplace"
    both = released["sex", "region"].values
    assert both.sum(axis=0) == pytest.approx(released["region"].values)
    whole = released.whole_numbers()
    assert int(whole["sex", "region"].values.sum()) == int(whole["total"].values)
    price = asked.for_error(30)
    assert 29.9 < asked.preview(epsilon=price).widest() <= 30


@pytest.mark.parametrize("epsilon", ["0.3", "2"])
def test_intervals_cover_at_least_as_often_as_they_say(epsilon: Any) -> None:
    workload = Workload.of({"a": 3, "b": 4}, [Marginals(["a", "b"], up_to=2)])
    plan = workload.plan(epsilon=epsilon)
    counts = np.random.default_rng(5).integers(0, 40, (3, 4))
    inside = cells = 0
    for _ in range(150):
        for table in plan.release(counts):
            away = tuple(at for at, name in enumerate("ab") if name not in table.columns)
            low, high = table.intervals(confidence="0.95")
            true = counts.sum(axis=away)
            inside += int(((low <= true) & (true <= high)).sum())
            cells += true.size
    assert inside / cells > 0.945


@pytest.mark.parametrize("confidence", ["0.8", "0.95", "0.999"])
def test_a_single_count_is_outside_its_interval_no_more_often_than_its_law_allows(
    confidence: str,
) -> None:
    plan = Workload.of({"a": 3}, [Marginals(["a"])]).plan(epsilon="0.1")
    scale = float(plan.standard_errors("a").max()) / sqrt(2)  # one count has one Laplace number
    outside = exp(-plan.widest("a", confidence=confidence) / scale)
    assert outside <= 1 - float(confidence)


def test_a_matrix_is_as_wide_and_as_long_as_its_largest_column() -> None:
    found = IntegerMatrix(np.array([[1, -2], [0, 3]]))
    assert (found.widest, found.longest) == (5, 13)


def test_a_gap_says_what_no_strategy_with_laplace_noise_can_pass() -> None:
    plan = Workload.of({"a": 3, "b": 4}, [Marginals(["a", "b"], up_to=1)]).plan(epsilon=1)
    assert plan.optimality_gap is not None
    assert 0 < plan.optimality_gap < 3
