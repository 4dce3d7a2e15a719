"""Ridge, lasso and Huber's regression beside scikit-learn's, and penalties nobody has to tune."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn import linear_model
from sklearn.preprocessing import StandardScaler

from shoal import Range
from shoal.errors import ShoalError
from shoal.learning import HuberRegression, Lasso, LinearRegression, Ridge
from shoal.learning.exact_sums import Floats
from shoal.learning.linear_model import LinearModel
from shoal.learning.penalties import Evidence, lasso_fit
from shoal.noise.seam import seeded

PRICE: dict[str, Any] = {"epsilon": 1, "delta": "1e-6"}
FACTS: dict[str, Any] = {"columns": Range(-10, 10), "target_range": (-25, 25)}
SLOPES = np.array([0.5, -0.3, 0.2, 0, 0, 0, 0, 0])


def _rows(count: int, seed: int = 1) -> tuple[Floats, Floats]:
    rng = np.random.default_rng(seed)
    rows = rng.uniform(-1, 1, (count, 8)) * 10
    rows[:, 4] = 0.9 * rows[:, 0] + 0.1 * rows[:, 4]
    return rows, rows @ SLOPES + 1 + rng.normal(0, 3, count)


def _on_scaled(plain: Any, rows: Floats, target: Floats) -> Floats:
    """Slopes of scikit-learn's model for columns of variance 1, in the units of the columns."""
    scaler = StandardScaler().fit(rows)
    plain.fit(scaler.transform(rows), target)
    return np.asarray(plain.coef_ / scaler.scale_)


@pytest.mark.parametrize(
    ("model", "plain"),
    [
        (Ridge(rho=10**5, alpha=1, **FACTS), linear_model.Ridge(alpha=1)),
        (Ridge(rho=10**5, alpha=5000, **FACTS), linear_model.Ridge(alpha=5000)),
        (Lasso(rho=10**5, alpha="0.4", **FACTS), linear_model.Lasso(alpha=0.4)),
        (Lasso(rho=10**5, alpha=1, **FACTS), linear_model.Lasso(alpha=1)),
    ],
    ids=str,
)
def test_with_hardly_any_noise_they_are_those_of_scikit_learn(model: Any, plain: Any) -> None:
    rows, target = _rows(20_000)
    with seeded("plain"):
        model.fit(rows, target)
    assert model.coef_ == pytest.approx(_on_scaled(plain, rows, target), abs=0.02)
    assert model.alpha_ == pytest.approx(plain.alpha)


def test_penalties_that_nobody_stated_help_where_budget_is_short() -> None:
    rows, target = _rows(10_000)
    truth = rows @ SLOPES + 1
    errors: dict[str, list[float]] = {}
    for kind in (LinearRegression, Ridge, Lasso):
        for at in range(4):
            model: LinearModel = kind(epsilon="0.2", delta="1e-6", **FACTS)
            with seeded(f"{kind.__name__} {at}"):
                model.fit(rows, target)
            away = model.predict(rows) - truth
            errors.setdefault(kind.__name__, []).append(float(np.mean(away**2) ** 0.5))
    assert np.mean(errors["Ridge"]) < np.mean(errors["LinearRegression"]) + 0.02
    with seeded("few"):
        few = Lasso(**PRICE, **FACTS).fit(rows, target)
    assert set(np.flatnonzero(few.coef_[:3])) == {0, 1, 2}
    assert np.count_nonzero(few.coef_) <= 5


def test_a_lasso_is_at_its_least() -> None:
    rng = np.random.default_rng(3)
    rows = rng.normal(0, 1, (200, 6))
    rows[:, -1] = 1
    gram, moments = rows.T @ rows, rows.T @ rng.normal(0, 1, 200)
    evidence = Evidence.of(gram, moments, gram * 0.5, 0.5)
    assert evidence.matrix == pytest.approx(gram)
    theta = lasso_fit(evidence, 0.05)
    slope = gram @ theta - moments
    held = evidence.widths * 0.05 * evidence.rows
    assert slope[-1] == pytest.approx(0, abs=1e-6)
    for at, value in enumerate(theta[:-1]):
        if value:
            assert slope[at] == pytest.approx(-np.sign(value) * held[at], abs=1e-6)
        else:
            assert abs(slope[at]) <= held[at] + 1e-9


def test_far_targets_hardly_move_hubers_line() -> None:
    rng = np.random.default_rng(4)
    rows, target = _rows(20_000)
    wrong = np.where(rng.random(20_000) < 0.1, 25.0, target)
    plain = linear_model.HuberRegressor(epsilon=1.345, alpha=0).fit(rows, wrong)
    with seeded("far"):
        model = HuberRegression(rho=10**4, **FACTS).fit(rows, wrong)
        priced = HuberRegression(**PRICE, **FACTS).fit(rows, wrong)
    assert model.coef_ == pytest.approx(plain.coef_, abs=0.02)
    assert model.intercept_ == pytest.approx(plain.intercept_, abs=0.15)
    squares = linear_model.LinearRegression().fit(rows, wrong)
    assert abs(priced.intercept_ - 1) < abs(squares.intercept_ - 1) / 2


@pytest.mark.slow
def test_intervals_of_hubers_line_cover_sampling_and_noise() -> None:
    covered = list[bool]()
    for at in range(25):
        rng = np.random.default_rng(at)
        rows = rng.uniform(-1, 1, (10_000, 4))
        errors = rng.standard_t(2, 10_000) * 0.2
        target = rows @ SLOPES[:4] + errors
        model = HuberRegression(columns=Range(-1, 1), target_range=(-4, 4), **PRICE)
        with seeded(f"huber {at}"):
            model.fit(rows, target)
        for found, truth in zip(model.coefficients(), [*SLOPES[:4], 0.0], strict=True):
            if found.identified:
                covered.append(found.low <= truth <= found.high)
    assert len(covered) > 100
    assert 0.9 <= np.mean(covered) <= 1


@pytest.mark.parametrize("alpha", [0, -1, float("nan"), "much"])
def test_a_penalty_is_positive(alpha: Any) -> None:
    for kind in (Ridge, Lasso):
        with pytest.raises(ShoalError, match="alpha"):
            kind(**PRICE, **FACTS, alpha=alpha).fit(*_rows(20))
