"""The JSON form of events: one canonical way to write, and a strict way to read."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any, NoReturn

from shoal.errors import EventError

VERSION_KEY = "shoal_event"
KIND_KEY = "kind"
LONGEST_TEXT = 10_000_000
"""Longer text is refused unread: no event needs it."""

DEEPEST = 20
"""So many events may lie inside each other."""

_FORM = 'Give the text that to_json wrote, such as {"kind":"laplace",...,"shoal_event":1}.'


def write(values: Mapping[str, Any]) -> str:
    """Canonical text: sorted names, no spaces, plain ASCII."""
    return json.dumps(values, sort_keys=True, separators=(",", ":"), allow_nan=False)


def read(written: str) -> dict[str, Any]:
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


def kind_of(data: Mapping[str, Any], *, version: int, known: Collection[str]) -> str:
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


def check_names(data: Mapping[str, Any], kind: str, expected: Collection[str]) -> None:
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
