"""k-ary randomized response: the value itself, or any value alike."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from shoal.exact import IntegerArray
from shoal.local.protocols.oracles.oracle import Counters, Oracle, below, read_numbers, truthful


@dataclass(frozen=True)
class KaryResponse(Oracle):
    """The value itself, ``odds`` times as often as any other one.

    Reference: Kairouz, Bonawitz and Ramage 2016.  Best for few values or a large epsilon.

    >>> KaryResponse.for_epsilon(1, size=10).report([3, 3, 7]).shape
    (3,)
    """

    @classmethod
    def for_odds(cls, odds: Fraction, *, size: int) -> Self:
        return cls(size, odds)

    @property
    def support(self) -> tuple[Fraction, Fraction]:
        total = self.odds + self.size - 1
        return self.odds / total, 1 / total

    def chance(self, value: int, report: Any) -> Fraction:
        return self.support[int(report) != value]

    def every_report(self) -> Iterator[int]:
        return iter(range(self.size))

    def _report(self, values: IntegerArray) -> NDArray[np.int64]:
        told = truthful((self.odds - 1) / (self.odds + self.size - 1), len(values))
        return np.where(told, values, below(self.size, len(values)))

    @property
    def counters(self) -> int:
        return self.size

    def _count(self, reports: NDArray[Any]) -> Counters:
        return np.bincount(read_numbers(reports, self.size), minlength=self.size)

    def _supports(self, counters: Counters, people: int) -> tuple[Counters, Counters]:
        return counters.copy(), people - counters
