"""Reports about the same thing again and again: a first answer is kept for ever, and told anew with
fresh noise.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from shoal.errors import RangeError, ShapeError
from shoal.exact import Number, whole
from shoal.local.indices import read_indices
from shoal.local.odds import odds_down
from shoal.local.protocols.oracles import KaryResponse, LocalHash, ReportTally
from shoal.local.protocols.promise import epsilon_of_changes


def second_odds(lifetime: Fraction, single: Fraction, size: int) -> Fraction:
    """The odds of a fresh round that, after a first one with odds ``lifetime``, lead to a report
    with odds ``single``.

    Two rounds of k-ary response with odds a and c are one with odds (ac + k - 1) / (a + c + k - 2);
    solved for c.

    >>> second_odds(Fraction(9), Fraction(3), 2)
    Fraction(13, 3)
    """
    if not 1 < single < lifetime:
        raise RangeError(
            "a single report must cost more than nothing and less than the first answer kept.",
            remedy="Choose an epsilon for one report below the one of a lifetime.",
        )
    return (single * (lifetime + size - 2) - (size - 1)) / (lifetime - single)


@dataclass(frozen=True)
class RepeatedResponse:
    """k-ary response in two rounds: the first is drawn once for each value and kept, the second for
    every report.

    Guarantee: one report costs ln ``odds``.  For a person whose value never changes, all reports
        together, however many, cost ln ``lifetime_odds``.  For any two histories of values that
        differ in r reports they cost `epsilon_if_changed(r)`, which grows with r without end.
    Needs: 1 < odds < lifetime_odds; the kept answer of a value is never drawn again for that value.
    Edges: no number of different values bounds the cost: that a value changed can be seen in the
        reports, and the more of them the better.  Where a new answer is kept from a date on that is
        the same for everyone, whatever their values, each such period costs ln ``lifetime_odds``.
    Reference: Erlingsson, Pihur and Korolova 2014; Arcolezi et al. 2022, whose second round is
        exact for two values only.  Proof: repeated.md.

    >>> made = RepeatedResponse.for_epsilons(2, single=1, size=10)
    >>> round(float(made.together.variance(0)), 2)
    3.63
    """

    size: int
    lifetime_odds: Fraction
    odds: Fraction

    def __post_init__(self) -> None:
        whole(self.size, "size", at_least=2)
        second_odds(self.lifetime_odds, self.odds, self.size)

    @classmethod
    def for_epsilons(cls, lifetime: Number, *, single: Number, size: int) -> Self:
        """From what all reports about one value may cost, and what one of them may."""
        return cls(size, odds_down(lifetime), odds_down(single))

    @property
    def first(self) -> KaryResponse:
        """The round that is kept."""
        return KaryResponse(self.size, self.lifetime_odds)

    @property
    def fresh(self) -> KaryResponse:
        """The round that is drawn for every report."""
        return KaryResponse(self.size, second_odds(self.lifetime_odds, self.odds, self.size))

    @property
    def together(self) -> KaryResponse:
        """Both rounds: the law of one report, its tally and its variance."""
        return KaryResponse(self.size, self.odds)

    @property
    def lifetime_epsilon(self) -> Fraction:
        """What all reports of a person cost together whose value never changes, rounded up."""
        return self.first.epsilon

    def epsilon_if_changed(self, reports: int) -> Fraction:
        """What all reports cost together for two histories that differ in so many of them, rounded
        up.

        >>> round(float(RepeatedResponse.for_epsilons(2, single=1, size=10).epsilon_if_changed(30)), 1)
        58.5
        """
        return epsilon_of_changes(self.fresh.odds, reports)

    def permanent(self, values: Any) -> NDArray[np.int64]:
        """The answer to keep for each value; it must never be drawn again for the same value."""
        return self.first.report(values)

    def report_again(self, permanent: Any) -> NDArray[np.int64]:
        """A fresh report from each kept answer."""
        return self.fresh.report(permanent)

    def tally(self) -> ReportTally:
        """Empty counters of reports."""
        return self.together.tally()


@dataclass(frozen=True)
class RepeatedHash:
    """The same after a hash that each person draws once: a change of value inside a bucket costs
    nothing more.

    Guarantee: one report costs ln ``odds``.  For a person whose value never changes, or only within
        its bucket, all reports together, however many, cost ln ``lifetime_odds``.  For any two
        histories of values that differ in r reports they cost `epsilon_if_changed(r)`, which grows
        with r without end.
    Needs: buckets a power of two, 1 < odds < lifetime_odds.
    Edges: reports of one person can be linked, since they show the same hash.  The number of
        buckets does not bound a lifetime: which kept answer speaks depends on the value.
    Reference: Arcolezi, Pinzón, Palamidessi and Gambs 2023, with the exact second round.
    Proof: repeated.md.

    >>> RepeatedHash.for_epsilons(2, single=1, size=1000).buckets
    4
    """

    size: int
    buckets: int
    lifetime_odds: Fraction
    odds: Fraction

    def __post_init__(self) -> None:
        second_odds(self.lifetime_odds, self.odds, self.buckets)
        _ = self.together

    @classmethod
    def for_epsilons(cls, lifetime: Number, *, single: Number, size: int) -> Self:
        """With as many buckets as suit the epsilon of one report."""
        odds = odds_down(single)
        best = LocalHash.for_odds(odds, size=size).buckets
        return cls(size, best, odds_down(lifetime), odds)

    @property
    def together(self) -> LocalHash:
        """The law of one report, its tally and its variance."""
        return LocalHash.with_buckets(self.buckets, self.odds, self.size)

    @property
    def _rounds(self) -> RepeatedResponse:
        return RepeatedResponse(self.buckets, self.lifetime_odds, self.odds)

    @property
    def lifetime_epsilon(self) -> Fraction:
        """What all reports of a person cost together whose value never changes, rounded up."""
        return self._rounds.lifetime_epsilon

    def epsilon_if_changed(self, reports: int) -> Fraction:
        """What all reports cost together for two histories that differ in so many of them, rounded
        up.
        """
        return self._rounds.epsilon_if_changed(reports)

    def start(self, people: int) -> HashedPeople:
        """What each person draws once and keeps: a hash, and the kept answer of every bucket."""
        count = whole(people, "people", at_least=1)
        hashes = self.together.hashes(count)
        every = np.tile(np.arange(self.buckets), count)
        return HashedPeople(hashes, self._rounds.permanent(every).reshape(count, self.buckets))

    def report(self, people: HashedPeople, values: Any) -> NDArray[Any]:
        """One report of each person, in the form of `LocalHash`."""
        known = read_indices(values, self.size, what="values").reshape(-1)
        if len(known) != len(people.hashes):
            raise ShapeError(
                f"{len(people.hashes)} people have {len(known)} values.",
                remedy="Give one value for each person, in the same order.",
            )
        buckets = self.together.buckets_of(people.hashes, known)
        kept = people.answers[np.arange(len(known)), buckets]
        return self.together.speaking_reports(people.hashes, self._rounds.report_again(kept))

    def tally(self) -> ReportTally:
        """Empty counters of reports."""
        return self.together.tally()


@dataclass(frozen=True, eq=False)
class HashedPeople:
    """What people keep on their own devices: a hash each, and an answer for every bucket."""

    hashes: NDArray[Any]
    answers: NDArray[np.int64]
