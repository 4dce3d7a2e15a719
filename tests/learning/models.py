"""The models of `shoal.learning`, and rows of every kind to train them on."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

import shoal
from shoal.learning import (
    PCA,
    AdditiveClassifier,
    AdditiveRegression,
    ClassifierScores,
    ClippedShare,
    GammaRegression,
    GaussianMixture,
    HistogramDensity,
    HuberRegression,
    KMeans,
    Lasso,
    LinearRegression,
    LinearSVM,
    LogisticRegression,
    MultinomialRegression,
    NaiveBayes,
    PoissonRegression,
    PrivateEstimator,
    PureLogisticRegression,
    Ridge,
)
from shoal.learning.feature_columns import FeatureColumn, stated_column
from shoal.learning.logistic_regression import PrivateClassifier
from shoal.learning.model_release import ModelRelease

COLUMNS: dict[str, Any] = {
    "age": shoal.Range(0, 100),
    "fee": shoal.Range(-5, 5),
    "ward": shoal.Choices(["a", "b", "c"]),
}
PRICE: dict[str, Any] = {"epsilon": 2, "delta": "1e-6", "columns": COLUMNS, "nullable": ["fee"]}

NUMBERS: dict[str, Any] = {**PRICE, "columns": {name: COLUMNS[name] for name in ("age", "fee")}}


def _scores() -> PrivateEstimator:
    return ClassifierScores(_scored(), epsilon=2, delta="1e-6")


def _clipped() -> PrivateEstimator:
    return ClippedShare(_ranged(), epsilon=2, delta="1e-6")


MODELS: dict[str, Callable[[], PrivateEstimator]] = {
    "additive": lambda: AdditiveClassifier(**PRICE, classes=["no", "yes"], rounds=4, bins=8),
    "additive numbers": lambda: AdditiveRegression(**PRICE, target_range=(-2, 2), rounds=4, bins=8),
    "bayes": lambda: NaiveBayes(**PRICE, classes=["no", "yes"]),
    "bayes of three": lambda: NaiveBayes(**PRICE, classes=["no", "yes", "perhaps"]),
    "clipped": _clipped,
    "clusters": lambda: KMeans(3, **NUMBERS),
    "components": lambda: PCA(**NUMBERS),
    "density": lambda: HistogramDensity(**PRICE, bins=8),
    "gamma": lambda: GammaRegression(**PRICE, target_range=(0, 4)),
    "mixture": lambda: GaussianMixture(2, **NUMBERS),
    "huber": lambda: HuberRegression(**PRICE, target_range=(-2, 2)),
    "lasso": lambda: Lasso(**PRICE, target_range=(-2, 2)),
    "ridge": lambda: Ridge(**PRICE, target_range=(-2, 2), alpha=1),
    "svm": lambda: LinearSVM(**PRICE, classes=["no", "yes"], rounds=4),
    "linear": lambda: LinearRegression(**PRICE, target_range=(-2, 2)),
    "intervals": lambda: LogisticRegression(**PRICE, classes=["no", "yes"], intervals=True),
    "logistic": lambda: LogisticRegression(**PRICE, classes=["no", "yes"], rounds=4),
    "multinomial": lambda: MultinomialRegression(
        **PRICE, classes=["no", "yes", "perhaps"], rounds=4
    ),
    "poisson": lambda: PoissonRegression(**PRICE, target_range=(0, 4)),
    "pure logistic": lambda: PureLogisticRegression(
        epsilon=2, columns=COLUMNS, nullable=["fee"], classes=["no", "yes"]
    ),
    "scores": _scores,
}

SUMMED = [name for name in MODELS if name != "pure logistic"]
"""The models that read rows through planned sums with Gaussian noise."""


@cache
def _scored() -> PrivateClassifier:
    """A trained model, whatever it learned."""
    rng = np.random.default_rng(7)
    model = LogisticRegression(**PRICE, classes=["no", "yes"], rounds=2)
    model.fit(pd.DataFrame(rows(model, 50, rng)), targets(model, 50, rng))
    return model


@cache
def _ranged() -> PrivateClassifier:
    """A trained model with intervals, and a found range such as many rows would give."""
    rng = np.random.default_rng(8)
    model = LogisticRegression(**PRICE, classes=["no", "yes"], intervals=True)
    model.fit(pd.DataFrame(rows(model, 50, rng)), targets(model, 50, rng))
    model.found_ranges_ = {"age": (0, 1 << 29)}
    return model


def outcome(model: PrivateEstimator, frame: Any) -> Any:
    """What a trained model says about rows; of scores, the table."""
    for act in ("predict", "transform", "score_samples"):
        if hasattr(model, act):
            return getattr(model, act)(frame)
    return np.resize(model.counts_, (len(frame), 1))


STRANGE: list[Any] = [
    pd.NA, pd.NaT, None, [1], {}, 10**400, complex(1, 1), b"1", "x\ud800", np.array([1, 2]),
    dt.time(3), dt.datetime(2010, 1, 1, tzinfo=dt.UTC), dt.datetime.min.replace(tzinfo=dt.UTC),
    np.datetime64("NaT"), np.datetime64("2010-01-01"), Decimal("sNaN"), object(),
]  # fmt: skip
"""Values that no column declares, and that may fail when they are read or compared."""


def rows(
    model: PrivateEstimator, count: int, rng: np.random.Generator
) -> dict[str, np.ndarray[Any, Any]]:
    """Rows for a model that keep to nothing: beyond the range, missing, of levels nobody declared."""
    ages = rng.choice([-1e300, -3.0, 0.0, 17.5, 41.0, 99.9, 1e9, np.inf, -np.inf, np.nan], count)
    fees = rng.choice([-9.0, -1.25, 0.1, 4.9999, np.nan], count)
    ward = rng.choice(np.array(["a", "b", "c", "z", None], dtype=object), count)
    found = {"age": ages, "fee": fees, "ward": ward}
    return {name: found[name] for name in model.columns}


def targets(model: PrivateEstimator, count: int, rng: np.random.Generator) -> Any:
    """Targets for a model, some of them missing or not declared; None where it has none."""
    if hasattr(model, "classes") or isinstance(model, ModelRelease):
        return rng.choice(np.array(["no", "yes", "perhaps", None], dtype=object), count)
    if hasattr(model, "target_range"):
        return rng.choice([-50.0, -1.0, 0.3, 2.0, 99.0, np.nan], count)
    return None


def stated(model: PrivateEstimator) -> tuple[FeatureColumn, ...]:
    """The columns of a model as it states them."""
    return tuple(
        fact
        if isinstance(fact, FeatureColumn)
        else stated_column(name, fact, nullable=name in model.nullable)
        for name, fact in model.columns.items()
    )
