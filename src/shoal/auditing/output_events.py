"""Events: sets of outputs, told in words, whose occurrences are counted."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Hashable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from shoal.auditing.outputs import Array, Outputs
from shoal.errors import RangeError

Truths = NDArray[np.bool_]


class OutputEvent(Protocol):
    """A set of outputs."""

    @property
    def text(self) -> str:
        """The set in words."""
        ...

    def happens(self, outputs: Outputs) -> Truths:
        """Which outputs are in it."""
        ...


@dataclass(frozen=True)
class Opposite:
    """Every output that is not in an event."""

    event: OutputEvent

    @property
    def text(self) -> str:
        return f"not ({self.event.text})"

    def happens(self, outputs: Outputs) -> Truths:
        return ~self.event.happens(outputs)


@dataclass(frozen=True)
class Chosen:
    """An event that the caller names: a function that says whether an output is in it, or a set of
    outputs.
    """

    rule: Callable[[Any], Any] | Collection[Any]

    @property
    def text(self) -> str:
        if callable(self.rule):
            name = getattr(self.rule, "__name__", "given")
            return "the given event" if name == "<lambda>" else f"the event {name}"
        return f"one of {_few([repr(each) for each in self.rule])}"

    def happens(self, outputs: Outputs) -> Truths:
        """One by one: an output must not be in the event because of its neighbours."""
        rule = self.rule
        found = (
            (bool(rule(each)) for each in outputs.listed)
            if callable(rule)
            else (each in rule for each in outputs.listed)
        )
        return np.fromiter(found, np.bool_, len(outputs))


def read_event(event: Any) -> OutputEvent:
    """The event that a caller means."""
    if callable(event) or (
        isinstance(event, Collection) and not isinstance(event, str | bytes | Mapping)
    ):
        return Chosen(event)
    raise RangeError(
        f"an event is a function of an output or a set of outputs; got {type(event).__name__}.",
        remedy="Give event=lambda output: output > 3, or event={'yes'}.",
    )


@dataclass(frozen=True)
class Bins:
    """Numbers in some of the bins between ``edges``; the last bin, after all edges, holds what is
    no number, such as no answer.

    Bin i holds the numbers x with edges[i-1] <= x < edges[i]; ``inside`` says which bins are in the
    event.
    """

    edges: Array
    inside: Truths

    @property
    def text(self) -> str:
        parts = [_interval(low, high) for low, high in self.intervals()]
        if self.inside[-1]:
            parts.append("no answer")
        return "output " + _few(parts, most=4, joined=" or ") if parts else "never"

    def intervals(self) -> list[tuple[float, float]]:
        """The event as intervals [low, high), those that touch as one."""
        ends = np.concatenate([[-np.inf], self.edges, [np.inf]])
        found: list[tuple[float, float]] = []
        for place in np.flatnonzero(self.inside[:-1]):
            low, high = float(ends[place]), float(ends[place + 1])
            if found and found[-1][1] == low:
                found[-1] = (found[-1][0], high)
            else:
                found.append((low, high))
        return found

    def happens(self, outputs: Outputs) -> Truths:
        return np.asarray(self.inside[place_numbers(outputs, self.edges)])


def place_numbers(outputs: Outputs, edges: Array) -> NDArray[np.intp]:
    """The bin of each number; see `Bins`."""
    assert outputs.numbers is not None
    places = np.searchsorted(edges, outputs.numbers, side="right")
    return np.where(np.isnan(outputs.numbers), len(edges) + 1, places)


@dataclass(frozen=True)
class Part:
    """An event of one number in each output."""

    name: str
    read: Callable[[Outputs], Outputs]
    event: OutputEvent

    @property
    def text(self) -> str:
        return self.event.text.replace("output", self.name, 1)

    def happens(self, outputs: Outputs) -> Truths:
        return self.event.happens(self.read(outputs))


@dataclass(frozen=True)
class Kinds:
    """Whole outputs out of a list; those that are not listed count as ``others``."""

    inside: frozenset[Hashable]
    known: frozenset[Hashable]
    others: bool

    @property
    def text(self) -> str:
        """In words; kinds that are listed are told by what they are."""
        shown = sorted(map(str, self.inside), key=lambda text: (len(text), text))
        if self.others:
            shown.append("any other output")
        return f"output {_few(shown, most=4, joined=' or ')}" if shown else "never"

    def happens(self, outputs: Outputs) -> Truths:
        found = (
            self.others if key not in self.known else key in self.inside for key in keys_of(outputs)
        )
        return np.fromiter(found, np.bool_, len(outputs))


def keys_of(outputs: Outputs) -> list[str]:
    """One text for each output, equal for equal outputs."""
    return [key_of(each) for each in outputs.listed]


def key_of(output: Any) -> str:
    """A text by which outputs are told apart: equal numbers have one, of whatever type; NaN is no
    answer.

    >>> key_of(3), key_of(3.0), key_of("3"), key_of((True, float("nan")))
    ('3', '3', "'3'", '(1, no answer)')
    """
    match output:
        case None:
            return "no answer"
        case str():
            return repr(str(output))
        case bool() | int() | np.bool_() | np.integer():
            return _whole_key(int(output))
        case float() | np.floating():
            return _number_key(float(output))
        case dict():
            return (
                "{"
                + ", ".join(f"{key!r}: {key_of(output[key])}" for key in sorted(output, key=repr))
                + "}"
            )
        case list() | tuple():
            return "(" + ", ".join(map(key_of, output)) + ")"
        case np.ndarray():
            return key_of(output.tolist())
        case set() | frozenset():
            return "{" + ", ".join(sorted(map(key_of, output))) + "}"
    return repr(output)


def _number_key(number: float) -> str:
    if math.isnan(number):
        return "no answer"
    return _whole_key(int(number)) if number.is_integer() else repr(number)


def _whole_key(number: int) -> str:
    """In decimal digits, but for numbers beyond every float, of which Python writes no more than
    some thousands.
    """
    return repr(number) if number.bit_length() <= 1024 else hex(number)


def _interval(low: float, high: float) -> str:
    if low == -np.inf:
        return "is a number" if high == np.inf else f"< {high:.6g}"
    if high == np.inf:
        return f">= {low:.6g}"
    return f"{low:.6g}" if np.nextafter(low, np.inf) == high else f"in [{low:.6g}, {high:.6g})"


def _few(parts: list[str], *, most: int = 6, joined: str = ", ") -> str:
    """A list that is told by its first parts where it is long."""
    cut = [part if len(part) <= 80 else part[:77] + "..." for part in parts]
    if len(cut) <= most + 1:
        return joined.join(cut)
    return joined.join([*cut[:most], f"{len(cut) - most} more"])
