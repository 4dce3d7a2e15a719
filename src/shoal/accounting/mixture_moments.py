"""Moments of the ratio between a normal law and its mixture with a shifted one, at any order,
enclosed.

Let g(z) = 1 - q + q e^(μz - μ²/2), the ratio of the mixture to the standard normal density φ at z.  Its moment
A = ∫ g^α φ is an integral over the whole line of a function that is analytic where |Im z| < π/μ, as g has no zero
there; and |g(x + iy)| <= g(x), |φ(x + iy)| = φ(x) e^(y²/2).  So the trapezoid sum T with step h satisfies
|T - A| <= 2 e^(d²/2) A / (e^(2πd/h) - 1) for every d < π/μ, and A <= T / (1 - that factor).
"""

from __future__ import annotations

import math
from fractions import Fraction

from flint import arb

from shoal.exact import ball, precision_in_force

MOST_TERMS = 6000
"""Sums of more terms than this, at the first precision, are not worth their time."""

_FIRST = 128
_WIDEST = 6.0


def is_quick(square: Fraction, order: Fraction) -> bool:
    """Whether the sum is short enough to be taken."""
    if square > 64 or order > 512:
        return False
    step, left, right = _plan(float(square), float(order), _FIRST)
    return (left + right) * (1 << step) < MOST_TERMS


def mixed_normal_moment(square: Fraction, rate: Fraction, order: Fraction) -> arb:
    """E[(1 - q + q e^(μz - μ²/2))^α] for a standard normal z, enclosed at the precision in force.

    Guarantee: the trapezoid sum of the head of this file, and its tails: left of -l, g < 1, so the
        terms are at most those of φ; right of r = αμ + s they are at most e^(α(α-1) μ²/2) φ(z -
        αμ), as g <= e^(μz - μ²/2) where the exponent is not negative.  A sum of h φ over a tail
        from s on is at most (h + 1/s) φ(s).
    Needs: square = μ² > 0, 0 < rate < 1, order > 1.
    Reference: Trefethen and Weideman 2014, Theorem 5.1, for the trapezoid sum.
    """
    step, left, right = _plan(float(square), float(order), precision_in_force())
    h, mu, alpha, q = Fraction(1, 1 << step), ball(square).sqrt(), ball(order), ball(rate)
    place = -left * (1 << step)
    z = ball(place * h)
    shifted, up = (mu * z - ball(square) / 2).exp(), (mu * ball(h)).exp()
    density = (-z * z / 2).exp() / (2 * arb.pi()).sqrt()
    fall, bend = (-z * ball(h) - ball(h * h) / 2).exp(), (-ball(h * h)).exp()
    total = arb(0)
    while place <= right * (1 << step):
        total += density * (alpha * (q * (shifted - 1)).log1p()).exp()
        place, shifted = place + 1, shifted * up
        density, fall = density * fall, fall * bend
    far = ball(Fraction(right)) - alpha * mu
    most = (alpha * ball(order - 1) * ball(square) / 2).exp() * _tail(far, h) + _tail(arb(left), h)
    whole = total * ball(h) + most * arb(0.5, 0.5)
    return whole * (1 + _trapezoid_error(mu, h) * arb(0, 1))


def _trapezoid_error(mu: arb, h: Fraction) -> arb:
    """A bound on |T - A| / T: with f the factor of the head of this file, f / (1 - f)."""
    d = (arb.pi() / mu * ball(Fraction(15, 16))).min(arb(_WIDEST))
    factor = 2 * (d * d / 2).exp() / (2 * arb.pi() * d / ball(h)).expm1()
    bound = factor / (1 - factor)
    return bound.upper() if factor < 0.5 else arb.nan()


def _tail(start: arb, h: Fraction) -> arb:
    return (ball(h) + 1 / start) * (-start * start / 2).exp() / (2 * arb.pi()).sqrt()


def _plan(square: float, order: float, bits: int) -> tuple[int, int, int]:
    """The step as a power of 1/2, and whole numbers where the sum begins and ends; any choice is
    sound.
    """
    mu, digits = math.sqrt(square), 0.7 * (bits + 8)
    d = min(15 / 16 * math.pi / mu, _WIDEST)
    step = max(1, math.ceil(math.log2((digits + d * d / 2) / (2 * math.pi * d))))
    left = math.ceil(math.sqrt(2 * digits))
    reach = math.sqrt(2 * (digits + order * (order - 1) * square / 2))
    return step, left, math.ceil(order * mu + reach)
