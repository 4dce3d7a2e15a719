"""Sums of losses by smoothed lines: which lines serve one level of delta, and what is read off
them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from shoal.loss.bracket import Bracket
from shoal.loss.delta_levels import TOLERANCE, EnclosedProfile, LevelledSum
from shoal.loss.inversion_search import LineSearch, LocalSlope
from shoal.loss.line_pieces import LinePair
from shoal.loss.line_sums import LineSum

_LOST = 1e-7
"""Of delta, what may be left out of the losses, and of the sum."""
_GAIN = 0.8
"""Where finer cells leave more of the width than this, it has other causes."""
_MANY = 1 << 16
"""A line with more terms is not sharpened: that would take as long again."""
_SHARP = 1e-6
"""Nor are lines that tell epsilon as narrowly as this."""
_LEAST_DELTA = 1e-30
_USEFUL, _NEARLY = 10.0, 0.25
"""A bracket this many times as wide as was wanted, and wider than such a share of epsilon, is left
to others.
"""


@dataclass(frozen=True)
class LevelLines:
    """The lines for one delta, and where they find it."""

    above: LineSum
    lines: LinePair
    there: LocalSlope
    bracket: Bracket
    lost: float

    def most(self, epsilon: float) -> float:
        return math.exp(min(0.0, self.above.log_delta(epsilon))) + self.lost

    def least(self, epsilon: float) -> float:
        return math.exp(min(0.0, self.lines.below().log_delta(epsilon)))

    def epsilon(self, delta: float) -> Bracket | None:
        above, near = self.above, self.there.epsilon
        wanted = math.log(delta * (1 - 2 * _LOST))  # what is left out is lost
        found = above.solved(wanted, near, closely=True)
        high = found and above.enclosed(wanted, *found)
        if high is None:
            return None
        low = lower_end(self.lines, delta, near, closely=True) if self.bracket.high else 0.0
        return Bracket(low, high)


class SmoothedSum(LevelledSum):
    """A sum of losses of which every one has fine cells, is normal or has few values
    (`can_smooth`).
    """

    def _passes(self, delta: float, tolerance: float) -> Iterator[LevelLines]:
        search = LineSearch(self._sources, delta * _LOST)
        wanted, wanted_up = math.log(delta), math.log(delta * (1 - 2 * _LOST))
        there: LocalSlope | None = None
        last: LevelLines | None = None
        width = math.inf
        while (lines := search.lines(there, wanted, tolerance)) is not None:
            near = there.epsilon if there else search.renyi(wanted)
            found = lines.above.solved(wanted_up, near)
            high = found and lines.above.enclosed(wanted_up, *found)
            if there is None and (high is None or high > near):
                # too coarse to hear delta: begin with the moments
                there = search.start(wanted)
                search.refined(there, tolerance, None)
                continue
            if found is None:
                return
            before, there = there, LocalSlope(*found)
            steady = lines.limited or (before is not None and there.is_as_steep_as(before))
            low = lower_end(lines, delta, there.epsilon) if steady and high else 0.0
            bracket = Bracket(low, math.inf if high is None else high)
            is_stuck = steady and bracket.width > _GAIN * width
            width = bracket.width if steady else math.inf
            if last is None or bracket.width <= last.bracket.width:
                last = LevelLines(lines.above, lines, there, bracket, search.lost)
                yield last
            narrow = steady and search.is_narrow(bracket, there, tolerance)
            if high == 0:
                return
            if narrow or is_stuck or lines.limited:
                break
            if not search.refined(there, tolerance, bracket.width if low else None):
                break
        if last is None or last.lines.count > _MANY or last.bracket.width < _SHARP:
            return
        if (above := search.sharpened(last.there, wanted)) is not None:
            found = above.solved(wanted_up, last.there.epsilon, closely=True)
            high = found and above.enclosed(wanted_up, *found)
            if high is not None and high <= last.bracket.high:
                bracket = Bracket(last.bracket.low, high)
                yield LevelLines(above, last.lines, last.there, bracket, search.lost)

    def _about(self, epsilon: float) -> float | None:
        search = LineSearch(self._sources, _LEAST_DELTA)
        lines = search.lines(None, search.chernoff(epsilon), TOLERANCE, at=epsilon)
        size = -math.inf if lines is None else lines.above.told(epsilon)[0]
        return math.exp(min(0.0, size)) if math.isfinite(size) else None

    def _is_useful(self, found: EnclosedProfile, tolerance: float) -> bool:
        allowed = max(
            _USEFUL * tolerance * max(1.0, found.bracket.low),
            _NEARLY * found.bracket.low,
        )
        return found.bracket.width <= allowed


def lower_end(lines: LinePair, delta: float, near: float, *, closely: bool = False) -> float:
    """Epsilon at a delta from below; 0 where nothing is known."""
    wanted = math.log(delta)
    found = lines.below().solved(wanted, near, closely=closely)
    return (found and lines.below().enclosed(wanted, *found)) or 0.0
