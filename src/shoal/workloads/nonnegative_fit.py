"""The table of all cells that fits what was measured best, among those without negative counts.

Least squares with the inverse variances of the noise as weights, over tables whose cells are 0 or
more and whose known totals hold.  Everything here works on released numbers: it costs nothing.
Method: workloads.md, *Whole numbers*.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from shoal.workloads.column_directions import ColumnBasis, basis_of
from shoal.workloads.column_queries import Floats
from shoal.workloads.factors import Factor
from shoal.workloads.joint_totals import HeldTotals
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


class FitState(NamedTuple):
    """Where a fit ended: the table, the forces that hold it to what is allowed, and the step; or
    where one begins.
    """

    allowed: Floats
    carried: Floats
    step: float | None


@dataclass(frozen=True, eq=False)
class NonnegativeFit:
    """Measurements of one domain, and what their noise has in variance, ready to be fitted.

    Needs: all measurements use the same factor for the same column, or the levels of one tree, as
        every strategy here does.
    """

    domain: TableDomain
    measurements: tuple[Measurement, ...]
    variances: tuple[float, ...]
    known: HeldTotals | None = None

    @cached_property
    def _bases(self) -> dict[str, ColumnBasis]:
        """For each column, directions in which its factors act by themselves."""
        separate = any(not each.columns for each in self.measurements)
        return {
            name: basis_of(self.domain.size(name), self._factors(name), separate=separate)
            for name in self.domain.names
        }

    def _factors(self, column: str) -> list[Factor]:
        """What is measured of a column."""
        return [
            factor
            for each in self.measurements
            for name, factor in zip(each.columns, each.factors, strict=True)
            if name == column
        ]

    def _place(self, each: Measurement) -> tuple[slice | int, ...]:
        """Where the directions that a measurement asks for stand among those of the whole table."""
        factors = dict(zip(each.columns, each.factors, strict=True))
        return tuple(self._bases[name].place(factors.get(name)) for name in self.domain.names)

    @cached_property
    def _shape(self) -> tuple[int, ...]:
        """How many directions each column has."""
        sizes = self.domain.shape(self.domain.names)
        pairs = zip(self._bases.values(), sizes, strict=True)
        return tuple(basis.coefficients(np.zeros(size), 0).size for basis, size in pairs)

    @cached_property
    def shares(self) -> Floats:
        """The metric: the share of each cell in the total where nothing else is known."""
        found = np.ones(())
        for name in self.domain.names:
            found = np.multiply.outer(found, self._bases[name].shares)
        return found

    @cached_property
    def _stiffness(self) -> Floats:
        """The second derivative of half the sum of squares, direction by direction."""
        found = np.zeros(self._shape)
        for each, variance in zip(self.measurements, self.variances, strict=True):
            part = np.array(1 / variance)
            for column, factor in zip(each.columns, each.factors, strict=True):
                part = np.multiply.outer(part, self._bases[column].stretch(factor))
            found[self._place(each)] += part
        return found

    def _pull(self, answers: Sequence[Floats]) -> Floats:
        """What was measured, direction by direction, weighted by its precision."""
        found = np.zeros(self._shape)
        for each, answer, variance in zip(self.measurements, answers, self.variances, strict=True):
            part = answer
            for axis, (column, factor) in enumerate(zip(each.columns, each.factors, strict=True)):
                part = self._bases[column].pull(factor, part, axis)
            found[self._place(each)] += part / variance
        return found

    def _directions(self, table: Floats) -> Floats:
        for axis, name in enumerate(self.domain.names):
            table = self._bases[name].coefficients(table, axis)
        return table

    def _table(self, directions: Floats) -> Floats:
        for axis, name in enumerate(self.domain.names):
            directions = self._bases[name].table(directions, axis)
        return directions

    def _allowed(self, table: Floats) -> Floats:
        """The nearest table that keeps all conditions."""
        if self.known is None:
            return np.maximum(table, 0.0)
        return self.known.nearest(table, self.shares, self._lowered)

    @cached_property
    def _lowered(self) -> Floats:
        """By how much the last table was lowered to have the known totals."""
        return np.zeros(1 if self.known is None else self.known.size)

    def solve(self, answers: Sequence[Floats]) -> Floats:
        """The whole table; what is returned is always allowed."""
        return self.solved(answers).allowed

    def solved(self, answers: Sequence[Floats], start: FitState | None = None) -> FitState:
        """The whole table, by the alternating direction method of multipliers.

        Half a step is least squares, which is division in the right directions; half is the
        nearest allowed table.  A start from the end of another fit saves most rounds.
        """
        stiff, pull = self._stiffness, self._pull(answers)
        used = stiff[stiff > 0]
        if not used.size:
            nothing = np.zeros(self.domain.shape(self.domain.names))
            return FitState(self._allowed(nothing), nothing, 1.0)
        step = float(np.exp(np.log(used).mean()))
        if start is None:
            plain = self._table(np.divide(pull, stiff, out=np.zeros_like(pull), where=stiff > 0))
            allowed = self._allowed(plain)
            carried = np.zeros_like(allowed)
        else:
            allowed, carried, step = start.allowed, start.carried.copy(), start.step or step
        weight = np.sqrt(stiff)
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
        return FitState(allowed, carried, step)
