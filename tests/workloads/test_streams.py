"""Streams: one matrix for all days, its noise, and what late rows may do."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import shoal
from shoal.errors import RangeError
from shoal.noise.seam import seeded
from shoal.sensitivity import Relation
from shoal.workloads.optimum import optimum
from shoal.workloads.stream_matrix import FINENESS, StreamMatrix
from shoal.workloads.stream_plan import StreamPlan

HALF = shoal.ZeroConcentrated("0.5")


def _dense(days: int) -> Any:
    own = StreamMatrix(days).coefficients
    return np.array(
        [[own[t - j] if j <= t else 0 for j in range(days)] for t in range(days)], dtype=object
    )


def test_coefficients_are_those_of_the_square_root_of_running_sums() -> None:
    found = np.array(StreamMatrix(300).coefficients, dtype=np.float64) / FINENESS
    assert np.allclose(np.convolve(found, found)[:300], 1, atol=3e-5)
    assert (np.diff(found) <= 0).all()
    assert found.min() > 0


@pytest.mark.parametrize("days", [1, 2, 7, 40])
def test_a_day_measures_its_row_of_the_matrix_and_estimates_undo_it(days: int) -> None:
    matrix, dense = StreamMatrix(days), _dense(days)
    counts = [int(each) for each in np.random.default_rng(days).integers(0, 10**6, days)]
    exact = [matrix.measured(counts[: day + 1]) for day in range(days)]
    assert exact == list(dense.dot(np.array(counts, dtype=object)))
    assert matrix.daily(exact) == pytest.approx(counts, rel=1e-9, abs=1e-6)
    assert matrix.running(exact) == pytest.approx(np.cumsum(counts), rel=1e-9)
    inverse = np.linalg.inv(dense.astype(np.float64))
    sums = np.tril(np.ones((days, days))) @ inverse
    assert matrix.daily_variances() == pytest.approx((inverse**2).sum(1))
    assert matrix.running_variances() == pytest.approx((sums**2).sum(1))


def _histories(days: int, reach: int, versions: list[Any]) -> Any:
    """Every way in which the rows of a person can grow from day to day: for each day the rows that
    are there by then, as a sorted tuple of days.
    """
    if len(versions) == days:
        yield versions
        return
    have = versions[-1] if versions else ()
    for more in range(reach + 2 - len(have)):
        for added in itertools.combinations_with_replacement(range(len(versions) + 1), more):
            yield from _histories(days, reach, [*versions, tuple(sorted((*have, *added)))])


@pytest.mark.parametrize(("days", "reach"), [(2, 1), (3, 1), (3, 2), (4, 2)])
def test_no_person_whose_rows_only_grow_moves_a_stream_further_than_its_sensitivity(
    days: int, reach: int
) -> None:
    """Every history of late and timely rows, also of more rows than may count."""
    dense, most = _dense(days), 0
    for versions in _histories(days, reach, []):
        moved = 0
        for day, rows in enumerate(versions):
            counted = rows[:reach]  # the first ones, in the order of their days
            moved += sum(int(dense[day, at]) for at in counted) ** 2
        most = max(most, moved)
    plan = StreamPlan.of(days, HALF, Relation.ADD_REMOVE, reach)
    assert most == reach**2 * plan.matrix.squared_length
    assert plan.mechanism.sensitivity.value**2 >= most
    assert float(plan.mechanism.sensitivity.value**2) == pytest.approx(most, rel=1e-9)


def test_shares_that_are_scaled_as_rows_come_would_move_a_stream_further() -> None:
    """Why a person's first rows count, and the others not at all."""
    days, reach = 60, 1
    dense, moved = _dense(days).astype(np.float64), 0.0
    for day in range(days):
        moved += (dense[day, : day + 1] * (reach / (day + 1))).sum() ** 2
    assert moved > 1.4 * reach**2 * StreamMatrix(days).squared_length


def test_people_who_change_are_priced_for_both_of_their_streams() -> None:
    one, two = (StreamPlan.of(9, HALF, r, 2) for r in (Relation.ADD_REMOVE, Relation.CHANGE))
    ratio = two.mechanism.sensitivity.value**2 / one.mechanism.sensitivity.value**2
    assert float(ratio) == pytest.approx(2, rel=1e-9)
    assert two.optimality_gap is None


@pytest.mark.parametrize("budget", [HALF, shoal.Approx(1, "1e-6"), shoal.GaussianDP(1)])
def test_all_days_together_cost_what_was_asked_for(budget: Any) -> None:
    plan = StreamPlan.of(30, budget, Relation.ADD_REMOVE, 3)
    found: Any = shoal.account(plan.event)
    if isinstance(budget, shoal.ZeroConcentrated):
        cost = found.cost(shoal.ZeroConcentrated).rho
        assert 0.499 < cost <= budget.rho
    elif isinstance(budget, shoal.Approx):
        assert 0.99 < float(found.epsilon(delta="1e-6").epsilon) <= 1.000001
    else:
        assert found.cost(shoal.GaussianDP).mu <= 1


def test_noise_has_the_variance_that_errors_are_computed_from() -> None:
    plan = StreamPlan.of(12, HALF, Relation.ADD_REMOVE, 1)
    with seeded("stream noise"):
        runs = [[plan.noisy([5] * (day + 1)) for day in range(12)] for _ in range(1500)]
    totals = np.array([plan.matrix.running(run) for run in runs])
    assert totals.mean(0) == pytest.approx(5 * np.arange(1, 13), abs=0.3)
    assert totals.std(0) == pytest.approx(plan.running_errors, rel=0.08)
    daily = np.array([plan.matrix.daily(run) for run in runs])
    assert daily.std(0) == pytest.approx(plan.daily_errors, rel=0.08)


@pytest.mark.parametrize("days", [1, 2, 60])
def test_the_gap_is_that_to_the_best_strategy_of_all(days: int) -> None:
    plan = StreamPlan.of(days, HALF, Relation.ADD_REMOVE, 1)
    gram = shoal.workloads.column_queries.EACH_PREFIX.gram(days)
    best = optimum(gram)
    total = float((plan.running_errors**2).sum())
    assert total >= best.bound * (1 - 1e-6)
    assert total / (1 + (plan.optimality_gap or 0)) <= best.error * (1 + 1e-9)


def test_a_year_is_within_six_per_cent_of_what_any_strategy_can_do() -> None:
    plan = StreamPlan.of(365, HALF, Relation.ADD_REMOVE, 1)
    assert 0.11 < (plan.optimality_gap or 0) < 0.125
    assert plan.rmse == pytest.approx(2.7815, abs=1e-3)
    assert "total up to day 365: within 5.771" in str(plan)


def test_what_cannot_be_a_stream_is_refused() -> None:
    with pytest.raises(RangeError, match="from 1 to 4096 days"):
        StreamPlan.of(5000, HALF, Relation.ADD_REMOVE, 1)
    with pytest.raises(RangeError, match="epsilon alone"):
        StreamPlan.of(30, shoal.Pure(1), Relation.ADD_REMOVE, 1)
    with pytest.raises(RangeError, match="epsilon alone"):
        StreamPlan.of(30, shoal.Approx(1, 0), Relation.ADD_REMOVE, 1)
