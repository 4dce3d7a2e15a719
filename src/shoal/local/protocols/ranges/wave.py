"""The square wave: a report near the value, and the distribution that makes all reports
likeliest.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from shoal.errors import RangeError
from shoal.exact import IntegerArray, Number, ball, open_unit, upper, whole
from shoal.local.indices import counted, read_indices
from shoal.local.odds import odds_down
from shoal.measures import Pure
from shoal.mechanisms.witness import NoiseWitness, meet
from shoal.noise import Coin, uniform_below
from shoal.sensitivity.claims import Answers

Floats = NDArray[np.float64]
_STEPS, _ENOUGH = 10_000, 1e-7


@dataclass(frozen=True)
class SquareWave:
    """A report is a place within ``reach`` of the value, ``odds`` times as likely as one further
    away.

    Guarantee: a report costs ln ``odds``, exactly.
    Needs: values are numbered bins in order; reports have ``reach`` more places on either side.
    Edges: what is estimated is a likeliest distribution, optionally smoothed: it is no unbiased
        estimate, and says so.
    Reference: Li, Wang, Lopuhaä-Zwakenberg, Li and Škorić 2020.

    >>> wave = SquareWave.for_epsilon(1, bins=100)
    >>> wave.reach, wave.places
    (26, 152)
    """

    bins: int
    odds: Fraction
    reach: int

    def __post_init__(self) -> None:
        whole(self.bins, "bins", at_least=2)
        if self.odds <= 1 or self.reach < 0:
            raise RangeError(
                "odds above 1 and a reach of 0 or more are needed.",
                remedy="Let for_epsilon choose both.",
            )

    @classmethod
    def for_epsilon(cls, epsilon: Number, *, bins: int) -> Self:
        """The reach at which reports tell most about values."""
        odds = odds_down(epsilon)
        e = float(min(odds, Fraction(10**100)))  # beyond it the reach is 0 in any case
        price = math.log(e)
        width = (price * e - e + 1) / (2 * e * (e - 1 - price))
        return cls(bins, odds, max(0, round(width * whole(bins, "bins", at_least=2))))

    @property
    def places(self) -> int:
        """How many different reports there are."""
        return self.bins + 2 * self.reach

    @property
    def window(self) -> int:
        """How many places are near a value."""
        return 2 * self.reach + 1

    @property
    def _total(self) -> Fraction:
        return self.window * self.odds + self.places - self.window

    @property
    def variation(self) -> Fraction:
        """The largest total variation between the reports of two values."""
        return min(self.window, self.bins - 1) * (self.odds - 1) / self._total

    @cached_property
    def epsilon(self) -> Fraction:
        """What one report costs, rounded up."""
        return upper(lambda: ball(self.odds).log())

    @property
    def cost(self) -> Pure:
        """What one report costs the person who sends it."""
        return Pure(self.epsilon)

    def chance(self, value: int, report: int) -> Fraction:
        """The exact chance of a report under a value."""
        near = value <= report < value + self.window
        return (self.odds if near else Fraction(1)) / self._total

    def report(self, values: Any) -> NDArray[np.int64]:
        """One place for each value."""
        known = read_indices(values, self.bins, what="values").reshape(-1)
        return meet(
            lambda: self._told(known),
            lambda: NoiseWitness(self, ("window",), known, Answers(self.odds, self.chance)),
        )

    def _told(self, known: IntegerArray) -> NDArray[np.int64]:
        told = np.flatnonzero(Coin(self.window * (self.odds - 1) / self._total).many(len(known)))
        made = uniform_below(self.places, len(known)).astype(np.int64, copy=False)
        made[told] = known[told] + uniform_below(self.window, len(told))
        return made

    def estimate(self, reports: Any, *, smooth: bool = True) -> WaveEstimate:
        """The distribution under which the reports are likeliest, found by expectation and
        maximisation.

        With ``smooth`` each step is followed by an average of neighbouring bins, which keeps noise
        from becoming peaks.
        """
        counts = np.array(counted(reports, self.places), dtype=np.float64)
        shares = np.full(self.bins, 1 / self.bins)
        last = -math.inf
        for _ in range(_STEPS):
            expected = self._spread(shares)
            likelihood = float(counts @ np.log(expected)) / counts.sum()
            if likelihood - last < _ENOUGH:
                break
            last = likelihood
            shares = shares * self._gathered(counts / expected)
            shares = _smoothed(shares) if smooth else shares
            shares /= shares.sum()
        return WaveEstimate(shares, "likeliest, smoothed" if smooth else "likeliest")

    def _spread(self, shares: Floats) -> Floats:
        """The chances of all reports: a window sum, plus what is the same everywhere."""
        padded = np.concatenate([np.zeros(self.window), np.cumsum(shares)])
        ends = np.minimum(np.arange(self.places) + self.window, len(padded) - 1)
        near: Floats = padded[ends] - padded[: self.places]
        spread: Floats = (float(self.odds - 1) * near + shares.sum()) / float(self._total)
        return spread

    def _gathered(self, ratios: Floats) -> Floats:
        """For each value the mean of a number over its reports."""
        padded = np.concatenate([np.zeros(1), np.cumsum(ratios)])
        near = padded[self.window : self.window + self.bins] - padded[: self.bins]
        gathered: Floats = float(self.odds - 1) * near + padded[-1]
        return gathered / float(self._total)


@dataclass(frozen=True, eq=False)
class WaveEstimate:
    """A distribution over the bins; ``how`` says how it was found."""

    shares: Floats
    how: str

    def quantile(self, share: Number) -> int:
        """The least bin up to which at least this share lies."""
        wanted = float(open_unit(share, "share"))
        return min(len(self.shares) - 1, int(np.searchsorted(np.cumsum(self.shares), wanted)))

    @property
    def mean(self) -> float:
        """The mean number of the bin."""
        return float(self.shares @ np.arange(len(self.shares)))


def _smoothed(shares: Floats) -> Floats:
    """Each bin with half of its own share and a quarter of each neighbour's; at the ends they give
    what they have.
    """
    padded = np.concatenate([shares[:1], shares, shares[-1:]])
    averaged: Floats = (padded[:-2] + 2 * padded[1:-1] + padded[2:]) / 4
    return averaged
