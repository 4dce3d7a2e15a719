"""Logistic regression for a budget without a delta."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import RangeError
from shoal.exact import Number, positive
from shoal.learning.estimator import TARGET, two_classes
from shoal.learning.exact_sums import Floats, weighted_rows
from shoal.learning.feature_columns import STEPS, FeatureColumn
from shoal.learning.logistic_regression import PrivateClassifier
from shoal.learning.objective_plan import ObjectivePlan
from shoal.learning.row_designs import Arrays, LinearDesign
from shoal.learning.training_plan import PlannedSum
from shoal.measures import Measure, Pure
from shoal.sensitivity import Relation


class PureLogisticRegression(PrivateClassifier):
    """Logistic regression for two classes at a cost of ``epsilon`` alone, without a delta.

    Numbers are scaled by their declared range, and categories get a coefficient for each level.  All
    coefficients, the intercept among them, are pulled to zero by a ridge that follows from epsilon
    and the number of columns.  Where a delta is allowed, `LogisticRegression` is more accurate.

    Guarantee: one release, the minimiser of the loss with a random linear term: epsilon-DP, exactly.
        The minimiser is computed with a proven error, which noise of its own hides.
    Needs: ``columns`` and ``classes`` are public facts.
    Edges: rows whose target is none of the classes add nothing.  With few rows, or little budget,
        coefficients are mostly noise.  How long a fit takes depends on the rows.
    Reference: Chaudhuri, Monteleoni and Sarwate 2011, with another noise.  Proof: objective.md.
    """

    takes_pure_budgets = True
    _read_through = "The minimiser of a logistic loss with a random linear term, and nothing else."

    def __init__(
        self,
        *,
        epsilon: Number | None = None,
        columns: Any = None,
        classes: Any = None,
        nullable: Sequence[str] = (),
        rows_per_person: int = 1,
    ) -> None:
        self.epsilon = epsilon
        self.columns = columns
        self.classes = classes
        self.nullable = nullable
        self.rows_per_person = rows_per_person

    def _price(self) -> Measure:
        if self.epsilon is None:
            raise RangeError(
                "a model needs a price: epsilon.",
                remedy="Write PureLogisticRegression(epsilon=1, columns={...}).",
            )
        return Pure(positive(self.epsilon, "epsilon"))

    def _sums(self, columns: tuple[FeatureColumn, ...]) -> list[PlannedSum]:  # noqa: ARG002
        return []

    def _planned(
        self,
        columns: tuple[FeatureColumn, ...],
        measure: Measure,
        *,
        reach: int,
        relation: Relation,
    ) -> ObjectivePlan:
        two_classes(self.target_)
        return ObjectivePlan.of(columns, measure, reach=reach, relation=relation)

    def _train(self, columns: tuple[FeatureColumn, ...], arrays: Arrays, sums: Any) -> None:
        codes = two_classes(self.target_).codes(arrays[TARGET])
        matrix = LinearDesign(columns).matrix(arrays, codes < 2)
        theta = sums.release(matrix, (codes == 1).astype(np.int64))
        self.coef_ = theta[None, :-1].copy()
        self.intercept_ = theta[-1:].copy()

    def _scores(self, arrays: Arrays) -> Floats:
        matrix = LinearDesign(self._columns()).matrix(arrays) * (1 / STEPS)
        return weighted_rows(matrix, np.append(self.coef_[0], self.intercept_[0]))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:  # noqa: ARG002
        """What each coefficient belongs to."""
        return np.array(LinearDesign(self._columns()).names, dtype=object)
