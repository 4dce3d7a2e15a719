"""Coefficients from rounds of noisy gradients: counts are measured once, gradients a few times, and
all rounds are pooled under a prior that is fitted to what was released.

Everything in this file but `SummedRows` works on released numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from shoal.learning.exact_sums import Floats, Integers, whole_weights
from shoal.learning.row_designs import CoefficientBlock
from shoal.learning.training_plan import NoisySums

RESIDUAL = 1 << 14
"""A residual of 1 is this many steps."""

POWER = 0.5
"""Rounds are pooled with weights that grow by this power of their number."""

_HYPER = 0.2
"""How many coefficients' worth of weight the prior of a block's variance has."""


class SummedRows(Protocol):
    """Rows that give scores and sums of residuals, exactly."""

    def scores(self, weights: Floats, bits: int) -> Integers: ...

    def gradient(self, residuals: Integers, most: int) -> Integers: ...


@dataclass
class PooledRounds:
    """What is believed of the coefficients after some rounds.

    ``second`` is the sum of x x' as it would be if columns were independent, made of released
    counts; ``curvature`` times that is taken for the Hessian.  A round releases the gradient g at
    theta_t, and so H theta_t - g is H theta* and noise, as far as the loss is a parabola.
    ``level`` is what variances of coefficients are taken for before anything is known of them, and
    ``first`` what they begin with, those of slopes left out.
    """

    second: Floats
    curvature: float
    blocks: Sequence[CoefficientBlock]
    start: Floats
    level: float = 0.5
    first: float = 0.4
    variances: Floats = field(init=False)
    theta: Floats = field(init=False)

    def __post_init__(self) -> None:
        self.theta = self.start.copy()
        self.variances = np.array([4.0 if each.linear else self.first for each in self.blocks])
        self._priors = [_prior(each) for each in self.blocks]
        self._seen: list[tuple[Floats, Floats, float]] = []
        self.stretch = 1.0

    @property
    def hessian(self) -> Floats:
        return self.second * (self.curvature * self.stretch)

    def observe(self, gradient: Floats, sigma: float, *, fits: int = 2) -> None:
        """One more noisy gradient, taken at the present coefficients."""
        self._seen.append((self.theta, gradient, sigma))
        self._mind_overshoot()
        hessian = self.hessian
        weights = np.array(
            [
                (at + 1.0) ** POWER / sigma**2 * ~np.isnan(g)
                for at, (_, g, sigma) in enumerate(self._seen)
            ]
        )
        weights /= weights.sum(axis=0)
        told = [hessian @ (theta - self.start) - np.nan_to_num(g) for theta, g, _ in self._seen]
        pooled = (weights * np.array(told)).sum(axis=0)
        noises = np.array([each[2] ** 2 for each in self._seen])
        certain = 1 / (noises @ weights**2)
        informed, seen = (hessian * certain) @ hessian, hessian @ (certain * pooled)
        for _ in range(fits):
            covariance: Floats = np.asarray(np.linalg.inv(informed + self._precision()), np.float64)
            moved = covariance @ seen
            self._fit_variances(moved, covariance)
        self.theta = self.start + moved

    def widen(self, second: Floats, blocks: Sequence[CoefficientBlock]) -> None:
        """Take more coefficients, which stand before the last one and begin at 0; gradients so far
        say nothing about them.
        """
        more = len(second) - len(self.theta)
        last = len(self.theta) - 1
        self._seen = [
            (np.insert(theta, last, np.zeros(more)), np.insert(g, last, np.full(more, np.nan)), s)
            for theta, g, s in self._seen
        ]
        self.theta = np.insert(self.theta, last, np.zeros(more))
        self.start = np.insert(self.start, last, np.zeros(more))
        self.second, self.blocks = second, (*self.blocks, *blocks)
        self.variances = np.append(self.variances, np.full(len(blocks), self.first))
        self._priors += [_prior(each) for each in blocks]

    def _precision(self) -> Floats:
        made = np.zeros_like(self.second)
        made[-1, -1] = 1e-4
        for each, prior, variance in zip(self.blocks, self._priors, self.variances, strict=True):
            made[each.start : each.stop, each.start : each.stop] = prior / variance
        return made

    def _fit_variances(self, moved: Floats, covariance: Floats) -> None:
        """One step of expectation and maximisation for the variance of each block."""
        for at, (each, prior) in enumerate(zip(self.blocks, self._priors, strict=True)):
            place = slice(each.start, each.stop)
            squares = moved[place] @ prior @ moved[place]
            squares += float(np.sum(prior * covariance[place, place]))
            self.variances[at] = (squares + _HYPER * self.level) / (each.stop - each.start + _HYPER)

    def _mind_overshoot(self) -> None:
        """Where columns go together, the loss bends more than independent columns say, and steps
        overshoot: then the gradient, without its noise, grows beyond what it was before.
        """
        shared = ~np.isnan(self._seen[0][1])  # those that all gradients tell of
        size = int(shared.sum())
        excess = [
            max(float(g[shared] @ g[shared]) - size * sigma**2, 0.0) for _, g, sigma in self._seen
        ]
        if len(excess) < 3:
            return
        chance = 6 * self._seen[-1][2] ** 2 * (2 * size) ** 0.5
        if excess[-1] > 4 * min(excess[:-1]) + chance:
            self.stretch *= 2


def rounds(
    rows: SummedRows,
    posterior: PooledRounds,
    sums: NoisySums,
    count: int,
    residuals: Callable[[Integers], Integers],
    *,
    most_row: int,
    unit: float,
) -> None:
    """Release so many noisy gradients, each at the coefficients that follow from those before.

    ``residuals`` makes of scores in units of 2^-20 whole residuals of at most `RESIDUAL` in size;
    ``unit`` is what 1 of a released gradient is worth.
    """
    for at in range(count):
        weights, bits = whole_weights(np.clip(posterior.theta, -500, 500), most_row)
        found = rows.gradient(residuals(rows.scores(weights, bits)), RESIDUAL)
        noisy, sigma = sums.release(f"gradient {at + 1}", found)
        posterior.observe(noisy * unit, sigma * unit)


def _prior(block: CoefficientBlock) -> Floats:
    """The precision of a block for a variance of 1: bins of a number walk from one to the next, those
    of a grid along and across; other coefficients are independent.
    """
    if block.grid is not None:
        (lines, along), (columns, across) = block.grid
        walks = np.kron(_walk(lines, ordered=along), np.eye(columns))
        walks += np.kron(np.eye(lines), _walk(columns, ordered=across))
        return np.asarray(walks + 0.01 * np.eye(lines * columns))
    size = block.stop - block.start
    return _walk(size, ordered=True) + 0.01 * np.eye(size) if block.ordered else np.eye(size)


def _walk(size: int, *, ordered: bool) -> Floats:
    """The sum of squares of steps between neighbours; without an order, of ways from the mean."""
    if not ordered:
        return np.eye(size) - 1 / size
    steps = np.diff(np.eye(size), axis=0)
    return np.asarray(steps.T @ steps)
