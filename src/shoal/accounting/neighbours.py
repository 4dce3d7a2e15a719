"""For which neighbours a price holds, and what it takes to hold for others.

An event states its relation, or leaves it to whoever prices it.  What is private for one row more
or less is private for a row that changes at the price of a group of two: one row goes and another
comes.  The other way round nothing follows: the number of rows may be told exactly when rows only
change.
"""

from __future__ import annotations

from shoal.accounting.registry import kind_of
from shoal.errors import PriceError
from shoal.events import Composed, Event, Group, Parallel, RepeatAndSelect, Repeated
from shoal.sensitivity import Relation


def own_relations(event: Event) -> set[str]:
    """The relations for which the parts of an event hold, without those that leave it open."""
    if isinstance(event, Composed | Parallel):
        return {relation for part in event.events for relation in own_relations(part)} | _own(event)
    if isinstance(event, Repeated | Group | RepeatAndSelect):
        return own_relations(event.event) | _own(event)
    only = kind_of(event).relation
    return _own(event) if only is None else {only}


def _own(event: Event) -> set[str]:
    return set() if event.relation is None else {event.relation}


OWN = "own"
"""Each release for the neighbours it was made for: a person's row goes from a sample, and elsewhere
an answer changes.
"""


def settle(event: Event, wanted: str | None) -> str | None:
    """The relation under which an event is priced: the one wanted, or the only one it holds for.

    Guarantee: with "own" the sum holds for any two inputs that are neighbours for every release in
        the sense of that release.
    Edges: a rehearsal, whose noise came from a seeded source, is refused whatever the relation.
    """
    if not event.private:
        raise PriceError(
            "the event describes a rehearsal: noise from a seeded source protects nobody.",
            remedy="Release with Shoal's own source of secret bits, and account for that event.",
        )
    if wanted is not None and wanted != OWN:
        return str(Relation.read(wanted, "relation"))
    found = own_relations(event)
    if wanted == OWN:
        return OWN if len(found) > 1 else next(iter(found), None)
    if len(found) > 1:
        raise PriceError(
            "some of the events hold for rows that come and go, others for rows that change.",
            remedy="Ask with relation='change', for which all of them have a price, or with relation='own', "
            "which prices each for the neighbours it was made for.",
        )
    return next(iter(found), None)


def steps_needed(event: Event, relation: str | None) -> int:
    """Of how many of its own steps one step of the relation asked for consists."""
    own = own_relations(event)
    if relation is None or own <= {relation}:
        return 1
    if relation == Relation.CHANGE:
        return 2
    raise PriceError(
        f"an event of kind {event.kind!r} holds for rows that change, not for rows that come and go.",
        remedy="Ask with relation='change'; the number of rows is then public.",
    )
