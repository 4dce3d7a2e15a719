"""The binomial law, for many doubles at once.

Masses by Stirling's series and deviances (Loader 2000, "Fast and accurate computation of binomial
probabilities"), tails by an integral.  For X of law Bin(n, p) and 0 < k <= n

    P(X >= k) = P(X = k) (k / p) ∫ over w from 0 to p of (1 - w/p)^(k-1) (1 + w/(1-p))^(n-k) dw,

whose integrand falls from 1, and ever faster on a logarithmic scale, where k - 1 >= (n - 1) p; on
the other side of the mean the tail of n - X is taken.  It is cut off where it is below e^-40, and
Gauss's rule of 64 points does the rest: tests find tails right within 10^-11 of themselves.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_FADED = 40.0
_POINTS = 64
_QUARTER = 4
_STEPS, _CLOSE = 100, 1e-14
_SMALL = 16


def binomial_mass(hits: Any, trials: Any, chance: Any) -> Floats:
    """P(X = hits) for whole numbers of hits and trials; 0 outside of 0 ... trials.

    >>> binomial_mass([0, 1, 2, 3], 2, 0.5).round(12).tolist()
    [0.25, 0.5, 0.25, 0.0]
    """
    k, n, p = (each.astype(np.float64) for each in np.broadcast_arrays(hits, trials, chance))
    q, found = 1 - p, np.zeros(k.shape)
    with np.errstate(divide="ignore"):
        found[k == 0] = np.exp(n * np.log1p(-p))[k == 0]
        found[(k == n) & (n > 0)] = np.exp(n * np.log(p))[(k == n) & (n > 0)]
    inner = (k > 0) & (k < n) & (p > 0) & (p < 1)
    k, n, p, q = k[inner], n[inner], p[inner], q[inner]
    logs = _stirling(n) - _stirling(k) - _stirling(n - k)
    logs -= _deviance(k, n * p) + _deviance(n - k, n * q)
    found[inner] = np.exp(logs) * np.sqrt(n / (2 * math.pi * k * (n - k)))
    return found


def at_least_near(hits: Any, trials: Any, chance: Any) -> Floats:
    """P(X >= hits) for whole numbers of hits and trials.

    >>> at_least_near([0, 1, 2, 3], 2, 0.5).tolist()
    [1.0, 0.75, 0.25, 0.0]
    """
    k, n, p = (each.astype(np.float64) for each in np.broadcast_arrays(hits, trials, chance))
    found = np.where(k <= 0, 1.0, np.where((k > n) | (p <= 0), 0.0, 1.0))
    inner = (k > 0) & (k <= n) & (p > 0) & (p < 1)
    with np.errstate(divide="ignore"):
        found = np.where(inner & (k == 1), -np.expm1(n * np.log1p(-p)), found)
    inner &= k > 1
    above = k - 1 >= (n - 1) * p
    here, there = inner & above, inner & ~above
    found[here] = _tail(k[here], n[here], p[here])
    found[there] = 1 - _tail(n[there] - k[there] + 1, n[there], 1 - p[there])
    return found


def chance_of(hits: Any, trials: int, tail: float) -> Floats:
    """The chance p at which so many hits or more, at least one, happen with the probability
    ``tail``.

    >>> chance_of([1, 2], 2, 0.25).round(6).tolist()
    [0.133975, 0.5]
    """
    k, places = np.unique(np.asarray(hits, np.float64), return_inverse=True)
    found, open_ = (k - 0.5) / trials, np.arange(len(k))
    low, high = np.zeros(len(k)), np.ones(len(k))
    for step in range(_STEPS):
        here, guess = k[open_], found[open_]
        reached = at_least_near(here, trials, guess)
        less = reached < tail
        low[open_[less]], high[open_[~less]] = guess[less], guess[~less]
        slope = binomial_mass(here, trials, guess) * here / guess
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            # Newton's step in ln(tail), which is nearly straight far from the mean
            moved = guess + np.log(tail / reached) * reached / slope
        inside = (moved > low[open_]) & (moved < high[open_]) & (step % 4 < 3)
        found[open_] = np.where(inside, moved, (low[open_] + high[open_]) / 2)
        open_ = open_[np.abs(found[open_] - guess) > _CLOSE * guess]
        if not len(open_):
            break
    return found[places]


def _tail(k: Floats, n: Floats, p: Floats) -> Floats:
    """P(X >= k) above the mean."""
    q, most = 1 - p, p.copy()

    def logs(w: Floats) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            found = (k - 1) * np.log1p(-w / p)
            return np.where(k == 1, 0.0, found) + (n - k) * np.log1p(w / q)

    while True:  # to within a quarter of where the integrand has faded, or all of it
        less = most / _QUARTER
        faded = logs(less) < -_FADED
        if not faded.any():
            break
        most = np.where(faded, less, most)
    points, weights = _gauss()
    total = np.zeros_like(p)
    for point, weight in zip(points, weights, strict=True):
        total += weight * np.exp(logs(most * point))
    return np.minimum(binomial_mass(k, n, p) * k / p * most * total, 1.0)


@cache
def _gauss() -> tuple[list[float], list[float]]:
    """Gauss's rule on the interval from 0 to 1."""
    points, weights = np.polynomial.legendre.leggauss(_POINTS)
    return ((points + 1) / 2).tolist(), (weights / 2).tolist()


def _stirling(n: Floats) -> Floats:
    """Ln n! less Stirling's formula."""
    square = 1 / (n * n)
    series = 1 / 1680 - square / 1188
    series = 1 / 12 - square * (1 / 360 - square * (1 / 1260 - square * series))
    small = n < _SMALL
    found = series / n
    found[small] = _small_stirling()[n[small].astype(np.int64)]
    return found


@cache
def _small_stirling() -> Floats:
    return np.array(
        [0.0]
        + [
            math.lgamma(n + 1) - (n + 0.5) * math.log(n) + n - math.log(2 * math.pi) / 2
            for n in range(1, _SMALL)
        ]
    )


def _deviance(x: Floats, mean: Floats) -> Floats:
    """X ln(x / mean) + mean - x, by a series where that would cancel."""
    far = x * np.log(x / mean) + mean - x
    v = (x - mean) / (x + mean)
    near, term = (x - mean) * v, 2 * x * v
    for j in range(1, 10):
        term = term * v * v
        near = near + term / (2 * j + 1)
    return np.where(np.abs(v) < 0.1, near, far)
