"""One ordered column alone: the best strategy for its prefix sums and ranges, rounded to whole
numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from shoal.workloads.column_queries import Floats
from shoal.workloads.factors import IntegerMatrix
from shoal.workloads.measurement import Measurement
from shoal.workloads.optimum import Optimum, optimum
from shoal.workloads.table_domain import TableDomain
from shoal.workloads.table_queries import TableQuery

FINENESS = 1 << 20
"""Strategies are rounded to whole multiples of one part in so many of their longest column."""

MOST_ORDERED = 4096
"""So many values an ordered column may have; the time grows with the cube of it."""


@dataclass(frozen=True, eq=False)
class OrderedStrategy:
    """One measurement of one column, the best for all tables of it together.

    Guarantee: the weighted sum of variances is within `shoal.workloads.optimum.GAP`, and what
        rounding to whole numbers adds, of `bound`, and no strategy under Gaussian noise of the same
        rho has less than that.
    Reference: workloads.md, *The optimum*.
    """

    domain: TableDomain
    tables: tuple[TableQuery, ...]

    @property
    def _column(self) -> str:
        return self.domain.names[0]

    @cached_property
    def _gram(self) -> Floats:
        size = self.domain.size(self._column)
        gram = np.zeros((size, size))
        for table in self.tables:
            asked = table.queries[0].gram(size) if table.queries else np.ones((size, size))
            gram += float(table.weight) * asked
        return gram

    @cached_property
    def _optimum(self) -> Optimum:
        size = self.domain.size(self._column)
        inverse = None
        if len(self.tables) == 1 and self.tables[0].queries:
            inverse = self.tables[0].queries[0].inverse_gram(size)
            if inverse is not None:
                weight = float(self.tables[0].weight)
                inverse = inverse[0] / weight, inverse[1] / weight
        return optimum(self._gram, inverse, self._times)

    def _times(self, columns: Floats) -> Floats:
        """The gram matrix times some columns, by running sums."""
        found = np.zeros_like(columns)
        for table in self.tables:
            asked = columns.sum(axis=0)
            if table.queries:
                asked = table.queries[0].gram_times(columns)
            found += float(table.weight) * asked
        return found

    @cached_property
    def _factor(self) -> IntegerMatrix:
        return IntegerMatrix(np.rint(self._optimum.strategy * FINENESS).astype(np.int64))

    @cached_property
    def measurements(self) -> tuple[Measurement, ...]:
        return (Measurement((self._column,), (self._factor,)),)

    @cached_property
    def pulls(self) -> tuple[float, ...]:
        return (float((self._gram * self._factor.covariance()).sum()),)

    @property
    def bound(self) -> float | None:
        return self._optimum.bound

    def estimates(self, tables: Sequence[TableQuery], answers: Sequence[Floats]) -> list[Floats]:
        counts = self._factor.undo(answers[0], 0)
        return [
            table.queries[0].apply(counts, 0) if table.queries else np.asarray(counts.sum())
            for table in tables
        ]

    def variances(self, table: TableQuery, noise: Sequence[float]) -> Floats:
        covariance = self._factor.covariance()
        if not table.queries:
            return np.asarray(noise[0] * covariance.sum())
        found: Floats = noise[0] * table.queries[0].variances(covariance)
        return found
