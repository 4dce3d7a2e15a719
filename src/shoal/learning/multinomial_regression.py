"""Multinomial logistic regression by rounds of noisy gradients: two classes or more."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.exact import whole
from shoal.learning.estimator import TARGET, several_classes
from shoal.learning.exact_sums import Floats, Integers, weighted_rows, whole_weights
from shoal.learning.feature_columns import STEPS, FeatureColumn
from shoal.learning.linear_moments import COUNTS, linear_moments, planned_moments
from shoal.learning.logistic_regression import FLATTER
from shoal.learning.posterior_rounds import RESIDUAL, PooledRounds
from shoal.learning.row_designs import Arrays, LinearDesign, LinearRows
from shoal.learning.several_classes import SeveralClassClassifier
from shoal.learning.training_plan import NoisySums, PlannedSum
from shoal.learning.whitened_rounds import LENGTH

_STEP, _CELLS = 12, 4096
_ODDS = np.rint(2.0**20 * np.exp(-(np.arange(_CELLS) + 0.5) / 256)).astype(np.int64)
"""Odds beside the likeliest class, by how far its score is above, from 0 to 16 in steps of 1/256."""


@dataclass(kw_only=True, eq=False, repr=False)
class MultinomialRegression(SeveralClassClassifier):
    """Logistic regression for several classes: each has a coefficient for every feature or level.

    Columns are scaled and coefficients have a prior as in `LogisticRegression`.

    Guarantee: one release of counts and means, then ``rounds`` of gradients of all classes,
        together at the stated price.
    Needs: ``columns`` and ``classes`` are public facts.
    Edges: rows whose target is none of the classes add nothing.  With few rows, or little budget,
        coefficients shrink to zero.
    Proof: training.md, *Several classes*.
    """

    rounds: int = 16

    def _sums(self, columns: tuple[FeatureColumn, ...]) -> list[PlannedSum]:
        classes = len(several_classes(self.target_).levels)
        rounds = self._rounds()
        design = LinearDesign(columns)
        size, squared = design.size * classes, 2 * (LENGTH * RESIDUAL) ** 2
        share = (1 - COUNTS) / rounds
        return [
            planned_moments(design, classes),
            *(PlannedSum(f"gradient {at + 1}", size, squared, share) for at in range(rounds)),
        ]

    def _train(self, columns: tuple[FeatureColumn, ...], arrays: Arrays, sums: NoisySums) -> None:
        design = LinearDesign(columns)
        classes = len(several_classes(self.target_).levels)
        codes = self.target_.codes(arrays[TARGET])
        rows = LinearRows(design, arrays, codes < classes)
        members = (codes[:, None] == np.arange(classes)).astype(np.float64)
        second, centred, rates = linear_moments(rows, members, sums)
        held = np.clip(rates, 0.01, 1.0)
        held /= held.sum()
        posteriors = []
        for rate in held.tolist():
            start = np.zeros(design.size)
            start[-1] = np.log(rate)
            posteriors.append(PooledRounds(second, FLATTER * rate, design.blocks, start))
        labels, unit = members.astype(np.int64), centred.unit / RESIDUAL
        for at in range(self._rounds()):
            scores = []
            for each in posteriors:
                weights, bits = whole_weights(np.clip(each.theta, -500, 500), 2 * STEPS)
                scores.append(centred.scores(weights, bits))
            residuals = several_residuals(np.column_stack(scores), labels)
            found = [centred.gradient(line, RESIDUAL) for line in residuals.T]
            noisy, sigma = sums.release(f"gradient {at + 1}", np.concatenate(found))
            for each, part in zip(posteriors, noisy.reshape(classes, -1), strict=True):
                each.observe(part * unit, sigma * unit)
        theta = np.array([each.theta for each in posteriors])
        self.coef_ = theta[:, :-1].copy()
        self.intercept_ = theta[:, -1] - theta @ centred.centre
        self.n_iter_ = self._rounds()

    def _rounds(self) -> int:
        return whole(self.rounds, "rounds", at_least=1)

    def _class_scores(self, arrays: Arrays) -> list[Floats]:
        matrix = LinearDesign(self._columns()).matrix(arrays) * (1 / STEPS)
        return [
            weighted_rows(matrix, np.append(line, start))
            for line, start in zip(self.coef_, self.intercept_.tolist(), strict=True)
        ]

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:  # noqa: ARG002
        """What each column of coefficients belongs to."""
        return np.array(LinearDesign(self._columns()).names, dtype=object)


def several_residuals(scores: Integers, labels: Integers) -> Integers:
    """From scores in units of 2^-20, one column for each class, to p - y in whole steps.

    Guarantee: each row's residuals depend on its own scores and label alone: shifts, look-ups and
        whole quotients.  Probabilities are at least 0 and add up to at most `RESIDUAL`, so the
        squares of a row add up to at most 2 `RESIDUAL`^2.
    """
    return np.asarray(class_shares(scores, RESIDUAL) - labels * RESIDUAL)


def class_shares(scores: Integers, most: int) -> Integers:
    """Probabilities of classes from scores in units of 2^-20, in whole steps of 1 / ``most``.

    Guarantee: a row of the result depends on that row of scores alone; its numbers are at least 0
        and add up to at most ``most``.
    """
    behind = (scores.max(axis=1, keepdims=True) - scores) >> _STEP if len(scores) else scores
    odds = _ODDS[np.minimum(behind, _CELLS - 1)]
    return np.asarray(odds * most // odds.sum(axis=1, keepdims=True))
