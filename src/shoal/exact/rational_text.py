"""Rationals as text: one grammar, read everywhere the same, and written in few characters for
people or exactly for a reader.

A numeral is an ASCII decimal with an optional exponent (``12``, ``-0.5``, ``.5``, ``1e-6``), or two
of them with a slash between (``1/3``).  No underscores, no digits of other scripts, no words such
as ``nan`` or ``inf``; spaces around it are passed over.  Its size is bounded before anything is
computed, so that ``1e999999999`` costs no more than it takes to read it.
"""

from __future__ import annotations

import re
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


LARGEST_DECIMAL_EXPONENT = 5000
"""Numbers outside 10^-5000 .. 10^5000 are refused: nobody means them, and they would fill memory.
"""

LONGEST_NUMERAL = 40_000
"""Characters of a numeral; exact fractions of a ledger have a few thousand."""

DECIMAL = r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
"""A decimal, as a regular expression."""

_DECIMAL = re.compile(DECIMAL)
_WHOLE = re.compile(r"[-+]?[0-9]+")
_SPACES = " \t\r\n"
_MOST_EXPONENT_DIGITS = 9


class TooFar(ValueError):  # noqa: N818 - where the number is, for those who word the error
    """A numeral of a size or length that is not computed with."""


def numeral(text: str) -> Fraction | None:
    """The exact number that a text stands for; None if it is no numeral.

    Edges: `TooFar` for one beyond 10^5000 or closer to 0 than 10^-5000, or of more than 40,000
    characters.

    >>> numeral("0.1"), numeral(" 1/3 "), numeral("1e-6"), numeral("1_5"), numeral("١٢")
    (Fraction(1, 10), Fraction(1, 3), Fraction(1, 1000000), None, None)
    """
    above, slash, below = text.partition("/")
    if not slash:
        return _decimal(above)
    over, under = _decimal(above), _decimal(below)
    if over is None or under is None or under == 0:
        return None
    return over / under


def whole_numeral(text: str, *, digits: int = LONGEST_NUMERAL) -> int | None:
    """The whole number that a text of at most so many characters stands for, written in digits
    alone; None if it is none.

    >>> whole_numeral("12"), whole_numeral("1_2"), whole_numeral("1e3"), whole_numeral("²")
    (12, None, None, None)
    """
    plain = text.strip(_SPACES)
    if len(plain) > digits or _WHOLE.fullmatch(plain) is None:
        return None
    return int(Decimal(plain))  # int() itself refuses more than 4300 digits


def bounded_fraction(decimal: Decimal) -> Fraction:
    """A finite decimal as a fraction, if it is of a size that is computed with.

    Edges: `TooFar` otherwise; ``Fraction`` would write out all its zeros.
    """
    if decimal and abs(decimal.adjusted()) > LARGEST_DECIMAL_EXPONENT:
        raise TooFar
    if len(decimal.as_tuple().digits) > LONGEST_NUMERAL:
        raise TooFar
    return Fraction(decimal) if decimal else Fraction(0)


def _decimal(text: str) -> Fraction | None:
    plain = text.strip(_SPACES)
    if len(plain) > LONGEST_NUMERAL:
        raise TooFar
    if _DECIMAL.fullmatch(plain) is None:
        return None
    _, _, exponent = plain.lower().partition("e")
    if len(exponent.lstrip("+-0")) > _MOST_EXPONENT_DIGITS:  # beyond what a Decimal holds
        raise TooFar
    return bounded_fraction(Decimal(plain))
