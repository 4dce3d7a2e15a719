"""Real numbers as questions: how large are you, at this precision?

A `Real` is a function from a working precision in bits to an enclosing ball (`flint.arb`).  A ball
always contains the true number, whatever the precision, so every answer below is a proof; asking
again with more bits only narrows it.  This is the only module that holds the flint context.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from fractions import Fraction
from threading import RLock
from typing import TypeVar

from flint import arb, ctx, fmpq

from shoal.errors import InternalError, RangeError

Real = Callable[[], arb]
"""A real number, computed anew at the precision in force when it is called."""

# 64 bits are asked for by default and 64 more absorb rounding, so most questions are settled at
# once.
FIRST_PRECISION = 128
LAST_PRECISION = 1 << 20
LARGEST_EXPONENT = 1 << 20
"""Bounds are written out as rationals only between 2^-(2^20) and 2^(2^20) in size."""

SMALLEST = Fraction(1, 2**16500)
"""A bound below this (about 10^-4967) is raised to it, so that it stays a number one can hold."""

LOG_OF_SMALLEST = -11437
"""A whole number at or below the natural logarithm of `SMALLEST`."""

_flint_context = RLock()
_Answer = TypeVar("_Answer")


def _unlock() -> None:
    """In a forked child: another thread of the parent may have held the lock, and is not there."""
    global _flint_context  # noqa: PLW0603 - a new lock, which nobody holds
    _flint_context = RLock()


if hasattr(os, "register_at_fork"):  # where processes can fork at all
    os.register_at_fork(after_in_child=_unlock)


def ball(number: Fraction | int) -> arb:
    """Enclose a rational at the precision in force."""
    if isinstance(number, int):
        return arb(number)
    return arb(fmpq(number.numerator, number.denominator))


def at_precision(bits: int, question: Callable[[], _Answer]) -> _Answer:
    """Ask a question with ``bits`` of working precision."""
    with _flint_context, ctx.workprec(bits):
        return question()


def precision_in_force() -> int:
    """The working precision in bits, as seen by a `Real` while it is asked."""
    return int(ctx.prec)


def decide(question: Callable[[], _Answer | None], *, first: int = FIRST_PRECISION) -> _Answer:
    """Ask with doubling precision until the answer is not None.

    Guarantee: what is returned was decided by enclosures, never by rounding.
    Edges: a question without a decidable answer (two equal reals) stops at 2^20 bits with an error.
    """
    bits = first
    while bits <= LAST_PRECISION:
        answer = at_precision(bits, question)
        if answer is not None:
            return answer
        bits *= 2
    raise InternalError(
        "a comparison of two real numbers did not settle within 2^20 bits.",
        remedy="Please report it with the parameters of the mechanism.",
    )


def dyadic(number: arb) -> Fraction:
    """The exact rational held by a ball of radius zero, such as ``x.lower()`` or ``x.upper()``."""
    mantissa, exponent = number.man_exp()
    m, e = int(mantissa), int(exponent)
    return Fraction(m << e) if e >= 0 else Fraction(m, 1 << -e)


def floor_of(real: Real, *, bits: int = 0) -> int:
    """The floor of 2^bits times a real number, exactly."""

    def question() -> int | None:
        floor = (real() * arb(2) ** bits).floor().unique_fmpz()
        return None if floor is None else int(floor)

    return decide(question, first=max(FIRST_PRECISION, bits + 64))


def is_below(left: Real, right: Real) -> bool:
    """Whether left < right, for two reals that are not equal."""

    def question() -> bool | None:
        difference = left() - right()
        if difference < 0:
            return True
        return False if difference > 0 else None

    return decide(question)


def upper(real: Real, *, bits: int = 64) -> Fraction:
    """A rational at or above a real number, within 2^(1-bits) of it in relative terms.

    Edges: a real closer to 0 than 2^-(2^20) is bounded by 0 or by that power, still on the named
    side; one beyond 2^(2^20) is refused.
    """
    return _rounded(real, bits, up=True)


def lower(real: Real, *, bits: int = 64) -> Fraction:
    """A rational at or below a real number, within 2^(1-bits) of it in relative terms.

    Edges: those of `upper`, mirrored.
    """
    return _rounded(real, bits, up=False)


def _rounded(real: Real, bits: int, *, up: bool) -> Fraction:
    def question() -> Fraction | None:
        number = real()
        if not number.is_finite():
            return None
        if abs(number) > arb(2) ** LARGEST_EXPONENT:
            raise _beyond_reach()
        if abs(number) < arb(2) ** -LARGEST_EXPONENT:
            return _rounded_tiny(number, up=up)
        if number.rel_accuracy_bits() < bits:  # too wide, perhaps too wide to write out
            return None
        low, high = dyadic(number.lower()), dyadic(number.upper())
        if (high - low) * (2 << bits) > min(abs(low), abs(high)) or low < 0 < high:
            return None
        bound = high if up else low
        # Rounded outward to so many bits: a bound has no more digits than were asked for.
        ulp = Fraction(2) ** (exponent_of(bound) - bits)
        steps = bound / ulp
        return (math.ceil(steps) if up else math.floor(steps)) * ulp

    return decide(question, first=max(FIRST_PRECISION, bits + 64))


def _rounded_tiny(number: arb, *, up: bool) -> Fraction:
    """A bound of a number too small to write out; an exact 0 is its own bound."""
    if up:
        return Fraction(2) ** -LARGEST_EXPONENT if number.upper() > 0 else Fraction(0)
    return -(Fraction(2) ** -LARGEST_EXPONENT) if number.lower() < 0 else Fraction(0)


def _beyond_reach() -> RangeError:
    return RangeError(
        "the parameters lead to a number beyond 2^(2^20).",
        remedy="Choose parameters of a size that can matter.",
    )


def root_up(square: Fraction) -> Fraction:
    """A rational at or above a square root, at most 2^-63 of it too large, and exact where it is
    rational.

    >>> root_up(Fraction(9, 4)), float(root_up(Fraction(2)))
    (Fraction(3, 2), 1.4142135623730951)
    """
    above, below = math.isqrt(square.numerator), math.isqrt(square.denominator)
    if above * above == square.numerator and below * below == square.denominator:
        return Fraction(above, below)
    return upper(lambda: ball(square).sqrt())


def exponent_of(number: Fraction) -> int:
    """The integer e with 2^e <= |number| < 2^(e+1), for a number that is not 0."""
    if number == 0:
        raise InternalError(
            "0 has no exponent.", remedy="Please report it with the parameters of the mechanism."
        )
    magnitude = abs(number)
    guess = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    return guess if magnitude >= Fraction(2) ** guess else guess - 1


def holdable_up(number: Fraction) -> Fraction:
    """The number itself, or `SMALLEST` where it is positive and smaller; errs upward."""
    return number if number == 0 else max(number, SMALLEST)


def float_up(number: Fraction) -> float:
    """The smallest float at or above a rational; infinity above the largest float."""
    return 0.0 - float_down(-number)  # the 0.0 keeps a zero from printing as -0.0


def float_down(number: Fraction) -> float:
    """The largest float at or below a rational; minus infinity below the most negative float."""
    try:
        nearest = number.numerator / number.denominator
    except OverflowError:
        return math.nextafter(math.inf, 0) if number > 0 else -math.inf
    return nearest if Fraction(nearest) <= number else math.nextafter(nearest, -math.inf)
