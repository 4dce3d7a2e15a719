"""How the numbers of a measure are read and written, and the smallest one that is kept."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction

from shoal.exact import Number, out_of_range, rational

SMALLEST = Fraction(1, 2**16500)
"""A bound below this (about 10^-4967) is raised to it, so that it stays a number one can hold."""

LOG_OF_SMALLEST = -11437
"""A whole number at or below the natural logarithm of `SMALLEST`."""

_SHORT_DIGITS = 20


def order_above_one(order: Number) -> Fraction:
    """Read the order of a Rényi divergence."""
    number = rational(order, "order")
    if number <= 1:
        raise out_of_range("order", number, "above 1")
    return number


def holdable_up(number: Fraction) -> Fraction:
    """The number itself, or `SMALLEST` where it is positive and smaller; errs upward."""
    return number if number == 0 else max(number, SMALLEST)


def exactly(number: Fraction) -> str:
    """Python source for a rational, exact, that `shoal.exact.rational` reads back as the same.

    >>> exactly(Fraction(3)), exactly(Fraction(1, 10**6)), exactly(Fraction(1, 3))
    ('3', "'1e-6'", "'1/3'")
    """
    if number.denominator == 1 and number < 10**15:
        return str(number.numerator)
    with localcontext(prec=_SHORT_DIGITS):
        decimal = Decimal(number.numerator) / Decimal(number.denominator)
    if Fraction(decimal) == number:
        return f"'{_in_few_characters(decimal.normalize())}'"
    return f"'{_digits(number.numerator)}/{_digits(number.denominator)}'"


def _in_few_characters(decimal: Decimal) -> str:
    exponent = decimal.adjusted()
    if -5 <= exponent < 15:
        return format(decimal, "f")
    return f"{decimal.scaleb(-exponent):f}e{exponent}"


def _digits(number: int) -> str:
    # Through Decimal, because str(int) refuses more than 4300 digits.
    return format(Decimal(number), "f")
