"""What clipping does to a gamma law: by how much a mean that is fitted to clipped ratios is off, and
what the clipped ratios say about the dispersion.  All of it is of released numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from shoal.learning.exact_sums import Floats

_LOGS: Floats = np.linspace(-60.0, 5.0, 3251)
_RATIOS: Floats = np.asarray(np.exp(_LOGS), np.float64)
_LEAST, _MOST = 0.004, 8.0
"""The dispersions that are told apart."""


class ClippedGamma(NamedTuple):
    """A gamma law of mean 1 whose clipped ratios have the mean square that was released.

    ``shift`` is the logarithm of the true mean over the fitted one: ratios to the fitted mean,
    clipped, are 1 on average.
    """

    dispersion: float
    shift: float

    @classmethod
    def of(cls, mean_square: float, clip: float) -> ClippedGamma:
        """The law by the mean square of clipped ratios less 1."""
        logs = _root(lambda log: _fitted(log, clip)[1] - mean_square, np.log(_LEAST), np.log(_MOST))
        return cls(float(np.exp(logs)), _fitted(logs, clip)[0])


def _fitted(log_dispersion: float, clip: float) -> tuple[float, float]:
    """The shift for a dispersion, and the mean square of clipped ratios less 1."""
    shape = float(np.exp(-log_dispersion))
    weights = np.exp(shape * (_LOGS - _RATIOS + 1))
    weights /= weights.sum()

    def held(shift: float) -> Floats:
        return np.asarray(np.minimum(_RATIOS * np.exp(shift), clip))

    shift = _root(lambda each: float(held(each) @ weights) - 1, 0.0, 4.0)
    return shift, float((held(shift) - 1) ** 2 @ weights)


def _root(rising: Callable[[float], float], low: float, high: float) -> float:
    """Where a rising function passes 0, or the end that is nearer to it."""
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (low, middle) if rising(middle) > 0 else (middle, high)
    return (low + high) / 2
