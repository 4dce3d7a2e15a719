"""Gaussian noise, continuous and on the integers."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

from shoal.accounting.discrete_gaussian import discrete_gaussian_divergence_up, whole_square
from shoal.accounting.quantities import Unit
from shoal.accounting.registry import KindOfEvent, register
from shoal.accounting.release_loss import ReleaseLoss, loss_from, normal_loss
from shoal.events import DiscreteGaussian, Gaussian
from shoal.loss import DiscreteNormalLoss
from shoal.measures import GaussianDP, Renyi, ZeroConcentrated


def gaussian_square(event: Gaussian, unit: Unit) -> Fraction:  # noqa: ARG001
    """(Sensitivity / sigma)², exactly: the release is a function of a normal moved by at most that.

    Reference: Dong, Roth and Su 2022, Theorem 2.7.
    """
    return (event.sensitivity / event.sigma) ** 2


def gaussian_loss(event: Gaussian, size: int) -> ReleaseLoss:
    """Normal, and that of the longest move."""
    return normal_loss(size * event.sensitivity / event.sigma)


def _gaussian_for_group(event: Gaussian, size: int) -> Gaussian:
    return replace(event, sensitivity=event.sensitivity * size)


def discrete_gaussian_rho(event: DiscreteGaussian, unit: Unit) -> Fraction:  # noqa: ARG001
    """Sensitivity² / (2 sigma²), exactly, with the sensitivity that integers can have
    (`whole_square`).

    Reference: Canonne, Kamath and Steinke 2020, Theorem 4.
    """
    return Fraction(whole_square(event)) / (2 * event.sigma_squared)


def discrete_gaussian_divergence(event: DiscreteGaussian, unit: Unit) -> Fraction:
    """`discrete_gaussian_divergence_up`: at most order times rho."""
    return discrete_gaussian_divergence_up(event, order=unit.at_order)


def discrete_gaussian_loss(event: DiscreteGaussian, size: int) -> ReleaseLoss | None:
    """The worst move of the integers, where one is worse than all others.

    Guarantee: a move further is worse than a shorter one in the same coordinate, at every delta,
        because the law is log-concave; differences are whole numbers.  One number moves by at most
        the root of the bound.  Several, with a bound below 4, can each move by at most 1, and at
        most as many as the bound says.
    Edges: None for several numbers and a bound of 4 or more, or for groups of them: which of (2, 0,
        0, 0) and (1, 1, 1, 1) is worse depends on delta.
    """
    square, most = float(event.sigma_squared), math.floor(event.sensitivity_squared)
    if event.size == 1:
        shift = size * math.isqrt(most)
        return loss_from(DiscreteNormalLoss(shift, square)) if shift else loss_from()
    if size > 1 or most >= 4:
        return None if most else loss_from()
    return loss_from(*[DiscreteNormalLoss(1, square)] * min(event.size, most))


def _discrete_for_group(event: DiscreteGaussian, size: int) -> DiscreteGaussian:
    return replace(event, sensitivity_squared=event.sensitivity_squared * size**2)


def _discrete_is_symmetric(event: DiscreteGaussian, alone: bool) -> bool:  # noqa: FBT001 - called by position
    """On several numbers there is such a pair for any two neighbours, but none for all of them."""
    return alone or event.size == 1


register(
    Gaussian,
    KindOfEvent(
        prices={GaussianDP: gaussian_square},
        loss=gaussian_loss,
        for_group=_gaussian_for_group,
        has_normal_loss=True,
        is_symmetric=lambda _event, _alone: True,
    ),
)
register(
    DiscreteGaussian,
    KindOfEvent(
        prices={ZeroConcentrated: discrete_gaussian_rho, Renyi: discrete_gaussian_divergence},
        loss=discrete_gaussian_loss,
        for_group=_discrete_for_group,
        is_symmetric=_discrete_is_symmetric,
    ),
)
