"""Numbers for people, in three digits, rounded to the side that promises less."""

from __future__ import annotations

from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

from shoal.exact import ball, short, upper

_LARGEST_EXPONENT = 1000


def digits_up(number: Fraction) -> str:
    """Three digits, rounded up.

    >>> digits_up(Fraction(2, 3)), digits_up(Fraction(12345)), digits_up(Fraction(1, 10**7))
    ('0.667', '12400', '1e-7')
    """
    return _digits(number, ROUND_CEILING)


def digits_down(number: Fraction) -> str:
    """Three digits, rounded down.

    >>> digits_down(Fraction(2, 3)), digits_down(Fraction(12345))
    ('0.666', '12300')
    """
    return _digits(number, ROUND_FLOOR)


def percent_up(probability: Fraction) -> str:
    """A probability in percent, rounded up.

    >>> percent_up(Fraction(2, 3)), percent_up(Fraction(99999, 100000))
    ('66.7 %', '100 %')
    """
    return f"{digits_up(100 * probability)} %"


def percent_down(probability: Fraction) -> str:
    """A probability in percent, rounded down."""
    return f"{digits_down(100 * probability)} %"


def one_in(probability: Fraction) -> str:
    """A small probability as "1 in so many", so many rounded down.

    >>> one_in(Fraction(1, 10**6)), one_in(Fraction(3, 10**9))
    ('1 in 1,000,000', '1 in 333,000,000')
    """
    many = Fraction(digits_down(1 / probability))
    return f"1 in {int(many):,}" if 2 <= many < 10**12 else f"probability {digits_up(probability)}"


def factor_up(epsilon: Fraction) -> str:
    """e^epsilon, rounded up.

    >>> factor_up(Fraction(1)), factor_up(Fraction(5000))
    ('2.72', 'e^5000')
    """
    if epsilon == 0:
        return "1"
    if epsilon > _LARGEST_EXPONENT:
        return f"e^{short(epsilon)}"
    return digits_up(upper(lambda: ball(epsilon).exp()))


def _digits(number: Fraction, rounding: str) -> str:
    context = Context(prec=3, rounding=rounding, Emin=MIN_EMIN, Emax=MAX_EMAX, traps=[])
    found = context.divide(Decimal(number.numerator), Decimal(number.denominator))
    return short(Fraction(found))
