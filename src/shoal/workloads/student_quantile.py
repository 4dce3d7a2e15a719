"""Quantiles of Student's law: for intervals whose standard error is itself measured in a few
repetitions.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from flint import arb

_STEPS = 60


@cache
def student_quantile(confidence: Fraction, freedom: int) -> float:
    """Within how many measured standard errors a normal number lies with this probability.

    The standard error is the root of the mean of ``freedom`` squares of independent normal numbers
    with the same variance.  P(|T| <= t) is the regularized incomplete beta function of t^2 /
    (freedom + t^2) with 1/2 and freedom / 2.
    """
    low, high = 0.0, 1.0
    while _inside(high, freedom) < confidence:
        high *= 2
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if _inside(middle, freedom) < confidence else (low, middle)
    return high


def _inside(far: float, freedom: int) -> float:
    square = arb(far) ** 2
    share = square / (square + freedom)
    return float(share.beta_lower(arb("0.5"), arb(freedom) / 2, regularized=True))
