"""Adding up: the one place where releases are composed, repeated, grouped and set side by side; for
which neighbours a price holds, and what it costs to hold for others and for groups.

An event states its relation, or leaves it to whoever prices it.  What is private for one row more
or less is private for a row that changes at the price of a group of two: one row goes and another
comes.  The other way round nothing follows: the number of rows may be told exactly when rows only
change.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from flint import arb

from shoal.accounting.quantities import Unit, told
from shoal.accounting.registry import kind_of, no_price, price, unfold
from shoal.errors import PriceError
from shoal.events import Composed, Event, Group, Parallel, RepeatAndSelect, Repeated, StatedPure
from shoal.exact import Number, ball, closed_unit, non_negative, upper, whole
from shoal.measures import Approx, GaussianDP, Pure, Renyi, ZeroConcentrated, pure_divergence_up
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


def group_delta_up(epsilon: Number, delta: Number, *, size: int) -> Fraction:
    """The delta of an (epsilon, delta) promise for a group, at size times epsilon.

    Guarantee: whatever is (ε, δ)-DP is (k ε, δ (e^(k ε) - 1) / (e^ε - 1))-DP for groups of k =
        size, the result rounded up and at most 1.  Proof: P_0(S) <= e^ε P_1(S) + δ, and so on k
        times, leaves δ (1 + e^ε + ... + e^((k-1) ε)).
    Needs: epsilon >= 0, 0 <= delta <= 1, size >= 1.
    Edges: epsilon 0 gives k δ; a group of one changes nothing.  The usual k e^((k-1) ε) δ is
        larger.
    Reference: Dwork and Roth 2014, Theorem 2.2, for delta 0; the proof above is complete.

    >>> round(float(group_delta_up(1, "1e-6", size=10)), 6)
    0.012818
    """
    each, risk = non_negative(epsilon, "epsilon"), closed_unit(delta, "delta")
    count = whole(size, "size", at_least=1)
    if count == 1 or risk == 0:
        return risk
    if each == 0:
        return min(Fraction(1), count * risk)
    if each * (count - 1) > 20000:  # no delta that can be given survives such a factor
        return Fraction(1)

    def total() -> arb:
        return ball(risk) * ball(count * each).expm1() / ball(each).expm1()

    return min(Fraction(1), upper(total))


def price_for_group(event: Event, size: int, unit: Unit) -> Fraction | None:
    """What a release costs a group, exactly where its own law tells, else by the theorem for the
    unit.

    Guarantee: noise does not know who moved the value: k steps move it up to k times as far, in the
        norm of its sensitivity, under the same law (`KindOfEvent.for_group`).
    Edges: of the people whose reports were shuffled no more can change than there are.
    """
    kind = kind_of(event)
    if kind.largest_group is not None:
        size = min(size, kind.largest_group(event))
    if size == 1:
        return price(event, unit)
    if kind.for_group is not None:
        return price(kind.for_group(event, size), unit)
    return _by_theorem(event, size, unit)


def _by_theorem(event: Event, size: int, unit: Unit) -> Fraction | None:
    """The theorem for the unit; with a failing mass only the one for (epsilon, delta).

    A failing mass is split off anew for each pair of neighbours, so steps through the laws that are
    left when nothing fails do not connect; k ε and `group_delta_up` do without them.
    """
    if unit.measure is Approx:
        return _failing(event, size, unit)
    if price(event, unit.at(Approx)) != 0:
        epsilon = price(event, unit.at(Pure))
        return None if epsilon is None else price(StatedPure(epsilon * size), unit)
    if unit.measure is Renyi:
        return _divergence(event, size, unit)
    one = price(event, unit)
    if one is None:
        return None
    return one * size if unit.measure is Pure else one * size**2


def _failing(event: Event, size: int, unit: Unit) -> Fraction | None:
    mass, epsilon = price(event, unit), price(event, unit.at(Pure))
    if mass is None or mass == 0:
        return mass
    if epsilon is None:
        return None
    delta = group_delta_up(epsilon, told(mass), size=size)
    return None if delta == 1 else delta


def _divergence(event: Event, size: int, unit: Unit) -> Fraction | None:
    """The least of what the other measures imply for the group, and Mironov's theorem.

    Guarantee: divergence D of order 2^c α, with α >= 2, is divergence 3^c D of order α for groups
        of 2^c, hence for smaller ones; below order 2 the divergence of order 2 is an upper bound.
    Reference: Mironov 2017, Proposition 2, with the order divided by 2^c.
    """
    order = unit.at_order
    doublings = (size - 1).bit_length()
    known = [price(event, unit.at(Renyi, max(order, Fraction(2)) * 2**doublings))]
    known = [None if one is None else one * 3**doublings for one in known]
    pure = price(event, unit.at(Pure))
    if pure is not None:
        known.append(pure_divergence_up(pure * size, order=order))
    for measure, factor in ((ZeroConcentrated, order), (GaussianDP, order / 2)):
        one = price(event, unit.at(measure))
        known.append(None if one is None else one * size**2 * factor)
    return min((one for one in known if one is not None), default=None)


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
