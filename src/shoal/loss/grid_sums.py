"""Many losses added up on a grid: both twins of each loss, as fine as the bracket wanted asks
for.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from shoal.loss.bracket import Bracket
from shoal.loss.cells import Cells
from shoal.loss.delta_levels import TOLERANCE, LevelledSum
from shoal.loss.fourier_sum import Part, TransformedSum, compose, log_moment, spread_of
from shoal.loss.loss_sources import Sources

_IN_DELTA = 3e-4
"""What a bracket of epsilon may be wide in terms of the logarithm of delta, whose slope is about
the tilt.
"""
_LEFT_OUT = 1e-9
"""Of delta, what may be left out of the losses."""
_LEAST_DELTA = 1e-30
_COARSE_CELLS = 2048
_COARSER = 4
_LEAST_SPREAD, _ROOT = 1e-9, math.sqrt(2 * math.pi)
_MOST_CELLS = 1 << 22
_CANDIDATES = 4096
_PASSES = 5
_TILTS = (1e-4, 1e4)
_WIDEST = 40.0
"""Sums that spread over more than this are left to other measures: such an epsilon promises
nothing.
"""


@dataclass(frozen=True)
class _Side:
    """The sum of the twins of one side, and what it can be off by; None where it spreads too
    far.
    """

    composed: TransformedSum | None
    pad: float
    up: bool

    def delta(self, epsilon: float) -> float:
        if self.composed is None:
            return 1.0 if self.up else 0.0
        return self.composed.delta(epsilon + (-self.pad if self.up else self.pad), up=self.up)

    def epsilon(self, delta: float) -> float | None:
        """Epsilon at a delta; None where it is not on the arc."""
        if self.composed is None:
            return math.inf if self.up else 0.0
        found = self.composed.epsilon(delta, up=self.up)
        if found is not None:
            return max(0.0, found + self.pad if self.up else found - self.pad)
        first = self.composed.start if self.up else self.composed.sure
        if first <= 0 and self.composed.delta(first, up=self.up) <= delta:
            return 0.0
        return math.inf if self.up and self.composed.infinite >= delta else None


@dataclass(frozen=True)
class GridProfile:
    """Both twins of a sum on a grid, seen at the tilts where one delta is decided."""

    above: _Side
    below: _Side
    bracket: Bracket

    @classmethod
    def at(cls, cells: Sequence[tuple[Cells, int]], tilt: float, delta: float) -> GridProfile:
        above, below = (_solved(cells, tilt, delta, up=up) for up in (True, False))
        low, high = below.epsilon(delta), above.epsilon(delta)
        return cls(above, below, Bracket(low or 0.0, math.inf if high is None else high))

    def best(self, other: GridProfile | None) -> GridProfile:
        """Of two, the better one on either side: too fine a grid can be more than memory is spent
        on.
        """
        if other is None:
            return self
        above = min(self, other, key=lambda one: one.bracket.high).above
        below = max(self, other, key=lambda one: one.bracket.low).below
        return GridProfile(above, below, self.bracket.met(other.bracket))

    def most(self, epsilon: float) -> float:
        return self.above.delta(epsilon)

    def least(self, epsilon: float) -> float:
        return self.below.delta(epsilon)

    def epsilon(self, delta: float) -> Bracket | None:
        low, high = self.below.epsilon(delta), self.above.epsilon(delta)
        return None if low is None or high is None else Bracket(low, high)


class GridSum(LevelledSum):
    """Any sum of losses."""

    def epsilon(
        self, delta: float, tolerance: float = TOLERANCE, *, floor: float = -math.inf
    ) -> Bracket:
        found = super().epsilon(delta, tolerance, floor=floor)
        if found is None:  # beside the arc of its level: an enclosure of its own
            *_, last = self._passes(delta, tolerance)
            found = last.bracket
        return found

    def delta(self, low: float, high: float, *, floor: float = 0.0) -> Bracket:
        return super().delta(low, high, floor=floor) or Bracket(0.0, 1.0)

    def _passes(self, delta: float, tolerance: float) -> Iterator[GridProfile]:
        smallest, tilt = self._scale(delta)
        tolerance = min(tolerance, _IN_DELTA / (1 + tilt))
        step = _first_step(self._sources, smallest, tilt, tolerance)
        found: GridProfile | None = None
        for _ in range(_PASSES):
            found = self._with_step(step, smallest, tilt, delta).best(found)
            yield found
            # For a large epsilon the tolerance is relative: one part in 10^7.
            width, allowed = found.bracket.width, max(tolerance, 1e-7 * found.bracket.low)
            if width <= allowed or found.bracket.high == math.inf:
                return
            # The twins differ from the truth in second order of the step, so its square is scaled;
            # 0.9 leaves some room.
            step *= min(0.5, 0.9 * math.sqrt(allowed / width))
            if step < _finest(self._sources, smallest):
                return

    def _coarse(self, delta: float) -> GridProfile:
        smallest, tilt = self._scale(delta)
        tolerance = min(TOLERANCE, _IN_DELTA / (1 + tilt))
        step = _COARSER * _first_step(self._sources, smallest, tilt, tolerance)
        return self._with_step(step, smallest, tilt, delta)

    def _about(self, epsilon: float) -> float | None:
        parts = _coarse_parts(self._sources, _LEAST_DELTA / sum(n for _, n in self._sources))
        tilt = _best_tilt(parts, lambda cumulant, tilt: cumulant - tilt * epsilon)
        # Laplace's method where the weighted sum is nearly normal
        size = log_moment(parts, tilt) - tilt * epsilon
        spread = max(spread_of(parts, tilt), _LEAST_SPREAD)
        return math.exp(min(0.0, size - math.log(tilt * (1 + tilt) * spread * _ROOT)))

    def _scale(self, delta: float) -> tuple[float, float]:
        """What may be left out of each loss, and the tilt near which a delta is decided."""
        smallest = delta * _LEFT_OUT / sum(copies for _, copies in self._sources)
        return smallest, _best_tilt(_coarse_parts(self._sources, smallest), _renyi_bound(delta))

    def _with_step(self, step: float, smallest: float, tilt: float, delta: float) -> GridProfile:
        step = _aligned(self._sources, step)
        cells = [(source.cells(step, smallest), copies) for source, copies in self._sources]
        return GridProfile.at(cells, tilt, delta)


def _solved(cells: Sequence[tuple[Cells, int]], tilt: float, delta: float, *, up: bool) -> _Side:
    """The sum of one twin; its tilt is moved until the epsilon at a delta is on the arc."""
    parts: list[Part] = [
        (each.pessimistic() if up else each.optimistic(), copies) for each, copies in cells
    ]
    pad = _pad(parts)
    for _ in range(24):
        if spread_of(parts, tilt) > min(_WIDEST, parts[0][0].step * _MOST_CELLS / 16):
            break
        side = _Side(compose(parts, tilt), pad, up)
        if side.epsilon(delta) is not None:
            return side
        assert side.composed is not None
        tilt *= 0.5 if side.composed.delta(side.composed.start, up=up) <= delta else 2
    return _Side(None, pad, up)


def _pad(parts: Sequence[Part]) -> float:
    """What atoms taken as on the grid, and losses as floats, can move the sum by."""
    return sum(
        copies * (lattice.blur + 4e-9 * lattice.step + 2.0**-50 * abs(lattice.origin))
        for lattice, copies in parts
    )


def _renyi_bound(delta: float) -> Callable[[float, float], float]:
    def bound(cumulant: float, tilt: float) -> float:
        extra = tilt * math.log(tilt) - (1 + tilt) * math.log1p(tilt)
        return (cumulant - math.log(delta) + extra) / tilt

    return bound


def _coarse_parts(sources: Sources, smallest: float) -> list[Part]:
    """Coarse twins, each on a grid of its own."""
    return [
        (source.cells(source.span(smallest) / _COARSE_CELLS, smallest).pessimistic(), copies)
        for source, copies in sources
    ]


def _best_tilt(parts: Sequence[Part], bound: Callable[[float, float], float]) -> float:
    """The tilt at which a bound from the cumulants is least: near it the sum is decided."""

    def value(log_tilt: float) -> float:
        tilt = math.exp(log_tilt)
        return bound(log_moment(parts, tilt), tilt)

    low, high = math.log(_TILTS[0]), math.log(_TILTS[1])
    # Golden section: the bound falls and then rises with the tilt, and each step costs one
    # evaluation. A tilt that is off widens the bracket; it cannot make it wrong.
    golden = (math.sqrt(5) - 1) / 2
    left, right = high - golden * (high - low), low + golden * (high - low)
    at_left, at_right = value(left), value(right)
    for _ in range(20):
        if at_left < at_right:
            high, right, at_right = right, left, at_left
            left = high - golden * (high - low)
            at_left = value(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + golden * (high - low)
            at_right = value(right)
    return math.exp((low + high) / 2)


def _first_step(sources: Sources, smallest: float, tilt: float, tolerance: float) -> float:
    """A step whose spreading of the sum moves epsilon by about the tolerance."""
    copies = sum(count for _, count in sources)
    # Each loss is spread by at most h^2 / 4 in variance (loss.md, The twins of a cell), so the
    # step goes with the root of the tolerance.
    wanted = math.sqrt(1.4 * tolerance / (copies * (1 + tilt)))
    return max(wanted, _finest(sources, smallest))


def _finest(sources: Sources, smallest: float) -> float:
    """The smallest step that memory is spent on."""
    return max(source.span(smallest) for source, _ in sources) / _MOST_CELLS


def _aligned(sources: Sources, step: float) -> float:
    """A step near this one that puts the atoms of all losses on grid points, or just above them."""
    spacings = sorted(
        {source.spacing for source, _ in sources if source.spacing and source.spacing >= step}
    )
    if not spacings:
        return step
    fewest = math.ceil(spacings[0] / step)
    tried = min(_CANDIDATES, fewest) if len(spacings) > 1 else 1
    steps = spacings[0] / np.arange(fewest, fewest + tried)
    beside = np.zeros(len(steps))
    for spacing in spacings[1:]:
        where = spacing / steps
        beside = np.maximum(beside, where - np.floor(where + 1e-9))
    return float(steps[int(np.argmin(beside * steps + 1e-3 * (steps[0] - steps)))])
