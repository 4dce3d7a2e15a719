"""For which neighbours a price holds, and what it costs to hold for others and for groups.

An event states its relation, or leaves it to whoever prices it.  What is private for one row more
or less is private for a row that changes at the price of a group of two: one row goes and another
comes.  The other way round nothing follows: the number of rows may be told exactly when rows only
change.
"""

from __future__ import annotations

from fractions import Fraction

from flint import arb

from shoal.accounting.registry import kind_of, price
from shoal.accounting.unit import Unit, told
from shoal.errors import PriceError
from shoal.events import Composed, Event, Group, Parallel, RepeatAndSelect, Repeated, StatedPure
from shoal.exact import Number, ball, closed_unit, non_negative, upper, whole
from shoal.measures import Approx, GaussianDP, Pure, Renyi, ZeroConcentrated, pure_divergence_up
from shoal.sensitivity import Relation


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
