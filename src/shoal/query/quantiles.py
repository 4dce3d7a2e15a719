"""Quantiles: a point of a public grid is chosen at random, those of nearly the right rank far more
likely.

Where intervals are asked for, two more points are chosen so far below and above the wanted rank
that they surely enclose it.  The loss of a point is how far the wanted rank lies outside the ranks
it covers.  In each group a point is drawn with probability proportional to exp(-rate * loss); one
person's weight in a group moves the losses there, and the weights over all groups are bounded
together.  Proof: places.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import accumulate

from shoal.engines.engine import Engine
from shoal.events import Event, StatedPure, StatedZeroConcentrated
from shoal.mechanisms import Exponential
from shoal.mechanisms.witness import NoiseWitness, meet
from shoal.plan import (
    Aggregate,
    Expression,
    Rows,
    Spread,
    Statistic,
    Term,
    Value,
    points_of,
    range_of,
)
from shoal.query.keys import Group
from shoal.sensitivity import Norm
from shoal.sensitivity.claims import Moves

_BATCH = 1 << 14
"""Of so many groups the weights are held at a time: a group has about a thousand at most."""


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
    return tuple(replace(place, side=side, sure=sure) for side in sides)


def place_of(aggregate: Aggregate) -> Quantile:
    """The place that an aggregate asks for; its argument needs a range."""
    assert aggregate.argument is not None
    return Quantile(aggregate, points_of(aggregate.argument))


@dataclass(frozen=True)
class PlacedQuantile:
    """A place with a price.

    Guarantee: the points of all groups together are loss-DP with ``norm`` L1, and loss^2/8-zCDP
        with L2.  An end of an interval misses with probability at most 1 - sure, whatever the data.
    Needs: weights bounded in that norm by the spread.
    Edges: an empty group has any point.
    Reference: McSherry and Talwar 2007; Smith 2011; Dong, Durfee and Rogers 2020.
    Proof: places.md.
    """

    place: Quantile
    spread: Spread
    loss: Fraction

    @property
    def rate(self) -> Fraction:
        """How much a unit of weight in rank counts."""
        level = self.place.level
        return self.loss / (2 * max(level, 1 - level) * self.spread.sensitivity.value)

    @property
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
            return [self._point(0) for _ in groups]
        points: list[Fraction] = []
        for start in range(0, len(groups), _BATCH):
            points += self._chosen(engine, groups[start : start + _BATCH])
        return points

    def _chosen(self, engine: Engine, groups: list[Group]) -> list[Fraction]:
        """The points of some groups, whose weights are held together."""
        found = engine.weights(replace(self.spread, only=tuple(groups)))
        scores = [self.scores(found.get(group, {})) for group in groups]
        chosen = meet(
            lambda: [self.mechanism.release(each) for each in scores], lambda: self._meeting(scores)
        )
        return [self._point(place) for place in chosen]

    def _meeting(self, scores: list[list[int]]) -> NoiseWitness:
        """What a witness is told: the losses, of which the largest movement of each group
        counts.
        """
        level = self.place.level
        pull = max(level, 1 - level) * level.denominator
        moved = self.spread.sensitivity.scaled_by(pull)
        flat = [score for each in scores for score in each]
        claim = Moves.of(moved, block=self.place.points)
        return NoiseWitness(self.mechanism, ("gumbel_race", self.rate), flat, claim)

    def _point(self, chosen: int) -> Fraction:
        grid = self.place.grid
        assert self.place.aggregate.argument is not None
        lo, hi = range_of(self.place.aggregate.argument)
        return min(max((grid.lo + int(chosen)) * grid.step, lo), hi)

    def scores(self, weights: dict[Value, int]) -> list[int]:
        """Minus the loss of each point, in units of weight times the denominator of the level."""
        grid, level = self.place.grid, self.place.level
        mass = [weights.get(point, 0) for point in range(grid.lo, grid.hi + 1)]
        unit = level.denominator
        wanted = level.numerator * sum(mass) + self.offset
        upto = [unit * total for total in accumulate(mass)]
        below = [0, *upto[:-1]]
        if self.place.side < 0:
            below[0] = min(0, wanted)
        elif self.place.side > 0:
            upto[-1] = max(upto[-1], wanted)
        return [-max(0, low - wanted, wanted - high) for low, high in zip(below, upto, strict=True)]


def spread_for(
    place: Quantile, relation: Rows, keys: tuple[Expression, ...], norm: Norm, groups: int | None
) -> Spread:
    """The histogram a place is chosen from."""
    assert place.aggregate.argument is not None
    return Spread(relation, keys, place.aggregate.argument, norm, place.grid, groups)
