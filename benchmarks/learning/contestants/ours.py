"""Shoal's models with their defaults."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.learning.problems import CLUSTERS, COMPONENTS, Problem

Predict = Callable[[str], NDArray[Any]]
DELTA = "1e-6"


def train(task: str, kind: str, problem: Problem, epsilon: float, seed: int) -> Predict | None:  # noqa: ARG001
    """A model of one kind, as a function that predicts; noise is secret, so seeds mean nothing."""
    from shoal import learning

    facts = _facts(problem)
    price: dict[str, Any] = {"epsilon": str(epsilon), "delta": DELTA, "columns": facts}
    if kind in ("logistic", "additive", "bayes"):
        kinds = {
            "logistic": learning.LogisticRegression,
            "additive": learning.AdditiveClassifier,
            "bayes": learning.NaiveBayes,
        }
        model = kinds[kind](**price, classes=[0, 1]).fit(problem.train, problem.target)
        odds = model.decision_function(problem.test)
        return lambda wanted: odds if wanted == "odds" else odds > 0
    if kind == "linear":
        line = learning.LinearRegression(**price, target_range=problem.target_range)
        line.fit(problem.train, problem.target)
        return lambda _: line.predict(problem.test)
    if kind == "clusters":
        found = learning.KMeans(CLUSTERS[task], **price).fit(problem.train)
        return lambda _: np.asarray(found.scaled_centers_)
    parts = learning.PCA(COMPONENTS, **price).fit(problem.train)
    return lambda _: np.asarray(parts.components_)


def _facts(problem: Problem) -> dict[str, Any]:
    from shoal import Choices, Range

    return {
        str(name): Range(*problem.ranges[name])
        if name in problem.ranges
        else Choices(problem.levels[name])
        for name in problem.train.columns
    }
