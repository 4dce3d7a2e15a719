"""Means of many numbers of each person: a few of them are chosen at random and reported."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from shoal.errors import ShapeError
from shoal.exact import Number, ball, positive, upper, whole
from shoal.local.protocols.numeric.mean_protocols import Hybrid
from shoal.local.protocols.numeric.mechanism import NumericReport
from shoal.local.protocols.oracles.oracle import not_a_report
from shoal.measures import Pure
from shoal.mechanisms.values import array_of, real_array
from shoal.noise import uniform_below

_WORTH = Fraction(5, 2)
"""As much of epsilon as one coordinate should have before a second one is reported."""


@dataclass(frozen=True)
class Coordinates:
    """Each person reports ``chosen`` of ``dimensions`` numbers, each by the same mechanism.

    Guarantee: a report costs ``chosen`` times what one number costs; which numbers were chosen
        depends on nothing.
    Needs: all numbers within the range of the mechanism.
    Edges: a report is a row of pairs, the coordinate and its report.
    Reference: Duchi, Jordan and Wainwright 2018; Wang et al. 2019.  Proof: numeric.md.

    >>> mechanism = Coordinates.for_epsilon(6, dimensions=10, low=-1, high=1)
    >>> mechanism.chosen, mechanism.report(np.zeros((3, 10))).shape
    (2, (3, 2, 2))
    """

    mechanism: NumericReport
    dimensions: int
    chosen: int

    @classmethod
    def for_epsilon(
        cls,
        epsilon: Number,
        *,
        dimensions: int,
        low: Number,
        high: Number,
        kind: type[NumericReport] = Hybrid,
    ) -> Self:
        """As many numbers as have 5/2 of epsilon each, and at least one."""
        price, count = positive(epsilon, "epsilon"), whole(dimensions, "dimensions", at_least=1)
        chosen = max(1, min(count, math.floor(price / _WORTH)))
        return cls(kind.for_epsilon(price / chosen, low=low, high=high), count, chosen)

    @property
    def odds(self) -> Fraction:
        """The largest ratio of the chances of a report."""
        return Fraction(self.mechanism.odds**self.chosen)

    @property
    def epsilon(self) -> Fraction:
        """What one report costs, rounded up."""
        return upper(lambda: self.chosen * ball(self.mechanism.odds).log())

    @property
    def cost(self) -> Pure:
        """What one report costs the person who sends it."""
        return Pure(self.epsilon)

    def report(self, values: Any) -> NDArray[np.int64]:
        """The reports of rows of numbers."""
        rows = real_array(values, what="values")
        if rows.ndim != 2 or rows.shape[1] != self.dimensions:
            raise ShapeError(
                f"rows of {self.dimensions} numbers are needed.",
                remedy="Give one row for each person.",
            )
        picked = sample_without_replacement(self.dimensions, self.chosen, len(rows))
        told = self.mechanism.report(np.take_along_axis(rows, picked, axis=1).reshape(-1))
        return np.stack([picked, told.reshape(picked.shape)], axis=2)

    def estimate(self, reports: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The unbiased mean of each number, and unbiased estimates of their variances."""
        counters = self.count(reports)
        people = int(counters.sum()) // self.chosen
        scale, half = self.dimensions / self.chosen, float(self.mechanism.half_range)
        means = scale * (counters @ self.mechanism.scores) / people
        second = scale**2 * (counters @ self.mechanism.scores**2) / people
        centre = float((self.mechanism.low + self.mechanism.high) / 2)
        return centre + half * means, half**2 * (second - means**2) / max(1, people - 1)

    def count(self, reports: Any) -> NDArray[np.int64]:
        """How often each report of each coordinate came; such tables add up."""
        pairs = array_of(reports, what="reports")
        fits = pairs.dtype.kind in "iu" and pairs.shape[1:] == (self.chosen, 2)
        if not fits or not len(pairs):
            raise ShapeError(
                f"reports of {self.chosen} pairs are needed.",
                remedy="Give the reports as `report` made them.",
            )
        places, told = pairs.reshape(-1, 2).T.astype(np.int64)
        size = self.mechanism.reports
        inside = (pairs >= 0).all() and places.max() < self.dimensions and told.max() < size
        twice = np.diff(np.sort(pairs[:, :, 0], axis=1), axis=1) == 0
        if not inside or twice.any():
            raise not_a_report()
        counted = np.bincount(places * size + told, minlength=self.dimensions * size)
        return counted.reshape(self.dimensions, size)


def sample_without_replacement(size: int, chosen: int, count: int) -> NDArray[np.int64]:
    """Rows of ``chosen`` different numbers below ``size``, all orders equally likely."""
    picked = np.empty((count, chosen), dtype=np.int64)
    for place in range(chosen):
        drawn = uniform_below(size - place, count).astype(np.int64, copy=False)
        for taken in np.sort(picked[:, :place], axis=1).T:  # skip what is taken, from the least up
            drawn += drawn >= taken
        picked[:, place] = drawn
    return picked
