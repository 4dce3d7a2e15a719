"""Unary encoding: one bit for each value, each flipped by itself; and RAPPOR, which flips twice."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from shoal.errors import RangeError
from shoal.exact import IntegerArray, Number, ball, open_unit, positive, upper
from shoal.local.indices import read_indices
from shoal.local.odds import odds_down
from shoal.local.protocols.oracles.oracle import Counters, Oracle, read_bits
from shoal.local.protocols.promise import epsilon_of_changes
from shoal.mechanisms.witness import NoiseWitness, meet
from shoal.noise import Coin
from shoal.sensitivity.claims import Answers

Bytes = NDArray[np.uint8]
_BITS_AT_ONCE = 1 << 20
_BITS = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).astype(np.int64)


@dataclass(frozen=True)
class UnaryEncoding(Oracle):
    """A bit for each value: 1 with chance ``own`` for the sender's value and ``other`` for every
    other one.

    A report is a row of packed bits, the first value in the highest bit of the first byte.

    Reference: Wang, Blocki, Li and Jha 2017.

    >>> UnaryEncoding.optimised(1, size=10).own, UnaryEncoding.optimised(1, size=10).report([3]).shape
    (Fraction(1, 2), (1, 2))
    """

    odds: Fraction = field(init=False)
    own: Fraction
    other: Fraction

    def __post_init__(self) -> None:
        own, other = open_unit(self.own, "own"), open_unit(self.other, "other")
        if own <= other:
            raise RangeError(
                "own must be above other; else the reports tell nothing.",
                remedy="Let the sender's own bit be 1 more often than the others.",
            )
        object.__setattr__(self, "odds", own * (1 - other) / (other * (1 - own)))
        super().__post_init__()

    @classmethod
    def for_odds(cls, odds: Fraction, *, size: int) -> Self:
        """The optimised form: own 1/2, other 1 / (odds + 1)."""
        return cls(size, own=Fraction(1, 2), other=1 / (odds + 1))

    @classmethod
    def optimised(cls, epsilon: Number, *, size: int) -> Self:
        """Own 1/2, other 1 / (e^epsilon + 1): the least variance for rare values."""
        return cls.for_odds(odds_down(epsilon), size=size)

    @classmethod
    def symmetric(cls, epsilon: Number, *, size: int) -> Self:
        """Every bit is kept with odds e^(epsilon/2) to 1, as in one-time basic RAPPOR."""
        root = odds_down(positive(epsilon, "epsilon") / 2)
        return cls(size, own=root / (root + 1), other=1 / (root + 1))

    @property
    def support(self) -> tuple[Fraction, Fraction]:
        return self.own, self.other

    @property
    def width(self) -> int:
        """Bytes of a report."""
        return -(-self.size // 8)

    def chance(self, value: int, report: Any) -> Fraction:
        bits = np.unpackbits(np.asarray(report, dtype=np.uint8), count=self.size).tolist()
        chances = [self.own if place == value else self.other for place in range(self.size)]
        return math.prod(
            (one if bit else 1 - one for bit, one in zip(bits, chances, strict=True)),
            start=Fraction(1),
        )

    def every_report(self) -> Iterator[Bytes]:
        for bits in product((0, 1), repeat=self.size):
            yield np.packbits(np.array(bits, dtype=np.uint8))

    def _report(self, values: IntegerArray) -> Bytes:
        return flipped_one_hot(values, self.size, self.own, self.other)

    @property
    def counters(self) -> int:
        return self.size

    def _count(self, reports: NDArray[Any]) -> Counters:
        return count_bits(read_bits(reports, self.size), self.size)

    def _supports(self, counters: Counters, people: int) -> tuple[Counters, Counters]:
        return counters.copy(), people - counters


@dataclass(frozen=True)
class Rappor(UnaryEncoding):
    """Basic RAPPOR: a permanent flip, kept for ever by the client, and a fresh one for each report.

    A permanent bit is the true one except with chance ``noise``, when it is 0 or 1 alike.  A report
    shows 1 with chance ``one`` where the permanent bit is 1 and ``zero`` where it is 0.

    Guarantee: one report costs ln ``odds``.  For a person whose value never changes, all reports
        together, however many, cost ln ``lifetime_odds``.  For any two histories of values that
        differ in r reports they cost `epsilon_if_changed(r)`, which grows with r without end.
    Needs: noise, one and zero strictly between 0 and 1, one above zero; the permanent row of a
        value is never drawn again for that value.
    Edges: no number of different values bounds the cost: that a value changed can be seen in the
        reports, and the more of them the better.
    Reference: Erlingsson, Pihur and Korolova 2014, with one bit for each value.
    Proof: ../repeated.md.

    >>> rappor = Rappor.of(size=10, noise="1/2", one="3/4", zero="1/2")
    >>> rappor.lifetime_odds, rappor.support
    (Fraction(9, 1), (Fraction(11, 16), Fraction(9, 16)))
    """

    noise: Fraction
    one: Fraction
    zero: Fraction

    @classmethod
    def of(cls, *, size: int, noise: Number, one: Number, zero: Number) -> Self:
        """From the three chances of the paper, f, q and p."""
        f, q, p = open_unit(noise, "noise"), open_unit(one, "one"), open_unit(zero, "zero")
        middle = f * (p + q) / 2
        own, other = middle + (1 - f) * q, middle + (1 - f) * p
        return cls(size, own=own, other=other, noise=f, one=q, zero=p)

    @property
    def lifetime_odds(self) -> Fraction:
        """The largest ratio of all reports together of a person whose value never changes: that of
        the permanent bits.
        """
        return ((1 - self.noise / 2) / (self.noise / 2)) ** 2

    @property
    def lifetime_epsilon(self) -> Fraction:
        """Its logarithm, rounded up."""
        return upper(lambda: ball(self.lifetime_odds).log())

    def epsilon_if_changed(self, reports: int) -> Fraction:
        """What all reports cost together for two histories that differ in so many of them, rounded
        up.
        """
        return epsilon_of_changes(fresh_odds(self.one, self.zero, self.size), reports)

    def permanent(self, values: Any) -> Bytes:
        """The permanent row of each value, which the client keeps and never draws anew."""
        known = read_indices(values, self.size, what="values").reshape(-1)
        return flipped_one_hot(known, self.size, 1 - self.noise / 2, self.noise / 2)

    def report_again(self, permanent: Bytes) -> Bytes:
        """A fresh report from each permanent row."""
        return flip_again(read_bits(permanent, self.size), self.size, self.one, self.zero)


def fresh_odds(one: Fraction, zero: Fraction, bits: int) -> Fraction:
    """The largest ratio of the chances of one report from two permanent rows, which can differ in
    every bit.
    """
    most = max(one / zero, (1 - zero) / (1 - one))
    return Fraction(most.numerator**bits, most.denominator**bits)


def flipped_one_hot(values: IntegerArray, size: int, own: Fraction, other: Fraction) -> Bytes:
    """Packed rows of independent bits, 1 with chance ``own`` at the value and ``other``
    elsewhere.
    """
    return meet(
        lambda: _one_hot(values, size, own, other),
        lambda: NoiseWitness("bits", (own, other, size), values, Answers()),
    )


def _one_hot(values: IntegerArray, size: int, own: Fraction, other: Fraction) -> Bytes:
    rows = max(1, _BITS_AT_ONCE // size)
    one, two = Coin(own), Coin(other)
    made = [np.empty((0, -(-size // 8)), dtype=np.uint8)]
    for start in range(0, len(values), rows):
        some = values[start : start + rows]
        bits = two.many(len(some) * size).reshape(len(some), size)
        bits[np.arange(len(some)), some] = one.many(len(some))
        made.append(np.packbits(bits, axis=1))
    return np.concatenate(made)


def flip_bits(rows: NDArray[np.bool_], own: Fraction, other: Fraction) -> Bytes:
    """Packed rows of independent bits, 1 with chance ``own`` where the row has a 1 and ``other``
    where it has a 0.
    """
    flat = rows.reshape(-1)

    def draw() -> Bytes:
        shown = np.where(flat, Coin(own).many(flat.size), Coin(other).many(flat.size))
        return np.packbits(shown.reshape(rows.shape), axis=1)

    return meet(draw, lambda: NoiseWitness("bits", (own, other), rows, Answers()))


def flip_again(packed: Bytes, size: int, own: Fraction, other: Fraction) -> Bytes:
    """The same from packed rows of so many bits."""
    return flip_bits(np.unpackbits(packed, axis=1, count=size).astype(bool), own, other)


def count_bits(packed: Bytes, size: int) -> Counters:
    """How many rows have each bit."""
    counted = [np.bincount(column, minlength=256) @ _BITS for column in packed.T]
    return np.concatenate(counted)[:size]
