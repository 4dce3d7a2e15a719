"""Adding up: the one place where releases are composed, repeated, grouped and set side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from shoal.accounting.neighbours import own_relations, price_for_group, steps_needed
from shoal.accounting.registry import no_price, unfold
from shoal.accounting.unit import Unit
from shoal.errors import PriceError
from shoal.events import Composed, Event, Group, Parallel, Repeated
from shoal.sensitivity import Relation

_LARGEST_SPREAD = 64
"""Groups up to this size are spread over the parts of a `Parallel` in the worst way; larger ones
are refused.
"""


class BillLine(NamedTuple):
    """One kind of release on the bill: an event that has a rule, for a group, under a relation.

    The relation is that of parts side by side, and "change" where the event holds for rows that
    come and go: half of the ``size`` steps are then rows that go, the other half rows that come.
    """

    event: Event
    size: int
    relation: str | None


Bill = Mapping[BillLine, int]
"""How often each line was released."""


@lru_cache(maxsize=1 << 9)
def bill(event: Event, relation: str | None, size: int = 1) -> Bill:
    """The releases an event consists of, each with its number.

    Guarantee: in any unit the event costs the sum over lines of their number times their price:
        adaptive composition in that unit.  A group's price of several releases is the sum of its
        prices of each.
    Needs: a relation that `settle` gave.
    """
    lines: Counter[BillLine] = Counter()
    _write(event, size, 1, relation, lines)
    return lines


def _write(
    event: Event, size: int, times: int, relation: str | None, lines: Counter[BillLine]
) -> None:
    # A list that states its relation says for which neighbours all that is inside is meant.
    relation = event.relation if relation is None else relation
    match unfold(event):
        case Composed() as several:
            for part in several.events:
                _write(part, size, times, relation, lines)
        case Repeated() as repeated:
            _write(repeated.event, size, times * repeated.count, relation, lines)
        case Group() as group:
            _write(group.event, size * group.size, times, relation, lines)
        case Parallel() as parallel:
            lines[_parallel_line(parallel, size, relation)] += times
        case one:
            steps = steps_needed(one, relation)
            lines[BillLine(one, size * steps, relation if steps > 1 else None)] += times


def _parallel_line(event: Parallel, size: int, relation: str | None) -> BillLine:
    """Parts that hold for rows that come and go are priced so, a change being two of these
    steps.
    """
    if relation == Relation.CHANGE and own_relations(event) == {str(Relation.ADD_REMOVE)}:
        return BillLine(event, 2 * size, str(Relation.ADD_REMOVE))
    steps_needed(event, relation)
    return BillLine(event, size, relation)


def total(event: Event, relation: str | None, unit: Unit) -> Fraction | None:
    """What an event costs in a unit; None where one of its releases has no price."""
    return total_of(bill(event, relation), unit)


def total_of(lines: Bill, unit: Unit) -> Fraction | None:
    """The sum over a bill, exactly; None where a line has no price."""
    whole = Fraction(0)
    for line, times in lines.items():
        cost = line_price(line, unit)
        if cost is None:
            return None
        whole += times * cost
    return whole


def line_price(line: BillLine, unit: Unit) -> Fraction | None:
    """What one release of a line costs."""
    if isinstance(line.event, Parallel):
        return _side_by_side(line.event, line.size, line.relation, unit)
    return price_for_group(line.event, line.size, unit)


def first_without_price(lines: Bill, unit: Unit) -> PriceError:
    """Why a bill has no sum in a unit, naming the first line without a price."""
    missing = next(line for line in lines if line_price(line, unit) is None)
    return no_price(missing.event, unit)


def _side_by_side(event: Parallel, size: int, relation: str | None, unit: Unit) -> Fraction | None:
    """The worst way to spread a group over disjoint parts.

    Guarantee: one row more or less is a step in one part; a row that changes is at most a step in
        two.  So k people make at most k steps in each part, and k, or 2 k for changes, in all.
        What no step reaches costs nothing, and what is reached adds up.  The maximum over all ways
        to spread them is found exactly, part after part.
    Edges: for one person that is the dearest part, or the two dearest together.
    Reference: McSherry 2009, Theorem 4.
    """
    if size > _LARGEST_SPREAD:
        return None
    in_all = size if relation == Relation.ADD_REMOVE else 2 * size
    best = [Fraction(0)] * (
        in_all + 1
    )  # the worst cost of at most so many steps, over parts so far
    for part in set(event.events):
        copies = min(event.events.count(part), in_all)
        costs = [total_of(bill(part, relation, steps), unit) for steps in range(1, size + 1)]
        for _ in range(copies):
            for steps in range(in_all, 0, -1):
                for used, cost in enumerate(costs[:steps], start=1):
                    if cost is None:
                        return None
                    best[steps] = max(best[steps], best[steps - used] + cost)
    return best[in_all]
