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
from shoal.local.oracles.hashing import bucket_variance
from shoal.local.oracles.oracle import Counters, Oracle, below, read_numbers, truthful

MOST_COUNTERS = 1 << 22
_GROUP = 400
"""Digits are handled in groups with at most so many values: their table of products stays in the cache."""


@dataclass(frozen=True)
class LinearHash(Oracle):
    """A value is written in digits of a prime base; its hash is their product with a random vector, modulo the prime.

    A report is one number: the vector a and the hash, told by randomized response.  The tally has one counter for each such
    number, so that adding a report is one step, and a transform finds the support of all values together.

    Guarantee: as every oracle; two values have the same hash with chance 1 / prime exactly.
    Needs: a prime whose table of counters has at most 2^22 of them.
    Edges: a larger epsilon wants a larger prime, until the table is full; then the variance is that of the prime used.
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
        """The prime with the least variance among those whose table is not too large."""
        near = [prime for prime in range(2, max(4, 2 * int(odds) + 4)) if is_prime(prime)]
        fitting = [prime for prime in near if _counters(size, prime) <= MOST_COUNTERS]
        if not fitting:
            raise RangeError(
                f"{size} values need more than 2^22 counters.",
                remedy="Use LocalHash with candidates, or ask about prefixes.",
            )
        return cls(size, odds, min(fitting, key=lambda prime: bucket_variance(odds, prime)))

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
        """How many values each group of digits has, the highest digits first."""
        each = max(1, int(math.log(_GROUP, self.prime)))
        sizes = [each] * (self.digits // each)
        if self.digits % each:
            sizes.append(self.digits % each)
        return [self.prime**size for size in sizes]

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
        """Σ_a T[a, <a, v>] = (1/q) Σ_w Σ_a Y_w[a] ω^(w <a, v>), with Y_w the transform of T along the hash.

        The terms of w and q - w are conjugate.  The sums are whole numbers, and so are found exactly by rounding.
        """
        table = counters.reshape(-1, self.prime).astype(np.float64)
        if self.prime == 2:
            found = self._transformed(table @ np.array([[1.0], [-1.0]]), 1).real
        else:
            spectrum = np.fft.rfft(table, axis=1)
            found = np.zeros(len(table))
            for wave in range(1, spectrum.shape[1]):
                found += 2 * self._transformed(spectrum[:, wave], wave).real
        speaking = np.rint((people + found[: self.size]) / self.prime).astype(np.int64)
        return speaking, people - speaking

    def _transformed(self, column: NDArray[Any], wave: int) -> NDArray[Any]:
        """One group of digits after the other; the first group ends up first again."""
        left = column.reshape(1, -1)
        for size in self._groups:
            turns = roots(self.prime)[(wave * products(size, self.prime)) % self.prime]
            left = turns.reshape(size, size).T @ left.reshape(size, -1)
            left = np.ascontiguousarray(left.reshape(size, -1).T)
        return left.reshape(-1)


@lru_cache(maxsize=32)
def products(size: int, prime: int) -> NDArray[np.int64]:
    """<a, v> mod prime for every two vectors of digits below ``size``, as one flat table."""
    digits, rest = list[IntegerArray](), np.arange(size)
    while size > 1:
        rest, digit = np.divmod(rest, prime)
        digits.append(digit)
        size //= prime
    total = sum(np.multiply.outer(digit, digit) for digit in digits)
    return np.asarray(total % prime, dtype=np.int64).reshape(-1)


def roots(prime: int) -> NDArray[np.complex128]:
    """The powers of the first root of unity of this order."""
    turned: NDArray[np.complex128] = np.exp(2j * np.pi * np.arange(prime) / prime)
    return turned


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
