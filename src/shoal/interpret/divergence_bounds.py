"""What a bound on Rényi divergences says about events, chains of neighbours and groups."""

from __future__ import annotations

from fractions import Fraction

from flint import arb

from shoal.errors import ConversionError
from shoal.exact import (
    Number,
    ball,
    closed_unit,
    is_below,
    lower,
    non_negative,
    out_of_range,
    rational,
    short,
    upper,
    whole,
)
from shoal.measures.curve import order_above_one
from shoal.measures.renyi import Renyi


def probability_up(probability: Number, *, divergence: Number, order: Number) -> Fraction:
    """How probable an event can be under p, from its probability under q.

    Guarantee: p(B) <= (e^D q(B))^((α-1)/α), rounded up and at most 1, if the divergence of order α
        of p from q is at most D.  Proof: Hölder's inequality on the sum of p over B.
    Needs: 0 <= probability <= 1, divergence >= 0, order > 1.
    Edges: an impossible event stays impossible; equal laws (D = 0) keep it as it is, though the
        formula alone would not say so.
    Reference: Mironov 2017, Proposition 10; Langlois, Stehlé and Steinfeld 2014, Lemma 4.1.

    >>> round(float(probability_up(0.001, divergence=1, order=8)), 6)
    0.005689
    """
    there, bound, alpha = _read(probability, divergence, order)
    if there in (0, 1) or bound == 0:
        return there

    def logarithm() -> arb:
        return ball((alpha - 1) / alpha) * (ball(bound) + ball(there).log())

    if not is_below(logarithm, lambda: arb(0)):
        return Fraction(1)
    return min(Fraction(1), upper(lambda: logarithm().exp()))


def probability_down(probability: Number, *, divergence: Number, order: Number) -> Fraction:
    """How improbable an event can be under q, from its probability under p.

    Guarantee: q(B) >= e^-D p(B)^(α/(α-1)), rounded down: `probability_up` solved for q(B).
    Needs, Edges, Reference: as there.

    >>> round(float(probability_down(0.005, divergence=1, order=8)), 6)
    0.000863
    """
    there, bound, alpha = _read(probability, divergence, order)
    if there == 0 or bound == 0:
        return there

    def logarithm() -> arb:
        return ball(alpha / (alpha - 1)) * ball(there).log() - ball(bound)

    return max(Fraction(0), lower(lambda: logarithm().exp()))


def weak_triangle_orders(order: Number, *, exponent: Number = 2) -> tuple[Fraction, Fraction]:
    """The two orders that `weak_triangle` combines: p α, and q (α - 1/p) with 1/p + 1/q = 1.

    >>> weak_triangle_orders(2)
    (Fraction(4, 1), Fraction(3, 1))
    """
    alpha, p = order_above_one(order), _exponent(exponent)
    return p * alpha, (p * alpha - 1) / (p - 1)


def weak_triangle(
    first: Number, second: Number, *, order: Number, exponent: Number = 2
) -> Fraction:
    """A bound on the divergence of P from Q, by way of R, exactly.

    Guarantee: D_α(P, Q) <= (α - 1/p) / (α - 1) D_pα(P, R) + D_q(α-1/p)(R, Q) for every p > 1 and
        1/p + 1/q = 1; ``first`` and ``second`` bound the two divergences on the right, at the
        orders of `weak_triangle_orders`.  Proof: Hölder's inequality on the sum of
        (P^α R^(1/p-α)) (R^(α-1/p) Q^(1-α)).
    Needs: first, second >= 0, order > 1, exponent p > 1.
    Edges: the plain triangle inequality is false at every order.
    Reference: Mironov 2017, Proposition 11.

    >>> weak_triangle(1, 1, order=2)
    Fraction(5, 2)
    """
    alpha, p = order_above_one(order), _exponent(exponent)
    one, other = non_negative(first, "first"), non_negative(second, "second")
    return (alpha - 1 / p) / (alpha - 1) * one + other


def group_curve(measure: Renyi, *, doublings: int) -> Renyi:
    """The Rényi promise to a group of 2^doublings people.

    Guarantee: at each order α of the result, the bound that `weak_triangle` with p = 2 gives when
        it is used once for each doubling; at most 5/2 times as much each time, and never more than
        `textbook_group_curve`.
    Needs: some order of the curve of at least 2^(doublings + 1).
    Edges: no doubling changes nothing.
    Reference: Mironov 2017, Proposition 2, whose proof rounds the factor up to 3.

    >>> group_curve(Renyi({8: 1}), doublings=1)
    Renyi(curve={4: '13/6'})
    """
    curve = measure
    for _ in range(whole(doublings, "doublings", at_least=0)):
        orders = _halved(curve, 2)
        curve = Renyi(
            (
                alpha,
                weak_triangle(
                    curve.epsilon_at(2 * alpha), curve.epsilon_at(2 * alpha - 1), order=alpha
                ),
            )
            for alpha in orders
        )
    return curve


def textbook_group_curve(measure: Renyi, *, doublings: int) -> Renyi:
    """The textbook promise to a group of 2^c people: (α, ε) becomes (α / 2^c, 3^c ε).

    Guarantee: at the orders of at least 2^(c+1).  For teaching and comparison.
    Reference: Mironov 2017, Proposition 2.

    >>> textbook_group_curve(Renyi({8: 1, 16: 2}), doublings=2)
    Renyi(curve={2: 9, 4: 18})
    """
    times = whole(doublings, "doublings", at_least=0)
    orders = _halved(measure, 2**times)
    return Renyi((alpha, 3**times * measure.epsilon_at(2**times * alpha)) for alpha in orders)


def _halved(curve: Renyi, factor: int) -> list[Fraction]:
    orders = [order / factor for order, _ in curve.curve if order >= 2 * factor]
    if not orders:
        raise ConversionError(
            f"a group of this size needs an order of at least {2 * factor}; the curve ends at "
            f"{short(curve.last_order)}.",
            remedy="Take the curve at larger orders from the mechanism, or ask for a smaller group.",
        )
    return orders


def _read(
    probability: Number, divergence: Number, order: Number
) -> tuple[Fraction, Fraction, Fraction]:
    there = closed_unit(probability, "probability")
    return there, non_negative(divergence, "divergence"), order_above_one(order)


def _exponent(exponent: Number) -> Fraction:
    number = rational(exponent, "exponent")
    if number <= 1:
        raise out_of_range("exponent", number, "above 1")
    return number
