"""Rationals as text: in few characters for people, or exactly for a reader."""

from __future__ import annotations

from decimal import (
    MAX_EMAX,
    MIN_EMIN,
    ROUND_CEILING,
    ROUND_FLOOR,
    ROUND_HALF_EVEN,
    Context,
    Decimal,
)
from fractions import Fraction


def short(number: Fraction) -> str:
    """A rational in few characters for messages and printing: exact where short, 6 digits else.

    A non-zero number never prints as zero.

    >>> short(Fraction(1, 10)), short(Fraction(1, 3)), short(Fraction(1, 10**9))
    ('0.1', '0.333333', '1e-9')
    """
    if number.denominator == 1 and abs(number.numerator) < 10**9:
        return str(number.numerator)
    return _in_few_characters(_divided(number, digits=6), plain_below=9)


def short_up(number: Fraction, *, digits: int = 6) -> str:
    """A rational in so many digits, rounded up: what is printed is never below the number.

    >>> short_up(Fraction(1, 3)), short_up(Fraction(1, 3), digits=3), short_up(Fraction(5))
    ('0.333334', '0.334', '5')
    """
    decimal = _divided(number, digits=digits, rounding=ROUND_CEILING)
    return _in_few_characters(decimal, plain_below=9)


def short_down(number: Fraction, *, digits: int = 6) -> str:
    """A rational in so many digits, rounded down: what is printed is never above the number.

    >>> short_down(Fraction(2, 3)), short_down(Fraction(1, 3 * 10**7), digits=2)
    ('0.666666', '3.3e-8')
    """
    decimal = _divided(number, digits=digits, rounding=ROUND_FLOOR)
    return _in_few_characters(decimal, plain_below=9)


def exactly(number: Fraction) -> str:
    """Python source for a rational, exact, that `shoal.exact.rational` reads back as the same.

    >>> exactly(Fraction(3)), exactly(Fraction(1, 10**6)), exactly(Fraction(1, 3))
    ('3', "'1e-6'", "'1/3'")
    """
    if number.denominator == 1 and abs(number) < 10**15:
        return str(number.numerator)
    decimal = _divided(number, digits=20)
    if Fraction(decimal) == number:
        return f"'{_in_few_characters(decimal, plain_below=15)}'"
    return f"'{_digits(number.numerator)}/{_digits(number.denominator)}'"


def _context(digits: int, rounding: str = ROUND_HALF_EVEN) -> Context:
    """A decimal context of our own: the caller's must not change what is written."""
    return Context(prec=digits, rounding=rounding, Emin=MIN_EMIN, Emax=MAX_EMAX, traps=[])


def _divided(number: Fraction, *, digits: int, rounding: str = ROUND_HALF_EVEN) -> Decimal:
    context = _context(digits, rounding)
    return context.normalize(context.divide(Decimal(number.numerator), Decimal(number.denominator)))


def _in_few_characters(decimal: Decimal, *, plain_below: int) -> str:
    exponent = decimal.adjusted()
    if -5 <= exponent < plain_below:
        return format(decimal, "f")
    return f"{_context(30).scaleb(decimal, -exponent):f}e{exponent}"


def _digits(number: int) -> str:
    # Through Decimal, because str(int) refuses more than 4300 digits.
    return format(Decimal(number), "f")
