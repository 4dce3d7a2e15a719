"""A strategy over one column for Laplace noise: every value, and some weighted sums beside it.

The strategy is A = [I; T] D: a matrix T of p rows without negative entries below the identity, and
a diagonal D that makes all columns sum to 1, so one person moves the answers by 1 in L1.  T is
found by descent of the total squared error tr(V (A'A)^-1), whose gradient is known in closed form.
Proof: workloads.md, *Laplace noise*.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from shoal.workloads.column_queries import Floats
from shoal.workloads.projected_descent import descend

Times = Callable[[Floats], Floats]
"""The gram matrix V of what is asked, times some columns."""


def p_identity(size: int, times: Times, rows: int | None = None) -> Floats:
    """A strategy of ``size`` + ``rows`` rows whose columns sum to 1; by default a row for every 16
    values.

    Guarantee: none about optimality.  Columns sum to 1 up to the rounding of floats, on which no
        promise of privacy rests: what is measured is rounded first, and its own columns are summed.
    Reference: McKenna, Miklau, Hay and Machanavajjhala 2018 (HDMM, the p-Identity strategies).
    """
    extra = max(1, size // 16) if rows is None else rows
    start = _blocks(size, extra)
    diagonal = _diagonal(size, times)
    found = descend(start, lambda theta: _error_and_slope(theta, times, diagonal))
    return _strategy(found)


def _blocks(size: int, rows: int) -> Floats:
    """Where the search begins: rows that lean on blocks of three lengths, and a little on all."""
    # Fractions that look random and are always the same: a plan made twice is the same plan.
    turns = np.add.outer(0.7548776662 * np.arange(1, rows + 1) ** 2, 0.5698402910 * np.arange(size))
    found = 0.1 * np.mod(turns * (1 + np.arange(rows)[:, None]), 1)
    middle, long = rows // 4, rows // 16
    first = 0
    for blocks, height in ((rows - middle - long, 1.0), (middle, 0.7), (long, 0.5)):
        if blocks:
            found[first + np.arange(size) * blocks // size, np.arange(size)] += height
        first += blocks
    return np.asarray(found)


def _strategy(theta: Floats) -> Floats:
    size = theta.shape[1]
    found: Floats = np.vstack([np.eye(size), theta]) / (1 + theta.sum(axis=0))
    return found


def _diagonal(size: int, times: Times) -> Floats:
    """The diagonal of V."""
    found = np.empty(size)
    for start in range(0, size, 256):
        columns = np.zeros((size, min(256, size - start)))
        columns[np.arange(start, start + columns.shape[1]), np.arange(columns.shape[1])] = 1
        found[start : start + columns.shape[1]] = np.diagonal(times(columns)[start:])
    return found


def _error_and_slope(theta: Floats, times: Times, diagonal: Floats) -> tuple[float, Floats]:
    """The total squared error of A for noise of variance 1, and its derivative in T.

    With d = 1 + column sums, U = diag(d) V diag(d) and H = (I + T T')^-1 T, the error is
    tr(U) - tr(H U T'), because (I + T'T)^-1 = I - T'H.
    """
    d = 1 + theta.sum(axis=0)
    inner = np.linalg.solve(np.eye(len(theta)) + theta @ theta.T, theta)
    spread = times((inner * d).T).T
    turned = spread * d  # H U
    crossed = turned @ theta.T
    error = float((d * d * diagonal).sum() - np.trace(crossed))
    by_scale = 2 * (d * diagonal - (theta * spread).sum(axis=0))
    return error, -2 * (turned - crossed @ inner) + by_scale
