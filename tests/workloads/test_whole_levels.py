"""Whole numbers on several levels: the best fit, sums that agree, and totals known for a level."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize, nnls
from tests.workloads.dense import measurement_matrix
from tests.workloads.test_hierarchies import CASES, DOMAIN, UNEVEN

from shoal.errors import SchemaError
from shoal.workloads import KnownTotals, Marginals, Workload
from shoal.workloads.column_directions import basis_of
from shoal.workloads.nonnegative_fit import NonnegativeFit

PEOPLE = np.random.default_rng(8).multinomial(90, np.random.default_rng(9).dirichlet([0.2] * 36))


def _fit(workload: Workload, known: KnownTotals | None = None) -> tuple[NonnegativeFit, list[Any]]:
    plan = workload.plan(rho="0.05")
    counts = PEOPLE.reshape(6, 2, 3)
    away = tuple(i for i, name in enumerate(DOMAIN) if name not in workload.used.names)
    assert workload.domain.names == tuple(DOMAIN)
    answers = plan.measure_counts(counts)
    strategy = workload.strategy
    fit = NonnegativeFit(workload.used, strategy.measurements, plan.noise_variances, known)
    del away
    return fit, [each.astype(float) for each in answers]


@pytest.mark.parametrize("name", CASES)
def test_the_fit_is_that_of_least_squares_without_negative_numbers(name: Any) -> None:
    workload = Workload.of(DOMAIN, *CASES[name])
    fit, answers = _fit(workload)
    scales = np.sqrt(fit.variances)
    parts = [measurement_matrix(workload.used, each) for each in fit.measurements]
    whole = np.vstack([part.astype(float) / s for part, s in zip(parts, scales, strict=True)])
    wanted = np.concatenate([a.reshape(-1) / s for a, s in zip(answers, scales, strict=True)])
    best, far = nnls(whole, wanted, maxiter=10_000)
    ours = fit.solve(answers).reshape(-1)
    assert (ours >= 0).all()
    assert np.linalg.norm(whole @ ours - wanted) <= far + 0.05
    assert np.abs(whole @ (ours - best)).max() < 0.3


@pytest.mark.parametrize("name", CASES)
def test_directions_keep_the_length_of_a_table_in_its_metric_and_give_it_back(name: Any) -> None:
    workload = Workload.of(DOMAIN, *CASES[name])
    rng = np.random.default_rng(2)
    for column in workload.used.names:
        size = workload.used.size(column)
        factors = [
            factor
            for each in workload.strategy.measurements
            for own, factor in zip(each.columns, each.factors, strict=True)
            if own == column
        ]
        separate = any(not each.columns for each in workload.strategy.measurements)
        basis = basis_of(size, factors, separate=separate)
        table = rng.normal(size=(size, 2))
        found = basis.coefficients(table, 0)
        assert basis.table(found, 0) == pytest.approx(table)
        assert (found**2).sum() == pytest.approx((table**2 / basis.shares[:, None]).sum())
        for factor in factors:
            moved = factor.in_floats() @ table
            part = found[basis.place(factor)]
            assert (moved**2).sum() == pytest.approx(
                (part**2 * basis.stretch(factor)[:, None]).sum()
            )


def test_whole_numbers_add_up_on_all_levels_and_keep_the_totals_of_one() -> None:
    workload = Workload.of(
        DOMAIN, [Marginals(["c", "r", "d", "s"], up_to=2), Marginals(["a"])], [UNEVEN]
    )
    counts = np.random.default_rng(5).poisson(3, (6, 2, 3))
    levels = {query.level: query for _, query in workload.domain.levels}
    truth = levels["r"].apply(counts.sum(axis=(1, 2)), 0)
    known = {"r": dict(zip("xyz", truth.tolist(), strict=True))}
    tables = workload.plan(rho="0.02").release(counts, known=known).whole_numbers()
    assert tables["r"].values.tolist() == truth.tolist()
    assert min(int(table.values.min()) for table in tables) >= 0
    for level in ("r", "c"):
        coarse: Any = levels[level].apply(tables["d", "s"].values, 0)
        assert coarse.tolist() == tables[level, "s"].values.tolist()
    assert int(tables["a"].values.sum()) == int(counts.sum())
    assert tables["c", "s"].values.sum(axis=1).tolist() == tables["c"].values.tolist()


def test_the_nearest_table_in_a_metric_is_that_of_a_general_solver() -> None:
    workload = Workload.of(DOMAIN, [Marginals(["d"])], [UNEVEN])
    known = KnownTotals.of(workload.used, {"r": {"x": 4, "y": 0, "z": 7}})
    given = np.array([1.0, -2.0, 9.0, -4.0, 3.0, 0.5])
    shares = np.array([1, 0.5, 0.2, 0.3, 0.5, 0.5])
    found = known.nearest(given, shares)
    place = known.places
    assert place.tolist() == [0, 1, 2, 2, 1, 2]
    solved = minimize(
        lambda x: ((x - given[place == 2]) ** 2 / shares[place == 2]).sum(),
        np.full(3, 7 / 3),
        bounds=[(0, None)] * 3,
        constraints={"type": "eq", "fun": lambda x: x.sum() - 7},
    )
    assert found[place == 2] == pytest.approx(solved.x, abs=1e-3)
    assert found[place < 2] == pytest.approx([4, 0, 0])


def test_totals_of_two_levels_of_a_column_are_refused() -> None:
    domain = Workload.of(DOMAIN, [Marginals(["d"])], [UNEVEN]).used
    with pytest.raises(SchemaError, match="two levels"):
        KnownTotals.of(domain, {("c", "r"): {("A", "x"): 4}})
