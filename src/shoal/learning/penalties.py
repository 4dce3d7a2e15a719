"""Slopes under a penalty, from released second moments and gradients.

Nothing in this file reads rows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from shoal.learning.exact_sums import Floats

_ROUNDS = 100
_SWEEPS = 500


@dataclass(frozen=True)
class Evidence:
    """What is known of the coefficients, the intercept last: of (theta - t)' A (theta - t) / 2 the
    matrix A and A t, in units in which it would be half of the residuals' sum of squares without
    noise.

    ``widths`` are the standard deviations of the columns, ``rows`` how many rows count, and
    ``variance`` is that of residuals.
    """

    matrix: Floats
    vector: Floats
    widths: Floats
    rows: float
    variance: float

    @classmethod
    def of(cls, gram: Floats, moments: Floats, error: Floats, variance: float) -> Evidence:
        """From b = G theta with an error of covariance V: A = variance G V^-1 G, which is G where
        noise is small beside residuals.
        """
        weighed = np.linalg.solve(error, gram).T * variance
        rows = max(float(gram[-1, -1]), 1.0)
        squares = np.diag(gram)[:-1] / rows - (gram[-1, :-1] / rows) ** 2
        widths = np.sqrt(np.maximum(squares, 1e-6))
        matrix = weighed @ gram
        return cls((matrix + matrix.T) / 2, weighed @ moments, widths, rows, variance)


def ridge_fit(evidence: Evidence, width: float) -> Floats:
    """Coefficients if slopes of columns of variance 1 are normal with the variance ``width``."""
    return _posterior(evidence, width)[0]


def ridge_variance(evidence: Evidence) -> float:
    """The variance of slopes, by expectation and maximisation."""
    width = 1.0
    for _ in range(_ROUNDS):
        theta, covariance = _posterior(evidence, width)
        squares = (theta[:-1] ** 2 + np.diag(covariance)[:-1]) * evidence.widths**2
        width = max(float(squares.mean()), 1e-12)
    return width


def _posterior(evidence: Evidence, width: float) -> tuple[Floats, Floats]:
    prior = np.append(evidence.widths**2 / width, 1e-9)
    precision = evidence.matrix / evidence.variance + np.diag(prior)
    covariance: Floats = np.asarray(np.linalg.inv(precision), np.float64)
    return covariance @ evidence.vector / evidence.variance, covariance


def lasso_penalty(evidence: Evidence) -> float:
    """The least penalty that all slopes of 0 together rarely pass: sqrt(2 ln 2p) deviations of the
    largest error that A t has along a column of variance 1.
    """
    matrix, last = evidence.matrix, float(evidence.matrix[-1, -1])
    own = np.diag(matrix)[:-1] - matrix[-1, :-1] ** 2 / max(last, 1e-300)
    error = math.sqrt(evidence.variance * float(np.max(np.maximum(own, 0) / evidence.widths**2)))
    return math.sqrt(2 * math.log(2 * len(own))) * error / evidence.rows


def lasso_fit(evidence: Evidence, penalty: float) -> Floats:
    """Coefficients that are least with the penalty, coordinate after coordinate."""
    matrix, vector = evidence.matrix, evidence.vector
    held = np.append(evidence.widths * penalty * evidence.rows, 0.0)
    theta = np.zeros(len(vector))
    for _ in range(_SWEEPS):
        before = theta.copy()
        for at in range(len(theta) - 1, -1, -1):
            own = float(matrix[at, at])
            pull = float(vector[at] - matrix[at] @ theta) + own * float(theta[at])
            theta[at] = math.copysign(max(abs(pull) - float(held[at]), 0.0), pull) / max(
                own, 1e-300
            )
        if float(np.abs(theta - before).max()) < 1e-10:
            break
    return theta
