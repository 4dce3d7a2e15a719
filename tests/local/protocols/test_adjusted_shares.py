from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from shoal.errors import DataError, RangeError, ShapeError
from shoal.local.protocols.adjusted_shares import WAYS, adjust

RAW = st.lists(st.floats(-1, 2), min_size=1, max_size=6)


@given(RAW)
def test_projected_shares_are_the_nearest_ones(raw: list[float]) -> None:
    """No other shares are nearer: every direction inside the simplex leads away."""
    found = adjust(raw).shares
    assert found.min() >= 0
    assert found.sum() == pytest.approx(1)
    for corner in np.eye(len(raw)):
        assert (np.array(raw) - found) @ (corner - found) <= 1e-9


def test_the_projection_agrees_with_a_general_optimiser() -> None:
    raw = np.array([0.5, -0.3, 0.9, 0.2])
    found = minimize(
        lambda x: ((x - raw) ** 2).sum(),
        np.full(4, 0.25),
        bounds=[(0, 1)] * 4,
        constraints={"type": "eq", "fun": lambda x: x.sum() - 1},
        method="SLSQP",
    )
    assert adjust(raw).shares == pytest.approx(found.x, abs=1e-5)


@pytest.mark.parametrize("how", WAYS)
def test_an_adjustment_says_how_it_was_made_and_leaves_shares_alone(how: str) -> None:
    assert adjust([0.25, 0.75], how=how).shares == pytest.approx([0.25, 0.75])
    assert adjust([0.25, 0.75], how=how).how == how
    assert adjust([1.4, -0.5], how=how).shares.tolist() == [1, 0]


def test_what_cannot_be_adjusted_is_refused() -> None:
    with pytest.raises(ShapeError):
        adjust([])
    with pytest.raises(DataError):
        adjust([float("nan")])
    with pytest.raises(RangeError, match="simplex"):
        adjust([1], how="round")
    assert adjust([-1, -1], how="cut and scaled").shares.tolist() == [0.5, 0.5]
