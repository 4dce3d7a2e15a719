"""Thresholds that integer noise reaches rarely."""

from __future__ import annotations

import math
from fractions import Fraction

from flint import arb

from shoal.exact import ball, upper


def rarely_reached(scale: Fraction, risk: Fraction) -> int:
    """A whole number t, 1 or more, with P(X >= t) <= risk for discrete Laplace noise X of this
    scale.

    It is the least there is, or the one after it.  Proof: P(X >= t) = e^(-t / scale) / (1 + e^(-1 /
    scale)) for t >= 1.
    """

    def place() -> arb:
        return -ball(scale) * (ball(risk) * (1 + ball(-1 / scale).exp())).log()

    return max(1, math.ceil(upper(place)))
