"""Poisson regression: intervals that cover, units of the columns, and targets that are refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import PoissonRegressor

from shoal import Choices, Range
from shoal.errors import FactsError
from shoal.learning import PoissonRegression
from shoal.noise.seam import seeded

PRICE: dict[str, Any] = {"epsilon": 1, "delta": "1e-6"}


@pytest.mark.slow
def test_intervals_cover_sampling_and_noise() -> None:
    rng = np.random.default_rng(1)
    slopes = np.array([0.8, -0.5, 0.3, 0.0])
    covered = list[bool]()
    for at in range(25):
        rows = rng.uniform(-1, 1, (14_000, 4))
        counts = rng.poisson(np.exp(rows @ slopes + 0.3))
        model = PoissonRegression(columns=Range(-1, 1), target_range=(0, 12), **PRICE)
        with seeded(f"poisson {at}"):
            model.fit(rows, counts)
        for found, truth in zip(model.coefficients(), [*slopes, 0.3], strict=True):
            if found.identified:
                covered.append(found.low <= truth <= found.high)
    assert len(covered) > 100
    assert 0.9 <= np.mean(covered) <= 1


@pytest.mark.slow
def test_with_hardly_any_noise_it_is_the_fit_of_scikit_learn() -> None:
    rng = np.random.default_rng(2)
    age, ward = rng.uniform(20, 80, 20_000), rng.choice(["a", "b"], 20_000)
    counts = rng.poisson(np.exp(0.02 * (age - 50) + 0.5 * (ward == "b")))
    frame = pd.DataFrame({"age": age, "ward": ward})
    columns: dict[str, Any] = {"age": Range(20, 80), "ward": Choices(["a", "b"])}
    model = PoissonRegression(rho=10**6, columns=columns, target_range=(0, 30))
    with seeded("plain"):
        model.fit(frame, counts)
    rows = np.column_stack([age, ward == "b"])
    plain = PoissonRegressor(alpha=0, max_iter=500, tol=1e-8).fit(rows, counts)
    age_slope, level, _, start = model.coefficients()
    assert age_slope.estimate == pytest.approx(plain.coef_[0], abs=2e-4)
    assert level.estimate == pytest.approx(plain.coef_[1], abs=5e-3)
    assert start.estimate == pytest.approx(plain.intercept_, abs=2e-2)
    assert not model.coefficients()[2].identified  # a level that nobody has
    assert model.predict(frame) == pytest.approx(plain.predict(rows), rel=0.02)


def test_a_target_that_is_no_count_is_refused() -> None:
    rows = np.zeros((3, 1))
    with pytest.raises(FactsError, match="not declared"):
        PoissonRegression(columns=Range(0, 1), **PRICE).fit(rows, [0, 1, 2])
    with pytest.raises(FactsError, match="range from 0"):
        PoissonRegression(columns=Range(0, 1), target_range=(-1, 4), **PRICE).fit(rows, [0, 1, 2])
