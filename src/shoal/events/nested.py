"""Kinds of event that are made of other events: how these are kept, written and read, and how many
fit.

An event inside another is written as an object of its own, complete with its version and kind.
What is nested is limited when it is made, so that every event can be written and every text that
was written can be read; the same limits hold for text, before anything is built from it.
"""

# ruff: noqa: RUF009 - a parameter is a descriptor, not a shared default value

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from shoal.errors import EventError, RangeError
from shoal.events.event import DEEPEST, LONGEST_TEXT, RELATIONS, Event, read_event, values_of
from shoal.events.parameter import Count, Exact, Parameter, count, exact
from shoal.exact import closed_unit

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


@dataclass(frozen=True)
class Composed(Event, kind="composed"):
    """Releases one after another, from the same data.

    Meaning: the release is the list of the releases that ``events`` describe, made in any order,
        each chosen, within what its event says, in view of the answers before it.
    Fields: ``relation``, where stated, is the one of every part that states one; ``private`` is
        False as soon as that of one part is.
    Edges: no events at all is allowed: nothing was released.
    Reference: Dwork, Kenthapadi, McSherry, Mironov and Naor 2006, for adaptive composition.
    """

    events: Parts = parts()

    def __post_init__(self) -> None:
        check_nesting(self, self.events)


@dataclass(frozen=True)
class Repeated(Event, kind="repeated"):
    """The same kind of release many times, from the same data.

    Meaning: ``count`` releases one after another, each of them described by ``event``, as if
        `Composed` listed it so often.
    Fields: ``relation`` and ``private`` as for `Composed`.
    Reference: as `Composed`.
    """

    event: Part = part()
    count: Count = count(at_least=1)

    def __post_init__(self) -> None:
        check_nesting(self, (self.event,))


@dataclass(frozen=True)
class Parallel(Event, kind="parallel"):
    """Releases from disjoint parts of one dataset.

    Meaning: the rows are divided into parts, each row by a public rule that looks at this row
        alone, and each of ``events`` describes a release that depends on the rows of one part only,
        a different part for each.  What an event says holds between neighbours of the whole
        dataset.
    Fields: ``relation`` and ``private`` as for `Composed`.
    Edges: one row more or less is in one part; a row that changes may leave one part and enter
        another, so two of the releases see it.  A relation that is not stated counts as a change.
    Reference: McSherry 2009, Theorem 4, which is about one row more or less.
    """

    events: Parts = parts()

    def __post_init__(self) -> None:
        check_nesting(self, self.events)


@dataclass(frozen=True)
class Group(Event, kind="group"):
    """A release, seen by a group of people who come, go or change together.

    Meaning: the release that ``event`` describes; neighbours are any two datasets that ``size``
        steps between neighbours of the event connect.
    Fields: ``relation`` and ``private`` as for `Composed`.
    Edges: a group of one changes nothing.
    Reference: Dwork and Roth 2014, Theorem 2.2.
    """

    event: Part = part()
    size: Count = count(at_least=1)

    def __post_init__(self) -> None:
        check_nesting(self, (self.event,))


@dataclass(frozen=True)
class PoissonSampled(Event, kind="poisson_sampled"):
    """A release from a random sample in which each row takes part by the toss of a coin.

    Meaning: each row enters the sample with probability ``rate``, independently of everything; the
        release is the one that ``event`` describes, computed from the sample, which stays secret.
        Neighbours of the sample and of the dataset have one row more or less.
    Fields: ``private`` as for `Composed`; ``relation`` is never "change", here or inside.
    Edges: rate 0 releases nothing about anyone, rate 1 is the event itself.
    Reference: Li, Qardaji and Su 2012; Mironov, Talwar and Zhang 2019.
    """

    event: Part = part()
    rate: Exact = exact(closed_unit)

    def __post_init__(self) -> None:
        check_nesting(self, (self.event,))
        _only_for(self, "add_remove", "the coins hide a row that comes or goes")


@dataclass(frozen=True)
class TruncatedPoissonSampled(Event, kind="truncated_poisson_sampled"):
    """A release from a random sample in which each row takes part by the toss of a coin, cut to a
    largest size.

    Meaning: each row enters the sample with probability ``rate``, independently of everything;
        where more than ``batch`` rows entered, some of them are left out, by any rule, so that
        batch rows remain.  The release is the one that ``event`` describes, computed from what
        remains, which stays secret.  No dataset has more than ``population`` rows.
    Fields: ``population`` is a public bound on the number of rows, not the number itself;
        ``private`` as for `Composed`; ``relation`` is never "change", here or inside.
    Edges: a batch of at least the population is never cut.
    Reference: Chua and others 2024, for batches of a fixed size made from Poisson samples.
    """

    event: Part = part()
    rate: Exact = exact(closed_unit)
    batch: Count = count(at_least=1)
    population: Count = count(at_least=1)

    def __post_init__(self) -> None:
        check_nesting(self, (self.event,))
        _only_for(self, "add_remove", "the coins hide a row that comes or goes")


@dataclass(frozen=True)
class RandomlyAllocated(Event, kind="randomly_allocated"):
    """Releases of which each row takes part in one, chosen at random: balls-and-bins sampling.

    Meaning: each row is put into one of ``steps`` parts, each equally likely, independently of all
        other rows and of everything else; who is in which part stays secret.  There is one release
        for each part, the one that ``event`` describes, computed from the rows of the part, one
        after another and each chosen in view of the answers before it.  Neighbours of a part and of
        the dataset have one row more or less.
    Fields: ``private`` as for `Composed`; ``relation`` is never "change", here or inside.
    Edges: one step is the event itself.  Several passes, each with new parts, are `Repeated`.
    Reference: Chua, Ghazi, Kamath, Kumar, Manurangsi, Sinha and Zhang 2025; Feldman and Shenfeld
        2025.
    """

    event: Part = part()
    steps: Count = count(at_least=1)

    def __post_init__(self) -> None:
        check_nesting(self, (self.event,))
        _only_for(self, "add_remove", "the parts hide a row that comes or goes")


@dataclass(frozen=True)
class SampledWithoutReplacement(Event, kind="sampled_without_replacement"):
    """A release from a random sample of fixed size.

    Meaning: ``sample`` of the ``population`` rows are drawn, each set of so many equally likely;
        the release is the one that ``event`` describes, computed from the sample, which stays
        secret.  Neighbours of the sample and of the dataset have one row with another value.
    Fields: the number of rows is public; ``private`` as for `Composed`; ``relation`` is never
        "add_remove", here or inside.
    Edges: a sample of everything is the event itself.
    Reference: Balle, Barthe and Gaboardi 2018, Theorem 9.
    """

    event: Part = part()
    sample: Count = count(at_least=1)
    population: Count = count(at_least=1)

    def __post_init__(self) -> None:
        check_nesting(self, (self.event,))
        if self.sample > self.population:
            raise RangeError(
                "sample must not be above population.",
                remedy="Choose sample from 1 to population.",
            )
        _only_for(self, "change", "the number of rows is public")


@dataclass(frozen=True)
class SampledWithReplacement(Event, kind="sampled_with_replacement"):
    """A release from rows that are drawn one by one, each from all rows.

    Meaning: ``sample`` times a row is drawn, each time any of the ``population`` rows with the same
        chance, whatever was drawn before; the release is the one that ``event`` describes, computed
        from all draws, which stay secret.  A row that was drawn several times counts several times.
        Neighbours of the draws and of the dataset have one row with another value.
    Fields: the number of rows is public; ``private`` as for `Composed`; ``relation`` is never
        "add_remove", here or inside.
    Edges: there may be more draws than rows.
    Reference: Balle, Barthe and Gaboardi 2018, Section 4.
    """

    event: Part = part()
    sample: Count = count(at_least=1)
    population: Count = count(at_least=1)

    def __post_init__(self) -> None:
        check_nesting(self, (self.event,))
        _only_for(self, "change", "the number of rows is public")


@dataclass(frozen=True)
class Shuffled(Event, kind="shuffled"):
    """The reports of many people, in random order.

    Meaning: each of ``people`` people sends one report, made from this person's value alone by the
        same randomizer, which ``event`` describes for any two values of a person; the reports are
        released in a uniformly random order, and nothing else is.
    Fields: the number of people is public; ``private`` as for `Composed`; ``relation`` is never
        "add_remove", here or inside.
    Edges: one person alone is not hidden by the order.
    Reference: Feldman, McMillan and Talwar 2021 and 2023.
    """

    event: Part = part()
    people: Count = count(at_least=1)

    def __post_init__(self) -> None:
        check_nesting(self, (self.event,))
        _only_for(self, "change", "who sent a report at all is not hidden")


def _only_for(event: Event, relation: str, because: str) -> None:
    """Refuse an event that states the other relation, itself or inside."""
    (other,) = set(RELATIONS) - {relation}
    if other in stated_relations(event):
        raise EventError(
            f"relation must not be {other!r}: {because}.",
            remedy=f"Use relation {relation!r}, or leave it out.",
        )
