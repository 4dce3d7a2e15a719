"""scikit-learn without privacy: what the others are measured against."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.learning.problems import CLUSTERS, COMPONENTS, MIXTURE, Problem

Predict = Callable[[str], NDArray[Any]]


def train(task: str, kind: str, problem: Problem, epsilon: float, seed: int) -> Predict | None:  # noqa: ARG001
    """A model of one kind, as a function that predicts."""
    rows, test = problem.scaled(problem.train), problem.scaled(problem.test)
    if kind in ("logistic", "additive", "bayes"):
        model = _classifier(kind, seed).fit(rows, problem.target)
        odds = model.predict_proba(test)[:, 1]
        return lambda wanted: odds if wanted == "odds" else odds > 0.5
    if kind == "additive number":  # boosted trees, which are more than additive
        from sklearn.ensemble import HistGradientBoostingRegressor

        trees = HistGradientBoostingRegressor(random_state=seed).fit(rows, problem.target)
        return lambda _: np.asarray(trees.predict(test))
    if kind in ("net", "svm"):
        from sklearn.neural_network import MLPClassifier
        from sklearn.svm import LinearSVC

        made = MLPClassifier((32,), random_state=seed) if kind == "net" else LinearSVC()
        labels = made.fit(rows, problem.target).predict(test)
        return lambda _: np.asarray(labels)
    if kind == "mixture":
        from sklearn.mixture import GaussianMixture

        laws = GaussianMixture(MIXTURE, n_init=3, random_state=seed).fit(rows)
        return lambda _: np.asarray(laws.score_samples(test))
    if kind in ("linear", "ridge"):
        from sklearn.linear_model import LinearRegression, Ridge

        line = (LinearRegression() if kind == "linear" else Ridge()).fit(rows, problem.target)
        return lambda _: np.asarray(line.predict(test))
    if kind == "clusters":
        from sklearn.cluster import KMeans

        found = KMeans(CLUSTERS[task], n_init=3, random_state=seed).fit(rows)
        return lambda _: np.asarray(found.cluster_centers_)
    from sklearn.decomposition import PCA

    parts = PCA(COMPONENTS).fit(rows)
    return lambda _: np.asarray(parts.components_)


def _classifier(kind: str, seed: int) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB

    if kind == "additive":  # boosted trees, which are more than additive
        return HistGradientBoostingClassifier(random_state=seed)
    return LogisticRegression(max_iter=2000) if kind == "logistic" else GaussianNB()
