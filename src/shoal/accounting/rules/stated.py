"""Prices of releases of which only a promise is known: the promise itself."""

from __future__ import annotations

from fractions import Fraction

from shoal.accounting.registry import prices
from shoal.accounting.unit import Unit
from shoal.events import (
    NonPrivate,
    StatedApprox,
    StatedGaussian,
    StatedPure,
    StatedRandom,
    StatedZeroConcentrated,
)
from shoal.measures import Approx, GaussianDP, Pure, ZeroConcentrated


@prices(StatedPure, StatedApprox, by=Pure)
def stated_epsilon(event: StatedPure | StatedApprox, unit: Unit) -> Fraction:  # noqa: ARG001
    """Epsilon; for an approximate promise it is the price of what happens outside its failing mass."""
    return event.epsilon


@prices(StatedApprox, by=Approx)
def stated_failing(event: StatedApprox, unit: Unit) -> Fraction | None:  # noqa: ARG001
    """Delta; no sum is finite for delta 1, which promises nothing."""
    return None if event.delta == 1 else event.delta


@prices(NonPrivate, StatedRandom, by=Approx)
def nothing_promised(event: NonPrivate | StatedRandom, unit: Unit) -> None:  # noqa: ARG001
    """No price in any measure; a promise for most neighbours is none for all."""
    return


@prices(StatedZeroConcentrated, by=ZeroConcentrated)
def stated_rho(event: StatedZeroConcentrated, unit: Unit) -> Fraction:  # noqa: ARG001
    return event.rho


@prices(StatedGaussian, by=GaussianDP)
def stated_square(event: StatedGaussian, unit: Unit) -> Fraction:  # noqa: ARG001
    return event.mu**2
