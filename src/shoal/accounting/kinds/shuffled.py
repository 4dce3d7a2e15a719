"""Shuffled reports.

Without a spare delta a shuffle costs what one report costs, but for divergences, which it lowers:
the others' reports do not depend on the person whose value changes, and an order hides, it does not
tell.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from shoal.accounting.pricing import total
from shoal.accounting.privacy_blanket import (
    shuffled_response_delta_up,
    shuffled_response_epsilon_up,
)
from shoal.accounting.quantities import FAILING, PURE, Unit
from shoal.accounting.registry import KindOfEvent, register
from shoal.accounting.release_loss import ReleaseLoss, loss_from
from shoal.accounting.shuffled_count import shuffled_binary_delta_up, shuffled_binary_epsilon_up
from shoal.accounting.shuffled_divergence import shuffled_divergence_up
from shoal.accounting.shuffled_loss import shuffled_binary_loss
from shoal.accounting.shuffling import shuffled_delta_up, shuffled_epsilon_up
from shoal.events import RandomizedResponse, Shuffled
from shoal.measures import (
    Approx,
    GaussianDP,
    Measure,
    Pure,
    Renyi,
    ZeroConcentrated,
    pure_divergence_up,
    pure_mu_up,
    pure_rho_up,
)
from shoal.sensitivity import Relation

_CHANGE = str(Relation.CHANGE)


@lru_cache(maxsize=1 << 10)
def _amplified(event: Shuffled, spare: Fraction) -> Fraction | None:
    """The epsilon at a spare delta, where the theorem applies and gains something."""
    local = total(event.event, _CHANGE, PURE)
    if spare == 0 or local is None or total(event.event, _CHANGE, FAILING) != 0:
        return None
    if _binary(event):
        epsilon = shuffled_binary_epsilon_up(local, people=event.people, delta=spare)
    else:
        epsilon = shuffled_epsilon_up(local, people=event.people, delta=spare)
    if (k := _blanket(event)) is not None:
        better = shuffled_response_epsilon_up(local, categories=k, people=event.people, delta=spare)
        epsilon = min(epsilon, better)
    return epsilon if epsilon < local else None


def shuffled_delta(event: Shuffled, epsilon: Fraction) -> Fraction:
    """The delta of one shuffle at an epsilon; 1 where the theorem does not apply."""
    local = total(event.event, _CHANGE, PURE)
    if local is None or total(event.event, _CHANGE, FAILING) != 0:
        return Fraction(1)
    if _binary(event):
        return shuffled_binary_delta_up(local, people=event.people, epsilon=epsilon)
    known = shuffled_delta_up(local, people=event.people, epsilon=epsilon)
    if (k := _blanket(event)) is not None:
        better = shuffled_response_delta_up(
            local, categories=k, people=event.people, epsilon=epsilon
        )
        known = min(known, better)
    return known


_MOST_PEOPLE = 1_000_000
"""Answers of more people are counted by clones alone, which takes no longer the more there are."""


def _blanket(event: Shuffled) -> int | None:
    """The number of categories, where uniform answers hide the others: the truth is the likeliest
    answer.
    """
    response = event.event
    if not isinstance(response, RandomizedResponse) or event.people > _MOST_PEOPLE:
        return None
    likeliest = response.truth is None or response.truth * response.categories > 1
    return response.categories if likeliest and response.categories > 2 else None


def _binary(event: Shuffled) -> bool:
    return isinstance(event.event, RandomizedResponse) and event.event.categories == 2


def shuffled_failing(event: Shuffled, unit: Unit) -> Fraction | None:
    """The spare delta, where it was used; see `shoal.accounting.shuffling`."""
    if _amplified(event, unit.spare) is None:
        return total(event.event, _CHANGE, unit)
    return unit.spare


def shuffled_divergence(event: Shuffled, unit: Unit) -> Fraction | None:
    """`shuffled_divergence_up` where no delta is spared: divergences are amplified without any."""
    plain, local = _price(event, unit), total(event.event, _CHANGE, PURE)
    if _amplified(event, unit.spare) is not None or local is None:
        return plain
    if total(event.event, _CHANGE, FAILING) != 0:
        return plain
    found = shuffled_divergence_up(
        local, people=event.people, order=unit.at_order, binary=_binary(event)
    )
    return found if plain is None else min(plain, found)


def shuffled_loss(event: Shuffled, size: int) -> ReleaseLoss | None:
    """`shuffled_binary_loss`, for one bit and one person whose value changes."""
    local = total(event.event, _CHANGE, PURE)
    if size > 1 or not _binary(event) or local is None:
        return None
    found = shuffled_binary_loss(local, people=event.people)
    return None if found is None else loss_from(found, attained=False)


def _price(event: Shuffled, unit: Unit) -> Fraction | None:
    epsilon = _amplified(event, unit.spare)
    return total(event.event, _CHANGE, unit) if epsilon is None else _implied(epsilon, unit)


def _implied(epsilon: Fraction, unit: Unit) -> Fraction:
    """What a pure epsilon costs in a unit."""
    measure: type[Measure] = unit.measure
    if measure is Renyi:
        return pure_divergence_up(epsilon, order=unit.at_order)
    if measure is ZeroConcentrated:
        return pure_rho_up(epsilon)
    return pure_mu_up(epsilon) ** 2 if measure is GaussianDP else epsilon


register(
    Shuffled,
    KindOfEvent(
        prices={
            Pure: _price,
            Approx: shuffled_failing,
            ZeroConcentrated: _price,
            GaussianDP: _price,
            Renyi: shuffled_divergence,
        },
        loss=shuffled_loss,
        largest_group=lambda event: event.people,
        relation=_CHANGE,
        uses_spare_delta=True,
        delta_alone=shuffled_delta,
    ),
)
