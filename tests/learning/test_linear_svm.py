"""The support vector machine: beside scikit-learn's, its slope, and what it does not offer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.svm import LinearSVC

from shoal import Range
from shoal.learning import ClassifierScores, LinearSVM
from shoal.learning.linear_svm import hinge_residuals
from shoal.noise.seam import seeded

FACTS: dict[str, Any] = {"columns": Range(-1, 1), "classes": ["no", "yes"]}


def test_it_tells_classes_apart_like_scikit_learns() -> None:
    rng = np.random.default_rng(1)
    rows = rng.uniform(-1, 1, (6000, 5))
    odds = 1 / (1 + np.exp(-(rows @ np.array([4, -3, 2, 0, 0]) - 1)))
    labels = np.where(rng.random(6000) < odds, "yes", "no")
    plain = LinearSVC(loss="squared_hinge", max_iter=5000).fit(rows, labels)
    for price, slack in (({"rho": 10**4}, 0.005), ({"epsilon": 1, "delta": "1e-6"}, 0.012)):
        with seeded(str(price)):
            model = LinearSVM(**FACTS, **price).fit(rows, labels)
        assert model.score(rows, labels) > plain.score(rows, labels) - slack
    assert not hasattr(model, "predict_proba")
    with pytest.raises(Exception, match="model"):
        ClassifierScores(model, rho=1).fit(rows, labels)


def test_the_slope_of_the_hinge_is_bounded_and_falls_with_the_margin() -> None:
    one = 1 << 20
    scores = np.array([-(1 << 60), -one, 0, one // 2, one, 3 * one // 2, 5 * one, 1 << 60])
    for second, sign in ((True, -1), (False, 1)):
        margins = scores if second else -scores
        found = hinge_residuals(np.full(8, second))(scores)
        steep = (sign * found)[np.argsort(margins, kind="stable")]
        assert steep.tolist() == sorted(steep.tolist(), reverse=True)
        assert steep[0] == 1 << 14
        assert steep[-1] == 0
    assert hinge_residuals(np.array([True]))(np.array([one])).tolist() == [-(1 << 13)]
