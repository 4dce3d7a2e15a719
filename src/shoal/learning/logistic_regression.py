"""Logistic regression by rounds of noisy gradients."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin

from shoal.errors import FactsError
from shoal.exact import Number, whole
from shoal.learning.coefficient_table import Coefficient, coefficient_table, column_units
from shoal.learning.estimator import TARGET, PrivateEstimator, stated_classes, two_classes
from shoal.learning.exact_sums import Floats, Integers, weighted_rows
from shoal.learning.feature_columns import STEPS, FeatureColumn
from shoal.learning.found_ranges import RangedRows, planned_ranges, ranged_rows
from shoal.learning.linear_moments import COUNTS, linear_moments, planned_moments
from shoal.learning.newton_rounds import LinkTables, newton_fit, planned_newton
from shoal.learning.posterior_rounds import (
    RESIDUAL,
    PooledRounds,
    rounds,
)
from shoal.learning.row_designs import Arrays, LinearDesign, LinearRows
from shoal.learning.training_plan import NoisySums, PlannedSum
from shoal.learning.whitened_rounds import LENGTH

FLATTER = 0.7
"""By how much the mean of p (1 - p) is below that of one p for all, about."""


@dataclass(kw_only=True, eq=False, repr=False)
class LabelClassifier(ClassifierMixin, PrivateEstimator):  # type: ignore[misc]
    """What classifiers of two classes share: from a score to labels."""

    classes: Any = None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def _target(self) -> FeatureColumn:
        return self._with_classes(stated_classes(self.classes))

    def _with_classes(self, target: FeatureColumn) -> FeatureColumn:
        """The target, if it has as many classes as this model tells apart."""
        return two_classes(target)

    @property
    def classes_(self) -> NDArray[Any]:
        target = self._told_target()
        return np.array(target.levels, dtype=None)

    def _told_target(self) -> FeatureColumn:
        self._columns()
        target: FeatureColumn = self.target_
        return self._with_classes(target)

    def decision_function(self, X: Any) -> Floats:  # noqa: N803 - scikit-learn's name
        """A score that is positive for the second class; the log-odds, where there are odds."""
        return self._scores(self._arrays(X))

    @abstractmethod
    def _scores(self, arrays: Arrays) -> Floats:
        """The score of each row, which depends on that row alone, to the last bit."""

    def predict(self, X: Any) -> NDArray[Any]:  # noqa: N803
        """The likelier class."""
        return np.asarray(self.classes_[(self.decision_function(X) > 0).astype(int)])


class PrivateClassifier(LabelClassifier):
    """What classifiers with odds share: scores are log-odds."""

    def predict_proba(self, X: Any) -> Floats:  # noqa: N803 - scikit-learn's name
        """The probability of each class."""
        second = 1 / (1 + np.exp(-np.clip(self.decision_function(X), -500, 500)))
        return np.column_stack([1 - second, second])


@dataclass(kw_only=True, eq=False, repr=False)
class LogisticRegression(PrivateClassifier):
    """Logistic regression for two classes.

    Numbers are scaled by their declared range, categories get a coefficient for each level, and all
    have a prior whose width is fitted to released numbers, so that nothing needs tuning.

    With ``intervals`` the coefficients have no prior but a very wide one, the first level of a
    category is the one that others are compared with, and `coefficients` gives intervals.  That
    needs more rows for each coefficient than prediction does.

    Guarantee: one release of counts and means, then ``rounds`` of gradients; with ``intervals`` two
        of column ranges, one of second moments, six of gradients and one of the curvature.  All together cost the stated
        price.
    Needs: ``columns`` and ``classes`` are public facts.
    Edges: rows whose target is none of the classes add nothing.  With few rows, or little budget,
        coefficients shrink to zero, or are flagged by `coefficients`.
    Proof: training.md, *Rows* and *Newton steps*.
    """

    rounds: int = 16
    intervals: bool = False

    def _sums(self, columns: tuple[FeatureColumn, ...]) -> list[PlannedSum]:
        two_classes(self.target_)
        steps = range(self._rounds())
        if self.intervals:
            design = LinearDesign(columns, reference=True)
            return [*planned_ranges(design), *planned_newton(design)]
        design = LinearDesign(columns)
        gradient = (LENGTH * RESIDUAL) ** 2
        share = (1 - COUNTS) / len(steps)
        return [
            planned_moments(design, 1),
            *(PlannedSum(f"gradient {at + 1}", design.size, gradient, share) for at in steps),
        ]

    def _train(self, columns: tuple[FeatureColumn, ...], arrays: Arrays, sums: NoisySums) -> None:
        self.intervals_ = bool(self.intervals)
        design = self._design(columns)
        codes = two_classes(self.target_).codes(arrays[TARGET])
        if self.intervals_:
            ranged = ranged_rows(design, arrays, codes < 2, sums)
            self.found_ranges_ = ranged.found
            self._newton(ranged, codes, sums)
            return
        rows = LinearRows(design, arrays, codes < 2)
        second, centred, rates = linear_moments(rows, (codes == 1)[:, None].astype(float), sums)
        rate = float(np.clip(rates[0], 0.02, 0.98))
        start = np.zeros(design.size)
        start[-1] = np.log(rate / (1 - rate))
        posterior = PooledRounds(second, FLATTER * rate * (1 - rate), design.blocks, start)
        residuals = logistic_residuals((codes == 1).astype(np.int64))
        unit = centred.unit / RESIDUAL
        count = self._rounds()
        rounds(centred, posterior, sums, count, residuals, most_row=2 * STEPS, unit=unit)
        theta = posterior.theta
        self.coef_ = theta[None, :-1].copy()
        self.intercept_ = theta[-1:] - theta @ centred.centre
        self.n_iter_ = count

    def _rounds(self) -> int:
        return whole(self.rounds, "rounds", at_least=1)

    def _design(self, columns: tuple[FeatureColumn, ...]) -> LinearDesign:
        return LinearDesign(columns, reference=self.intervals_)

    def _newton(self, ranged: RangedRows, codes: Integers, sums: NoisySums) -> None:
        """The fit with intervals."""
        labels = (codes == 1).astype(np.int64) * RESIDUAL
        line = newton_fit(ranged, labels, _LOGISTIC, sums)
        self.coef_ = line.theta[None, :-1].copy()
        self.intercept_ = line.theta[-1:].copy()
        self.covariance_, self.identified_ = line.covariance, line.identified

    def coefficients(self, confidence: Number = "0.95") -> list[Coefficient]:
        """Every coefficient with its interval, the intercept last: log-odds by one unit of a column,
        or beside a category's first level.
        """
        design = self._design(self._columns())
        if not self.intervals_:
            raise FactsError(
                "this model was trained for prediction, without intervals.",
                remedy="Train LogisticRegression(intervals=True, ...), which is a release of its own.",
            )
        units = column_units(design)
        values = units @ np.append(self.coef_[0], self.intercept_[0])
        covariance = units @ self.covariance_ @ units.T
        return coefficient_table(design.names, values, covariance, self.identified_, confidence)

    def _scores(self, arrays: Arrays) -> Floats:
        matrix = self._design(self._columns()).matrix(arrays) * (1 / STEPS)
        return weighted_rows(matrix, np.append(self.coef_[0], self.intercept_[0]))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:  # noqa: ARG002
        """What each coefficient belongs to."""
        return np.array(self._design(self._columns()).names, dtype=object)


def _odds(share: float) -> float:
    return math.log(share / (1 - share))


def _shares(scores: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-scores)))


_LOGISTIC = LinkTables.of(_shares, lambda s: _shares(s) * (1 - _shares(s)), 1.0, _odds)

_TABLE_STEP = 12
_TABLE = np.rint(RESIDUAL / (1 + np.exp(-(np.arange(-4096, 4096) + 0.5) / 256))).astype(np.int64)
"""Probabilities in steps, of scores from -16 to 16 in steps of 1/256."""


def logistic_residuals(labels: Integers) -> Callable[[Integers], Integers]:
    """From scores in units of 2^-20 to p - y, in whole steps from -`RESIDUAL` to `RESIDUAL`.

    Guarantee: each row's residual depends on its own score and label alone: a shift, a look-up and
        a difference of whole numbers.
    """

    def residuals(scores: Integers) -> Integers:
        places = np.clip((scores >> _TABLE_STEP) + 4096, 0, 8191)
        return np.asarray(_TABLE[places] - labels * RESIDUAL)

    return residuals
