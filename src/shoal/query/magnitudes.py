"""Buckets by magnitude: every number falls between two of 1, 2, 5, 10, 20, 50, ..., on either side
of 0.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from shoal.plan import INTEGER, REAL, Expression, Literal, Type, call, value_at
from shoal.plan.types import within

_SMALLEST, _LARGEST = -6, 18
"""Reals are told apart from 10^-6 to 10^18; smaller ones count as 0, larger ones as the largest."""


@dataclass(frozen=True)
class Magnitudes:
    """The buckets for numbers of a type, from -``most`` to ``most``; that of 0 is 0.

    >>> few = Magnitudes(INTEGER)
    >>> few.of(Fraction(0)), few.of(Fraction(4)), few.of(Fraction(-4)), few.ends(2)
    (0, 2, -2, (Fraction(2, 1), Fraction(5, 1)))
    """

    type: Type

    @cached_property
    def edges(self) -> tuple[Fraction, ...]:
        """Where positive buckets begin, and where the last one ends."""
        if self.type == REAL:
            first, last = _SMALLEST, _LARGEST
        else:
            first, last = -self.type.scale, 19 - self.type.scale
        found = [Fraction(10) ** power * each for power in range(first, last) for each in (1, 2, 5)]
        if self.type == REAL:
            return (*found, Fraction(10) ** last)
        unit = 10**self.type.scale
        inside = [edge for edge in found if within(int(edge * unit)) is not None]
        return (*inside, Fraction(2**63 - 1, unit))

    @property
    def most(self) -> int:
        """The number of the bucket of the largest numbers."""
        return len(self.edges) - 1

    def of(self, number: Fraction) -> int:
        """The bucket of a number."""
        size = min(bisect_right(self.edges, abs(number)), self.most)
        return size if number > 0 else -size

    def ends(self, bucket: int) -> tuple[Fraction, Fraction]:
        """Between which numbers a bucket lies; numbers beyond the last edge count as it."""
        if bucket == 0:
            return Fraction(0), Fraction(0)
        lo, hi = self.edges[abs(bucket) - 1], self.edges[abs(bucket)]
        return (lo, hi) if bucket > 0 else (-hi, -lo)

    def expression(self, argument: Expression) -> Expression:
        """The bucket of an argument, in the row language: NULL for NULL, else found by halving."""
        inside = self._halving(argument, -self.most, self.most)
        return call("case", call("is_null", argument), Literal(None, INTEGER), inside)

    def _halving(self, argument: Expression, first: int, last: int) -> Expression:
        if first == last:
            return Literal(first, INTEGER)
        middle = (first + last) // 2
        low, high = (
            self._halving(argument, first, middle),
            self._halving(argument, middle + 1, last),
        )
        return call("case", self._upto(argument, middle), low, high)

    def _upto(self, argument: Expression, bucket: int) -> Expression:
        """Whether an argument lies in this bucket or a lower one."""
        above = bucket >= 0
        edge = self.edges[bucket] if above else -self.edges[-bucket - 1]
        return call(
            "lt" if above else "le", argument, Literal(value_at(edge, self.type), self.type)
        )
