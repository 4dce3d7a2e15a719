"""The fully adaptive Rényi filter: an (epsilon, delta) budget, spent in Rényi divergences."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import cached_property
from typing import Self

from flint import arb

from shoal.accounting.bill_loss import bill_loss
from shoal.accounting.budget_filters import PrivacyFilter, State
from shoal.accounting.budget_refusals import more_than_at_any_order, more_than_is_reserved
from shoal.accounting.pricing import Bill, total_of
from shoal.accounting.quantities import (
    CONCENTRATED,
    FAILING,
    PURE,
    SQUARED_MU,
    Cost,
    divergence,
    told,
)
from shoal.errors import BudgetExceeded, CalibrationError, EventError
from shoal.events import (
    Event,
    PoissonSampled,
    SampledWithoutReplacement,
    TruncatedPoissonSampled,
)
from shoal.exact import Number, ball, closed_unit, lower, out_of_range, rational, short, upper
from shoal.measures import (
    Approx,
    ZeroConcentrated,
    gaussian_delta_up,
    pure_delta_up,
    renyi_epsilon_up,
    zero_concentrated_delta_up,
)
from shoal.measures.renyi import read_orders

_FILLED = Fraction(-1)
"""In place of a sum of divergences, none of which is negative: one event alone has filled the
budget.
"""
_SAMPLED = (PoissonSampled, TruncatedPoissonSampled, SampledWithoutReplacement)
_SPREAD = tuple(Fraction(2) ** power for power in (-2, -1, 0, 1, 2))


class RenyiFilter(PrivacyFilter):
    """An (epsilon, delta) budget, for events that are chosen, with their noise, in view of earlier
    answers.

    Guarantee: whatever is spent, the interaction is (epsilon, delta)-DP for the budget.  An event
        is accepted while at least one of finitely many orders α stays within its own budget B_α,
        the divergence that implies epsilon at the share w_α of delta, the shares summing to 1; or
        while pure prices sum to epsilon at most.
        Proof: let L_t be the loss of the first t answers and D_t(α) the sum of their divergences,
        all chosen with the answers before.  Given the past, the average of e^((α-1)(L_t - L_(t-1)))
        under the true data is at most e^((α-1)(D_t(α) - D_(t-1)(α))); so e^((α-1)(L_t - D_t(α))) is
        a supermartingale that begins at 1.  At the end some order is within its budget; let E_α be
        the event that α is the first such.  On E_α, D(α) <= B_α, hence the average of e^((α-1) L)
        over E_α is at most e^((α-1) B_α), and by the bound behind `renyi_delta_up` the average of
        (1 - e^(ε-L))_+ over E_α is at most w_α δ.  The E_α are disjoint and cover everything, so
        the sum over α is at most δ.  With one order it is the theorem of Feldman and Zrnic; the
        shares are the price of not choosing the order in advance.  The sum of pure prices is one
        order more, an infinite one, that needs no share: on the event that it is within epsilon and
        no order is, L <= ε and the average is 0.  The first event that costs anything may also fill
        the whole budget by itself: if its own guarantee, whatever the measure, is (epsilon,
        delta)-DP, it is accepted, and nothing that costs anything after it.  Proof: nothing that
        depends on the data was told before, so whether this case arises does not depend on the
        data.  In it the interaction is one release that is (epsilon, delta)-DP, with releases of
        price 0 beside it, which have the same law for all neighbours.  In the other case the
        argument above holds.
    Needs: events with a Rényi price at one of the orders at least; 0 < delta < 1 of the budget.
    Edges: a mechanism that was made for the whole budget fits it, once: the shares of the orders
        would refuse it.  If the budget is raised later, what comes after it is added up plainly, in
        pure epsilon and failing mass.  Events with a failing mass (a stated delta) spend it from
        ``reserve``, a part of delta set aside.  By default five orders around the one that suits
        Gaussian noise best, which itself has half of delta.
    Reference: Feldman and Zrnic 2021, Theorem 4.3; Lécuyer 2021.

    >>> from shoal.events import Gaussian
    >>> budget = RenyiFilter(Approx(1, "1e-6"))
    >>> spent = 0
    >>> while budget.would_fit(Gaussian(sigma=100, sensitivity=1)):
    ...     budget.spend(Gaussian(sigma=100, sensitivity=1))
    ...     spent += 1
    >>> spent, round(float(budget.odometer().epsilon), 2)
    (431, 1.0)
    """

    def __init__(
        self,
        budget: Approx,
        *,
        orders: Iterable[Number] | None = None,
        reserve: Number = 0,
        relation: str | None = None,
    ) -> None:
        super().__init__(relation=relation)
        self.budget, self.reserve = budget, closed_unit(reserve, "reserve")
        usable = budget.delta - self.reserve
        if not 0 < usable < 1:
            raise out_of_range("delta - reserve", usable, "above 0 and below 1")
        self._parts = (
            _default_shares(budget.epsilon, usable) if orders is None else _equal_shares(orders)
        )
        self._divide(usable)

    @cached_property
    def _shares_text(self) -> tuple[tuple[str, str], ...]:
        return tuple((str(order), str(part)) for order, part in self._parts.items())

    def _divide(self, usable: Fraction) -> None:
        """Give each order its share of delta and the divergence that this implies."""
        epsilon = self.budget.epsilon
        self._shares = {order: part * usable for order, part in self._parts.items()}
        self._budgets = {
            order: most
            for order, share in self._shares.items()
            if (most := _most(order, epsilon, share)) >= 0
        }
        if not self._budgets:
            raise CalibrationError(
                f"{self.budget} leaves nothing to spend at these orders.",
                remedy="Give larger orders, or leave them out.",
            )
        self._sums = (Fraction(0),) * (2 + len(self._shares))

    @property
    def orders(self) -> tuple[Fraction, ...]:
        """The orders in which the filter counts."""
        return tuple(self._shares)

    def odometer(self, *, delta: Number | None = None) -> Approx:
        """The (epsilon, delta) spent so far, at the budget's delta; see `PrivacyFilter.odometer`.

        Edges: another delta cannot be asked for; the shares of the orders were made for this one.
        """
        if delta is not None and closed_unit(delta, "delta") != self.budget.delta:
            raise out_of_range(
                "delta", closed_unit(delta, "delta"), f"{short(self.budget.delta)}, as budgeted"
            )
        with self._turn:
            known = [
                renyi_epsilon_up(spent, order=order, delta=self._shares[order])
                for order, spent in self._by_order.items()
                if spent is not None and spent >= 0
            ]
            pure = self._sums[1]
        known += [] if pure is None else [pure]  # also what one event alone has filled
        return Approx(min(known), self.budget.delta)

    @property
    def spent(self) -> Approx:
        """The (epsilon, delta) spent so far: the odometer."""
        return self.odometer()

    @property
    def left(self) -> ZeroConcentrated:
        """An event of at most this rho still fits."""
        with self._turn:
            return ZeroConcentrated(self._rho_left())

    def state(self) -> State:
        """What was spent at each order, exactly, and the shares of the orders; see
        `PrivacyFilter.state`.
        """
        return {**super().state(), "shares": [list(pair) for pair in self._shares_text]}

    def _fresh(self, state: State) -> Self:
        """The orders and shares are those of the state: how the best ones are found may change."""
        made = type(self).__new__(type(self))
        PrivacyFilter.__init__(made, relation=self.relation)
        made.budget, made.reserve = self.budget, self.reserve
        made._parts = _read_shares(state.get("shares"))  # noqa: SLF001 - of its own kind
        if made._parts == self._parts:  # noqa: SLF001 - of its own kind
            made._shares, made._budgets = self._shares, self._budgets  # noqa: SLF001 - never changed
            made._sums = (Fraction(0),) * (2 + len(self._shares))  # noqa: SLF001 - of its own kind
        else:
            made._divide(self.budget.delta - self.reserve)  # noqa: SLF001 - of its own kind
        return made

    @property
    def counts_in(self) -> tuple[object, ...]:
        """The orders and epsilon too; see `PrivacyFilter.counts_in`."""
        orders = (order for order, _ in self._shares_text)
        return (*super().counts_in, self.budget.epsilon, *orders)

    @property
    def _by_order(self) -> dict[Fraction, Fraction | None]:
        return dict(zip(self._shares, self._sums[2:], strict=True))

    def _amounts(self, lines: Bill) -> tuple[Fraction | None, ...]:
        return (
            total_of(lines, FAILING),
            total_of(lines, PURE),
            *(total_of(lines, divergence(order)) for order in self._shares),
        )

    def _alone(self, lines: Bill) -> tuple[Fraction | None, ...]:
        return (
            total_of(lines, CONCENTRATED),
            total_of(lines, SQUARED_MU),
            self._delta_of_samples(lines),
        )

    def _delta_of_samples(self, lines: Bill) -> Fraction | None:
        """The delta that releases from samples need at the budget's epsilon, by their losses; for
        them rho and mu say little.
        """
        if not any(isinstance(line.event, _SAMPLED) for line in lines):
            return None
        found = bill_loss(lines, alone=True)
        if found is None:
            return None
        losses, epsilon = found.distribution, self.budget.epsilon
        quick = losses.quick_delta(epsilon=epsilon)
        known = losses.delta(epsilon=epsilon) if quick is None else quick
        return Fraction(known.high)

    def _granted(self, cost: Cost) -> tuple[Fraction | None, ...] | None:
        sums = self._sums
        if _was_filled(sums):
            if not any(each != 0 for each in cost.amounts):
                return sums
            after = (*self._after(cost)[:2], *(None for _ in self._shares))
            return after if self._allows(after) else None
        granted = super()._granted(cost)
        if granted is None and not any(each != 0 for each in sums) and self._is_filled_by(cost):
            return (self.budget.delta, self.budget.epsilon, *(_FILLED for _ in self._shares))
        return granted

    def give_back(self, event: Event | Cost) -> None:
        """See `PrivacyFilter.give_back`; one event that filled the whole budget gives all of it
        back.
        """
        cost = self._read(event)
        with self._turn:
            filled = _was_filled(self._sums)
            if filled and any(each != 0 for each in cost.amounts):
                self._sums = (Fraction(0),) * len(self._sums)
            # after a raise, what filled the budget may have cost more than was booked, so nothing
            # comes back
            kept = filled or all(each is None for each in self._sums[2:])
        if not kept:
            super().give_back(cost)

    def _is_filled_by(self, cost: Cost) -> bool:
        """Whether one event by itself keeps the budget, by any of its prices.

        One whose failing mass needs a reserve, and which would take far less than all, is not meant
        to fill the budget.
        """
        failing, pure = cost.amounts[:2]
        if told(failing) > self.reserve and (pure is None or pure < self.budget.epsilon):
            return False
        rho, squared_mu, sampled = cost.alone or (None, None, None)
        epsilon, room = self.budget.epsilon, self.budget.delta - told(failing)
        ways: list[Callable[[], Fraction]] = []
        if pure is not None:
            ways.append(lambda: pure_delta_up(pure, at_epsilon=epsilon))
        if squared_mu is not None:
            ways.append(lambda: gaussian_delta_up(upper(lambda: ball(squared_mu).sqrt()), epsilon))
        if rho is not None:
            ways.append(lambda: zero_concentrated_delta_up(rho, epsilon=epsilon))
        if sampled is not None:
            ways.append(lambda: sampled)
        return failing is not None and room >= 0 and any(way() <= room for way in ways)

    def _allows(self, sums: tuple[Fraction | None, ...]) -> bool:
        if sums[0] is None:
            return False
        if _was_filled(sums) or all(each is None for each in sums[2:]):  # plain composition
            pure = sums[1]
            return (
                told(sums[0]) <= self.budget.delta
                and pure is not None
                and pure <= self.budget.epsilon
            )
        if told(sums[0]) > self.reserve:
            return False
        if sums[1] is not None and sums[1] <= self.budget.epsilon:
            return True
        spent = dict(zip(self._shares, sums[2:], strict=True))
        return any(
            (sum_ := spent[order]) is not None and sum_ <= most
            for order, most in self._budgets.items()
        )

    def _rho_left(self) -> Fraction:
        spent = self._by_order
        return max(
            (
                (most - each) / order
                for order, most in self._budgets.items()
                if (each := spent[order]) is not None and 0 <= each <= most
            ),
            default=Fraction(0),
        )

    def _refusal(self, cost: Cost) -> BudgetExceeded:
        failing = self._after(cost)[0]
        if told(failing) > self.reserve:
            return more_than_is_reserved(told(failing), self.reserve)
        pure = self._sums[1]
        by_epsilons = Fraction(0) if pure is None else self.budget.epsilon - pure
        return more_than_at_any_order(
            self.budget, len(self._budgets), self._rho_left(), by_epsilons
        )


def _was_filled(sums: tuple[Fraction | None, ...]) -> bool:
    """Whether one event alone has filled the budget, which then was (sums[1], sums[0]), and nothing
    that costs came after it.
    """
    return all(each == _FILLED for each in sums[2:])


def _most(order: Fraction, epsilon: Fraction, delta: Fraction) -> Fraction:
    """The largest divergence of an order that implies (epsilon, delta), rounded down.

    It solves `renyi_epsilon_up` for the divergence.
    """

    def most() -> arb:
        logs = ball(delta).log() + ball(order).log()
        return ball(epsilon) + ball(1 / (order - 1)).log1p() + logs / ball(order - 1)

    return lower(most)


def _equal_shares(orders: Iterable[Number]) -> dict[Fraction, Fraction]:
    chosen = sorted(set(read_orders(orders)))
    if not chosen:
        raise CalibrationError("no order was given.", remedy="Give at least one order above 1.")
    return {order: Fraction(1, len(chosen)) for order in chosen}


def _read_shares(given: object) -> dict[Fraction, Fraction]:
    """Pairs of an order and its share, as `state` wrote them."""
    try:
        pairs = [(rational(order, "order"), rational(part, "share")) for order, part in given]  # type: ignore[attr-defined]
    except (TypeError, ValueError):
        pairs = []
    shares = dict(pairs)
    is_whole = 0 < len(pairs) == len(shares) and sum(shares.values()) <= 1
    if not is_whole or any(order <= 1 or part <= 0 for order, part in pairs):
        raise EventError(
            "the state has no orders with shares that sum to 1; it belongs to another filter.",
            remedy="Give what state() returned, unchanged, to a filter with the budget it was taken from.",
        )
    return shares


def _default_shares(epsilon: Fraction, delta: Fraction) -> dict[Fraction, Fraction]:
    """Five orders around the best one for Gaussian noise: t = sqrt(ln(1/δ) / ρ) at the ρ that fills
    ε.
    """
    log = -math.log(max(float(delta), 1e-300)) + math.log(2)
    size = max(float(epsilon), 1e-12)
    t = math.sqrt(log) / (math.sqrt(log + size) - math.sqrt(log))
    middle = max(Fraction(1, 2**8), Fraction(round(t * 2**8), 2**8))
    half = Fraction(1, 2)
    return {1 + middle * factor: half if factor == 1 else half / 4 for factor in _SPREAD}
