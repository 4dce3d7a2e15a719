"""One direction of a composition: the law of its losses, and the fastest sound road to its
numbers.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property

from shoal.loss.bracket import Bracket
from shoal.loss.characteristic_functions import HasWaves
from shoal.loss.equal_laplaces import EqualLaplaces
from shoal.loss.grid_sums import GridSum
from shoal.loss.inversion_search import can_smooth
from shoal.loss.loss_sources import LossSource, NormalLoss, Sources
from shoal.loss.near_largest_loss import TopOfSum
from shoal.loss.saddle_point import LossSum, contour_delta, contour_epsilon
from shoal.loss.single_release import KnownAlone
from shoal.loss.smoothed_sum import SmoothedSum
from shoal.loss.tilt_ladder import tilt_of
from shoal.loss.two_point_sums import FewSums

_LARGE = 1e3
"""Above such an epsilon brackets are as wide in relative terms."""
_SLACK = 2.0**-40
_LEAST = 2.0**-1022
"""A chance below it may have been rounded to 0."""


class Direction:
    """Losses that are looked at from one of the two neighbours.

    Four roads lead to the same numbers: the closed form of a single loss, a sum along a line of the
    complex plane where the losses together fade fast, the same with a smoothed payoff where they do
    not, and a grid for everything else.
    """

    def __init__(self, sources: Sources, names: Sequence[str] | None = None) -> None:
        self.sources = sources
        self._names = [repr(source) for source, _ in sources] if names is None else names
        self._grows = False
        self._told: dict[float, Bracket | None] = {}

    def plus(self, sources: Sequence[tuple[LossSource, int]]) -> Direction:
        """These losses and those; what was worked out is kept."""
        both = Direction(*_inserted(self.sources, self._names, sources))
        both._grows = True
        if "_losses" in vars(self) and self._losses is not None:
            added = [(source, copies) for source, copies in sources if isinstance(source, HasWaves)]
            whole = len(added) == len(sources)
            both.__dict__["_losses"] = self._losses.plus(added) if whole else None
        both.__dict__["_largest"] = self._largest + _largest_of(sources)
        both.__dict__["_blur"] = self._blur + _blur_of(sources)
        both.__dict__["_log_finite"] = self._log_finite + _log_finite_of(sources)
        if "_few" in vars(self) and self._few is None:
            both.__dict__["_few"] = None  # more releases have more sums
        if "_top" in vars(self) and self._top is None:
            both.__dict__["_top"] = None  # and a top that is rarer
        return both

    @cached_property
    def _losses(self) -> LossSum | None:
        """The sum as waves, where every loss has them."""
        waves = [(source, n) for source, n in self.sources if isinstance(source, HasWaves)]
        return LossSum(waves, grows=self._grows) if len(waves) == len(self.sources) else None

    def quick_epsilon(self, delta: float) -> Bracket | None:
        """Epsilon at a delta without a grid; None where only a grid tells.  Asked again, it is the
        same.
        """
        if delta not in self._told:
            self._told[delta] = self._quick_epsilon(delta)
        return self._told[delta]

    def _quick_epsilon(self, delta: float) -> Bracket | None:
        if not self.sources:
            return Bracket(0.0, 0.0)
        if (alone := self._alone) is not None:
            return alone.epsilon_alone(Fraction(delta))
        if self._top is not None and (near_top := self._top.epsilon(delta)) is not None:
            return near_top
        found = self._epsilon_by_contour(delta)
        if found is None and self._equal_laplaces is not None:
            return self._equal_laplaces.epsilon_alone(Fraction(delta))
        return found

    def epsilon(self, delta: float, tolerance: float, *, floor: float = -math.inf) -> Bracket:
        """Epsilon at a delta; it may be a coarse one once it is known to lie below ``floor``."""
        if (most := self.largest().high) <= floor:
            return Bracket(0.0, most)
        if self.needs_nothing(delta):
            return Bracket(0.0, 0.0)
        found = self.quick_epsilon(delta)
        if found is None and self._is_surely_below(floor, delta):
            return Bracket(0.0, floor)
        if (
            found is None or found.width > tolerance * max(1.0, found.high / _LARGE)
        ) and self._smoothed is not None:
            more = self._epsilon_by_smoothing(delta, tolerance, floor)
            found = found.met(more) if found and more else found or more
        return found or self._gridded.epsilon(delta, tolerance, floor=floor)

    def needs_nothing(self, delta: float) -> bool:
        """Whether the deltas that each release needs at epsilon 0 add up to no more than this
        one.
        """
        return self._deltas_at_zero <= delta

    @cached_property
    def _deltas_at_zero(self) -> float:
        """The sum of the deltas that each release needs at epsilon 0; infinite where one of them is
        not known.
        """
        zero, total = Fraction(0), 0.0
        for source, copies in self.sources:
            if not isinstance(source, KnownAlone):
                return math.inf
            total += copies * source.delta_alone(zero, zero).high
            if total > 1:
                return math.inf
        return total * (1 + _SLACK)

    def quick_delta(self, low: float, high: float, *, floor: float = 0.0) -> Bracket | None:
        """Delta between an epsilon rounded down and the same rounded up; None as above, ``floor``
        once it is known to lie below.
        """
        found = self._quick_delta(low, high)
        if found is None and self._is_surely_below(low, floor):
            return Bracket(0.0, floor)
        return found and self._not_lost(found, low)

    def _quick_delta(self, low: float, high: float) -> Bracket | None:
        if not self.sources:
            return Bracket(0.0, 0.0)
        if not self._log_finite and low - self._blur >= self.largest().high:
            return Bracket(0.0, 0.0)  # no loss is as large
        if (alone := self._alone) is not None:
            return alone.delta_alone(Fraction(low), Fraction(high))
        if self._top is not None and (near_top := self._top.delta(low, high)) is not None:
            return near_top
        found = self._delta_by_contour(low, high)
        if found is None and self._equal_laplaces is not None:
            return self._equal_laplaces.delta_alone(Fraction(low), Fraction(high))
        return found

    def delta(self, low: float, high: float, *, floor: float = 0.0) -> Bracket:
        """Delta between an epsilon rounded down and the same rounded up; it may be a coarse one
        once it is known to lie below ``floor``.
        """
        found = self.quick_delta(low, high, floor=floor)
        if found is None and self._smoothed is not None:
            found = self._smoothed.delta(low - self._blur, high + self._blur, floor=floor)
        if found is None:
            found = self._gridded.delta(low, high, floor=floor)
        if low <= 0 and self._deltas_at_zero < found.high:
            found = Bracket(min(found.low, self._deltas_at_zero), self._deltas_at_zero)
        return self._not_lost(found, low)

    def _is_surely_below(self, epsilon: float, delta: float) -> bool:
        """Whether the best moment tells that delta at epsilon is less than this one."""
        if self._losses is None or epsilon <= self._blur or delta <= self._infinite[1]:
            return False
        index = self._losses.best_for_epsilon(epsilon - self._blur)
        found = self._losses.chernoff(index, epsilon - self._blur) + self._losses.doubt(index)
        found += _SLACK * (1 + abs(found) + tilt_of(index) * epsilon)
        return math.exp(min(0.0, found)) * (1 + _SLACK) + self._infinite[1] < delta

    def _not_lost(self, found: Bracket, epsilon: float) -> Bracket:
        """Below the largest loss delta is above 0, even where it is too small for a float."""
        if epsilon >= self.largest().high:
            return found
        return Bracket(found.low, max(found.high, _LEAST))

    def largest(self) -> Bracket:
        """The largest loss there is: epsilon at delta 0."""
        whole = max(0.0, self._largest)
        return Bracket(whole * (1 - _SLACK), whole * (1 + _SLACK))

    @cached_property
    def _alone(self) -> KnownAlone | None:
        """The only release there is, where its delta has a closed form, or few sums that can all be
        listed.
        """
        (source, copies), *others = self.sources
        if copies == 1 and not others and isinstance(source, KnownAlone):
            return source
        return self._few

    @cached_property
    def _top(self) -> TopOfSum | None:
        return TopOfSum.of(self.sources, self._blur)

    @cached_property
    def _few(self) -> FewSums | None:
        return FewSums.of(self.sources)

    @cached_property
    def _equal_laplaces(self) -> EqualLaplaces | None:
        return EqualLaplaces.of(self.sources)

    def _epsilon_by_contour(self, delta: float) -> Bracket | None:
        least, most = self._infinite
        if self._losses is None or delta <= most:
            return None
        found = contour_epsilon(self._losses, delta - most)
        if found is not None and most:
            other = contour_epsilon(self._losses, delta - least)
            found = other and Bracket(min(other.low, found.low), found.high)
        return found and Bracket(max(0.0, found.low - self._blur), found.high + self._blur)

    def _delta_by_contour(self, low: float, high: float) -> Bracket | None:
        if self._losses is None:
            return None
        least, most = self._infinite
        found = contour_delta(self._losses, low - self._blur, high + self._blur)
        return found and Bracket(min(1.0, found.low + least), min(1.0, found.high + most))

    def _epsilon_by_smoothing(self, delta: float, tolerance: float, floor: float) -> Bracket | None:
        if self._smoothed is None:
            return None
        found = self._smoothed.epsilon(delta, tolerance, floor=floor - self._blur)
        return found and Bracket(max(0.0, found.low - self._blur), found.high + self._blur)

    @cached_property
    def _smoothed(self) -> SmoothedSum | None:
        return SmoothedSum(self.sources) if can_smooth(self.sources) else None

    @cached_property
    def _gridded(self) -> GridSum:
        return GridSum(self.sources)

    @property
    def _infinite(self) -> tuple[float, float]:
        """The probability that some loss is infinite, from below and from above."""
        chance = -math.expm1(self._log_finite)
        return chance * (1 - _SLACK), chance * (1 + _SLACK)

    @cached_property
    def _log_finite(self) -> float:
        return _log_finite_of(self.sources)

    @cached_property
    def _largest(self) -> float:
        return _largest_of(self.sources)

    @cached_property
    def _blur(self) -> float:
        """How far the sum can lie from where the sources put it."""
        return _blur_of(self.sources)


def _log_finite_of(sources: Sequence[tuple[LossSource, int]]) -> float:
    """The logarithm of the probability that all losses are finite."""
    return sum(n * math.log1p(-getattr(one, "infinite", 0.0)) for one, n in sources)


def _largest_of(sources: Sequence[tuple[LossSource, int]]) -> float:
    return sum(copies * source.largest for source, copies in sources)


def _blur_of(sources: Sequence[tuple[LossSource, int]]) -> float:
    return sum(
        copies * float(getattr(source, "moved", getattr(source, "blur", 0.0)))
        for source, copies in sources
    )


def _inserted(
    sources: Sources, names: Sequence[str], added: Sequence[tuple[LossSource, int]]
) -> tuple[Sources, list[str]]:
    """What `merged` makes of both, and the names in order; only what is new is put in its place."""
    both, order = list(sources), list(names)
    for source, copies in added:
        if isinstance(source, NormalLoss):
            others = [one for one in both if isinstance(one[0], NormalLoss)]
            both = [one for one in both if not isinstance(one[0], NormalLoss)]
            order = [name for name in order if not name.startswith(NormalLoss.__name__)]
            [(more, count)] = merged([*others, (source, copies)])
        else:
            more, count = source, copies
        name = repr(more)
        place = bisect_left(order, name)
        if place < len(order) and order[place] == name:
            both[place] = more, both[place][1] + count
        else:
            both.insert(place, (more, count))
            order.insert(place, name)
    return tuple(both), order


def merged(sources: Sequence[tuple[LossSource, int]]) -> Sources:
    """Equal sources counted together, in an order of their own; all normal losses become the one
    they add up to.
    """
    counted: dict[LossSource, int] = {}
    squares = []
    for source, copies in sources:
        if isinstance(source, NormalLoss):
            squares.append(copies * source.mu**2)
        else:
            counted[source] = counted.get(source, 0) + copies
    if square := math.fsum(squares):
        counted[NormalLoss(math.sqrt(square))] = 1
    return tuple(sorted(counted.items(), key=lambda one: repr(one[0])))
