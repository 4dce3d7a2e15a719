"""Common values among more than can be listed: prefixes that are common are extended, a few bits at
a time.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from shoal.errors import RangeError, ShapeError
from shoal.exact import Number, positive, whole
from shoal.local.indices import read_indices
from shoal.local.protocols.oracles import LocalHash
from shoal.measures import Pure
from shoal.mechanisms.values import array_of
from shoal.noise import uniform_below

LONGEST = 56


@dataclass(frozen=True)
class HeavyHitters:
    """Each person reports a prefix of one length, chosen at random, by local hashing.

    Guarantee: a report costs what the dearest of its oracles costs; the length depends on nothing.
    Needs: values of at most 56 bits, as whole numbers; a first length whose prefixes can all be
        tried.
    Edges: a value that is common but whose prefixes are lost on the way is not found; estimates of
        those that are found lean upwards a little, because they were chosen for being large.
    Reference: Wang, Li and Jha 2021, prefix extension.

    >>> HeavyHitters.for_epsilon(2, bits=32).lengths
    (8, 12, 16, 20, 24, 28, 32)
    """

    bits: int
    lengths: tuple[int, ...]
    odds: Fraction

    @classmethod
    def for_epsilon(cls, epsilon: Number, *, bits: int, first: int = 8, step: int = 4) -> Self:
        """Prefixes of ``first`` bits, then ``step`` more each time."""
        size = whole(bits, "bits", at_least=1)
        begin, more = whole(first, "first", at_least=1), whole(step, "step", at_least=1)
        if size > LONGEST or max(begin, more) > 16:
            raise RangeError(
                f"values of at most {LONGEST} bits, and steps of at most 16, can be searched.",
                remedy="Hash longer values to 56 bits first, and use shorter steps.",
            )
        lengths = (*range(min(begin, size), size, more), size)
        odds = LocalHash.for_epsilon(positive(epsilon, "epsilon"), size=2).odds
        return cls(size, lengths, odds)

    def oracle(self, place: int) -> LocalHash:
        """The oracle of one length."""
        return LocalHash.for_odds(self.odds, size=max(2, 1 << self.lengths[place]))

    @property
    def cost(self) -> Pure:
        """What one report costs the person who sends it."""
        return Pure(self.oracle(0).epsilon)

    def report(self, values: Any) -> list[NDArray[Any]]:
        """The reports, gathered by length; within a length in no order that matters."""
        known = read_indices(values, 1 << self.bits, what="values").reshape(-1)
        chosen = uniform_below(len(self.lengths), len(known))
        return [
            self.oracle(place).report(known[chosen == place] >> (self.bits - length))
            for place, length in enumerate(self.lengths)
        ]

    def find(
        self, reports: list[NDArray[Any]], *, most: int = 16, errors: float = 3.0
    ) -> list[HeavyHitter]:
        """The values whose share stands out by so many standard errors, at most ``most`` of them,
        the commonest first.
        """
        listed = reports if isinstance(reports, list | tuple) else []
        told = [array_of(each, what="reports") for each in listed]
        if len(told) != len(self.lengths) or not all(each.size for each in told):
            raise ShapeError(
                f"reports of all {len(self.lengths)} lengths are needed.",
                remedy="Give the list that `report` made, with enough people for every length.",
            )
        limit = whole(most, "most", at_least=1)
        prefixes, done, found = np.zeros(1, dtype=np.int64), 0, list[HeavyHitter]()
        for place, length in enumerate(self.lengths):
            more = length - done
            candidates = (prefixes[:, None] << more | np.arange(1 << more)).reshape(-1)
            found = self._common(place, told[place], candidates, limit, errors)
            prefixes, done = np.array([each.value for each in found], dtype=np.int64), length
        return found

    def _common(
        self,
        place: int,
        told: NDArray[Any],
        candidates: NDArray[np.int64],
        most: int,
        errors: float,
    ) -> list[HeavyHitter]:
        oracle = self.oracle(place)
        if not len(candidates):
            return []
        own, other = (float(chance) for chance in oracle.support)
        shares = (oracle.speaking_for(told, candidates) / len(told) - other) / (own - other)
        error = float(oracle.variance(0, people=len(told))) ** 0.5
        order = np.argsort(-shares, kind="stable")[:most]
        return [
            HeavyHitter(int(candidates[one]), float(shares[one]), error)
            for one in order
            if shares[one] > errors * error
        ]


@dataclass(frozen=True)
class HeavyHitter:
    """A value that stands out, its estimated share and the standard error of one that is rare."""

    value: int
    share: float
    standard_error: float
