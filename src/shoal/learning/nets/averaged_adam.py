"""How noisy gradients move weights: Adam's steps, and a running mean of where they lead."""

from __future__ import annotations

import numpy as np

from shoal.learning.exact_sums import Floats

_MEAN, _SQUARE, _AVERAGE = 0.9, 0.999, 0.95


class AveragedAdam:
    """Adam (Kingma and Ba 2015), with a running mean of the weights, over which noise cancels.

    The length of gradients does not matter to it, so nobody needs to know how many rows there are.
    It sees released numbers alone.
    """

    def __init__(self, start: Floats, rate: float) -> None:
        self.weights, self.average = start.copy(), start.copy()
        self._rate, self._steps = rate, 0
        self._mean, self._square = np.zeros_like(start), np.zeros_like(start)

    def step(self, gradient: Floats) -> None:
        """Go one step against a gradient."""
        self._steps += 1
        at = self._steps
        self._mean = _MEAN * self._mean + (1 - _MEAN) * gradient
        self._square = _SQUARE * self._square + (1 - _SQUARE) * gradient**2
        size = np.sqrt(self._square / (1 - _SQUARE**at)) + 1e-12
        self.weights = self.weights - self._rate * (self._mean / (1 - _MEAN**at)) / size
        kept = min(_AVERAGE, at / (at + 10))
        self.average = kept * self.average + (1 - kept) * self.weights
