"""Densities: how wide cells are, units, missing values, and grids that are refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from shoal import Choices, Range
from shoal.errors import FactsError
from shoal.learning import HistogramDensity
from shoal.learning.histogram_density import _not_negative
from shoal.noise.seam import seeded

PRICE: dict[str, Any] = {"epsilon": 1, "delta": "1e-6"}


def test_cells_are_as_wide_as_rows_and_noise_ask_for() -> None:
    rng = np.random.default_rng(1)
    test = np.clip(rng.normal(0, 0.25, (20_000, 1)), -1, 1)
    truth = float(np.mean(-0.5 * (test / 0.25) ** 2 - np.log(0.25 * np.sqrt(2 * np.pi))))
    bins = []
    for count, slack in ((500, 0.25), (50_000, 0.01)):
        rows = np.clip(rng.normal(0, 0.25, (count, 1)), -1, 1)
        with seeded(f"density {count}"):
            model = HistogramDensity(**PRICE, columns=Range(-1, 1)).fit(rows)
        assert truth - slack < model.score(test) <= truth + 0.005
        bins.append(model.bins_)
        assert model.shares_.shape == (model.bins_,)
        assert len(model.edges_[0]) == model.bins_ + 1
    assert bins[0] < bins[1] < 256


def test_a_density_of_numbers_and_levels_adds_up_to_one_in_the_units_of_the_columns() -> None:
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"age": rng.uniform(0, 100, 4000), "ward": rng.choice(["a", "b"], 4000)})
    frame.loc[:999, "age"] = np.nan
    facts: dict[str, Any] = {"age": Range(0, 100), "ward": Choices(["a", "b"])}
    with seeded("levels"):
        model = HistogramDensity(**PRICE, columns=facts, nullable=["age"], bins=16).fit(frame)
    assert model.shares_.shape == (model.bins_ + 1, 3)
    assert model.shares_.sum() == pytest.approx(1)
    grid = pd.DataFrame({"age": np.repeat(np.arange(0.5, 100), 3), "ward": ["a", "b", None] * 100})
    inside = np.exp(model.score_samples(grid)).sum()
    empty = pd.DataFrame({"age": [np.nan] * 3, "ward": ["a", "b", None]})
    missing = np.exp(model.score_samples(empty)).sum()
    assert inside + missing == pytest.approx(1, abs=1e-6)
    assert missing == pytest.approx(0.25, abs=0.03)


def test_counts_that_are_not_negative_keep_their_sum() -> None:
    found = _not_negative(np.array([5.0, -3.0, 2.0, -1.0, 4.0]))
    assert found.min() == 0
    assert found.sum() == pytest.approx(7)
    assert _not_negative(np.array([-3.0, -4.0])).tolist() == [0, 0]


def test_grids_that_are_too_fine_or_cannot_be_joined_are_refused() -> None:
    rows = np.zeros((2, 17))
    with pytest.raises(FactsError, match="power of two"):
        HistogramDensity(**PRICE, columns=Range(0, 1), bins=12).fit(rows[:, :1])
    with pytest.raises(FactsError, match="at most 65,536"):
        HistogramDensity(**PRICE, columns=Choices([0]), bins=1).fit(rows)
    with pytest.raises(FactsError, match="at most 65,536"):
        HistogramDensity(**PRICE, columns=Range(0, 1), bins=256).fit(rows[:, :3])
