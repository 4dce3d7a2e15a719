"""Models trained on private rows through exact sums and our noise, with scikit-learn's manners."""

# ruff: noqa: E402 - the extra is asked for before anything that needs it

from __future__ import annotations

from pathlib import Path

from shoal.errors import DataError
from shoal.loading import from_extra

from_extra("sklearn", needed_by="shoal.learning", extra="learning")

from shoal.learning.additive_model import AdditiveClassifier, Shape
from shoal.learning.classifier_scores import CalibrationPoint, ClassifierScores, ScoreEstimate
from shoal.learning.coefficient_table import Coefficient
from shoal.learning.estimator import PrivateEstimator
from shoal.learning.kmeans import KMeans
from shoal.learning.learning_curve import CurvePoint
from shoal.learning.linear_regression import LinearRegression
from shoal.learning.logistic_regression import LogisticRegression
from shoal.learning.model_files import read_model
from shoal.learning.naive_bayes import NaiveBayes
from shoal.learning.pca import PCA
from shoal.learning.poisson_regression import PoissonRegression

__all__ = [
    "PCA",
    "AdditiveClassifier",
    "CalibrationPoint",
    "ClassifierScores",
    "Coefficient",
    "CurvePoint",
    "KMeans",
    "LinearRegression",
    "LogisticRegression",
    "NaiveBayes",
    "PoissonRegression",
    "PrivateEstimator",
    "ScoreEstimate",
    "Shape",
    "load",
]

_MODELS: dict[str, type[PrivateEstimator]] = {
    model.__name__: model
    for model in (
        AdditiveClassifier,
        ClassifierScores,
        KMeans,
        LinearRegression,
        LogisticRegression,
        NaiveBayes,
        PCA,
        PoissonRegression,
    )
}


def load(folder: str | Path) -> PrivateEstimator:
    """A model that was saved, ready to predict.  Nothing in the folder is executed."""
    kind, state, certificate = read_model(Path(folder))
    if kind not in _MODELS:
        raise DataError(
            f"there is no model called {kind[:40]!r}.",
            remedy="Load it with the version of Shoal that saved it.",
        )
    model = _MODELS[kind]()
    model.restore(state, certificate)
    return model
