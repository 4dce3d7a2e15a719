"""ResidualPlanner: the best strategy for marginals, in closed form.

For every set of columns that lies in a wanted table one measurement asks for what this set tells
beyond all smaller sets.  Where a column has levels, there is one for each level: what districts
tell beyond their regions.  These parts do not overlap, so their noise can be chosen part by part,
and each table is the sum of its parts: tables agree wherever they overlap.
Proof: workloads.md, *Marginals* and *Hierarchies*.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import prod, sqrt

import numpy as np

from shoal.workloads.column_parts import ColumnParts, TreeParts, parts_of
from shoal.workloads.column_queries import ColumnQuery, Floats
from shoal.workloads.measurement import Measurement
from shoal.workloads.strategy import subsets
from shoal.workloads.table_domain import TableDomain
from shoal.workloads.table_queries import TableQuery

Part = tuple[tuple[str, int], ...]
"""Columns and the step of each that is measured."""


@dataclass(frozen=True, eq=False)
class ResidualStrategy:
    """One measurement for each set of columns within a table, and for each level of them.

    Guarantee: for marginals alone, and levels whose groups have equally many members, no strategy
        has a smaller weighted sum of variances under Gaussian noise of the same rho, which `bound`
        shows.  With other levels, prefix sums or ranges the shares are the best for these factors,
        and no bound is known.
    Edges: a column of one value is in no measurement.
    Reference: Xiao, He, Zhang and Kifer 2023 (ResidualPlanner); the factors of ordered columns
        follow ResidualPlanner+ of the same authors with Toksoz and Ding.
    """

    domain: TableDomain
    tables: tuple[TableQuery, ...]

    @cached_property
    def _columns(self) -> Mapping[str, ColumnParts]:
        asked: dict[str, dict[ColumnQuery, float]] = {}
        for table in self.tables:
            for column, query in zip(table.columns, table.queries, strict=True):
                weights = asked.setdefault(column, {})
                weights[query] = weights.get(query, 0.0) + float(table.weight)
        return {
            column: parts_of(self.domain.size(column), weights) for column, weights in asked.items()
        }

    def _parts(self, table: TableQuery) -> Iterator[Part]:
        """The parts of a table, the smallest first."""
        pairs = zip(table.columns, table.queries, strict=True)
        needed = {column: self._columns[column].needed(query) for column, query in pairs}
        for chosen in subsets([column for column in table.columns if needed[column]]):
            for steps in product(*(range(1, needed[column] + 1) for column in chosen)):
                yield tuple(zip(chosen, steps, strict=True))

    @cached_property
    def _pull_by_part(self) -> dict[Part, float]:
        pulls: dict[tuple[str, ColumnQuery, int], float] = {}
        found: dict[Part, float] = {}
        for table in self.tables:
            pairs = list(zip(table.columns, table.queries, strict=True))
            for part in self._parts(table):
                steps, pull = dict(part), float(table.weight)
                for column, query in pairs:
                    key = (column, query, steps.get(column, 0))
                    if key not in pulls:
                        pulls[key] = self._columns[column].pull(query, key[2])
                    pull *= pulls[key]
                found[part] = found.get(part, 0.0) + pull
        return found

    @cached_property
    def measurements(self) -> tuple[Measurement, ...]:
        factors = {
            pair: self._columns[pair[0]].factor(pair[1])
            for part in self._pull_by_part
            for pair in part
        }
        return tuple(
            Measurement(tuple(column for column, _ in part), tuple(factors[pair] for pair in part))
            for part in self._pull_by_part
        )

    @cached_property
    def pulls(self) -> tuple[float, ...]:
        return tuple(self._pull_by_part.values())

    @property
    def bound(self) -> float | None:
        """The square of the sum of singular values of all wanted rows, divided by the number of
        cells of the domain.
        """
        trees: dict[str, TreeParts] = {}
        for column, parts in self._columns.items():
            if not isinstance(parts, TreeParts) or not parts.tree.is_balanced:
                return None
            trees[column] = parts
        weights: dict[Part, float] = {}
        for table in self.tables:
            share = float(table.weight)
            for column, query in zip(table.columns, table.queries, strict=True):
                share /= trees[column].tree.counts[trees[column].needed(query)]
            for part in self._parts(table):
                weights[part] = weights.get(part, 0.0) + share
        total = 0.0
        for part, weight in weights.items():
            counts = (trees[column].tree.counts[step - 1 : step + 1] for column, step in part)
            total += prod(own - above for above, own in counts) * sqrt(weight)
        return total**2

    def estimates(self, tables: Sequence[TableQuery], answers: Sequence[Floats]) -> list[Floats]:
        parts = {}
        triples = zip(self._pull_by_part, self.measurements, answers, strict=True)
        for part, measurement, answer in triples:
            found = answer
            for axis, factor in enumerate(measurement.factors):
                found = factor.undo(found, axis)
            parts[part] = found
        return [self._sum(table, parts) for table in tables]

    def _sum(self, table: TableQuery, parts: Mapping[Part, Floats]) -> Floats:
        total = np.zeros(table.shape(self.domain))
        for chosen in self._parts(table):
            found, steps = parts[chosen], dict(chosen)
            for axis, (column, query) in enumerate(zip(table.columns, table.queries, strict=True)):
                step = steps.get(column, 0)
                if not step:
                    found = np.expand_dims(found, axis)
                found = self._columns[column].rows(query, found, axis, step)
            total += found
        return total

    def variances(self, table: TableQuery, noise: Sequence[float]) -> Floats:
        by_part = dict(zip(self._pull_by_part, noise, strict=True))
        sides: dict[tuple[str, int], Floats] = {}
        total = np.zeros(table.shape(self.domain))
        for chosen in self._parts(table):
            found, steps = np.array(by_part[chosen]), dict(chosen)
            for column, query in zip(table.columns, table.queries, strict=True):
                key = column, steps.get(column, 0)
                if key not in sides:
                    sides[key] = self._columns[column].variances(query, key[1])
                found = np.multiply.outer(found, sides[key])
            total += found
        return total
