"""A request for a debit, its text, by which it is known again, and its price.

The text and the prices of an event are worked out once, outside of any transaction, so that nobody
waits for them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from json.encoder import encode_basestring_ascii
from typing import Any, NamedTuple

from shoal.accounting import Cost, PrivacyFilter
from shoal.errors import AccountError, ShapeError
from shoal.events import Event
from shoal.ledger.entry import canonical


class Request(NamedTuple):
    """A debit that is asked for: from which accounts, for what, by whom; ``text`` is the body of
    its entry.
    """

    names: tuple[str, ...]
    event: Event
    caller: str
    key: str | None
    same: str | None
    text: str


def request_for(
    names: tuple[str, ...],
    event: Event,
    *,
    caller: str,
    body: Mapping[str, Any],
    key: str | None,
    same: str | None,
) -> Request:
    """A request; equal requests have equal texts, which are canonical JSON."""
    if not isinstance(event, Event):
        raise ShapeError(
            f"what is charged must be an event; got {type(event).__name__}.",
            remedy="Give the event of the mechanism, or one of shoal.events.",
        )
    text = (
        f'{{"accounts":{_names_text(names)},"body":{canonical(body) if body else "{}"},'
        f'"caller":{_quoted(caller)},"event":{known_event(event).text},'
        f'"key":{_quoted(key)},"same":{_quoted(same)}}}'
    )
    return Request(names, event, caller, key, same, text)


def _quoted(word: str | None) -> str:
    return "null" if word is None else encode_basestring_ascii(word)


@lru_cache(maxsize=512)
def _names_text(names: tuple[str, ...]) -> str:
    return canonical(names)


def read_names(names: str | Sequence[str]) -> tuple[str, ...]:
    """The accounts that a charge takes from, each once."""
    if isinstance(names, str):
        return (names,)
    given = tuple(names)
    if not given or len(set(given)) != len(given) or not all(isinstance(n, str) for n in given):
        raise AccountError(
            "a charge needs the names of one or more different accounts.",
            remedy="Give names such as ['visits', 'visits@ana'].",
        )
    return given


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
    """What is known about this very event; while it is remembered its identity is not given to
    another.
    """
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
