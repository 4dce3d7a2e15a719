"""From zero-concentrated privacy to (epsilon, delta), at the best order.

rho-zCDP bounds the Rényi divergence of every order α by rho α, and each order gives a true bound;
the theorems are those of `shoal.measures.from_renyi`.  With t = α - 1, setting the derivative to
zero leaves one equation in t, whose root is bracketed.  Only the choice of the order rests on that
search: the bound is then evaluated, and rounded up, at the exact rational order chosen.
"""

from __future__ import annotations

from fractions import Fraction

from shoal.exact import (
    Number,
    approximately,
    ball,
    closed_unit,
    is_below,
    non_negative,
    turning_point,
)
from shoal.measures.from_renyi import renyi_delta_up, renyi_epsilon_up
from shoal.measures.measure import no_epsilon_at_zero

_ORDER_BITS = 40
"""The bound is flat at the best order: an error of 2^-40 in it costs less than the last bit."""

_LEAST = Fraction(1, 2**70)
"""Closer to order 1 than this, every delta is 1 to the last bit."""


def zero_concentrated_epsilon_up(rho: Number, *, delta: Number) -> Fraction:
    """The epsilon at this delta that rho-zCDP implies.

    Guarantee: every rho-zCDP release is (result, delta)-DP; the least result that
        `renyi_epsilon_up` gives at any order, rounded up.  The best t solves rho t² + ln(1 + t) =
        ln(1/δ).
    Needs: rho >= 0, 0 <= delta <= 1; delta > 0 unless rho is 0.
    Edges: 0 where delta alone covers the loss.  Never above rho + 2 sqrt(rho ln(1/δ)).
    Reference: Canonne, Kamath and Steinke 2020, section 2.3.

    >>> round(float(zero_concentrated_epsilon_up(0.5, delta="1e-5")), 3)
    4.728
    """
    rho, delta = non_negative(rho, "rho"), closed_unit(delta, "delta")
    if rho == 0 or delta == 1:
        return Fraction(0)
    if delta == 0:
        raise no_epsilon_at_zero("Zero-concentrated privacy")

    def is_early(t: Fraction) -> bool:
        return is_below(lambda: ball(rho * t * t) + ball(t).log1p(), lambda: -ball(delta).log())

    start = approximately(lambda: (-ball(delta).log() / ball(rho)).sqrt().min(ball(1 / delta - 1)))
    t, _ = turning_point(is_early, start=start, bits=_ORDER_BITS)
    return renyi_epsilon_up(rho * (1 + t), order=1 + t, delta=delta)


def zero_concentrated_delta_up(rho: Number, *, epsilon: Number) -> Fraction:
    """The delta at this epsilon that rho-zCDP implies.

    Guarantee: every rho-zCDP release is (epsilon, result)-DP; the least result that
        `renyi_delta_up` gives at any order, rounded up.  The best t solves (2 t + 1) rho = ε + ln(1
        + 1/t).
    Needs: rho >= 0, epsilon >= 0.
    Edges: at most 1; rho 0 gives 0; a delta below 2^-16500 is returned as 2^-16500.
    Reference: Canonne, Kamath and Steinke 2020, section 2.3.

    >>> f"{float(zero_concentrated_delta_up(0.5, epsilon=4)):.3g}"
    '0.000196'
    """
    rho, epsilon = non_negative(rho, "rho"), non_negative(epsilon, "epsilon")
    if rho == 0:
        return Fraction(0)

    def is_early(t: Fraction) -> bool:
        return is_below(lambda: ball((2 * t + 1) * rho - epsilon), lambda: ball(1 / t).log1p())

    t = start = max(_LEAST, (epsilon - rho) / (2 * rho))
    if is_early(start):
        t, _ = turning_point(is_early, start=start, bits=_ORDER_BITS)
    return renyi_delta_up(rho * (1 + t), order=1 + t, epsilon=epsilon)
