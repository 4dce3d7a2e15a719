"""A number on a scale, told by one bit: the matrix whose two reports have the number as their
mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from shoal.errors import RangeError
from shoal.exact import Number, positive
from shoal.local.odds import TableOdds
from shoal.local.transition import TransitionMatrix

LOW, HIGH = "low", "high"


def one_bit(answers: Sequence[str], odds: Number) -> TransitionMatrix:
    """The matrix of equally spaced numbers: "high" is sent more often the higher the number, by
    ``odds`` to 1 from end to end.

    Guarantee: a report costs at most ln(odds): the chance of "high" grows from 1 / (odds + 1) at
        the lowest number to odds / (odds + 1) at the highest, in equal steps, so the ends have the
        largest ratio.
    Reference: Duchi, Jordan and Wainwright 2018; Ding, Kulkarni and Yekhanin 2017.

    >>> matrix = one_bit(["0", "1", "2"], 3)
    >>> [str(matrix.chance(answer, 1)) for answer in range(3)], matrix.ratio
    (['1/4', '1/2', '3/4'], Fraction(3, 1))
    """
    ratio, steps = positive(odds, "odds"), len(answers) - 1
    if ratio <= 1:
        raise RangeError(
            "odds of at most 1 to 1 were asked for; such reports tell nothing.",
            remedy="Give odds above 1.",
        )
    most, least = ratio.numerator, ratio.denominator
    rows = tuple(
        (most * steps - (most - least) * step, least * steps + (most - least) * step)
        for step in range(steps + 1)
    )
    return TransitionMatrix.of_odds(TableOdds(rows), answers=answers, reports=(LOW, HIGH))


def bit_worths(odds: Number, low: Fraction, high: Fraction) -> tuple[Fraction, Fraction]:
    """By what the reports "low" and "high" count, so that their mean is the mean of the numbers,
    exactly.

    >>> [str(worth) for worth in bit_worths(3, Fraction(0), Fraction(2))]
    ['-1', '3']
    """
    ratio = positive(odds, "odds")
    reach = (high - low) / (ratio - 1)
    return low - reach, low + reach * ratio
