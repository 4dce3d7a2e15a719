"""Linear regression with standard errors that include the noise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin

from shoal.errors import FactsError
from shoal.exact import Number
from shoal.learning.coefficient_table import Coefficient, coefficient_table, column_units
from shoal.learning.estimator import TARGET, PrivateEstimator
from shoal.learning.exact_sums import Floats
from shoal.learning.feature_columns import STEPS, FeatureColumn, stated_column
from shoal.learning.row_designs import Arrays, LinearDesign, LinearRows
from shoal.learning.training_plan import NoisySums, PlannedSum
from shoal.learning.whitened_rounds import UNIT, fitted, planned


class LinearRegression(RegressorMixin, PrivateEstimator):  # type: ignore[misc]
    """Linear regression by noisy second moments and rounds of clipped residuals.

    ``target_range`` is the declared range of the target.  The first level of a category is the one
    that others are compared with.

    Guarantee: two releases of second moments and four of gradients, together at the stated price.
    Needs: ``columns`` and ``target_range`` are public facts.
    Edges: rows without a target add nothing; coefficients that rows and budget do not tell are
        flagged by `coefficients`.
    Proof: training.md, *Least squares*.
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
        if self.target_range is None:
            raise FactsError(
                "the range of the target is not declared, and it is never read off private rows.",
                remedy="Give target_range=shoal.Range(0, 100000).",
            )
        return stated_column("target", self.target_range)

    def _sums(self, columns: tuple[FeatureColumn, ...]) -> list[PlannedSum]:
        target = self.target_
        if not (target.ordered and target.half > 0):
            raise FactsError(
                "the target of a regression must be a number with a range.",
                remedy="State shoal.Range(0, 100000) for it.",
            )
        return planned(LinearDesign(columns, reference=True))

    def _train(self, columns: tuple[FeatureColumn, ...], arrays: Arrays, sums: NoisySums) -> None:
        design = LinearDesign(columns, reference=True)
        target, missing = self.target_.steps(arrays[TARGET], UNIT)
        rows = LinearRows(design, arrays, ~missing)
        line = fitted(rows, target, ~missing, sums)
        units, shift = column_units(design, self.target_), float(self.target_.middle)
        self.coef_ = units[:-1] @ line.theta
        self.intercept_ = float(units[-1] @ line.theta + shift)
        self.covariance_ = units @ line.covariance @ units.T
        self.identified_ = line.identified
        self.residual_deviation_ = float(self.target_.half) * line.residual_variance**0.5

    def predict(self, X: Any) -> Floats:  # noqa: N803 - scikit-learn's name
        """The expected target of each row."""
        arrays = self._arrays(X)
        design = LinearDesign(self._columns(), reference=True)
        matrix = design.matrix(arrays) * (1 / STEPS)
        units, shift = column_units(design, self.target_), float(self.target_.middle)
        whole = np.append(self.coef_, self.intercept_ - shift)
        scaled = matrix @ np.linalg.solve(units, whole)
        return np.asarray(scaled * float(self.target_.half) + shift)

    def coefficients(self, confidence: Number = "0.95") -> list[Coefficient]:
        """Every coefficient with its interval, the intercept last; in the units of the columns."""
        names = LinearDesign(self._columns(), reference=True).names
        values = np.append(self.coef_, self.intercept_)
        return coefficient_table(names, values, self.covariance_, self.identified_, confidence)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:  # noqa: ARG002
        """What each coefficient belongs to."""
        return np.array(LinearDesign(self._columns(), reference=True).names, dtype=object)
