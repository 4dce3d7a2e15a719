"""Intervals of linear regression cover what they say, and what rows do not tell is flagged."""

from __future__ import annotations

import numpy as np
import pytest

from shoal import Range
from shoal.learning import LinearRegression
from shoal.learning.feature_columns import stated_column
from shoal.learning.row_designs import LinearDesign, LinearRows
from shoal.learning.whitened_rounds import LENGTH, in_even_coordinates
from shoal.noise.seam import seeded


@pytest.mark.slow
def test_intervals_cover_and_are_little_wider_than_without_noise() -> None:
    rng = np.random.default_rng(1)
    slopes = np.array([0.5, -0.3, 0.2, 0.0, 0.1])
    covered, widths = list[bool](), list[float]()
    for _ in range(30):
        rows = rng.uniform(-1, 1, (10_000, 5))
        target = rows @ slopes + 0.1 + rng.normal(0, 0.3, 10_000)
        model = LinearRegression(
            epsilon=1, delta="1e-6", columns=Range(-1, 1), target_range=(-2.5, 2.5)
        )
        with seeded(f"line {len(covered)}"):
            model.fit(rows, target)
        whole = np.column_stack([rows, np.ones(10_000)])
        plain = 0.3 * np.sqrt(np.diag(np.linalg.inv(whole.T @ whole)))
        for found, truth, error in zip(model.coefficients(), [*slopes, 0.1], plain, strict=True):
            assert found.identified
            covered.append(found.low <= truth <= found.high)
            widths.append(found.standard_error / error)
    assert 0.89 <= np.mean(covered) <= 0.99  # 180 intervals
    assert np.mean(widths) <= 1.8


def test_a_column_that_repeats_another_is_flagged_and_predicts_well() -> None:
    rng = np.random.default_rng(2)
    one = rng.uniform(-1, 1, 5000)
    rows = np.column_stack([one, one, rng.uniform(-1, 1, 5000), np.zeros(5000)])
    target = one + rng.normal(0, 0.1, 5000)
    model = LinearRegression(epsilon=1, delta="1e-6", columns=Range(-1, 1), target_range=(-2, 2))
    with seeded("repeated column"):
        model.fit(rows, target)
    flags = [each.identified for each in model.coefficients()]
    assert flags == [False, False, True, False, True]
    assert model.score(rows, target) > 0.95


def test_rows_in_even_coordinates_are_never_long() -> None:
    rng = np.random.default_rng(4)
    design = LinearDesign((stated_column("a", (-1, 1)), stated_column("b", (-1, 1))))
    arrays = {"a": rng.uniform(-1, 1, 500), "b": rng.uniform(-1, 1, 500)}
    rows = LinearRows(design, arrays, np.ones(500, dtype=bool))
    for size in (1e-6, 1.0, 50.0, 1e9, 1e300):
        short, factors = in_even_coordinates(rows, rng.normal(0, 1, (3, 3)) * size)
        assert max((short.astype(object) ** 2).sum(axis=1)) <= LENGTH**2
        assert (factors <= 1 << 15).all()
        assert (factors >= 0).all()
