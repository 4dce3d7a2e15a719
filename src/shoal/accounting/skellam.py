"""Skellam noise: how far integers can move, and what that costs at every order."""

from __future__ import annotations

import math
from fractions import Fraction

from shoal.accounting.sampling import between_orders
from shoal.events import Skellam


def whole_moves(event: Skellam) -> tuple[int, int]:
    """The largest L1 norm, and the largest sum of squares, by which integers can differ within both
    bounds.

    Guarantee: a whole number is at most its square, so the L1 norm is at most the sum of squares;
        and the sum of squares is at most the square of the L1 norm.  One number that moves by at
        most k has both.
    """
    length = event.sensitivity
    square = length**2
    if event.sensitivity_squared is not None:
        square = min(square, math.floor(event.sensitivity_squared))
    if event.size == 1:
        shift = math.isqrt(square)
        return shift, shift**2
    return min(length, square), square


def skellam_divergence_up(event: Skellam, *, order: Fraction) -> Fraction | None:
    """The Rényi divergence of Skellam noise.

    Guarantee: at whole orders α Δ₂² / (2v) + min(((2α - 1) Δ₂² + 6 Δ₁) / (4v²), 3 Δ₁ / (2v)), with
        v the variance; between them by convexity.  Both bounds add up over coordinates, so the one
        for vectors follows from that for one number.
    Needs: order > 1.
    Edges: None above order 4096.
    Reference: Agarwal, Kairouz and Liu 2021, the main theorem for one number and its corollary for
        vectors; a test compares with exact divergences.
    """
    length, square = whole_moves(event)
    v = event.variance
    if square == 0:
        return Fraction(0)

    def at(order: int) -> Fraction:
        return order * square / (2 * v) + min(
            ((2 * order - 1) * square + 6 * length) / (4 * v**2), 3 * length / (2 * v)
        )

    return between_orders(at, order)
