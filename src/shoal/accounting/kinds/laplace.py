"""Laplace noise, on a stated lattice, on the integers, and clamped: its exact Rényi divergences, and
the rho they imply.

Write t = α - 1 and u = α - 1/2.  For each law below e^(t D) is a constant times G(u²), G an entire
function of s = u² of order 1/2, with G > 0 for s >= 0.  If all zeros of G are real, they are
negative, and Hadamard's theorem gives G(s) = G(0) Π (1 + s / z_j) with all z_j > 0; so ln G is
concave in s, and lies below its tangent at s = 1/4.  Since t α = u² - 1/4 and t D vanishes at t =
0,

    t D(α) <= t α ρ   with ρ the slope at s = 1/4, which is the divergence of order 1.

So the law is ρ-zCDP with ρ its Kullback-Leibler divergence, and no smaller ρ will do.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

from flint import arb

from shoal.accounting.quantities import Unit
from shoal.accounting.registry import KindOfEvent, Rule, register
from shoal.accounting.release_loss import ReleaseLoss, loss_from
from shoal.events import Geometric, Laplace, TruncatedGeometric
from shoal.exact import Number, ball, float_up, holdable_up, non_negative, upper, whole
from shoal.loss import AtomicLoss, LaplaceLoss
from shoal.measures import (
    Measure,
    Pure,
    Renyi,
    ZeroConcentrated,
    pure_divergence_up,
    pure_rho_up,
)
from shoal.measures.curve import order_above_one

MOST_ATOMS = 4096
"""A lattice of more steps than this is taken as continuous, with the blur that costs."""


def laplace_epsilon(event: Laplace | Geometric, unit: Unit) -> Fraction:  # noqa: ARG001
    """Sensitivity / scale, exactly: the loss never exceeds it and reaches it.

    Reference: Dwork, McSherry, Nissim and Smith 2006.
    """
    return event.sensitivity / event.scale


def laplace_rho(event: Laplace | Geometric, unit: Unit) -> Fraction:
    """`laplace_rho_up` where the lattice is stated; else what holds on every lattice, one step
    included.
    """
    epsilon, steps = laplace_epsilon(event, unit), _steps(event)
    return pure_rho_up(epsilon) if steps is None else laplace_rho_up(epsilon, steps=steps or 1)


def laplace_divergence(event: Laplace | Geometric, unit: Unit) -> Fraction:
    """`laplace_divergence_up` where the lattice is stated; else what holds on every lattice.

    On a lattice of which the sensitivity is one step the law is randomized response, the worst pure
    one.
    """
    epsilon, steps, order = laplace_epsilon(event, unit), _steps(event), unit.at_order
    if steps is None:
        return pure_divergence_up(epsilon, order=order)
    return laplace_divergence_up(epsilon, order=order, steps=steps or 1)


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


def laplace_loss(event: Laplace | Geometric, size: int) -> ReleaseLoss | None:
    """Noise on a lattice: with X the noise in steps, the loss is epsilon (1 - 2 X / steps), cut to
    ±epsilon.
    """
    steps = _steps(event)
    if steps is None:
        return None
    if steps == 0:
        return loss_from()
    reach, steps = float_up(size * event.sensitivity / event.scale), size * steps
    if steps > MOST_ATOMS:
        return loss_from(LaplaceLoss(reach, blur=2 * reach / steps))
    fall = math.exp(-reach / steps)
    atoms = [(reach, 1 / (1 + fall))]
    atoms += [
        (reach * (1 - 2 * x / steps), (1 - fall) / (1 + fall) * fall**x) for x in range(1, steps)
    ]
    atoms.append((-reach, fall**steps / (1 + fall)))
    return loss_from(AtomicLoss(tuple(atoms), unit=2 * reach / steps))


def _steps(event: Laplace | Geometric) -> int | None:
    """How many lattice steps the sensitivity spans; 0 where nothing is lost, None where that is not
    stated.
    """
    return event.sensitivity if isinstance(event, Geometric) else event.steps


def _laplace_for_group(event: Laplace, size: int) -> Laplace:
    """The noise does not know who moved the value: k steps move it up to k times as far, in L1."""
    steps = None if event.steps is None else event.steps * size
    return replace(event, sensitivity=event.sensitivity * size, steps=steps)


def _geometric_for_group(event: Geometric, size: int) -> Geometric:
    return replace(event, sensitivity=event.sensitivity * size)


def _unclamped(event: TruncatedGeometric) -> Geometric:
    """The answer before it was clamped, of which the clamped one is a function."""
    moved = event.sensitivity if event.low < event.high else 0
    return Geometric(scale=event.scale, sensitivity=moved, relation=event.relation)


_PRICES: dict[type[Measure], Rule] = {
    Pure: laplace_epsilon,
    ZeroConcentrated: laplace_rho,
    Renyi: laplace_divergence,
}

register(
    Laplace,
    KindOfEvent(
        prices=_PRICES,
        loss=laplace_loss,
        for_group=_laplace_for_group,
        is_symmetric=lambda _event, _alone: True,
    ),
)
register(
    Geometric,
    KindOfEvent(
        prices=_PRICES,
        loss=laplace_loss,
        for_group=_geometric_for_group,
        is_symmetric=lambda _event, _alone: True,
    ),
)
register(TruncatedGeometric, KindOfEvent(unfold=_unclamped, unfolds_exactly=False))
