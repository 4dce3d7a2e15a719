"""How noisy gradients move weights: Adam's steps, and a running mean of where they lead."""

from __future__ import annotations

import numpy as np

from shoal.exact import Number, out_of_range, positive
from shoal.learning.exact_sums import Floats

_MEAN, _SQUARE, _AVERAGE = 0.9, 0.999, 0.95

LARGEST_RATE = 10
LARGEST_WEIGHT = 2.0**20
"""No weight is larger, so that none is infinite, and 0 times it is 0 for every row."""


def read_learning_rate(rate: Number) -> float:
    """The size of Adam's steps, which is public and limited."""
    found = positive(rate, "learning_rate")
    if found > LARGEST_RATE:
        raise out_of_range("learning_rate", found, f"at most {LARGEST_RATE}")
    return float(found)


class AveragedAdam:
    """Adam (Kingma and Ba 2015), with a running mean of the weights, over which noise cancels.

    The length of gradients does not matter to it, so nobody needs to know how many rows there are.
    It sees released numbers alone.

    Guarantee: no weight is larger than `LARGEST_WEIGHT` in size.
    Needs: gradients and a rate that are finite.
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
        moved = self.weights - self._rate * (self._mean / (1 - _MEAN**at)) / size
        self.weights = np.clip(moved, -LARGEST_WEIGHT, LARGEST_WEIGHT)
        kept = min(_AVERAGE, at / (at + 10))
        self.average = kept * self.average + (1 - kept) * self.weights
