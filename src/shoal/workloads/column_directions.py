"""Directions of a column in which least squares falls apart, for the fit of tables without negative
numbers.

Every basis is orthonormal for one inner product, the sum of x_j y_j / share_j over the values,
where shares sum to 1: a diagonal metric, so the nearest table without negative cells is still found
cell by cell.  Step 0 is the sum of all values.  Proof: workloads.md, *Whole numbers*.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.workloads.column_queries import Floats, GroupSums
from shoal.workloads.count_factor import CountFactor
from shoal.workloads.factors import Centred, Factor
from shoal.workloads.level_tree import LevelFactor, LevelTree
from shoal.workloads.reflected_factor import ReflectedFactor


class ColumnBasis(ABC):
    """Coefficients of a column of a table: a list for each step, put behind each other."""

    shares: Floats
    """The diagonal metric: 1 over it is the weight of a value."""

    @abstractmethod
    def coefficients(self, table: Floats, axis: int) -> Floats:
        """The coefficients of a table along an axis."""

    @abstractmethod
    def table(self, coefficients: Floats, axis: int) -> Floats:
        """The table that has these coefficients."""

    @abstractmethod
    def place(self, factor: Factor | None) -> slice | int:
        """Where the coefficients stand that a factor measures; without one, the sum."""

    @abstractmethod
    def stretch(self, factor: Factor) -> Floats:
        """By the square of what the factor multiplies each coefficient that it measures."""

    @abstractmethod
    def pull(self, factor: Factor, answers: Floats, axis: int) -> Floats:
        """The factor's transpose: answers as coefficients."""


class TreeBasis(ColumnBasis):
    """Rests of each level, divided by the roots of their shares.

    There are a few more coefficients than values, because those of siblings sum to 0.  What lies
    within the cells of the finest level is kept as it is: nothing measures it.
    """

    def __init__(self, tree: LevelTree) -> None:
        self.tree = tree
        finest, last = tree.groups[-1], tree.steps
        self._members = np.bincount(finest)[finest]
        self.shares = tree.shares[-1][finest] / self._members
        self._starts = np.cumsum([0, *tree.counts])
        self._has_more = tree.counts[-1] < tree.size
        self._is_plain = not self._has_more and np.array_equal(finest, np.arange(tree.size))
        self._roots = [np.sqrt(share) for share in tree.shares]
        self._finest = GroupSums(finest, tree.counts[-1])
        self._above = [GroupSums(tree.parents[s], tree.counts[s - 1]) for s in range(1, last + 1)]
        pairs = zip(tree.children[1:], tree.parents[1:], strict=True)
        self._even = [1 / children[parent] for children, parent in pairs]

    def _spread(self, above: Floats, axis: int, step: int) -> Floats:
        """Counts spread evenly over the cells of the next step."""
        parents, even = self.tree.parents[step], self._even[step - 1]
        if len(self.tree.children[step]) == 1:
            found: Floats = above * _along(even, axis, above.ndim)
            return found
        taken: Floats = np.take(above, parents, axis=axis) * _along(even, axis, above.ndim)
        return taken

    def coefficients(self, table: Floats, axis: int) -> Floats:
        own: Floats = self._finest(table, axis)
        found = self._steps(own, axis, self.tree.steps)
        if not self._has_more:
            return found
        rest = table - self._within(own, axis)
        rest = rest / _along(np.sqrt(self.shares), axis, table.ndim)
        return np.concatenate([found, rest], axis=axis)

    def _steps(self, counts: Floats, axis: int, last: int) -> Floats:
        """The coefficients of the steps up to one, from the counts of its level."""
        own = counts
        found: list[Floats] = []
        for step in range(last, 0, -1):
            above = self._above[step - 1](own, axis)
            rest = own - self._spread(above, axis, step)
            found.append(rest / _along(self._roots[step], axis, counts.ndim))
            own = above
        return np.concatenate([own, *reversed(found)], axis=axis)

    def table(self, coefficients: Floats, axis: int) -> Floats:
        parts = np.split(coefficients, self._starts[1:], axis=axis)
        own = parts[0]
        for step in range(1, self.tree.steps + 1):
            own = self._spread(own, axis, step)
            own = own + parts[step] * _along(self._roots[step], axis, own.ndim)
        if self._is_plain:
            return own
        if not self._has_more:
            return np.take(own, self.tree.groups[-1], axis=axis)
        rest = parts[-1] * _along(np.sqrt(self.shares), axis, own.ndim)
        found: Floats = self._within(own, axis) + rest
        return found

    def _within(self, finest: Floats, axis: int) -> Floats:
        """Counts of the finest level spread evenly over their values."""
        spread = np.take(finest, self.tree.groups[-1], axis=axis)
        found: Floats = spread / _along(self._members, axis, spread.ndim)
        return found

    def _step(self, factor: Factor) -> int:
        return factor.step if isinstance(factor, LevelFactor) else 1

    def place(self, factor: Factor | None) -> slice | int:
        if factor is None:
            return 0
        if isinstance(factor, CountFactor):  # it measures all steps above it as well
            return slice(0, int(self._starts[factor.step + 1]))
        step = self._step(factor)
        return slice(int(self._starts[step]), int(self._starts[step + 1]))

    def _lengths(self, factor: Factor) -> Floats:
        """By what a factor multiplies each coefficient."""
        step = self._step(factor)
        parent = self.tree.parents[step]
        size = self.tree.children[step][parent] * self.tree.scales[step][parent]
        found: Floats = np.where(
            self.tree.children[step][parent] > 1, size * np.sqrt(self.tree.shares[step]), 0.0
        )
        return found

    def stretch(self, factor: Factor) -> Floats:
        if isinstance(factor, CountFactor):
            return np.full(int(self._starts[factor.step + 1]), self._evenly(factor))
        return self._lengths(factor) ** 2

    def _evenly(self, factor: CountFactor) -> float:
        """By the square of what weighted counts multiply every coefficient, up to the rounding of
        the weights.
        """
        return float((factor.weights**2.0 * self.tree.shares[factor.step]).max())

    def pull(self, factor: Factor, answers: Floats, axis: int) -> Floats:
        if isinstance(factor, CountFactor):
            counts = factor.undo(answers, axis)
            steps: Floats = self._steps(counts, axis, factor.step) * self._evenly(factor)
            return steps
        rests = factor.undo(answers, axis)
        weight = self._lengths(factor) ** 2 / np.sqrt(self.tree.shares[self._step(factor)])
        found: Floats = rests * _along(weight, axis, rests.ndim)
        return found


class DenseBasis(ColumnBasis):
    """Eigenvectors of the factor's gram matrix, for an ordered column; all shares are equal."""

    def __init__(self, factor: Factor, *, separate: bool) -> None:
        size = factor.size
        self.shares = np.full(size, 1 / size)
        self._matrix = factor.in_floats()
        self._separate = separate
        gram = self._matrix.T @ self._matrix
        if not separate:
            stretch, found = np.linalg.eigh(gram)
        else:
            # The total is lifted above all other directions, so that it comes last and is not
            # mixed with directions that are not measured either.
            top = float(np.trace(gram)) + 1
            stretch, found = np.linalg.eigh(gram + top / size)
            stretch, found = stretch[::-1].copy(), np.ascontiguousarray(found[:, ::-1])
            stretch[0], found[:, 0] = 0.0, np.sqrt(1 / size)  # eigenvectors have either sign
        self._stretch = np.maximum(stretch, 0.0) / size
        self._basis = found

    def coefficients(self, table: Floats, axis: int) -> Floats:
        return _times(self._basis.T * np.sqrt(len(self.shares)), table, axis)

    def table(self, coefficients: Floats, axis: int) -> Floats:
        return _times(self._basis / np.sqrt(len(self.shares)), coefficients, axis)

    def place(self, factor: Factor | None) -> slice | int:
        if factor is None:
            return 0
        return slice(1, None) if self._separate else slice(None)

    def stretch(self, factor: Factor) -> Floats:
        found: Floats = self._stretch[self.place(factor)]
        return found

    def pull(self, factor: Factor, answers: Floats, axis: int) -> Floats:
        turned = self._matrix @ self._basis[:, self.place(factor)]
        return _times(turned.T / np.sqrt(len(self.shares)), answers, axis)


class ReflectedBasis(ColumnBasis):
    """The waves of a reflected factor, for one ordered column of very many values.

    Shares go with 1 over the square of what each column of the factor was multiplied by, so that the
    factor multiplies each wave by a number.
    """

    def __init__(self, factor: ReflectedFactor) -> None:
        self._factor, self._reflection = factor, factor.reflection
        shrink = 1 / factor.scales.astype(np.float64)
        self._size = float((shrink**2).sum())
        self._roots = shrink / np.sqrt(self._size)
        self.shares = self._roots**2

    def coefficients(self, table: Floats, axis: int) -> Floats:
        scaled = table / _along(self._roots, axis, table.ndim)
        return np.apply_along_axis(self._reflection.coefficients, axis, scaled)

    def table(self, coefficients: Floats, axis: int) -> Floats:
        found = np.apply_along_axis(self._reflection.values, axis, coefficients)
        scaled: Floats = found * _along(self._roots, axis, found.ndim)
        return scaled

    def place(self, factor: Factor | None) -> slice | int:
        return 0 if factor is None else slice(None)

    def stretch(self, factor: Factor) -> Floats:  # noqa: ARG002 - there is one
        found: Floats = self._factor.symbol**2 / self._size
        return found

    def pull(self, factor: Factor, answers: Floats, axis: int) -> Floats:  # noqa: ARG002
        waves = np.apply_along_axis(self._reflection.coefficients, axis, answers)
        symbol = _along(self._factor.symbol, axis, waves.ndim)
        found: Floats = waves * symbol / np.sqrt(self._size)
        return found


def basis_of(size: int, factors: Sequence[Factor], *, separate: bool) -> ColumnBasis:
    """The basis of a column of which these factors are measured."""
    for factor in factors:
        if isinstance(factor, LevelFactor | CountFactor):
            return TreeBasis(factor.tree)
        if isinstance(factor, ReflectedFactor):
            return ReflectedBasis(factor)
        if not isinstance(factor, Centred):
            return DenseBasis(factor, separate=separate)
    return TreeBasis(LevelTree(size, [np.arange(size)]))


def _along(values: NDArray[Any], axis: int, dimensions: int) -> NDArray[Any]:
    shape = [1] * dimensions
    shape[axis] = len(values)
    return values.reshape(shape)


def _times(matrix: Floats, table: Floats, axis: int) -> Floats:
    """A matrix times a table along an axis."""
    return np.moveaxis(np.tensordot(matrix, table, axes=(1, axis)), 0, axis)
