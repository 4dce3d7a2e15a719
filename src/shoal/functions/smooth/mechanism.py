"""What all smooth mechanisms share: the value plus (smooth sensitivity / alpha) times a fixed law,
rounded.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction
from typing import Any

from shoal.events import Event
from shoal.exact import Number, Real, ball, float_up, non_negative, open_unit, truth_value, upper
from shoal.functions.smooth.statistic import SmoothStatistic, smooth_steps
from shoal.measures import Measure
from shoal.mechanisms.mechanism import Mechanism
from shoal.mechanisms.witness import NoiseWitness, meet
from shoal.noise import IntegerNoise
from shoal.sensitivity.claims import Follows


class Smooth(Mechanism, ABC):
    """Noise whose width follows the smooth sensitivity of the dataset at hand.

    The release is the rounding, to the public steps of the statistic, of value + S / alpha * Z.
    Neighbours have values at most min(S, S') apart and S and S' within a factor 1 / keep, and each
    law of Z is proved to hide both.  Rounding is a function of the ideal release, so it costs
    nothing.
    """

    @property
    @abstractmethod
    def alpha(self) -> Fraction:
        """How far, in widths of the noise, the value may move between neighbours."""

    @property
    @abstractmethod
    def keep(self) -> Fraction:
        """The share of itself that the width must keep between neighbours."""

    @property
    @abstractmethod
    def cost(self) -> Measure:
        """What one release costs."""

    @abstractmethod
    def event_for(self, statistic: SmoothStatistic) -> Event:
        """The description of one release of a statistic."""

    @abstractmethod
    def _noise(self, scale: Fraction) -> IntegerNoise:
        """The nearest integer to so many times Z."""

    @abstractmethod
    def _quantile(self, confidence: Fraction) -> Real:
        """What |Z| stays within with this probability."""

    def release(self, statistic: SmoothStatistic, data: Any, *, clamped: bool = True) -> float:
        """The value plus noise, as a float; by default clamped to the public range of the
        statistic.

        Guarantee: what `cost` says, for neighbours under the statistic's relation.
        Edges: the time of a release depends on the data and is not hidden.
        """
        inside = truth_value(clamped, "clamped")
        reading = statistic.reading(data)
        width = smooth_steps(reading, self.keep)
        scale = width / self.alpha
        noisy = meet(
            lambda: reading.value + (int(self._noise(scale).many(1)[0]) if scale else 0),
            lambda: NoiseWitness(
                self, (), reading.value, Follows(width, self.keep, statistic.relation)
            ),
        )
        if inside:
            low, high = statistic.bounds
            noisy = min(max(noisy, low), high)
        return _nearest(noisy * statistic.spacing)

    def error(self, confidence: Number, *, smooth: Number) -> float:
        """How far off a release is, with at least this probability, where the smooth sensitivity is
        ``smooth``.

        For planning with datasets one can imagine: the smooth sensitivity of the real one is
        private.  The rounding to steps, half a step at most, is not counted.
        """
        wanted = open_unit(confidence, "confidence")
        width = non_negative(smooth, "smooth") / self.alpha
        return float_up(width * upper(self._quantile(wanted)))


def normal_quantile(confidence: Fraction) -> Real:
    """What a standard normal variable stays within with this probability, on both sides."""
    return lambda: ball(1 - confidence).erfcinv() * ball(Fraction(2)).sqrt()


def _nearest(number: Fraction) -> float:
    try:
        return float(number)
    except OverflowError:
        return float_up(number) if number < 0 else -float_up(-number)
