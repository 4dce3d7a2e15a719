"""The best of a secret number of runs."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from shoal.accounting.converters import ways
from shoal.accounting.pricing import Bill, bill, own_relations, total_of
from shoal.accounting.quantities import Unit
from shoal.accounting.registry import KindOfEvent, register
from shoal.accounting.tuning import (
    best_of_divergence_up,
    best_of_epsilon_up,
    best_of_poisson_divergence_up,
    best_of_poisson_epsilon_up,
)
from shoal.errors import ConversionError
from shoal.events import Group, RepeatAndSelect
from shoal.measures import Approx, Pure, Renyi, pure_divergence_up


def _inside(event: RepeatAndSelect) -> Bill:
    """One run, for the neighbours that the event states, else for those the run was made for."""
    own = own_relations(event.event)
    alone = next(iter(own)) if len(own) == 1 else None
    return bill(event.event, alone if event.relation is None else event.relation)


def selected_failing(event: RepeatAndSelect, unit: Unit) -> Fraction | None:
    """Nothing fails where no run can; None otherwise: the theorems are about runs that never
    fail.
    """
    return Fraction(0) if total_of(_inside(event), unit) == 0 else None


def selected_epsilon(event: RepeatAndSelect, unit: Unit) -> Fraction | None:
    """`best_of_epsilon_up` or `best_of_poisson_epsilon_up` of the epsilon of a run."""
    epsilon = total_of(_inside(event), unit)
    if epsilon is None or selected_failing(event, unit.at(Approx)) is None:
        return None
    if event.mean is not None:
        return best_of_poisson_epsilon_up(epsilon, mean=event.mean)
    assert event.eta is not None
    assert event.gamma is not None
    return best_of_epsilon_up(epsilon, eta=event.eta, gamma=event.gamma)


def selected_divergence(event: RepeatAndSelect, unit: Unit) -> Fraction | None:
    """The least of what the theorems give and of what the epsilon implies."""
    inside, order = _inside(event), unit.at_order
    if selected_failing(event, unit.at(Approx)) is None:
        return None
    epsilon = selected_epsilon(event, unit.at(Pure))

    def curve(at: Fraction) -> Fraction | None:
        return total_of(inside, unit.at(Renyi, at))

    if event.mean is not None:
        found = best_of_poisson_divergence_up(
            curve, lambda at: _delta(inside, at), mean=event.mean, order=order
        )
    else:
        assert event.eta is not None
        assert event.gamma is not None
        found = best_of_divergence_up(
            curve,
            epsilon=total_of(inside, unit.at(Pure)),
            eta=event.eta,
            gamma=event.gamma,
            order=order,
        )
    known = [] if epsilon is None else [pure_divergence_up(epsilon, order=order)]
    return min(known if found is None else [*known, found], default=None)


def _delta(inside: Bill, epsilon: Fraction) -> Fraction | None:
    """The least delta of one run at an epsilon, over all measures."""
    found = []
    for way in ways():
        try:
            known = way.delta(inside, epsilon, Fraction(0))
        except ConversionError:
            continue
        if known is not None:
            found.append(known)
    return min(found, default=None)


def _for_group(event: RepeatAndSelect, size: int) -> RepeatAndSelect:
    """The theorems hold for any two datasets between which a run keeps its promise."""
    return replace(event, event=Group(event.event, size))


register(
    RepeatAndSelect,
    KindOfEvent(
        prices={Pure: selected_epsilon, Approx: selected_failing, Renyi: selected_divergence},
        for_group=_for_group,
    ),
)
