"""Shares of answers recovered from reports."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from shoal.errors import ShapeError
from shoal.local.odds import EvenOdds

if TYPE_CHECKING:
    from shoal.local.transition import TransitionMatrix


@dataclass(frozen=True)
class Shares:
    """What the reports say about the shares of the answers; unbiased, so possibly below 0 or above 1.

    >>> from shoal.local import TransitionMatrix
    >>> found = TransitionMatrix.for_truth("3/4").estimate_from_counts([60, 40])
    >>> [str(share) for share in found.frequencies]
    ['7/10', '3/10']
    """

    matrix: TransitionMatrix
    counts: tuple[int, ...]

    @property
    def people(self) -> int:
        """How many people reported."""
        return sum(self.counts)

    @cached_property
    def frequencies(self) -> tuple[Fraction, ...]:
        """The unbiased estimate of each answer's share, exactly."""
        odds, people = self.matrix.odds, self.people
        if isinstance(odds, EvenOdds):
            same, other = odds.undone_weights()
            return tuple(other + Fraction(count, people) * (same - other) for count in self.counts)
        return tuple(self._mean(column) for column in zip(*self.matrix.estimator, strict=True))

    def _mean(self, column: tuple[Fraction, ...]) -> Fraction:
        pairs = zip(self.counts, column, strict=True)
        return sum((count * worth for count, worth in pairs), Fraction(0)) / self.people

    @cached_property
    def variances(self) -> tuple[Fraction, ...]:
        """The estimated variance of each of them, itself unbiased: that of the reports' worths over n - 1."""
        if self.people < 2:
            raise ShapeError(
                "a variance cannot be estimated from one report.",
                remedy="Collect at least two reports, or ask the matrix for its exact variances.",
            )
        odds, people = self.matrix.odds, self.people
        if isinstance(odds, EvenOdds):
            lean = Fraction(odds.same - odds.other, odds.total)
            return tuple(
                Fraction(count * (people - count), people**2 * (people - 1)) / lean**2
                for count in self.counts
            )
        columns = zip(*self.matrix.estimator, strict=True)
        return tuple(
            (self._mean(tuple(worth**2 for worth in column)) - mean**2) / (people - 1)
            for column, mean in zip(columns, self.frequencies, strict=True)
        )

    @property
    def errors(self) -> tuple[float, ...]:
        """The estimated standard error of each of them."""
        return tuple(math.sqrt(variance) for variance in self.variances)
