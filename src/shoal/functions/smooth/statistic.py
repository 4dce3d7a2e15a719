"""A statistic that knows how far it can move: next to this dataset, and next to those a few changes
away.

The local sensitivity at distance k, A_k(x), is the most that one change moves the statistic on any
dataset at most k changes from x.  Noise must not follow A_0 itself, which can jump between
neighbours; it follows

    S(x) = max over k of w_k A_k(x),     w_0 = 1,  w_{k+1} >= keep * w_k,

which is at least A_0 and changes by a factor of at most 1 / keep between neighbours.  Proof:
smooth.md.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from shoal.exact import Number, open_unit, whole
from shoal.sensitivity import Relation

_UNIT = 1 << 256
"""Weights are whole numbers of 2^-256; rounded up, they never reach 0."""


@dataclass(frozen=True)
class Reading:
    """What a statistic sees in one dataset; private, all of it.

    ``value`` is in steps.  ``span(k)`` is A_k in steps, or a bound of it with span(k) of x at most
    span(k + 1) of any neighbour; it never falls, and is the same from ``last`` on.
    """

    value: int
    span: Callable[[int], int]
    last: int


class SmoothStatistic(ABC):
    """A real-valued statistic whose local sensitivity at every distance is known exactly."""

    @property
    @abstractmethod
    def relation(self) -> Relation:
        """Between which datasets it moves so."""

    @property
    @abstractmethod
    def spacing(self) -> Fraction:
        """One step: values are whole numbers of it."""

    @property
    @abstractmethod
    def bounds(self) -> tuple[int, int]:
        """The least and the largest value, in steps; public."""

    @abstractmethod
    def reading(self, data: Any) -> Reading:
        """The value and the spans of one dataset."""

    def value(self, data: Any) -> Fraction:
        """The true value, exactly.  It is private."""
        return self.reading(data).value * self.spacing

    def local_sensitivity(self, data: Any, *, distance: int = 0) -> Fraction:
        """How far one change can move the value, up to so many changes away.  It is private.

        >>> from shoal.functions import TrimmedMean
        >>> median = TrimmedMean.median(size=5, low=0, high=8)
        >>> [int(median.local_sensitivity([1, 2, 4, 5, 7], distance=k)) for k in range(3)]
        [2, 3, 5]
        """
        away = whole(distance, "distance", at_least=0)
        found = self.reading(data)
        return found.span(min(away, found.last)) * self.spacing

    def smooth_sensitivity(self, data: Any, *, keep: Number) -> Fraction:
        """The smallest bound of the local sensitivity that keeps this share of itself at every
        change.

        It is private.  It is exact up to the rounding of the weights, below 2^-200, upwards.

        >>> from shoal.functions import TrimmedMean
        >>> median = TrimmedMean.median(size=5, low=0, high=8)
        >>> float(median.smooth_sensitivity([1, 2, 4, 5, 7], keep="0.8"))
        3.2
        """
        return smooth_steps(self.reading(data), open_unit(keep, "keep")) * self.spacing


def smooth_steps(reading: Reading, keep: Fraction) -> Fraction:
    """The largest of w_k span(k) over all k, in steps.

    Guarantee: at least span(0), and for neighbours at most 1 / keep times one another.
    Proof: w_k span(k, x) <= w_k span(k + 1, x') <= w_{k+1} span(k + 1, x') / keep; from ``last`` on
        spans are the largest of all, the same for all datasets, and weights only fall.
    """
    best, weight, largest = 0, _UNIT, reading.span(reading.last)
    for distance in range(reading.last + 1):
        if weight * largest <= best:
            break
        best = max(best, weight * reading.span(distance))
        weight = -(-weight * keep.numerator // keep.denominator)
    return Fraction(best, _UNIT)
