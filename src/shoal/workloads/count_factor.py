"""Counts of one level of a column, each times a whole number: what Laplace noise is added to."""

from __future__ import annotations

from functools import cached_property
from math import gcd

import numpy as np

from shoal.exact import IntegerArray
from shoal.workloads.column_queries import Floats, GroupSums
from shoal.workloads.factors import Factor
from shoal.workloads.level_tree import FINENESS, LevelTree, Places


class CountFactor(Factor):
    """The count of each cell of a level, times a weight that goes with 1 / sqrt(its share).

    With these weights all directions of a level are measured equally well, so least squares over
    several levels falls apart.  Where all cells have equal shares every weight is 1.
    """

    def __init__(self, tree: LevelTree, step: int) -> None:
        self.tree, self.step, self.size = tree, step, tree.size
        self._sums = GroupSums(tree.groups[step], tree.counts[step])

    @cached_property
    def weights(self) -> Places:
        """The whole number by which the count of each cell is multiplied."""
        shares = self.tree.shares[self.step]
        if np.ptp(shares) <= 1e-9 * shares.max():
            return np.ones(len(shares), dtype=np.int64)
        found = np.maximum(1, np.rint(FINENESS * np.sqrt(shares.min() / shares))).astype(np.int64)
        reduced: Places = found // gcd(*map(int, np.unique(found)))
        return reduced

    @property
    def rows(self) -> int:
        return len(self.weights)

    @property
    def longest(self) -> int:
        return int(self.weights.max()) ** 2

    @property
    def widest(self) -> int:
        return int(self.weights.max())

    @property
    def least_product(self) -> int:
        return 0 if self.rows > 1 else self.longest

    @property
    def growth(self) -> int:
        return int(self.weights.max())

    @property
    def identity(self) -> bytes:
        groups = self.tree.groups[self.step].astype("<i8").tobytes()
        return b"counts " + groups + self.weights.astype("<i8").tobytes()

    def _along(self, axis: int, dimensions: int) -> Places:
        shape = [1] * dimensions
        shape[axis] = self.rows
        return self.weights.reshape(shape)

    def apply(self, counts: IntegerArray, axis: int) -> IntegerArray:
        weights = self._along(axis, counts.ndim)
        if counts.dtype == object:
            weights = weights.astype(object)
        found: IntegerArray = self._sums(counts, axis) * weights
        return found

    def described(self) -> object:
        return {
            "cells": self.tree.groups[self.step].tolist(),
            "weights": self.weights.tolist(),
            "meaning": "each row is its weight times the sum over the values of its cell",
        }

    def in_floats(self) -> Floats:
        return self.apply(np.eye(self.size, dtype=np.int64), 0).astype(np.float64)

    def undo(self, answers: Floats, axis: int) -> Floats:
        """The count of every cell of the level."""
        found: Floats = answers / self._along(axis, answers.ndim)
        return found

    def covariance(self) -> Floats:
        return np.diag(1 / self.weights.astype(np.float64) ** 2)
