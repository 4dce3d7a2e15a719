"""The rules: one small pure function per kind of event and measure, that says what one release costs.

A rule returns the price in the unit asked for, or None where there is none (no finite number is known to
be right).  Nothing here adds, repeats or groups; `pricing` does, once for all rules.  Where an event has
no rule for a measure, the price follows by the conversions of `shoal.measures` from those it has.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import Any, TypeVar

from shoal.accounting.unit import Unit
from shoal.errors import PriceError
from shoal.events import Event, StatedRandom
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

Rule = Callable[[Any, Unit], Fraction | None]
_Rule = TypeVar("_Rule", bound=Rule)

_rules: dict[tuple[type[Event], type[Measure]], Rule] = {}
_REMEMBERED = 1 << 15


def prices(*kinds: type[Event], by: type[Measure]) -> Callable[[_Rule], _Rule]:
    """Enter a rule for some kinds of event in one measure."""

    def enter(rule: _Rule) -> _Rule:
        for kind in kinds:
            if (kind, by) in _rules:
                raise TypeError(f"{kind.kind!r} already has a rule in {by.__name__}.")
            _rules[kind, by] = rule
        return rule

    return enter


def has_rules(kind: type[Event]) -> bool:
    """Whether a kind of event can be priced in any measure."""
    return any(known is kind for known, _ in _rules)


@lru_cache(maxsize=_REMEMBERED)
def price(event: Event, unit: Unit) -> Fraction | None:
    """What one release costs in a unit, by its own rule or by the least conversion; None: no price."""
    rule = _rules.get((type(event), unit.measure))
    if rule is not None:
        return rule(event, unit)
    if unit.measure is Approx:
        return Fraction(0)
    known = [
        cost for convert in _CONVERSIONS[unit.measure] if (cost := convert(event, unit)) is not None
    ]
    return min(known, default=None)


def _own(event: Event, unit: Unit, measure: type[Measure]) -> Fraction | None:
    rule = _rules.get((type(event), measure))
    return None if rule is None else rule(event, unit.at(measure))


def _rho_from_pure(event: Event, unit: Unit) -> Fraction | None:
    epsilon = _own(event, unit, Pure)
    return None if epsilon is None else pure_rho_up(epsilon)


def _rho_from_mu(event: Event, unit: Unit) -> Fraction | None:
    square = _own(event, unit, GaussianDP)
    return None if square is None else square / 2


def _mu_from_pure(event: Event, unit: Unit) -> Fraction | None:
    epsilon = _own(event, unit, Pure)
    return None if epsilon is None else pure_mu_up(epsilon) ** 2


def _divergence_from_pure(event: Event, unit: Unit) -> Fraction | None:
    epsilon = _own(event, unit, Pure)
    return None if epsilon is None else pure_divergence_up(epsilon, order=unit.at_order)


def _divergence_from_rho(event: Event, unit: Unit) -> Fraction | None:
    rho = price(event, unit.at(ZeroConcentrated))
    return None if rho is None else rho * unit.at_order


_CONVERSIONS: dict[type[Measure], tuple[Rule, ...]] = {
    Pure: (),
    ZeroConcentrated: (_rho_from_pure, _rho_from_mu),
    GaussianDP: (_mu_from_pure,),
    Renyi: (_divergence_from_pure, _divergence_from_rho),
}


def no_price(event: Event, unit: Unit) -> PriceError:
    """The one wording for an event without a price."""
    if isinstance(event, StatedRandom):
        return PriceError(
            "an event of kind 'stated_random' holds for most neighbours only, so it has no price in differential privacy.",
            remedy="Release with a sensitivity that is proven for all neighbours.",
        )
    return PriceError(
        f"an event of kind {event.kind!r} has no price in {unit.measure.__name__}.",
        remedy="Ask in another measure, such as epsilon(delta=...), which finds one.",
    )
