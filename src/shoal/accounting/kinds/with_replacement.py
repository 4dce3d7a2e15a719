"""Releases from secret draws with replacement."""

from __future__ import annotations

from fractions import Fraction

from shoal.accounting.pricing import bill, total, total_of
from shoal.accounting.quantities import Unit
from shoal.accounting.registry import KindOfEvent, register
from shoal.accounting.with_replacement import (
    drawn_delta_up,
    drawn_divergence_up,
    drawn_epsilon_up,
)
from shoal.events import SampledWithReplacement
from shoal.measures import Approx, Pure, Renyi, pure_divergence_up
from shoal.sensitivity import Relation

_CHANGE = str(Relation.CHANGE)


def drawn_epsilon(event: SampledWithReplacement, unit: Unit) -> Fraction | None:
    """`drawn_epsilon_up` of the epsilon inside."""
    inside = total(event.event, _CHANGE, unit)
    if inside is None:
        return None
    return drawn_epsilon_up(inside, draws=event.sample, population=event.population)


def drawn_failing(event: SampledWithReplacement, unit: Unit) -> Fraction | None:
    """`drawn_delta_up` of the epsilon and the delta inside; None where there is a delta and no
    epsilon.
    """
    delta, epsilon = (total(event.event, _CHANGE, unit.at(one)) for one in (Approx, Pure))
    if delta == 0:
        return delta
    if delta is None or epsilon is None or delta >= 1:
        return None
    lost = drawn_delta_up(epsilon, delta, draws=event.sample, population=event.population)
    return None if lost == 1 else lost


def drawn_divergence(event: SampledWithReplacement, unit: Unit) -> Fraction | None:
    """The least of `drawn_divergence_up` and of what the epsilon implies; only the latter where
    something may fail.
    """
    order, epsilon = unit.at_order, drawn_epsilon(event, unit.at(Pure))
    known = [] if epsilon is None else [pure_divergence_up(epsilon, order=order)]
    if total(event.event, _CHANGE, unit.at(Approx)) == 0:
        mixed = drawn_divergence_up(
            lambda copies: total_of(bill(event.event, _CHANGE, copies), unit),
            draws=event.sample,
            population=event.population,
            order=order,
        )
        known += [] if mixed is None else [mixed]
    return min(known, default=None)


register(
    SampledWithReplacement,
    KindOfEvent(
        prices={Pure: drawn_epsilon, Approx: drawn_failing, Renyi: drawn_divergence},
        relation=_CHANGE,
    ),
)
