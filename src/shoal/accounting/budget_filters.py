"""Filters: budgets that are spent adaptively and refuse before harm.

A filter is an object someone is handed; nothing spends from it but its `spend`.  Which event is
asked for next, with which noise, and when to stop may depend on all answers so far.  Each filter
states the theorem under which the whole interaction then keeps the budget.  All sums are exact.
Threads may share a filter; processes and copies may not (`owned.md`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from fractions import Fraction
from threading import Lock
from typing import Any, ClassVar, Self

from shoal.accounting.budget_refusals import more_than_is_left
from shoal.accounting.pricing import Bill, bill, first_without_price, settle, total_of
from shoal.accounting.quantities import (
    CONCENTRATED,
    FAILING,
    PURE,
    Cost,
    Unit,
    added_up,
    sum_from_text,
    sum_to_text,
)
from shoal.errors import BudgetExceeded, EventError, PriceError, RangeError, ShapeError
from shoal.events import Event
from shoal.exact import Number, exactly
from shoal.measures import Approx, Measure, Pure, ZeroConcentrated
from shoal.owned import Owned
from shoal.sensitivity import Relation

State = Mapping[str, Any]
"""What a filter has spent, as plain JSON values."""


class PrivacyFilter(Owned, ABC):
    """What every filter does: say whether an event fits, and spend on it or refuse.

    ``relation`` is the one for which the budget is kept; without it the events must agree on one.
    Wherever an event is asked for, its `price` may be given instead, so that it is worked out once.
    Edges: a forked child, a copy and a pickle of a filter are refused.  Whoever writes a `state`
        down and restores it must see to it that only one filter goes on from there; the ledger
        does.
    """

    called = "a filter"

    def __init__(self, *, relation: str | None = None) -> None:
        self.relation = None if relation is None else str(Relation.read(relation, "relation"))
        self._met = self.relation
        self._kept_sums: tuple[Fraction | None, ...] = ()
        self._lock = Lock()

    @property
    def _turn(self) -> Lock:
        self._check_owner()
        return self._lock

    @property
    def _sums(self) -> tuple[Fraction | None, ...]:
        """The one way to what was spent, so that nobody reads or changes it in a forked child."""
        self._check_owner()
        return self._kept_sums

    @_sums.setter
    def _sums(self, sums: tuple[Fraction | None, ...]) -> None:
        self._check_owner()
        self._kept_sums = sums

    def price(self, event: Event) -> Cost:
        """What an event takes from this filter; it does not depend on what was spent."""
        relation = settle(event, self.relation)
        lines = bill(event, relation)
        return Cost(relation, self._amounts(lines), self._alone(lines))

    def would_fit(self, event: Event | Cost) -> bool:
        """Whether `spend` would accept an event now; nothing is spent by asking."""
        cost = self._read(event)
        with self._turn:
            self._check_relation(cost.relation)
            return self._granted(cost) is not None

    def spend(self, event: Event | Cost) -> None:
        """Take the cost of an event from the budget, before the release is made.

        Edges: an event that does not fit is refused with `BudgetExceeded`, which says what was
            asked, what is left and what would still fit; then nothing is spent.
        """
        cost = self._read(event)
        with self._turn:
            self._check_relation(cost.relation)
            after = self._granted(cost)
            if after is None:
                raise self._refusal(cost)
            self._sums = after
            self._met = self._met or cost.relation

    def give_back(self, event: Event | Cost) -> None:
        """Return the cost of an event that was spent on and whose release was never begun.

        Needs: that no data was read for it.  The decision to give up must not depend on data
            either.
        Edges: what had no price stays spent.  No sum falls below 0.
        """
        cost = self._read(event)
        less = Cost(cost.relation, tuple(None if a is None else -a for a in cost.amounts))
        with self._turn:
            self._sums = tuple(
                None if each is None else max(each, Fraction(0)) for each in self._after(less)
            )

    @property
    def sums(self) -> tuple[Fraction | None, ...]:
        """The sums so far, in the order of the amounts of a `Cost`."""
        return self._sums

    def go_back_to(self, sums: tuple[Fraction | None, ...]) -> None:
        """Undo what was spent since the sums were these, because it never took place."""
        with self._turn:
            self._sums = sums

    def state(self) -> State:
        """What was spent, exactly, as plain JSON values; `restored` reads it.

        >>> from shoal.events import StatedPure
        >>> budget = PureFilter(1)
        >>> budget.spend(StatedPure("0.1"))
        >>> budget.state()
        {'relation': None, 'sums': ['1/10']}
        >>> PureFilter(1).restored(budget.state()).left
        Pure(epsilon='0.9')
        """
        with self._turn:
            return {"relation": self._met, "sums": [sum_to_text(each) for each in self._sums]}

    def restored(self, state: State) -> Self:
        """A filter of the same budget and relation that has spent what a state says."""
        made = self._fresh(state)
        sums = state.get("sums")
        if not isinstance(sums, list) or len(sums) != len(made._sums):  # noqa: SLF001 - of its own kind
            raise EventError(
                "the state belongs to a filter of another kind.",
                remedy="Restore it on a filter with the budget it was taken from.",
            )
        made._sums = tuple(sum_from_text(each) for each in sums)  # noqa: SLF001 - of its own kind
        relation = state.get("relation")
        made._met = None if relation is None else str(Relation.read(relation, "relation"))  # noqa: SLF001 - of its own kind
        return made

    @property
    def holds(self) -> bool:
        """Whether what was spent is within the budget; false only after a `restored` from a larger
        one.
        """
        with self._turn:
            return self._allows(self._sums)

    @property
    @abstractmethod
    def spent(self) -> Measure:
        """What has been spent so far, in the measure of the budget."""

    @property
    @abstractmethod
    def left(self) -> Measure:
        """An event of at most this still fits."""

    @abstractmethod
    def odometer(self, *, delta: Number) -> Approx:
        """The (epsilon, delta) spent so far.

        Guarantee: for every epsilon that was fixed in advance, an interaction that is stopped
            before the odometer shows more than this epsilon is (epsilon, delta)-DP, however it was
            chosen.
        """

    @property
    def counts_in(self) -> tuple[object, ...]:
        """Filters that are equal in this give every event the same `price`."""
        return (type(self), self.relation)

    @abstractmethod
    def _fresh(self, state: State) -> Self: ...

    @abstractmethod
    def _amounts(self, lines: Bill) -> tuple[Fraction | None, ...]: ...

    def _alone(self, lines: Bill) -> tuple[Fraction | None, ...]:  # noqa: ARG002 - for those that need it
        return ()

    def _granted(self, cost: Cost) -> tuple[Fraction | None, ...] | None:
        """The sums after an event that fits; None if it does not."""
        after = self._after(cost)
        return after if self._allows(after) else None

    @abstractmethod
    def _allows(self, sums: tuple[Fraction | None, ...]) -> bool: ...

    @abstractmethod
    def _refusal(self, cost: Cost) -> BudgetExceeded: ...

    def _read(self, event: Event | Cost) -> Cost:
        return event if isinstance(event, Cost) else self.price(event)

    def _after(self, cost: Cost) -> tuple[Fraction | None, ...]:
        """What each sum would be; None: more than can be counted."""
        both = zip(self._sums, cost.amounts, strict=True)
        return tuple([None if s is None or a is None else added_up(s, a) for s, a in both])

    def _check_relation(self, relation: str | None) -> None:
        if self._met != relation and self._met is not None and relation is not None:
            raise PriceError(
                f"the budget was spent for the relation {self._met!r}, the event is for {relation!r}.",
                remedy="Make the filter with relation='change', for which both have a price.",
            )


class _SumFilter(PrivacyFilter):
    """A filter whose budget is one number and whose costs add up to it."""

    unit: ClassVar[Unit]
    word: ClassVar[str]

    def __init__(self, budget: Fraction, *, relation: str | None = None) -> None:
        super().__init__(relation=relation)
        self._whole = budget
        self._sums = (Fraction(0),)

    @property
    def _spent(self) -> Fraction:
        (spent,) = self._sums
        assert spent is not None
        return spent

    def _fresh(self, state: State) -> Self:  # noqa: ARG002
        return type(self)(self._whole, relation=self.relation)

    def _amounts(self, lines: Bill) -> tuple[Fraction | None, ...]:
        cost, failing = total_of(lines, self.unit), total_of(lines, FAILING)
        if cost is None or failing is None:
            raise first_without_price(lines, FAILING if failing is None else self.unit)
        if failing > 0:
            raise PriceError(
                "the event may fail with a probability, which this budget cannot express.",
                remedy="Use a RenyiFilter with a reserve for such events.",
            )
        return (cost,)

    def _allows(self, sums: tuple[Fraction | None, ...]) -> bool:
        return sums[0] is not None and sums[0] <= self._whole

    def _refusal(self, cost: Cost) -> BudgetExceeded:
        (needed,) = cost.amounts
        assert needed is not None
        left = self._whole - self._spent
        return more_than_is_left(needed, left, self._whole, word=self.word)


class PureFilter(_SumFilter):
    """A budget of pure epsilon.

    Guarantee: whatever is spent, the interaction is epsilon-DP for the budget's epsilon: given all
        answers so far the next loss is at most the next epsilon, so on every path the losses sum to
        at most the budget.
    Needs: events with a pure price.
    Edges: exact: ten times 0.1 fit 1, and nothing that costs fits afterwards.
    Reference: Rogers, Roth, Ullman and Vadhan 2016, Theorem 3.6.

    >>> from shoal.events import StatedPure
    >>> budget = PureFilter(1)
    >>> for _ in range(10):
    ...     budget.spend(StatedPure(0.1))
    >>> budget.would_fit(StatedPure("5e-324")), budget.left
    (False, Pure(epsilon=0))
    """

    unit = PURE
    word = "epsilon"

    def __init__(self, budget: Number | Pure, *, relation: str | None = None) -> None:
        self.budget = Pure(budget.epsilon if isinstance(budget, Pure) else budget)
        super().__init__(self.budget.epsilon, relation=relation)

    @property
    def spent(self) -> Pure:
        return Pure(self._spent)

    @property
    def left(self) -> Pure:
        return Pure(self._whole - self._spent)

    def odometer(self, *, delta: Number = 0) -> Approx:
        """The (epsilon, delta) spent so far; at delta 0 the plain sum.  See
        `PrivacyFilter.odometer`.
        """
        return self.spent.to_approx(delta=delta)


class ZeroConcentratedFilter(_SumFilter):
    """A budget of zero-concentrated rho.

    Guarantee: whatever is spent, the interaction is rho-zCDP for the budget's rho.  Proof: for each
        order α it is the theorem in `RenyiFilter` with one order and the budget α rho, since an
        event of rho_i has divergence at most α rho_i.
    Needs: events with a zero-concentrated price.
    Edges: exact, as `PureFilter`.
    Reference: Feldman and Zrnic 2021, Theorem 3.1.

    >>> from shoal.events import Gaussian
    >>> budget = ZeroConcentratedFilter("0.5")
    >>> budget.spend(Gaussian(sigma=2, sensitivity=1))
    >>> print(budget.left, "|", budget.odometer(delta="1e-6"))
    zero-concentrated, rho 0.375 | epsilon 2.4191, delta 1e-6
    """

    unit = CONCENTRATED
    word = "rho"

    def __init__(self, budget: Number | ZeroConcentrated, *, relation: str | None = None) -> None:
        given = budget.rho if isinstance(budget, ZeroConcentrated) else budget
        self.budget = ZeroConcentrated(given)
        super().__init__(self.budget.rho, relation=relation)

    @property
    def spent(self) -> ZeroConcentrated:
        return ZeroConcentrated(self._spent)

    @property
    def left(self) -> ZeroConcentrated:
        return ZeroConcentrated(self._whole - self._spent)

    def odometer(self, *, delta: Number) -> Approx:
        """The (epsilon, delta) spent so far.  See `PrivacyFilter.odometer`."""
        return self.spent.to_approx(delta=delta)


def filter_for(budget: Measure, *, relation: str | None = None) -> PrivacyFilter:
    """The filter that keeps a budget; half of the delta of an approximate one is its reserve.

    A mechanism that was made for the whole budget, by its ``for_budget``, fits a filter that has
    spent nothing.

    >>> print(round(float(filter_for(Approx(1, "1e-6")).left.rho), 5))
    0.02044
    """
    if isinstance(budget, Pure):
        return PureFilter(budget, relation=relation)
    if isinstance(budget, ZeroConcentrated):
        return ZeroConcentratedFilter(budget, relation=relation)
    if isinstance(budget, Approx) and budget.delta == 0:
        raise RangeError(
            f"an approximate budget needs a delta above 0; got {budget}.",
            remedy=f"Give shoal.Pure({exactly(budget.epsilon)}), which is the same promise.",
        )
    if isinstance(budget, Approx):
        from shoal.accounting.renyi_filter import RenyiFilter  # noqa: PLC0415 - a filter of this file

        return RenyiFilter(budget, reserve=budget.delta / 2, relation=relation)
    raise ShapeError(
        f"a budget must be Pure, Approx or ZeroConcentrated; got {type(budget).__name__}.",
        remedy="Give budget=shoal.Approx(3, '1e-7'), for example.",
    )
