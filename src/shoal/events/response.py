"""Kinds of event in which one person's answer was randomised."""

# ruff: noqa: RUF009 - a parameter is a descriptor, not a shared default value

from __future__ import annotations

from dataclasses import dataclass

from shoal.errors import EventError
from shoal.events.event import Event
from shoal.events.nested import (
    Group,
    Parallel,
    Part,
    PoissonSampled,
    RandomlyAllocated,
    SampledWithoutReplacement,
    SampledWithReplacement,
    Shuffled,
    TruncatedPoissonSampled,
    check_nesting,
    part,
    stated_relations,
)
from shoal.events.parameter import Count, Exact, OptionalExact, count, exact, optional_exact
from shoal.exact import closed_unit, non_negative


@dataclass(frozen=True)
class RandomizedResponse(Event, kind="randomized_response"):
    """An answer from k categories, told truthfully with a known probability.

    Meaning: one answer out of ``categories`` is reported as it is with probability p, and as each
        of the other categories with probability (1 - p) / (categories - 1).  Neighbours are any two
        answers of the same person.
    Fields: exactly one of two is given: ``truth``, which is p itself, or ``epsilon``, with
        p = e^epsilon / (e^epsilon + categories - 1), which is not rational.
    Edges: truth 1 and, for two categories, truth 0 hide nothing, and are priced so; epsilon 0 is a
        uniform answer.  The report exists for every person, so neighbours that add or remove a
        person are refused.
    Reference: Warner 1965; Kairouz, Bonawitz and Ramage 2016 for k categories.
    """

    categories: Count = count(at_least=2)
    truth: OptionalExact = optional_exact(closed_unit)
    epsilon: OptionalExact = optional_exact(non_negative)

    def __post_init__(self) -> None:
        if (self.truth is None) == (self.epsilon is None):
            raise EventError(
                "exactly one of truth and epsilon must be given.",
                remedy="Give truth, a probability, or epsilon, from which it follows.",
            )
        if self.relation == "add_remove":
            raise EventError(
                "relation must not be 'add_remove': who sent a report at all is not hidden.",
                remedy="Use relation 'change', or leave it out.",
            )


@dataclass(frozen=True)
class SometimesAnswered(Event, kind="sometimes_answered"):
    """A report that a person sends only with a known probability, by a coin that does not look at
    the value.

    Meaning: with probability ``rate`` the person is asked and sends the report that ``event``
        describes for any two values of this person; otherwise the person sends a fixed "no answer".
        The coin is independent of everything, and whether there was an answer is public.
    Fields: ``private`` as for `Composed`; ``relation`` is never "add_remove", here or inside.
        Samples, shuffles, groups and parts are refused inside: they are about several people.
    Edges: rate 0 tells nothing, rate 1 is the event itself.
    Reference: none is needed; the coin is public and independent of the value.
    """

    event: Part = part()
    rate: Exact = exact(closed_unit)

    def __post_init__(self) -> None:
        check_nesting(self, (self.event,))
        if (kind := _about_several(self.event)) is not None:
            raise EventError(
                f"event must be the report of one person; {kind!r} is about the data of several.",
                remedy="Put 'answered' right behind the report, as in 'rr epsilon=1 | answered q=0.3 | shuffled people=1000'.",
            )
        if "add_remove" in stated_relations(self):
            raise EventError(
                "relation must not be 'add_remove': who was asked at all is not hidden.",
                remedy="Use relation 'change', or leave it out.",
            )


_SEVERAL = (
    Group,
    Parallel,
    PoissonSampled,
    RandomlyAllocated,
    SampledWithReplacement,
    SampledWithoutReplacement,
    Shuffled,
    TruncatedPoissonSampled,
)
"""Kinds that describe releases from the data of several people, so that a group can have more than
one in it.
"""


def _about_several(event: Event) -> str | None:
    """The kind of an event, or of one inside it, that is about several people."""
    if isinstance(event, _SEVERAL):
        return event.kind
    inside = [*getattr(event, "events", ()), *filter(None, [getattr(event, "event", None)])]
    return next((kind for part in inside if (kind := _about_several(part)) is not None), None)
