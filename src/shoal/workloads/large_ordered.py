"""One ordered column of very many values: prefix sums and ranges within one per cent of the best,
and nothing larger than a few lists of n numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from shoal.workloads.column_queries import (
    EACH_PREFIX,
    EACH_RANGE,
    EACH_VALUE,
    ColumnQuery,
    Floats,
)
from shoal.workloads.measurement import Measurement
from shoal.workloads.reflected_factor import ReflectedFactor
from shoal.workloads.reflected_variances import ReflectedVariances
from shoal.workloads.reflection import Reflection
from shoal.workloads.table_domain import TableDomain
from shoal.workloads.table_queries import TableQuery


@dataclass(frozen=True, eq=False)
class LargeOrderedStrategy:
    """One measurement of one column: a root of the best strategy for equal weights of the values,
    its columns made equally long.

    Guarantee: no strategy under Gaussian noise of the same rho has a weighted sum of variances
        below `bound`, up to the rounding of floats.  For prefix sums or ranges alone, and values
        beside them, this strategy was within one per cent of it wherever it was tried.
    Needs: tables of values, of prefix sums, of ranges, or the total.
    Edges: where prefix sums and ranges are both asked for, it is made for those that weigh more,
        and the bound is theirs.
    Reference: workloads.md, *Many values*.
    """

    domain: TableDomain
    tables: tuple[TableQuery, ...]

    @staticmethod
    def serves(tables: Sequence[TableQuery], *, both: bool) -> bool:
        """Whether it can answer these tables of one column; ``both``: prefix sums beside ranges."""
        asked = {table.queries[0] for table in tables if table.queries}
        if not asked <= {EACH_VALUE, EACH_PREFIX, EACH_RANGE}:
            return False
        return both or not {EACH_PREFIX, EACH_RANGE} <= asked

    @property
    def _column(self) -> str:
        return self.domain.names[0]

    @cached_property
    def _size(self) -> int:
        return self.domain.size(self._column)

    def _weight(self, query: ColumnQuery) -> float:
        return sum(float(t.weight) for t in self.tables if t.queries and t.queries[0] is query)

    @cached_property
    def _reflection(self) -> Reflection:
        # the mean number of rows that count a value: n / 2 for prefix sums, n^2 / 6 for ranges
        prefixes = self._weight(EACH_PREFIX) * self._size / 2
        ranges = self._weight(EACH_RANGE) * self._size**2 / 6
        if prefixes >= ranges:
            return Reflection.for_prefixes(self._size)
        return Reflection.for_ranges(self._size)

    @cached_property
    def _gram(self) -> Floats:
        """What the gram matrix of the tables it is made for multiplies each wave by."""
        rows = self._weight(EACH_PREFIX)
        if self._reflection.first:
            rows = self._weight(EACH_RANGE) * (self._size + 1)
        found: Floats = self._weight(EACH_VALUE) + rows / (
            4 * np.sin(self._reflection.angles / 2) ** 2
        )
        return found

    @cached_property
    def _factor(self) -> ReflectedFactor:
        return ReflectedFactor.rounded(self._reflection, self._gram**0.25)

    @cached_property
    def _variances(self) -> ReflectedVariances:
        return ReflectedVariances(self._factor)

    @cached_property
    def measurements(self) -> tuple[Measurement, ...]:
        return (Measurement((self._column,), (self._factor,)),)

    @cached_property
    def pulls(self) -> tuple[float, ...]:
        return (sum(float(each.weight) * self._sum(each) for each in self.tables),)

    def _sum(self, table: TableQuery) -> float:
        """The sum of a table's variances, for noise of variance 1."""
        if table.queries and table.queries[0] is EACH_RANGE:
            return self._variances.sum_over_ranges
        return float(self.variances(table, [1.0]).sum())

    @cached_property
    def bound(self) -> float:
        """The sum of squares of the diagonal of the root of the gram matrix."""
        root = self._reflection.diagonal(self._reflection.kernel(np.sqrt(self._gram)))
        return float((root**2).sum())

    def estimates(self, tables: Sequence[TableQuery], answers: Sequence[Floats]) -> list[Floats]:
        counts = self._factor.undo(answers[0], 0)
        return [
            table.queries[0].apply(counts, 0) if table.queries else np.asarray(counts.sum())
            for table in tables
        ]

    def variances(self, table: TableQuery, noise: Sequence[float]) -> Floats:
        held = self._variances
        if not table.queries:
            found = np.asarray(held.of(np.ones(self._size)))
        elif table.queries[0] is EACH_RANGE:
            found = held.ranges()
        else:
            found = held.prefixes if table.queries[0] is EACH_PREFIX else held.values
        scaled: Floats = noise[0] * found
        return scaled
