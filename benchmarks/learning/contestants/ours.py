"""Shoal's models with their defaults."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.learning.problems import CLUSTERS, COMPONENTS, MIXTURE, Problem

Predict = Callable[[str], NDArray[Any]]
DELTA = "1e-6"


def train(task: str, kind: str, problem: Problem, epsilon: float, seed: int) -> Predict | None:  # noqa: ARG001
    """A model of one kind, as a function that predicts; noise is secret, so seeds mean nothing."""
    from shoal import learning

    facts = _facts(problem)
    price: dict[str, Any] = {"epsilon": str(epsilon), "delta": DELTA, "columns": facts}
    if kind == "net":
        assert problem.truth is not None
        classes = [int(each) for each in np.unique(problem.truth)]
        net = learning.NeuralNetClassifier(**price, classes=classes)
        net.fit(problem.train, problem.target)
        return lambda _: net.predict(problem.test)
    if kind == "mixture":
        laws = learning.GaussianMixture(MIXTURE, **price).fit(problem.train)
        return lambda _: laws.score_samples(problem.test)
    if kind in ("logistic", "additive", "bayes", "svm"):
        kinds = {
            "svm": learning.LinearSVM,
            "logistic": learning.LogisticRegression,
            "additive": learning.AdditiveClassifier,
            "bayes": learning.NaiveBayes,
        }
        model = kinds[kind](**price, classes=[0, 1]).fit(problem.train, problem.target)
        odds = model.decision_function(problem.test)
        return lambda wanted: odds if wanted == "odds" else odds > 0
    if kind in ("linear", "ridge", "additive number"):
        lines = {
            "linear": learning.LinearRegression,
            "ridge": learning.Ridge,
            "additive number": learning.AdditiveRegression,
        }
        line: Any = lines[kind](**price, target_range=problem.target_range)
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
