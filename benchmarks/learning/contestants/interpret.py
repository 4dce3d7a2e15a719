"""DP-EBM of interpret with its defaults and the same public facts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy.typing import NDArray

from benchmarks.learning.problems import Problem

Predict = Callable[[str], NDArray[Any]]


def train(task: str, kind: str, problem: Problem, epsilon: float, seed: int) -> Predict | None:  # noqa: ARG001
    """An additive model, as a function that predicts; it has no other kind."""
    if not kind.startswith("additive"):
        return None
    from interpret.privacy import (
        DPExplainableBoostingClassifier,
        DPExplainableBoostingRegressor,
    )

    types = ["continuous" if name in problem.ranges else "nominal" for name in problem.train]
    bounds = {
        at: problem.ranges[name] for at, name in enumerate(problem.train) if name in problem.ranges
    }
    price: dict[str, Any] = {"epsilon": epsilon, "delta": 1e-6, "random_state": seed, "n_jobs": 1}
    if kind == "additive number":
        low, high = problem.target_range
        line = DPExplainableBoostingRegressor(
            feature_types=types, privacy_bounds=bounds, privacy_target_min=low,
            privacy_target_max=high, **price,
        )  # fmt: skip
        line.fit(problem.train.to_numpy(dtype=object), problem.target)
        found = line.predict(problem.test.to_numpy(dtype=object))
        return lambda _: found
    model = DPExplainableBoostingClassifier(feature_types=types, privacy_bounds=bounds, **price)
    model.fit(problem.train.to_numpy(dtype=object), problem.target)
    odds = model.predict_proba(problem.test.to_numpy(dtype=object))[:, 1]
    return lambda wanted: odds if wanted == "odds" else odds > 0.5
