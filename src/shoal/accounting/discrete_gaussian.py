"""Discrete Gaussian noise: how far integers can move, and what that costs in every order.

Write θ(c) for the sum of exp(-(x - c)² / (2σ²)) over the integers x.  By Poisson's formula it is a
sum of cosines of 2πkc with positive weights, so it is largest at whole c and only there.
"""

from __future__ import annotations

import math
from fractions import Fraction

from flint import arb

from shoal.events import DiscreteGaussian
from shoal.exact import ball, holdable_up, precision_in_force, upper

_ALMOST_CONTINUOUS = 8
"""From this σ² on θ is constant to more digits than a price has."""


def whole_square(event: DiscreteGaussian) -> int:
    """The largest sum of squares by which integers can differ within the bound that an event
    states.

    Guarantee: differences of integers are integers, and so is the sum of their squares; for one
        number it is the square of an integer.
    """
    most = math.floor(event.sensitivity_squared)
    return math.isqrt(most) ** 2 if event.size == 1 else most


def discrete_gaussian_divergence_up(event: DiscreteGaussian, *, order: Fraction) -> Fraction:
    """The Rényi divergence of discrete Gaussian noise, rounded up.

    Guarantee: two laws that are Δ integers apart have the divergence α Δ² / (2σ²) + ln(θ(αΔ) /
        θ(0)) / (α - 1): complete the square in P^α Q^(1-α).  The second term is at most 0, and 0
        where αΔ is whole, so ρ = Δ² / (2σ²) is the best that holds for all orders.  A shift further
        costs more at every order, since the law is log-concave.  For several numbers the first term
        alone is used.
    Needs: order > 1.
    Edges: what cannot move costs nothing.
    Reference: Canonne, Kamath and Steinke 2020, Proposition 5; the proof above is complete.
    """
    square, width = whole_square(event), event.sigma_squared
    straight = order * square / (2 * width)
    turn = order * math.isqrt(square)
    if square == 0 or event.size > 1 or width >= _ALMOST_CONTINUOUS or turn.denominator == 1:
        return straight

    def value() -> arb:
        ratio = _theta(turn - round(turn), width) / _theta(Fraction(0), width)
        return ball(straight) + ratio.log() / ball(order - 1)

    return min(straight, holdable_up(upper(value)))


def _theta(centre: Fraction, width: Fraction) -> arb:
    """θ at a centre between -1/2 and 1/2, enclosed.

    Beyond N the terms on one side fall at least by e^(-N / width) each, as |x - c| >= |x| - 1/2.
    """
    last = math.ceil(math.sqrt(2 * float(width) * precision_in_force())) + 2
    total = arb(0)
    for x in range(-last, last + 1):
        total += ball(-((x - centre) ** 2) / (2 * width)).exp()
    beyond = Fraction(2 * last + 1, 2)
    most = ball(-(beyond**2) / (2 * width)).exp() / -ball(-beyond / width).expm1()
    return total + 2 * most * arb(0.5, 0.5)
