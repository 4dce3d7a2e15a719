"""Real rows, defaults, and the accuracy that they reach."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

from shoal import Choices, Range
from shoal.learning import AdditiveClassifier, LogisticRegression

DATA = Path(__file__).parents[3] / "shared" / "data"
NAMES = [
    "age", "workclass", "fnlwgt", "education", "education_num", "marital", "occupation",
    "relationship", "race", "sex", "capital_gain", "capital_loss", "hours", "country", "income",
]  # fmt: skip
RANGES = {
    "age": (17, 90), "fnlwgt": (0, 1_500_000), "education_num": (1, 16),
    "capital_gain": (0, 99_999), "capital_loss": (0, 4356), "hours": (1, 99),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.skipif(not DATA.exists(), reason="the census extract is not here")
def test_adult_is_learned_by_defaults() -> None:
    train, test = (
        pd.read_csv(DATA / f"adult_uci_{part}.csv", names=NAMES, skipinitialspace=True)
        for part in ("train", "test")
    )
    test = test[test.income.notna()]
    truth = test.income.str.startswith(">50K")
    facts = {
        name: Range(*RANGES[name]) if name in RANGES else Choices(sorted(set(train[name])))
        for name in NAMES[:-1]
    }
    price: dict[str, Any] = {"delta": "1e-6", "columns": facts, "classes": ["<=50K", ">50K"]}
    found, curves = [], []
    for _ in range(2):
        model = LogisticRegression(epsilon=1, **price).fit(train[NAMES[:-1]], train.income)
        found.append(np.mean((model.predict(test) == ">50K") == truth))
        shapes = AdditiveClassifier(epsilon=1, **price).fit(train[NAMES[:-1]], train.income)
        curves.append(roc_auc_score(truth, shapes.decision_function(test)))
    assert np.mean(found) >= 0.845  # .8495 on average
    assert np.mean(curves) >= 0.906  # .910 on average
