"""What pure epsilon-DP implies, each bound attained by randomized response.

Randomized response tells one bit truthfully with probability e^ε / (1 + e^ε).  It is ε-DP and the
worst of its kind: of a pair of laws p, q with e^-ε q <= p <= e^ε q, every quantity below is largest
when p/q takes only its two extreme values.  So no bound in this file can be improved in general.
"""

from __future__ import annotations

from fractions import Fraction

from flint import arb

from shoal.exact import Number, Real, ball, closed_unit, holdable_up, is_below, non_negative, upper
from shoal.measures.curve import order_above_one

_LARGE = 10**10
"""Above this epsilon the mu of a pure promise is bounded by the tail formula φ(z) / z."""


def pure_epsilon_up(epsilon: Number, *, delta: Number) -> Fraction:
    """The smaller epsilon that pure epsilon-DP reaches when a delta is allowed.

    Guarantee: every epsilon-DP release is (result, delta)-DP; the least such result, rounded up.
        result = max(0, ln(e^ε - δ (1 + e^ε))), the inverse of `pure_delta_up`.
    Needs: epsilon >= 0, 0 <= delta <= 1.
    Edges: delta 0 returns epsilon itself, unrounded; delta >= tanh(ε/2) returns 0.
    Reference: Kairouz, Oh and Viswanath 2015, for one release.

    >>> round(float(pure_epsilon_up(1, delta=0.1)), 6)
    0.852905
    """
    epsilon, delta = non_negative(epsilon, "epsilon"), closed_unit(delta, "delta")
    if delta == 0 or epsilon == 0:
        return epsilon
    if delta == 1 or is_below(_delta(epsilon, Fraction(0)), lambda: ball(delta)):
        return Fraction(0)

    def smaller() -> arb:
        return ball(epsilon) + (-ball(delta) * (1 + ball(-epsilon).exp())).log1p()

    return min(epsilon, holdable_up(upper(smaller)))


def pure_delta_up(epsilon: Number, *, at_epsilon: Number) -> Fraction:
    """The delta at which pure epsilon-DP promises a smaller epsilon.

    Guarantee: every epsilon-DP release is (at_epsilon, result)-DP; the least such result, rounded
        up.  result = (e^ε - e^ε') / (1 + e^ε) for ε' = at_epsilon < ε, else 0.  Proof: let x, y be
        the probabilities of an event under p, q.  Then y >= e^-ε x, and 1 - y <= e^ε (1 - x) gives
        y >= 1 - e^ε (1 - x).  So x - e^ε' y is at most x (1 - e^(ε'-ε)), rising in x, and at most x
        - e^ε' + e^(ε'+ε) (1 - x), falling in x; they meet at x = e^ε / (1 + e^ε), y = 1 - x, which
        is randomized response.
    Needs: epsilon >= 0, at_epsilon >= 0.
    Reference: Kairouz, Oh and Viswanath 2015; the proof above is complete.

    >>> round(float(pure_delta_up(1, at_epsilon=0)), 6)
    0.462117
    """
    epsilon, target = non_negative(epsilon, "epsilon"), non_negative(at_epsilon, "at_epsilon")
    if target >= epsilon:
        return Fraction(0)
    return min(Fraction(1), holdable_up(upper(_delta(epsilon, target))))


def pure_rho_up(epsilon: Number) -> Fraction:
    """The rho of zero-concentrated privacy that pure epsilon-DP implies.

    Guarantee: every epsilon-DP release is rho-zCDP for rho = ε tanh(ε/2), rounded up; no smaller
        rho will do, because the divergence of order 1 of randomized response is exactly that.
        Proof: with t = order - 1, the divergence in `pure_divergence_up` times t is g(s) - g(s0)
        where g(s) = ln cosh(sqrt s), s = ε² (t + 1/2)² and s0 = ε² / 4.  The slope g'(s) =
        tanh(sqrt s) / (2 sqrt s) falls in s, so g is concave and g(s) - g(s0) <= (s - s0) g'(s0) =
        ε² t (t + 1) tanh(ε/2) / ε = t · order · ε tanh(ε/2).
    Needs: epsilon >= 0.
    Edges: below ε²/2, the bound of Bun and Steinke 2016, Proposition 1.4, and close to it for small
        ε.
    Reference: Steinke 2024, Tight RDP and zCDP bounds from pure DP; the proof above is complete.

    >>> round(float(pure_rho_up(1)), 6), round(float(pure_rho_up(10)), 6)
    (0.462117, 9.999092)
    """
    epsilon = non_negative(epsilon, "epsilon")
    if epsilon == 0:
        return epsilon
    rho = upper(lambda: ball(epsilon) * (ball(epsilon) / 2).tanh())
    return holdable_up(min(rho, epsilon, epsilon**2 / 2))


def pure_divergence_up(epsilon: Number, *, order: Number) -> Fraction:
    """The Rényi divergence of one order that pure epsilon-DP allows.

    Guarantee: neighbouring outputs of every epsilon-DP release have at most this divergence:
        ln(cosh(ε (α - 1/2)) / cosh(ε/2)) / (α - 1) at order α, rounded up.  Proof: p/q lies in
        [e^-ε, e^ε] and averages 1 under q; r^α is convex, so its average is largest when the ratio
        takes only the two ends, with probabilities e^ε / (1 + e^ε) and 1 / (1 + e^ε).
    Needs: epsilon >= 0, order > 1.
    Edges: tends to ε as the order grows, and never exceeds it.
    Reference: Mironov 2017, Proposition 5 (randomized response).

    >>> round(float(pure_divergence_up(0.1, order=2)), 5)
    0.00996
    """
    epsilon, order = non_negative(epsilon, "epsilon"), order_above_one(order)
    if epsilon == 0:
        return epsilon

    def divergence() -> arb:
        far, near = ball(epsilon * (1 - 2 * order)).exp(), ball(-epsilon).exp()
        return ball(epsilon) + (far.log1p() - near.log1p()) / ball(order - 1)

    return min(epsilon, holdable_up(upper(divergence)))


def pure_mu_up(epsilon: Number) -> Fraction:
    """The mu of Gaussian differential privacy that pure epsilon-DP implies.

    Guarantee: every epsilon-DP release is mu-GDP for mu = 2 Φ^-1(e^ε / (1 + e^ε)), rounded up; no
        smaller mu will do.  Proof: the trade-off curve of ε-DP is the two straight pieces through
        (0, 1), (v, v) and (1, 0) with v = 1 / (1 + e^ε).  The Gaussian curve of this mu passes
        through the same three points and is convex, so it lies on or below both pieces; a smaller
        mu lies above the corner.
    Needs: epsilon >= 0.
    Edges: grows like 2 sqrt(2 ε).  Beyond ε = 10^10 the tail is bounded by φ(z) / z: any z with
        z²/2 + ln(z sqrt(2π)) >= ε + ln(1 + e^-ε) will do, and ln z is bounded below by
        ln(2 ε - ln(4 π ε)) / 2; what this adds is below 1 part in 10^20.
    Reference: Dong, Roth and Su 2022 for both curves; the proof above is complete.

    >>> round(float(pure_mu_up(1)), 6)
    1.232035
    """
    epsilon = non_negative(epsilon, "epsilon")
    if epsilon == 0:
        return epsilon

    def mu() -> arb:
        e = ball(epsilon)
        if epsilon <= 1:
            return 2 * arb(2).sqrt() * (e / 2).tanh().erfinv()
        if epsilon <= _LARGE:
            return 2 * arb(2).sqrt() * (2 / (1 + e.exp())).erfcinv()
        least_square = 2 * e - (4 * arb.pi() * e).log()
        square = 2 * e + 2 * (-e).exp().log1p() - (2 * arb.pi()).log() - least_square.log()
        return 2 * square.sqrt()

    return holdable_up(upper(mu))


def _delta(epsilon: Fraction, target: Fraction) -> Real:
    """The delta of randomized response at a smaller epsilon, (e^ε - e^ε') / (1 + e^ε)."""
    return lambda: -ball(target - epsilon).expm1() / (1 + ball(-epsilon).exp())
