"""How good a trained model is on each of some rows, as a whole number: what a search compares."""

from __future__ import annotations

from typing import Any

import numpy as np

from shoal.errors import FactsError
from shoal.learning.additive_model import AdditiveRegression
from shoal.learning.estimator import TARGET, PrivateEstimator
from shoal.learning.exact_sums import Integers
from shoal.learning.linear_model import LinearModel
from shoal.learning.logistic_regression import PrivateClassifier, logistic_residuals
from shoal.learning.posterior_rounds import RESIDUAL
from shoal.learning.row_designs import Arrays
from shoal.learning.several_classes import SeveralClassClassifier
from shoal.learning.whitened_rounds import UNIT


def check_scored(model: Any) -> PrivateEstimator:
    """Refuse models that give no score for each row by itself."""
    if not isinstance(model, PrivateClassifier | LinearModel | AdditiveRegression):
        raise FactsError(
            f"{type(model).__name__} has no score of single rows, by which settings are compared.",
            remedy="Search the settings of a classifier, a LinearRegression or an AdditiveRegression.",
        )
    return model


def row_scores(model: PrivateEstimator, arrays: Arrays) -> Integers:
    """A whole number from -`RESIDUAL` to `RESIDUAL` for each row, more where it is predicted better;
    0 for a row without a target.

    Of two classes it falls with the square of p - y, of more classes it says whether the likeliest
    is true, and of numbers it falls with the size of the error, up to half of the range.

    Guarantee: each number depends on its row and on the trained model alone, to the last bit.
    Edges: a prediction that is no number counts as the middle.
    """
    if isinstance(model, PrivateClassifier):
        classes = len(model.target_.levels)
        codes = model.target_.codes(arrays[TARGET])
        if isinstance(model, SeveralClassClassifier) and classes > 2:
            likeliest = np.column_stack(model._class_scores(arrays)).argmax(axis=1)  # noqa: SLF001
            found = np.where(likeliest == codes, RESIDUAL, -RESIDUAL)
        else:
            log_odds = np.clip(np.nan_to_num(model._scores(arrays)), -16.0, 16.0)  # noqa: SLF001
            steps = np.floor(log_odds * 2.0**20).astype(np.int64)
            away = logistic_residuals((codes == 1).astype(np.int64))(steps)
            found = RESIDUAL - 2 * (away * away // RESIDUAL)
        return np.asarray(np.where(codes < classes, found, 0), dtype=np.int64)
    assert isinstance(model, LinearModel | AdditiveRegression)
    target, missing = model.target_.steps(arrays[TARGET], UNIT)
    scaled = np.nan_to_num(model._scaled(arrays))  # noqa: SLF001
    told = np.floor(np.clip(scaled, -1.0, 1.0) * UNIT).astype(np.int64)
    away = np.minimum(np.abs(told - target), UNIT) * RESIDUAL // UNIT
    return np.asarray(np.where(missing, 0, RESIDUAL - 2 * away), dtype=np.int64)
