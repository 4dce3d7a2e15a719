"""What regressions share whose logarithm of the expected target is linear in the features."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin

from shoal.exact import Number
from shoal.learning.coefficient_table import Coefficient, coefficient_table, column_units
from shoal.learning.estimator import TARGET, PrivateEstimator
from shoal.learning.exact_sums import Floats, weighted_rows
from shoal.learning.feature_columns import STEPS, FeatureColumn
from shoal.learning.found_ranges import RangedRows, planned_ranges, ranged_rows
from shoal.learning.row_designs import Arrays, LinearDesign
from shoal.learning.training_plan import NoisySums, PlannedSum
from shoal.learning.whitened_rounds import FittedLine


@dataclass(kw_only=True, eq=False, repr=False)
class LogLinkModel(RegressorMixin, PrivateEstimator):  # type: ignore[misc]
    """A target above 0 with a declared end, coefficients with intervals, and predictions.

    The first level of a category is the one that others are compared with.
    """

    target_range: Any = None

    @abstractmethod
    def _check_target(self, target: FeatureColumn) -> None:
        """Refuse a target that this model is not made for."""

    @abstractmethod
    def _planned_sums(self, design: LinearDesign) -> list[PlannedSum]:
        """All sums beside those of column ranges."""

    @abstractmethod
    def _line(self, ranged: RangedRows, target: Floats, sums: NoisySums) -> FittedLine:
        """The fit in scaled columns; ``target`` from -1, the low end of its range, to 1."""

    def _sums(self, columns: tuple[FeatureColumn, ...]) -> list[PlannedSum]:
        self._check_target(self.target_)
        design = LinearDesign(columns, reference=True)
        return [*planned_ranges(design), *self._planned_sums(design)]

    def _train(self, columns: tuple[FeatureColumn, ...], arrays: Arrays, sums: NoisySums) -> None:
        target = self.target_.scaled(arrays[TARGET])
        missing = np.isnan(target)
        design = LinearDesign(columns, reference=True)
        ranged = ranged_rows(design, arrays, ~missing, sums)
        line = self._line(ranged, np.where(missing, 0.0, target), sums)
        self.found_ranges_ = ranged.found
        self.coef_, self.intercept_ = line.theta[:-1].copy(), float(line.theta[-1])
        self.covariance_, self.identified_ = line.covariance, line.identified

    def predict(self, X: Any) -> Floats:  # noqa: N803 - scikit-learn's name
        """The expected target of each row, at most the end of the declared range."""
        matrix = LinearDesign(self._columns(), reference=True).matrix(self._arrays(X)) / STEPS
        scores = weighted_rows(matrix, np.append(self.coef_, self.intercept_))
        return np.minimum(np.exp(np.clip(scores, -500, 500)), float(self.target_.high))

    def coefficients(self, confidence: Number = "0.95") -> list[Coefficient]:
        """Every coefficient with its interval, the intercept last: by how much the logarithm of the
        expected target rises with one unit of a column.
        """
        design = LinearDesign(self._columns(), reference=True)
        units = column_units(design)
        values = units @ np.append(self.coef_, self.intercept_)
        covariance = units @ self.covariance_ @ units.T
        return coefficient_table(design.names, values, covariance, self.identified_, confidence)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:  # noqa: ARG002
        """What each coefficient belongs to."""
        return np.array(LinearDesign(self._columns(), reference=True).names, dtype=object)
