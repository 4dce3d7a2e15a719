"""The loss of a release whose neighbours are of several sorts, each with a loss of its own: the
largest of their profiles.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from shoal.exact import float_down, float_up
from shoal.loss.bracket import Bracket
from shoal.loss.cells import Cells, Floats
from shoal.loss.delta_levels import TOLERANCE
from shoal.loss.direction import Direction
from shoal.loss.loss_sources import Sources, cells_between

TAIL_ERROR = 2.0**-29
"""How far a tail that is added up from at most 2^23 cells can be off, in relative terms."""


@runtime_checkable
class HasRanges(Protocol):
    """A loss that knows what both its laws give to any range of it; neither law has mass where the
    other has none.
    """

    def reach(self, smallest: float) -> tuple[float, float]:
        """Losses beyond which each law has at most ``smallest``."""

    def between(self, ends: Floats) -> tuple[Floats, Floats]:
        """The masses of P and of Q on losses from each end, inclusive, up to the next."""


@dataclass(frozen=True)
class LargestLoss:
    """The pair of laws that needs, at every epsilon, the largest delta that any of the given losses
    needs.

    Each of ``ways`` is what is lost if the person is in one place, for example in one of several
    disjoint parts: some losses that add up.

    Guarantee: by itself the release needs exactly the largest of these deltas.  The largest of
        convex profiles is convex, so it is the profile of a pair of laws, and that pair stands for
        the release in composition, whatever place is chosen in view of earlier answers.
    Needs: at least one way; for `cells`, one loss with `HasRanges` in each (`can_be_cut`).
    Edges: several of these releases need less than the pair unless one way is the worst at every
        epsilon.
    Reference: Zhu, Dong and Wang 2022, Proposition 8 (profiles and pairs) and Theorem 10
        (composition).  Proof: loss.md.
    """

    ways: tuple[Sources, ...]

    @property
    def can_be_cut(self) -> bool:
        """Whether each way is one loss whose ranges have known masses, so that it can be composed
        with others.
        """
        return all(
            len(way) == 1
            and way[0][1] == 1
            and isinstance(way[0][0], HasRanges)
            and not getattr(way[0][0], "infinite", 0.0)
            for way in self.ways
        )

    @property
    def largest(self) -> float:
        return max(sum(copies * source.largest for source, copies in way) for way in self.ways)

    @property
    def blur(self) -> float:
        return max(
            sum(copies * float(getattr(source, "blur", 0.0)) for source, copies in way)
            for way in self.ways
        )

    @property
    def spacing(self) -> float | None:
        spaced = [source.spacing for way in self.ways for source, _ in way if source.spacing]
        return max(spaced, default=None)

    def epsilon_alone(self, delta: Fraction) -> Bracket:
        found = [Direction(way).epsilon(float_down(delta), TOLERANCE) for way in self.ways]
        return reduce(Bracket.joined, found)

    def delta_alone(self, low: Fraction, high: Fraction) -> Bracket:
        found = [Direction(way).delta(float_down(low), float_up(high)) for way in self.ways]
        return reduce(Bracket.joined, found)

    def span(self, smallest: float) -> float:
        low, high = self._reach(smallest)
        return high - low

    def cells(self, step: float, smallest: float) -> Cells:
        edges = self._edges(step, smallest)
        tails = [_Tails(pair, edges) for pair in self._pairs]
        best = np.argmax([one.gains for one in tails], axis=0)
        same = best[:-1] == best[1:]
        mass = np.choose(best[:-1], [one.mass for one in tails])
        other = np.choose(best[:-1], [one.other for one in tails])
        for cell in np.flatnonzero(~same):
            one, next_one = tails[best[cell]], tails[best[cell + 1]]
            mass[cell], other[cell] = _across(one, next_one, int(cell), edges)
        found = cells_between(
            step,
            edges,
            mass,
            other,
            above=max(one.above for one in tails),
            below=max(one.below for one in tails),
        )
        missing = 6 * _shortfall(tails, best) / -math.expm1(-step)
        return replace(found, infinite=missing, blur=self.blur)

    @property
    def _pairs(self) -> list[HasRanges]:
        pairs = [way[0][0] for way in self.ways]
        return [pair for pair in pairs if isinstance(pair, HasRanges)]

    def _reach(self, smallest: float) -> tuple[float, float]:
        ends = [pair.reach(smallest) for pair in self._pairs]
        return min(low for low, _ in ends), max(high for _, high in ends)

    def _edges(self, step: float, smallest: float) -> Floats:
        """Grid points that hold the lowest atom of the way whose atoms are furthest apart."""
        low, high = self._reach(smallest)
        spaced = [
            (source.spacing, pair.reach(smallest)[0])
            for ((source, _),), pair in zip(self.ways, self._pairs, strict=True)
            if source.spacing
        ]
        anchor = max(spaced)[1] if spaced else low
        first = math.floor((low - anchor) / step) - 1
        last = math.ceil((high - anchor) / step) + 1
        edges: Floats = anchor + step * np.arange(first, last + 1)
        return edges


class _Tails:
    """What one pair gives to each cell and to all that lies above or below each edge, and the delta
    it needs there.

    From 0 on ``gains`` is delta; below, where all deltas are near 1 - e^epsilon, it is what delta
    has more than that, which is e^epsilon Q - P of all that lies below.
    """

    def __init__(self, pair: HasRanges, edges: Floats) -> None:
        ends = np.concatenate([[-np.inf], edges, [np.inf]])
        mass, other = pair.between(ends)
        self.mass, self.other = mass[1:-1], other[1:-1]
        self.above, self.below = 2 * float(mass[-1]), 2 * float(mass[0])
        self.upper = mass[::-1].cumsum()[::-1][1:], other[::-1].cumsum()[::-1][1:]
        self.lower = mass.cumsum()[:-1], other.cumsum()[:-1]
        grown = np.exp(edges)
        above, below = ((first, grown * second) for first, second in (self.upper, self.lower))
        self.gains: Floats = np.where(edges >= 0, above[0] - above[1], below[1] - below[0])
        self.doubts: Floats = TAIL_ERROR * np.where(
            edges >= 0, np.maximum(*above), np.maximum(*below)
        )


def _across(one: _Tails, next_one: _Tails, cell: int, edges: Floats) -> tuple[float, float]:
    """The masses of a cell at whose right end another pair is the largest: more under P and less
    under Q by all they may be off.
    """
    if edges[cell + 1] > 0:
        pairs = [(one.upper[law][cell], next_one.upper[law][cell + 1]) for law in (0, 1)]
    else:
        pairs = [(next_one.lower[law][cell + 1], one.lower[law][cell]) for law in (0, 1)]
    (more, less), (other_more, other_less) = pairs
    mass = float(more - less) + 4 * TAIL_ERROR * float(max(more, less))
    other = float(other_more - other_less) - 2 * TAIL_ERROR * float(max(other_more, other_less))
    return max(mass, 0.0), max(other, 0.0)


def _shortfall(tails: list[_Tails], best: NDArray[np.intp]) -> float:
    """By how much the largest delta may be above that of the pair taken for the largest, over all
    edges.
    """
    gains, doubts = np.array([one.gains for one in tails]), np.array([one.doubts for one in tails])
    chosen = best[np.newaxis, :]
    least = np.take_along_axis(gains - doubts, chosen, axis=0)
    most = gains + doubts
    np.put_along_axis(most, chosen, -np.inf, axis=0)
    short = np.maximum(most - least, 0.0)
    return float(short.max(axis=0).sum())
