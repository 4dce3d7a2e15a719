"""Many losses added up on a grid: both twins of each loss, as fine as the bracket wanted asks for."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from shoal.loss.bracket import Bracket
from shoal.loss.cells import Cells
from shoal.loss.loss_sources import Sources
from shoal.loss.transform import Part, compose, log_moment, spread_of

TOLERANCE = 1e-4
"""How wide a bracket of epsilon may be before the grid is refined."""

_IN_DELTA = 3e-4
"""What a bracket of epsilon may be wide in terms of the logarithm of delta, whose slope is about the tilt."""
_COARSE_CELLS = 2048
_MOST_CELLS = 1 << 22
_CANDIDATES = 4096
_PASSES = 5
_TILTS = (1e-4, 1e4)
_WIDEST = 40.0
"""Sums that spread over more than this are left to other measures: such an epsilon promises nothing."""


def grid_epsilon(
    sources: Sources, delta: float, tolerance: float, *, floor: float = -math.inf
) -> Bracket:
    """Epsilon at a delta; it may stop early once it is known to lie below ``floor``."""
    smallest = delta * 1e-9 / sum(copies for _, copies in sources)
    tilt = _best_tilt(sources, smallest, _renyi_bound(delta))
    tolerance = min(tolerance, _IN_DELTA / (1 + tilt))
    step = _first_step(sources, smallest, tilt, tolerance) * (4 if floor > 0 else 1)
    best = Bracket(0.0, math.inf)
    for _ in range(_PASSES):
        step = _aligned(sources, step)
        cells = [(source.cells(step, smallest), copies) for source, copies in sources]
        found = Bracket(_solved(cells, tilt, delta, up=False), _solved(cells, tilt, delta, up=True))
        best = Bracket(max(best.low, found.low), min(best.high, found.high))
        allowed = max(tolerance, 1e-7 * best.low)
        if best.width <= allowed or best.high <= floor or best.high == math.inf:
            break
        step *= min(0.5, 0.9 * math.sqrt(allowed / best.width))
        if step < _finest(sources, smallest):
            break
    return best


def grid_delta(sources: Sources, low: float, high: float) -> Bracket:
    """Delta between an epsilon rounded down and the same rounded up."""
    copies = sum(count for _, count in sources)
    smallest = 1e-30 / copies
    tilt = _best_tilt(sources, smallest, lambda cumulant, tilt: cumulant - tilt * high)
    step = _aligned(
        sources, _first_step(sources, smallest, tilt, min(TOLERANCE, _IN_DELTA / (1 + tilt)) / 4)
    )
    cells = [(source.cells(step, smallest), count) for source, count in sources]
    upper: list[Part] = [(each.pessimistic(), count) for each, count in cells]
    lower: list[Part] = [(each.optimistic(), count) for each, count in cells]
    if spread_of(upper, tilt) > min(_WIDEST, step * _MOST_CELLS / 16):
        return Bracket(0.0, 1.0)
    above, below = compose(upper, tilt), compose(lower, tilt)
    return Bracket(
        below.delta(high + _pad(lower), up=False), above.delta(low - _pad(upper), up=True)
    )


def _solved(cells: Sequence[tuple[Cells, int]], tilt: float, delta: float, *, up: bool) -> float:
    """Epsilon at delta for one twin, moving the tilt until the answer lies on the arc."""
    parts: list[Part] = [
        (each.pessimistic() if up else each.optimistic(), copies) for each, copies in cells
    ]
    for _ in range(24):
        if spread_of(parts, tilt) > min(_WIDEST, parts[0][0].step * _MOST_CELLS / 16):
            break
        composed = compose(parts, tilt)
        found = composed.epsilon(delta, up=up)
        if found is not None:
            return max(0.0, found + _pad(parts) if up else found - _pad(parts))
        if composed.delta(composed.start, up=up) <= delta:
            if composed.start <= 0:
                return 0.0
            tilt /= 2
        elif composed.infinite >= delta:
            return math.inf
        else:
            tilt *= 2
    return math.inf if up else 0.0


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


def _best_tilt(sources: Sources, smallest: float, bound: Callable[[float, float], float]) -> float:
    """The tilt at which a bound from the cumulants is least: near it the sum is decided."""
    parts: list[Part] = [
        (source.cells(source.span(smallest) / _COARSE_CELLS, smallest).pessimistic(), copies)
        for source, copies in sources
    ]

    def value(log_tilt: float) -> float:
        tilt = math.exp(log_tilt)
        return bound(log_moment(parts, tilt), tilt)

    low, high = math.log(_TILTS[0]), math.log(_TILTS[1])
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
