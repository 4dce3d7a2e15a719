"""The weights of one group spread over positions: each point of a grid has `SPLIT` of them.

The weight up to a position is a piecewise linear function of it.  All numbers are whole, in parts of
a unit of weight of which `SPLIT` make one, so that rows of one value can be split between two parts
of the positions and nothing is lost or counted twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.plan import Term, ValueWeights

SPLIT = 1 << 10
"""So many positions share the rows of one value."""

_SAFE = 1 << 62
"""Losses below this are computed in 64 bits."""

_FLAT, _NEAR = 1.0, 64.0
"""Positions of a point are runs of their own where their losses differ by more than this and lie
nearer than that, both in units of 1 / rate: those of some hundred points at most.

This decides how long a draw takes and not what it gives: other points are drawn as one run, of which
few positions are refused, or that is drawn once in e^64.
"""


class PositionSpan(NamedTuple):
    """Positions from ``start`` up to but not including ``end``."""

    start: int
    end: int


@dataclass(frozen=True)
class SplitRuns:
    """Runs of positions, in no order: where each starts, its length and its least loss; ``low`` is
    the weight below it in its part, and ``slope`` what each of its positions weighs.
    """

    starts: NDArray[np.int64]
    lengths: NDArray[np.int64]
    losses: NDArray[Any]
    low: NDArray[Any]
    slope: NDArray[Any]
    unit: int
    wanted: int

    def behind(self, run: int, place: int) -> int:
        """How much larger the loss of one position is than the least of its run."""
        slope = int(self.slope[run])
        low = self.unit * (int(self.low[run]) + slope * place)
        loss = max(0, low - self.wanted, self.wanted - low - self.unit * slope)
        return loss - int(self.losses[run])


@dataclass(frozen=True)
class Positions:
    """Points counted from 0 on, their weights, and the weight below each and in all."""

    points: NDArray[np.int64]
    weights: NDArray[np.int64]
    below: NDArray[np.int64]
    whole: PositionSpan

    @classmethod
    def of(cls, found: ValueWeights, grid: Term) -> Positions:
        below = np.concatenate([np.zeros(1, np.int64), np.cumsum(found.weights)])
        whole = PositionSpan(0, (grid.hi - grid.lo + 1) * SPLIT)
        return cls(found.values - grid.lo, found.weights, below, whole)

    def upto(self, positions: NDArray[np.int64]) -> NDArray[Any]:
        """The weight below each position."""
        places, inside = np.divmod(positions, SPLIT)
        at = np.searchsorted(self.points, places)
        held = self._wide(self.below)[at] * SPLIT
        there = np.flatnonzero(at < len(self.points))
        there = there[self.points[at[there]] == places[there]]
        held[there] += self._wide(self.weights)[at[there]] * inside[there]
        return held

    def _wide(self, numbers: NDArray[np.int64]) -> NDArray[Any]:
        """Numbers that can be taken `SPLIT` times."""
        return numbers if int(self.below[-1]) * SPLIT < _SAFE else numbers.astype(object)

    def wanted(self, span: PositionSpan, rank: Fraction) -> tuple[int, int]:
        """The weight below a part, and the rank looked for in it times its denominator."""
        ends = self.upto(np.array(span, dtype=np.int64))
        return int(ends[0]), rank.numerator * (int(ends[1]) - int(ends[0]))

    def losses_at(
        self, span: PositionSpan, rank: Fraction, positions: NDArray[np.int64]
    ) -> list[int]:
        """The losses of some positions of a part, times the denominator of the rank."""
        if span.start == span.end:
            return [0] * len(positions)
        base, wanted = self.wanted(span, rank)
        low = (int(each) - base for each in self.upto(positions))
        high = (int(each) - base for each in self.upto(positions + 1))
        unit = rank.denominator
        pairs = zip(low, high, strict=True)
        return [max(0, unit * one - wanted, wanted - unit * two) for one, two in pairs]

    def runs(self, span: PositionSpan, rank: Fraction, rate: Fraction) -> SplitRuns:
        """The runs of a part: the gaps between points, and points, whole or by position."""
        first = int(np.searchsorted(self.points, span.start // SPLIT))
        last = int(np.searchsorted(self.points, (span.end - 1) // SPLIT, side="right"))
        points, weights = self.points[first:last], self.weights[first:last]
        starts = np.empty(2 * len(points) + 1, np.int64)
        starts[0] = span.start
        starts[1::2] = np.maximum(points * SPLIT, span.start)
        starts[2::2] = np.minimum((points + 1) * SPLIT, span.end)
        lengths = np.diff(starts, append=span.end)
        slope = np.zeros(len(starts), np.int64)
        slope[1::2] = weights
        base, wanted = self.wanted(span, rank)
        unit, total = rank.denominator, int(self.below[-1]) * SPLIT
        low = self.upto(starts) - base
        if unit * total >= _SAFE:
            low, slope = low.astype(object), slope.astype(object)
        there = lengths > 0
        starts, lengths, low, slope = (each[there] for each in (starts, lengths, low, slope))
        losses = _losses(low, low + slope * lengths, unit, wanted)
        steep = (slope * lengths).astype(float) > _FLAT / float(unit * rate)
        steep &= losses.astype(float) < _NEAR / float(rate)
        if steep.any():
            by_position = _by_position(starts[steep], lengths[steep], low[steep], slope[steep])
            columns = zip((starts, lengths, low, slope), by_position, strict=True)
            starts, lengths, low, slope = (
                np.concatenate([each[~steep], more]) for each, more in columns
            )
            losses = _losses(low, low + slope * lengths, unit, wanted)
        return SplitRuns(starts, lengths, losses, low, slope, unit, wanted)


def _by_position(
    starts: NDArray[np.int64], lengths: NDArray[np.int64], low: NDArray[Any], slope: NDArray[Any]
) -> tuple[NDArray[Any], ...]:
    """Runs with one for each of their positions."""
    inside = np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    first, below, weight = (np.repeat(each, lengths) for each in (starts, low, slope))
    return first + inside, np.ones(len(inside), np.int64), below + weight * inside, weight


def _losses(low: NDArray[Any], high: NDArray[Any], unit: int, wanted: int) -> NDArray[Any]:
    """How far the wanted rank lies outside of the ranks that runs cover."""
    found: NDArray[Any] = np.maximum(np.maximum(low * unit - wanted, wanted - high * unit), 0)
    return found
