"""A column cut into parts that are measured one by one: the total, what each of its levels adds, or
what its ordered queries need.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping

import numpy as np

from shoal.workloads.column_hierarchy import EachGroup
from shoal.workloads.column_queries import EACH_VALUE, ColumnQuery, Floats, summed
from shoal.workloads.count_factor import CountFactor
from shoal.workloads.factors import Factor, IntegerMatrix
from shoal.workloads.level_tree import LevelTree, Places
from shoal.workloads.optimum import optimum

FINENESS = 1 << 12
"""Strategies for ordered columns are rounded to whole multiples of one part in so many of their
longest column.
"""


class ColumnParts(ABC):
    """Step 0 is the total, and every further step what is measured of the column beyond those
    before.
    """

    size: int

    @abstractmethod
    def needed(self, query: ColumnQuery) -> int:
        """The last step on which the rows of a query depend."""

    @abstractmethod
    def factor(self, step: int) -> Factor:
        """What is measured in a step from 1 on."""

    @abstractmethod
    def rows(self, query: ColumnQuery, part: Floats, axis: int, step: int) -> Floats:
        """What the answer of a step adds to the rows of a query; of step 0, an axis of length 1."""

    @abstractmethod
    def variances(self, query: ColumnQuery, step: int) -> Floats:
        """The variance that a step's noise of variance 1 adds to each row of a query."""

    def pull(self, query: ColumnQuery, step: int) -> float:
        """The sum of these variances."""
        return float(self.variances(query, step).sum())


class TreeParts(ColumnParts):
    """The levels that are asked for, and each value where that is."""

    def __init__(self, size: int, queries: Mapping[ColumnQuery, float]) -> None:
        self.size = size
        groups = {query: _places(query, size) for query in queries}
        ordered = sorted(groups, key=lambda query: int(groups[query].max()))
        self.tree = LevelTree(size, [groups[query] for query in ordered])
        self._step = dict(zip(ordered, self.tree.step_of, strict=True))

    def needed(self, query: ColumnQuery) -> int:
        return self._step.get(query, self.tree.steps)  # a column of one value tells any query

    def factor(self, step: int) -> Factor:
        return self.tree.factor(step)

    def rows(self, query: ColumnQuery, part: Floats, axis: int, step: int) -> Floats:
        return self.tree.spread(part, axis, step, self.needed(query))

    def variances(self, query: ColumnQuery, step: int) -> Floats:
        below = self.needed(query)
        spread = self.tree.spread(np.ones(self.tree.counts[step]), 0, step, below)
        own = self.tree.rest_variances(step)
        place = np.arange(self.tree.counts[below])
        for at in range(below, step, -1):
            place = self.tree.parents[at][place]
        found: Floats = own[place] * spread**2
        return found


class OrderedParts(ColumnParts):
    """All that the column tells beyond the total in one step, measured as its ordered queries need
    it.
    """

    def __init__(self, size: int, queries: Mapping[ColumnQuery, float]) -> None:
        self.size = size
        gram = np.zeros((size, size))
        for query, weight in queries.items():
            gram += weight * query.gram(size)
        centre = np.eye(size) - 1 / size
        found = optimum(centre @ gram @ centre)
        rounded = np.rint(found.strategy * FINENESS).astype(np.int64)
        self._factor = IntegerMatrix(size * rounded - rounded.sum(axis=1, keepdims=True))

    def needed(self, query: ColumnQuery) -> int:  # noqa: ARG002 - the same for all
        return 1

    def factor(self, step: int) -> Factor:  # noqa: ARG002 - there is one
        return self._factor

    def rows(self, query: ColumnQuery, part: Floats, axis: int, step: int) -> Floats:
        if step:
            return query.apply(part, axis)
        shape = [1] * part.ndim
        shape[axis] = query.rows(self.size)
        found: Floats = part * (query.row_sums(self.size) / self.size).reshape(shape)
        return found

    def variances(self, query: ColumnQuery, step: int) -> Floats:
        if step:
            return query.variances(self._factor.covariance())
        found: Floats = (query.row_sums(self.size) / self.size) ** 2
        return found

    def pull(self, query: ColumnQuery, step: int) -> float:
        if step:
            return float((query.gram(self.size) * self._factor.covariance()).sum())
        return super().pull(query, step)


class CountParts(ColumnParts):
    """Counts of levels, each of which tells the coarser ones as well.

    A column whose order is asked about and that has no levels gets some: groups of about ``fan_out``
    neighbours, groups of these, and so on.
    """

    def __init__(
        self, size: int, queries: Mapping[ColumnQuery, float], fan_out: int | None = None
    ) -> None:
        self.size = size
        plain = [query for query in queries if not query.is_ordered]
        levels = [_places(query, size) for query in plain]
        if len(plain) < len(queries):
            levels.append(np.arange(size))
            if fan_out is not None and not any(isinstance(each, EachGroup) for each in plain):
                levels += _neighbours(size, fan_out)
        levels.sort(key=lambda groups: int(groups.max()))
        self.tree = LevelTree(size, levels)
        self._counts = {count: step for step, count in enumerate(self.tree.counts)}

    def needed(self, query: ColumnQuery) -> int:
        if query.is_ordered:
            return self.tree.steps
        return self._counts[int(_places(query, self.size).max()) + 1]

    def factor(self, step: int) -> CountFactor:
        return CountFactor(self.tree, step)

    def rows(self, query: ColumnQuery, part: Floats, axis: int, step: int) -> Floats:
        found = self.tree.spread(part, axis, step, self.needed(query))
        return query.apply(found, axis) if query.is_ordered else found

    def rests(self, counts: Floats, axis: int, level: int, step: int) -> Floats:
        """What the counts of a level say about the rests of a step that is not finer."""
        tree, own = self.tree, counts
        for at in range(level, step, -1):
            own = summed(own, axis, tree.parents[at], tree.counts[at - 1])
        if not step:
            return own
        above = summed(own, axis, tree.parents[step], tree.counts[step - 1])
        found: Floats = own - tree.spread(above, axis, step - 1, step)
        return found

    def variances(self, query: ColumnQuery, step: int) -> Floats:
        """For directions that all have variance 1."""
        tree, last = self.tree, self.needed(query)
        if query.is_ordered:
            return query.variances(self._kernel(step))
        place = [np.arange(tree.counts[last])]
        for at in range(last, 0, -1):
            place.append(tree.parents[at][place[-1]])
        own = 1 / tree.shares[step][place[last - step]]
        if step:
            own = own - 1 / tree.shares[step - 1][place[last - step + 1]]
        found: Floats = tree.shares[last] ** 2 * own
        return found

    def _kernel(self, step: int) -> Floats:
        """The covariance of the values where the directions of a step have variance 1."""
        tree = self.tree
        leaf = tree.shares[tree.steps][tree.groups[tree.steps]]
        found = np.zeros((self.size, self.size))
        for at, sign in ((step, 1), (step - 1, -1)):
            if at >= 0:
                groups = tree.groups[at]
                found += sign * np.equal.outer(groups, groups) / tree.shares[at][groups]
        return found * np.multiply.outer(leaf, leaf)


def parts_of(size: int, queries: Mapping[ColumnQuery, float]) -> ColumnParts:
    """A column of so many values, of which these queries are asked with their weights."""
    if size > 1 and any(query.is_ordered for query in queries):
        return OrderedParts(size, queries)
    return TreeParts(size, queries)


def _places(query: ColumnQuery, size: int) -> Places:
    if isinstance(query, EachGroup):
        return query.groups
    assert query is EACH_VALUE or size == 1
    return np.arange(size)


def _neighbours(size: int, fan_out: int) -> list[Places]:
    """Groups of neighbouring values, as equal in size as can be, from the finest level up."""
    found: list[Places] = []
    groups = np.arange(size)
    cells = size
    while cells > fan_out:
        fewer = -(-cells // fan_out)
        groups = groups * fewer // cells
        found.append(groups)
        cells = fewer
    return found
