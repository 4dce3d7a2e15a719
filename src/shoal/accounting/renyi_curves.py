"""The exact Rényi divergences of Laplace noise and of randomized response, and the rho they imply.

Write t = α - 1 and u = α - 1/2.  For each law below e^(t D) is a constant times G(u²), G an entire
function of s = u² of order 1/2, with G > 0 for s >= 0.  If all zeros of G are real, they are
negative, and Hadamard's theorem gives G(s) = G(0) Π (1 + s / z_j) with all z_j > 0; so ln G is
concave in s, and lies below its tangent at s = 1/4.  Since t α = u² - 1/4 and t D vanishes at t =
0,

    t D(α) <= t α ρ   with ρ the slope at s = 1/4, which is the divergence of order 1.

So the law is ρ-zCDP with ρ its Kullback-Leibler divergence, and no smaller ρ will do.
"""

from __future__ import annotations

from fractions import Fraction

from flint import arb

from shoal.exact import Number, ball, holdable_up, non_negative, upper, whole
from shoal.measures import pure_rho_up
from shoal.measures.curve import order_above_one


def laplace_divergence_up(epsilon: Number, *, order: Number, steps: int | None = None) -> Fraction:
    """The Rényi divergence of Laplace noise, rounded up.

    Guarantee: two Laplace laws that are epsilon scales apart have this divergence: on the real
        line, or with ``steps`` on a lattice of which so many steps are epsilon scales.  For a
        vector whose L1 sensitivity is epsilon scales it is the largest one.  With d = epsilon, r =
        e^(-d/steps), c = 2α - 1 and B = (r - r^c) / ((1 + r)(1 - r^c)), on the real line B = (α -
        1) / (2α - 1), it is ln((1 - B) e^((α-1) d) + B e^(-α d)) / (α - 1): three geometric sums,
        left of both centres, between them and right of both.  As a function of d the logarithm is
        convex and 0 at 0, so shifts of several coordinates add up to at most one shift of their
        sum.
    Needs: epsilon >= 0, order > 1, steps >= 1.
    Edges: one step is randomized response; many steps approach the real line, from above.
    Reference: Mironov 2017, Proposition 6, for the real line.

    >>> round(float(laplace_divergence_up(1, order=2)), 6)
    0.619124
    """
    distance, alpha = non_negative(epsilon, "epsilon"), order_above_one(order)
    if distance == 0:
        return distance
    width = None if steps is None else distance / whole(steps, "steps", at_least=1)
    c = 2 * alpha - 1

    def value() -> arb:
        share = ball((alpha - 1) / c) if width is None else _far_share(width, c)
        return ball(distance) + (share * ball(-c * distance).expm1()).log1p() / ball(alpha - 1)

    return min(distance, holdable_up(upper(value)))


def _far_share(width: Fraction, c: Fraction) -> arb:
    """B above, without cancellation."""
    r = ball(-width).exp()
    return r * ball(-(c - 1) * width).expm1() / ((1 + r) * ball(-c * width).expm1())


def laplace_rho_up(epsilon: Number, *, steps: int | None = None) -> Fraction:
    """The rho of Laplace noise, rounded up; no smaller one will do.

    Guarantee: as `laplace_divergence_up`, of every order at once: rho = d + e^-d - 1 on the real
        line, and d - 2 (d/m) r (1 - e^-d) / (1 - r²) on a lattice with m = steps.  Proof: by the
        head of this file.  On the real line G(s) = cosh(d u) + sinh(d u) / (2u); its zeros -y²
        solve v'' = -y² v, v(0) = 0, v'(d) + v(d)/2 = 0 for v = sin(y x) / y, a self-adjoint problem
        with positive energy, so all y² are real and positive.  On the lattice, with h = d/m, G(s) =
        (sinh((m+1) h u) - r sinh((m-1) h u)) / ((1 + r) sinh(h u)), which is U_m(x) - r U_(m-2)(x)
        over 1 + r at x = cosh(h u), U the Chebyshev polynomials of the second kind.  By their
        recurrence it is 2x U_(m-1) - (1 + r) U_(m-2), the characteristic polynomial of a symmetric
        tridiagonal matrix, so its m roots x are real; for x > 1 it is positive, so all lie in (-1,
        1) and give real u² < 0.
    Needs: epsilon >= 0, steps >= 1.
    Edges: one step gives d tanh(d/2), the bound for every pure promise.
    Reference: Harrison and Manurangsi 2025 state the value on the real line; the proof above is
        complete.

    >>> round(float(laplace_rho_up(1)), 6), round(float(laplace_rho_up(1, steps=1)), 6)
    (0.367879, 0.462117)
    """
    distance = non_negative(epsilon, "epsilon")
    if distance == 0:
        return distance
    width = None if steps is None else distance / whole(steps, "steps", at_least=1)

    def value() -> arb:
        if width is None:
            return ball(distance) + ball(-distance).expm1()
        r, h = ball(-width).exp(), ball(width)
        return ball(distance) - 2 * h * r * ball(-distance).expm1() / (
            (1 + r) * ball(-width).expm1()
        )

    return min(pure_rho_up(distance), holdable_up(upper(value)))


def response_divergence_up(odds: arb, categories: int, *, order: Fraction) -> arb:
    """The Rényi divergence of randomized response, enclosed, from the odds truth / other of a
    report.

    Guarantee: with o = 1 / (odds + k - 1) and p = odds o it is ln(p^α o^(1-α) + o^α p^(1-α) + (k -
        2) o) / (α - 1): two reports tell the answers apart, and the k - 2 others do not.
    Needs: odds > 0, order > 1, at least two categories.
    Reference: Mironov 2017, Proposition 5, for two categories.
    """
    log_odds, t = odds.log(), ball(order - 1)
    # The sum is 1 + o (odds (odds^t - 1) + odds^-t - 1), which does not cancel near 1.
    gain = odds * (t * log_odds).expm1() + (-t * log_odds).expm1()
    return (gain / (odds + categories - 1)).log1p() / t


def response_rho_up(odds: arb, categories: int) -> arb | None:
    """The rho of randomized response, enclosed, from its odds; None where the proof does not reach.

    Guarantee: (p - o) ln(p / o).  Proof: by the head of `renyi_curves`, with d = ln(p / o) and G =
        2 sqrt(p o) cosh(d u) + (k - 2) o.  Its zeros have cosh(d u) = -(k - 2) sqrt(o / p) / 2,
        which is in [-1, 0] and gives real u² < 0 as long as (k - 2)² <= 4 p / o.
    """
    if not (categories - 2) ** 2 <= 4 * odds:  # also where the enclosure cannot tell
        return None
    return (odds - 1) * odds.log() / (odds + categories - 1)
