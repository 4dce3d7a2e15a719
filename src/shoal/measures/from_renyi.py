"""From one Rényi divergence to (epsilon, delta).

All three bound delta = E[(1 - e^(ε - L))_+], L the privacy loss, by the moment E[e^((α-1) L)], which
is e^((α-1) D) for divergence D of order α.
"""

from __future__ import annotations

from fractions import Fraction

from flint import arb

from shoal.exact import (
    Number,
    Real,
    ball,
    closed_unit,
    is_below,
    non_negative,
    out_of_range,
    rational,
    upper,
)
from shoal.measures.measure import no_epsilon_at_zero
from shoal.measures.numbers import LOG_OF_SMALLEST, SMALLEST, holdable_up


def order_above_one(order: Number) -> Fraction:
    """Read the order of a Rényi divergence."""
    number = rational(order, "order")
    if number <= 1:
        raise out_of_range("order", number, "above 1")
    return number


def renyi_epsilon_up(divergence: Number, *, order: Number, delta: Number) -> Fraction:
    """The epsilon at this delta that a bound on one Rényi divergence implies.

    Guarantee: if neighbouring outputs have at most this divergence of this order, both ways, the
        release is (result, delta)-DP; the result is rounded up.
        result = max(0, D + ln((α-1)/α) - (ln δ + ln α) / (α-1)), from solving `renyi_delta_up`.
    Needs: divergence >= 0, order > 1, 0 <= delta <= 1; delta > 0 unless the divergence is 0.
    Edges: divergence 0 means equal laws and gives 0; so does delta 1.
    Reference: Canonne, Kamath and Steinke 2020, Proposition 12.

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
        alpha = ball(order)
        shift = ball(1 - 1 / order).log() - (ball(delta) * alpha).log() / ball(order - 1)
        return ball(divergence) + shift

    return Fraction(0) if is_below(epsilon, lambda: arb(0)) else holdable_up(upper(epsilon))


def renyi_delta_up(divergence: Number, *, order: Number, epsilon: Number) -> Fraction:
    """The delta at this epsilon that a bound on one Rényi divergence implies.

    Guarantee: if neighbouring outputs have at most this divergence of this order, both ways, the
        release is (epsilon, result)-DP; the result is rounded up.
        result = e^((α-1)(D - ε)) (1 - 1/α)^α / (α - 1), at most 1.  Proof: (1 - e^-y)_+ is at most
        c e^((α-1) y) with c the maximum of (1 - s) s^(α-1), which is (1 - 1/α)^(α-1) / α at
        s = 1 - 1/α; put y = L - ε and average.
    Needs: divergence >= 0, order > 1, epsilon >= 0.
    Edges: divergence 0 gives 0; a delta below 2^-16600 is returned as 2^-16600.
    Reference: Canonne, Kamath and Steinke 2020, Corollary 13.

    >>> f"{float(renyi_delta_up(2.5, order=5, epsilon=5)):.3g}"
    '3.72e-06'
    """
    divergence, order = non_negative(divergence, "divergence"), order_above_one(order)
    epsilon = non_negative(epsilon, "epsilon")
    if divergence == 0:
        return Fraction(0)
    exponent = (order - 1) * (divergence - epsilon)

    def log_delta() -> arb:
        return ball(exponent) + ball(order - 1) * ball(1 - 1 / order).log() - ball(order).log()

    return _probability_up(log_delta)


def mironov_epsilon_up(divergence: Number, *, order: Number, delta: Number) -> Fraction:
    """The textbook epsilon of a Rényi divergence: true, and larger than it need be.

    Guarantee: as `renyi_epsilon_up`, with result = D + ln(1/δ) / (α-1), rounded up.  It follows from
        bounding delta by the probability that the loss exceeds epsilon.  For teaching and comparison.
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
    return upper(lambda: ball(divergence) - ball(delta).log() / ball(order - 1))


def _probability_up(log_of_it: Real) -> Fraction:
    """A probability from its logarithm, rounded up, between `SMALLEST` and 1."""
    if is_below(log_of_it, lambda: arb(LOG_OF_SMALLEST)):
        return SMALLEST
    if not is_below(log_of_it, lambda: arb(0)):
        return Fraction(1)
    return max(SMALLEST, min(Fraction(1), upper(lambda: log_of_it().exp())))
