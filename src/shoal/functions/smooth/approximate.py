"""What the two laws with a delta share: a price in two parts, and the least width that the second
part pays for.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Self

from shoal.events import StatedApprox
from shoal.exact import Number, Real, ball, is_below, lower, open_unit, positive, turning_point
from shoal.functions.smooth.mechanism import Smooth
from shoal.functions.smooth.statistic import SmoothStatistic
from shoal.functions.smooth.widths import approx_of
from shoal.measures import Approx, Measure
from shoal.noise import secret


@dataclass(frozen=True, init=False, repr=False)
class SmoothApproximate(Smooth):
    """``share`` of epsilon hides the value; the rest, and some of delta, hides the width of the
    noise.
    """

    epsilon: Fraction
    delta: Fraction
    share: Fraction

    def __init__(self, *, epsilon: Number, delta: Number, share: Number = "1/2") -> None:
        put = object.__setattr__
        put(self, "epsilon", positive(epsilon, "epsilon"))
        put(self, "delta", open_unit(delta, "delta"))
        put(self, "share", open_unit(share, "share"))

    @classmethod
    def for_budget(cls, budget: Measure) -> Self:
        """The mechanism that an approximate budget pays for."""
        epsilon, delta = approx_of(budget)
        return cls(epsilon=epsilon, delta=delta)

    @property
    @abstractmethod
    def _delta_of_width(self) -> Fraction:
        """The part of delta that the width may cost."""

    @abstractmethod
    def _width_delta(self, lost: Fraction) -> Real:
        """What a width larger by the factor 1 / (1 - lost) costs beyond the rest of epsilon."""

    @property
    def _spare(self) -> Fraction:
        """What the value leaves of epsilon."""
        return (1 - self.share) * self.epsilon

    @cached_property
    def keep(self) -> Fraction:
        """The least keep whose change of width costs at most the rest of epsilon and its part of
        delta.
        """

        def holds(lost: Fraction) -> bool:
            if lost >= 1 or lower(lambda: ball(1 - lost).log() + ball(self._spare)) <= 0:
                return False
            return is_below(self._width_delta(lost), lambda: ball(self._delta_of_width))

        lost, _ = turning_point(holds, start=Fraction(1, 64), bits=40)
        return 1 - lost

    @property
    def cost(self) -> Approx:
        return Approx(self.epsilon, self.delta)

    def event_for(self, statistic: SmoothStatistic) -> StatedApprox:
        return StatedApprox(
            epsilon=self.epsilon,
            delta=self.delta,
            relation=statistic.relation,
            private=secret(),
        )
