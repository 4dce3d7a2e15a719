"""The matrix of a stream in which one unit returns: each step measures a sum over itself and a few
steps before it.

Step t measures c_0 x_t + c_1 x_(t-1) + ... + c_(w-1) x_(t-w+1), where the c are whole numbers in
proportion to the first w coefficients of (1 - z)^-a.  With a = 1/2 and as many coefficients as
steps this is the matrix of `stream_matrix.py`.  Units that return every b steps, w <= b, never meet
themselves in one measurement; a longer stream of them is then told best with a larger a.
Proof: streams.md, *Units that return*.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shoal.errors import RangeError
from shoal.workloads.column_queries import Floats

FIRST = 1 << 10
"""The first coefficient; the others are rounded down to whole numbers."""

MOST_BANDS = 1 << 10
"""A matrix has at most so many coefficients."""

_SPARE = 64
_PARTS = 16
_EXPONENTS = range(_PARTS // 2, _PARTS)
"""The exponents a that are tried, in sixteenths: from 1/2 to 15/16."""

_LARGEST = 1 << 62


@dataclass(frozen=True)
class BandedMatrix:
    """The measured sums of a stream of ``steps`` steps, of which one unit takes part in every
    ``separation``-th at most.

    Guarantee: ``coefficients`` are whole numbers that are 0 or more and never grow, at most
        ``separation`` of them.  A unit that adds vectors of length at most 1 to steps at least
        ``separation`` apart moves all measurements by a vector of length at most the root of
        ``squared_sensitivity``, and for some unit by just that.
    Proof: streams.md, *Units that return*.
    """

    coefficients: tuple[int, ...]
    steps: int
    separation: int

    def __post_init__(self) -> None:
        own = self.coefficients
        falls = all(more >= less for more, less in itertools.pairwise(own))
        if not own or own[0] < 1 or own[-1] < 0 or not falls:
            raise RangeError(
                "the coefficients of a stream must be whole numbers that never grow.",
                remedy="Begin with a number above 0.",
            )
        if len(own) > min(self.separation, self.steps):
            raise RangeError(
                f"{len(own)} coefficients are more than the {self.separation} steps after which a "
                f"unit may return, or more than the {self.steps} steps: a unit would meet itself.",
                remedy=f"Give at most {min(self.separation, self.steps)} coefficients.",
            )

    @classmethod
    def best(cls, steps: int, separation: int, *, most: int = MOST_BANDS) -> BandedMatrix:
        """The one that tells running sums with the least mean squared error, of those tried: several
        exponents, each with ``most`` coefficients and with a half, a quarter and so on of them.
        """
        width = max(1, min(steps, separation, most, MOST_BANDS))
        widths = [width >> halved for halved in range(width.bit_length())]
        tried = [
            cls(_coefficients(exponent, bands), steps, separation)
            for bands in widths
            for exponent in (_EXPONENTS if bands > 1 else _EXPONENTS[:1])
        ]
        return min(tried, key=lambda each: each.mean_square)

    @property
    def participations(self) -> int:
        """In how many steps one unit can take part."""
        return -(-self.steps // self.separation)

    @cached_property
    def squared_sensitivity(self) -> int:
        """The sum of the squares of columns 0, b, 2b, ...; the last ones end with the last step."""
        ends = (self.steps - at * self.separation for at in range(self.participations))
        squares = [each * each for each in self.coefficients]
        return sum(sum(squares[:end]) for end in ends)

    @property
    def largest(self) -> int:
        """Entries of this size or less have measurements of at most 2^62."""
        return _LARGEST // sum(self.coefficients)

    def measured(self, latest: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
        """What the last step measures, exactly; ``latest`` are the vectors of that step, of the one
        before, and so on.

        Needs: entries of at most `largest` in size.
        """
        found = np.zeros_like(latest[0])
        for c, x in zip(self.coefficients, latest, strict=False):
            found += c * x
        return found

    def undone(self, noisy: Floats, before: Sequence[Floats]) -> Floats:
        """The vector of the last step as its noisy measurement tells it; ``before`` are those that
        were told of the step before, of the one before that, and so on.
        """
        left = np.array(noisy, dtype=np.float64)
        for c, x in zip(self.coefficients[1:], before, strict=False):
            left -= c * x
        return left / self.coefficients[0]

    @cached_property
    def _inverse(self) -> Floats:
        """The first column of the inverse, by Newton's steps on power series."""
        own = np.array(self.coefficients, dtype=np.float64)
        found = np.array([1 / own[0]])
        while len(found) < self.steps:
            size = min(2 * len(found), self.steps)
            error = -_product(own[:size], found, size)
            error[0] += 2
            found = _product(found, error, size)
        return found

    def step_variances(self) -> Floats:
        """The variance of what is told of each step, for noise of variance 1."""
        return np.cumsum(self._inverse**2)

    def running_variances(self) -> Floats:
        """The variance of the sum of all steps so far."""
        return np.cumsum(np.cumsum(self._inverse) ** 2)

    @property
    def mean_square(self) -> float:
        """The mean squared error of running sums, at a price of mu = 1 and for units of length 1."""
        return self.squared_sensitivity * float(self.running_variances().mean())


def _coefficients(exponent: int, bands: int) -> tuple[int, ...]:
    found, exact = [], FIRST << _SPARE
    for lag in range(bands):
        if lag:
            exact = exact * (_PARTS * (lag - 1) + exponent) // (_PARTS * lag)
        found.append(exact >> _SPARE)
    return tuple(found)


def _product(left: Floats, right: Floats, size: int) -> Floats:
    """The first ``size`` coefficients of the product of two power series."""
    points = 1 << (len(left) + len(right)).bit_length()
    waves = np.fft.rfft(left, points) * np.fft.rfft(right, points)
    found = np.zeros(size)
    whole = np.fft.irfft(waves, points)[:size]
    found[: len(whole)] = whole
    return found
