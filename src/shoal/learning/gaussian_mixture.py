"""A mixture of normal laws: a tree of noisy counts finds where rows are, then a few noisy steps of
expectation and maximisation.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp
from sklearn.base import DensityMixin

from shoal.exact import whole
from shoal.learning.estimator import PrivateEstimator
from shoal.learning.exact_sums import Floats
from shoal.learning.feature_columns import STEPS, FeatureColumn
from shoal.learning.kmeans import only_numbers
from shoal.learning.midpoint_tree import counted_boxes, planned_tree
from shoal.learning.mixture_rounds import Mixture, planned_steps, stepped
from shoal.learning.mixture_start import first_mixture, log_densities
from shoal.learning.row_designs import Arrays, numbers_of
from shoal.learning.training_plan import NoisySums, PlannedSum

TREE = Fraction(3, 10)
"""The share of the budget for the tree; steps have the rest."""

ROUNDS = 6


@dataclass(kw_only=True, eq=False, repr=False)
class GaussianMixture(DensityMixin, PrivateEstimator):  # type: ignore[misc]
    """``n_components`` normal laws of columns of numbers, each with a covariance of its own.

    Guarantee: one release of counts for each level of a tree, and a few of counts, means and second
        moments by component, together at the stated price.
    Needs: every column is a number with a declared range.
    Edges: missing numbers count as the middle of the range, and values beyond a range as its end.
        A component that hardly any row belongs to stays where the tree put it.
    Proof: training.md, *Mixtures*.
    """

    _target_needed = False

    n_components: int = field(default=1, kw_only=False)

    def _components(self) -> int:
        return whole(self.n_components, "n_components", at_least=1)

    def _sums(self, columns: tuple[FeatureColumn, ...]) -> list[PlannedSum]:
        only_numbers(columns)
        size = len(columns)
        return [
            *planned_tree(size, TREE),
            *planned_steps(size, self._components(), ROUNDS, 1 - TREE),
        ]

    def _train(self, columns: tuple[FeatureColumn, ...], arrays: Arrays, sums: NoisySums) -> None:
        rows = numbers_of(columns, arrays)
        mixture = first_mixture(*counted_boxes(rows, sums), self._components())
        for at in range(ROUNDS):
            mixture = stepped(rows, mixture, sums, f"components {at + 1}")
        self.scaled_means_, self.scaled_covariances_ = mixture.means, mixture.covariances
        self.weights_ = mixture.shares
        halves, middle = _units(columns)
        self.means_ = mixture.means * halves + middle
        self.covariances_ = mixture.covariances * np.outer(halves, halves)
        self.n_iter_ = ROUNDS

    def _log_densities(self, X: Any) -> Floats:  # noqa: N803 - scikit-learn's name
        """Of each row and component, columns in halves of their declared ranges."""
        columns = self._columns()
        rows = numbers_of(columns, self._arrays(X)) / STEPS
        mixture = Mixture(self.weights_, self.scaled_means_, self.scaled_covariances_)
        return log_densities(rows, mixture)

    def score_samples(self, X: Any) -> Floats:  # noqa: N803
        """The logarithm of the density at each row, in the units of the columns."""
        halves, _ = _units(self._columns())
        found: Floats = logsumexp(self._log_densities(X), axis=1)
        return np.asarray(found - float(np.log(np.where(halves > 0, halves, 1.0)).sum()))

    def score(self, X: Any, y: Any = None) -> float:  # noqa: N803, ARG002
        """The mean of `score_samples`."""
        return float(self.score_samples(X).mean())

    def predict_proba(self, X: Any) -> Floats:  # noqa: N803
        """How likely each row comes from each component."""
        found = self._log_densities(X)
        return np.asarray(np.exp(found - logsumexp(found, axis=1, keepdims=True)))

    def predict(self, X: Any) -> NDArray[np.int64]:  # noqa: N803
        """The component that each row most likely comes from."""
        return np.asarray(self._log_densities(X).argmax(axis=1))


def _units(columns: tuple[FeatureColumn, ...]) -> tuple[Floats, Floats]:
    """Half of each declared range, and its middle."""
    halves = np.array([float(each.half) for each in columns])
    return halves, np.array([float(each.middle) for each in columns])
