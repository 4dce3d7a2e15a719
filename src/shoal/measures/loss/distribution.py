"""A loss distribution: what one or many releases cost, as a bracket that holds the truth."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from shoal.exact import Number, closed_unit, float_down, float_up, non_negative, whole
from shoal.measures.gaussian import gaussian_delta_down, gaussian_delta_up, gaussian_epsilon_up
from shoal.measures.loss.cells import Cells
from shoal.measures.loss.sources import LossSource, NormalLoss
from shoal.measures.loss.transform import Part, compose, log_moment, spread_of

Sources = tuple[tuple[LossSource, int], ...]
"""Losses and how many independent copies of each there are."""

TOLERANCE = 1e-4
"""How wide a bracket of epsilon may be before the grid is refined."""

_COARSE_CELLS = 2048
_MOST_CELLS = 1 << 22
_CANDIDATES = 4096
_PASSES = 5
_SUM_ERROR = Fraction(1, 1 << 46)
"""How far the mu of many normal losses, added up in floats, can be off in relative terms."""
_TILTS = (1e-4, 1e4)
_WIDEST = 40.0
"""Sums that spread over more than this are left to other measures: such an epsilon promises nothing."""


@dataclass(frozen=True, slots=True)
class Bracket:
    """Two numbers between which the truth lies; ``high`` is the one to promise."""

    low: float
    high: float

    @property
    def width(self) -> float:
        return self.high - self.low

    def joined(self, other: Bracket) -> Bracket:
        """The bracket of the larger of two numbers."""
        return Bracket(max(self.low, other.low), max(self.high, other.high))


@dataclass(frozen=True)
class LossDistribution:
    """The losses of releases that are made one after another, in both directions.

    ``removed`` compares a dataset with the one that lacks (or changed) a person, ``added`` the other way
    round; every release is looked at in the same direction.

    Guarantee: `epsilon` and `delta` enclose what the composition of all losses needs, up to the accuracy of
        float functions and transforms that `cells` and `transform` state and pay for.
    Reference: Sommer, Meiser and Mohammadi 2019; Doroshenko and others 2022.  Proof: loss.md.
    """

    removed: Sources = ()
    added: Sources = ()

    @classmethod
    def of(cls, removed: LossSource, added: LossSource | None = None) -> LossDistribution:
        """One release; with one source it is the same in both directions."""
        return cls(((removed, 1),), ((removed if added is None else added, 1),))

    def times(self, count: int) -> LossDistribution:
        """So many independent copies, one after another."""
        copies = whole(count, "count", at_least=0)
        return LossDistribution(
            tuple((source, copies * each) for source, each in self.removed if copies),
            tuple((source, copies * each) for source, each in self.added if copies),
        )

    def compose(self, other: LossDistribution) -> LossDistribution:
        """These releases and those, one after another."""
        return LossDistribution(
            _merged(self.removed + other.removed), _merged(self.added + other.added)
        )

    def epsilon(self, *, delta: Number, tolerance: float = TOLERANCE) -> Bracket:
        """The epsilon that is needed at this delta."""
        exact = closed_unit(delta, "delta")
        if exact in {0, 1}:
            certain = exact == 0
            return _without_noise_left(self.removed, certain=certain).joined(
                _without_noise_left(self.added, certain=certain)
            )
        target = float_down(exact)
        found = _epsilon(self.removed, target, tolerance)
        if self.added == self.removed:
            return found
        return found.joined(_epsilon(self.added, target, tolerance, floor=found.low))

    def delta(self, *, epsilon: Number) -> Bracket:
        """The delta that is needed at this epsilon."""
        exact = non_negative(epsilon, "epsilon")
        found = _delta(self.removed, float_down(exact), float_up(exact))
        if self.added == self.removed:
            return found
        return found.joined(_delta(self.added, float_down(exact), float_up(exact)))


def _merged(sources: Sources) -> Sources:
    """Equal sources counted together; all normal losses become the one they add up to."""
    square = sum(
        copies * source.mu**2 for source, copies in sources if isinstance(source, NormalLoss)
    )
    counted: dict[LossSource, int] = {}
    for source, copies in sources:
        if not isinstance(source, NormalLoss):
            counted[source] = counted.get(source, 0) + copies
    if square:
        counted[NormalLoss(math.sqrt(square))] = 1
    return tuple(counted.items())


def _only_normal(sources: Sources) -> float | None:
    """The mu of normal losses where there are no others: their sum is known in closed form."""
    (source, copies), *others = sources
    return source.mu if isinstance(source, NormalLoss) and copies == 1 and not others else None


def _without_noise_left(sources: Sources, *, certain: bool) -> Bracket:
    """Epsilon at delta 0, the largest loss there is, or at delta 1, nothing."""
    if not certain or not sources:
        return Bracket(0.0, 0.0)
    largest = max(0.0, sum(copies * source.largest for source, copies in sources))
    return Bracket(largest * (1 - 2.0**-40), largest * (1 + 2.0**-40))


def _epsilon(
    sources: Sources, delta: float, tolerance: float, *, floor: float = -math.inf
) -> Bracket:
    """One direction; it may stop early once it is known to lie below ``floor``."""
    sources = _merged(sources)
    if not sources:
        return Bracket(0.0, 0.0)
    if (mu := _only_normal(sources)) is not None:
        low = gaussian_epsilon_up(Fraction(mu) * (1 - _SUM_ERROR), Fraction(delta))
        high = gaussian_epsilon_up(Fraction(mu) * (1 + _SUM_ERROR), Fraction(delta))
        return Bracket(float_down(low) * (1 - 2.0**-50), float_up(high))
    smallest = delta * 1e-9 / sum(copies for _, copies in sources)
    tilt = _best_tilt(sources, smallest, _renyi_bound(delta))
    step = _first_step(sources, smallest, tilt, tolerance) * (4 if floor > 0 else 1)
    best = Bracket(0.0, math.inf)
    for _ in range(_PASSES):
        step = _aligned(sources, step)
        cells = [(source.cells(step, smallest), copies) for source, copies in sources]
        found = Bracket(_solved(cells, tilt, delta, up=False), _solved(cells, tilt, delta, up=True))
        best = Bracket(max(best.low, found.low), min(best.high, found.high))
        allowed = max(tolerance, 1e-6 * best.low)
        if best.width <= allowed or best.high <= floor or best.high == math.inf:
            break
        step *= min(0.5, 0.9 * math.sqrt(allowed / best.width))
        if step < _finest(sources, smallest):
            break
    return best


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


def _delta(sources: Sources, low: float, high: float) -> Bracket:
    """One direction of delta, between an epsilon rounded down and the same rounded up."""
    sources = _merged(sources)
    if not sources:
        return Bracket(0.0, 0.0)
    if (mu := _only_normal(sources)) is not None:
        return Bracket(
            float_down(gaussian_delta_down(Fraction(mu) * (1 - _SUM_ERROR), Fraction(high))),
            float_up(gaussian_delta_up(Fraction(mu) * (1 + _SUM_ERROR), Fraction(low))),
        )
    copies = sum(count for _, count in sources)
    smallest = 1e-30 / copies
    tilt = _best_tilt(sources, smallest, lambda cumulant, tilt: cumulant - tilt * high)
    step = _aligned(sources, _first_step(sources, smallest, tilt, TOLERANCE / 4))
    cells = [(source.cells(step, smallest), count) for source, count in sources]
    upper: list[Part] = [(each.pessimistic(), count) for each, count in cells]
    lower: list[Part] = [(each.optimistic(), count) for each, count in cells]
    if spread_of(upper, tilt) > min(_WIDEST, step * _MOST_CELLS / 16):
        return Bracket(0.0, 1.0)
    above, below = compose(upper, tilt), compose(lower, tilt)
    return Bracket(
        below.delta(high + _pad(lower), up=False), above.delta(low - _pad(upper), up=True)
    )


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
