"""Distribution functions of the integer laws, in floats, from their closed forms."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

Distribution = Callable[[int], float]
"""P(X <= x)."""


def discrete_laplace(scale: float) -> Distribution:
    ratio = math.exp(-1 / scale)
    return lambda x: (
        1 - math.exp(-(x + 1) / scale) / (1 + ratio)
        if x >= 0
        else math.exp(x / scale) / (1 + ratio)
    )


def geometric(scale: float) -> Distribution:
    return lambda x: -math.expm1(-(x + 1) / scale) if x >= 0 else 0.0


def floored_laplace(scale: float) -> Distribution:
    return lambda x: (
        1 - math.exp(-(x + 1) / scale) / 2 if x >= -1 else math.exp((x + 1) / scale) / 2
    )


def truncated_geometric(scale: float, limit: int) -> Distribution:
    whole = -math.expm1(-(limit + 1) / scale)
    return lambda x: min(1.0, geometric(scale)(x) / whole)


def rounded_gaussian(sigma: float) -> Distribution:
    return lambda x: math.erfc(-(x + 0.5) / sigma / math.sqrt(2)) / 2


def discrete_gaussian(sigma: float) -> Distribution:
    """Summed for small scales; beyond, the rounded law differs by less than 1 / sigma^2 in
    relation.
    """
    if sigma > 2000:
        return rounded_gaussian(sigma)
    return lambda x: _sums(sigma).get(x, float(x > 0))


@cache
def _sums(sigma: float) -> dict[int, float]:
    reach = math.ceil(12 * sigma) + 2
    weights = [math.exp(-(x**2) / (2 * sigma**2)) for x in range(-reach, reach + 1)]
    total, so_far, sums = math.fsum(weights), 0.0, {}
    for x, weight in zip(range(-reach, reach + 1), weights, strict=True):
        so_far += weight / total
        sums[x] = so_far
    return sums
