"""The profile just below the largest loss there is, where every loss reaches its largest with a
chance: a few releases with Laplace noise, answers at random, promises.

Sums are below the top by the deficits of their losses.  Asked about so near to the top that
hardly any deficit but 0 is as small, delta is the chance of the top times 1 - e^-gap, from below
and nearly from above.  Proof: loss.md, *Near the largest loss*.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from shoal.loss.bracket import Bracket
from shoal.loss.cells import RELATIVE_ERROR
from shoal.loss.loss_sources import AtomicLoss, LaplaceLoss, LossSource, Sources
from shoal.loss.single_release import POSITION_ERROR

_MOST_MORE = 1e-4
"""What sums just below the top may add to its chance, in relative terms."""
_LEAST_CHANCE = 1e-200
_HALF, _QUARTER = 0.5, 0.25
_NEAR, _HAIR = 0.1, 2.0**-50


@dataclass(frozen=True)
class TopOfSum:
    """The largest sum, from ``low`` to ``high`` for what floats and blurs can move it, and the
    logarithm of its chance.
    """

    sources: Sources
    low: float
    high: float
    log_chance: float
    slack: float

    @classmethod
    def of(cls, sources: Sources, blur: float) -> TopOfSum | None:
        """None where some loss has no chance to be the largest it can be."""
        top = log_chance = 0.0
        copies = 0
        for source, count in sources:
            mass = _mass_at_top(source)
            if mass is None:
                return None
            top += count * source.largest
            log_chance += count * math.log(mass)
            copies += count
        if log_chance < math.log(_LEAST_CHANCE):
            return None
        aside = blur + (4 + len(sources)) * POSITION_ERROR * abs(top)
        slack = 4 * RELATIVE_ERROR * (copies + 1)
        return cls(sources, top - aside, top + aside, log_chance, slack)

    def _log_more(self, gap: float) -> float:
        """The logarithm of a bound on the chance of sums less than ``gap`` below the top, over the
        chance of the top.
        """
        total = 0.0
        for source, count in self.sources:
            mass = _mass_at_top(source)
            assert mass is not None
            total += count * math.log1p(_mass_below_top(source, gap) / mass)
        return total

    def delta(self, low: float, high: float) -> Bracket | None:
        """Delta between an epsilon rounded down and the same rounded up; None too far from the
        top.
        """
        gap = self.high - low
        if not self.low - high > 0 or gap > _NEAR:
            return None
        more = self._log_more(gap + self.high - self.low)
        if more > _MOST_MORE:
            return None
        least = math.exp(self.log_chance - self.slack) * -math.expm1(high - self.low)
        most = math.exp(self.log_chance + more + self.slack) * -math.expm1(-gap)
        return Bracket(least * (1 - self.slack), most * (1 + self.slack))

    def epsilon(self, delta: float) -> Bracket | None:
        """Epsilon at a delta; None where it lies too far from the top."""
        hair = _HAIR * abs(self.high)  # of what a float near the top is rounded by
        share = delta / math.exp(self.log_chance - self.slack) * (1 + 4 * self.slack)
        if share >= _HALF:
            return None
        low = self.low + math.log1p(-share) - hair
        if low <= 0 or (found := self.delta(low, low)) is None:
            return None
        more = self._log_more(2 * self.high - self.low - low)
        share = delta / math.exp(self.log_chance + more + self.slack) * (1 - 4 * self.slack)
        high = self.high + math.log1p(-share) + hair
        if found.low < delta:
            return None
        if high >= self.low:  # floats do not tell it from the top, where no loss is as large
            return Bracket(low, self.high)
        there = self.delta(high, high)
        return None if there is None or there.high > delta else Bracket(low, high)


def _mass_at_top(source: LossSource) -> float | None:
    """The chance of the largest loss."""
    if isinstance(source, LaplaceLoss):
        return _HALF
    if isinstance(source, AtomicLoss) and not source.infinite:
        largest = source.largest
        return sum(mass for loss, mass in source.atoms if loss == largest) or None
    return None


def _mass_below_top(source: LossSource, gap: float) -> float:
    """At least the chance of losses below the largest by less than a gap.

    The density of a Laplace loss is e^((loss - epsilon) / 2) / 4 between its atoms.
    """
    if isinstance(source, LaplaceLoss):
        return _QUARTER * gap + (1.0 if gap >= 2 * source.epsilon else 0.0)
    assert isinstance(source, AtomicLoss)
    largest, aside = source.largest, POSITION_ERROR * abs(source.largest)
    return sum(mass for loss, mass in source.atoms if largest - gap - aside < loss < largest)
