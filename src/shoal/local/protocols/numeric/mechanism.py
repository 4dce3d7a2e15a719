"""Means of bounded numbers from reports that are one of finitely many, each with its score."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Self

import numpy as np
from flint import arb
from numpy.typing import NDArray

from shoal.errors import RangeError, ShapeError
from shoal.exact import (
    IntegerArray,
    Number,
    ball,
    float_up,
    open_unit,
    rational,
    read_float_ends,
    upper,
)
from shoal.local.odds import odds_down
from shoal.local.protocols.oracles.oracle import read_numbers
from shoal.local.protocols.promise import OneReport
from shoal.mechanisms.values import real_array
from shoal.mechanisms.witness import NoiseWitness, meet
from shoal.noise import uniform_below
from shoal.sensitivity.claims import Answers

Floats = NDArray[np.float64]
GRID = 1 << 30
"""Values are read as whole numbers of 2^-30 of their range, the nearest one."""


@dataclass(frozen=True)
class NumericReport(OneReport, ABC):
    """A number between ``low`` and ``high`` is rounded at random to one of ``levels`` + 1 levels,
    which a report then tells with noise.

    Guarantee: a report costs its sender at most the logarithm of ``odds``, exactly; rounding comes
        before it and costs nothing.
    Needs: low < high with at least two doubles between them, chosen without looking at the data;
        values beyond them are cut.
    Edges: a value that is not a number is refused without being quoted.
    Proof: numeric.md.
    """

    low: Fraction
    high: Fraction
    odds: Fraction

    def __post_init__(self) -> None:
        read_float_ends(self.low, self.high)

    @classmethod
    def for_epsilon(cls, epsilon: Number, *, low: Number, high: Number) -> Self:
        """The mechanism of this kind for an epsilon; it costs at most that."""
        ends = read_float_ends(low, high)
        return cls.for_odds(odds_down(epsilon), low=ends[0], high=ends[1])

    @classmethod
    @abstractmethod
    def for_odds(cls, odds: Fraction, *, low: Fraction, high: Fraction) -> Self:
        """The same for exact odds."""

    @property
    @abstractmethod
    def levels(self) -> int:
        """The number of the highest level; the lowest is 0."""

    @property
    @abstractmethod
    def reports(self) -> int:
        """How many different reports there are."""

    @property
    @abstractmethod
    def variation(self) -> Fraction:
        """The largest total variation between the reports of two levels."""

    @abstractmethod
    def chance(self, level: int, report: int) -> Fraction:
        """The exact chance of a report at a level."""

    @abstractmethod
    def score(self, report: int) -> Fraction:
        """What a report counts, on the scale from -1 to 1; its mean is the value."""

    @abstractmethod
    def _told(self, levels: NDArray[np.int64]) -> NDArray[np.int64]:
        """A report for each level."""

    @abstractmethod
    def _squared_score(self, place: Fraction, spread: Fraction) -> Fraction:
        """The mean squared score at a place from -1 to 1, rounded to levels with this variance."""

    def report(self, values: Any) -> NDArray[np.int64]:
        """One report for each value."""
        exact = self._on_grid(values) * self.levels
        return meet(
            lambda: self._rounded(exact),
            lambda: NoiseWitness(
                self, ("levels",), exact, Answers(self.odds, self._chance_on_grid)
            ),
        )

    def _rounded(self, exact: NDArray[np.int64]) -> NDArray[np.int64]:
        """Reports of numbers that are rounded to a level next to them at random."""
        floors = exact // GRID
        risen = uniform_below(GRID, len(exact)) < exact - floors * GRID
        return self._told(floors + risen)

    def _chance_on_grid(self, exact: int, report: int) -> Fraction:
        """The exact chance of a report of a number on the grid."""
        floor, risen = divmod(int(exact), GRID)
        below = self.chance(floor, int(report))
        above = self.chance(floor + 1, int(report)) if risen else below
        return below + (above - below) * Fraction(risen, GRID)

    def _on_grid(self, values: Any) -> NDArray[np.int64]:
        floats = real_array(values, what="values").reshape(-1)
        low, high = float(self.low), float(self.high)
        shares = (np.clip(floats, low, high) - low) / (high - low)
        return np.clip(np.rint(shares * GRID), 0, GRID).astype(np.int64)

    def tally(self) -> MeanTally:
        """Empty counters."""
        return MeanTally(self)

    def estimate(self, reports: Any) -> Mean:
        """The unbiased mean of the values behind these reports."""
        return self.tally().add(reports).estimate()

    @property
    def half_range(self) -> Fraction:
        return (self.high - self.low) / 2

    @cached_property
    def scores(self) -> Floats:
        """The score of every report."""
        return np.array([float(self.score(report)) for report in range(self.reports)])

    def variance(self, value: Number, *, people: int = 1) -> Fraction:
        """The variance of the estimated mean when all people have this value, exactly."""
        place = (rational(value, "value") - self.low) / self.half_range - 1
        if not -1 <= place <= 1:
            raise RangeError("value lies outside the range.", remedy="Give a value within it.")
        exact = (place + 1) / 2 * self.levels
        part = exact - math.floor(exact)
        spread = part * (1 - part) * Fraction(4, self.levels**2)
        return (self._squared_score(place, spread) - place**2) * self.half_range**2 / people

    def worst_variance(self, *, people: int = 1) -> Fraction:
        """The larger of the variances in the middle and at an end of the range: the largest, but
        for the rounding between levels.
        """
        middle = (self.low + self.high) / 2
        return max(self.variance(middle, people=people), self.variance(self.high, people=people))


@dataclass(frozen=True)
class Mean:
    """An unbiased mean; it may fall outside the range, and is left there."""

    people: int
    mean: float
    variance: float

    @property
    def standard_error(self) -> float:
        """The root of the estimated variance."""
        return math.sqrt(max(0.0, self.variance))

    def interval(self, confidence: Number = "0.95") -> tuple[float, float]:
        """The mean plus and minus so many standard errors; close for many reports."""
        risk = 1 - open_unit(confidence, "confidence")
        width = float_up(upper(lambda: ball(risk).erfcinv() * arb(2).sqrt()))
        return self.mean - width * self.standard_error, self.mean + width * self.standard_error


class MeanTally:
    """How often each report came; tallies of the same mechanism are merged."""

    def __init__(self, mechanism: NumericReport) -> None:
        self.mechanism = mechanism
        self._counters = np.zeros(mechanism.reports, dtype=np.int64)

    @property
    def counters(self) -> IntegerArray:
        """A copy of the counters."""
        return self._counters.copy()

    @property
    def people(self) -> int:
        """How many reports were counted."""
        return int(self._counters.sum())

    def add(self, reports: Any) -> Self:
        """Count these reports."""
        told = read_numbers(reports, self.mechanism.reports)
        self._counters += np.bincount(told, minlength=self.mechanism.reports)
        return self

    def merge(self, other: MeanTally) -> Self:
        """Count what another tally has counted."""
        if other.mechanism != self.mechanism:
            raise ShapeError(
                "tallies of two different mechanisms cannot be merged.",
                remedy="Merge tallies whose reports were made with the same parameters.",
            )
        self._counters += other._counters
        return self

    def estimate(self) -> Mean:
        """The unbiased mean, and an unbiased estimate of its variance."""
        made, people = self.mechanism, self.people
        if not people:
            raise ShapeError(
                "at least one report is needed.", remedy="Collect at least one report first."
            )
        mean = float(self._counters @ made.scores) / people
        second = float(self._counters @ made.scores**2) / people
        half = float(made.half_range)
        centre = float((made.low + made.high) / 2)
        return Mean(people, centre + half * mean, half**2 * (second - mean**2) / max(1, people - 1))
