"""How far one person moves a stream of releases with correlated noise, when taking part in several
steps.

The proofs stand in `participation.md`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

_MOST_BITS = 2**28
"""Coefficients over their common denominator have at most so many bits together; longer ones are
rounded up.
"""

_ROUNDED = 2**256


class SquaredSensitivity(NamedTuple):
    """The square of a sensitivity, for contributions of norm at most 1 to each step.

    ``attained`` says that some person moves the releases so far, and that ``square`` is not just a
    bound.
    """

    square: Fraction
    attained: bool


def most_participations(steps: int, participations: int, separation: int) -> int:
    """In how many steps one person can take part: 0, b, 2b, ... are the earliest."""
    return min(participations, -(-steps // separation))


def toeplitz_square(
    coefficients: Sequence[Fraction], *, steps: int, participations: int = 1, separation: int = 1
) -> SquaredSensitivity:
    """The squared sensitivity of a lower-triangular Toeplitz strategy matrix with this first
    column.

    Guarantee: never below max ||Σ_(i in π) c_i u_i||² over columns c_i, vectors with ||u_i|| <= 1,
        and sets π of at most ``participations`` steps, any two at least ``separation`` apart.
        Exactly that for one participation, for at most ``separation`` coefficients, and for
        coefficients of one sign that never grow in size.
    Needs: coefficients that continue with zeros; steps, participations, separation >= 1.
    Edges: otherwise the sum of the squared norms of columns, and of the inner products that the
        least non-increasing sequence above the absolute coefficients gives.
    Reference: Kalinin and Lampert 2024, Theorem 2; Choquette-Choo and others 2023, for bands;
        `participation.md`.

    >>> toeplitz_square([Fraction(1), Fraction(1, 2)], steps=4, participations=2, separation=1)
    SquaredSensitivity(square=Fraction(7, 2), attained=True)
    """
    whole = _over_one_denominator(coefficients[:steps])
    own, common = whole or _rounded_up(coefficients[:steps])
    count = most_participations(steps, participations, separation)
    falling = _falling_envelope(own)
    alone = _norms(own, steps, count, separation)
    crossed = _together(falling, steps, count, separation) - _norms(
        falling, steps, count, separation
    )
    is_exact = whole is not None and (crossed == 0 or falling in (own, [-one for one in own]))
    return SquaredSensitivity(Fraction(alone + crossed, common**2), is_exact)


def _over_one_denominator(coefficients: Sequence[Fraction]) -> tuple[list[int], int] | None:
    """Coefficients as whole numbers over a common denominator; None where that is too long to count
    with.
    """
    common = 1
    for one in coefficients:
        common = math.lcm(common, one.denominator)
        if common.bit_length() * len(coefficients) > _MOST_BITS:
            return None
    return [int(one * common) for one in coefficients], common


def _rounded_up(coefficients: Sequence[Fraction]) -> tuple[list[int], int]:
    return [math.ceil(abs(one) * _ROUNDED) for one in coefficients], _ROUNDED


def _falling_envelope(values: list[int]) -> list[int]:
    """The least non-increasing sequence above the absolute values."""
    return list(itertools.accumulate((abs(one) for one in reversed(values)), max))[::-1]


def _norms(values: list[int], steps: int, count: int, separation: int) -> int:
    """The sum of the squared norms of columns 0, b, 2b, ..., of which the last ones are cut off by
    the last step.
    """
    squares = [0, *itertools.accumulate(one * one for one in values)]
    whole = min(count, (steps - len(values)) // separation + 1)
    cut = (squares[steps - place * separation] for place in range(whole, count))
    return whole * squares[-1] + sum(cut)


def _together(values: list[int], steps: int, count: int, separation: int) -> int:
    """The squared norm of the sum of columns 0, b, 2b, ...

    Entry t of the sum without end, of all columns pb, p = 0, 1, ..., is P(t) = a(t) + P(t - b),
    which repeats itself from t = len(values) - b on.  That of the first ``count`` columns is P(t) -
    P(t - count b).
    """
    if separation >= len(values):
        return _norms(values, steps, count, separation)
    endless = values[:]
    for place in range(separation, len(values)):
        endless[place] += endless[place - separation]
    turn = len(values) - separation  # from here on the sum repeats itself
    reach = count * separation
    before = _sum_of_squares(endless, turn, min(steps, reach))
    after = 0
    for place in range(min(turn, max(0, steps - reach))):
        later = place + reach
        known = later if later < len(values) else turn + (later - turn) % separation
        after += (endless[known] - endless[place]) ** 2
    return before + after


def _sum_of_squares(endless: list[int], turn: int, end: int) -> int:
    """The sum of the squares before ``end`` of a sequence that repeats its entries from ``turn``
    on.
    """
    start = sum(one * one for one in endless[: min(turn, end)])
    if end <= turn:
        return start
    period = [one * one for one in endless[turn:]]
    rounds, rest = divmod(end - turn, len(period))
    return start + rounds * sum(period) + sum(period[:rest])
