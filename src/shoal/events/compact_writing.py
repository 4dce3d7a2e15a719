"""Events as compact text, where it can express them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from shoal.errors import EventError
from shoal.events.compact import read_events
from shoal.events.event import Event, values_of
from shoal.events.nested import Composed, Parallel
from shoal.events.vocabulary import FORMS, NOTHING, PARALLEL, Form
from shoal.exact import exactly


def write_events(event: Event) -> str:
    """The compact text of an event.

    Guarantee: ``read_events(write_events(event)) == event``, exactly.
    Edges: a list of one event, and a list that states its own relation, have no compact text and
        are refused; JSON holds every event.

    >>> from shoal.events import Gaussian, PoissonSampled, Repeated
    >>> write_events(Repeated(PoissonSampled(Gaussian(sigma="0.8", sensitivity=1), "0.01"), 10000))
    'gaussian sigma=0.8 | sampled q=0.01 | x 10000'
    """
    text = _events(event)
    if read_events(text) != event:
        raise _unwritten(event)
    return text


def _events(event: Event) -> str:
    if isinstance(event, Composed) and event.events:
        if len(event.events) == 1:
            raise _unwritten(event)
        return " + ".join(_release(part) for part in event.events)
    return _release(event)


def _release(event: Event) -> str:
    if isinstance(event, Composed):
        return f"({_events(event)})" if event.events else NOTHING
    if isinstance(event, Parallel):
        return f"{PARALLEL} ({', '.join(_events(part) for part in event.events)})"
    form = FORMS[type(event)]
    inside = getattr(event, "event", None)
    written = " ".join([form.word, *_values(form, event)])
    return f"{_release(inside)} | {written}" if isinstance(inside, Event) else written


def _values(form: Form, event: Event) -> list[str]:
    values = values_of(event)
    bare = [_value(values[form.bare])] if form.bare else []
    named = [
        f"{name}={_value(values[field])}"
        for name, field in form.names.items()
        if name not in form.squared and not _left_out(form, field, values)
    ]
    return bare + named


def _left_out(form: Form, field: str, values: dict[str, Any]) -> bool:
    if form.word == "laplace" and field == "steps" and values["sensitivity"] == 0:
        return bool(values["steps"] == 0)
    return field in form.standard and bool(values[field] == form.standard[field])


def _value(value: object) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return f"({', '.join(map(_value, value))})"
    if isinstance(value, int | Fraction):
        return exactly(Fraction(value)).strip("'")
    return str(value)


def _unwritten(event: Event) -> EventError:
    return EventError(
        f"this event of kind {event.kind!r} has no compact text.",
        remedy="Write it with to_json, which holds every event.",
    )
