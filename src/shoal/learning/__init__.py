"""Models trained on private rows through exact sums and our noise, with scikit-learn's manners."""

# ruff: noqa: E402 - the extra is asked for before anything that needs it

from __future__ import annotations

from pathlib import Path

from shoal.errors import DataError
from shoal.loading import from_extra

from_extra("sklearn", needed_by="shoal.learning", extra="learning")

from shoal.learning.additive_curves import PairShape, Shape
from shoal.learning.additive_model import AdditiveClassifier, AdditiveRegression
from shoal.learning.classifier_scores import CalibrationPoint, ClassifierScores
from shoal.learning.clipped_share import ClippedShare
from shoal.learning.coefficient_table import Coefficient
from shoal.learning.declared_transformers import Encoder, Scaler
from shoal.learning.estimator import PrivateEstimator
from shoal.learning.gamma_regression import GammaRegression
from shoal.learning.gaussian_mixture import GaussianMixture
from shoal.learning.histogram_density import HistogramDensity
from shoal.learning.huber_regression import HuberRegression
from shoal.learning.kmeans import KMeans
from shoal.learning.learning_curve import CurvePoint
from shoal.learning.linear_regression import LinearRegression
from shoal.learning.linear_svm import LinearSVM
from shoal.learning.logistic_regression import LogisticRegression
from shoal.learning.model_files import read_model
from shoal.learning.model_release import ScoreEstimate
from shoal.learning.multinomial_regression import MultinomialRegression
from shoal.learning.naive_bayes import NaiveBayes
from shoal.learning.nets import NetworkTraining, NeuralNetClassifier, NeuralNetRegressor
from shoal.learning.pca import PCA
from shoal.learning.penalised_regression import Lasso, Ridge
from shoal.learning.poisson_regression import PoissonRegression
from shoal.learning.private_search import PrivateSearchCV
from shoal.learning.pure_logistic_regression import PureLogisticRegression

__all__ = [
    "PCA",
    "AdditiveClassifier",
    "AdditiveRegression",
    "CalibrationPoint",
    "ClassifierScores",
    "ClippedShare",
    "Coefficient",
    "CurvePoint",
    "Encoder",
    "GammaRegression",
    "GaussianMixture",
    "HistogramDensity",
    "HuberRegression",
    "KMeans",
    "Lasso",
    "LinearRegression",
    "LinearSVM",
    "LogisticRegression",
    "MultinomialRegression",
    "NaiveBayes",
    "NetworkTraining",
    "NeuralNetClassifier",
    "NeuralNetRegressor",
    "PairShape",
    "PoissonRegression",
    "PrivateEstimator",
    "PrivateSearchCV",
    "PureLogisticRegression",
    "Ridge",
    "Scaler",
    "ScoreEstimate",
    "Shape",
    "load",
]

_MODELS: dict[str, type[PrivateEstimator]] = {
    model.__name__: model
    for model in (
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
        NeuralNetClassifier,
        NeuralNetRegressor,
        PCA,
        PoissonRegression,
        PureLogisticRegression,
        Ridge,
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
