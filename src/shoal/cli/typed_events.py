"""What is typed as events: compact text, a file of it, or JSON."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path

from shoal.errors import EventError
from shoal.events import Composed, Event, read_dp_accounting, read_events, read_opacus

_LOOKS_LIKE_A_FILE = (".json", ".txt", ".shoal", ".events")
_WAYS = "Give compact text such as 'gaussian sigma=1 | x 10', the path of a file, or - for standard input."


class OtherTool(StrEnum):
    """Tools whose descriptions of releases are read."""

    OPACUS = "opacus"
    DP_ACCOUNTING = "dp-accounting"


_READERS = {OtherTool.OPACUS: read_opacus, OtherTool.DP_ACCOUNTING: read_dp_accounting}


def events_from(given: str, tool: OtherTool | None = None) -> Event:
    """The event that an argument of the command means, written for Shoal or printed by another
    tool.
    """
    text = _text(given)
    return events_in(text) if tool is None else _READERS[tool](text)


def events_in(text: str) -> Event:
    """The event in a text: one event or a list of events in JSON, or compact text."""
    start = text.lstrip()[:1]
    if start == "{":
        return Event.from_json(text)
    if start != "[":
        return read_events(text)
    whole = f'{{"shoal_event":1,"kind":"composed","private":true,"relation":null,"events":{text}}}'
    event = Event.from_json(whole)
    assert isinstance(event, Composed)
    return event.events[0] if len(event.events) == 1 else event


def _text(given: str) -> str:
    if given == "-":
        return _decoded(sys.stdin.buffer.read(), "standard input")
    path = Path(given)
    if "\n" not in given and len(given) < 1000 and path.is_file():
        return _decoded(path.read_bytes(), path.name)
    if path.suffix.lower() in _LOOKS_LIKE_A_FILE and " " not in given.strip():
        raise EventError(f"there is no file {given!r}.", remedy=_WAYS)
    return given


def _decoded(content: bytes, name: str) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise EventError(f"{name} is not text in UTF-8.", remedy=_WAYS) from None
