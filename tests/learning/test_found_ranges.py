"""Ranges that are found within declared ones: bounds of rows, coefficients moved back, intervals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.learning.recorded_sums import RecordedSums

from shoal import Approx, Range, Relation
from shoal.learning import LinearRegression, LogisticRegression
from shoal.learning.feature_columns import STEPS, stated_column
from shoal.learning.found_ranges import planned_ranges, ranged_rows
from shoal.learning.row_designs import LinearDesign
from shoal.learning.training_plan import NoisySums, TrainingPlan
from shoal.learning.whitened_rounds import PooledGradients
from shoal.noise.seam import seeded

COLUMNS = (
    stated_column("age", (0, 1000)),
    stated_column("fee", (-5, 5), nullable=True),
)
DESIGN = LinearDesign(COLUMNS, reference=True)


def _arrays(count: int, seed: int = 1) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    fees = rng.normal(3, 0.01, count)
    fees[::10] = np.nan
    return {"age": rng.uniform(20, 60, count), "fee": fees}


def _plan(measure: Any) -> TrainingPlan:
    return TrainingPlan.of(planned_ranges(DESIGN), measure, reach=1, relation=Relation.ADD_REMOVE)


def _sums() -> NoisySums:
    return _plan(Approx(1, "1e-6")).begin()


def test_a_narrow_column_is_made_wide_and_coefficients_are_moved_back() -> None:
    arrays, keep = _arrays(5000), np.ones(5000, dtype=bool)
    with seeded("ranges"):
        found = ranged_rows(DESIGN, arrays, keep, _sums())
    declared = DESIGN.matrix(arrays) / STEPS
    assert found.keep.mean() > 0.99
    assert found.rows.matrix[:, 0].std() > 5 * STEPS * declared[:, 0].std()
    theta = np.array([0.3, -0.7, 0.2, 0.1])
    scores = found.rows.matrix[found.keep] / STEPS @ theta
    moved = declared[found.keep] @ (found.back @ theta)
    assert moved == pytest.approx(scores, abs=0.02)  # declared numbers are rounded to 2^-14


def test_rows_in_found_ranges_keep_to_their_bound() -> None:
    rng = np.random.default_rng(2)
    arrays, keep = _arrays(5000), rng.random(5000) < 0.9
    arrays["age"][:5] = [-1e300, 1e300, np.nan, np.inf, 999]
    keep[:5] = True
    plan = _plan(Approx(1, "1e-6"))
    with seeded("bound"):
        tight = ranged_rows(DESIGN, arrays, keep, plan.begin())
    assert tight.back[0, 0] > 5
    assert not tight.keep[:5].any()
    others = [
        ranged_rows(DESIGN, arrays, keep, RecordedSums(plan, seed, scale))
        for seed, scale in enumerate([0.01, 1.0, 20.0, 300.0])
    ]
    for found in (tight, *others):
        matrix = found.rows.matrix
        assert (matrix == np.rint(matrix)).all()
        assert (matrix**2).sum(axis=1).max() <= DESIGN.squared
        assert (matrix[~found.keep] == 0).all()
        assert not (found.keep & ~keep).any()


def test_a_range_that_fits_stays_as_it_was_declared() -> None:
    rng = np.random.default_rng(3)
    design = LinearDesign((stated_column("x", (-1, 1)),))
    arrays, keep = {"x": rng.uniform(-1, 1, 4000)}, np.ones(4000, dtype=bool)
    plan = TrainingPlan.of(
        planned_ranges(design), Approx(1, "1e-6"), reach=1, relation=Relation.ADD_REMOVE
    )
    with seeded("fits"):
        found = ranged_rows(design, arrays, keep, plan.begin())
    assert (found.back == np.eye(2)).all()
    assert found.keep.all()
    assert (found.rows.matrix == design.matrix(arrays)).all()


@pytest.mark.slow
@pytest.mark.parametrize("kind", [LinearRegression, LogisticRegression])
def test_intervals_cover_where_ranges_are_thirty_times_too_wide(kind: Any) -> None:
    rng = np.random.default_rng(4)
    truth = np.array([0.8, -0.5, 0.3, 0.1])
    covered, widths = list[bool](), list[float]()
    settings: dict[str, Any] = {"epsilon": 1, "delta": "1e-6", "columns": Range(-30, 30)}
    for at in range(25):
        rows = rng.uniform(-1, 1, (10_000, 3))
        score = rows @ truth[:-1] + truth[-1]
        if kind is LinearRegression:
            model: Any = kind(**settings, target_range=(-4, 4))
            target, weight = score + rng.normal(0, 0.5, 10_000), 4.0
        else:
            model = kind(**settings, classes=[0, 1], intervals=True)
            target, weight = (rng.random(10_000) < 1 / (1 + np.exp(-score))).astype(int), 0.22
        with seeded(f"loose {at}"):
            model.fit(rows, target)
        plain = (weight * 10_000 / 3) ** -0.5
        for found, true in zip(model.coefficients()[:-1], truth[:-1], strict=True):
            if found.identified:
                covered.append(found.low <= true <= found.high)
                widths.append(found.standard_error / plain)
    assert len(covered) > 65
    assert np.mean(covered) >= 0.88
    assert np.mean(widths) < (1.8 if kind is LinearRegression else 1.25)


def test_a_fit_that_is_on_its_way_is_not_called_identified(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(5)
    rows = rng.uniform(-1, 1, (20_000, 2))
    labels = (rng.random(20_000) < 1 / (1 + np.exp(-4 * rows[:, 0]))).astype(int)
    settings: dict[str, Any] = {"rho": 10, "columns": Range(-1, 1), "classes": [0, 1]}
    with seeded("settled"):
        model = LogisticRegression(**settings, intervals=True).fit(rows, labels)
    assert model.identified_.all()
    monkeypatch.setattr(PooledGradients, "is_settled", False)
    with seeded("settled"):
        model.fit(rows, labels)
    assert not model.identified_.any()
