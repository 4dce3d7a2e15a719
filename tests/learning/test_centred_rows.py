"""Gradients of centred rows, beside Python's integers and beside the gradients of rows as they are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from shoal import Choices
from shoal.learning.centred_rows import CentredBinnedRows, CentredLinearRows, centred_moments
from shoal.learning.exact_sums import whole_weights
from shoal.learning.feature_columns import STEPS, stated_column
from shoal.learning.posterior_rounds import RESIDUAL
from shoal.learning.row_designs import BinnedDesign, BinnedRows, LinearDesign, LinearRows
from shoal.learning.whitened_rounds import LENGTH

COLUMNS = (stated_column("a", (-1, 1)), stated_column("b", Choices(["x", "y"])))
SPANS = [(0, 4), (4, 7)]


def _arrays(count: int) -> dict[str, Any]:
    rng = np.random.default_rng(1)
    ward = rng.choice(np.array(["x", "y", "z"], dtype=object), count, p=[0.9, 0.09, 0.01])
    return {"a": rng.uniform(-1, 1, count), "b": ward}


def _residuals(count: int) -> Any:
    return np.random.default_rng(2).integers(-RESIDUAL, RESIDUAL + 1, count)


@pytest.mark.parametrize("length", [0.1, 1.0, 1.4, 5.0])
def test_no_row_adds_more_than_its_bound_and_sums_are_those_of_the_rows(length: float) -> None:
    arrays, residuals, keep = _arrays(60), _residuals(60), np.ones(60, dtype=bool)
    shares = np.array([0.1, 0.2, 0.3, 0.4, 0.9, 0.1, 0.0, 1.0])
    means = np.array([0.2, 0.9, 0.1, 0.0, 1.0])

    def binned(part: Any) -> Any:
        rows = BinnedRows(BinnedDesign(COLUMNS, 4), _part(arrays, part), keep[part])
        return CentredBinnedRows(rows, shares, SPANS, length).gradient(residuals[part], RESIDUAL)

    def linear(part: Any) -> Any:
        rows = LinearRows(LinearDesign(COLUMNS), _part(arrays, part), keep[part])
        return CentredLinearRows(rows, means, length).gradient(residuals[part], RESIDUAL)

    for gradient in (binned, linear):
        alone = [gradient(slice(at, at + 1)) for at in range(60)]
        assert (sum(alone) == gradient(slice(None))).all()
        squares = [sum(int(each) ** 2 for each in one) for one in alone]
        assert max(squares) <= (LENGTH * RESIDUAL) ** 2
        assert max(squares) > 0.01 * (LENGTH * RESIDUAL) ** 2


def _part(arrays: dict[str, Any], part: Any) -> dict[str, Any]:
    return {name: values[part] for name, values in arrays.items()}


def test_where_nothing_is_clipped_the_gradient_is_that_of_rows_less_their_means() -> None:
    arrays, residuals, keep = _arrays(500), _residuals(500), np.ones(500, dtype=bool)
    rows = BinnedRows(BinnedDesign(COLUMNS, 4), arrays, keep)
    plain = rows.gradient(residuals, RESIDUAL)
    shares = np.array([0.25, 0.25, 0.25, 0.25, 0.9, 0.09, 0.01, 0.0])
    centred = CentredBinnedRows(rows, shares, SPANS, 3.0)
    found = centred.gradient(residuals, RESIDUAL) * centred.unit
    assert found == pytest.approx(plain - centred.centre * plain[-1], rel=1e-9)
    weights, bits = whole_weights(np.arange(8.0), 1)
    away = (rows.scores(weights, bits) - centred.scores(weights, bits)) / 2**20
    assert away == pytest.approx(float(np.arange(8.0) @ centred.centre), abs=1e-5)
    line = LinearRows(LinearDesign(COLUMNS), arrays, keep)
    means = np.array([0.3, 0.9, 0.09, 0.01, 1.0])
    other = CentredLinearRows(line, means, 3.0)
    told = line.gradient(residuals, RESIDUAL) / STEPS
    expected = told - other.centre * told[-1]
    scale = 500**0.5 * RESIDUAL * 2e-4  # rows are rounded down to steps
    assert other.gradient(residuals, RESIDUAL) * other.unit == pytest.approx(
        expected, abs=100 * scale
    )


def test_a_row_without_a_class_adds_nothing() -> None:
    arrays, residuals = _arrays(40), _residuals(40)
    keep = np.arange(40) < 25
    few = {name: values[:25] for name, values in arrays.items()}
    means = np.array([0.3, 0.9, 0.09, 0.01, 1.0])
    design, cells = LinearDesign(COLUMNS), BinnedDesign(COLUMNS, 4)
    shares = np.full(8, 0.2)
    for one, two in (
        (
            CentredLinearRows(LinearRows(design, arrays, keep), means, 1.5),
            CentredLinearRows(LinearRows(design, few, keep[:25]), means, 1.5),
        ),
        (
            CentredBinnedRows(BinnedRows(cells, arrays, keep), shares, SPANS, 1.5),
            CentredBinnedRows(BinnedRows(cells, few, keep[:25]), shares, SPANS, 1.5),
        ),
    ):
        both = one.gradient(residuals, RESIDUAL), two.gradient(residuals[:25], RESIDUAL)
        assert (both[0] == both[1]).all()


def test_moments_of_independent_columns_are_those_of_the_rows() -> None:
    rng = np.random.default_rng(3)
    level, number = rng.integers(0, 3, 100_000), rng.uniform(-1, 1, 100_000)
    rows = np.column_stack([level == 0, level == 1, level == 2, number, np.ones(100_000)])
    centred = rows - [*rows.mean(axis=0)[:-1], 0]
    shares = np.append(rows.mean(axis=0)[:3], [0.0, 1.0])
    variances = np.array([np.nan, np.nan, np.nan, 1 / 3, np.nan])
    made = centred_moments(shares, variances, [(0, 3), (3, 4)], 100_000.0)
    assert made == pytest.approx(centred.T @ centred, abs=1000)
