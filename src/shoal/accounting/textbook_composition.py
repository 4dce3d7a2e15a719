"""The textbook composition theorems, by name: for teaching, and as bounds to compare with."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from flint import arb

from shoal.exact import Number, ball, closed_unit, open_unit, root_up, upper, whole
from shoal.measures import Approx, Pure


def basic(promises: Iterable[Approx | Pure]) -> Approx:
    """Epsilons and deltas add up.

    Guarantee: releases that keep the promises, chosen adaptively, are together (Σ ε, Σ δ)-DP, delta
        at most 1.
    Edges: no promises cost nothing.
    Reference: Dwork and Roth 2014, Theorem 3.16.

    >>> print(basic([Pure("0.1")] * 10))
    epsilon 1, delta 0
    """
    epsilon, delta = Fraction(0), Fraction(0)
    for promise in promises:
        epsilon += promise.epsilon
        delta += promise.delta if isinstance(promise, Approx) else 0
    return Approx(epsilon, min(Fraction(1), delta))


def advanced(promise: Approx | Pure, *, count: int, slack: Number) -> Approx:
    """Many equal promises: a loss that grows like the root of their number, and its drift.

    Guarantee: count releases that keep the promise, chosen adaptively, are together (ε', k δ +
        slack)-DP for ε' = ε sqrt(2 k ln(1/slack)) + k ε (e^ε - 1), rounded up.
    Needs: count >= 1, 0 < slack < 1.
    Edges: true for every epsilon; without its second term it is false (1000 releases with epsilon
        1).  Above basic composition for large epsilon, and always above `optimal_epsilon_up`.
    Reference: Dwork, Rothblum and Vadhan 2010, Theorem III.3; Dwork and Roth 2014, Theorem 3.20.

    >>> print(advanced(Pure("0.01"), count=1000, slack="1e-6"))
    epsilon 1.76276, delta 1e-6
    """
    k, risk = whole(count, "count", at_least=1), open_unit(slack, "slack")
    each = promise.epsilon
    delta = promise.delta if isinstance(promise, Approx) else Fraction(0)

    def epsilon() -> arb:
        e = ball(each)
        return e * (-2 * k * ball(risk).log()).sqrt() + k * e * e.expm1()

    return Approx(upper(epsilon) if each else 0, min(Fraction(1), k * delta + risk))


def advanced_heterogeneous(promises: Iterable[Approx | Pure], *, slack: Number) -> Approx:
    """As `advanced`, for promises that differ.

    Guarantee: releases that keep the promises, in a fixed order, are together (ε', Σ δ + slack)-DP
        for ε' = sqrt(2 ln(1/slack) Σ ε²) + Σ ε (e^ε - 1) / (e^ε + 1), rounded up.
    Needs: 0 < slack < 1.
    Reference: Kairouz, Oh and Viswanath 2015, Theorem 3.5.
    """
    kept, risk = list(promises), closed_unit(open_unit(slack, "slack"), "slack")
    together = basic(kept)
    squares = sum((one.epsilon**2 for one in kept), Fraction(0))
    sizes = {one.epsilon: sum(1 for other in kept if other.epsilon == one.epsilon) for one in kept}

    def drift() -> arb:
        terms = (count * ball(e) * (ball(e) / 2).tanh() for e, count in sizes.items())
        return sum(terms, arb(0)) + (-2 * ball(risk).log() * ball(squares)).sqrt()

    epsilon = upper(drift) if squares else root_up(squares)
    return Approx(epsilon, min(Fraction(1), together.delta + risk))
