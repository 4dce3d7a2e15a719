"""A table that is as fine as its counts allow: first noisy counts decide which groups of a hierarchy
are told member by member, then what they decided is counted.

Small places are told as part of a larger one, where their own counts would be lost in noise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, prod
from typing import Any, NamedTuple

import numpy as np

from shoal.errors import CalibrationError, RangeError, SchemaError
from shoal.events import Composed
from shoal.exact import IntegerArray, ball, lower, open_unit, positive, root_up, shown_up
from shoal.measures import Approx, GaussianDP, Measure, Pure, ZeroConcentrated
from shoal.mechanisms import DiscreteGaussian, Gaussian, Laplace
from shoal.mechanisms.affordable_parameters import gaussian_mu_of
from shoal.noise import LARGEST_SCALE
from shoal.sensitivity import Norm, Relation, Sensitivity
from shoal.workloads.column_hierarchy import EachGroup
from shoal.workloads.column_queries import summed
from shoal.workloads.table_domain import TableDomain


class ToldPlace(NamedTuple):
    """A group of a level, or a value of the column itself, that is told as one."""

    level: str
    label: Any
    members: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class DetailPlan:
    """Levels above a column, the coarsest first, the noise of each, and that of the table.

    A group whose noisy count is at least ``least`` is told by the groups of the next level, or by
    the values of the column; all others are told as one.

    Guarantee: the deciding counts and the table together cost no more than ``measure``, whichever
        groups are opened.
    Needs: one unit adds to the counts numbers of 0 or more that sum to at most ``reach``.
    Edges: noise of the table is drawn after the decision and does not depend on it, so intervals
        hold for the places that are told.
    Proof: adaptive_detail.md.
    """

    domain: TableDomain
    column: str
    by: tuple[str, ...]
    least: Fraction
    measure: Measure
    unit: Fraction
    deciding: tuple[Any, ...]
    table: Any

    @classmethod
    def of(
        cls,
        domain: TableDomain,
        column: str,
        by: Sequence[str],
        measure: Measure,
        relation: Relation,
        *,
        reach: Fraction,
        least: Fraction,
        share: Fraction = Fraction(1, 10),
        unit: Fraction = Fraction(1),
    ) -> DetailPlan:
        """With a ``share`` of the cost for the decision, in equal parts for its levels."""
        levels = domain.levels_of(column)
        if not levels:
            raise SchemaError(
                f"column {column[:40]!r} has no levels above it.",
                remedy="Give hierarchy=shoal.Hierarchy('district', region={'north': ['n1', 'n2']}).",
            )
        if column in by:
            raise SchemaError(
                f"column {column[:40]!r} stands in by, too.", remedy="Leave it out of by."
            )
        known = domain.in_order(by)
        part = open_unit(share, "share")
        noises = [
            _noise(measure, part / len(levels), reach, relation, len(level.labels))
            for level in levels
        ]
        cells = domain.size(column) * prod(domain.shape(known))
        table = _noise(measure, 1 - part, reach, relation, cells)
        limit = positive(least, "least")
        return cls(domain, column, known, limit, measure, unit, tuple(noises), table)

    @property
    def levels(self) -> tuple[EachGroup, ...]:
        """The levels that are decided on, the coarsest first."""
        return self.domain.levels_of(self.column)

    @property
    def event(self) -> Composed:
        """What is released, as one event; the table has at most so many cells."""
        pairs = zip(self.deciding, self.levels, strict=True)
        decided = [noise.event_for(size=len(level.labels)) for noise, level in pairs]
        cells = self.domain.cells((self.column, *self.by))
        return Composed((*decided, self.table.event_for(size=cells)))

    def noisy_levels(self, counts: IntegerArray) -> list[IntegerArray]:
        """The deciding counts, with noise; ``counts`` are those by the column, exactly."""
        found = []
        for level, noise in zip(self.levels, self.deciding, strict=True):
            exact = summed(counts.astype(object), 0, level.groups, len(level.labels))
            found.append(noise.release(exact))
        return found

    def places(self, noisy: Sequence[IntegerArray]) -> list[ToldPlace]:
        """What is told as one, in the order of the column: a function of noisy counts alone."""
        values = self.domain.values(self.column)
        deepest = len(self.levels)
        depth = [deepest] * len(values)
        for at in range(deepest - 1, -1, -1):  # the coarsest group that stays closed has the say
            groups = self.levels[at].groups
            for place in range(len(values)):
                if int(noisy[at][groups[place]]) * self.unit < self.least:
                    depth[place] = at
        found: dict[tuple[int, int], list[int]] = {}
        for place, at in enumerate(depth):
            group = place if at == deepest else int(self.levels[at].groups[place])
            found.setdefault((at, group), []).append(place)
        return [self._told(at, group, members) for (at, group), members in found.items()]

    def _told(self, at: int, group: int, members: list[int]) -> ToldPlace:
        if at == len(self.levels):
            label = self.domain.values(self.column)[group]
            return ToldPlace(self.column, label, tuple(members))
        level = self.levels[at]
        return ToldPlace(level.level, level.labels[group], tuple(members))

    def noisy_table(self, counts: IntegerArray, places: Sequence[ToldPlace]) -> IntegerArray:
        """The counts of the places that are told, by the other columns, with noise."""
        held = counts.astype(object)
        exact = np.array([held[list(place.members)].sum(axis=0) for place in places], dtype=object)
        found: IntegerArray = self.table.release(exact.reshape(-1)).reshape(exact.shape)
        return found

    def within(self, noise: Any, confidence: Fraction) -> float:
        """How far one count can be off, at a confidence."""
        return float(Fraction(noise.error(confidence, integers=True)) * self.unit)

    def preview(self) -> str:
        """What it costs, how the decision is made, and how far each count can be off; free."""
        level = Fraction(95, 100)
        shape = " x ".join(map(str, self.domain.shape((self.column, *self.by))))
        lines = [f"costs {self.measure}; errors at 95% confidence"]
        for each, noise in zip(self.levels, self.deciding, strict=True):
            off = self.within(noise, level)
            lines.append(
                f"{each.level}: {len(each.labels)} groups; one of {ceil(self.least + off):,} or more "
                f"is told in detail, one of {floor(max(0, self.least - off)):,} or fewer is not"
            )
        lines.append(
            f"table: at most {shape} cells, each within {shown_up(self.within(self.table, level))}"
        )
        return "\n".join(lines)

    __str__ = preview

    def __repr__(self) -> str:
        return f"<table by {self.column} as fine as its counts allow, costing {self.measure}>"


def _noise(
    measure: Measure, share: Fraction, reach: Fraction, relation: Relation, size: int
) -> Laplace | Gaussian | DiscreteGaussian:
    """The noise of counts of cells that do not overlap, for a share of a price.

    Under change two vectors of numbers of 0 or more are apart, each of L1 length at most ``reach``:
    by twice that in L1, and by its root of 2 in L2.
    """
    change = relation is Relation.CHANGE
    if isinstance(measure, Approx) and not measure.delta:
        measure = Pure(measure.epsilon)
    made: Laplace | Gaussian | DiscreteGaussian
    if isinstance(measure, Pure):
        far = Sensitivity(reach * (1 + change), Norm.L1, relation, dimension=size)
        made = Laplace.for_budget(Pure(measure.epsilon * share), sensitivity=far)
    elif isinstance(measure, ZeroConcentrated | GaussianDP | Approx):
        far = Sensitivity(root_up(reach**2 * (1 + change)), Norm.L2, relation, dimension=size)
        if isinstance(measure, ZeroConcentrated):
            part = ZeroConcentrated(measure.rho * share)
            made = DiscreteGaussian.for_budget(part, sensitivity=far)
        else:
            square = gaussian_mu_of(measure) ** 2 * share
            made = Gaussian(sigma=far.value / lower(lambda: ball(square).sqrt()), sensitivity=far)
    else:
        raise RangeError(
            "a table in adaptive detail needs a budget in epsilon or in rho.",
            remedy="Use a budget such as shoal.Pure(1) or shoal.ZeroConcentrated('0.5').",
        )
    if made.spread > LARGEST_SCALE:
        raise CalibrationError(
            "the noise would be wider than can be drawn.", remedy="Ask with more budget."
        )
    return made
