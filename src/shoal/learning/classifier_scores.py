"""How good a trained classifier is on private rows, from one noisy table: accuracy, AUC, confusion
matrix and calibration curve, with intervals.
"""

from __future__ import annotations

from fractions import Fraction
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.errors import FactsError, RangeError
from shoal.exact import Number, open_unit, whole
from shoal.learning.estimator import TARGET, two_classes
from shoal.learning.exact_sums import Floats
from shoal.learning.feature_columns import FeatureColumn
from shoal.learning.logistic_regression import PrivateClassifier
from shoal.learning.model_release import ModelRelease, ScoreEstimate
from shoal.learning.row_designs import Arrays
from shoal.learning.training_plan import NoisySums, PlannedSum

BINS = 64
"""How many equal bins the predicted probability has."""

_EDGES = np.log(np.arange(1, BINS) / np.arange(BINS - 1, 0, -1))
"""Log-odds between bins; the middle one is 0, where the predicted class changes."""


class CalibrationPoint(NamedTuple):
    """The share of the second class among rows whose predicted probability is in a range."""

    predicted_from: float
    predicted_to: float
    rows: float
    share: ScoreEstimate


class ClassifierScores(ModelRelease):
    """The scores of a trained classifier of Shoal, for a price of their own.

    One table is released: how many rows of each class have a predicted probability in each of 64
    bins.  All scores are read off it, so asking for several costs no more than asking for one.
    Score rows that the model was not trained on: on its own rows a model looks better than it is.

    Guarantee: one release at the stated price.
    Needs: ``model`` is trained.  Its predictions depend on each row alone, to the last bit.
    Edges: rows whose target is none of the classes are not counted.  A score of no rows means
        nothing, and its interval is the whole range.
    Proof: training.md, *Scores*.
    """

    def _trained(self) -> PrivateClassifier:
        if not isinstance(self.model, PrivateClassifier):
            raise FactsError(
                "scores need a trained classifier of shoal.learning: what other models predict for one "
                "row may depend on the rows beside it.",
                remedy="Write ClassifierScores(model, epsilon=1, delta=1e-6), after model was trained.",
            )
        self.model._columns()  # noqa: SLF001 - refuses a model that is not trained
        return self.model

    def _target(self) -> FeatureColumn:
        target: FeatureColumn = self._trained().target_
        return two_classes(target)

    def _sums(self, columns: tuple[FeatureColumn, ...]) -> list[PlannedSum]:
        self._check_rows(columns)
        return [PlannedSum("rows by class and score", 2 * BINS, 1, Fraction(1))]

    def _train(self, columns: tuple[FeatureColumn, ...], arrays: Arrays, sums: NoisySums) -> None:  # noqa: ARG002
        codes = self._target().codes(arrays[TARGET])
        scores = self._trained()._scores(arrays)  # noqa: SLF001 - each row by itself
        cells = codes * BINS + np.searchsorted(_EDGES, scores, side="left")
        counts = np.bincount(cells[codes < 2], minlength=2 * BINS).astype(np.int64)
        noisy, sigma = sums.release("rows by class and score", counts)
        self.counts_, self.deviation_ = noisy.reshape(2, BINS), sigma

    def _table(self) -> Floats:
        self._columns()
        table: Floats = self.counts_
        return table

    def accuracy(self, confidence: Number = "0.95") -> ScoreEstimate:
        """The share of rows whose class was predicted."""
        table = self._table()
        right = np.zeros((2, BINS))
        right[0, : BINS // 2] = right[1, BINS // 2 :] = 1
        total = max(float(table.sum()), 1.0)
        value = float((table * right).sum()) / total
        return self._estimate(value, (right - value) / total, confidence)

    def auc(self, confidence: Number = "0.95") -> ScoreEstimate:
        """The chance that of two rows the one of the second class has the larger score; rows in one
        bin count as equal.
        """
        first, second = self._table()
        rows = [max(float(each.sum()), 1.0) for each in (first, second)]
        below = np.cumsum(first) - first / 2
        above = np.cumsum(second[::-1])[::-1] - second / 2
        value = float(second @ below) / (rows[0] * rows[1])
        slope = np.stack([above - value * rows[1], below - value * rows[0]]) / (rows[0] * rows[1])
        return self._estimate(value, slope, confidence)

    def confusion_matrix(self) -> tuple[Floats, float]:
        """Rows by true class (lines) and predicted class (columns), and the standard deviation of
        the noise in each.  Numbers can be below 0.
        """
        table = self._table()
        found = table.reshape(2, 2, BINS // 2).sum(axis=2)
        return found, float(self.deviation_) * (BINS / 2) ** 0.5

    def calibration_curve(
        self, bins: int = 8, confidence: Number = "0.95"
    ) -> list[CalibrationPoint]:
        """Predicted probability beside the share of the second class, in equal bins."""
        if BINS % whole(bins, "bins", at_least=1):
            raise RangeError(
                f"{bins} bins do not divide {BINS}.", remedy="Give bins=4, 8, 16 or 32."
            )
        wide, found = BINS // bins, []
        for at in range(bins):
            place = np.zeros((2, BINS))
            place[:, at * wide : (at + 1) * wide] = 1
            held = self._table() * place
            rows = max(float(held.sum()), 1.0)
            share = float(held[1].sum()) / rows
            slope = (np.array([[0.0], [1.0]]) - share) * place / rows
            estimate = self._estimate(share, slope, confidence)
            found.append(CalibrationPoint(at / bins, (at + 1) / bins, float(held.sum()), estimate))
        return found

    def _estimate(self, value: float, slope: NDArray[Any], confidence: Number) -> ScoreEstimate:
        """By the slope of a score in the counts: each has the noise's variance, and as many rows as
        came by chance have that of a Poisson number.
        """
        wide = NormalDist().inv_cdf((1 + float(open_unit(confidence, "confidence"))) / 2)
        variances = np.maximum(self._table(), 0) + float(self.deviation_) ** 2
        error = wide * float(np.sqrt((slope**2 * variances).sum()))
        held = min(max(value, 0.0), 1.0)
        return ScoreEstimate(held, max(value - error, 0.0), min(value + error, 1.0))
