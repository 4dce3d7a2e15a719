"""From Rényi divergences to (epsilon, delta): at one order, and at the best order of a curve.

All bound delta = E[(1 - e^(ε - L))_+], L the privacy loss, by the moment E[e^((α-1) L)], which is
e^((α-1) D) for divergence D of order α.  On a straight piece of a curve (`shoal.measures.curve`) D
is slope + intercept / (α-1), and each bound first falls and then rises in α, over the whole curve
too, because intercepts fall and slopes rise from piece to piece.  So the best order is found by
bisection over the pieces and a closed form on one.  Only its choice rests on that: at any order the
bound is true.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from fractions import Fraction

from flint import arb

from shoal.exact import (
    Number,
    Real,
    ball,
    closed_unit,
    holdable_up,
    is_below,
    non_negative,
    upper,
)
from shoal.exact.real import LOG_OF_SMALLEST, SMALLEST
from shoal.measures.curve import Piece, Points, order_above_one, piece_before
from shoal.measures.measure import no_epsilon_at_zero


def renyi_epsilon_up(divergence: Number, *, order: Number, delta: Number) -> Fraction:
    """The epsilon at this delta that a bound on one Rényi divergence implies.

    Guarantee: if neighbouring outputs have at most this divergence of this order, both ways, the
        release is (result, delta)-DP; the result is rounded up.
        result = max(0, D + ln((α-1)/α) - (ln δ + ln α) / (α-1)), from solving `renyi_delta_up`.
    Needs: divergence >= 0, order > 1, 0 <= delta <= 1; delta > 0 unless the divergence is 0.
    Edges: divergence 0 means equal laws and gives 0; so does delta 1.
    Reference: Canonne, Kamath and Steinke 2020, section 2.3.

    >>> round(float(renyi_epsilon_up(2.5, order=5, delta="1e-5")), 4)
    4.7527
    """
    divergence, order = non_negative(divergence, "divergence"), order_above_one(order)
    delta = closed_unit(delta, "delta")
    if divergence == 0 or delta == 1:
        return Fraction(0)
    if delta == 0:
        raise no_epsilon_at_zero("A Rényi divergence")

    def epsilon() -> arb:
        logs = ball(delta).log() + ball(order).log()
        return ball(divergence) - ball(1 / (order - 1)).log1p() - logs / ball(order - 1)

    return Fraction(0) if is_below(epsilon, lambda: arb(0)) else holdable_up(upper(epsilon))


def renyi_delta_up(divergence: Number, *, order: Number, epsilon: Number) -> Fraction:
    """The delta at this epsilon that a bound on one Rényi divergence implies.

    Guarantee: if neighbouring outputs have at most this divergence of this order, both ways, the
        release is (epsilon, result)-DP; the result is rounded up.
        result = e^((α-1)(D - ε)) (1 - 1/α)^α / (α - 1), at most 1.  Proof: (1 - e^-y)_+ is at most
        c e^((α-1) y) with c the maximum of (1 - s) s^(α-1), which is (1 - 1/α)^(α-1) / α at
        s = 1 - 1/α; put y = L - ε and average.
    Needs: divergence >= 0, order > 1, epsilon >= 0.
    Edges: divergence 0 gives 0; a delta below 2^-16500 is returned as 2^-16500.
    Reference: Canonne, Kamath and Steinke 2020, section 2.3.

    >>> f"{float(renyi_delta_up(2.5, order=5, epsilon=5)):.3g}"
    '3.72e-06'
    """
    divergence, order = non_negative(divergence, "divergence"), order_above_one(order)
    epsilon = non_negative(epsilon, "epsilon")
    if divergence == 0:
        return Fraction(0)
    exponent = (order - 1) * (divergence - epsilon)

    def log_delta() -> arb:
        return ball(exponent) - ball(order - 1) * ball(1 / (order - 1)).log1p() - ball(order).log()

    return _probability_up(log_delta)


def mironov_epsilon_up(divergence: Number, *, order: Number, delta: Number) -> Fraction:
    """The textbook epsilon of a Rényi divergence: true, and larger than it need be.

    Guarantee: as `renyi_epsilon_up`, with result = D + ln(1/δ) / (α-1), rounded up.  It follows
        from bounding delta by the probability that the loss exceeds epsilon.  For teaching and
        comparison.
    Needs: divergence >= 0, order > 1, 0 < delta <= 1.
    Reference: Mironov 2017, Proposition 3.

    >>> round(float(mironov_epsilon_up(2.5, order=5, delta="1e-5")), 4)
    5.3782
    """
    divergence, order = non_negative(divergence, "divergence"), order_above_one(order)
    delta = closed_unit(delta, "delta")
    if delta == 1:
        return divergence
    if delta == 0:
        raise no_epsilon_at_zero("A Rényi divergence")
    return holdable_up(upper(lambda: ball(divergence) - ball(delta).log() / ball(order - 1)))


def curve_epsilon_up(points: Points, *, delta: Fraction) -> Fraction:
    """The least epsilon at this delta that a curve implies through one of its orders.

    Guarantee: the minimum of `renyi_epsilon_up` over all orders up to the last, rounded up.
        On a piece it falls up to α = e^intercept / δ and then rises.
    Needs: the corners of a curve; 0 <= delta <= 1, above 0 unless some divergence is 0.
    Edges: a divergence of 0 at any order means equal laws, so 0 at every order.
    Reference: Canonne, Kamath and Steinke 2020, section 2.3, for one order.
    """

    def rises(piece: Piece, order: Fraction) -> bool:
        if piece.intercept == 0:
            return order * delta >= 1
        return is_below(lambda: ball(piece.intercept), lambda: ball(order * delta).log())

    def turn(piece: Piece) -> Fraction:
        return upper(lambda: ball(piece.intercept).exp() / ball(delta))

    settled = delta in (0, 1) or points[0][1] == 0
    order, bound = points[0] if settled else _best_point(points, rises, turn)
    return renyi_epsilon_up(bound, order=order, delta=delta)


def curve_delta_up(points: Points, *, epsilon: Fraction) -> Fraction:
    """The least delta at this epsilon that a curve implies through one of its orders.

    Guarantee: the minimum of `renyi_delta_up` over all orders up to the last, rounded up.
        On a piece it falls up to the α with ln(α / (α-1)) = slope - ε and then rises.
    Needs: the corners of a curve; epsilon >= 0.
    Edges: as `curve_epsilon_up`.
    Reference: Canonne, Kamath and Steinke 2020, section 2.3, for one order.
    """

    def rises(piece: Piece, order: Fraction) -> bool:
        return piece.slope > epsilon and is_below(
            lambda: ball(1 / (order - 1)).log1p(), lambda: ball(piece.slope - epsilon)
        )

    def turn(piece: Piece) -> Fraction:
        return upper(lambda: -1 / ball(epsilon - piece.slope).expm1())

    order, bound = points[0] if points[0][1] == 0 else _best_point(points, rises, turn)
    return renyi_delta_up(bound, order=order, epsilon=epsilon)


def _best_point(
    points: Points,
    rises: Callable[[Piece, Fraction], bool],
    turn: Callable[[Piece], Fraction],
) -> tuple[Fraction, Fraction]:
    """The order where a bound stops to fall, with the divergence there."""

    def rises_at_end(place: int) -> bool:
        return rises(piece_before(points, place), points[place][0])

    place = bisect_left(range(len(points)), True, key=rises_at_end)
    if place == len(points):
        return points[-1]
    piece = piece_before(points, place)
    if place > 0 and rises(piece, piece.first):
        return points[place - 1]
    order = min(turn(piece), piece.last)
    return order, piece.divergence(order)


def _probability_up(log_of_it: Real) -> Fraction:
    """A probability from its logarithm, rounded up, between `SMALLEST` and 1."""
    if is_below(log_of_it, lambda: arb(LOG_OF_SMALLEST)):
        return SMALLEST
    if not is_below(log_of_it, lambda: arb(0)):
        return Fraction(1)
    return max(SMALLEST, min(Fraction(1), upper(lambda: log_of_it().exp())))
