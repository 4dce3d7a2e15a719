"""The two losses of additive models: log-odds of two classes, and squares of a number's residuals."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from shoal.learning.additive_rounds import LossSizes
from shoal.learning.exact_sums import Floats, Integers
from shoal.learning.feature_columns import STEPS
from shoal.learning.logistic_regression import FLATTER, logistic_residuals
from shoal.learning.posterior_rounds import RESIDUAL
from shoal.learning.whitened_rounds import LENGTH, UNIT

CLIP = 1.5
"""Residuals are clipped to so many of their root mean squares."""

SQUARES = LENGTH * RESIDUAL // 4
"""What a residual as large as its clip adds to the sum of squares beside a gradient."""


class TwoClassLoss:
    """Residuals p - y; ``labels`` are 1 for the second class and 0 for all others."""

    sizes = LossSizes(mark=1, totals=1, extra=0, beside_squared=0)
    level, first, unit = 0.1, 0.1, 1.0

    def __init__(self, labels: Integers) -> None:
        self._labels, self.residuals = labels, logistic_residuals(labels)
        self.variance = 0.25

    def total(self) -> Integers:
        return np.array([self._labels.sum()], dtype=np.int64)

    def begin(self, means: Floats, noise: float) -> tuple[float, float]:  # noqa: ARG002
        """The log-odds of all rows, and how much the loss bends there."""
        rate = min(max(float(means[0]), 0.02), 0.98)
        self.variance = FLATTER * rate * (1 - rate)
        return math.log(rate / (1 - rate)), self.variance

    def beside(self) -> Integers:
        return np.zeros(0, dtype=np.int64)

    def hear(self, noisy: Floats, sigma: float, rows: float) -> None:
        """Nothing is released beside the gradients."""


class SquaredLoss:
    """Residuals of targets in steps of 1 / `UNIT`, clipped to a few times their root mean square.

    Most noise of a gradient is there for the largest residual that a row can have.  So each round
    also releases the sum of squares of clipped residuals, from which the next clip follows.
    """

    sizes = LossSizes(mark=STEPS, totals=2, extra=1, beside_squared=SQUARES**2)

    def __init__(self, target: Integers, keep: NDArray[np.bool_]) -> None:
        self._target, self._keep = target, keep
        self._clip, self.variance = UNIT, 1.0
        self.level, self.first = 0.1, 0.1
        self._held = np.zeros(0, dtype=np.int64)

    @property
    def unit(self) -> float:
        return self._clip / UNIT

    def total(self) -> Integers:
        """Targets and their squares, each from -`STEPS` to `STEPS`."""
        held = self._target[self._keep] // (UNIT // STEPS)
        return np.array([held.sum(), (held * held // STEPS).sum()], dtype=np.int64)

    def begin(self, means: Floats, noise: float) -> tuple[float, float]:
        """The mean of all rows, and that a parabola bends the same everywhere."""
        mean = min(max(float(means[0]), -1.0), 1.0)
        self.hear_variance(float(means[1]) - mean**2, noise)
        self.level, self.first = self.variance / 20, self.variance / 200
        return mean, 1.0

    def hear_variance(self, found: float, noise: float) -> None:
        self.variance = min(max(found, 0.0) + noise, 1.0)
        self._clip = max(int(min(CLIP * math.sqrt(self.variance), 1.0) * UNIT), 1)

    def residuals(self, scores: Integers) -> Integers:
        away = np.clip(scores - self._target, -self._clip, self._clip)
        self._held = away * RESIDUAL // self._clip
        return self._held

    def beside(self) -> Integers:
        held = self._held[self._keep]
        return np.array([(held * held // RESIDUAL * SQUARES // RESIDUAL).sum()], dtype=np.int64)

    def hear(self, noisy: Floats, sigma: float, rows: float) -> None:
        worth = self.unit**2 / SQUARES / rows
        self.hear_variance(float(noisy[0]) * worth, sigma * worth)
