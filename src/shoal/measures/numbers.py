"""How the numbers of a measure are read, and the smallest one that is kept."""

from __future__ import annotations

from fractions import Fraction

from shoal.exact import Number, out_of_range, rational

SMALLEST = Fraction(1, 2**16500)
"""A bound below this (about 10^-4967) is raised to it, so that it stays a number one can hold."""

LOG_OF_SMALLEST = -11437
"""A whole number at or below the natural logarithm of `SMALLEST`."""


def order_above_one(order: Number) -> Fraction:
    """Read the order of a Rényi divergence."""
    number = rational(order, "order")
    if number <= 1:
        raise out_of_range("order", number, "above 1")
    return number


def holdable_up(number: Fraction) -> Fraction:
    """The number itself, or `SMALLEST` where it is positive and smaller; errs upward."""
    return number if number == 0 else max(number, SMALLEST)
