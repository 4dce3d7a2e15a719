"""Rows counted by several sets of keys, measured together: ROLLUP, CUBE, GROUPING SETS and batches.

Each set of keys is a table of a workload, so the noise is the least that any method of this kind
can give, and all tables agree.  Proof: joint_counts.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from math import prod

import numpy as np
from numpy.typing import NDArray

from shoal.engines.engine import Engine
from shoal.errors import CalibrationError
from shoal.exact import IntegerArray
from shoal.measures import Measure, Pure
from shoal.plan import Bounded, Key, Query, Ref, Rows, Statistic, Value, count_of, text_of
from shoal.plan.released_steps import Levels, Regroup, Summary
from shoal.query.keys import Group, selects
from shoal.query.noise_choice import Means
from shoal.query.payment import CostRequest
from shoal.sensitivity import Norm
from shoal.workloads import ListedCells, Marginals, PublicationPlan, TableDomain, Total, Workload
from shoal.workloads.column_queries import Floats
from shoal.workloads.controlled_rounding import Margin, rounded

MOST_CELLS = 200_000
"""So many cells the keys may have together, to be measured together."""

Places = tuple[int, ...]
"""A set of keys, by their places."""


def counted_sets(question: Query) -> tuple[Places, ...] | None:
    """The sets of keys by which a question shows counts of rows; None where it shows anything else.

    Edges: what is computed of the finest groups by windows or joins needs these groups, so they are
    a set of their own then.  Keys that are selected privately have no cells in advance: None.
    """
    counted = [each.statistic for each in question.aggregates] == [Statistic.COUNT_ROWS]
    if not counted or selects(question):
        return None
    every = tuple(range(len(question.keys)))
    first = question.after.steps[0] if question.after.steps else None
    if not isinstance(first, Levels):
        return (every,)
    found = (_regrouped(branch.steps[:1], question) for branch in first.branches)
    return tuple(dict.fromkeys(every if each is None else each for each in found))


def _regrouped(steps: Sequence[object], question: Query) -> Places | None:
    """The keys by which released counts are added up; None where it is something else."""
    names = [key.name for key in question.keys]
    (step,) = steps or (None,)
    if not isinstance(step, Regroup):
        return None
    if any(each.summary is not Summary.SUM for each in step.summed):
        return None
    held = [made.column.name for _, made in step.keys if isinstance(made, Ref)]
    if len(held) < len(step.keys) or not set(held) <= set(names):
        return None
    return tuple(sorted(names.index(name) for name in set(held)))


@dataclass(frozen=True, eq=False)
class JointCounts:
    """Rows, the keys of all questions, their values, and the sets of keys that are asked for.

    Guarantee: everything here follows from declared facts and public tables.
    """

    relation: Rows
    keys: tuple[Key, ...]
    values: tuple[tuple[Value, ...], ...]
    sets: tuple[Places, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """How many values each key has."""
        return tuple(map(len, self.values))

    @cached_property
    def domain(self) -> TableDomain:
        """The keys as columns of a workload, called as a reader would write them."""
        names: list[str] = []
        for at, key in enumerate(self.keys):
            name = text_of(key.expression)
            names.append(name if name not in names else f"{name} ({at})")
        return TableDomain.of(dict(zip(names, self.shape, strict=True)))

    def cells(self, places: Places) -> int:
        """How many counts a set of keys has."""
        return prod(self.shape[at] for at in places)

    def columns(self, places: Iterable[int]) -> list[str]:
        """What some keys are called."""
        return [self.domain.names[at] for at in places]

    @cached_property
    def workload(self) -> Workload:
        """A table for each set of keys."""
        lines = [Marginals(self.columns(each)) if each else Total() for each in self.sets]
        return Workload.of(self.domain, lines)

    @cached_property
    def bounded(self) -> Bounded:
        """Counts by all keys together, of which everyone has a bounded share in L1: the same one in
        every table, so that tables agree.
        """
        keys = tuple(key.expression for key in self.keys)
        return Bounded(self.relation, keys, (count_of(),), Norm.L1, prod(self.shape))

    def plan(self, request: CostRequest, law: str | None = None) -> PublicationPlan | None:
        """All tables at a price; without a ``law`` of noise, with the one that has the least error.

        Guarantee: the plan's event costs no more than the request.
        Edges: None where the noise would be wider than can be drawn, or the request cannot buy the
            law.
        """
        means = Means(request)
        found = []
        for each in means.laws:
            if law in (None, each):
                whole = Pure(means.epsilon(Fraction(1))) if each == "laplace" else request.measure
                with suppress(CalibrationError):
                    found.append(self._plan(whole))
        return min(found, key=lambda plan: plan.overall_rmse, default=None)

    def _plan(self, measure: Measure) -> PublicationPlan:
        term, bounded = count_of(), self.bounded
        return self.workload.plan_for(
            measure,
            bounded.unit.relation,
            reach=term.bound * bounded.reach(term),
            unit=bounded.worth(term),
        )

    def release(self, plan: PublicationPlan, engine: Engine) -> Floats:
        """Estimates for the cells of all keys, whose sums are the tables that the plan releases.

        Needs: the plan's event was charged.
        """
        counts = listed_cells(engine, self.bounded, self.values, self.domain)
        found = plan.published(plan.measure_counts(counts))
        return spread_cells(
            self.shape, {each: found[tuple(self.columns(each))].values for each in self.sets}
        )

    def whole(self, cells: Floats) -> NDArray[np.int64]:
        """The cells in whole numbers, such that the sums that are asked for stay near theirs."""
        raised = max(0, 1 - int(np.floor(cells.min(initial=0.0))))
        margins: dict[Margin, float] = {
            tuple((axis, None) for axis in each): 1.0 for each in self.sets
        }
        return rounded(cells + raised, margins) - raised

    def of_groups(
        self, cells: NDArray[np.generic], own: Places, groups: Sequence[Group]
    ) -> list[float]:
        """Sums over all keys but some, for groups of these keys in their order."""
        away = tuple(at for at in range(len(self.keys)) if at not in own)
        summed = cells.sum(axis=away)
        order = sorted(own)
        index = [{value: at for at, value in enumerate(self.values[place])} for place in order]
        where = [own.index(place) for place in order]
        return [
            summed[tuple(known[group[at]] for known, at in zip(index, where, strict=True))].item()
            for group in groups
        ]


def listed_cells(
    engine: Engine,
    bounded: Bounded,
    values: Sequence[Sequence[Value]],
    domain: TableDomain,
) -> ListedCells:
    """Bounded counts of all cells that have rows; what lies outside the declared values counts
    nowhere.
    """
    index = [{value: at for at, value in enumerate(each)} for each in values]
    places: list[list[int | None]] = []
    counts: list[int] = []
    for part in engine.parts(bounded):
        for cell, (count,) in part.items():
            found = [known.get(v) for v, known in zip(cell, index, strict=True)]
            if None not in found:
                places.append(found)
                counts.append(count)
    shaped = np.array(places, dtype=np.int64).reshape(len(places), len(index)).T
    small = sum(map(abs, counts)) < 1 << 62
    held: IntegerArray = np.array(counts, dtype=np.int64 if small else object)
    return ListedCells(domain, shaped, held)


def spread_cells(shape: tuple[int, ...], tables: Mapping[Places, Floats]) -> Floats:
    """The cells of which some tables that agree are the sums; what no table tells is spread evenly.

    >>> by_row, by_column = np.array([30.0, 10.0]), np.array([8.0, 32.0])
    >>> spread_cells((2, 2), {(0,): by_row, (1,): by_column})
    array([[ 9., 21.],
           [-1., 11.]])
    """
    total: Floats = np.zeros(shape)
    parts = dict.fromkeys(
        chosen
        for each in tables
        for size in range(len(each) + 1)
        for chosen in combinations(each, size)
    )
    for chosen in parts:
        held = next(each for each in tables if set(chosen) <= set(each))
        away = tuple(axis for axis, place in enumerate(held) if place not in chosen)
        rest = tables[held].sum(axis=away)
        for axis in range(len(chosen)):
            rest = rest - rest.mean(axis=axis, keepdims=True)
        others = [size for at, size in enumerate(shape) if at not in chosen]
        full = [size if at in chosen else 1 for at, size in enumerate(shape)]
        total += rest.reshape(full) / prod(others)
    return total
