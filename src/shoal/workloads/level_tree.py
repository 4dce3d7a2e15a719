"""A tree above the values of a column: the levels that tables ask for, from the total down to the
finest one.

A count of a level is its parent's count spread evenly over the children, and a rest that sums to 0
over them.  Rests of different levels can be anything, so each is measured by itself.
Proof: workloads.md, *Hierarchies*.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import gcd

import numpy as np
from numpy.typing import NDArray

from shoal.exact import IntegerArray
from shoal.workloads.column_queries import Floats, summed
from shoal.workloads.factors import Centred, Factor

Places = NDArray[np.int64]
FINENESS = 1 << 12
"""Where parents have different numbers of children, blocks are scaled to equal cost up to one part in
so many."""


class LevelTree:
    """Nested groups of the values 0, 1, ..., n - 1, the coarsest first; step 0 is the total.

    ``counts`` says how many cells each step has, and ``step_of`` which step a level belongs to.

    Needs: each list of groups refines the one before.
    Edges: a level that is the same as the one above it has no step of its own.
    """

    def __init__(self, size: int, levels: Sequence[Places]) -> None:
        self.size = size
        self.groups: list[Places] = [np.zeros(size, dtype=np.int64)]
        self.counts = [1]
        self.step_of: list[int] = []
        for given in levels:
            if int(given.max()) + 1 > self.counts[-1]:
                self.groups.append(given)
                self.counts.append(int(given.max()) + 1)
            self.step_of.append(len(self.groups) - 1)

    @property
    def steps(self) -> int:
        """How many levels tell something beyond the one above; the finest is the last."""
        return len(self.groups) - 1

    @cached_property
    def parents(self) -> list[Places]:
        """For each step from 1 on, the cell of the step before in which each cell lies."""
        found = [np.zeros(1, dtype=np.int64)]
        for above, own, count in zip(self.groups, self.groups[1:], self.counts[1:], strict=False):
            parent = np.zeros(count, dtype=np.int64)
            parent[own] = above
            found.append(parent)
        return found

    @cached_property
    def children(self) -> list[Places]:
        """For each step from 1 on, how many cells of it lie in each cell of the step before."""
        return [np.ones(1, dtype=np.int64)] + [
            np.bincount(parent, minlength=above)
            for parent, above in zip(self.parents[1:], self.counts, strict=False)
        ]

    @cached_property
    def shares(self) -> list[Floats]:
        """For each step the part of the total that a cell has where nothing else is known."""
        found = [np.ones(1)]
        for parent, children in zip(self.parents[1:], self.children[1:], strict=True):
            found.append((found[-1] / children)[parent])
        return found

    @cached_property
    def scales(self) -> list[Places]:
        """For each step the whole number by which each parent's block is multiplied, so that all
        cost about the same.
        """
        found = [np.ones(1, dtype=np.int64)]
        for children in self.children[1:]:
            cost = np.sqrt(children * (children - 1.0))
            least = cost[cost > 0].min()
            ratio = least / np.where(cost > 0, cost, least)
            scale = np.maximum(1, np.rint(ratio * FINENESS)).astype(np.int64)
            found.append(scale // gcd(*map(int, np.unique(scale))))
        return found

    @property
    def is_balanced(self) -> bool:
        """Whether all cells of a step have equally many children."""
        return all(len(np.unique(children)) == 1 for children in self.children)

    def factor(self, step: int) -> Factor:
        """What is measured of a step."""
        plain = self.steps == 1 and self.counts[1] == self.size
        if plain and np.array_equal(self.groups[1], np.arange(self.size)):
            return Centred(self.size)
        return LevelFactor(self, step)

    def spread(self, part: Floats, axis: int, above: int, below: int) -> Floats:
        """Counts of one step spread evenly over the cells of a finer one."""
        if above == below:
            return part
        place = np.arange(self.counts[below])
        for step in range(below, above, -1):
            place = self.parents[step][place]
        weight = self.shares[below] / self.shares[above][place]
        shape = [1] * part.ndim
        shape[axis] = len(weight)
        found: Floats = np.take(part, place, axis=axis) * weight.reshape(shape)
        return found

    def rest_variances(self, step: int) -> Floats:
        """The variance of each cell's rest, where the noise of its measurement has variance 1."""
        if step == 0:
            return np.ones(1)
        children = self.children[step].astype(np.float64)
        own = (1 - 1 / children) / (children * self.scales[step]) ** 2
        found: Floats = own[self.parents[step]]
        return found


class LevelFactor(Factor):
    """For each cell of a level its count times the number k of its siblings and itself, less their
    sum: k I - J for every parent, times a scale.

    Cells without siblings are left out: their parent tells them.
    """

    def __init__(self, tree: LevelTree, step: int) -> None:
        self.tree, self.step, self.size = tree, step, tree.size
        self._parent = tree.parents[step]
        self._children = tree.children[step]
        self._scale = tree.scales[step]

    @cached_property
    def kept(self) -> Places:
        """The cells that have siblings."""
        found: Places = np.flatnonzero(self._children[self._parent] > 1)
        return found

    @property
    def rows(self) -> int:
        return len(self.kept)

    @cached_property
    def _blocks(self) -> list[tuple[int, int]]:
        """The number of children and the scale of every kind of parent that is measured."""
        pairs = zip(self._children.tolist(), self._scale.tolist(), strict=True)
        return sorted({pair for pair in pairs if pair[0] > 1})

    @cached_property
    def longest(self) -> int:
        return max(scale * scale * size * (size - 1) for size, scale in self._blocks)

    @cached_property
    def widest(self) -> int:
        return max(scale * 2 * (size - 1) for size, scale in self._blocks)

    @cached_property
    def least_product(self) -> int:
        return min(-scale * scale * size for size, scale in self._blocks)

    @cached_property
    def growth(self) -> int:
        return max(scale * size for size, scale in self._blocks)

    @property
    def identity(self) -> bytes:
        held = (self.tree.groups[self.step], self._parent, self._scale)
        return b"level " + b"".join(
            f"{len(each)} ".encode() + each.astype("<i8").tobytes() for each in held
        )

    def apply(self, counts: IntegerArray, axis: int) -> IntegerArray:
        own = summed(counts, axis, self.tree.groups[self.step], self.tree.counts[self.step])
        above = summed(own, axis, self._parent, len(self._children))
        size = self._children[self._parent[self.kept]]
        scale = self._scale[self._parent[self.kept]]
        shape = [1] * counts.ndim
        shape[axis] = self.rows
        if counts.dtype == object:
            size, scale = size.astype(object), scale.astype(object)
        found: IntegerArray = np.take(own, self.kept, axis=axis) * size.reshape(shape)
        found = found - np.take(above, self._parent[self.kept], axis=axis)
        return found * scale.reshape(shape)

    def described(self) -> object:
        parents = self._parent[self.kept]
        return {
            "cells": self.tree.groups[self.step].tolist(),
            "rows": self.kept.tolist(),
            "siblings": [
                np.flatnonzero(self._parent == parent).tolist() for parent in np.unique(parents)
            ],
            "scales": self._scale[parents].tolist(),
            "meaning": "each row is scale x (k x the sum over the values of its cell, less the "
            "sum over the values of all k cells of its siblings, itself among them)",
        }

    def in_floats(self) -> Floats:
        return self.apply(np.eye(self.size, dtype=np.int64), 0).astype(np.float64)

    def undo(self, answers: Floats, axis: int) -> Floats:
        """The rest of every cell of the level, 0 where it has no siblings."""
        parents = self._parent[self.kept]
        moved = np.moveaxis(answers, axis, 0)
        sums = np.zeros((len(self._children), *moved.shape[1:]))
        np.add.at(sums, parents, moved)
        size = self._children[parents].astype(np.float64)
        shape = (-1,) + (1,) * (moved.ndim - 1)
        found = np.zeros((len(self._parent), *moved.shape[1:]))
        mean = sums[parents] / size.reshape(shape)
        found[self.kept] = (moved - mean) / (size * self._scale[parents]).reshape(shape)
        return np.moveaxis(found, 0, axis)

    def covariance(self) -> Floats:
        same = np.equal.outer(self._parent, self._parent)
        size = self._children[self._parent].astype(np.float64)
        block = (np.eye(len(size)) - same / size) / (size * self._scale[self._parent]) ** 2
        found: Floats = np.where(size[:, None] > 1, block, 0.0)
        return found
