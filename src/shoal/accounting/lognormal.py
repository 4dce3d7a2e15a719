"""The Laplace transform of a lognormal variable of mean 1, enclosed.

φ(v) = E[exp(-v e^(μz - s/2))] for a standard normal z, s = μ².  The integrand, exp(-v e^(μz - s/2))
times the normal density, is analytic, and at x + iy with μ|y| <= π/2 its absolute value is at most
e^(y²/2) times the density at x, since the exponential of a number with non-negative real part,
negated, is at most 1.  So the trapezoid sum with step h errs by at most 2 e^(d²/2) / (e^(2πd/h) -
1) for every d <= π / (2μ).
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

from flint import arb

from shoal.exact import ball

_WIDEST = 6.0


@lru_cache(maxsize=1 << 14)
def laplace_transform(square: Fraction, at: Fraction, bits: int) -> arb:
    """φ(v), v = ``at``, at the precision in force, which is ``bits``.

    Guarantee: the trapezoid sum of the head of this file; its tails are at most those of the
        density, of which a sum of h times it from w on is at most (h + 1/w) times it at w.
    Needs: square > 0, at >= 0.
    Reference: Trefethen and Weideman 2014, Theorem 5.1.
    """
    width, values, weights, error = _nodes(square, bits)
    v = ball(at)
    total = arb(0)
    for value, weight in zip(values, weights, strict=True):
        total += weight * (-v * value).exp()
    tail = (ball(width) + ball(Fraction(1, _end(bits)))) * _density(ball(Fraction(_end(bits))))
    return total + arb(0, 1) * (error + 2 * tail).upper()


def _end(bits: int) -> int:
    return math.ceil(math.sqrt(1.4 * (bits + 8)))


def _density(z: arb) -> arb:
    return (-z * z / 2).exp() / (2 * arb.pi()).sqrt()


@lru_cache(maxsize=16)
def _nodes(square: Fraction, bits: int) -> tuple[Fraction, list[arb], list[arb], arb]:
    """The step h; e^(μz - s/2) and h times the density at its multiples; and a bound on the error
    of the sum.
    """
    mu = ball(square).sqrt()
    d = min(0.49 * math.pi / math.sqrt(float(square)), _WIDEST)
    step = max(1, math.ceil(math.log2((0.7 * (bits + 8) + d * d / 2) / (2 * math.pi * d))))
    h, most = Fraction(1, 1 << step), _end(bits) << step
    places = [ball(place * h) for place in range(-most, most + 1)]
    values = [(mu * z - ball(square) / 2).exp() for z in places]
    weights = [ball(h) * _density(z) for z in places]
    strip = ball(Fraction(d))
    error = 2 * (strip * strip / 2).exp() / (2 * arb.pi() * strip / ball(h)).expm1()
    return h, values, weights, error
