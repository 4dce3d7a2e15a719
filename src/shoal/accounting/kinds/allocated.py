"""Releases of which each row takes part in one, chosen at random.

Allocation never raises a price: whoever knew in which step a row is would be in the situation of
one release, and what is released is an average of these situations.
"""

from __future__ import annotations

from fractions import Fraction

from shoal.accounting.allocation import allocated_divergence_up
from shoal.accounting.pricing import total
from shoal.accounting.quantities import Unit
from shoal.accounting.registry import KindOfEvent, register
from shoal.events import RandomlyAllocated
from shoal.measures import Approx, GaussianDP, Pure, Renyi, ZeroConcentrated
from shoal.sensitivity import Relation


def one_step(event: RandomlyAllocated, unit: Unit) -> Fraction | None:
    """What the release of one step costs, for neighbours of its rows."""
    return total(event.event, str(Relation.ADD_REMOVE), unit)


def allocated_divergence(event: RandomlyAllocated, unit: Unit) -> Fraction | None:
    """The less of the divergence of one step and of `allocated_divergence_up`.

    Edges: the latter is about releases without a failing mass.
    """
    plain, square = one_step(event, unit), one_step(event, unit.at(GaussianDP))
    if square is None or one_step(event, unit.at(Approx)) != 0:
        return plain
    allocated = allocated_divergence_up(square, steps=event.steps, order=unit.at_order)
    return allocated if plain is None else min(plain, allocated)


register(
    RandomlyAllocated,
    KindOfEvent(
        prices={
            Pure: one_step,
            Approx: one_step,
            ZeroConcentrated: one_step,
            GaussianDP: one_step,
            Renyi: allocated_divergence,
        },
        relation=str(Relation.ADD_REMOVE),
    ),
)
