"""Local hashing: a random hash of the value is told by randomized response, in a form that is
tested fast.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from shoal.errors import RangeError
from shoal.exact import IntegerArray, Number
from shoal.local.indices import read_indices
from shoal.local.odds import odds_down
from shoal.local.protocols.oracles.oracle import Counters, Oracle, read_rows, truthful
from shoal.noise import uniform_below

_KINDS: dict[int, type[np.unsignedinteger[Any]]] = {
    8: np.uint8,
    16: np.uint16,
    32: np.uint32,
    64: np.uint64,
}
_TESTED_AT_ONCE = 1 << 14


@dataclass(frozen=True)
class LocalHash(Oracle):
    """A report is a pair of words (a, c); it speaks for every v with (a v + c) mod 2^bits < 2^bits
    / buckets.

    Every report speaks for one value in ``buckets``, whatever was reported, and for the sender's
    ``odds`` times as readily.

    Guarantee: as every oracle; the chance of speaking for another value is 1 / buckets exactly.
    Needs: buckets a power of two; words long enough that all differences of values reach the
        highest bits.
    Edges: the tally tests every value on every report, at about a quarter of a nanosecond each;
        `LinearHash` needs no such work.
    Reference: Wang, Blocki, Li and Jha 2017, for local hashing; Dietzfelbinger 1996, for the family
        of hashes.

    >>> LocalHash.for_epsilon(1, size=1000).buckets, LocalHash.binary(1, size=1000).buckets
    (4, 2)
    """

    buckets: int
    bits: int

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.buckets < 2 or self.buckets & (self.buckets - 1):
            raise RangeError(
                f"buckets must be a power of two; got {self.buckets}.",
                remedy="Give 2, 4, 8 and so on.",
            )
        if self.bits not in _KINDS or self.bits < _bits_needed(self.size, self.buckets):
            raise RangeError(
                f"words of {self.bits} bits are too short, or not a length of words.",
                remedy="Give 8, 16, 32 or 64 bits, or let for_epsilon choose.",
            )

    @classmethod
    def for_odds(cls, odds: Fraction, *, size: int) -> Self:
        """As many buckets as lead to the least variance, and the shortest words that serve."""
        most = 2 ** max(1, int(odds).bit_length())
        choices = [2**power for power in range(1, min(most.bit_length(), 64))]
        choices = [g for g in choices if _bits_needed(size, g) <= 64] or [2]
        return cls.with_buckets(min(choices, key=lambda g: bucket_variance(odds, g)), odds, size)

    @classmethod
    def binary(cls, epsilon: Number, *, size: int) -> Self:
        """Two buckets: the shortest report."""
        return cls.with_buckets(2, odds_down(epsilon), size)

    @classmethod
    def with_buckets(cls, buckets: int, odds: Fraction, size: int) -> Self:
        """The shortest words that serve so many buckets and values."""
        needed = _bits_needed(size, buckets)
        if needed > 64:
            raise RangeError(
                f"{size} values and {buckets} buckets need words of {needed} bits; 64 can be drawn.",
                remedy="Ask about fewer values, such as prefixes, or use fewer buckets.",
            )
        return cls(size, odds, buckets, next(bits for bits in _KINDS if bits >= needed))

    @property
    def support(self) -> tuple[Fraction, Fraction]:
        return self.odds / (self.odds + self.buckets - 1), Fraction(1, self.buckets)

    @property
    def _limit(self) -> int:
        return (1 << self.bits) // self.buckets

    def chance(self, value: int, report: Any) -> Fraction:
        a, c = (int(word) for word in report)
        own, share = self.support[0], self._limit
        if (a * value + c) % (1 << self.bits) < share:
            return own / share / (1 << self.bits)
        return (1 - own) / ((1 << self.bits) - share) / (1 << self.bits)

    def every_report(self) -> Iterator[tuple[int, int]]:
        words = range(1 << self.bits)
        return product(words, words)

    def _report(self, values: IntegerArray) -> NDArray[Any]:
        kind, count = _KINDS[self.bits], len(values)
        told = truthful((self.odds - 1) / (self.odds + self.buckets - 1), count)
        made = np.empty((count, 2), dtype=kind)
        made[:, 0] = _words(self.bits, count)
        placed = _words(self.bits, count)
        np.bitwise_and(placed, kind(self._limit - 1), out=placed, where=told)
        made[:, 1] = placed - made[:, 0] * values.astype(kind)
        return made

    def hashes(self, count: int) -> NDArray[Any]:
        """Uniform hashes: rows (a, c), under which v lies in the bucket of the highest bits of a v
        + c.
        """
        return _words(self.bits, 2 * count).reshape(count, 2)

    def buckets_of(self, hashes: NDArray[Any], values: IntegerArray) -> NDArray[np.int64]:
        """The bucket of each value under its person's hash."""
        kind = _KINDS[self.bits]
        placed = hashes[:, 0] * values.astype(kind) + hashes[:, 1]
        found: NDArray[np.int64] = (placed // kind(self._limit)).astype(np.int64)
        return found

    def speaking_reports(self, hashes: NDArray[Any], buckets: NDArray[np.int64]) -> NDArray[Any]:
        """The reports that speak for all values in a bucket: the hash, turned so that the bucket is
        the first.
        """
        kind = _KINDS[self.bits]
        made = hashes.copy()
        made[:, 1] -= buckets.astype(kind) * kind(self._limit)
        return made

    @property
    def counters(self) -> int:
        return self.size

    def _count(self, reports: NDArray[Any]) -> Counters:
        """Each value in turn: what is tested for the next one is larger by a."""
        reports, limit = self._ready(reports)
        counted = np.zeros(self.size, dtype=np.int64)
        below = np.empty(min(len(reports), _TESTED_AT_ONCE), dtype=bool)
        for start in range(0, len(reports), _TESTED_AT_ONCE):
            steps, places = reports[start : start + _TESTED_AT_ONCE].T.copy()
            out = below[: len(places)]
            for value in range(self.size):
                np.less(places, limit, out=out)
                counted[value] += np.count_nonzero(out)
                np.add(places, steps, out=places)
        return counted

    def speaking_for(self, reports: NDArray[Any], candidates: Any) -> Counters:
        """How many of the reports speak for each of some values; the others are not looked at."""
        values = read_indices(candidates, self.size, what="candidates").reshape(-1)
        (reports, limit), kind = self._ready(reports), _KINDS[self.bits]
        counted = np.zeros(len(values), dtype=np.int64)
        for start in range(0, len(reports), _TESTED_AT_ONCE):
            steps, places = reports[start : start + _TESTED_AT_ONCE].T.copy()
            for place, value in enumerate(values.astype(kind)):
                counted[place] += np.count_nonzero(steps * value + places < limit)
        return counted

    def _ready(self, reports: Any) -> tuple[NDArray[Any], np.unsignedinteger[Any]]:
        kind = _KINDS[self.bits]
        return read_rows(reports, 2, kind), kind(self._limit)

    def _supports(self, counters: Counters, people: int) -> tuple[Counters, Counters]:
        return counters.copy(), people - counters


def bucket_variance(odds: Fraction, buckets: int) -> Fraction:
    """The variance of the share of a rare value, from one report into so many buckets."""
    return (odds - 1 + buckets) ** 2 / ((odds - 1) ** 2 * (buckets - 1))


def _bits_needed(size: int, buckets: int) -> int:
    """The highest log2(buckets) bits of a multiple of any difference must be uniform."""
    return (size - 1).bit_length() - 1 + (buckets - 1).bit_length()


def _words(bits: int, count: int) -> NDArray[Any]:
    kind = _KINDS[bits]
    if bits < 64:
        return uniform_below(1 << bits, count).astype(kind)
    high, low = uniform_below(1 << 32, 2 * count).astype(kind).reshape(2, count)
    words: NDArray[Any] = high << kind(32) | low
    return words
