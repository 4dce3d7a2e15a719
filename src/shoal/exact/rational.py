"""Parameters come in through one door, leave it as exact rationals, and are written in few
characters for people or exactly for a reader.

A float given as a *parameter* means its shortest decimal: 0.1 is exactly 1/10, so ten of them fit a
budget of 1.  NaN, infinities, truth values and unreadable text are refused by the parameter's name.

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

import numpy as np

from shoal.errors import NumberError, RangeError

Number = int | float | str | Fraction | Decimal | np.integer | np.floating
"""What a parameter may be given as."""

_KINDS = "an int, float, Fraction, Decimal or text such as '0.1', '1/3' or '1e-6'"


def rational(value: Number, name: str) -> Fraction:
    """Read a parameter as the exact rational number its writer meant.

    >>> rational(0.1, "epsilon"), rational("1/3", "epsilon"), rational("1e-6", "delta")
    (Fraction(1, 10), Fraction(1, 3), Fraction(1, 1000000))
    """
    if isinstance(value, bool | np.bool_):
        raise _not_a_number(value, name)
    if isinstance(value, Fraction):  # its parts may be numpy's, which overflow in silence
        return _within_reach(Fraction(int(value.numerator), int(value.denominator)), name)
    if isinstance(value, int | np.integer):
        return _within_reach(Fraction(int(value)), name)
    if isinstance(value, float):
        return _from_text(float.__repr__(value), value, name)
    if isinstance(value, np.floating):  # narrower or wider floats have a shortest decimal too
        return _from_text(np.format_float_scientific(value), value, name)
    if isinstance(value, Decimal):
        return _from_text(str(value), value, name)
    if isinstance(value, str):
        return _from_text(value, value, name)
    raise _not_a_number(value, name)


def positive(value: Number, name: str) -> Fraction:
    """Read a parameter that must be above zero."""
    number = rational(value, name)
    if number <= 0:
        raise out_of_range(name, number, "above 0")
    return number


def non_negative(value: Number, name: str) -> Fraction:
    """Read a parameter that must not be below zero."""
    number = rational(value, name)
    if number < 0:
        raise out_of_range(name, number, "0 or more")
    return number


def open_unit(value: Number, name: str) -> Fraction:
    """Read a parameter strictly between 0 and 1, such as a confidence."""
    number = rational(value, name)
    if not 0 < number < 1:
        raise out_of_range(name, number, "above 0 and below 1")
    return number


def closed_unit(value: Number, name: str) -> Fraction:
    """Read a parameter from 0 to 1, both included, such as a probability."""
    number = rational(value, name)
    if not 0 <= number <= 1:
        raise out_of_range(name, number, "from 0 to 1")
    return number


def whole(value: Number, name: str, *, at_least: int) -> int:
    """Read a parameter that counts something."""
    number = rational(value, name)
    if number.denominator != 1 or number < at_least:
        raise out_of_range(name, number, f"a whole number, {at_least} or more")
    return number.numerator


def finite_float(number: Fraction, name: str) -> float:
    """A parameter as the nearest double, for code that computes in doubles.

    Edges: one beyond the largest double is refused by its name.
    """
    try:
        return float(number)
    except OverflowError:
        raise out_of_range(name, number, "at most 1.797e308 in size") from None


def truth_value(value: bool, name: str) -> bool:  # noqa: FBT001 - the value itself, not an option
    """Read a parameter that is True or False, and nothing that merely counts as one of them."""
    if type(value) is not bool:
        raise NumberError(
            f"{name} must be True or False; got {type(value).__name__}.",
            remedy=f"Give {name} as a plain truth value.",
        )
    return value


def out_of_range(name: str, number: Fraction, allowed: str) -> RangeError:
    """The one wording for a parameter outside its range."""
    return RangeError(
        f"{name} must be {allowed}; got {short(number)}.",
        remedy=f"Choose {name} {allowed}.",
    )


def _from_text(text: str, given: object, name: str) -> Fraction:
    try:
        number = numeral(text)
    except TooFar:
        raise _beyond_reach(name) from None
    if number is None:
        raise _not_a_number(given, name)
    return _within_reach(number, name)


def _within_reach(number: Fraction, name: str) -> Fraction:
    # By bits, since a power of ten of that size need not be computed; 3.33 bits are a little more
    # than a digit.
    size = abs(number.numerator.bit_length() - number.denominator.bit_length())
    if size > 3.33 * LARGEST_DECIMAL_EXPONENT:
        raise _beyond_reach(name)
    return number


def _beyond_reach(name: str) -> RangeError:
    limit = LARGEST_DECIMAL_EXPONENT
    return RangeError(
        f"{name} is beyond 10^{limit} or closer to 0 than 10^-{limit}.",
        remedy=f"Choose {name} of a size that can matter.",
    )


def _not_a_number(value: object, name: str) -> NumberError:
    shown = repr(value) if isinstance(value, int | float | str | Decimal) else type(value).__name__
    if len(shown) > 40:
        shown = shown[:37] + "..."
    return NumberError(
        f"{name} must be a finite number; got {shown}.",
        remedy=f"Give {name} as {_KINDS}.",
    )


# how a rational is written, and how a numeral is read


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
