"""An account: events, added up, and what they cost together in any measure."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property

from shoal.accounting.bill_loss import bill_loss, has_own_loss
from shoal.accounting.converters import Way, ways
from shoal.accounting.failure_probability import deltas_of, some_fails_down, some_fails_up
from shoal.accounting.pricing import OWN, Bill, bill, first_without_price, settle, total_of
from shoal.accounting.quantities import (
    CONCENTRATED,
    FAILING,
    PURE,
    SQUARED_MU,
    Unit,
    divergence,
    told,
)
from shoal.accounting.registry import any_inside, kind_of
from shoal.accounting.release_loss import ReleaseLoss
from shoal.errors import ConversionError, PriceError
from shoal.events import (
    Composed,
    Event,
    read_events,
)
from shoal.exact import Number, closed_unit, exactly, non_negative, root_up, short, turning_point
from shoal.loss import TOLERANCE, Bracket, LossDistribution
from shoal.measures import (
    Approx,
    GaussianDP,
    Measure,
    Pure,
    Renyi,
    ZeroConcentrated,
    gaussian_delta_down,
    gaussian_delta_up,
    gaussian_epsilon_up,
)
from shoal.measures.renyi import read_orders

ORDERS = tuple(Fraction(order) for order in ("1.25", "1.5", 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64))
"""The orders at which a Rényi cost is written down unless others are asked for."""


@dataclass(frozen=True, slots=True, order=True)
class Bound:
    """An epsilon at a delta, and the measure in which it was found; bounds are ordered by epsilon.

    ``lower`` is an epsilon below which nobody can promise anything at this delta, where that is
    known.
    """

    epsilon: Fraction
    delta: Fraction
    measure: str
    lower: Fraction | None = field(default=None, compare=False)

    def is_within(self, width: float) -> bool:
        """Whether nobody can promise less by more than this."""
        return self.lower is not None and self.epsilon - self.lower <= width

    def __str__(self) -> str:
        return f"epsilon {short(self.epsilon)}, delta {short(self.delta)} ({self.measure})"

    def __repr__(self) -> str:
        numbers = f"epsilon={exactly(self.epsilon)}, delta={exactly(self.delta)}"
        return f"Bound({numbers}, measure={self.measure!r})"


def account(events: Event | Iterable[Event] | str, *, relation: str | None = None) -> Account:
    """What events cost together; text is read as `shoal.events.read_events` reads it.

    Guarantee: every number the account gives holds for releases described by the events, made one
        after another and each chosen in view of the answers before it, between neighbours of the
        relation.
    Needs: events whose noise was not drawn from a seeded source.
    Edges: no events cost nothing.  Without ``relation`` the events must agree on one, those that
        state none counting as stated; with "change", events for rows that come and go are priced
        for groups of two; with "own", which is the default for text, each is priced for the
        neighbours it was made for.
    Reference: each price and each sum names its theorem; see the `kinds`, `pricing` and
        `converters` modules.

    >>> from shoal.events import Gaussian, Repeated
    >>> print(account(Repeated(Gaussian(sigma=30, sensitivity=1), 1000)).epsilon(delta="1e-6"))
    epsilon 5.18904, delta 1e-6 (GaussianDP)
    """
    if isinstance(events, str):
        events, relation = read_events(events), OWN if relation is None else relation
    whole = events if isinstance(events, Event) else Composed(events)
    return Account(whole, settle(whole, relation))


@dataclass(frozen=True)
class Account:
    """Events added up; made by `account`.

    ``relation`` is the one for which all numbers hold; "own" where it is that of each release, and
    None where the events leave it open.
    """

    event: Event
    relation: str | None

    @cached_property
    def lines(self) -> Bill:
        """The releases the events consist of, each with its number."""
        return bill(self.event, None if self.relation == OWN else self.relation)

    def cost(self, measure: type[Measure], *, orders: Iterable[Number] | None = None) -> Measure:
        """The cost as a value of one measure; `Approx` by the plain sums of epsilons and deltas.

        Edges: a measure in which some event has no price is refused, and so is any but `Approx`
            where some promise has a delta.  ``orders`` are for `Renyi` only.
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

    def plus(self, event: Event) -> Account:
        """The same account after one more release; what was worked out so far is kept.

        >>> from shoal.events import Gaussian
        >>> running = account(Gaussian(sigma=4, sensitivity=1)).plus(Gaussian(sigma=3, sensitivity=1))
        >>> print(running.epsilon(delta="1e-6"))
        epsilon 1.84608, delta 1e-6 (GaussianDP)
        """
        events = self.event.events if isinstance(self.event, Composed) else (self.event,)
        whole = Composed((*events, event))
        # releases for different neighbours stay so, whatever comes
        settled = self.relation == OWN and event.private
        more = Account(whole, OWN if settled else settle(whole, self.relation))
        one = Account(event, self.relation)
        anew = any(loss is not None and loss.only_alone for loss in (self._loss, one._loss))
        if more.relation == self.relation and self._loss is not None and not anew:
            loss = one._loss and self._loss.compose(one._loss)
            lines = Counter(self.lines)
            lines.update(one.lines)
            vars(more).update(
                lines=lines,
                _loss=loss,
                _deltas=_both(self._deltas, one._deltas),
                _pure=_sum_of(self._pure, one._pure),
                _shuffles=self._shuffles + one._shuffles,
            )
            if not more._shuffles:
                vars(more)["_losses_miss_shuffles"] = False
        return more

    def epsilon(self, *, delta: Number) -> Bound:
        """The tightest epsilon at a delta over all measures in which the events have a price.

        Guarantee: `delta` at the epsilon found is not above the delta asked for.
        Edges: where the laws of all releases are known and their sum is told within 0.0001, no
            other measure but the sum of epsilons is asked: none can be lower by more than the
            distance from ``lower``.  For shuffled reports that have no loss of their own, `delta`
            is found by bisection, and can be above the delta asked for by one in fifty.
        """
        target = closed_unit(delta, "delta")
        if self._is_normal and 0 < target < 1:
            return self._in_closed_form(target)
        if (best := self._epsilon_by_losses(target, quickly=True)) is not None:
            return self._at_most_pure(best)
        by_losses = self._epsilon_by_losses(target)
        if by_losses is not None and by_losses.is_within(TOLERANCE):
            return self._at_most_pure(by_losses)
        found = self._all(target, by_losses)
        if not found:
            raise self._nothing(target)
        best = self._met_on_the_way_back(found[0])
        known = [min(bound.lower, best.epsilon) for bound in found if bound.lower is not None]
        return replace(best, lower=max(known, default=None))

    def all(self, *, delta: Number) -> tuple[Bound, ...]:
        """The epsilon at a delta in every measure in which the events have a price, tightest
        first.
        """
        target = closed_unit(delta, "delta")
        return self._all(target, self._epsilon_by_losses(target))

    def _all(self, target: Fraction, by_losses: Bound | None) -> tuple[Bound, ...]:
        if target == 1:
            return (Bound(Fraction(0), target, Approx.__name__),)
        found = []
        for way in ways():
            known = [self._epsilon_by(way, target, spare) for spare in self._spares(target)]
            least = min((one for one in known if one is not None), default=None)
            if least is not None:
                found.append(Bound(least, target, way.measure.__name__))
        if by_losses is not None:
            found.append(by_losses)
        return tuple(sorted(found, key=lambda bound: bound.epsilon))

    def bracket(self, *, delta: Number) -> Bracket:
        """The epsilon at a delta from the loss distribution itself: two numbers that enclose what
        is needed.

        Guarantee: as `LossDistribution`; ``high`` is never below the truth and is the tightest
            promise there is where the laws of all releases are known, at the price of a transform.
        Edges: a release of which only a pure price is known counts as randomized response; then
            nothing is known from below, and ``low`` is 0.
        """
        target = closed_unit(delta, "delta")
        found = self._bracket(target)
        if found is None:
            raise self._nothing(target)
        return found if self.laws_are_known else Bracket(0.0, found.high)

    def delta(self, *, epsilon: Number) -> Bound:
        """The tightest delta at an epsilon, over all measures; 1 where nothing is promised."""
        target = non_negative(epsilon, "epsilon")
        if self._is_normal:
            return Bound(target, self._normal_delta(target), GaussianDP.__name__)
        by_losses = self._delta_by_losses(target)
        if by_losses is not None and by_losses[1]:
            if self._pure is not None and self._pure <= target:
                return Bound(target, some_fails_up(self._deltas), Pure.__name__)
            return Bound(target, by_losses[0], LossDistribution.__name__)
        found = [
            (self._with_failing(smallest), way.measure.__name__)
            for way in ways()
            if (smallest := self._asked(way.delta, target, Fraction(0))) is not None
        ]
        if by_losses is not None:
            found.append((by_losses[0], LossDistribution.__name__))
        least, name = min(found, key=lambda one: one[0], default=(Fraction(1), Approx.__name__))
        best = Bound(target, least, name)
        return self._shuffled_delta(best) if self._shuffles else best

    @cached_property
    def _deltas(self) -> Counter[Fraction] | None:
        """The failing masses of the releases; None where one promises nothing."""
        return deltas_of(self.lines)

    @cached_property
    def _pure(self) -> Fraction | None:
        """The sum of the epsilons; None where a release has none."""
        return total_of(self.lines, PURE)

    def _at_most_pure(self, found: Bound) -> Bound:
        """The sum of the epsilons where a loss distribution, rounded up, lies above it."""
        if self._pure is None or self._pure >= found.epsilon:
            return found
        lower = None if found.lower is None else min(found.lower, self._pure)
        return Bound(self._pure, found.delta, Pure.__name__, lower)

    @property
    def losses(self) -> LossDistribution | None:
        """The loss distribution, None where some release has neither a loss nor a pure price."""
        return None if self._loss is None else self._loss.distribution

    @cached_property
    def _loss(self) -> ReleaseLoss | None:
        found = bill_loss(self.lines, alone=True)
        if found is None or not any_inside(self.event, lambda kind: not kind.unfolds_exactly):
            return found
        return replace(found, attained=False)  # written as releases that tell more

    @property
    def laws_are_known(self) -> bool:
        """Whether the loss distribution is that of the releases themselves, and not just one above
        it.
        """
        return self._loss is not None and self._loss.attained

    def _bracket(self, target: Fraction, *, quickly: bool = False) -> Bracket | None:
        most, least = some_fails_up(self._deltas), some_fails_down(self._deltas)
        if most == 1 or most > target or self.losses is None:
            return None
        ask = self.losses.quick_epsilon if quickly else self.losses.epsilon
        found = ask(delta=_left(target, most))
        if found is None or most == least:
            return found
        # a product that was rounded: each end of the bracket has its own rounding
        other = ask(delta=_left(target, least))
        return None if other is None else Bracket(min(other.low, found.high), found.high)

    def _epsilon_by_losses(self, target: Fraction, *, quickly: bool = False) -> Bound | None:
        if target in {0, 1} or self._losses_miss_shuffles:
            return None
        if quickly and not self.laws_are_known:
            return None
        found = self._bracket(target, quickly=quickly)
        if found is None or math.isinf(found.high):
            return None
        if quickly and found.width > _NARROW * found.high:
            return None
        lower = Fraction(found.low) if self.laws_are_known else None
        return Bound(Fraction(found.high), target, LossDistribution.__name__, lower)

    def _delta_by_losses(self, epsilon: Fraction) -> tuple[Fraction, bool] | None:
        """What the loss distribution needs at an epsilon, and whether nothing can need noticeably
        less.
        """
        if self._losses_miss_shuffles or self.losses is None:
            return None
        found = self.losses.quick_delta(epsilon=epsilon)
        if found is None:
            found = self.losses.delta(epsilon=epsilon)
            surely = self.laws_are_known and found.high <= _NEARLY * found.low
        else:
            surely = self.laws_are_known
        return self._with_failing(Fraction(found.high)), surely

    @property
    def _is_normal(self) -> bool:
        return bool(self.lines) and all(kind_of(line.event).has_normal_loss for line in self.lines)

    def _in_closed_form(self, delta: Fraction) -> Bound:
        """From the exact sum of mu squared, for normal losses alone."""
        mu = root_up(self._sum(SQUARED_MU))
        exact = _met_on_the_way_back(gaussian_epsilon_up(mu, delta), delta, self._normal_delta)
        near = exact * (1 - _HAIR_BELOW)
        sure = exact > 0 and gaussian_delta_down(mu * (1 - _HAIR_BELOW**2), near) > delta
        lower = (near if sure else Fraction(0)) if self.laws_are_known else None
        return Bound(exact, delta, GaussianDP.__name__, lower)

    def _normal_delta(self, epsilon: Fraction) -> Fraction:
        return gaussian_delta_up(root_up(self._sum(SQUARED_MU)), epsilon)

    def _met_on_the_way_back(self, bound: Bound) -> Bound:
        """The bound with an epsilon at which its own measure needs no more than its delta."""
        way = next((way for way in ways() if way.measure.__name__ == bound.measure), None)
        if (
            way is None or self._shuffles
        ):  # the loss distribution sees to it, and shuffles are asked at many deltas
            return bound

        def needed(epsilon: Fraction) -> Fraction | None:
            found = self._asked(way.delta, epsilon, Fraction(0))
            return None if found is None else self._with_failing(found)

        return replace(bound, epsilon=_met_on_the_way_back(bound.epsilon, bound.delta, needed))

    def _epsilon_by(self, way: Way, target: Fraction, spare: Fraction) -> Fraction | None:
        lost = some_fails_up(deltas_of(self.lines, spare))
        if lost == 1 or lost > target:
            return None
        return self._asked(way.epsilon, _left(target, lost), spare)

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
        delta_alone = kind_of(line.event).delta_alone
        if not more and self.lines[line] == line.size == 1 and delta_alone is not None:
            known = delta_alone(line.event, plain.epsilon)
            return min(plain, Bound(plain.epsilon, known, Approx.__name__), key=lambda b: b.delta)
        if not self._losses_miss_shuffles or plain.delta == 0 or misses(plain.delta * _HAIR):
            return plain
        if not misses(_LEAST_DELTA):
            least = _LEAST_DELTA
        else:
            _, least = turning_point(misses, start=plain.delta / 2, bits=6)
        return Bound(plain.epsilon, least, self.all(delta=least)[0].measure)

    @cached_property
    def _shuffles(self) -> int:
        return sum(
            times
            for line, times in self.lines.items()
            if any_inside(line.event, lambda kind: kind.uses_spare_delta)
        )

    @cached_property
    def _losses_miss_shuffles(self) -> bool:
        """Whether some shuffled release has no loss of its own: counted as a report in order, the
        losses are of no use.

        One shuffle by itself has a price at each delta, which no loss improves.
        """
        if self._shuffles and sum(self.lines.values()) == 1:
            return True
        return any(
            any_inside(line.event, lambda kind: kind.uses_spare_delta) and not has_own_loss(line)
            for line in self.lines
        )

    def _with_failing(self, delta: Fraction) -> Fraction:
        lost = some_fails_up(self._deltas)
        return lost + (1 - lost) * delta

    def _sum(self, unit: Unit) -> Fraction:
        cost = total_of(self.lines, unit)
        if cost is None:
            raise first_without_price(self.lines, unit)
        return cost

    def _nothing(self, delta: Fraction) -> PriceError:
        if delta == 0:
            return PriceError(
                "some of the events have no finite epsilon at delta 0; Gaussian noise has none, for example.",
                remedy="Ask with a delta far below one in the number of people, such as 1e-6.",
            )
        return PriceError(
            f"the events together promise nothing at delta {short(delta)}.",
            remedy="Ask with a larger delta, or look for the event whose own delta is too large.",
        )


_HAIR_BELOW = Fraction(1, 1 << 30)
_NEARLY = 1.01
_FIRST_PAD, _PAD_GROWTH, _PADS = Fraction(1, 1 << 52), 16, 10
_NARROW = 1e-6
_LEAST_DELTA = Fraction(1, 10**30)
_HAIR = 1 - Fraction(1, 2**40)


def _both(
    one: Counter[Fraction] | None, other: Counter[Fraction] | None
) -> Counter[Fraction] | None:
    return None if one is None or other is None else one + other


def _sum_of(one: Fraction | None, other: Fraction | None) -> Fraction | None:
    return None if one is None or other is None else one + other


def _met_on_the_way_back(
    epsilon: Fraction, delta: Fraction, needed: Callable[[Fraction], Fraction | None]
) -> Fraction:
    """The epsilon, or one a hair above it, at which no more than the delta is needed.

    Both ways are rounded up, and a search may end at another order on the way back, so that the
    delta can be missed by a hair.
    """
    high, pad = epsilon, _FIRST_PAD * max(epsilon, _FIRST_PAD)
    for _ in range(_PADS):
        if (found := needed(high)) is not None and found <= delta:
            return high
        high, pad = epsilon + pad, _PAD_GROWTH * pad
    return epsilon


def _left(delta: Fraction, lost: Fraction) -> Fraction:
    """What a delta leaves for the releases that did not tell everything."""
    return (delta - lost) / (1 - lost)
