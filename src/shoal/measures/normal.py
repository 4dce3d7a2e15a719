"""The standard normal law in balls, accurate for every argument.

The Mills ratio m(x) = P(N > x) / φ(x) = ∫_0^∞ exp(-x t - t²/2) dt carries the tail without its
size, so that nothing underflows.  Every function encloses its value at the precision in force.
"""

from __future__ import annotations

from flint import arb

_ASYMPTOTIC_FROM = 1000


def density(x: arb) -> arb:
    """φ(x) = exp(-x²/2) / sqrt(2π)."""
    return (-x * x / 2).exp() / (2 * arb.pi()).sqrt()


def upper_tail(x: arb) -> arb:
    """P(N > x)."""
    return (x / arb(2).sqrt()).erfc() / 2


def mills(x: arb) -> arb:
    """m(x) for x >= 0, also where φ(x) is far below every float.

    Large x go through Tricomi's function, m(x) = U(1/2, 1/2, x²/2) / sqrt(2), which is not scaled.
    """
    if x > _ASYMPTOTIC_FROM:
        half = arb(1) / 2
        return (x * x / 2).hypgeom_u(half, half) / arb(2).sqrt()
    return (x * x / 2).exp() * (x / arb(2).sqrt()).erfc() * (arb.pi() / 2).sqrt()


def mills_drop(x: arb, step: arb) -> arb:
    """m(x) - m(x + step), without cancellation, for a step well below 1.

    Guarantee: the Taylor sum around x with an enclosed remainder.  The k-th derivative of m is
        (-1)^k M_k(x) with M_k(x) = ∫ t^k exp(-x t - t²/2) dt, positive and falling in x; so the
        remainder after n terms lies within the next term, M_{n+1}(x) step^{n+1} / (n+1)!.
        By parts, M_1 = 1 - x M_0 and M_{k+1} = k M_{k-1} - x M_k.
    Needs: x >= -1 and 0 < step <= 2^-16; meant for x up to 200.
    """
    before = mills(x) if x > 0 else upper_tail(x) / density(x)
    moment = 1 - x * before
    total, weight, order = arb(0), step, 1
    while True:
        term = moment * weight
        if order > 1 and term.abs_upper() <= total.rad():
            return total + term * arb(0, 1)
        total += term if order % 2 else -term
        before, moment = moment, order * before - x * moment
        order += 1
        weight = weight * step / order
