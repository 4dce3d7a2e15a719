"""Means, covariances and principal components of columns of numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import TransformerMixin

from shoal.errors import RangeError
from shoal.exact import whole
from shoal.learning.estimator import PrivateEstimator
from shoal.learning.exact_sums import Floats, clipped, products
from shoal.learning.feature_columns import STEPS, FeatureColumn
from shoal.learning.kmeans import only_numbers
from shoal.learning.row_designs import Arrays, numbers_of
from shoal.learning.training_plan import NoisySums, PlannedSum
from shoal.learning.whitened_rounds import (
    LENGTH,
    UNIT,
    moments_of_length,
    released_moments,
)

_MEANS, _LENGTHS, _MOMENTS = Fraction(1, 10), Fraction(1, 20), Fraction(17, 20)
_BINS = 64


@dataclass(kw_only=True, eq=False, repr=False)
class PCA(TransformerMixin, PrivateEstimator):  # type: ignore[misc]
    """Principal components, and the covariance that they come from, in the units of the columns.

    Every column is scaled by its declared range; rows are clipped to the length that most of them
    are within, which is found for a small part of the budget.

    Guarantee: one release of means, one of lengths and one of second moments, together at the
        stated price, which may be an epsilon without a delta: a choice for two columns.
    Needs: every column is a number with a declared range.
    Edges: missing numbers count as the middle of the range; a covariance of released numbers is
        made to have no negative variance.
    Proof: training.md, *Components*.
    """

    takes_pure_budgets = True
    _target_needed = False

    n_components: int | None = field(default=None, kw_only=False)

    def _sums(self, columns: tuple[FeatureColumn, ...]) -> list[PlannedSum]:
        only_numbers(columns)
        size = len(columns)
        wanted = self._components(size)
        if wanted > size:
            raise RangeError(
                f"{wanted} components of {size} columns were asked for.",
                remedy=f"Give n_components={size} or fewer.",
            )
        return [
            PlannedSum("means", size + 1, (size + 1) * STEPS**2, _MEANS, (size + 1) * STEPS),
            PlannedSum("lengths", _BINS, 1, _LENGTHS, 1),
            PlannedSum(
                "second moments",
                size * (size + 1) // 2,
                moments_of_length(LENGTH**2),
                _MOMENTS,
                (7 * size + 3) * LENGTH**2 // 2,
            ),
        ]

    def _train(self, columns: tuple[FeatureColumn, ...], arrays: Arrays, sums: NoisySums) -> None:
        rows = numbers_of(columns, arrays)
        size = len(columns)
        ones = np.full((len(rows), 1), float(STEPS))
        told = products(np.hstack([rows, ones]), np.ones((len(rows), 1)), STEPS, 1)[:, 0]
        noisy, _ = sums.release("means", told)
        count = max(float(noisy[-1]) / STEPS, 1.0)
        means = np.clip(np.rint(noisy[:-1] / count), -STEPS, STEPS)
        centred = rows - means
        radius = _radius(centred, sums)
        scale = LENGTH / radius
        short, _ = clipped(np.clip(np.floor(centred * scale), -UNIT, UNIT), LENGTH)
        pairs = np.triu_indices(size)
        moments, _ = released_moments("second moments", short, LENGTH, pairs, sums)
        halves = np.array([float(each.half) for each in columns]) / STEPS
        middle = np.array([float(each.middle) for each in columns])
        inner = moments / scale**2 / count
        values, vectors = np.linalg.eigh(inner)
        inner = (vectors * np.maximum(values, 0)) @ vectors.T
        self.mean_ = means * halves + middle
        self.covariance_ = inner * np.outer(halves, halves)
        self._decompose(size)

    def _components(self, size: int) -> int:
        wanted = size if self.n_components is None else self.n_components
        return whole(wanted, "n_components", at_least=1)

    def _decompose(self, size: int) -> None:
        values, vectors = np.linalg.eigh(self.covariance_)
        kept = self._components(size)
        order = np.argsort(-values, kind="stable")[:kept]
        found = vectors[:, order].T
        largest = np.abs(found).argmax(axis=1)
        signs = np.sign(found[np.arange(kept), largest])
        self.components_ = found * np.where(signs == 0, 1, signs)[:, None]
        self.explained_variance_ = np.maximum(values[order], 0)
        total = max(float(np.maximum(values, 0).sum()), 1e-300)
        self.explained_variance_ratio_ = self.explained_variance_ / total

    def transform(self, X: Any) -> Floats:  # noqa: N803 - scikit-learn's name
        """Rows in the coordinates of the components; values outside their range count as its end."""
        columns = self._columns()
        steps = numbers_of(columns, self._arrays(X)) / STEPS
        halves = np.array([float(each.half) for each in columns])
        middle = np.array([float(each.middle) for each in columns])
        return np.asarray((steps * halves + middle - self.mean_) @ self.components_.T)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:  # noqa: ARG002
        """One name per component."""
        self._columns()
        return np.array([f"pca{at}" for at in range(len(self.components_))], dtype=object)


def _radius(centred: Floats, sums: NoisySums) -> float:
    """The length that about nine rows in ten are within, from a noisy histogram of lengths."""
    longest = 2.0 * STEPS * math.sqrt(centred.shape[1])
    edges = np.floor((longest * np.arange(1, _BINS) / _BINS) ** 2)
    squares = (centred * centred).sum(axis=1)
    bins = np.searchsorted(edges, squares, side="right")
    noisy, _ = sums.release("lengths", np.bincount(bins, minlength=_BINS).astype(np.int64))
    held = np.maximum(noisy, 0)
    total = float(held.sum())
    if total <= 0:
        return longest / 2
    place = int(np.searchsorted(np.cumsum(held) / total, 0.85))
    return longest * min(place + 1, _BINS) / _BINS
