"""A number and its interval as text, under one rule of digits: the ends are rounded outward.

Text, terminal, HTML and reports all show numbers with `shown`, so they cannot differ.  The rule: a
number has three digits of half the width of its interval, whole numbers and decimals have no more
digits than their type, and numbers too large or too small for plain digits are written with an
exponent.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from fractions import Fraction

from shoal.errors import InternalError

Shows = int | float | Decimal | Fraction

_MEANT = 2
"""Digits after the first one of half the width."""
_FLOAT = 16
"""Digits after the first one that a float has."""
_SMALLEST, _LARGEST = -12, 18
"""Below and above these powers of ten numbers are written with an exponent."""
_EXACT = 6
"""Digits of a real whose interval has no width."""


@dataclass(frozen=True)
class Shown:
    """The texts of a number and of the ends of its interval; an end that is nowhere is None."""

    value: str
    low: str | None
    high: str | None

    @property
    def ends(self) -> str:
        """Both ends in words."""
        if self.low is None and self.high is None:
            return "anything"
        if self.high is None:
            return f"{self.low} or more"
        return f"{self.high} or less" if self.low is None else f"{self.low} to {self.high}"

    @property
    def bracket(self) -> str:
        """Both ends in brackets."""
        return "[anything]" if None in (self.low, self.high) else f"[{self.low}, {self.high}]"


def shown(value: Shows | None, low: Shows, high: Shows, *, places: int | None = None) -> Shown:
    """A number and its interval in as many digits as the interval leaves any meaning.

    ``places`` is how many digits after the point its type has; None for a real.

    Guarantee: the shown ends, read back, enclose the ends given, exactly.

    >>> shown(80.7166, 79.5859, 81.8395)
    Shown(value='80.72', low='79.58', high='81.84')
    >>> shown(12345567, 12345566.2, 12345568.1, places=0)
    Shown(value='12,345,567', low='12,345,566', high='12,345,569')
    """
    ends = [_exactly(end) for end in (low, high)]
    number = None if value is None else _exactly(value)
    known = [each for each in (number, *ends) if each is not None]
    width = None if None in ends else ends[1] - ends[0]  # type: ignore[operator]
    power, plain = _power(known, width, places)
    texts = [
        # The lower end is cut down and the upper one up, so that the interval shown holds the one
        # given.
        None if end is None else _text(side(end / _ten(power)), power, plain=plain)
        for end, side in zip(ends, (math.floor, math.ceil), strict=True)
    ]
    said = "NULL" if number is None else _text(round(number / _ten(power)), power, plain=plain)
    return Shown(said, texts[0], texts[1])


_OUTWARD = (math.floor, math.ceil)


def rounded(value: Shows | None, low: Shows, high: Shows, *, places: int | None = None) -> Shown:
    """A number and its interval as people read them aloud: the last digit counts at most a fifth of
    half the width.

    Guarantee: the shown ends, read back, enclose the ends given, exactly, and each is off by less
        than a fifth of half the width.
    Edges: without two ends, or without any width, it is shown as `shown` does.

    >>> rounded(3412, 3317.5, 3506.5, places=0)
    Shown(value='3,410', low='3,310', high='3,510')
    >>> rounded(80.7166, 79.5859, 81.8395)
    Shown(value='80.7', low='79.5', high='81.9')
    """
    ends = [_exactly(end) for end in (low, high)]
    width = None if None in ends else ends[1] - ends[0]  # type: ignore[operator]
    if not width:
        return shown(value, low, high, places=places)
    number = None if value is None else _exactly(value)
    largest = max(abs(each) for each in (number, *ends) if each is not None)
    power = max(_exponent(width / 10), _exponent(largest) - _FLOAT)
    power = power if places is None else max(power, -places)
    plain = places is not None or (power >= _SMALLEST and _exponent(largest) < _LARGEST)

    def text(units: int) -> str:
        if plain and power > 0:
            return _text(units * 10**power, 0, plain=True)
        return _text(units, power, plain=plain)

    cut = [
        None if end is None else text(side(end / _ten(power)))
        for end, side in zip(ends, _OUTWARD, strict=True)
    ]
    said = "NULL" if number is None else text(round(number / _ten(power)))
    return Shown(said, cut[0], cut[1])


def is_unclear(value: object, ends: Sequence[object]) -> bool:
    """Whether the interval of a number is at least as wide as the number, or as its own end that is
    further from 0: it says little but that the number is small.

    Reports and pictures of answers set such numbers apart.  A number may be drawn beyond an
    interval that is cut to what can be true, such as -43 with 0 to 26, and an average of nobody is
    an end of its range, such as 500 with 0 to 500.  A number that is known exactly is clear.

    >>> is_unclear(3, (1, 5)), is_unclear(30, (28, 32)), is_unclear(-43, (0, 26))
    (True, False, True)
    """
    if not all(isinstance(each, int | float | Decimal) for each in (value, *ends)):
        return False
    number, low, high = (float(each) for each in (value, *ends))  # type: ignore[arg-type]
    size = min(abs(number), max(abs(low), abs(high)))
    return high - low >= size and not low == number == high


def shown_up(number: Shows, *, digits: int = 4) -> str:
    """A bound in so many digits, rounded up: what is shown is never below it.

    >>> shown_up(7531.2), shown_up(0.123412), shown_up(1e-300), shown_up(1234567)
    ('7,532', '0.1235', '1e-300', '1,235,000')
    """
    return _bound(number, digits, up=True)


def shown_down(number: Shows, *, digits: int = 4) -> str:
    """A bound in so many digits, rounded down: what is shown is never above it.

    >>> shown_down(7531.2), shown_down(0.99999)
    ('7,531', '0.9999')
    """
    return _bound(number, digits, up=False)


def _bound(number: Shows, digits: int, *, up: bool) -> str:
    exact = _decimal(number)
    if exact is None:
        return "anything"
    if exact == 0:
        return "0"
    power = _exponent(exact) - digits + 1
    units = (math.ceil if up else math.floor)(exact / _ten(power))
    while units and units % 10 == 0:
        units, power = units // 10, power + 1
    plain = power >= _SMALLEST and _exponent(exact) < _LARGEST
    return (
        _text(units * 10 ** max(0, power), min(0, power), plain=True)
        if plain
        else _text(units, power, plain=False)
    )


def _power(known: list[Fraction], width: Fraction | None, places: int | None) -> tuple[int, bool]:
    """The power of ten that the last digit counts, and whether digits are plain."""
    largest = max((abs(each) for each in known), default=Fraction(0))
    if places == 0:
        return 0, True
    top = _exponent(largest) if largest else 0
    if width is None:
        power = -3
    elif width == 0:
        power = min(-_EXACT, top - _EXACT)
    else:
        power = _exponent(width / 2) - _MEANT
    power = max(power, top - _FLOAT) if largest else -_EXACT if width == 0 else power
    if places is not None:
        return min(0, max(power, -places)), True
    plain = power >= _SMALLEST and top < _LARGEST
    return (min(0, power) if plain else power), plain


def _text(units: int, power: int, *, plain: bool) -> str:
    if units == 0 and not plain:
        return "0"
    number = Decimal(units).scaleb(power, _WIDE)
    return f"{number:,f}" if plain else f"{number:e}"


_WIDE = Context(prec=10_000, Emin=MIN_EMIN, Emax=MAX_EMAX)


def _exactly(number: Shows) -> Fraction | None:
    """The number itself, or None where it is infinite."""
    if isinstance(number, float | Decimal) and not math.isfinite(number):
        if math.isnan(number):
            raise InternalError("a number to show is NaN.", remedy="Please report the question.")
        return None
    return Fraction(number)


def _decimal(number: Shows) -> Fraction | None:
    """The number as Python writes it, which for a float is the same float: 0.1 is a tenth."""
    if isinstance(number, float) and math.isfinite(number):
        return Fraction(repr(float(number)))
    return _exactly(number)


def _exponent(number: Fraction) -> int:
    """The power of ten of the first digit of a number that is not 0."""
    size = abs(number)
    bits = size.numerator.bit_length() - size.denominator.bit_length()
    guess = (
        math.floor((bits - 1) * math.log10(2)) - 1
    )  # at most two below: bits are off by one, logarithms by a hair
    while size >= _ten(guess + 1):
        guess += 1
    return guess


def _ten(power: int) -> Fraction:
    return Fraction(10**power) if power >= 0 else Fraction(1, 10**-power)
