"""Prices of releases in which noise was added to numbers."""

from __future__ import annotations

from fractions import Fraction

from shoal.accounting.curves import laplace_divergence_up, laplace_rho_up
from shoal.accounting.discrete_gaussian import discrete_gaussian_divergence_up, whole_square
from shoal.accounting.registry import prices
from shoal.accounting.unit import Unit
from shoal.events import DiscreteGaussian, Gaussian, Geometric, Laplace, Staircase
from shoal.measures import (
    GaussianDP,
    Pure,
    Renyi,
    ZeroConcentrated,
    pure_divergence_up,
    pure_rho_up,
)


@prices(Laplace, Geometric, by=Pure)
def laplace_epsilon(event: Laplace | Geometric, unit: Unit) -> Fraction:  # noqa: ARG001
    """Sensitivity / scale, exactly: the loss never exceeds it and reaches it.

    Reference: Dwork, McSherry, Nissim and Smith 2006.
    """
    return event.sensitivity / event.scale


@prices(Laplace, Geometric, by=ZeroConcentrated)
def laplace_rho(event: Laplace | Geometric, unit: Unit) -> Fraction:
    """`laplace_rho_up` where the lattice is stated; else what holds on every lattice, one step included."""
    epsilon, steps = laplace_epsilon(event, unit), _steps(event)
    return pure_rho_up(epsilon) if steps is None else laplace_rho_up(epsilon, steps=steps)


@prices(Laplace, Geometric, by=Renyi)
def laplace_divergence(event: Laplace | Geometric, unit: Unit) -> Fraction:
    """`laplace_divergence_up` where the lattice is stated; else what holds on every lattice.

    On a lattice of which the sensitivity is one step the law is randomized response, the worst pure one.
    """
    epsilon, steps, order = laplace_epsilon(event, unit), _steps(event), unit.at_order
    if steps is None:
        return pure_divergence_up(epsilon, order=order)
    return laplace_divergence_up(epsilon, order=order, steps=steps)


def _steps(event: Laplace | Geometric) -> int | None:
    """How many lattice steps the sensitivity spans; 1 where it spans none and nothing is lost."""
    steps = event.sensitivity if isinstance(event, Geometric) else event.steps
    return 1 if steps == 0 else steps


@prices(Gaussian, by=GaussianDP)
def gaussian_square(event: Gaussian, unit: Unit) -> Fraction:  # noqa: ARG001
    """(Sensitivity / sigma)², exactly: the release is a function of a normal moved by at most that.

    Reference: Dong, Roth and Su 2022, Theorem 2.7.
    """
    return (event.sensitivity / event.sigma) ** 2


@prices(DiscreteGaussian, by=ZeroConcentrated)
def discrete_gaussian_rho(event: DiscreteGaussian, unit: Unit) -> Fraction:  # noqa: ARG001
    """Sensitivity² / (2 sigma²), exactly, with the sensitivity that integers can have (`whole_square`).

    Reference: Canonne, Kamath and Steinke 2020, Theorem 4.
    """
    return Fraction(whole_square(event)) / (2 * event.sigma_squared)


@prices(DiscreteGaussian, by=Renyi)
def discrete_gaussian_divergence(event: DiscreteGaussian, unit: Unit) -> Fraction:
    """`discrete_gaussian_divergence_up`: at most order times rho."""
    return discrete_gaussian_divergence_up(event, order=unit.at_order)


@prices(Staircase, by=Pure)
def staircase_epsilon(event: Staircase, unit: Unit) -> Fraction:  # noqa: ARG001
    """Epsilon, exactly: one sensitivity further out the law falls by e^-epsilon, never by more.

    Reference: Geng, Kairouz, Oh and Viswanath 2015.
    """
    return event.epsilon
