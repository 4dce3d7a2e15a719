"""Bounds as texts, rounded to the side that they state: "at least" down, "at most" up."""

from __future__ import annotations

import math
from fractions import Fraction

from shoal.exact import short_down, short_up

_DIGITS = 6
_MOST = 17
"""So many digits tell any two floats apart."""


def text_down(number: float, digits: int = _DIGITS) -> str:
    """In so many digits, never above the number.

    >>> text_down(1.99996, 4), text_down(0.1), text_down(math.inf)
    ('1.999', '0.1', 'inf')
    """
    return short_down(_decimal(number), digits=digits) if math.isfinite(number) else str(number)


def text_up(number: float, digits: int = _DIGITS) -> str:
    """In so many digits, never below the number.

    >>> text_up(0.6931471805599453), text_up(0.01, 2)
    ('0.693148', '0.01')
    """
    return short_up(_decimal(number), digits=digits) if math.isfinite(number) else str(number)


def text_near(number: float) -> str:
    """In six digits; of what is no bound."""
    return f"{number:.6g}"


def text_above(lower: float, claimed: float) -> str:
    """A lower bound in four digits, or in as many as show it to be above what is claimed, if it is.

    >>> text_above(1.00004, 1.0), text_above(0.98765, 1.0)
    ('1.00004', '0.9876')
    """
    for digits in range(4, _MOST):
        shown = text_down(lower, digits)
        if lower <= claimed or float(shown) > claimed:
            return shown
    return text_down(lower, _MOST)


def figure_text(name: str, value: float | str) -> str:
    """A figure of a verdict, rounded to the side that its name states.

    >>> figure_text("epsilon, at most", math.log(2)), figure_text("epsilon, at least", math.log(2)), figure_text("samples", 100)
    ('0.693148', '0.693147', '100')
    """
    if not isinstance(value, float):
        return str(value)
    if "at least" in name:
        return text_down(value)
    return text_up(value) if "at most" in name or "p-value" in name else text_near(value)


def risk_text(confidence: float) -> str:
    """What is left of a confidence, rounded up.

    >>> risk_text(0.99)
    '0.01'
    """
    return short_up(1 - _decimal(confidence), digits=2)


def percent_down(share: float) -> str:
    """A share in percent, rounded down.

    >>> percent_down(0.99), percent_down(0.99988888)
    ('99 %', '99.9888 %')
    """
    return f"{short_down(100 * _decimal(share), digits=_DIGITS)} %"


def _decimal(number: float) -> Fraction:
    """The number as Python writes it, which is the same float; so 0.1 is a tenth."""
    return Fraction(repr(float(number)))
