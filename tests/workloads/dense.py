"""Workloads and strategies written out as matrices over all cells: slow, and hard to get wrong."""

from __future__ import annotations

from functools import reduce
from itertools import product
from typing import Any

import numpy as np

from shoal.workloads import TableDomain, TableQuery
from shoal.workloads.column_hierarchy import EachGroup
from shoal.workloads.column_queries import EACH_PREFIX, EACH_VALUE
from shoal.workloads.count_factor import CountFactor
from shoal.workloads.factors import Centred, Factor, IntegerMatrix
from shoal.workloads.level_tree import LevelFactor
from shoal.workloads.measurement import Measurement


def query_matrix(query: Any, size: Any) -> Any:
    """The rows of a query of one column."""
    if query is EACH_VALUE:
        return np.eye(size, dtype=int)
    if query is EACH_PREFIX:
        return np.array([[int(j <= i) for j in range(size)] for i in range(size)])
    if isinstance(query, EachGroup):
        groups = query.groups.tolist()
        return np.array([[int(own == at) for own in groups] for at in range(len(query.labels))])
    pairs = [(a, b) for a in range(size) for b in range(a, size)]
    return np.array([[int(a <= j <= b) for j in range(size)] for a, b in pairs])


def kron(parts: Any) -> Any:
    return reduce(np.kron, parts, np.ones((1, 1), dtype=object))


def table_matrix(domain: TableDomain, table: TableQuery) -> Any:
    """All rows of a table over all cells of the domain."""
    asked = dict(zip(table.columns, table.queries, strict=True))
    sizes = dict(zip(domain.names, domain.shape(domain.names), strict=True))
    return kron(
        query_matrix(asked[c], n) if c in asked else np.ones((1, n), dtype=int)
        for c, n in sizes.items()
    ).astype(object)


def factor_matrix(factor: Factor) -> Any:
    if isinstance(factor, Centred):
        n = factor.size
        return np.array([[n * (i == j) - 1 for j in range(n)] for i in range(n)], dtype=object)
    if isinstance(factor, LevelFactor):
        return _level_matrix(factor)
    if isinstance(factor, CountFactor):
        groups = factor.tree.groups[factor.step].tolist()
        weights = factor.weights.tolist()
        return np.array(
            [[w * (g == at) for g in groups] for at, w in enumerate(weights)], dtype=object
        )
    assert isinstance(factor, IntegerMatrix)
    return factor.matrix.astype(object)


def _level_matrix(factor: LevelFactor) -> Any:
    """Row by row: k times the values of a cell, less the values of it and its siblings."""
    above = factor.tree.groups[factor.step - 1].tolist()
    own = factor.tree.groups[factor.step].tolist()
    scales = factor.tree.scales[factor.step].tolist()
    rows = []
    for cell in range(max(own) + 1):
        parent = above[own.index(cell)]
        siblings = {mine for mine, its in zip(own, above, strict=True) if its == parent}
        if len(siblings) > 1:
            rows.append(
                [
                    scales[parent] * (len(siblings) * (mine == cell) - (its == parent))
                    for mine, its in zip(own, above, strict=True)
                ]
            )
    return np.array(rows, dtype=object)


def measurement_matrix(domain: TableDomain, measurement: Measurement) -> Any:
    """A measurement over all cells of the domain, in exact integers."""
    by_column = dict(zip(measurement.columns, measurement.factors, strict=True))
    return kron(
        factor_matrix(by_column[c]) if c in by_column else np.ones((1, domain.size(c)), dtype=int)
        for c in domain.names
    ).astype(object)


def contributions(cells: int, reach: int) -> Any:
    """Every way in which one unit can have up to so many rows in the cells."""
    for rows in product(range(cells + 1), repeat=reach):
        vector = np.zeros(cells, dtype=object)
        for row in rows:
            if row < cells:
                vector[row] += 1
        yield vector
