"""The payoff of delta, smoothed so that its transform fades, and what smoothing can change on
either side.

Eight numbers, each uniform within ±width, are added to epsilon, less a shift that keeps the mean of
their exponential at 1.  delta is convex in e^epsilon, so the average over them is not below delta;
where it is above, a bump covers the difference.  Proof: loss.md, *Smoothing*.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from shoal.loss.cells import Complexes

ORDER = 8
PEAK_SHARE = 5.471
"""E (V - u)_+ is at most so many times the density of 2 V at u, V the sum of eight numbers uniform
within ±1.
"""
EDGE_SHARE = 175.0
"""The density of 2 V is at least one in so many up to just beyond 8."""
_SMALL = 0.05
_LARGE = 700.0
WIDEST = 0.02
"""Kernels are not wider: up to here they reach less than 8.03 widths."""


@dataclass(frozen=True)
class Kernel:
    """Eight numbers uniform within ±``width``, added up and shifted."""

    width: float

    @property
    def shift(self) -> float:
        """The logarithm of the mean exponential of their sum."""
        a = self.width
        if a < _SMALL:
            # The series of ln(sinh(a) / a): for a small a the quotient is so close to 1 that its
            # logarithm loses digits.
            return ORDER * a * a * (1 - a * a / 30) / 6
        return ORDER * math.log(math.sinh(a) / a)

    @property
    def reach(self) -> float:
        """How far from epsilon the average looks."""
        return ORDER * self.width + self.shift

    def payoff(self, orders: Complexes) -> Complexes:
        """The transform of the smoothed payoff."""
        moved = np.exp(orders * self.shift) * _fading(orders * self.width)
        smoothed: Complexes = moved / (orders * (1 + orders))
        return smoothed

    def payoff_beyond(self, tilt: float, frequency: float) -> float:
        """What the terms beyond a frequency can add up to, in units of the line."""
        a = self.width
        size = math.exp(tilt * self.shift) * (math.cosh(tilt * a) / (a * frequency)) ** ORDER
        return size / (math.pi * (ORDER + 1) * frequency)

    def cover(self, orders: Complexes) -> Complexes:
        """The transform of a bump that is nowhere below the smoothed payoff less the payoff."""
        return self._size * _fading(2 * self.width * orders)

    def cover_beyond(self, tilt: float, frequency: float) -> float:
        """As `payoff_beyond`, for the bump."""
        a = self.width
        size = self._size * (math.cosh(2 * tilt * a) / (2 * a * frequency)) ** ORDER
        return size * frequency / (math.pi * (ORDER - 1))

    @property
    def _size(self) -> float:
        a = self.width
        return a * (PEAK_SHARE * a * math.exp(ORDER * a) + EDGE_SHARE * self.shift)


@dataclass(frozen=True)
class NormalKernel:
    """The loss of one more release, with Gaussian noise that moves by ``mu`` standard deviations.

    Whoever sees one release more needs no less, so delta with it is not below delta; and where the
    sum is smoothed from above only, no kernel of the same variance fades sooner.
    """

    mu: float

    def payoff(self, orders: Complexes) -> Complexes:
        """The transform of the payoff, times that of the loss."""
        faded: Complexes = np.exp(orders * (1 + orders) * self.mu**2 / 2) / (orders * (1 + orders))
        return faded

    def payoff_beyond(self, tilt: float, frequency: float) -> float:
        """As `Kernel.payoff_beyond`."""
        size = self.mu**2 * (tilt * (1 + tilt) - frequency**2) / 2
        return math.exp(size) / (math.pi * frequency) if size < _LARGE else math.inf


def _fading(angles: Complexes) -> Complexes:
    """The transform of eight numbers uniform within ±1, added up."""
    faded: Complexes = (np.sinh(angles) / angles) ** ORDER
    return faded
