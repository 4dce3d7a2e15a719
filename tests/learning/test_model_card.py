"""What a model says of itself after a training, and what it would be like before one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.learning.models import COLUMNS, MODELS, rows, targets

from shoal import Range
from shoal.errors import FactsError, ShoalError
from shoal.learning import (
    KMeans,
    LinearRegression,
    LogisticRegression,
    PureLogisticRegression,
    load,
)
from shoal.noise.seam import seeded


@pytest.mark.parametrize("name", MODELS)
def test_every_model_has_a_card_which_names_its_price_its_columns_and_its_sums(
    name: str, tmp_path: Path
) -> None:
    rng = np.random.default_rng(0)
    model = MODELS[name]()
    model.fit(pd.DataFrame(rows(model, 50, rng)), targets(model, 50, rng))
    text = model.report().markdown()
    assert f"Model card: {type(model).__name__}" in text
    price = "epsilon 2" if name == "pure logistic" else "epsilon 2, delta 1e-6"
    assert f"| privacy cost | {price} |" in text
    assert all(f"| {each} |" in text for each in model.columns)
    assert model.releases_[0].removesuffix(" 1") in text
    assert ("interval" in text) == hasattr(model, "covariance_") or name == "components"
    model.save(tmp_path / "model")
    assert load(tmp_path / "model").report() == model.report()


@pytest.mark.slow
def test_a_plan_costs_nothing_and_more_epsilon_is_better() -> None:
    for kind, least in (
        (LogisticRegression, "0.05"),
        (LinearRegression, "0.05"),
        (PureLogisticRegression, "0.001"),
    ):
        with seeded("curve"):
            curve = kind(columns=COLUMNS).plan(8000, epsilons=[least, 5])
        assert [each.epsilon for each in curve] == [float(least), 5]
        assert curve[0].score < curve[1].score <= curve[1].best + 0.01
        assert curve[1].best - curve[1].score < 0.05


def test_a_plan_says_what_it_needs() -> None:
    with pytest.raises(FactsError, match="columns by name"):
        LogisticRegression(columns=Range(0, 1)).plan(100)
    with pytest.raises(FactsError, match="no learning curve"):
        KMeans(columns={"a": Range(0, 1)}).plan(100)
    with pytest.raises(ShoalError):
        LogisticRegression(columns=COLUMNS).plan(0)
