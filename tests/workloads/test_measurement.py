"""How far one person moves what is measured."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from tests.workloads.dense import contributions, measurement_matrix

from shoal.accounting import account
from shoal.measures import Approx, GaussianDP, ZeroConcentrated
from shoal.sensitivity import Relation
from shoal.workloads import AllRanges, Marginals, PrefixSums, TableDomain, Workload
from shoal.workloads.factors import Centred, IntegerMatrix
from shoal.workloads.measurement import Measurement

SHAPES = [(2,), (5,), (2, 3), (3, 3), (2, 2, 2)]


def _domain(shape: Any) -> Any:
    return TableDomain.of({f"c{at}": size for at, size in enumerate(shape)})


def _random(shape: Any, seed: Any, *, centred: Any) -> Any:
    rng = np.random.default_rng(seed)
    factors = tuple(
        Centred(n) if centred else IntegerMatrix(rng.integers(-9, 10, (int(rng.integers(1, 5)), n)))
        for n in shape
    )
    return Measurement(_domain(shape).names, factors)


def _squares(matrix: Any, vectors: Any) -> Any:
    return [sum(int(each) ** 2 for each in matrix.dot(vector)) for vector in vectors]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("centred", [True, False])
@pytest.mark.parametrize("reach", [1, 2])
@pytest.mark.parametrize("seed", range(4))
def test_one_unit_that_comes_or_goes_moves_a_measurement_by_exactly_its_sensitivity(
    shape: Any, centred: Any, reach: Any, seed: Any
) -> None:
    measured = _random(shape, seed, centred=centred)
    matrix = measurement_matrix(_domain(shape), measured)
    brute = max(_squares(matrix, contributions(matrix.shape[1], reach)))
    claimed = measured.squared_sensitivity(Fraction(reach), Relation.ADD_REMOVE)
    assert claimed == brute


@pytest.mark.parametrize("shape", [(2,), (3,), (2, 3), (2, 2, 2)])
@pytest.mark.parametrize("centred", [True, False])
@pytest.mark.parametrize("reach", [1, 2])
def test_one_unit_that_changes_moves_a_measurement_by_at_most_its_sensitivity(
    shape: Any, centred: Any, reach: Any
) -> None:
    for seed in range(6):
        measured = _random(shape, seed, centred=centred)
        matrix = measurement_matrix(_domain(shape), measured)
        held = list(contributions(matrix.shape[1], reach))
        brute = max(_squares(matrix, (one - two for one, two in product(held, held))))
        claimed = measured.squared_sensitivity(Fraction(reach), Relation.CHANGE)
        assert claimed == brute if centred else claimed >= brute


def test_a_measurement_of_a_column_is_seen_in_the_whole_domain_by_its_own_columns() -> None:
    domain = _domain((3, 2))
    measured = Measurement(("c1",), (Centred(2),))
    matrix = measurement_matrix(domain, measured)
    brute = max(_squares(matrix, contributions(6, 3)))
    assert measured.squared_sensitivity(Fraction(3), Relation.ADD_REMOVE) == brute == 18


@pytest.mark.parametrize("entry", [9, 1 << 20, (1 << 31) - 1])
def test_inner_products_of_columns_are_exact_at_every_size(entry: Any) -> None:
    rng = np.random.default_rng(entry)
    matrix = rng.integers(-entry, entry + 1, (40, 7))
    matrix[0] = entry
    matrix[1] = -entry
    factor = IntegerMatrix(matrix)
    exact = matrix.astype(object).T @ matrix.astype(object)
    assert factor.longest == max(np.diagonal(exact))
    assert factor.least_product == exact.min()


@pytest.mark.parametrize("largest", [10, 1 << 58, 1 << 90])
@pytest.mark.parametrize("centred", [True, False])
def test_what_is_measured_is_exact_however_large_the_counts_are(largest: Any, centred: Any) -> None:
    shape = (3, 4)
    measured = _random(shape, 5, centred=centred)
    rng = np.random.default_rng(1)
    counts = np.array([int(rng.integers(0, 9)) * largest + 1 for _ in range(12)], dtype=object)
    expected = measurement_matrix(_domain(shape), measured).dot(counts)
    if largest < 1 << 60:
        counts = counts.astype(np.int64)
    found = measured.exact(counts.reshape(shape)).reshape(-1)
    assert [int(each) for each in found] == [int(each) for each in expected]


LINES = [
    [Marginals(["a", "b", "c"], up_to=2)],
    [Marginals(["a", "b", "c"])],
    [AllRanges("b", by=["a"]), Marginals(["a", "c"])],
    [PrefixSums("b"), AllRanges("b")],
]


@pytest.mark.parametrize("lines", LINES)
@pytest.mark.parametrize("reach", [1, 3])
@pytest.mark.parametrize("relation", ["add_remove", "change"])
def test_no_neighbours_lose_more_than_the_whole_budget_and_marginals_use_all_of_it(
    lines: Any, reach: Any, relation: Any
) -> None:
    workload = Workload.of({"a": 2, "b": 3, "c": 2}, lines)
    plan = workload.plan(rho="0.3", rows_per_person=reach, relation=relation)
    matrices = [measurement_matrix(workload.domain, m) for m in workload.strategy.measurements]
    cells = matrices[0].shape[1]
    held = list(contributions(cells, 1))  # the worst have all their rows in one cell
    moves = held if relation == "add_remove" else [a - b for a in held for b in held]
    losses = [
        sum(
            Fraction(sum(int(each) ** 2 for each in matrix.dot(move * reach)))
            / (2 * noise.spread**2)
            for matrix, noise in zip(matrices, plan.mechanisms, strict=True)
        )
        for move in moves
    ]
    assert max(losses) <= Fraction(3, 10)
    if relation == "add_remove" and not isinstance(lines[0], AllRanges | PrefixSums):
        assert max(losses) >= Fraction(3, 10) * (1 - Fraction(1, 10**9))


@pytest.mark.parametrize("budget", [ZeroConcentrated("0.5"), GaussianDP("0.7"), Approx(1, "1e-6")])
def test_the_event_costs_what_was_asked_for_and_hardly_less(budget: Any) -> None:
    cost: Any
    workload = Workload.of({"a": 4, "b": 3}, [Marginals(["a", "b"], up_to=2)])
    event = workload.plan(budget).event
    if isinstance(budget, Approx):
        found, wanted = account(event).epsilon(delta=budget.delta).epsilon, budget.epsilon
    elif isinstance(budget, GaussianDP):
        cost = account(event).cost(GaussianDP)
        found, wanted = cost.mu, budget.mu
    else:
        cost = account(event).cost(ZeroConcentrated)
        found, wanted = cost.rho, budget.rho
    assert wanted * (1 - Fraction(1, 10**6)) <= found <= wanted * (1 + Fraction(1, 10**9))


def test_a_budget_in_rho_is_never_exceeded() -> None:
    for rho in ("1e-6", "0.1", "7"):
        event = Workload.of({"a": 7, "b": 5}, [Marginals(["a", "b"], up_to=2)]).plan(rho=rho).event
        cost: Any = account(event).cost(ZeroConcentrated)
        assert cost.rho <= ZeroConcentrated(rho).rho
