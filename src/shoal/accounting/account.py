"""An account: events, added up, and what they cost together in any measure."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from shoal.accounting.distributions import losses_of
from shoal.accounting.neighbours import settle
from shoal.accounting.pricing import Bill, bill, first_without_price, total_of
from shoal.accounting.rules.shuffled import shuffled_delta
from shoal.accounting.unit import (
    CONCENTRATED,
    FAILING,
    PURE,
    SQUARED_MU,
    Unit,
    divergence,
    told,
)
from shoal.accounting.ways import Way, ways
from shoal.errors import ConversionError, PriceError
from shoal.events import Composed, Event, Shuffled, read_events
from shoal.exact import Number, closed_unit, exactly, non_negative, root_up, short, turning_point
from shoal.measures import Approx, GaussianDP, Measure, Pure, Renyi, ZeroConcentrated
from shoal.measures.loss import Bracket
from shoal.measures.renyi import read_orders

ORDERS = tuple(Fraction(order) for order in ("1.25", "1.5", 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64))
"""The orders at which a Rényi cost is written down unless others are asked for."""


@dataclass(frozen=True, slots=True, order=True)
class Bound:
    """An epsilon at a delta, and the measure in which it was found; bounds are ordered by epsilon."""

    epsilon: Fraction
    delta: Fraction
    measure: str

    def __str__(self) -> str:
        return f"epsilon {short(self.epsilon)}, delta {short(self.delta)} ({self.measure})"

    def __repr__(self) -> str:
        numbers = f"epsilon={exactly(self.epsilon)}, delta={exactly(self.delta)}"
        return f"Bound({numbers}, measure={self.measure!r})"


def account(events: Event | Iterable[Event] | str, *, relation: str | None = None) -> Account:
    """What events cost together; text is read as `shoal.events.read_events` reads it.

    Guarantee: every number the account gives holds for releases described by the events, made one after
        another and each chosen in view of the answers before it, between neighbours of the relation.
    Needs: events whose noise was not drawn from a seeded source.
    Edges: no events cost nothing.  Without ``relation`` the events must agree on one, those that state none
        counting as stated; with "change", events for rows that come and go are priced for groups of two.
    Reference: each price and each sum names its theorem; see the `rules`, `pricing` and `ways` modules.

    >>> from shoal.events import Gaussian, Repeated
    >>> print(account(Repeated(Gaussian(sigma=30, sensitivity=1), 1000)).epsilon(delta="1e-6"))
    epsilon 5.18904, delta 1e-6 (GaussianDP)
    """
    given = read_events(events) if isinstance(events, str) else events
    whole = given if isinstance(given, Event) else Composed(given)
    return Account(whole, settle(whole, relation))


@dataclass(frozen=True)
class Account:
    """Events added up; made by `account`.

    ``relation`` is the one for which all numbers hold, None where it is whatever the events were made for.
    """

    event: Event
    relation: str | None

    @cached_property
    def lines(self) -> Bill:
        """The releases the events consist of, each with its number."""
        return bill(self.event, self.relation)

    def cost(self, measure: type[Measure], *, orders: Iterable[Number] | None = None) -> Measure:
        """The cost as a value of one measure; `Approx` by the plain sums of epsilons and deltas.

        Edges: a measure in which some event has no price is refused, and so is any but `Approx` where
            some promise has a delta.  ``orders`` are for `Renyi` only.
        """
        if measure is Approx:
            return Approx(self._sum(PURE), told(self._sum(FAILING)))
        if self._sum(FAILING) > 0:
            raise PriceError(
                f"some event may fail with a probability, which {measure.__name__} cannot express.",
                remedy="Ask for cost(Approx), or for epsilon(delta=...).",
            )
        if measure is Pure:
            return Pure(self._sum(PURE))
        if measure is ZeroConcentrated:
            return ZeroConcentrated(self._sum(CONCENTRATED))
        if measure is GaussianDP:
            return GaussianDP(root_up(self._sum(SQUARED_MU)))
        if measure is Renyi:
            chosen = ORDERS if orders is None else read_orders(orders)
            return Renyi({order: self._sum(divergence(order)) for order in chosen})
        raise PriceError(
            f"{measure.__name__} is not a measure that events are added up in.",
            remedy="Ask for Pure, Approx, ZeroConcentrated, Renyi or GaussianDP.",
        )

    def epsilon(self, *, delta: Number) -> Bound:
        """The tightest epsilon at a delta, over all measures in which the events have a price."""
        found = self.all(delta=delta)
        if not found:
            raise self._nothing(closed_unit(delta, "delta"))
        return found[0]

    def all(self, *, delta: Number) -> tuple[Bound, ...]:
        """The epsilon at a delta in every measure in which the events have a price, tightest first."""
        target = closed_unit(delta, "delta")
        if target == 1:
            return (Bound(Fraction(0), target, Approx.__name__),)
        found = []
        for way in ways():
            known = [self._epsilon_by(way, target, spare) for spare in self._spares(target)]
            least = min((one for one in known if one is not None), default=None)
            if least is not None:
                found.append(Bound(least, target, way.measure.__name__))
        return tuple(sorted(found, key=lambda bound: bound.epsilon))

    def bracket(self, *, delta: Number) -> Bracket:
        """The epsilon at a delta from the loss distribution itself: two numbers that enclose what is needed.

        Guarantee: as `LossDistribution`; ``high`` is never below the truth and is the tightest promise
            there is where the laws of all releases are known, at the price of a transform.
        Edges: a release of which only a pure price is known counts as randomized response.
        """
        target = closed_unit(delta, "delta")
        lost = told(total_of(self.lines, FAILING))
        losses = losses_of(self.lines, Fraction(0))
        if losses is None or lost == 1 or lost > target:
            raise self._nothing(target)
        return losses.epsilon(delta=(target - lost) / (1 - lost))

    def delta(self, *, epsilon: Number) -> Bound:
        """The tightest delta at an epsilon, over all measures; 1 where nothing is promised."""
        target = non_negative(epsilon, "epsilon")
        found = [
            (self._with_failing(smallest), way)
            for way in ways()
            if (smallest := self._asked(way.delta, target, Fraction(0))) is not None
        ]
        least, way = min(found, key=lambda one: one[0], default=(Fraction(1), None))
        best = Bound(target, least, Approx.__name__ if way is None else way.measure.__name__)
        return self._shuffled_delta(best) if self._shuffles else best

    def _epsilon_by(self, way: Way, target: Fraction, spare: Fraction) -> Fraction | None:
        lost = told(total_of(self.lines, FAILING.with_spare(spare)))
        if lost > target:
            return None
        return self._asked(way.epsilon, (target - lost) / (1 - lost), spare)

    def _asked(
        self,
        question: Callable[[Bill, Fraction, Fraction], Fraction | None],
        number: Fraction,
        spare: Fraction,
    ) -> Fraction | None:
        try:
            return question(self.lines, number, spare)
        except ConversionError:  # no finite epsilon at delta 0 in this measure
            return None

    def _spares(self, delta: Fraction) -> list[Fraction]:
        """What each shuffled release may use of delta: nothing, or its share of half of it.

        One shuffled release by itself may use all of it.
        """
        if not self._shuffles or delta == 0:
            return [Fraction(0)]
        alone = sum(self.lines.values()) == 1
        return [Fraction(0), delta if alone else delta / (2 * self._shuffles)]

    def _shuffled_delta(self, plain: Bound) -> Bound:
        """The least delta at which shuffled releases, given shares of it, meet the epsilon."""

        def misses(delta: Fraction) -> bool:
            if delta >= plain.delta:
                return False
            found = self.all(delta=delta)
            return not found or found[0].epsilon > plain.epsilon

        [line, *more] = self.lines
        if not more and self.lines[line] == line.size == 1 and isinstance(line.event, Shuffled):
            known = shuffled_delta(line.event, plain.epsilon)
            return min(plain, Bound(plain.epsilon, known, Approx.__name__), key=lambda b: b.delta)
        if plain.delta == 0 or misses(plain.delta * _HAIR):
            return plain
        if not misses(_LEAST_DELTA):
            least = _LEAST_DELTA
        else:
            _, least = turning_point(misses, start=plain.delta / 2, bits=6)
        return Bound(plain.epsilon, least, self.all(delta=least)[0].measure)

    @cached_property
    def _shuffles(self) -> int:
        return sum(times for line, times in self.lines.items() if _holds_shuffle(line.event))

    def _with_failing(self, delta: Fraction) -> Fraction:
        lost = told(total_of(self.lines, FAILING))
        return lost + (1 - lost) * delta

    def _sum(self, unit: Unit) -> Fraction:
        cost = total_of(self.lines, unit)
        if cost is None:
            raise first_without_price(self.lines, unit)
        return cost

    def _nothing(self, delta: Fraction) -> PriceError:
        return PriceError(
            f"the events together promise nothing at delta {short(delta)}.",
            remedy="Ask with a larger delta, or look for the event whose own delta is too large.",
        )


_LEAST_DELTA = Fraction(1, 10**30)
_HAIR = 1 - Fraction(1, 2**40)


def _holds_shuffle(event: Event) -> bool:
    if isinstance(event, Shuffled):
        return True
    inside = [*getattr(event, "events", ()), *filter(None, [getattr(event, "event", None)])]
    return any(_holds_shuffle(part) for part in inside)
