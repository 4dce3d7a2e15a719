"""The kinds of event: all that accounting knows of one kind stands in one value, a `KindOfEvent`.

`pricing`, `bill_loss` and `account` look kinds up here and decide nothing by
themselves, so a new kind is one class in `shoal.events` and one entry in `shoal.accounting.kinds`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import Any

from shoal.accounting.quantities import Unit
from shoal.accounting.release_loss import ReleaseLoss
from shoal.errors import PriceError
from shoal.events import Event
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
"""What one release costs in a unit; None where no finite number is known to be right."""

_REMEMBERED = 1 << 15


@dataclass(frozen=True, kw_only=True)
class KindOfEvent:
    """One kind of event, as accounting sees it.  Every part may be left out but the prices or
    `unfold`.

    ``prices`` are the rules, by measure: pure functions that neither add, repeat nor group.  Where
    a measure has none, the price follows by the conversions of `shoal.measures` from those it has.
    ``unfold`` writes an event as others that cost at least as much in every measure,
    ``unfolds_exactly`` says that they cost no more.  ``loss`` is the loss of a release for a group
    of so many; without it, that of the worst release of its epsilon.  ``loss_of_changes`` is the
    loss where so many rows change, of a kind that holds for rows that come and go: without it, a
    change is any two of its steps.  ``for_group`` is an event whose price is that of this one for a
    group; None where only the theorems in general help, which hold up to ``largest_group``, the
    most who can be in one.  ``relation`` is the only one for which the kind holds, where it does
    not leave that to the event.  ``has_normal_loss`` says that the loss is normal, with the price
    in `GaussianDP`; ``loss`` says whether it is attained.  ``is_symmetric`` says whether the
    divergences of an event are those of two laws that a reflection exchanges, when it is released
    alone from a sample and when it is not.  ``orders`` are Rényi orders at which its curve may
    bend, and which are therefore worth asking.  ``uses_spare_delta`` says that prices depend on
    `Unit.spare`; ``delta_alone`` is then the delta of one release by itself at an epsilon.
    ``without_price`` is the reason why no measure prices it, and what to do.
    """

    prices: Mapping[type[Measure], Rule] = field(default_factory=dict)
    unfold: Callable[[Any], Event] | None = None
    unfolds_exactly: bool = True
    loss: Callable[[Any, int], ReleaseLoss | None] | None = None
    loss_of_changes: Callable[[Any, int], ReleaseLoss | None] | None = None
    for_group: Callable[[Any, int], Event] | None = None
    largest_group: Callable[[Any], int] | None = None
    relation: str | None = None
    has_normal_loss: bool = False
    is_symmetric: Callable[[Any, bool], bool] | None = None
    orders: Callable[[Any], Iterable[Fraction]] | None = None
    uses_spare_delta: bool = False
    delta_alone: Callable[[Any, Fraction], Fraction] | None = None
    without_price: tuple[str, str] | None = None


_kinds: dict[type[Event], KindOfEvent] = {}
_UNKNOWN = KindOfEvent()


def register(event: type[Event], kind: KindOfEvent) -> None:
    """Enter what accounting knows of a kind of event; once for each."""
    if event in _kinds:
        raise TypeError(f"{event.kind!r} is registered already.")
    _kinds[event] = kind


def kind_of(event: Event) -> KindOfEvent:
    """What accounting knows of the kind of an event; nothing of lists, repetitions, groups and
    parts, which `pricing` reads.
    """
    return _kinds.get(type(event), _UNKNOWN)


def is_registered(event: type[Event]) -> bool:
    return event in _kinds


def unfold(event: Event) -> Event:
    """The event itself, or the events it consists of: they cost at least as much in every measure
    and have rules.
    """
    written_out = kind_of(event).unfold
    return event if written_out is None else written_out(event)


def any_inside(event: Event, holds: Callable[[KindOfEvent], bool]) -> bool:
    """Whether something holds for the kind of an event, or of one inside it."""
    if holds(kind_of(event)):
        return True
    inside = [*getattr(event, "events", ()), *filter(None, [getattr(event, "event", None)])]
    return any(any_inside(part, holds) for part in inside)


@lru_cache(maxsize=_REMEMBERED)
def price(event: Event, unit: Unit) -> Fraction | None:
    """What one release costs in a unit, by its own rule or by the least conversion; None: no
    price.
    """
    rule = kind_of(event).prices.get(unit.measure)
    if rule is not None:
        return rule(event, unit)
    if unit.measure is Approx:
        return Fraction(0)
    known = [
        cost for convert in _CONVERSIONS[unit.measure] if (cost := convert(event, unit)) is not None
    ]
    return min(known, default=None)


def _own(event: Event, unit: Unit, measure: type[Measure]) -> Fraction | None:
    rule = kind_of(event).prices.get(measure)
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
    reason = kind_of(event).without_price
    if reason is not None:
        return PriceError(reason[0], remedy=reason[1])
    return PriceError(
        f"an event of kind {event.kind!r} has no price in {unit.measure.__name__}.",
        remedy="Ask in another measure, such as epsilon(delta=...), which finds one.",
    )
