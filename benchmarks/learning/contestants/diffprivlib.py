"""diffprivlib's models with their defaults and the same public facts; they are pure, so delta is
0.

Some of its models spend more than they say (`PEERS.md`); they are taken here at their word.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.learning.problems import CLUSTERS, COMPONENTS, Problem

Predict = Callable[[str], NDArray[Any]]


def train(task: str, kind: str, problem: Problem, epsilon: float, seed: int) -> Predict | None:
    """A model of one kind, as a function that predicts; None where it has no such kind."""
    from diffprivlib import models

    rows, test = problem.scaled(problem.train), problem.scaled(problem.test)
    norm = float(np.sqrt(len(problem.train.columns)))
    price: dict[str, Any] = {"epsilon": epsilon, "random_state": seed}
    if kind.startswith("additive") or kind in ("net", "svm", "ridge", "mixture"):
        return None
    if kind in ("logistic", "bayes"):
        model = (
            models.LogisticRegression(data_norm=norm, max_iter=2000, **price)
            if kind == "logistic"
            else models.GaussianNB(bounds=(-1.0, 1.0), **price)
        ).fit(rows, problem.target)
        odds = model.predict_proba(test)[:, 1]
        return lambda wanted: odds if wanted == "odds" else odds > 0.5
    if kind == "linear":
        line = models.LinearRegression(
            bounds_X=(-1.0, 1.0), bounds_y=problem.target_range, **price
        ).fit(rows, problem.target)
        return lambda _: np.asarray(line.predict(test))
    if kind == "clusters":
        found = models.KMeans(CLUSTERS[task], bounds=(-1.0, 1.0), **price).fit(rows)
        return lambda _: np.asarray(found.cluster_centers_)
    parts = models.PCA(COMPONENTS, data_norm=norm, bounds=(-1.0, 1.0), **price).fit(rows)
    return lambda _: np.asarray(parts.components_)
