"""Hadamard response: one number whose parity with the value's row leans to one side."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from shoal.errors import RangeError
from shoal.exact import IntegerArray
from shoal.local.protocols.oracles.oracle import Counters, Oracle, below, read_numbers, truthful

MOST_PLACES = 1 << 26


@dataclass(frozen=True)
class HadamardResponse(Oracle):
    """A report is a place of one of several blocks; in the sender's block, places of even parity
    with its row are likelier.

    Guarantee: as every oracle.
    Needs: blocks a power of two; each has room for a power of two of places, one row of which (the
        first) stands for no value.
    Edges: with several blocks the variance of a value grows with the share of its block; `variance`
        takes the shares of the other values to be spread evenly.
    Reference: Acharya, Sun and Zhang 2019.

    >>> HadamardResponse.for_epsilon(1, size=100).blocks, HadamardResponse.for_epsilon(3, size=100).blocks
    (1, 8)
    """

    blocks: int

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.blocks < 1 or self.blocks & (self.blocks - 1) or self.blocks > 2 * self.size:
            raise RangeError(
                f"blocks must be a power of two, at most twice the number of values; got {self.blocks}.",
                remedy="Give 1, 2, 4 and so on, or let for_epsilon choose.",
            )
        if self.counters > MOST_PLACES:
            raise RangeError(
                f"{self.size} values in {self.blocks} blocks need {self.counters} places; {MOST_PLACES} can be had.",
                remedy="Ask about fewer values, or use LocalHash with candidates.",
            )

    @classmethod
    def for_odds(cls, odds: Fraction, *, size: int) -> Self:
        """As many blocks as lead to the least variance."""
        if size > MOST_PLACES // 4:
            raise RangeError(
                f"{size} values were asked for; a table of places holds at most {MOST_PLACES // 4}.",
                remedy="Use LocalHash with candidates, or ask about prefixes.",
            )
        choices = [cls(size, odds, 2**power) for power in range((size - 1).bit_length() + 1)]
        return min(choices, key=lambda made: made.variance(0))

    @property
    def places(self) -> int:
        """Places of a block."""
        return 1 << (-(-self.size // self.blocks)).bit_length()

    @property
    def counters(self) -> int:
        return self.blocks * self.places

    @property
    def _total(self) -> Fraction:
        """The weight of all places over that of half a block."""
        return self.odds + 2 * self.blocks - 1

    @property
    def support(self) -> tuple[Fraction, Fraction]:
        """For another value: one of another block, where there are several."""
        other = Fraction(1, 2) if self.blocks == 1 else 1 / self._total
        return self.odds / self._total, other

    @property
    def variation(self) -> Fraction:
        whole_block = (self.odds - 1) / self._total
        return whole_block / 2 if self.blocks == 1 else whole_block

    @property
    def scores(self) -> tuple[Fraction, Fraction]:
        step = self._total / (self.odds - 1)
        return step, -step

    def _second_moment(self, frequency: Fraction) -> Fraction:
        """The squared score times the chance of a report in the block."""
        company = frequency + (1 - frequency) / self.blocks
        return self.scores[0] ** 2 * (2 + company * (self.odds - 1)) / self._total

    def chance(self, value: int, report: Any) -> Fraction:
        row, block = divmod(value, self.blocks)
        where, place = divmod(int(report), self.places)
        likely = where == block and (place & (row + 1)).bit_count() % 2 == 0
        return (self.odds if likely else Fraction(1)) / self._total / (self.places // 2)

    def every_report(self) -> Iterator[int]:
        return iter(range(self.counters))

    def _report(self, values: IntegerArray) -> NDArray[np.int64]:
        told = np.flatnonzero(truthful((self.odds - 1) / self._total, len(values)))
        made = below(self.counters, len(values))
        rows, blocks = np.divmod(values[told], self.blocks)
        rows += 1
        place = made[told] & (self.places - 1)
        place ^= _parities(place & rows) * (rows & -rows)
        made[told] = blocks * self.places + place
        return made

    def _count(self, reports: NDArray[Any]) -> Counters:
        return np.bincount(read_numbers(reports, self.counters), minlength=self.counters)

    def _supports(self, counters: Counters, people: int) -> tuple[Counters, Counters]:
        del people  # blocks have counts of their own
        blocks = walsh_hadamard(counters.reshape(self.blocks, self.places))
        leaning = blocks[:, 1:].T.reshape(-1)[: self.size]
        inside = np.tile(blocks[:, 0], self.places - 1)[: self.size]
        return (inside + leaning) // 2, (inside - leaning) // 2


def walsh_hadamard(rows: Counters) -> Counters:
    """The sums of each row with the signs (-1)^<i, j>, in whole numbers."""
    length, step = rows.shape[1], 1
    table = rows
    while step < length:
        pairs = table.reshape(-1, length // (2 * step), 2, step)
        even, odd = pairs[:, :, 0], pairs[:, :, 1]
        table = np.stack([even + odd, even - odd], axis=2)
        step *= 2
    return table.reshape(rows.shape)


def _parities(numbers: IntegerArray) -> IntegerArray:
    """Whether the number of ones is odd, for numbers below 2^32."""
    folded = (numbers ^ numbers >> 16) & 0xFFFF
    parities: IntegerArray = _parity_table().take(folded)
    return parities


@cache
def _parity_table() -> NDArray[np.int64]:
    table = np.arange(1 << 16)
    for shift in (8, 4, 2, 1):
        table ^= table >> shift
    return table & 1
