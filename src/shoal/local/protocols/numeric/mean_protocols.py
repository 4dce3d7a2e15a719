"""One bit, a window of many places, or either of them: three ways to report a number."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from shoal.errors import RangeError
from shoal.local.protocols.numeric.mechanism import NumericReport
from shoal.noise import Coin, uniform_below

PLACES = 1 << 12
_LARGE = Fraction(10**100)
"""Beyond such odds the window does not change."""


@dataclass(frozen=True)
class OneBit(NumericReport):
    """The number becomes a bit at random, and the bit is told by randomized response.

    Reference: Duchi, Jordan and Wainwright 2018; Ding, Kulkarni and Yekhanin 2017 (for [0, m] the
    same).  Best for epsilon up to about 1.3.

    >>> OneBit.for_epsilon(1, low=0, high=100).reports
    2
    """

    @classmethod
    def for_odds(cls, odds: Fraction, *, low: Fraction, high: Fraction) -> Self:
        return cls(low, high, odds)

    @property
    def levels(self) -> int:
        return 1

    @property
    def reports(self) -> int:
        return 2

    @property
    def variation(self) -> Fraction:
        return (self.odds - 1) / (self.odds + 1)

    def chance(self, level: int, report: int) -> Fraction:
        return (self.odds if level == report else Fraction(1)) / (self.odds + 1)

    def score(self, report: int) -> Fraction:
        return (2 * report - 1) / self.variation

    def _told(self, levels: NDArray[np.int64]) -> NDArray[np.int64]:
        lies: NDArray[np.int64] = levels ^ self._lying.many(len(levels))
        return lies

    @cached_property
    def _lying(self) -> Coin:
        return Coin(1 / (self.odds + 1))

    def _squared_score(self, place: Fraction, spread: Fraction) -> Fraction:
        del place, spread  # every report has the same squared score
        return 1 / self.variation**2


@dataclass(frozen=True)
class Piecewise(NumericReport):
    """A report is one of ``places``; those of a window around the number are ``odds`` times as
    likely as the others.

    Reference: Wang et al. 2019, the piecewise mechanism, here on a row of places with exact odds.
    Best for a large epsilon.

    >>> float(Piecewise.for_epsilon(4, low=-1, high=1).worst_variance()) < 0.25
    True
    """

    places: int
    window: int

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 1 <= self.window < self.places:
            raise RangeError(
                f"a window of {self.window} among {self.places} places was asked for.",
                remedy="Choose a window of at least one place that is not all of them.",
            )

    @classmethod
    def for_odds(cls, odds: Fraction, *, low: Fraction, high: Fraction) -> Self:
        """The window with the least variance at the ends of the range, where it is largest."""
        window = _best_window(float(min(odds, _LARGE)), PLACES)
        return cls(low, high, odds, PLACES, window)

    @property
    def levels(self) -> int:
        return self.places - self.window

    @property
    def reports(self) -> int:
        return self.places

    @property
    def _total(self) -> Fraction:
        return self.window * self.odds + self.places - self.window

    @property
    def _truth(self) -> Fraction:
        """The chance of a place drawn from the window, rather than from all."""
        return self.window * (self.odds - 1) / self._total

    @property
    def variation(self) -> Fraction:
        return min(self.window, self.levels) * (self.odds - 1) / self._total

    def chance(self, level: int, report: int) -> Fraction:
        inside = level <= report < level + self.window
        return (self.odds if inside else Fraction(1)) / self._total

    def score(self, report: int) -> Fraction:
        return (2 * report - (self.places - 1)) / (self._truth * self.levels)

    def _told(self, levels: NDArray[np.int64]) -> NDArray[np.int64]:
        told = np.flatnonzero(self._honest.many(len(levels)))
        made = uniform_below(self.places, len(levels)).astype(np.int64, copy=False)
        made[told] = levels[told] + uniform_below(self.window, len(told))
        return made

    @cached_property
    def _honest(self) -> Coin:
        return Coin(self._truth)

    def _squared_score(self, place: Fraction, spread: Fraction) -> Fraction:
        inside = (place**2 + spread) * self.levels**2 + Fraction(self.window**2 - 1, 3)
        everywhere = Fraction(self.places**2 - 1, 3)
        total = self._truth * inside + (1 - self._truth) * everywhere
        return total / (self._truth * self.levels) ** 2


@dataclass(frozen=True)
class Hybrid(NumericReport):
    """Piecewise with chance ``share``, and one bit else; the report shows which.

    With the right share the variance is the same for every value.
    Reference: Wang et al. 2019.

    >>> round(float(Hybrid.for_epsilon(1, low=-1, high=1).share), 3)
    0.429
    """

    share: Fraction
    piecewise: Piecewise
    one_bit: OneBit

    @classmethod
    def for_odds(cls, odds: Fraction, *, low: Fraction, high: Fraction) -> Self:
        """The share that makes the larger of the variances in the middle and at the ends the
        least.
        """
        pieces = Piecewise.for_odds(odds, low=low, high=high)
        bit = OneBit.for_odds(odds, low=low, high=high)
        middle = (low + high) / 2
        rise = [made.variance(high) - made.variance(middle) for made in (pieces, bit)]
        level = rise[1] / (rise[1] - rise[0])  # where both are equal
        choices = [Fraction(0), level.limit_denominator(10**4), Fraction(1)]
        return min(
            (cls(low, high, odds, part, pieces, bit) for part in choices),
            key=lambda made: made.worst_variance(),
        )

    @property
    def levels(self) -> int:
        return self.piecewise.levels

    @property
    def reports(self) -> int:
        return self.piecewise.reports + 2

    @property
    def variation(self) -> Fraction:
        """No more than the mixture of both."""
        part = self.share
        return part * self.piecewise.variation + (1 - part) * self.one_bit.variation

    def chance(self, level: int, report: int) -> Fraction:
        if report < self.piecewise.reports:
            return self.share * self.piecewise.chance(level, report)
        up = Fraction(level, self.levels)
        bit, one = report - self.piecewise.reports, self.one_bit
        return (1 - self.share) * ((1 - up) * one.chance(0, bit) + up * one.chance(1, bit))

    def score(self, report: int) -> Fraction:
        if report < self.piecewise.reports:
            return self.piecewise.score(report)
        return self.one_bit.score(report - self.piecewise.reports)

    def _told(self, levels: NDArray[np.int64]) -> NDArray[np.int64]:
        by_bit = np.flatnonzero(~Coin(self.share).many(len(levels)))
        made = self.piecewise._told(levels)  # noqa: SLF001 - one of its two halves
        risen = uniform_below(self.levels, len(by_bit)) < levels[by_bit]
        told = self.one_bit._told(risen.astype(np.int64))  # noqa: SLF001 - the other one
        made[by_bit] = self.piecewise.reports + told
        return made

    def _squared_score(self, place: Fraction, spread: Fraction) -> Fraction:
        return self.share * self.piecewise._squared_score(place, spread) + (  # noqa: SLF001 - as above
            1 - self.share
        ) * self.one_bit._squared_score(place, spread)  # noqa: SLF001 - as above


def _best_window(odds: float, places: int) -> int:
    """The window with the least variance at an end, in floats; any window is sound."""
    window = np.arange(1, places, dtype=np.float64)
    truth = window * (odds - 1) / (window * odds + places - window)
    levels = places - window
    inside = levels**2 + (window**2 - 1) / 3
    second = (truth * inside + (1 - truth) * (places**2 - 1) / 3) / (truth * levels) ** 2
    return 1 + int(np.argmin(second))
