"""Laplace noise: on a stated lattice, on the integers, and clamped."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

from shoal.accounting.registry import KindOfEvent, Rule, register
from shoal.accounting.release_loss import ReleaseLoss, loss_from
from shoal.accounting.renyi_curves import laplace_divergence_up, laplace_rho_up
from shoal.accounting.unit import Unit
from shoal.events import Geometric, Laplace, TruncatedGeometric
from shoal.exact import float_up
from shoal.loss import AtomicLoss, LaplaceLoss
from shoal.measures import (
    Measure,
    Pure,
    Renyi,
    ZeroConcentrated,
    pure_divergence_up,
    pure_rho_up,
)

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


def laplace_loss(event: Laplace | Geometric, size: int) -> ReleaseLoss | None:
    """Noise on a lattice: with X the noise in steps, the loss is epsilon (1 - 2 X / steps), cut to
    ±epsilon.
    """
    steps = _steps(event)
    if steps is None:
        return None
    if steps == 0:
        return loss_from()
    whole, steps = float_up(size * event.sensitivity / event.scale), size * steps
    if steps > MOST_ATOMS:
        return loss_from(LaplaceLoss(whole, blur=2 * whole / steps))
    fall = math.exp(-whole / steps)
    atoms = [(whole, 1 / (1 + fall))]
    atoms += [
        (whole * (1 - 2 * x / steps), (1 - fall) / (1 + fall) * fall**x) for x in range(1, steps)
    ]
    atoms.append((-whole, fall**steps / (1 + fall)))
    return loss_from(AtomicLoss(tuple(atoms), unit=2 * whole / steps))


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
