"""Where a statement that holds for small numbers stops to hold: bracketed, never guessed."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from shoal.errors import InternalError
from shoal.exact.real import Real, decide, dyadic, exponent_of

_START_BITS = 8
_FAST = Fraction(2)
_LARGEST_FACTOR = 1 << (1 << 16)


def turning_point(
    holds: Callable[[Fraction], bool], *, start: Fraction, bits: int = 52, close: int = 0
) -> tuple[Fraction, Fraction]:
    """Bracket the place where a statement about positive numbers turns from true to false.

    Guarantee: ``holds`` was asked and answered True at the first number returned and False at the
        second, and the second is at most ``1 + 2^-bits`` times the first.  Both have at most
        ``bits + 12`` significant bits.
    Needs: the statement turns once; ``start`` is any positive number, close for speed: where it is
        probably right within a factor 1 + 2^-``close``, that is where the search begins.
    Edges: a statement that never turns within a factor 2^65536 of ``start`` is an internal error.
    """
    # A short number to begin with: all numbers asked about are then short, too.
    unit = Fraction(2) ** (exponent_of(start) - _START_BITS - close)
    low = high = math.ceil(start / unit) * unit
    factor = 1 + Fraction(1, 1 << close)
    if holds(high):
        while holds(high := low * factor):
            low, factor = high, _larger(factor)
    else:
        while not holds(low := high / factor):
            high, factor = low, _larger(factor)
    while (high - low) * (1 << bits) > low:
        middle = _between(low, high)
        if holds(middle):
            low = middle
        else:
            high = middle
    return low, high


def approximately(guess: Real) -> Fraction:
    """The middle of an enclosure of a positive real: a place to start a search, no more."""

    def middle() -> Fraction | None:
        number = guess()
        return dyadic(number.mid()) if number.is_finite() and number > 0 else None

    return decide(middle)


def _between(low: Fraction, high: Fraction) -> Fraction:
    """A number strictly between: by exponent while they are far apart, then the middle."""
    if high > 4 * low:
        # Halving the exponents finds the size in logarithmically many questions.
        return Fraction(2) ** ((exponent_of(low) + exponent_of(high)) // 2)
    return (low + high) / 2


def _larger(factor: Fraction) -> Fraction:
    if factor >= _LARGEST_FACTOR:
        raise InternalError(
            "a search for a privacy parameter found no place where the bound is met.",
            remedy="Please report it with the parameters that were asked for.",
        )
    return factor * factor if factor >= _FAST else min(_FAST, 1 + 16 * (factor - 1))
