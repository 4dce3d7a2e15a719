"""Weights of tables under which the worst error, as a share of what is wanted, is least.

The weighted sum of squared errors is least in closed form for any weights.  Weights of tables that
are worse than others are raised until the worst tables are equally bad: then no other division of
the budget makes the worst one better.  Proof: workloads.md, *Wanted errors*.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from shoal.measures import ZeroConcentrated
from shoal.sensitivity import Relation
from shoal.workloads.column_queries import Floats
from shoal.workloads.publication_plan import PublicationPlan
from shoal.workloads.table_queries import TableQuery

if TYPE_CHECKING:
    from shoal.workloads.workload import Workload

_ROUNDS = 60
_CLOSE = 1e-3
_LEAST = 1e-9
"""The least weight of a table beside the largest."""


def even_weights(workload: Workload) -> tuple[TableQuery, ...]:
    """The tables with such weights; the best that was found, if it takes too many rounds."""
    tables = workload.tables
    if not tables:
        return tables
    wishes = np.array([float(table.within or 1) for table in tables])
    cells = np.array([table.cells(workload.domain) for table in tables], dtype=np.float64)
    weights = 1 / (cells * wishes**2)
    best, found = np.inf, weights
    for _ in range(_ROUNDS):
        shares = _worst(workload, weights) / wishes**2
        if shares.max() < best:
            best, found = float(shares.max()), weights
        mean = float(
            (weights * cells * wishes**2 * shares).sum() / (weights * cells * wishes**2).sum()
        )
        if shares.max() <= (1 + _CLOSE) * mean:
            break
        weights = weights * shares / shares.max()
        weights = np.maximum(weights, _LEAST * weights.max())
    return _weighted(tables, found)


def _weighted(tables: tuple[TableQuery, ...], weights: Floats) -> tuple[TableQuery, ...]:
    rounded = [Fraction(float(each)).limit_denominator(10**9) for each in weights / weights.max()]
    pairs = zip(tables, rounded, strict=True)
    return tuple(replace(table, weight=max(each, Fraction(1, 10**9))) for table, each in pairs)


def _worst(workload: Workload, weights: Floats) -> Floats:
    """The largest variance of each table's cells, at one and the same price."""
    tried = replace(workload, tables=_weighted(workload.tables, weights))
    plan = PublicationPlan.of(tried, ZeroConcentrated("1/2"), Relation.ADD_REMOVE, 1)
    return np.array([float(plan.standard_errors(t.name).max()) ** 2 for t in tried.tables])
