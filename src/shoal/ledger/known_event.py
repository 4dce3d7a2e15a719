"""What is worked out about an event once, outside of any transaction: its text and its prices."""

from __future__ import annotations

from shoal.accounting import Cost, PrivacyFilter
from shoal.events import Event


class KnownEvent:
    """What is worked out about an event once: its text, and its price in each way of counting."""

    __slots__ = ("costs", "event", "text")

    def __init__(self, event: Event) -> None:
        self.event = event
        self.text = event.to_json()
        self.costs: dict[object, Cost] = {}


_MOST_KNOWN = 512
_KNOWN: dict[int, KnownEvent] = {}


def known_event(event: Event) -> KnownEvent:
    """What is known about this very event; while it is remembered its identity is not given to another."""
    known = _KNOWN.get(id(event))
    if known is None:
        known = KnownEvent(event)
        if len(_KNOWN) >= _MOST_KNOWN:
            _KNOWN.clear()
        _KNOWN[id(event)] = known
    return known


def price(of: PrivacyFilter, event: Event) -> Cost:
    """What an event costs a filter."""
    known, way = known_event(event), of.counts_in
    cost = known.costs.get(way)
    if cost is None:
        cost = known.costs[way] = of.price(event)
    return cost
