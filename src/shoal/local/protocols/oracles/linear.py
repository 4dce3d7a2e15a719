"""Linear hashing over a prime field: reports are counted one by one and decoded all at once."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from shoal.errors import RangeError
from shoal.exact import IntegerArray
from shoal.local.protocols.oracles.hashing import bucket_variance
from shoal.local.protocols.oracles.oracle import Counters, Oracle, below, read_numbers, truthful

MOST_COUNTERS = 1 << 22
_GROUP = 400
"""Clients handle digits in groups with at most so many values: their table of products stays in the
cache.
"""
_AS_GOOD = Fraction(101, 100)


@dataclass(frozen=True)
class LinearHash(Oracle):
    """A value is written in digits of a prime base; its hash is their product with a random vector,
    modulo the prime.

    A report is one number: the vector a and the hash, told by randomized response.  The tally has
    one counter for each such number, so that adding a report is one step, and a transform finds the
    support of all values together.

    Guarantee: as every oracle; two values have the same hash with chance 1 / prime exactly.
    Needs: a prime whose table of counters has at most 2^22 of them.
    Edges: a larger epsilon wants a larger prime, until the table is full; then the variance is that
        of the prime used.
    Reference: Wang, Blocki, Li and Jha 2017; Carter and Wegman 1979.

    >>> oracle = LinearHash.for_epsilon(1, size=10_000)
    >>> oracle.prime, oracle.digits, oracle.counters
    (3, 9, 59049)
    """

    prime: int

    def __post_init__(self) -> None:
        super().__post_init__()
        if not is_prime(self.prime) or self.counters > MOST_COUNTERS:
            raise RangeError(
                f"{self.prime} is no prime, or needs more than 2^22 counters.",
                remedy="Give a smaller prime, or let for_epsilon choose.",
            )

    @classmethod
    def for_odds(cls, odds: Fraction, *, size: int) -> Self:
        """The smallest table among primes whose variance is within 1 % of the least that fits."""
        most = min(math.isqrt(MOST_COUNTERS), max(4, 2 * int(odds) + 4))
        near = [prime for prime in range(2, most) if is_prime(prime)]
        fitting = [prime for prime in near if _counters(size, prime) <= MOST_COUNTERS]
        if not fitting:
            raise RangeError(
                f"{size} values need more than 2^22 counters.",
                remedy="Use LocalHash with candidates, or ask about prefixes.",
            )
        least = min(bucket_variance(odds, prime) for prime in fitting)
        good = [prime for prime in fitting if bucket_variance(odds, prime) <= _AS_GOOD * least]
        return cls(size, odds, min(good, key=lambda prime: _counters(size, prime)))

    @property
    def digits(self) -> int:
        """How many digits a value has."""
        return _digits(self.size, self.prime)

    @property
    def counters(self) -> int:
        return _counters(self.size, self.prime)

    @property
    def support(self) -> tuple[Fraction, Fraction]:
        return self.odds / (self.odds + self.prime - 1), Fraction(1, self.prime)

    def chance(self, value: int, report: Any) -> Fraction:
        vector, told = divmod(int(report), self.prime)
        product, rest = 0, value
        for _ in range(self.digits):
            product += (vector % self.prime) * (rest % self.prime)
            vector, rest = vector // self.prime, rest // self.prime
        own = self.support[0]
        chance = own if product % self.prime == told else (1 - own) / (self.prime - 1)
        return chance / Fraction(self.prime) ** self.digits

    def every_report(self) -> Iterator[int]:
        return iter(range(self.counters))

    @cached_property
    def _groups(self) -> list[int]:
        return _groups_of(self.digits, self.prime, _GROUP)

    @cached_property
    def _codes(self) -> list[IntegerArray]:
        """For each group, its part of each value."""
        codes, rest = list[IntegerArray](), np.arange(self.size)
        for size in reversed(self._groups):
            rest, code = np.divmod(rest, size)
            codes.append(code)
        return codes[::-1]

    def _report(self, values: IntegerArray) -> NDArray[np.int64]:
        count = len(values)
        vector, product = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64)
        for size, code in zip(self._groups, self._codes, strict=True):
            drawn = below(size, count)
            product += products(size, self.prime).take(
                drawn * size + code.take(values.astype(np.int64, copy=False))
            )
            vector = vector * size + drawn
        hashed = (np.arange(len(self._groups) * self.prime) % self.prime).take(product)
        told = truthful((self.odds - 1) / (self.odds + self.prime - 1), count)
        return vector * self.prime + np.where(told, hashed, below(self.prime, count))

    def _count(self, reports: NDArray[Any]) -> Counters:
        return np.bincount(read_numbers(reports, self.counters), minlength=self.counters)

    def _supports(self, counters: Counters, people: int) -> tuple[Counters, Counters]:
        """Σ_a T[a, <a, v>] = (1/q) Σ_w Y[w v, w], with Y the transform of T, forwards along the
        hash and backwards along the digits.

        The terms of w and q - w are conjugate.  The sums are whole numbers, and so are found
        exactly by rounding.
        """
        prime, digits = self.prime, self.digits
        waves = np.fft.rfft(counters.reshape(-1, prime), axis=1)
        cube = waves.reshape(*[prime] * digits, -1)
        turned = np.fft.ifftn(cube, axes=range(digits), norm="forward").reshape(waves.shape)
        written = np.array(np.unravel_index(np.arange(self.size), [prime] * digits))
        found = np.zeros(self.size)
        for wave in range(1, waves.shape[1]):
            places = np.ravel_multi_index(tuple(wave * written % prime), [prime] * digits)
            found += (1 if 2 * wave == prime else 2) * turned[places, wave].real
        speaking = np.rint((people + found) / prime).astype(np.int64)
        return speaking, people - speaking


def _groups_of(digits: int, prime: int, most: int) -> list[int]:
    """How many values each group of digits has, the highest digits first."""
    each = 1
    while each < digits and prime ** (each + 1) <= most:
        each += 1
    sizes = [each] * (digits // each) + ([digits % each] if digits % each else [])
    return [math.prod([prime] * size) for size in sizes]


@lru_cache(maxsize=64)
def products(size: int, prime: int) -> NDArray[np.int64]:
    """<a, v> mod prime for every two vectors of digits below ``size``, as one flat table."""
    digits, rest = list[IntegerArray](), np.arange(size)
    while size > 1:
        rest, digit = np.divmod(rest, prime)
        digits.append(digit)
        size //= prime
    total = sum(np.multiply.outer(digit, digit) for digit in digits)
    return np.asarray(total % prime, dtype=np.int64).reshape(-1)


def is_prime(number: int) -> bool:
    """By trial division; for the small numbers used here."""
    return number > 1 and all(number % other for other in range(2, math.isqrt(number) + 1))


def _digits(size: int, prime: int) -> int:
    digits = 1
    while prime**digits < size:
        digits += 1
    return digits


def _counters(size: int, prime: int) -> int:
    return math.prod([prime] * (_digits(size, prime) + 1))
