"""Several quantiles of one column: the middle one is chosen first, then those below it among the
rows below and those above it among the rows above.

Every row takes part in one choice at each depth of the tree, not in one for each quantile: nine
quantiles cost what four would cost one by one.  Rows that share a value are split in proportion:
each point of the grid has `SPLIT` positions, over which its weight is spread evenly, and what is
chosen is a position.  Proof: quantiles.md, Several quantiles.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shoal.engines.engine import Engine
from shoal.events import Event
from shoal.exact import ball, lower
from shoal.mechanisms import Exponential
from shoal.mechanisms.witness import NoiseWitness, meet
from shoal.plan import NO_WEIGHTS, Spread, Statistic, ValueWeights
from shoal.query.keys import Group
from shoal.query.quantiles import PlacedQuantile, Quantile
from shoal.query.split_positions import SPLIT, Positions, PositionSpan
from shoal.sensitivity import Norm
from shoal.sensitivity.claims import Moves

FEWEST = 3
"""From so many levels of one column on they are chosen as a tree: two cost the same one by one."""

_WITNESSED = 1 << 7
"""A witness is told the losses of so many positions of each part."""

_BATCH = 1 << 12
"""Of so many groups the weights are held at a time."""


@dataclass(frozen=True)
class Node:
    """One choice: the ``level`` of all rows, and its ``rank`` among the rows of its part, both as
    shares; what it costs, and the choices below and above it.
    """

    level: Fraction
    rank: Fraction
    loss: Fraction
    below: Node | None
    above: Node | None

    @property
    def pull(self) -> Fraction:
        """How far a unit of weight moves a loss at most."""
        return max(self.rank, 1 - self.rank)


def trees_among(asked: Sequence[Quantile]) -> list[tuple[Quantile, ...]]:
    """The quantiles that are chosen together: of one column, at three levels or more."""
    found: dict[object, list[Quantile]] = {}
    for place in asked:
        if place.aggregate.statistic is Statistic.QUANTILE and not place.side:
            found.setdefault(place.grid, []).append(place)
    return [
        tuple(each) for each in found.values() if len({place.level for place in each}) >= FEWEST
    ]


@dataclass(frozen=True)
class QuantileTree:
    """Several quantiles of one column, with one price.

    Guarantee: all of them in all groups together are loss-DP with ``norm`` L1, and loss^2/8-zCDP
        with L2; they never fall where levels rise.
    Needs: weights bounded in that norm by the spread.
    Edges: an empty group has any points, in order.  Shares of the budget that single quantiles were
        given by ``weights`` are added up.
    Reference: Kaplan, Schnapp and Stemmer 2022.
    Proof: quantiles.md, Several quantiles.
    """

    places: tuple[Quantile, ...]
    spread: Spread
    loss: Fraction

    @cached_property
    def root(self) -> Node:
        levels = sorted({place.level for place in self.places})
        whole = self.loss if self.spread.norm is Norm.L1 else self.loss**2
        made = self._node(levels, Fraction(0), Fraction(1), whole)
        assert made is not None
        return made

    def _node(
        self, levels: list[Fraction], low: Fraction, high: Fraction, left: Fraction
    ) -> Node | None:
        """The tree of levels between two others.

        ``left`` is what is left to spend on each path: a loss, or in L2 the square of one.
        """
        if not levels:
            return None
        middle = len(levels) // 2
        level = levels[middle]
        loss = share = left / len(levels).bit_length()  # as many as the longest path has choices
        if self.spread.norm is Norm.L2:
            loss = lower(lambda: ball(share).sqrt())
            share = loss**2
        return Node(
            level,
            (level - low) / (high - low),
            loss,
            self._node(levels[:middle], low, level, left - share),
            self._node(levels[middle + 1 :], level, high, left - share),
        )

    def rate(self, node: Node) -> Fraction:
        """How much a unit of weight in rank counts in one choice."""
        return node.loss / (2 * node.pull * self.spread.sensitivity.value)

    def mechanism(self, node: Node) -> Exponential:
        """A choice, for losses in parts of a unit of weight times the denominator of the rank."""
        parts = node.rank.denominator * SPLIT
        return Exponential(epsilon=2 * self.rate(node) / parts, sensitivity=1)

    @property
    def event(self) -> Event:
        """What all choices cost together, for all groups."""
        return PlacedQuantile(self.places[0], self.spread, self.loss).event

    @property
    def rates(self) -> list[Fraction]:
        """How much a unit of weight in rank counts in each of the choices."""
        return [self.rate(node) for node in nodes_of(self.root)]

    def rank_error(self, place: Quantile, confidence: Fraction) -> float:
        """How far off in rank, counted in rows, one of the quantiles can be at this confidence,
        besides a thousandth of the rows that share a value with one chosen before it.
        """
        count = len({each.level for each in self.places})
        each, many = 1 - (1 - confidence) / count, self.places[0].points * SPLIT

        def search(node: Node, low: float, high: float) -> float:
            gap = self.mechanism(node).error(each, candidates=many)
            own = gap / (node.rank.denominator * SPLIT)
            rank = float(node.rank)
            off = own + (1 - rank) * low + rank * high
            if node.level == place.level:
                return off
            if place.level < node.level:
                assert node.below is not None
                return search(node.below, low, off)
            assert node.above is not None
            return search(node.above, off, high)

        return search(self.root, 0.0, 0.0) / self.spread.fraction

    def release(self, engine: Engine, groups: list[Group]) -> list[dict[Quantile, Fraction]]:
        """The points of each group, on the number line of the argument."""
        found: list[dict[Quantile, Fraction]] = []
        for start in range(0, len(groups), _BATCH):
            some = groups[start : start + _BATCH]
            weighed = engine.weights(replace(self.spread, only=tuple(some)))
            found += self.chosen([weighed.get(group, NO_WEIGHTS) for group in some])
        return found

    def chosen(self, weighed: Sequence[ValueWeights]) -> list[dict[Quantile, Fraction]]:
        """The points of groups with these weights: one choice after the other, by depth."""
        grid = self.places[0].grid
        groups = [Positions.of(each, grid) for each in weighed]
        levels: list[dict[Fraction, int]] = [{} for _ in groups]
        parts = [(at, self.root, group.whole) for at, group in enumerate(groups)]
        while parts:
            positions = self._at_one_depth(groups, parts)
            below: list[tuple[int, Node, PositionSpan]] = []
            for (at, node, span), position in zip(parts, positions, strict=True):
                levels[at][node.level] = position
                halves = (
                    (node.below, PositionSpan(span.start, position)),
                    (node.above, PositionSpan(position, span.end)),
                )
                below += [(at, child, half) for child, half in halves if child is not None]
            parts = below
        return [{place: self._value(each[place.level]) for place in self.places} for each in levels]

    def _value(self, position: int) -> Fraction:
        return PlacedQuantile(self.places[0], self.spread, self.loss).point(position // SPLIT)

    def _at_one_depth(
        self, groups: list[Positions], parts: list[tuple[int, Node, PositionSpan]]
    ) -> list[int]:
        """The positions of all choices at one depth; every row lies in one part at most."""
        nodes = {node.level: node for _, node, _ in parts}
        made = {level: self.mechanism(node) for level, node in nodes.items()}
        return meet(
            lambda: [_choice(groups[at], node, span, made[node.level]) for at, node, span in parts],
            lambda: self._meeting(groups, parts),
        )

    def _meeting(
        self, groups: list[Positions], parts: list[tuple[int, Node, PositionSpan]]
    ) -> NoiseWitness:
        """What a witness is told: for each part the losses at public positions, over how far a unit
        of weight moves them at most.  The largest movements of all parts together are bounded.
        """
        flat: list[Fraction] = []
        for at, node, span in parts:
            scale = node.rank.denominator * SPLIT * node.pull
            losses = groups[at].losses_at(span, node.rank, witnessed(span))
            flat += [-loss / scale for loss in losses]
        claim = Moves.of(self.spread.sensitivity, block=_WITNESSED)
        rates = tuple(self.rate(node) for _, node, _ in parts)
        return NoiseWitness(self, ("gumbel_race", *rates), flat, claim)


def _choice(group: Positions, node: Node, span: PositionSpan, mechanism: Exponential) -> int:
    """A position of one part."""
    if span.start == span.end:  # nothing lies below the lowest position
        return span.start
    runs = group.runs(span, node.rank, mechanism.rate)
    run, inside = mechanism.choose_in_runs(-runs.losses, runs.lengths, runs.behind)
    return int(runs.starts[run]) + inside


def witnessed(span: PositionSpan) -> NDArray[np.int64]:
    """Positions of a part, evenly spread; some of them twice where there are few."""
    last = max(0, span.end - span.start - 1)
    return np.array(
        [span.start + last * at // (_WITNESSED - 1) for at in range(_WITNESSED)], dtype=np.int64
    )


def nodes_of(node: Node | None) -> list[Node]:
    """A choice and all those below and above it."""
    return [] if node is None else [node, *nodes_of(node.below), *nodes_of(node.above)]
