"""Skellam noise."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from shoal.accounting.quantities import Unit
from shoal.accounting.registry import KindOfEvent, register
from shoal.accounting.release_loss import ReleaseLoss, loss_from
from shoal.accounting.skellam import skellam_divergence_up, whole_moves
from shoal.events import Skellam
from shoal.loss import LARGEST_VARIANCE, SkellamLoss
from shoal.measures import Renyi

_LONGEST = 10_000
"""A longer shift of one number has no loss of its own here: its list of atoms would be as long."""


_LEAST_VARIANCE = Fraction(1, 10**200)
"""Less noise than this hides nothing, and its law leaves the range of floats."""


def skellam_divergence(event: Skellam, unit: Unit) -> Fraction | None:
    """`skellam_divergence_up`: the published bound."""
    return skellam_divergence_up(event, order=unit.at_order)


def skellam_loss(event: Skellam, size: int) -> ReleaseLoss | None:
    """The worst move of the integers, where one is worse than all others: as for
    `DiscreteGaussian`.

    Edges: None for several numbers of which one can move by 2, for groups of several, and beyond a
    variance of 100 000.
    """
    length, square = whole_moves(_for_group(event, size) if event.size == 1 else event)
    if square == 0:
        return loss_from()
    if not _LEAST_VARIANCE <= event.variance <= LARGEST_VARIANCE or length > _LONGEST:
        return None
    if event.size == 1:
        return loss_from(SkellamLoss(length, event.variance))
    if size > 1 or square >= 4:
        return None
    return loss_from(*[SkellamLoss(1, event.variance)] * min(event.size, length))


def _for_group(event: Skellam, size: int) -> Skellam:
    square = event.sensitivity_squared
    return replace(
        event,
        sensitivity=event.sensitivity * size,
        sensitivity_squared=None if square is None else square * size**2,
    )


register(
    Skellam,
    KindOfEvent(
        prices={Renyi: skellam_divergence},
        loss=skellam_loss,
        for_group=_for_group,
        is_symmetric=lambda event, alone: alone or event.size == 1,
    ),
)
