"""ResidualPlanner: the best strategy for marginals, in closed form.

For every set of columns that lies in a wanted table one measurement asks for what this set tells
beyond all smaller sets.  These parts are orthogonal, so their noise can be chosen part by part, and
each table is the sum of its parts: tables agree wherever they overlap.
Proof: workloads.md, *Marginals*.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod, sqrt

import numpy as np

from shoal.workloads.column_queries import EACH_VALUE, ColumnQuery, Floats
from shoal.workloads.factors import Centred, Factor, IntegerMatrix
from shoal.workloads.measurement import Measurement
from shoal.workloads.optimum import optimum
from shoal.workloads.strategy import subsets
from shoal.workloads.table_domain import TableDomain
from shoal.workloads.table_queries import TableQuery

FINENESS = 1 << 12
"""Strategies for ordered columns are rounded to whole multiples of one part in so many of their
longest column.
"""


@dataclass(frozen=True, eq=False)
class ResidualStrategy:
    """One measurement for each set of columns within a table.

    Guarantee: for marginals alone no strategy has a smaller weighted sum of variances under
        Gaussian noise of the same rho, which `bound` shows.  With prefix sums or ranges the shares
        are the best for these factors, and no bound is known.
    Edges: a column of one value is in no measurement.
    Reference: Xiao, He, Zhang and Kifer 2023 (ResidualPlanner); the factors of ordered columns
        follow ResidualPlanner+ of the same authors with Toksoz and Ding.
    """

    domain: TableDomain
    tables: tuple[TableQuery, ...]

    @cached_property
    def _factors(self) -> Mapping[str, Factor]:
        asked: dict[str, dict[ColumnQuery, float]] = {}
        for table in self.tables:
            for column, query in zip(table.columns, table.queries, strict=True):
                weights = asked.setdefault(column, {})
                weights[query] = weights.get(query, 0.0) + float(table.weight)
        return {
            column: _factor(self.domain.size(column), weights) for column, weights in asked.items()
        }

    @cached_property
    def _pull_by_set(self) -> dict[tuple[str, ...], float]:
        traces: dict[tuple[str, ColumnQuery], tuple[float, float]] = {}
        found: dict[tuple[str, ...], float] = {}
        for table in self.tables:
            own = {}
            for column, query in zip(table.columns, table.queries, strict=True):
                if (column, query) not in traces:
                    traces[column, query] = self._traces(column, query)
                own[column] = traces[column, query]
            for part in subsets(self._told_apart(table.columns)):
                pull = prod(own[column][0 if column in part else 1] for column in table.columns)
                found[part] = found.get(part, 0.0) + float(table.weight) * pull
        return found

    def _traces(self, column: str, query: ColumnQuery) -> tuple[float, float]:
        """Sums of variances over the rows of a query: of what the column tells, and of a total
        spread evenly.
        """
        size = self.domain.size(column)
        spread = float((query.row_sums(size) ** 2).sum()) / size**2
        if size == 1:
            return 0.0, spread
        if query is EACH_VALUE and isinstance(self._factors[column], Centred):
            return (size - 1) / size**2, spread
        return float((query.gram(size) * self._factors[column].covariance()).sum()), spread

    def _told_apart(self, columns: Sequence[str]) -> tuple[str, ...]:
        return tuple(column for column in columns if self.domain.size(column) > 1)

    @cached_property
    def measurements(self) -> tuple[Measurement, ...]:
        return tuple(
            Measurement(part, tuple(self._factors[column] for column in part))
            for part in self._pull_by_set
        )

    @cached_property
    def pulls(self) -> tuple[float, ...]:
        return tuple(self._pull_by_set.values())

    @property
    def bound(self) -> float | None:
        """The square of the sum of singular values of all wanted rows, divided by the number of
        cells of the domain.
        """
        if any(query is not EACH_VALUE for table in self.tables for query in table.queries):
            return None
        weights: dict[tuple[str, ...], float] = {}
        for table in self.tables:
            share = float(table.weight) / self.domain.cells(table.columns)
            for part in subsets(self._told_apart(table.columns)):
                weights[part] = weights.get(part, 0.0) + share
        total = 0.0
        for part, weight in weights.items():
            total += prod(size - 1 for size in self.domain.shape(part)) * sqrt(weight)
        return total**2

    def estimates(self, tables: Sequence[TableQuery], answers: Sequence[Floats]) -> list[Floats]:
        parts = {}
        for measurement, answer in zip(self.measurements, answers, strict=True):
            part = answer
            for axis, factor in enumerate(measurement.factors):
                part = factor.undo(part, axis)
            parts[measurement.columns] = part
        return [self._sum(table, parts) for table in tables]

    def _sum(self, table: TableQuery, parts: Mapping[tuple[str, ...], Floats]) -> Floats:
        total = np.zeros(table.shape(self.domain))
        for chosen in subsets(self._told_apart(table.columns)):
            part = parts[chosen]
            for axis, (column, query) in enumerate(zip(table.columns, table.queries, strict=True)):
                if column in chosen:
                    part = query.apply(part, axis)
                else:
                    size = self.domain.size(column)
                    part = np.expand_dims(part, axis) * _along(
                        query.row_sums(size) / size, axis, part.ndim + 1
                    )
            total += part
        return total

    def variances(self, table: TableQuery, noise: Sequence[float]) -> Floats:
        by_set = {each.columns: one for each, one in zip(self.measurements, noise, strict=True)}
        sides = [self._sides(c, q) for c, q in zip(table.columns, table.queries, strict=True)]
        total = np.zeros(table.shape(self.domain))
        for chosen in subsets(self._told_apart(table.columns)):
            part = np.array(by_set[chosen])
            for column, (told, spread) in zip(table.columns, sides, strict=True):
                part = np.multiply.outer(part, told if column in chosen else spread)
            total += part
        return total

    def _sides(self, column: str, query: ColumnQuery) -> tuple[Floats, Floats]:
        """The variances of a query's rows: of what the column tells, and of a total spread
        evenly.
        """
        size = self.domain.size(column)
        spread = (query.row_sums(size) / size) ** 2
        if size == 1:
            return np.zeros(len(spread)), spread
        return query.variances(self._factors[column].covariance()), spread


def _factor(size: int, weights: Mapping[ColumnQuery, float]) -> Factor:
    """What is measured of a column beyond the total: all of it alike, or what its ordered queries
    need.
    """
    if all(query is EACH_VALUE for query in weights) or size == 1:
        return Centred(size)
    gram = np.zeros((size, size))
    for query, weight in weights.items():
        gram += weight * query.gram(size)
    centre = np.eye(size) - 1 / size
    found = optimum(centre @ gram @ centre)
    rounded = np.rint(found.strategy * FINENESS).astype(np.int64)
    return IntegerMatrix(size * rounded - rounded.sum(axis=1, keepdims=True))


def _along(values: Floats, axis: int, dimensions: int) -> Floats:
    shape = [1] * dimensions
    shape[axis] = len(values)
    return values.reshape(shape)
