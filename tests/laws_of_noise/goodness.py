"""Goodness of fit: the chance of draws this far from a law, were it theirs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2
from tests.laws_of_noise.closed_forms import Distribution

ACCEPTED = 1e-9
"""A true law is accepted above this; seeds are fixed, so no test flickers."""
FEWEST = 20
PARTS = 40


def edges_of(law: Distribution, draws: int) -> list[int]:
    """Integers that cut a law into about equally likely bins and two tails, none of them too
    thin.
    """
    shares = [1e-4, *(part / PARTS for part in range(1, PARTS)), 1 - 1e-4]
    edges: list[int] = []
    below = 0.0
    for share in shares:
        edge = _quantile(law, share)
        if (law(edge) - below) * draws >= FEWEST and (1 - law(edge)) * draws >= FEWEST:
            edges.append(edge)
            below = law(edge)
    return edges


def _quantile(law: Distribution, share: float) -> int:
    """The least integer whose distribution function reaches a share."""
    low, high = -(1 << 70), 1 << 70
    while low < high:
        middle = (low + high) // 2
        if law(middle) >= share:
            high = middle
        else:
            low = middle + 1
    return low


def fit(drawn: NDArray[np.generic], law: Distribution) -> float:
    """The p-value of the chi-square test of integers against a law."""
    edges = edges_of(law, len(drawn))
    values = drawn if drawn.dtype == np.int64 else drawn.astype(np.float64)
    bins = np.searchsorted(np.array(edges, dtype=values.dtype), values, side="left")
    reached = [0.0, *(law(edge) for edge in edges), 1.0]
    return fit_counts(np.bincount(bins, minlength=len(edges) + 1), np.diff(reached))


def fit_counts(counts: NDArray[np.int64], chances: Sequence[float] | NDArray[np.float64]) -> float:
    """The p-value of counts against the chances of their kinds."""
    expected = np.asarray(chances) * counts.sum()
    statistic = float(((counts - expected) ** 2 / expected).sum())
    return float(chi2.sf(statistic, len(expected) - 1))
