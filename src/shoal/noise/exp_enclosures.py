"""Enclosures of exp(-x) for whole arrays, in plain float arithmetic with a proven error.

Write x = n/1024 + f with whole n and 0 <= f < 1/1024.  Then exp(-x) = T[n] exp(-f) with a table T
of floats nearest to exp(-n/1024), and 1 - f <= exp(-f) <= 1 - f + 2^-21.  Each float operation is
off by at most 2^-53 of its result, and x itself by at most 2^-49 x; with x <= LAST these together
are below 2^-35 of exp(-x).  `upper_weights` therefore returns, for each x, a float w with

    exp(-x) <= w <= exp(-x) (1 + 2^-19)          (for x up to LAST; beyond, w = upper of exp(-LAST)).
"""

from __future__ import annotations

from functools import cache

import numpy as np
from flint import arb
from numpy.typing import NDArray

from shoal.exact import at_precision

LAST = 44
"""exp(-44) is below 2^-63: smaller weights need no better bound."""
SLACK = 2.0**-19
"""How far, in relative terms, an upper weight can lie above the true one."""
_PARTS = 1024
_MARGIN = 2.0**-21 + 2.0**-30


def upper_weights(gaps: NDArray[np.float64], rate: float) -> NDArray[np.float64]:
    """Upper bounds of exp(-rate * gap), in place of ``gaps``; gaps may be infinite, never NaN."""
    with np.errstate(over="ignore"):  # an infinite product is cut at LAST like any other
        gaps *= rate * _PARTS
    np.minimum(gaps, LAST * _PARTS, out=gaps)
    whole = gaps.astype(np.int64)
    gaps -= whole
    gaps *= -1 / _PARTS
    gaps += 1 + _MARGIN
    gaps *= _table().take(whole, mode="clip")
    return gaps


@cache
def _table() -> NDArray[np.float64]:
    def values() -> list[float]:
        step = (arb(-1) / _PARTS).exp()
        power, floats = arb(1), []
        for _ in range(LAST * _PARTS + 1):
            floats.append(float(power.mid()))
            power = power * step
        return floats

    return np.array(at_precision(160, values))
