"""A frequency oracle: what each person sends, and what a table of counters says about all of
them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from shoal.errors import DataError, RangeError, ShapeError
from shoal.exact import IntegerArray, Number, closed_unit, rational, whole
from shoal.local.indices import read_indices
from shoal.local.odds import odds_down
from shoal.local.protocols.oracles.frequencies import Frequencies
from shoal.local.protocols.promise import OneReport
from shoal.mechanisms.values import array_of
from shoal.mechanisms.witness import NoiseWitness, meet
from shoal.noise import Coin, uniform_below
from shoal.sensitivity.claims import Answers

Counters = NDArray[np.int64]
_MOST_COUNTERS = 1 << 28
_AT_ONCE = 1 << 16
"""Reports made at a time: their arrays stay in the processor's cache."""


@dataclass(frozen=True)
class Oracle(OneReport, ABC):
    """Reports of one of ``size`` values, and the counters from which the share of every value is
    estimated.

    Guarantee: a report costs its sender at most the logarithm of ``odds``, the largest ratio of its
        chances under two values (relation "change"); ``odds`` is rational and exact.
    Needs: values numbered from 0 to size - 1.
    Edges: that a report was sent at all is not hidden; two reports about one value cost twice.
    Proof: oracles.md.
    """

    size: int
    odds: Fraction

    def __post_init__(self) -> None:
        whole(self.size, "size", at_least=2)
        if rational(self.odds, "odds") <= 1:
            raise RangeError(
                "odds of at most 1 to 1 were asked for; such reports tell nothing.",
                remedy="Give odds above 1, or an epsilon above 0.",
            )

    @classmethod
    def for_epsilon(cls, epsilon: Number, *, size: int) -> Self:
        """The oracle of this kind with the best parameters for an epsilon; it costs at most
        that.
        """
        return cls.for_odds(odds_down(epsilon), size=size)

    @classmethod
    @abstractmethod
    def for_odds(cls, odds: Fraction, *, size: int) -> Self:
        """The same for exact odds."""

    # what it promises

    @property
    @abstractmethod
    def support(self) -> tuple[Fraction, Fraction]:
        """The chance that a report supports the sender's value, and that it supports a given other
        one.
        """

    @property
    def variation(self) -> Fraction:
        """The largest total variation between the reports of two values; shuffling builds on it."""
        own, other = self.support
        return own - other

    @abstractmethod
    def chance(self, value: int, report: Any) -> Fraction:
        """The exact chance of a report under a value."""

    @abstractmethod
    def every_report(self) -> Iterator[Any]:
        """All reports there are, in order."""

    # sending

    def report(self, values: Any) -> NDArray[Any]:
        """One report of fixed length for each value.

        Guarantee: exactly the law of `chance`, for each value by itself.
        Edges: values out of range are refused without being quoted.
        """
        known = read_indices(values, self.size, what="values").reshape(-1)
        return meet(
            lambda: self._reports(known),
            lambda: NoiseWitness(self, ("oracle",), known, Answers(self.odds, self.chance)),
        )

    def _reports(self, known: IntegerArray) -> NDArray[Any]:
        made = [
            self._report(known[start : start + _AT_ONCE])
            for start in range(0, max(1, len(known)), _AT_ONCE)
        ]
        return np.concatenate(made)

    @abstractmethod
    def _report(self, values: IntegerArray) -> NDArray[Any]:
        """The reports of some values."""

    # counting

    @property
    @abstractmethod
    def counters(self) -> int:
        """How many counters a tally keeps."""

    @abstractmethod
    def _count(self, reports: NDArray[Any]) -> Counters:
        """What some reports add to the counters."""

    @abstractmethod
    def _supports(self, counters: Counters, people: int) -> tuple[Counters, Counters]:
        """How many reports speak for each value, and how many against it."""

    def tally(self) -> ReportTally:
        """Empty counters."""
        if self.counters > _MOST_COUNTERS:
            raise RangeError(
                f"a tally of {self.counters} counters was asked for; {_MOST_COUNTERS} can be kept.",
                remedy="Search for common values with HeavyHitters, or ask about prefixes.",
            )
        return ReportTally(self)

    def estimate(self, reports: Any) -> Frequencies:
        """Unbiased shares of all values from reports."""
        return self.tally().add(reports).estimate()

    # knowing in advance

    @property
    def scores(self) -> tuple[Fraction, Fraction]:
        """By what a report for a value counts towards its share, and one against it; other reports
        count 0.
        """
        own, other = self.support
        return (1 - other) / (own - other), -other / (own - other)

    def _second_moment(self, frequency: Fraction) -> Fraction:
        own, other = self.support
        told, (for_it, against) = other + frequency * (own - other), self.scores
        return for_it**2 * told + against**2 * (1 - told)

    def variance(self, frequency: Number = 0, *, people: int = 1, fixed: bool = False) -> Fraction:
        """The variance of the estimated share of a value that has this share, exactly.

        People are drawn from a population; with ``fixed`` they are given and only their reports
        vary.

        >>> from shoal.local.protocols.oracles import KaryResponse
        >>> KaryResponse(4, Fraction(3)).variance(0, people=5)
        Fraction(1, 4)
        """
        share = closed_unit(frequency, "frequency")
        second = self._second_moment(share)
        return (second - (share if fixed else share**2)) / whole(people, "people", at_least=1)


class ReportTally:
    """Counters of reports: reports are added and forgotten, tallies of the same oracle are merged.

    >>> from shoal.local.protocols.oracles import KaryResponse
    >>> oracle = KaryResponse(3, Fraction(3))
    >>> one, two = oracle.tally().add(np.array([0, 0, 1])), oracle.tally().add(np.array([2]))
    >>> one.merge(two).people, one.counters.tolist()
    (4, [2, 1, 1])
    """

    def __init__(self, oracle: Oracle) -> None:
        self.oracle = oracle
        self.people = 0
        self._counters = np.zeros(oracle.counters, dtype=np.int64)

    @property
    def counters(self) -> Counters:
        """A copy of the counters."""
        return self._counters.copy()

    def add(self, reports: Any) -> Self:
        """Count these reports."""
        told = array_of(reports, what="reports")
        self._counters += self.oracle._count(told)  # noqa: SLF001 - a tally is the other half of its oracle
        self.people += len(told)
        return self

    def merge(self, other: ReportTally) -> Self:
        """Count what another tally has counted."""
        if other.oracle != self.oracle:
            raise ShapeError(
                "tallies of two different oracles cannot be merged.",
                remedy="Merge tallies whose reports were made with the same parameters.",
            )
        self._counters += other._counters
        self.people += other.people
        return self

    def estimate(self) -> Frequencies:
        """Unbiased shares of all values."""
        if not self.people:
            raise ShapeError(
                "at least one report is needed.", remedy="Collect at least one report first."
            )
        speaking = self.oracle._supports(self._counters, self.people)  # noqa: SLF001 - as above
        return Frequencies(self.people, *speaking, scores=self.oracle.scores)


def below(bound: int, count: int) -> NDArray[np.int64]:
    """Uniform numbers below a bound that 63 bits hold."""
    return uniform_below(bound, count).astype(np.int64, copy=False)


def truthful(chance: Fraction, count: int) -> NDArray[np.bool_]:
    """Who tells something true, each with this chance; the others draw from everything alike."""
    return _coin(chance).many(count)


@lru_cache(maxsize=64)
def _coin(chance: Fraction) -> Coin:
    return Coin(chance)


def read_numbers(given: Any, bound: int) -> NDArray[np.int64]:
    """Reports that are single numbers below a bound, as they came in."""
    reports = array_of(given, what="reports")
    if reports.ndim != 1 or reports.dtype.kind not in "iu":
        raise ShapeError(
            "reports of this oracle are a flat array of whole numbers.",
            remedy="Give the reports as `report` made them, one number for each person.",
        )
    if reports.size and (reports.min() < 0 or reports.max() >= bound):
        raise not_a_report()
    return reports.astype(np.int64, copy=False)


def read_rows(
    given: Any, width: int, kind: type[np.unsignedinteger[Any]]
) -> NDArray[np.unsignedinteger[Any]]:
    """Reports that are rows of words, as they came in."""
    reports = array_of(given, what="reports")
    if reports.ndim != 2 or reports.shape[1] != width or reports.dtype != kind:
        raise ShapeError(
            f"reports of this oracle are rows of {width} words of type {kind.__name__}.",
            remedy="Give the reports as `report` made them, one row for each person.",
        )
    return reports


def read_bits(given: Any, bits: int) -> NDArray[np.uint8]:
    """Reports that are rows of so many packed bits; what follows the last of them is 0 in every
    report.
    """
    reports: NDArray[np.uint8] = read_rows(given, -(-bits // 8), np.uint8)
    if (reports[:, -1] & ((1 << -bits % 8) - 1)).any():
        raise not_a_report()
    return reports


def not_a_report() -> DataError:
    return DataError(
        "one of the reports cannot come from this oracle.",
        remedy="Count reports with the oracle that made them; leave out what does not fit.",
    )
