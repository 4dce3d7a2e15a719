"""Events inside events: how they are kept, written and read, and how many fit.

An event inside another is written as an object of its own, complete with its version and kind.
What is nested is limited when it is made, so that every event can be written and every text that
was written can be read; the same limits hold for text, before anything is built from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from shoal.errors import EventError
from shoal.events.event import Event, read_event, values_of
from shoal.events.event_json import DEEPEST, LONGEST_TEXT
from shoal.events.parameter import Parameter

Part = Parameter[Event, Event]
Parts = Parameter[Iterable[Event], tuple[Event, ...]]

_SIZE = "_size"


def part() -> Part:
    """One event inside another."""
    return Parameter(_one, json=(dict,), from_json=_one_from_json)


def parts() -> Parts:
    """Any number of events inside another, in order."""
    return Parameter(_many, json=(list,), from_json=_many_from_json)


def check_nesting(event: Event, inside: Sequence[Event]) -> None:
    """Refuse parts for other neighbours, or too many of them; a rehearsal inside makes all one."""
    if event.relation is not None and stated_relations(event) != {event.relation}:
        raise EventError(
            f"relation is {event.relation!r}, but a part inside states another.",
            remedy="Leave relation out, and say when pricing for which neighbours.",
        )
    if not all(one.private for one in inside):
        event.__dict__["private"] = False
    depth, characters = _size_of(event)
    if depth > DEEPEST:
        raise EventError(
            f"events are nested {depth} deep; at most {DEEPEST} are allowed.",
            remedy="Write repetitions as Repeated and lists as one Composed.",
        )
    if characters > LONGEST_TEXT:
        raise EventError(
            f"the events inside are too many to write: about {characters} characters.",
            remedy="Write equal events as Repeated, or keep the list as several events.",
        )


def stated_relations(event: Event) -> set[str]:
    """Every relation that an event or a part of it states."""
    found = set() if event.relation is None else {event.relation}
    for value in values_of(event).values():
        for one in value if isinstance(value, tuple) else (value,):
            if isinstance(one, Event):
                found |= stated_relations(one)
    return found


def _size_of(event: Event) -> tuple[int, int]:
    """How deep an event is nested, and a number of characters that its text does not exceed."""
    known: tuple[int, int] | None = event.__dict__.get(_SIZE)
    if known is None:
        depth, characters = 0, 100
        for name, value in values_of(event).items():
            inside = value if isinstance(value, tuple) else (value,)
            for one in inside:
                if isinstance(one, Event):
                    below, more = _size_of(one)
                    depth, characters = max(depth, below), characters + more + 1
                else:
                    characters += _characters(one)
            characters += len(name) + 6
        known = event.__dict__[_SIZE] = depth + 1, characters
    return known


def _characters(value: Any) -> int:
    if isinstance(value, str) or value is None or isinstance(value, bool):
        return 20
    bits: int = value.numerator.bit_length() + value.denominator.bit_length()
    return bits * 31 // 100 + 10


def _one(value: Event, name: str) -> Event:
    if not isinstance(value, Event):
        raise EventError(
            f"{name} must be an event; got {type(value).__name__}.",
            remedy="Give what describes the release inside, such as Laplace(scale=10, sensitivity=1).",
        )
    return value


def _many(value: Iterable[Event], name: str) -> tuple[Event, ...]:
    if isinstance(value, Event | str | dict) or not isinstance(value, Iterable):
        raise EventError(
            f"{name} must be a list of events; got {type(value).__name__}.",
            remedy="Give a list, such as [Laplace(scale=10, sensitivity=1)].",
        )
    return tuple(_one(each, f"each of {name}") for each in value)


def _one_from_json(value: Any, name: str, depth: int) -> Event:
    try:
        return read_event(value, depth=depth + 1)
    except EventError as refusal:
        raise EventError(f"{name}: {refusal.problem}", remedy=refusal.remedy) from None


def _many_from_json(value: Any, name: str, depth: int) -> tuple[Event, ...]:
    return tuple(_one_from_json(each, name, depth) for each in value)
