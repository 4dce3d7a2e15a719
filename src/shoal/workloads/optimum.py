"""The best strategy over one ordered column under Gaussian noise, with a bound that no strategy can
pass.

Wanted are the rows of W, with V = W'W; a strategy is a matrix A with columns of length at most 1.
Answering W by least squares from A with noise of variance 1 has the total squared error tr(V
(A'A)^+).  For any positive weights of the values, with L = diag(weights) and R = (L^(1/2) V
L^(1/2))^(1/2), no strategy has less than tr(R)^2 / tr(L), and L^(-1/2) R L^(-1/2) is the best A'A
as soon as its diagonal is
1.  So weights are multiplied by the square of that diagonal until the two meet.
   Proof: workloads.md, *The optimum*.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from shoal.workloads.column_queries import Floats, Tridiagonal

GAP = 5e-4
"""How far above the bound a strategy may be."""

_STEPS = 60
_NULL = 1e-12
"""Eigenvalues below this share of the largest count as 0: directions that nobody asks about."""


@dataclass(frozen=True, eq=False)
class Optimum:
    """A strategy with columns of length at most 1, its total squared error under noise of variance
    1, and a bound.

    Guarantee: up to the rounding of floats no strategy has an error below ``bound``; nothing about
    privacy rests on it.
    """

    strategy: Floats
    error: float
    bound: float

    @property
    def gap(self) -> float:
        """By which share of it the error is above the bound."""
        return self.error / self.bound - 1


@dataclass(frozen=True, eq=False)
class _Root:
    """R by its eigenvectors, without those of eigenvalue 0; ``singular`` if there were any."""

    values: Floats
    vectors: Floats
    weights: Floats
    singular: bool

    @property
    def diagonal(self) -> Floats:
        """The diagonal of L^(-1/2) R L^(-1/2)."""
        found: Floats = (self.vectors**2) @ self.values / self.weights
        return found

    @property
    def bound(self) -> float:
        return float(self.values.sum() ** 2 / self.weights.sum())


Times = Callable[[Floats], Floats]
"""A matrix times some columns."""


def optimum(
    gram: Floats, inverse: Tridiagonal | None = None, times: Times | None = None
) -> Optimum:
    """The best strategy for a gram matrix V; faster where its inverse has three diagonals, and where
    ``times`` has a quicker way to multiply V by columns.

    Edges: V may be singular.  V = 0 has the strategy without rows, error and bound 0.
    Reference: the bound is that of Li and Miklau 2013 with weights; the fixed point that of
        Denisov, McMahan, Rush, Smith and Thakurta 2022, with a step twice as long.
    """
    size = len(gram)
    if not gram.any():
        return Optimum(np.zeros((0, size)), 0.0, 0.0)
    weights, bound, best = np.ones(size), 0.0, None
    for _ in range(_STEPS):
        root = _root(gram, inverse, weights)
        bound = max(bound, root.bound)
        found = _strategy(times or gram.__matmul__, root)
        if best is None or found[1] < best[1]:
            best = found
        if best[1] <= bound * (1 + GAP):
            break
        # a value of weight w has w/v of its share, and both are square roots: hence the square
        weights = weights * np.maximum(root.diagonal, _NULL) ** 2
        weights /= weights.mean()
    assert best is not None
    return Optimum(best[0], best[1], bound)


def _root(gram: Floats, inverse: Tridiagonal | None, weights: Floats) -> _Root:
    root = np.sqrt(weights)
    if inverse is not None:
        middle, beside = inverse
        values, vectors = _eigenvectors(middle / weights, beside / (root[:-1] * root[1:]))
        return _Root(values**-0.5, vectors, weights, singular=False)
    values, vectors = np.linalg.eigh(gram * np.multiply.outer(root, root))
    asked = values > _NULL * values[-1]
    return _Root(np.sqrt(values[asked]), vectors[:, asked], weights, singular=not asked.all())


def _eigenvectors(middle: Floats, beside: Floats) -> tuple[Floats, Floats]:
    """Eigenvalues and eigenvectors of a matrix with three diagonals; ten times as fast where scipy
    is installed.
    """
    try:
        from scipy.linalg import eigh_tridiagonal  # noqa: PLC0415 - the core does without it
    except ImportError:
        values, vectors = np.linalg.eigh(np.diag(middle) + np.diag(beside, 1) + np.diag(beside, -1))
    else:
        values, vectors = eigh_tridiagonal(middle, beside)
    return values, vectors


def _strategy(times: Times, root: _Root) -> tuple[Floats, float]:
    """A strategy with columns of length at most 1 and its error.

    Columns are scaled one by one; where some directions are not asked about that could turn the
    strategy away from those that are, so there all columns are scaled alike.
    """
    lengths = root.diagonal
    if root.singular:
        lengths = np.full(len(lengths), lengths.max())
    scale = 1 / np.sqrt(root.weights * np.maximum(lengths, _NULL))
    strategy: Floats = np.sqrt(root.values)[:, None] * root.vectors.T * scale
    back = root.vectors / scale[:, None]
    error = float((np.einsum("ij,ij->j", back, times(back)) / root.values).sum())
    return strategy, error
