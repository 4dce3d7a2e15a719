"""The logistic function with a certified error: quickly in doubles, or as finely as is asked."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cache

import numpy as np
from flint import arb, fmpz
from numpy.typing import NDArray

from shoal.exact import at_precision, dyadic
from shoal.learning.exact_sums import Integers

SCORE_BITS = 52
"""Scores of `quick_shares` are whole numbers of 2^-52."""

SHARE_BITS = 52
"""Its shares are, too."""

QUICK_ERROR_BITS = 50
"""Its shares are off by at most 2^-50, with a score that is off by less than 2^-52."""

_END = 40
_CELLS = 256
_WITHIN = SCORE_BITS - 8


def quick_shares(scores: Integers) -> Integers:
    """1 / (1 + exp(-score)) of scores in units of 2^-52, in units of 2^-52.

    Guarantee: off by at most 2^-51, whatever the score; each share is between 0 and 1.
    Needs: additions and products of single doubles are rounded as IEEE 754 defines.
    Proof: objective.md, *Shares*.
    """
    held = np.clip(scores, -_END << SCORE_BITS, (_END << SCORE_BITS) - 1)
    cell = held >> _WITHIN
    away = (held - (cell << _WITHIN) - (1 << (_WITHIN - 1))).astype(np.float64) * 2.0**-SCORE_BITS
    powers = _table()
    at = cell + _END * _CELLS
    found = powers[-1][at]
    for each in powers[-2::-1]:
        found = each[at] + away * found
    whole = np.rint(found * 2.0**SHARE_BITS).astype(np.int64)
    return np.asarray(np.clip(whole, 0, 1 << SHARE_BITS), dtype=np.int64)


@cache
def _table() -> NDArray[np.float64]:
    """Six coefficients of the power series about the middle of each cell of 1/256, in doubles."""
    middles = range(-_END * _CELLS, _END * _CELLS)
    return at_precision(128, lambda: np.array([_series(arb(2 * at + 1) / 512) for at in middles]).T)


def _series(score: arb) -> list[float]:
    share = 1 / (1 + (-score).exp())
    slope = share * (1 - share)
    tilt = 1 - 2 * share
    exact = (
        share,
        slope,
        slope * tilt / 2,
        slope * (1 - 6 * slope) / 6,
        slope * tilt * (1 - 12 * slope) / 24,
        slope * (1 - 30 * slope + 120 * slope * slope) / 120,
    )
    return [float(each) for each in exact]


def fine_shares(scores: Iterable[int], score_bits: int, bits: int) -> list[int]:
    """The same of scores in units of 2^-score_bits, in units of 2^-bits, however many these are.

    Guarantee: off by at most 2^(1 - bits).
    """
    end = bits << score_bits
    zero, one = 0, 1 << bits

    def share(score: int) -> int:
        if not -end < score < end:  # exp(-bits) is below 2^-bits
            return one if score > 0 else zero
        place = arb(fmpz(score)) / arb(fmpz(1 << score_bits))
        return math.floor(dyadic((arb(fmpz(one)) / (1 + (-place).exp())).mid()))

    return at_precision(2 * bits + 64, lambda: [share(int(each)) for each in scores])
