"""Regression of counts: the logarithm of the expected count is linear in the features."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin

from shoal.errors import FactsError
from shoal.exact import Number
from shoal.learning.coefficient_table import Coefficient, coefficient_table, column_units
from shoal.learning.estimator import TARGET, PrivateEstimator, stated_range
from shoal.learning.exact_sums import Floats, weighted_rows
from shoal.learning.feature_columns import STEPS, FeatureColumn
from shoal.learning.found_ranges import planned_ranges, ranged_rows
from shoal.learning.newton_rounds import LinkTables, newton_fit, planned_newton
from shoal.learning.posterior_rounds import RESIDUAL
from shoal.learning.row_designs import Arrays, LinearDesign
from shoal.learning.training_plan import NoisySums, PlannedSum


class PoissonRegression(RegressorMixin, PrivateEstimator):  # type: ignore[misc]
    """Poisson regression with intervals that include the noise.

    ``target_range`` is the declared range of the count and begins at 0; noise grows with its end, so
    declare no more than you need.  The first level of a category is the one that others are compared
    with.

    Guarantee: two releases of column ranges, one of targets, one of second moments, six of gradients and one of the
        curvature, together at the stated price.
    Needs: ``columns`` and ``target_range`` are public facts.
    Edges: rows without a target add nothing; counts above the range count as its end; coefficients
        that rows and budget do not tell are flagged by `coefficients`.
    Proof: training.md, *Newton steps*.
    """

    def __init__(
        self,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        rho: Number | None = None,
        columns: Any = None,
        target_range: Any = None,
        nullable: Sequence[str] = (),
        rows_per_person: int = 1,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.rho = rho
        self.columns = columns
        self.target_range = target_range
        self.nullable = nullable
        self.rows_per_person = rows_per_person

    def _target(self) -> FeatureColumn:
        return stated_range(self.target_range, count=True)

    def _sums(self, columns: tuple[FeatureColumn, ...]) -> list[PlannedSum]:
        target = self.target_
        if not (target.ordered and target.low == 0 and target.half > 0):
            raise FactsError(
                "the target of a Poisson regression must be a count with a range from 0.",
                remedy="State shoal.Range(0, 20) for it.",
            )
        design = LinearDesign(columns, reference=True)
        return [*planned_ranges(design), *planned_newton(design)]

    def _train(self, columns: tuple[FeatureColumn, ...], arrays: Arrays, sums: NoisySums) -> None:
        steps, missing = self.target_.steps(arrays[TARGET], RESIDUAL)
        counts = (steps + RESIDUAL) >> 1
        design = LinearDesign(columns, reference=True)
        ranged = ranged_rows(design, arrays, ~missing, sums)
        tables = _counts_up_to(float(self.target_.high))
        line = newton_fit(ranged, counts, tables, sums)
        self.coef_, self.intercept_ = line.theta[:-1].copy(), float(line.theta[-1])
        self.covariance_, self.identified_ = line.covariance, line.identified

    def predict(self, X: Any) -> Floats:  # noqa: N803 - scikit-learn's name
        """The expected count of each row, at most the end of the declared range."""
        matrix = LinearDesign(self._columns(), reference=True).matrix(self._arrays(X)) / STEPS
        scores = weighted_rows(matrix, np.append(self.coef_, self.intercept_))
        return np.minimum(np.exp(np.clip(scores, -500, 500)), float(self.target_.high))

    def coefficients(self, confidence: Number = "0.95") -> list[Coefficient]:
        """Every coefficient with its interval, the intercept last: by how much the logarithm of the
        expected count rises with one unit of a column.
        """
        design = LinearDesign(self._columns(), reference=True)
        units = column_units(design)
        values = units @ np.append(self.coef_, self.intercept_)
        covariance = units @ self.covariance_ @ units.T
        return coefficient_table(design.names, values, covariance, self.identified_, confidence)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:  # noqa: ARG002
        """What each coefficient belongs to."""
        return np.array(LinearDesign(self._columns(), reference=True).names, dtype=object)


def _counts_up_to(most: float) -> LinkTables:
    """Poisson means by score, none above the largest count."""

    def mean(scores: Floats) -> Floats:
        return np.asarray(np.minimum(np.exp(scores), most))

    return LinkTables.of(mean, mean, most, lambda share: math.log(share * most))
