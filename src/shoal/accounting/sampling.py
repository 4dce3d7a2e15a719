"""Amplification by sampling: what a release costs when it was computed from a secret random sample.

In all of them q is the probability that a given row is in the sample.  For rows that come and go, P
and Q being the laws with and without the row, the sampled laws are (1 - q) Q + q P and Q, averaged
over the rest of the sample; divergences of averages are at most the largest divergence (joint
quasi-convexity).
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from fractions import Fraction

from flint import arb

from shoal.accounting.mixture_moments import is_quick, mixed_normal_moment
from shoal.exact import Number, ball, closed_unit, holdable_up, non_negative, upper, whole
from shoal.measures.curve import order_above_one

HIGHEST_ORDER = 4096
"""Sums over all whole orders up to the one asked for stop here; no price beyond."""

Curve = Callable[[int], Fraction | None]
"""A divergence at each whole order from 2 up."""


def sampled_epsilon_up(epsilon: Number, *, rate: Number) -> Fraction:
    """The epsilon of a pure or approximate release from a sample.

    Guarantee: a release that is (ε, δ)-DP is (ln(1 + q (e^ε - 1)), q δ)-DP when computed from a
        Poisson sample (rows that come and go) or from a sample of fixed size q n out of n (rows
        that change).  The result is rounded up.
    Needs: epsilon >= 0, 0 <= rate <= 1.
    Reference: Balle, Barthe and Gaboardi 2018, Theorems 8 and 9.

    >>> round(float(sampled_epsilon_up(1, rate="0.01")), 6)
    0.017037
    """
    each, share = non_negative(epsilon, "epsilon"), closed_unit(rate, "rate")
    if share in (0, 1) or each == 0:
        return each * share
    return min(each, holdable_up(upper(lambda: _log_gain(ball(each), share))))


def _log_gain(epsilon: arb, share: Fraction) -> arb:
    """ln(1 + q (e^ε - 1)), from whichever side does not overflow or cancel."""
    if epsilon > 1:
        return epsilon + (ball(share) + (1 - ball(share)) * (-epsilon).exp()).log()
    return (ball(share) * epsilon.expm1()).log1p()


def sampled_pure_divergence_up(epsilon: Number, *, rate: Number, order: Number) -> Fraction:
    """The Rényi divergence of a pure release from a Poisson sample.

    Guarantee: for every ε-DP release and rows that come and go, rounded up.  Proof: the ratio of
        the sampled laws, r = 1 - q + q P/Q, lies between a = 1 - q + q e^-ε and b = 1 - q + q e^ε
        and averages 1 under Q.  Both divergences are averages of a convex function of r, r^α one
        way and r^(1-α) the other, and so at most those of the two-point law on a and b, with
        weights (b - 1) / (b - a) and (1 - a) / (b - a).
    Needs: epsilon >= 0, 0 <= rate <= 1, order > 1.
    Edges: rate 1 is randomized response.  Attained: the two-point law is a sampled one.
    Reference: the proof above is complete.
    """
    each, share = non_negative(epsilon, "epsilon"), closed_unit(rate, "rate")
    alpha = order_above_one(order)
    if each == 0 or share == 0:
        return Fraction(0)

    def one_way(power: Fraction) -> Fraction:
        def value() -> arb:
            low = ball(share) * ball(-each).expm1()  # a - 1, below 0
            high = ball(share) * ball(each).expm1()  # b - 1
            small, large = (ball(power) * low.log1p()).expm1(), (ball(power) * high.log1p()).expm1()
            return ((high * small - low * large) / (high - low)).log1p() / ball(alpha - 1)

        return upper(value)

    bound = max(one_way(alpha), one_way(1 - alpha))
    return min(sampled_epsilon_up(each, rate=share), holdable_up(bound))


def sampled_gaussian_divergence_up(
    square: Number, *, rate: Number, order: Number
) -> Fraction | None:
    """The Rényi divergence of Gaussian noise on a Poisson sample; None above order 4096.

    Guarantee: for every release that is μ-GDP, square = μ², and rows that come and go, rounded up:
        at whole orders ln(Σ_k C(α,k) (1-q)^(α-k) q^k e^(k(k-1) μ²/2)) / (α - 1), both ways; between
        them the integral itself by `mixed_normal_moment`, and by convexity where that would take
        too long.
    Needs: square >= 0, 0 <= rate <= 1, order > 1.
    Reference: Mironov, Talwar and Zhang 2019, Theorems 4 and 5, for Gaussian noise, and the proof
        in `sampled_symmetric_divergence_up`; Zhu, Dong and Wang 2022, Theorem 11: sampling keeps
        the order of dominating pairs.

    >>> round(float(sampled_gaussian_divergence_up(1, rate="0.01", order=8)), 6)
    0.000894
    """
    mu2, share = non_negative(square, "square"), closed_unit(rate, "rate")
    alpha = order_above_one(order)
    if mu2 == 0 or share == 0:
        return Fraction(0)
    if share == 1:
        return alpha * mu2 / 2

    def at(whole_order: int) -> Fraction:
        def value() -> arb:
            weights, gains = _binomial_weights(whole_order, share), _gaussian_gains(mu2)
            excess = sum(map(operator.mul, weights, gains), arb(0))
            return excess.log1p() / (whole_order - 1)

        return holdable_up(upper(value))

    chord = between_orders(at, alpha)
    if alpha.denominator == 1 or chord is None or not is_quick(mu2, alpha):
        return chord
    exact = upper(lambda: mixed_normal_moment(mu2, share, alpha).log() / ball(alpha - 1))
    return min(chord, holdable_up(exact))


def sampled_symmetric_divergence_up(
    curve: Curve, *, rate: Number, order: Number
) -> Fraction | None:
    """The Rényi divergence of a symmetric pair of laws from a Poisson sample, from its own at whole
    orders.

    Guarantee: for rows that come and go, rounded up: at whole orders ln(Σ_k C(α,k) (1-q)^(α-k) q^k
        e^((k-1) D(k))) / (α - 1), exactly where D is; between them by convexity.
        Proof: let r = P/Q and g(r) = 1 - q + q r.  The sum is E_Q[g^α], by the binomial theorem.
        The other way round it is E_Q[g^(1-α)], which is at most that: an exchange of P and Q that
        keeps measure turns r into 1/r, so with a = g(r), b = g(1/r), r >= 1, it is enough that a^α
        - a^(1-α) >= r (b^(1-α) - b^α), that is √a sinh(c ln a) >= r √b sinh(c ln(1/b)) with c = α -
        1/2.  Since a b >= 1, the quotient of the two sides grows with c, and at c = 1/2 both are q
        (r - 1).
    Needs: 0 < rate < 1, order > 1; D(k) the divergence of a pair that dominates the release, whose
        laws some map of their outcomes exchanges, such as x to Δ - x for symmetric noise moved by
        Δ.
    Edges: None where D is unknown, and above order 4096.
    Reference: Mironov, Talwar and Zhang 2019, Theorem 5, for the direction; the proof above is
        complete.

    >>> from shoal.accounting.kinds.laplace import laplace_divergence_up
    >>> line = lambda k: laplace_divergence_up(1, order=k)
    >>> round(float(sampled_symmetric_divergence_up(line, rate="0.01", order=8)), 6)
    0.00035
    """
    share, alpha = closed_unit(rate, "rate"), order_above_one(order)

    def at(whole_order: int) -> Fraction | None:
        known = _known(curve, whole_order)
        if known is None:
            return None

        def value() -> arb:
            excess = arb(0)
            for place, weight in enumerate(_binomial_weights(whole_order, share), start=2):
                excess += weight * ball((place - 1) * known[place]).expm1()
            return excess.log1p() / (whole_order - 1)

        return holdable_up(upper(value))

    return between_orders(at, alpha)


def _gaussian_gains(mu2: Fraction) -> Iterator[arb]:
    """e^(k(k-1) μ²/2) - 1 for k = 2, 3, ...; for k = 0 and 1 it is 0."""
    gain, step, ratio = arb(1), arb(1), ball(mu2).exp()
    while True:
        step = step * ratio
        gain = gain * step
        yield gain - 1


def sampled_divergence_up(curve: Curve, *, rate: Number, order: Number) -> Fraction | None:
    """The Rényi divergence of any release from a Poisson sample, from its own at whole orders.

    Guarantee: for rows that come and go, rounded up: at whole orders ln((1-q)^(α-1) (α q - q + 1) +
        C(α,2) q² (1-q)^(α-2) e^D(2) + 3 Σ_(l=3..α) C(α,l) (1-q)^(α-l) q^l e^((l-1) D(l))) / (α -
        1); between them by convexity.  None where D is unknown.
    Needs: 0 < rate < 1, order > 1.
    Reference: Zhu and Wang 2019, Theorem 6.
    """
    share, alpha = closed_unit(rate, "rate"), order_above_one(order)

    def at(whole_order: int) -> Fraction | None:
        known = _known(curve, whole_order)
        if known is None:
            return None

        def value() -> arb:
            # The first term and the weights of 2, 3, ... sum to 1, so what they gain is summed.
            excess = arb(0)
            for place, weight in enumerate(_binomial_weights(whole_order, share), start=2):
                raised = ball((place - 1) * known[place])
                excess += weight * (raised.expm1() if place == 2 else 3 * raised.exp() - 1)
            return excess.log1p() / (whole_order - 1)

        return holdable_up(upper(value))

    return between_orders(at, alpha)


def fixed_size_divergence_up(
    curve: Curve, *, epsilon: Fraction | None, rate: Number, order: Number
) -> Fraction | None:
    """The Rényi divergence of any release from a sample of fixed size, from its own at whole
    orders.

    Guarantee: for rows that change, rounded up: at whole orders ln(1 + q² C(α,2) min(4 (e^D(2) -
        1), e^D(2) m_2) + Σ_(j=3..α) q^j C(α,j) e^((j-1) D(j)) m_j) / (α - 1) with m_j = min(2, (e^ε
        - 1)^j) for an ε-DP release and 2 otherwise; between them by convexity.
    Needs: 0 < rate <= 1, order > 1; epsilon None for a release that is not pure.
    Reference: Wang, Balle and Kasiviswanathan 2019, Theorem 9.
    """
    share, alpha = closed_unit(rate, "rate"), order_above_one(order)

    def at(whole_order: int) -> Fraction | None:
        known = _known(curve, whole_order)
        if known is None:
            return None

        def value() -> arb:
            excess = arb(0)
            for place, weight in enumerate(_power_weights(whole_order, share), start=2):
                raised = ball((place - 1) * known[place])
                most = arb(2) if epsilon is None else (ball(epsilon).expm1() ** place).min(arb(2))
                term = raised.exp() * most
                excess += weight * (term.min(4 * raised.expm1()) if place == 2 else term)
            return excess.log1p() / (whole_order - 1)

        return holdable_up(upper(value))

    return between_orders(at, alpha)


def between_orders(at: Curve, order: Fraction) -> Fraction | None:
    """A divergence at any order above 1 from bounds at whole orders, by convexity.

    Guarantee: (α - 1) D(α) is convex in α and 0 at 1, so it lies below its chords.
    Reference: van Erven and Harremoës 2014, Corollary 2; see `shoal.measures.curve`.
    """
    below = order.numerator // order.denominator
    if order > HIGHEST_ORDER:
        return None
    if order == below:
        return at(below)
    above = at(below + 1)
    before = Fraction(0) if below == 1 else at(below)
    if above is None or before is None:
        return None
    high, low = (order - below) * below * above, (below + 1 - order) * (below - 1) * before
    return (high + low) / (order - 1)


def _known(curve: Curve, order: int) -> dict[int, Fraction] | None:
    known = {place: curve(place) for place in range(2, order + 1)}
    found = {place: value for place, value in known.items() if value is not None}
    return found if len(found) == len(known) else None


def _binomial_weights(order: int, share: Fraction) -> list[arb]:
    """C(α,k) (1-q)^(α-k) q^k for k = 2 .. α, at the precision in force."""
    odds = ball(share / (1 - share))
    weight = ball(1 - share) ** whole(order, "order", at_least=2) * order * odds
    weights = []
    for place in range(2, order + 1):
        weight = weight * odds * (order - place + 1) / place
        weights.append(weight)
    return weights


def _power_weights(order: int, share: Fraction) -> list[arb]:
    """C(α,j) q^j for j = 2 .. α, at the precision in force."""
    weight, weights = order * ball(share), []
    for place in range(2, order + 1):
        weight = weight * ball(share) * (order - place + 1) / place
        weights.append(weight)
    return weights
