"""What regressions of a number by a line share: the target, its units and predictions."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin

from shoal.exact import Number
from shoal.learning.coefficient_table import Coefficient, coefficient_table, column_units
from shoal.learning.estimator import TARGET, PrivateEstimator, ranged_target, stated_range
from shoal.learning.exact_sums import Floats, Integers, weighted_rows
from shoal.learning.feature_columns import STEPS, FeatureColumn
from shoal.learning.found_ranges import RangedRows, planned_ranges, ranged_rows
from shoal.learning.row_designs import Arrays, LinearDesign
from shoal.learning.training_plan import NoisySums, PlannedSum
from shoal.learning.whitened_rounds import UNIT, FittedLine, planned


@dataclass(kw_only=True, eq=False, repr=False)
class LinearModel(RegressorMixin, PrivateEstimator):  # type: ignore[misc]
    """A line, in the units of the columns and of the target.

    The first level of a category is the one that others are compared with.
    """

    target_range: Any = None

    def _target(self) -> FeatureColumn:
        return stated_range(self.target_range)

    def _sums(self, columns: tuple[FeatureColumn, ...]) -> list[PlannedSum]:
        ranged_target(self.target_)
        design = LinearDesign(columns, reference=True)
        return [*planned_ranges(design), *self._planned_sums(design)]

    def _planned_sums(self, design: LinearDesign) -> list[PlannedSum]:
        return planned(design)

    @abstractmethod
    def _theta(self, ranged: RangedRows, target: Integers, sums: NoisySums) -> Floats:
        """Coefficients of the scaled columns, the intercept last; ``target`` in steps of 1 / `UNIT`."""

    def _train(self, columns: tuple[FeatureColumn, ...], arrays: Arrays, sums: NoisySums) -> None:
        design = LinearDesign(columns, reference=True)
        target, missing = self.target_.steps(arrays[TARGET], UNIT)
        ranged = ranged_rows(design, arrays, ~missing, sums)
        self.found_ranges_ = ranged.found
        theta = self._theta(ranged, target, sums)
        units = column_units(design, self.target_)
        self.coef_ = units[:-1] @ theta
        self.intercept_ = float(units[-1] @ theta + float(self.target_.middle))

    def predict(self, X: Any) -> Floats:  # noqa: N803 - scikit-learn's name
        """The expected target of each row."""
        scaled = self._scaled(self._arrays(X))
        return np.asarray(scaled * float(self.target_.half) + float(self.target_.middle))

    def _scaled(self, arrays: Arrays) -> Floats:
        """Predictions in halves of the target's range about its middle, each of its row alone."""
        design = LinearDesign(self._columns(), reference=True)
        matrix = design.matrix(arrays) * (1 / STEPS)
        units, shift = column_units(design, self.target_), float(self.target_.middle)
        whole = np.append(self.coef_, self.intercept_ - shift)
        return weighted_rows(matrix, np.asarray(np.linalg.solve(units, whole), np.float64))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:  # noqa: ARG002
        """What each coefficient belongs to."""
        return np.array(LinearDesign(self._columns(), reference=True).names, dtype=object)


class IntervalModel(LinearModel):
    """A line whose coefficients have intervals."""

    @abstractmethod
    def _line(self, ranged: RangedRows, target: Integers, sums: NoisySums) -> FittedLine:
        """The fit in scaled columns, with its covariance."""

    def _theta(self, ranged: RangedRows, target: Integers, sums: NoisySums) -> Floats:
        line = self._line(ranged, target, sums)
        units = column_units(ranged.rows.design, self.target_)
        self.covariance_ = units @ line.covariance @ units.T
        self.identified_ = line.identified
        self.residual_deviation_ = float(self.target_.half) * line.residual_variance**0.5
        return line.theta

    def coefficients(self, confidence: Number = "0.95") -> list[Coefficient]:
        """Every coefficient with its interval, the intercept last; in the units of the columns."""
        names = LinearDesign(self._columns(), reference=True).names
        values = np.append(self.coef_, self.intercept_)
        return coefficient_table(names, values, self.covariance_, self.identified_, confidence)
