"""Staircase noise."""

from __future__ import annotations

from fractions import Fraction

from shoal.accounting.quantities import Unit
from shoal.accounting.registry import KindOfEvent, register
from shoal.events import Staircase, StatedPure
from shoal.measures import Pure


def staircase_epsilon(event: Staircase, unit: Unit) -> Fraction:  # noqa: ARG001
    """Epsilon, exactly: one sensitivity further out the law falls by e^-epsilon, never by more.

    Reference: Geng, Kairouz, Oh and Viswanath 2015.
    """
    return event.epsilon


register(
    Staircase,
    KindOfEvent(
        prices={Pure: staircase_epsilon},
        for_group=lambda event, size: StatedPure(event.epsilon * size),
    ),
)
