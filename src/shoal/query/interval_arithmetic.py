"""Exact intervals to compute with: whatever lies in the parts, the result lies in the whole.

An estimate is the same computation on intervals of width 0, so an interval and its estimate cannot
follow different formulas.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from shoal.exact import float_down, float_up


@dataclass(frozen=True)
class Enclosure:
    """All numbers between two rational ends, both included."""

    lo: Fraction
    hi: Fraction

    @classmethod
    def around(cls, value: Fraction, off: Fraction) -> Enclosure:
        return cls(value - off, value + off)

    def __add__(self, other: Enclosure | Fraction) -> Enclosure:
        if isinstance(other, Fraction):
            return Enclosure(self.lo + other, self.hi + other)
        return Enclosure(self.lo + other.lo, self.hi + other.hi)

    def __sub__(self, other: Enclosure) -> Enclosure:
        return Enclosure(self.lo - other.hi, self.hi - other.lo)

    def __mul__(self, other: Enclosure | Fraction) -> Enclosure:
        others = (other,) if isinstance(other, Fraction) else (other.lo, other.hi)
        corners = [mine * yours for mine in (self.lo, self.hi) for yours in others]
        return Enclosure(min(corners), max(corners))

    def __truediv__(self, other: Enclosure) -> Enclosure:
        """A quotient; needs a divisor above 0."""
        return self * Enclosure(1 / other.hi, 1 / other.lo)

    @property
    def square(self) -> Enclosure:
        ends = self.lo**2, self.hi**2
        return Enclosure(Fraction(0) if self.lo <= 0 <= self.hi else min(ends), max(ends))

    @property
    def root(self) -> Enclosure:
        """The square roots of numbers that are not below 0, outward to the next doubles."""
        low, high = math.sqrt(float_down(self.lo)), math.sqrt(float_up(self.hi))
        return Enclosure(
            Fraction(max(0.0, math.nextafter(low, 0.0))),
            Fraction(math.nextafter(high, math.inf)) if high else Fraction(0),
        )

    def held(self, lo: Fraction | None = None, hi: Fraction | None = None) -> Enclosure:
        """Every number moved to the nearer of two ends."""
        ends = self.lo, self.hi
        if lo is not None:
            ends = max(lo, ends[0]), max(lo, ends[1])
        if hi is not None:
            ends = min(hi, ends[0]), min(hi, ends[1])
        return Enclosure(*ends)

    @property
    def middle(self) -> Fraction:
        return (self.lo + self.hi) / 2
