"""Gamma regression: intervals that cover, flags, the law of clipped ratios, and refused targets."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import GammaRegressor

from shoal import Choices, Range
from shoal.errors import FactsError
from shoal.learning import GammaRegression
from shoal.learning.clipped_gamma import ClippedGamma
from shoal.learning.gamma_rounds import held_ratios
from shoal.learning.posterior_rounds import RESIDUAL
from shoal.noise.seam import seeded

PRICE: dict[str, Any] = {"epsilon": 1, "delta": "1e-6"}
SLOPES = np.array([0.8, -0.5, 0.3, 0.0])


def _amounts(rng: np.random.Generator, means: Any, dispersion: float) -> Any:
    return rng.gamma(1 / dispersion, dispersion * means)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("dispersion", "high", "half"), [(0.5, 20, 1), (1.0, 20, 1), (0.5, 2000, 10)]
)
def test_intervals_cover_sampling_and_noise(dispersion: float, high: int, half: int) -> None:
    """Also where the ranges of target and columns are declared much too wide."""
    rng = np.random.default_rng(1)
    covered, widths = list[bool](), list[float]()
    for at in range(60):
        rows = rng.uniform(-1, 1, (10_000, 4))
        target = _amounts(rng, np.exp(rows @ SLOPES + 0.3), dispersion)
        model = GammaRegression(columns=Range(-half, half), target_range=(0, high), **PRICE)
        with seeded(f"gamma {at}"):
            model.fit(rows, target)
        whole = np.column_stack([rows, np.ones(len(rows))])
        plain = np.sqrt(np.diag(np.linalg.inv(whole.T @ whole)) * dispersion)
        for found, truth, error in zip(model.coefficients(), [*SLOPES, 0.3], plain, strict=True):
            if found.identified:
                covered.append(found.low <= truth <= found.high)
                widths.append(found.standard_error / error)
    assert len(covered) >= 290
    assert 0.91 <= np.mean(covered) <= 0.99
    assert np.mean(widths) < 1.4


@pytest.mark.slow
def test_where_noise_drowns_the_rows_what_is_not_flagged_is_covered() -> None:
    rng = np.random.default_rng(2)
    covered, flagged = list[bool](), 0
    for at in range(80):
        rows = rng.uniform(-1, 1, (1000, 4))
        target = _amounts(rng, np.exp(rows @ SLOPES + 0.3), 0.5)
        model = GammaRegression(columns=Range(-1, 1), target_range=(0, 20), **PRICE)
        with seeded(f"few {at}"):
            model.fit(rows, target)
        for found, truth in zip(model.coefficients(), [*SLOPES, 0.3], strict=True):
            flagged += not found.identified
            if found.identified:
                covered.append(found.low <= truth <= found.high)
    assert flagged > 80
    assert np.mean(covered) > 0.9


@pytest.mark.slow
def test_with_hardly_any_noise_it_is_the_fit_of_scikit_learn() -> None:
    rng = np.random.default_rng(3)
    age, ward = rng.uniform(20, 80, 60_000), rng.choice(["a", "b"], 60_000)
    costs = 1000 * _amounts(rng, np.exp(0.02 * (age - 50) + 0.5 * (ward == "b")), 1.0)
    frame = pd.DataFrame({"age": age, "ward": ward})
    columns: dict[str, Any] = {"age": Range(20, 80), "ward": Choices(["a", "b"])}
    model = GammaRegression(rho=10**6, columns=columns, target_range=(0, 100_000))
    with seeded("plain"):
        model.fit(frame, costs)
    rows = np.column_stack([age, ward == "b"])
    plain = GammaRegressor(alpha=0, max_iter=500, tol=1e-8).fit(rows, costs)
    age_slope, level, other, start = model.coefficients()
    assert age_slope.estimate == pytest.approx(plain.coef_[0], abs=3e-4)
    assert level.estimate == pytest.approx(plain.coef_[1], abs=1e-2)
    assert model.predict(frame) == pytest.approx(plain.predict(rows), rel=0.015)
    assert start.low < plain.intercept_ < start.high
    assert model.dispersion_ == pytest.approx(1, abs=0.03)
    assert not other.identified  # a level that nobody has
    assert age_slope.identified
    assert level.identified


def test_a_range_that_ends_too_high_leaves_nothing_identified() -> None:
    """The rounds end before the mean is found, and the slope would be too small."""
    rng = np.random.default_rng(8)
    rows = rng.uniform(0, 1, (100_000, 1))
    amounts = rng.gamma(2, np.exp(3.5 + 0.8 * rows[:, 0]) / 2)
    for end, identified in ((10**5, True), (10**7, False), (10**9, False)):
        model = GammaRegression(
            epsilon=10, delta="1e-6", columns=(0, 1), target_range=(0, end)
        ).fit(rows, amounts)
        slope = model.coefficients()[0]
        assert slope.identified == identified
        assert not identified or slope.low < 0.8 < slope.high


def test_ratios_are_held_within_their_bounds() -> None:
    ratios = np.array([0.0, 5e-324, 0.5, 1.0, 1.999, 2.0, 11.9, 12.0, 1e300, np.inf])
    for clip in (2.0, 2.5, 12.0):
        held = held_ratios(ratios, clip)
        assert held.dtype == np.int64
        assert (np.abs(held) <= RESIDUAL).all()
        assert held[-1] == RESIDUAL
        assert (np.diff(held) >= 0).all()
        assert held[3] == 0
    assert held_ratios(ratios, 2.0)[0] == -RESIDUAL


@pytest.mark.parametrize("dispersion", [0.05, 0.5, 1.0, 2.0])
@pytest.mark.parametrize("clip", [2.0, 4.0, 8.0])
def test_the_law_of_clipped_ratios_gives_dispersion_and_mean_again(
    dispersion: float, clip: float
) -> None:
    """Beside drawn ratios whose clipped mean is made 1 by bisection."""
    ratios = np.random.default_rng(4).gamma(1 / dispersion, dispersion, 400_000)
    low, high = 0.0, 4.0
    for _ in range(40):
        shift = (low + high) / 2
        below = np.minimum(ratios * np.exp(shift), clip).mean() < 1
        low, high = (shift, high) if below else (low, shift)
    square = float(((np.minimum(ratios * np.exp(shift), clip) - 1) ** 2).mean())
    law = ClippedGamma.of(square, clip)
    assert law.dispersion == pytest.approx(dispersion, rel=0.02)
    assert law.shift == pytest.approx(shift, abs=0.01)


def test_a_target_that_can_be_below_0_is_refused() -> None:
    rows = np.zeros((3, 1))
    with pytest.raises(FactsError, match="not declared"):
        GammaRegression(columns=Range(0, 1), **PRICE).fit(rows, [0, 1, 2])
    for wrong in ((-1, 4), (2, 2)):
        with pytest.raises(FactsError, match="from 0 or above"):
            GammaRegression(columns=Range(0, 1), target_range=wrong, **PRICE).fit(rows, [0, 1, 2])
    model = GammaRegression(columns=Range(0, 1), target_range=(1, 2), **PRICE)
    assert (model.fit(rows, [0, 1, 2]).predict(rows) <= 2).all()
