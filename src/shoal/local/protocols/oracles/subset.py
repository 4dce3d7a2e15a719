"""Subset selection: a set of values that holds the sender's more often than it should."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from shoal.errors import DataError, RangeError
from shoal.exact import IntegerArray
from shoal.local.protocols.oracles.linear import MOST_COUNTERS, is_prime
from shoal.local.protocols.oracles.oracle import Counters, Oracle, below, read_numbers, truthful
from shoal.local.subset_size import best_chosen, set_support

MOST_IN_SETS = 62
LISTED = 20
"""Up to so many values all sets are written down once, and a set is drawn by its place in the list.
"""
MOST_IN_LINES = math.isqrt(MOST_COUNTERS)


@dataclass(frozen=True)
class SubsetSelection(Oracle):
    """A set of ``chosen`` values; each one that holds the sender's value is ``odds`` times as
    likely as one that does not.

    A report is the number whose bits are the members.

    Guarantee: as every oracle.
    Needs: at most 62 values, the bits of a report; `LineSelection` serves more here, and
        `shoal.local.Subsets` any number, one report at a time.
    Edges: sets of one value are k-ary randomized response, which is therefore never better.
    Reference: Ye and Barg 2018; Wang et al. 2019.  The least variance of all for few values.

    >>> SubsetSelection.for_epsilon(1, size=10).chosen
    2
    """

    chosen: int

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 1 <= self.chosen < self.size or self.size > MOST_IN_SETS:
            raise RangeError(
                f"sets of {self.chosen} among {self.size} values were asked for; from 1 to all but one of at most {MOST_IN_SETS} can be.",
                remedy="Choose a smaller set, or LineSelection for more values.",
            )

    @classmethod
    def for_odds(cls, odds: Fraction, *, size: int) -> Self:
        return cls(size, odds, best_chosen(size, odds))

    @property
    def support(self) -> tuple[Fraction, Fraction]:
        return set_support(self.size, self.chosen, self.odds)

    def chance(self, value: int, report: Any) -> Fraction:
        own = self.support[0]
        if int(report) >> value & 1:
            return own / math.comb(self.size - 1, self.chosen - 1)
        return (1 - own) / math.comb(self.size - 1, self.chosen)

    def every_report(self) -> Iterator[int]:
        return (_bits(members) for members in combinations(range(self.size), self.chosen))

    def _report(self, values: IntegerArray) -> NDArray[np.int64]:
        blind = Fraction(self.chosen, self.size)
        told = np.flatnonzero(truthful((self.support[0] - blind) / (1 - blind), len(values)))
        made = _drawn(self.size, self.chosen, len(values))
        with_others = _drawn(self.size - 1, self.chosen - 1, len(told))
        own = np.int64(1) << values[told]
        lower = with_others & (own - 1)
        made[told] = ((with_others ^ lower) << 1) | own | lower
        return made

    @property
    def counters(self) -> int:
        return self.size

    def _count(self, reports: NDArray[Any]) -> Counters:
        told = read_numbers(reports, 1 << self.size)
        if self.size > LISTED:
            kinds, held = told, np.ones(len(told), dtype=np.int64)
        else:
            sets = np.bincount(told, minlength=1 << self.size)
            kinds = np.flatnonzero(sets)
            held = sets[kinds]
        members = np.zeros(len(kinds), dtype=np.int64)
        counters = np.zeros(self.size, dtype=np.int64)
        for value in range(self.size):
            inside = kinds >> value & 1
            members += inside
            counters[value] = (inside * held).sum()
        if (members != self.chosen).any():
            raise DataError(
                f"one of the reports is not a set of {self.chosen} values.",
                remedy="Count reports with the oracle that made them; leave out what does not fit.",
            )
        return counters

    def _supports(self, counters: Counters, people: int) -> tuple[Counters, Counters]:
        return counters.copy(), people - counters


@dataclass(frozen=True)
class LineSelection(Oracle):
    """Subset selection from few sets: those of a line over a prime field, each named by two
    numbers.

    A report (a, c), a not 0, stands for the values v with (a v + c) mod prime < chosen.  Any two
    values lie together in equally many of these sets, so that the variance is that of all sets, but
    a report is short, is counted in one step, and all are decoded together.

    Guarantee: as every oracle.
    Needs: a prime of at least as many values, whose square is at most 2^22.
    Edges: values are counted among ``prime``, the least prime that holds them.
    Reference: Ye and Barg 2018; Park, Nam and Lee 2023, for block designs.

    >>> LineSelection.for_epsilon(1, size=100).prime, LineSelection.for_epsilon(1, size=100).chosen
    (101, 27)
    """

    prime: int
    chosen: int

    def __post_init__(self) -> None:
        super().__post_init__()
        fits = self.size <= self.prime <= MOST_IN_LINES and is_prime(self.prime)
        if not fits or not 1 <= self.chosen < self.prime:
            raise RangeError(
                f"sets of {self.chosen} on a line of {self.prime} places for {self.size} values cannot be had.",
                remedy="Give a prime of at least as many values and at most 2048; LinearHash serves more.",
            )

    @classmethod
    def for_odds(cls, odds: Fraction, *, size: int) -> Self:
        if size > MOST_IN_LINES:
            raise RangeError(
                f"{size} values were asked for; lines have at most {MOST_IN_LINES} places.",
                remedy="Use LinearHash for more values.",
            )
        prime = next(number for number in range(size, 2 * size + 2) if is_prime(number))
        return cls(size, odds, prime, best_chosen(prime, odds))

    @property
    def support(self) -> tuple[Fraction, Fraction]:
        return set_support(self.prime, self.chosen, self.odds)

    def chance(self, value: int, report: Any) -> Fraction:
        a, c = divmod(int(report), self.prime)
        own = self.support[0]
        held = ((a + 1) * value + c) % self.prime < self.chosen
        return (own / self.chosen if held else (1 - own) / (self.prime - self.chosen)) / (
            self.prime - 1
        )

    def every_report(self) -> Iterator[int]:
        return iter(range(self.counters))

    def _report(self, values: IntegerArray) -> NDArray[np.int64]:
        blind = Fraction(self.chosen, self.prime)
        told = np.flatnonzero(truthful((self.support[0] - blind) / (1 - blind), len(values)))
        slopes = below(self.prime - 1, len(values))
        places = below(self.prime, len(values))
        places[told] = below(self.chosen, len(told))
        told_as: NDArray[np.int64] = (places - (slopes + 1) * values) % self.prime
        return slopes * self.prime + told_as

    @property
    def counters(self) -> int:
        return self.prime * (self.prime - 1)

    def _count(self, reports: NDArray[Any]) -> Counters:
        return np.bincount(read_numbers(reports, self.counters), minlength=self.counters)

    def _supports(self, counters: Counters, people: int) -> tuple[Counters, Counters]:
        """The sum of ``chosen`` counters in a row of each slope ends where the value lies on its
        line.
        """
        prime, table = self.prime, counters.reshape(self.prime - 1, self.prime)
        doubled = np.zeros((prime - 1, 2 * prime + 1), dtype=np.int64)
        np.cumsum(np.concatenate([table, table], axis=1), axis=1, out=doubled[:, 1:])
        windows = doubled[:, self.chosen : self.chosen + prime] - doubled[:, :prime]
        slopes = np.arange(1, prime)
        starts = -np.multiply.outer(slopes, np.arange(self.size)) % prime
        speaking: Counters = np.take_along_axis(windows, starts, axis=1).sum(axis=0)
        rest: Counters = people - speaking
        return speaking, rest


@lru_cache(maxsize=32)
def _sets(size: int, chosen: int) -> NDArray[np.int64]:
    """All sets of ``chosen`` members, as numbers."""
    made = [_bits(members) for members in combinations(range(size), chosen)]
    return np.array(made, dtype=np.int64)


def _bits(members: Iterable[int]) -> int:
    return sum(1 << member for member in members)


def _drawn(size: int, chosen: int, count: int) -> NDArray[np.int64]:
    """So many sets, each equally likely: by their place in the list, or value by value.

    A value joins a set with the chance of the members still wanted among the values still left;
    every set is then equally likely.
    """
    if size <= LISTED:
        every = _sets(size, chosen)
        return every.take(below(len(every), count))
    made = np.zeros(count, dtype=np.int64)
    wanted = np.full(count, chosen, dtype=np.int64)
    for value in range(size):
        joins = below(size - value, count) < wanted
        made |= joins.astype(np.int64) << value
        wanted -= joins
    return made
