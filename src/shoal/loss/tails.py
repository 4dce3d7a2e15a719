"""One release by itself, from what both its laws give to losses above an epsilon."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from fractions import Fraction

from shoal.exact import float_down, float_up
from shoal.loss.bracket import Bracket
from shoal.loss.cells import RELATIVE_ERROR
from shoal.loss.single_release import POSITION_ERROR, at_floats, enclosed_root

_HALVINGS = 60
_FURTHEST = 700.0


class KnownTails(ABC):
    """A loss whose delta by itself is P(L > e) - e^e Q(L > e).

    Guarantee: the two masses are right within `RELATIVE_ERROR` of themselves, and losses within
        `POSITION_ERROR`, which `delta_alone` adds or takes off.  A threshold that is slightly off
        changes the difference by less than that, because P = e^L Q there.
    """

    @abstractmethod
    def tails(self, epsilon: float) -> tuple[float, float]:
        """The masses of P and of Q on losses above epsilon."""

    @property
    @abstractmethod
    def largest(self) -> float:
        """The largest loss there is, perhaps infinite."""

    @property
    def moved(self) -> float:
        """How far a true loss can lie from where it is put."""
        return float(getattr(self, "blur", 0.0))

    @property
    def unlisted(self) -> float:
        """A mass of P that `tails` may leave out, where losses are largest: it is added to delta,
        from above.
        """
        return 0.0

    def delta_alone(self, low: Fraction, high: Fraction) -> Bracket:
        least, doubt = self._delta(float_up(high) + self._aside(high))
        most, more = self._delta(float_down(low) - self._aside(low))
        return Bracket(max(0.0, least - doubt), min(1.0, most + more + self.unlisted))

    def epsilon_alone(self, delta: Fraction) -> Bracket:
        low, high = 0.0, min(self.largest, _FURTHEST)
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if self._delta(middle)[0] > delta else (low, middle)
        return enclosed_root(high, at_floats(self.delta_alone), delta)

    def _delta(self, epsilon: float) -> tuple[float, float]:
        """Delta, and how far it can be off."""
        first, second = self.tails(epsilon)
        second *= math.exp(min(epsilon, _FURTHEST))
        return max(0.0, first - second), 2 * RELATIVE_ERROR * max(first, second)

    def _aside(self, epsilon: Fraction) -> float:
        return self.moved + POSITION_ERROR * max(1.0, abs(float(epsilon)))
