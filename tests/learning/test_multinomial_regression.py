"""Logistic regression of several classes, beside scikit-learn's; and its residuals, row by row."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression as PlainLogistic

from shoal import Range
from shoal.errors import FactsError, RangeError
from shoal.learning import ClassifierScores, MultinomialRegression
from shoal.learning.multinomial_regression import several_residuals
from shoal.learning.posterior_rounds import RESIDUAL
from shoal.noise.seam import seeded

NAMES = np.array(["a", "b", "c"])
PUBLIC: dict[str, Any] = {"columns": Range(-1, 1), "classes": ["a", "b", "c"]}


def _rows(count: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(1)
    rows = rng.uniform(-1, 1, (count, 3))
    scores = rows @ np.array([[2.0, 0, -1], [-1, 1, 0], [0, -2, 1]]).T + [0.5, 0, -0.5]
    return rows, NAMES[(scores + rng.gumbel(size=scores.shape)).argmax(axis=1)]


def test_with_hardly_any_noise_it_is_close_to_that_of_scikit_learn() -> None:
    rows, target = _rows(8000)
    with seeded("several"):
        model = MultinomialRegression(rho=10**6, **PUBLIC).fit(rows, target)
    plain = PlainLogistic(C=1e6).fit(rows, target)
    assert np.mean(model.predict(rows) == plain.predict(rows)) > 0.97
    assert np.abs(model.predict_proba(rows) - plain.predict_proba(rows)).mean() < 0.03
    assert model.decision_function(rows).shape == (8000, 3)


def test_three_classes_are_learned_at_an_ordinary_price_and_one_is_refused() -> None:
    rows, target = _rows(8000)
    plain = PlainLogistic().fit(rows, target).score(rows, target)
    with seeded("price"):
        model = MultinomialRegression(epsilon=1, delta="1e-6", **PUBLIC).fit(rows, target)
    assert model.score(rows, target) > plain - 0.02
    with pytest.raises(FactsError, match="two at least"):
        MultinomialRegression(rho=1, columns=Range(-1, 1), classes=["a"]).fit(rows, target)
    with pytest.raises(RangeError):
        MultinomialRegression(rho=1, rounds=0, **PUBLIC).fit(rows, target)
    with pytest.raises(FactsError, match="tells two apart"):
        ClassifierScores(model, rho=1).fit(rows, target)


def test_residuals_are_probabilities_less_labels_and_short() -> None:
    rng = np.random.default_rng(2)
    scores = (rng.normal(0, 3, (400, 4)) * 2**20).astype(np.int64)
    scores[0] = [1 << 60, -(1 << 60), 0, 0]
    labels = np.eye(4, dtype=np.int64)[rng.integers(0, 4, 400)]
    found = several_residuals(scores, labels)
    assert (found * found).sum(axis=1).max() <= 2 * RESIDUAL**2
    shares = found + labels * RESIDUAL
    assert shares.min() >= 0
    assert (shares.sum(axis=1) <= RESIDUAL).all()
    exact = np.exp(scores[1:] / 2**20)
    exact /= exact.sum(axis=1, keepdims=True)
    assert shares[1:] / RESIDUAL == pytest.approx(exact, abs=2e-3)
    for at in range(5):  # each row by itself
        assert (several_residuals(scores[at : at + 1], labels[at : at + 1]) == found[at]).all()
    assert several_residuals(scores[:0], labels[:0]).shape == (0, 4)
