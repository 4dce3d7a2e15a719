"""Quantiles: a point of a public grid is chosen at random, those of nearly the right rank far more
likely.

Where intervals are asked for, two more points are chosen so far below and above the wanted rank
that they surely enclose it.  The loss of a point is how far the wanted rank lies outside the ranks
it covers.  In each group a point is drawn with probability proportional to exp(-rate * loss); one
person's weight in a group moves the losses there, and the weights over all groups are bounded
together.  A grid has up to 2^30 points; between two points that rows have all losses are equal, so
the draw is one among runs of points.  Proof: quantiles.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.engines.engine import Engine
from shoal.events import Event, StatedPure, StatedZeroConcentrated
from shoal.mechanisms import Exponential
from shoal.mechanisms.witness import NoiseWitness, meet
from shoal.plan import (
    NO_WEIGHTS,
    Aggregate,
    Expression,
    Rows,
    Spread,
    Statistic,
    Term,
    ValueWeights,
    points_of,
    range_of,
)
from shoal.plan.spread import MOST_POINTS
from shoal.query.keys import Group
from shoal.sensitivity import Norm
from shoal.sensitivity.claims import Moves

_BATCH = 1 << 14
"""Of so many groups the weights are held at a time."""

END_POINTS = 1 << 16
"""The grid of an interval's ends has about so many points at most.

An end lies ln(points) / rate units of rank beyond the wanted one, whatever the data: a finer grid
would widen the interval in rank by more than it narrows it in value.
"""

EXTREME_POINTS = 1 << 12
"""The same for the least and the greatest, which lie ln(points) / rate units inside."""

WITNESSED = 1 << 10
"""A witness is told the losses of so many points at most."""

_SAFE = 1 << 62
"""Losses below this are computed in 64 bits."""


@dataclass(frozen=True)
class Quantile:
    """A quantile of an aggregate's argument, on a grid; the least and the greatest lie a little
    inside.

    With a ``side`` it is an end of the quantile's interval instead: the lower at -1, the upper at
    1, each of which must not miss but with the chance that ``sure`` leaves.
    """

    aggregate: Aggregate
    grid: Term
    side: int = 0
    sure: Fraction = Fraction(0)

    @property
    def level(self) -> Fraction:
        if self.aggregate.statistic is Statistic.QUANTILE:
            assert self.aggregate.level is not None
            return self.aggregate.level
        return Fraction(int(self.aggregate.statistic is Statistic.GREATEST))

    @property
    def inside(self) -> int:
        """1 for the least, -1 for the greatest: to which side of its rank a place is looked for."""
        sides = {Statistic.LEAST: 1, Statistic.GREATEST: -1}
        return sides.get(self.aggregate.statistic, 0)

    @property
    def points(self) -> int:
        return self.grid.hi - self.grid.lo + 1


def ends_of(place: Quantile, confidence: Fraction) -> tuple[Quantile, ...]:
    """The ends that hold a quantile with this confidence together; those of the range need no
    choice.

    Edges: quantiles of moments have none.
    """
    assert place.aggregate.argument is not None
    if not place.aggregate.argument.type.numeric:
        return ()
    sides = (-1, 1) if place.inside == 0 else (place.inside,)
    sure = 1 - (1 - confidence) / len(sides)
    grid = points_of(place.aggregate.argument, END_POINTS)
    return tuple(replace(place, grid=grid, side=side, sure=sure) for side in sides)


def place_of(aggregate: Aggregate) -> Quantile:
    """The place that an aggregate asks for; its argument needs a range."""
    assert aggregate.argument is not None
    fine = aggregate.statistic is Statistic.QUANTILE
    grid = points_of(aggregate.argument, MOST_POINTS if fine else EXTREME_POINTS)
    return Quantile(aggregate, grid)


@dataclass(frozen=True)
class PlacedQuantile:
    """A place with a price.

    Guarantee: the points of all groups together are loss-DP with ``norm`` L1, and loss^2/8-zCDP
        with L2.  An end of an interval misses with probability at most 1 - sure, whatever the data.
    Needs: weights bounded in that norm by the spread.
    Edges: an empty group has any point.
    Reference: McSherry and Talwar 2007; Smith 2011; Dong, Durfee and Rogers 2020.
    Proof: quantiles.md.
    """

    place: Quantile
    spread: Spread
    loss: Fraction

    @cached_property
    def rate(self) -> Fraction:
        """How much a unit of weight in rank counts."""
        level = self.place.level
        return self.loss / (2 * max(level, 1 - level) * self.spread.sensitivity.value)

    @cached_property
    def mechanism(self) -> Exponential:
        """The choice, for losses in units of weight times the denominator of the level."""
        return Exponential(epsilon=2 * self.rate / self.place.level.denominator, sensitivity=1)

    @property
    def inset(self) -> int:
        """How far inside the ends the least and the greatest are looked for, in units of weight."""
        return math.ceil(math.log(self.place.points + 1) / self.rate) * abs(self.place.inside)

    @cached_property
    def offset(self) -> int:
        """How far from its level a place is looked for, in units of weight times the denominator of
        the level.
        """
        place = self.place
        if not place.side:
            return place.inside * self.inset * place.level.denominator
        far = self.mechanism.error(place.sure, candidates=place.points) if place.points > 1 else 0
        return place.side * (math.floor(far) + 1)

    def rank_error(self, confidence: Fraction) -> float:
        """How far off in rank, counted in rows, a point can be at this confidence."""
        if self.place.points < 2:
            return 0.0
        gap = self.mechanism.error(confidence, candidates=self.place.points)
        return (gap / self.place.level.denominator + self.inset) / self.spread.fraction

    @property
    def event(self) -> Event:
        """What the choice costs, for all groups together."""
        relation = str(self.spread.unit.relation)
        private = self.mechanism.event_for(candidates=2).private
        if self.spread.norm is Norm.L1:
            return StatedPure(epsilon=self.loss, relation=relation, private=private)
        return StatedZeroConcentrated(rho=self.loss**2 / 8, relation=relation, private=private)

    def release(self, engine: Engine, groups: list[Group]) -> list[Fraction]:
        """A point for each group, on the number line of the argument."""
        if self.place.points == 1:
            return [self.point(0) for _ in groups]
        points: list[Fraction] = []
        for start in range(0, len(groups), _BATCH):
            points += self._chosen(engine, groups[start : start + _BATCH])
        return points

    def _chosen(self, engine: Engine, groups: list[Group]) -> list[Fraction]:
        """The points of some groups, whose weights are held together."""
        weighed = engine.weights(replace(self.spread, only=tuple(groups)))
        found = [weighed.get(group, NO_WEIGHTS) for group in groups]
        chosen = meet(lambda: [self.choice(each) for each in found], lambda: self._meeting(found))
        return [self.point(place) for place in chosen]

    def choice(self, found: ValueWeights) -> int:
        """The place of a point in the grid, drawn for the weights of one group."""
        runs = self.runs(found)
        run, inside = self.mechanism.choose_in_runs(-runs.losses, runs.lengths)
        return int(runs.starts[run]) + inside - self.place.grid.lo

    def _meeting(self, found: list[ValueWeights]) -> NoiseWitness:
        """What a witness is told: the losses at public points, of which the largest movement of
        each group counts.
        """
        level, points = self.place.level, self.witnessed
        pull = max(level, 1 - level) * level.denominator
        moved = self.spread.sensitivity.scaled_by(pull)
        flat = [-loss for each in found for loss in self.losses_at(each, points)]
        claim = Moves.of(moved, block=len(points))
        return NoiseWitness(self.mechanism, ("gumbel_race", self.rate), flat, claim)

    @property
    def witnessed(self) -> NDArray[np.int64]:
        """Points of the grid, evenly spread: all of them where they are few."""
        grid, count = self.place.grid, min(self.place.points, WITNESSED)
        last = max(1, count - 1)
        return np.array(
            [grid.lo + (grid.hi - grid.lo) * at // last for at in range(count)], dtype=np.int64
        )

    def point(self, chosen: int) -> Fraction:
        """A point of the grid by its place, on the number line of the argument."""
        grid = self.place.grid
        assert self.place.aggregate.argument is not None
        lo, hi = range_of(self.place.aggregate.argument)
        return min(max((grid.lo + chosen) * grid.step, lo), hi)

    def runs(self, found: ValueWeights) -> Runs:
        """The runs of points with equal loss: each point that rows have, and the gaps between."""
        grid = self.place.grid
        points, weights = found.values, found.weights
        if self.place.side:  # an end of the grid has a loss of its own
            points, weights = _with_end(
                points, weights, grid.lo if self.place.side < 0 else grid.hi
            )
        count = len(points)
        starts = np.empty(2 * count + 1, np.int64)
        starts[0], starts[1::2], starts[2::2] = grid.lo, points, points + 1
        lengths = np.diff(starts, append=grid.hi + 1)
        upto = np.empty(2 * count + 1, np.int64)
        upto[0], upto[1::2] = 0, np.cumsum(weights)
        upto[2::2] = upto[1::2]
        below = upto.copy()
        below[1::2] -= weights
        there = lengths > 0
        starts, lengths, below, upto = (each[there] for each in (starts, lengths, below, upto))
        return Runs(starts, lengths, self._losses(below, upto, int(weights.sum()), starts, lengths))

    def losses_at(self, found: ValueWeights, points: NDArray[np.int64]) -> list[int]:
        """The loss of some points, in units of weight times the denominator of the level."""
        total = np.concatenate([np.zeros(1, np.int64), np.cumsum(found.weights)])
        below = total[np.searchsorted(found.values, points, side="left")]
        upto = total[np.searchsorted(found.values, points, side="right")]
        ones = np.ones(len(points), np.int64)
        losses: list[int] = self._losses(below, upto, int(total[-1]), points, ones).tolist()
        return losses

    def _losses(
        self,
        below: NDArray[np.int64],
        upto: NDArray[np.int64],
        total: int,
        starts: NDArray[np.int64],
        lengths: NDArray[np.int64],
    ) -> NDArray[Any]:
        """How far the wanted rank lies outside of the ranks that runs of points cover."""
        grid, unit = self.place.grid, self.place.level.denominator
        wanted = self.place.level.numerator * total + self.offset
        low, high = below, upto
        if unit * total + abs(wanted) >= _SAFE:
            low, high = below.astype(object), upto.astype(object)
        above, beneath = low * unit - wanted, wanted - high * unit
        if self.place.side < 0:
            above[starts == grid.lo] = 0
        elif self.place.side > 0:
            beneath[starts + lengths - 1 == grid.hi] = 0
        return np.maximum(np.maximum(above, beneath), 0)


@dataclass(frozen=True)
class Runs:
    """Runs of points: the first point of each, how many there are, and their loss."""

    starts: NDArray[np.int64]
    lengths: NDArray[np.int64]
    losses: NDArray[Any]


def _with_end(
    points: NDArray[np.int64], weights: NDArray[np.int64], end: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The same with an end of the grid as a point, if only one that weighs nothing."""
    at = int(np.searchsorted(points, end))
    if at < len(points) and points[at] == end:
        return points, weights
    return np.insert(points, at, end), np.insert(weights, at, 0)


def spread_for(
    place: Quantile, relation: Rows, keys: tuple[Expression, ...], norm: Norm, groups: int | None
) -> Spread:
    """The histogram a place is chosen from."""
    assert place.aggregate.argument is not None
    return Spread(relation, keys, place.aggregate.argument, norm, place.grid, groups)
