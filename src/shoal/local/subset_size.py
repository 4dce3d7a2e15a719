"""How large the set of a report by subset selection should be, and how often it holds a value."""

from __future__ import annotations

import math
from fractions import Fraction


def set_support(size: int, chosen: int, odds: Fraction) -> tuple[Fraction, Fraction]:
    """The chances that a set of ``chosen`` among ``size`` values holds the sender's, and a given
    other one.
    """
    total = chosen * odds + size - chosen
    own = chosen * odds / total
    other = own * Fraction(chosen - 1, size - 1) + (1 - own) * Fraction(chosen, size - 1)
    return own, other


def best_chosen(size: int, odds: Fraction) -> int:
    """The size of sets with the least variance for a rare value."""

    def variance(chosen: int) -> Fraction:
        own, other = set_support(size, chosen, odds)
        return other * (1 - other) / (own - other) ** 2

    near = size / (odds + 1)
    choices = range(max(1, math.floor(near) - 1), min(size - 1, math.ceil(near) + 1) + 1)
    return min(choices, key=variance)
