"""Parameters come in through one door and leave it as exact rationals.

A float given as a *parameter* means its shortest decimal: 0.1 is exactly 1/10, so ten of them fit a
budget of 1.  NaN, infinities, truth values and unreadable text are refused by the parameter's name.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np

from shoal.errors import NumberError, RangeError
from shoal.exact.rational_text import LARGEST_DECIMAL_EXPONENT, TooFar, numeral, short

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
