"""Clusters: a tree of noisy counts finds where rows are, then a few noisy Lloyd steps."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import TransformerMixin
from sklearn.cluster import KMeans as PlainKMeans

from shoal.errors import FactsError
from shoal.exact import whole
from shoal.learning.estimator import PrivateEstimator
from shoal.learning.exact_sums import Floats, clipped
from shoal.learning.feature_columns import STEPS, FeatureColumn
from shoal.learning.midpoint_tree import counted_boxes, planned_tree
from shoal.learning.row_designs import Arrays, numbers_of
from shoal.learning.training_plan import NoisySums, PlannedSum
from shoal.learning.whitened_rounds import MOST_SIZE, UNIT

TREE = Fraction(7, 10)
"""The share of the budget for the tree; Lloyd steps have the rest."""

LLOYD = 6
_LENGTH = 1 << 14
REACH = 2.5
"""How far from its centre a row counts in full, in root mean squares of what the tree says."""

_LEAST_REACH = 1 / 64
"""The same at least, in halves of a range."""


@dataclass(kw_only=True, eq=False, repr=False)
class KMeans(TransformerMixin, PrivateEstimator):  # type: ignore[misc]
    """``n_clusters`` centres of columns of numbers, each scaled by its declared range.

    Guarantee: one release of counts for each level of a tree, and a few of counts and means
        by cluster, together at the stated price.
    Needs: every column is a number with a declared range.
    Edges: missing numbers count as the middle of the range.  There is no ``labels_``: the clusters
        of the training rows are not part of what was released.
    Proof: training.md, *Clusters*.
    """

    _target_needed = False

    n_clusters: int = field(default=8, kw_only=False)

    def _sums(self, columns: tuple[FeatureColumn, ...]) -> list[PlannedSum]:
        only_numbers(columns)
        size = self._clusters() * (len(columns) + 1)
        return [
            *planned_tree(len(columns), TREE),
            *(
                PlannedSum(f"centres {at + 1}", size, 2 * _LENGTH**2, (1 - TREE) / LLOYD)
                for at in range(LLOYD)
            ),
        ]

    def _train(self, columns: tuple[FeatureColumn, ...], arrays: Arrays, sums: NoisySums) -> None:
        rows = numbers_of(columns, arrays)
        boxes, weights = counted_boxes(rows, sums)
        middles, count = boxes.mean(axis=2), self._clusters()
        if len(middles) <= count:
            spare = np.resize(middles, (count, len(columns)))
            centres = spare
        else:
            plain = PlainKMeans(count, n_init=10, random_state=0)
            centres = plain.fit(middles, sample_weight=np.maximum(weights, 1e-3)).cluster_centers_
        reach = _reach(boxes, weights, centres)
        for at in range(LLOYD):
            centres = _lloyd(rows, centres, reach, sums, f"centres {at + 1}")
        self.scaled_centers_ = centres / STEPS
        halves = np.array([float(each.half) for each in columns])
        middle = np.array([float(each.middle) for each in columns])
        self.cluster_centers_ = self.scaled_centers_ * halves + middle

    def _clusters(self) -> int:
        return whole(self.n_clusters, "n_clusters", at_least=1)

    def transform(self, X: Any) -> Floats:  # noqa: N803 - scikit-learn's name
        """The distance of each row from each centre, in halves of the declared ranges."""
        columns = self._columns()
        rows = numbers_of(columns, self._arrays(X)) / STEPS
        return np.asarray(np.linalg.norm(rows[:, None, :] - self.scaled_centers_[None], axis=2))

    def predict(self, X: Any) -> NDArray[np.int64]:  # noqa: N803
        """The nearest centre of each row."""
        return np.asarray(self.transform(X).argmin(axis=1))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:  # noqa: ARG002
        """One distance per cluster."""
        self._columns()
        return np.array([f"kmeans{at}" for at in range(self.n_clusters)], dtype=object)


def only_numbers(columns: tuple[FeatureColumn, ...]) -> None:
    """Refuse columns that are no numbers, and more of them than can be summed exactly."""
    if len(columns) > MOST_SIZE:
        raise FactsError(
            f"{len(columns)} columns are too many; at most {MOST_SIZE} can be taken.",
            remedy="Leave columns out.",
        )
    for each in columns:
        if not each.ordered:
            raise FactsError(
                f"column {each.name!r} has levels, and this model is about numbers.",
                remedy="Leave the column out, or state a shoal.Range for it.",
            )


def _reach(boxes: Floats, weights: Floats, centres: Floats) -> float:
    """How far from a centre rows count in full, in halves of a range: from released boxes, in which
    rows are taken to be spread evenly.
    """
    held = np.maximum(weights, 0) + 1e-9
    middles, sides = boxes.mean(axis=2), boxes[:, :, 1] - boxes[:, :, 0]
    away = ((middles[:, None, :] - centres[None]) ** 2).sum(axis=2).min(axis=1)
    spread = away + (sides**2).sum(axis=1) / 12
    typical = float(np.sqrt(held @ spread / held.sum())) / STEPS
    return min(max(REACH * typical, _LEAST_REACH), 2.0)


def _lloyd(rows: Floats, centres: Floats, reach: float, sums: NoisySums, name: str) -> Floats:
    """Move each centre to the noisy mean of the rows that are nearest to it.

    A row adds `_LENGTH` to the count of its cluster, and its way from the centre, in units in which
    ``reach`` is `_LENGTH` and clipped to that length, to its sums.
    """
    held = np.rint(centres)
    count, size = held.shape
    far = (held**2).sum(axis=1)[None, :] - 2 * (rows @ held.T)
    nearest = far.argmin(axis=1) if len(rows) else np.zeros(0, dtype=np.int64)
    scale = _LENGTH / (reach * STEPS)
    steps = np.floor((rows - held[nearest]) * scale)
    away, _ = clipped(np.clip(steps, -UNIT, UNIT), _LENGTH)
    counts = np.bincount(nearest, minlength=count).astype(np.int64) * _LENGTH
    ways = np.zeros((count, size), dtype=np.int64)
    for column in range(size):
        ways[:, column] = np.bincount(nearest, away[:, column], minlength=count).astype(np.int64)
    noisy, sigma = sums.release(name, np.column_stack([counts, ways]).reshape(-1))
    told = noisy.reshape(count, size + 1)
    members = told[:, 0] / _LENGTH
    sure = told[:, 0] > 4 * sigma
    moved = told[:, 1:] / np.maximum(members, 1.0)[:, None] / scale
    moved = np.where(sure[:, None], moved, 0)
    return np.clip(held + moved, -STEPS, STEPS)
