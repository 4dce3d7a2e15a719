"""An event is a complete, frozen, serialisable description of one release.

What an event promises, and what everyone who adds a kind must keep:

1. *Complete.*  The event alone fixes the family of output laws that neighbouring inputs can have,
   so whatever it costs in any measure follows from it and from nothing else.
2. *Frozen.*  Its numbers are exact and were checked when it was made; it never changes, equal
   events are interchangeable, and equal events have equal text.
3. *For ever.*  The meaning of a kind and of each of its fields never changes once shipped.  A new
   meaning, a new field or a correction is a new kind; an old text is read for ever as what it
   meant.
4. *Silent about data.*  An event holds parameters, which are public, and nothing computed from
   rows.
5. *Honest about noise.*  ``private`` is False when the noise came from a seeded source: such an
   event describes a rehearsal and can never be charged as private.
"""

# ruff: noqa: RUF009 - a parameter is a descriptor, not a shared default value

from __future__ import annotations

import inspect
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any, ClassVar, NoReturn, Self

from shoal.errors import EventError, InputError
from shoal.events.parameter import Flag, Json, OptionalWord, Parameter, flag, optional_word, to_json

VERSION = 1
"""The version of the JSON form that this Shoal writes, and the newest it reads."""

VERSION_KEY = "shoal_event"
KIND_KEY = "kind"
LONGEST_TEXT = 10_000_000
"""Longer text is refused unread: no event needs it."""

DEEPEST = 20
"""So many events may lie inside each other."""

_FORM = 'Give the text that to_json wrote, such as {"kind":"laplace",...,"shoal_event":1}.'

RELATIONS = ("add_remove", "change")
"""The words for which datasets are neighbours, as events write them."""

_kinds: dict[str, type[Event]] = {}
KINDS: Mapping[str, type[Event]] = MappingProxyType(_kinds)
"""Every kind of event by the name it has in JSON."""


@dataclass(frozen=True, kw_only=True)
class Event:
    """One release, described; `Laplace`, `Exponential` and the others are its kinds.

    ``private`` is False when the noise came from a seeded source.  ``relation`` is ``"add_remove"``
    or ``"change"`` when the sensitivity was worked out for these neighbours, and None when it is
    the caller's own claim for neighbours the caller knows.
    """

    kind: ClassVar[str]

    private: Flag = flag(default=True)
    relation: OptionalWord = optional_word(*RELATIONS)

    def __init_subclass__(cls, *, kind: str) -> None:
        if kind in _kinds:
            raise TypeError(f"the kind {kind!r} is taken; a new meaning needs a new name.")
        cls.kind = kind
        _kinds[kind] = cls

    def __post_init__(self) -> None:
        if type(self) is Event:
            raise EventError(
                "Event itself describes no release.",
                remedy=f"Make one of its kinds: {', '.join(sorted(_kinds))}.",
            )

    def to_dict(self) -> dict[str, Json]:
        """The event as plain JSON values, all fields present."""
        values = {name: to_json(value) for name, value in values_of(self).items()}
        return {VERSION_KEY: VERSION, KIND_KEY: self.kind, **values}

    def to_json(self) -> str:
        """The event as canonical text: equal events give equal text.

        Guarantee: ``Event.from_json(event.to_json()) == event``, exactly, in every later version.
        """
        return _canonical(self.to_dict())

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The event that `to_dict` wrote; anything else is refused."""
        event = read_event(data, depth=0)
        if not isinstance(event, cls):
            raise EventError(
                f"the text describes an event of kind {event.kind!r}, not {cls.kind!r}.",
                remedy="Use Event.from_json, which reads every kind.",
            )
        return event

    @classmethod
    def from_json(cls, written: str) -> Self:
        """The event that `to_json` wrote, of whatever kind; anything else is refused.

        Edges: a kind or version this Shoal does not know, a missing, repeated or extra field, a
            value of the wrong type or range, and text that is not JSON are each an `EventError`.
        """
        return cls.from_dict(_object_in(written))


def values_of(event: Event) -> dict[str, Any]:
    """Every field of an event by name, as it is kept."""
    return {name: getattr(event, name) for name in _parameters(type(event))}


def read_event(data: Mapping[str, Any], *, depth: int) -> Event:
    """The event in a mapping that lies so deep inside others; `Event.from_dict` is its public
    face.
    """
    if depth >= DEEPEST:
        raise EventError(
            f"events are nested more than {DEEPEST} deep.",
            remedy="Write repetitions as 'repeated' and lists as one 'composed'.",
        )
    kind = _kind_in(data, version=VERSION, known=_kinds)
    maker = _kinds[kind]
    parameters = _parameters(maker)
    _check_names(data, kind, parameters)
    try:
        values = {
            name: parameter.take_json(data[name], depth=depth)
            for name, parameter in parameters.items()
        }
        return maker(**values)
    except InputError as refusal:
        opening = f"this text of kind {kind!r} describes no event: " if depth == 0 else ""
        raise EventError(f"{opening}{refusal.problem}", remedy=refusal.remedy) from None


def _parameters(kind: type[Event]) -> dict[str, Parameter[Any, Any]]:
    return {field.name: inspect.getattr_static(kind, field.name) for field in fields(kind)}


# the JSON form: one canonical way to write, and a strict way to read


def _canonical(values: Mapping[str, Any]) -> str:
    """Canonical text: sorted names, no spaces, plain ASCII."""
    return json.dumps(values, sort_keys=True, separators=(",", ":"), allow_nan=False)


def _object_in(written: str) -> dict[str, Any]:
    """The JSON object in a text; repeated names, NaN and overlong text are refused."""
    if not isinstance(written, str):
        raise EventError(f"an event is read from text; got {type(written).__name__}.", remedy=_FORM)
    if len(written) > LONGEST_TEXT:
        raise EventError(
            f"the text has {len(written)} characters; an event has at most {LONGEST_TEXT}.",
            remedy="Read one event at a time.",
        )
    try:
        values = json.loads(written, object_pairs_hook=_once, parse_constant=_no_constant)
    except EventError:
        raise
    except (ValueError, RecursionError):
        raise EventError("the text is not JSON.", remedy=_FORM) from None
    if not isinstance(values, dict):
        raise EventError("the text is JSON but not an object.", remedy=_FORM)
    return values


def _kind_in(data: Mapping[str, Any], *, version: int, known: Collection[str]) -> str:
    """The kind that an event's values name, once its version is known to be readable."""
    if not isinstance(data, Mapping):
        raise EventError(f"an event is a mapping; got {type(data).__name__}.", remedy=_FORM)
    written = data.get(VERSION_KEY)
    if type(written) is not int or written < 1:
        raise EventError(f"{VERSION_KEY} must be a version such as {version}.", remedy=_FORM)
    if written > version:
        raise EventError(
            f"the event has version {_shown(written)}; this Shoal reads versions up to {version}.",
            remedy="Read it with a newer Shoal.",
        )
    kind = data.get(KIND_KEY)
    if not isinstance(kind, str) or kind not in known:
        raise EventError(
            f"{KIND_KEY} {_shown(kind)} is not a kind of event that this Shoal knows.",
            remedy=f"Known kinds: {', '.join(sorted(known))}.",
        )
    return kind


def _check_names(data: Mapping[str, Any], kind: str, expected: Collection[str]) -> None:
    """Refuse missing and extra fields."""
    wanted = {VERSION_KEY, KIND_KEY, *expected}
    missing = sorted(wanted.difference(data))
    if missing:
        raise EventError(
            f"an event of kind {kind!r} lacks {', '.join(missing)}.",
            remedy="Give every field; an event is a complete description.",
        )
    extra = sorted(_shown(name) for name in data if name not in wanted)
    if extra:
        raise EventError(
            f"an event of kind {kind!r} has no field {', '.join(extra[:3])}.",
            remedy=f"Its fields are {', '.join(sorted(expected))}.",
        )


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        raise EventError("a name stands twice in the same object.", remedy=_FORM)
    return values


def _no_constant(name: str) -> NoReturn:
    raise EventError(f"{name} is not a number that an event can hold.", remedy=_FORM)


def _shown(value: object) -> str:
    if isinstance(value, int) and value > 10**9:
        return "above 10^9"
    shown = repr(value) if isinstance(value, str | int | None) else type(value).__name__
    return shown if len(shown) <= 40 else shown[:37] + "..."
