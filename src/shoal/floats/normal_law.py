"""The normal law, for many doubles at once."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def normal_below(places: Floats) -> Floats:
    """The chance that a standard normal variable is below each place.

    The C library's erfc, one number at a time: 0.1 microseconds each.  x / √2 is right within 2^-52
    of itself, which moves erfc by x^2 times that in relative terms: far out, that is the larger
    part of the error.

    >>> normal_below(np.array([-40.0, -1.0, 0.0, 1.0, np.inf])).round(6).tolist()
    [0.0, 0.158655, 0.5, 0.841345, 1.0]
    """
    turned = (places / -math.sqrt(2)).tolist()
    return np.fromiter(map(math.erfc, turned), np.float64, len(turned)) / 2
