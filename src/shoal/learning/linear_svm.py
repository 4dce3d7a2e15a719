"""Linear support vector machine by rounds of noisy gradients."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.exact import whole
from shoal.learning.estimator import TARGET, two_classes
from shoal.learning.exact_sums import Floats, Integers, weighted_rows
from shoal.learning.feature_columns import STEPS, FeatureColumn
from shoal.learning.linear_moments import COUNTS, linear_moments, planned_moments
from shoal.learning.logistic_regression import LabelClassifier
from shoal.learning.posterior_rounds import RESIDUAL, PooledRounds, rounds
from shoal.learning.row_designs import Arrays, LinearDesign, LinearRows
from shoal.learning.training_plan import NoisySums, PlannedSum
from shoal.learning.whitened_rounds import LENGTH

_CURVATURE = 0.4
"""About how much the loss bends: the share of rows with a margin from 1/2 to 3/2."""


@dataclass(kw_only=True, eq=False, repr=False)
class LinearSVM(LabelClassifier):
    """A linear support vector machine for two classes: the loss is the hinge, rounded where margins
    are within 1/2 of 1, so that it has a slope everywhere.

    Columns are scaled and coefficients have a prior as in `LogisticRegression`, in place of a
    penalty.  Scores are margins and no log-odds, so there are no probabilities.

    Guarantee: one release of counts and means, then ``rounds`` of gradients, together at the stated
        price.
    Needs: ``columns`` and ``classes`` are public facts.
    Edges: rows whose target is none of the classes add nothing.  With few rows, or little budget,
        coefficients shrink to zero.
    Proof: training.md, *Centred rows*.
    """

    rounds: int = 16

    def _rounds(self) -> int:
        return whole(self.rounds, "rounds", at_least=1)

    def _sums(self, columns: tuple[FeatureColumn, ...]) -> list[PlannedSum]:
        two_classes(self.target_)
        design, steps = LinearDesign(columns), range(self._rounds())
        gradient, share = (LENGTH * RESIDUAL) ** 2, (1 - COUNTS) / len(steps)
        return [
            planned_moments(design, 1),
            *(PlannedSum(f"gradient {at + 1}", design.size, gradient, share) for at in steps),
        ]

    def _train(self, columns: tuple[FeatureColumn, ...], arrays: Arrays, sums: NoisySums) -> None:
        design = LinearDesign(columns)
        codes = two_classes(self.target_).codes(arrays[TARGET])
        rows = LinearRows(design, arrays, codes < 2)
        second, centred, rates = linear_moments(rows, (codes == 1)[:, None].astype(float), sums)
        start = np.zeros(design.size)
        start[-1] = 2 * float(np.clip(rates[0], 0.02, 0.98)) - 1
        posterior = PooledRounds(second, _CURVATURE, design.blocks, start)
        unit, count = centred.unit / RESIDUAL, self._rounds()
        residuals = hinge_residuals(codes == 1)
        rounds(centred, posterior, sums, count, residuals, most_row=2 * STEPS, unit=unit)
        theta = posterior.theta
        self.coef_ = theta[None, :-1].copy()
        self.intercept_ = theta[-1:] - theta @ centred.centre
        self.n_iter_ = count

    def _scores(self, arrays: Arrays) -> Floats:
        matrix = LinearDesign(self._columns()).matrix(arrays) * (1 / STEPS)
        return weighted_rows(matrix, np.append(self.coef_[0], self.intercept_[0]))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:  # noqa: ARG002
        """What each coefficient belongs to."""
        return np.array(LinearDesign(self._columns()).names, dtype=object)


def hinge_residuals(second: NDArray[np.bool_]) -> Callable[[Integers], Integers]:
    """From scores in units of 2^-20 to the slope of the rounded hinge, in whole steps from
    -`RESIDUAL` to `RESIDUAL`: full for margins below 1/2, 0 above 3/2, and straight between.

    Guarantee: each row's residual depends on its own score and label alone, in whole numbers.
    """

    def residuals(scores: Integers) -> Integers:
        margins = np.where(second, scores, -scores)
        steep = np.clip(((3 << 19) - margins) >> 6, 0, RESIDUAL)
        return np.asarray(np.where(second, -steep, steep))

    return residuals
