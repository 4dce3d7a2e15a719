"""Naive Bayes of several classes, beside scikit-learn's on numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from shoal import Range
from shoal.errors import FactsError
from shoal.learning import ClassifierScores, NaiveBayes
from shoal.noise.seam import seeded


def _rows(count: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(1)
    classes = rng.choice(["a", "b", "c"], count, p=[0.5, 0.3, 0.2])
    middles = {"a": (-0.5, 0.0), "b": (0.4, 0.4), "c": (0.3, -0.5)}
    rows = np.array([middles[each] for each in classes]) + rng.normal(0, 0.2, (count, 2))
    return np.clip(rows, -1, 1), classes


def test_with_hardly_any_noise_it_is_that_of_scikit_learn() -> None:
    rows, classes = _rows(5000)
    model = NaiveBayes(rho=10**6, columns=Range(-1, 1), classes=["a", "b", "c"])
    with seeded("bayes"):
        model.fit(rows, classes)
    plain = GaussianNB().fit(rows, classes)
    assert model.classes_.tolist() == plain.classes_.tolist()
    assert np.mean(model.predict(rows) == plain.predict(rows)) > 0.995
    assert model.predict_proba(rows) == pytest.approx(plain.predict_proba(rows), abs=0.02)
    assert model.decision_function(rows).shape == (5000, 3)


def test_three_classes_are_learned_at_an_ordinary_price_and_one_is_refused() -> None:
    rows, classes = _rows(5000)
    price: dict[str, Any] = {"epsilon": 1, "delta": "1e-6", "columns": Range(-1, 1)}
    model = NaiveBayes(**price, classes=["a", "b", "c"])
    with seeded("price"):
        model.fit(rows, classes)
    assert model.score(rows, classes) > 0.85
    with pytest.raises(FactsError, match="two at least"):
        NaiveBayes(**price, classes=["a"]).fit(rows, classes)
    with pytest.raises(FactsError, match="tells two apart"):
        ClassifierScores(model, rho=1).fit(rows, classes)
