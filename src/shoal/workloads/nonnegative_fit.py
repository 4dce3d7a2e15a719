"""The table of all cells that fits what was measured best, among those without negative counts.

Least squares with the inverse variances of the noise as weights, over tables whose cells are 0 or
more and whose known totals hold.  Everything here works on released numbers: it costs nothing.
Method: workloads.md, *Whole numbers*.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from shoal.workloads.column_queries import Floats
from shoal.workloads.factors import Centred, Factor
from shoal.workloads.known_totals import KnownTotals
from shoal.workloads.measurement import Measurement
from shoal.workloads.table_domain import TableDomain

_ROUNDS = 1000
_RELAXED = 1.6
"""Steps are made longer by this factor; from 1.5 to 1.8 few problems need more rounds than with 1."""

_CLOSE = 0.1
"""The fit ends when in no direction the conditions or the least squares miss more than this share of a
standard error."""

_BALANCE = 5.0
_REVIEW = 10


@dataclass(frozen=True, eq=False)
class NonnegativeFit:
    """Measurements of one domain, and what their noise has in variance, ready to be fitted.

    Needs: all measurements use the same factor for the same column, as every strategy here does.
    """

    domain: TableDomain
    measurements: tuple[Measurement, ...]
    variances: tuple[float, ...]
    known: KnownTotals | None = None

    @cached_property
    def _bases(self) -> dict[str, tuple[Floats, Floats]]:
        """For each column, orthonormal directions in which its factor acts by itself, and how
        strongly; the first direction is the total.
        """
        return {
            name: _basis(self.domain.size(name), self._factors.get(name), separate=self._separate)
            for name in self.domain.names
        }

    @cached_property
    def _factors(self) -> dict[str, Factor]:
        """The factor of each column that is measured."""
        return {
            column: factor
            for each in self.measurements
            for column, factor in zip(each.columns, each.factors, strict=True)
        }

    @property
    def _separate(self) -> bool:
        """Whether the total has a measurement of its own, so that factors leave it out."""
        return any(not each.columns for each in self.measurements)

    def _place(self, columns: Sequence[str]) -> tuple[slice | int, ...]:
        """Where the directions that a measurement asks for stand among those of the whole table."""
        first = 1 if self._separate else 0
        return tuple(slice(first, None) if name in columns else 0 for name in self.domain.names)

    @cached_property
    def _stiffness(self) -> Floats:
        """The second derivative of half the sum of squares, direction by direction."""
        found = np.zeros(self.domain.shape(self.domain.names))
        for each, variance in zip(self.measurements, self.variances, strict=True):
            place = self._place(each.columns)
            part = np.array(self._outside(each.columns) / variance)
            for column in each.columns:
                part = np.multiply.outer(part, self._bases[column][1][self._first :])
            found[place] += part
        return found

    @property
    def _first(self) -> int:
        return 1 if self._separate else 0

    def _outside(self, columns: Sequence[str]) -> int:
        """Over how many cells of the whole table one cell of a marginal sums."""
        return self.domain.cells(name for name in self.domain.names if name not in columns)

    def _pull(self, answers: Sequence[Floats]) -> Floats:
        """What was measured, direction by direction, weighted by its precision."""
        found = np.zeros(self.domain.shape(self.domain.names))
        for each, answer, variance in zip(self.measurements, answers, self.variances, strict=True):
            part = answer
            for axis, column in enumerate(each.columns):
                part = _along(self._turned[column].T, part, axis)
            found[self._place(each.columns)] += part * (
                np.sqrt(self._outside(each.columns)) / variance
            )
        return found

    @cached_property
    def _turned(self) -> dict[str, Floats]:
        """What the factor of each measured column makes of the directions that it measures."""
        return {
            column: factor.in_floats() @ self._bases[column][0][:, self._first :]
            for column, factor in self._factors.items()
        }

    def _directions(self, table: Floats) -> Floats:
        for axis, name in enumerate(self.domain.names):
            table = _along(self._bases[name][0].T, table, axis)
        return table

    def _table(self, directions: Floats) -> Floats:
        for axis, name in enumerate(self.domain.names):
            directions = _along(self._bases[name][0], directions, axis)
        return directions

    def _allowed(self, table: Floats) -> Floats:
        """The nearest table that keeps all conditions."""
        return np.maximum(table, 0.0) if self.known is None else self.known.nearest(table)

    def solve(self, answers: Sequence[Floats]) -> Floats:
        """The whole table, by the alternating direction method of multipliers.

        Half a step is least squares, which is division in the right directions; half is the
        nearest allowed table.  What is returned is always allowed.
        """
        stiff, pull = self._stiffness, self._pull(answers)
        used = stiff[stiff > 0]
        if not used.size:
            return self._allowed(np.zeros(stiff.shape))
        step = float(np.exp(np.log(used).mean()))
        plain = self._table(np.divide(pull, stiff, out=np.zeros_like(pull), where=stiff > 0))
        allowed = self._allowed(plain)
        carried, weight = np.zeros_like(allowed), np.sqrt(stiff)
        for at in range(_ROUNDS):
            fitted = self._table(
                (pull + step * self._directions(allowed - carried)) / (stiff + step)
            )
            mixed = _RELAXED * fitted + (1 - _RELAXED) * allowed
            before, allowed = allowed, self._allowed(mixed + carried)
            carried += mixed - allowed
            if at % _REVIEW < _REVIEW - 1:
                continue
            apart = float(np.abs(self._directions(fitted - allowed) * weight).max())
            pulled = step * self._directions(allowed - before)
            moved = float(np.abs(pulled[stiff > 0] / weight[stiff > 0]).max())
            if apart < _CLOSE and moved < _CLOSE:
                break
            if max(apart, moved) > _BALANCE * min(apart, moved):
                change = _BALANCE if apart > moved else 1 / _BALANCE
                step, carried = step * change, carried / change
        return allowed


def _basis(size: int, factor: Factor | None, *, separate: bool) -> tuple[Floats, Floats]:
    """Directions of one column, as the columns of an orthonormal matrix, and the squares by which
    its factor stretches them.
    """
    if factor is None or isinstance(factor, Centred):
        return _waves(size), np.array([0.0] + [float(size) ** 2] * (size - 1))
    matrix = factor.in_floats()
    gram = matrix.T @ matrix
    if not separate:
        stretch, found = np.linalg.eigh(gram)
        return found, np.maximum(stretch, 0.0)
    # The total is lifted above all other directions, so that it comes last and is not mixed with
    # directions that are not measured either.
    top = float(np.trace(gram)) + 1
    stretch, found = np.linalg.eigh(gram + top / size)
    stretch, found = np.maximum(stretch[::-1], 0.0), np.ascontiguousarray(found[:, ::-1])
    stretch[0], found[:, 0] = 0.0, np.sqrt(1 / size)  # an eigenvector may come with either sign
    return found, stretch


def _waves(size: int) -> Floats:
    """The constant and the cosines of the discrete cosine transform, orthonormal."""
    at = np.arange(size)
    found = np.cos(np.pi * np.outer(2 * at + 1, at) / (2 * size)) * np.sqrt(2 / size)
    found[:, 0] = np.sqrt(1 / size)
    return np.asarray(found)


def _along(matrix: Floats, table: Floats, axis: int) -> Floats:
    """A matrix times a table along an axis."""
    return np.moveaxis(np.tensordot(matrix, table, axes=(1, axis)), 0, axis)
