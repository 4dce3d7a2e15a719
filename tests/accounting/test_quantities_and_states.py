"""What a filter spent can be written down and read back, exactly, and stays short."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.accounting import PrivacyFilter, PureFilter, RenyiFilter, ZeroConcentratedFilter
from shoal.accounting.quantities import ODD_BITS, added_up, sum_from_text, sum_to_text
from shoal.errors import EventError
from shoal.events import Event, Gaussian, Laplace, StatedApprox, StatedPure, StatedZeroConcentrated
from shoal.measures import Approx, Pure, ZeroConcentrated

MAKERS: dict[str, Callable[[], PrivacyFilter]] = {
    "pure": lambda: PureFilter(1, relation="add_remove"),
    "zero concentrated": lambda: ZeroConcentratedFilter(1),
    "renyi": lambda: RenyiFilter(Approx(1, "1e-6"), reserve="1e-7"),
    "renyi with orders": lambda: RenyiFilter(Approx(3, "1e-6"), orders=[16, 3, "20/3"]),
}
EVENTS: list[Event] = [Laplace(20, 1), StatedPure("1/7"), StatedPure("1e-300")]
every_filter = pytest.mark.parametrize("name", MAKERS)


def through_text(state: Any) -> Any:
    """As it comes back from storage that sorts names."""
    return json.loads(json.dumps(state, sort_keys=True))


@every_filter
def test_a_restored_filter_is_where_the_first_was(name: str) -> None:
    first = MAKERS[name]()
    for event in EVENTS:
        first.spend(event)
    again = MAKERS[name]().restored(through_text(first.state()))
    assert again.state() == first.state()
    assert again.odometer(delta="1e-6") == first.odometer(delta="1e-6")
    assert (again.spent, again.left, again.holds) == (first.spent, first.left, True)
    for event in [*EVENTS, StatedPure("0.6")]:
        assert again.would_fit(event) == first.would_fit(event)
        if first.would_fit(event):
            first.spend(event)
            again.spend(event)
    assert again.state() == first.state()


@every_filter
def test_a_price_is_worked_out_once_and_spent_like_the_event(name: str) -> None:
    one, other = MAKERS[name](), MAKERS[name]()
    cost = one.price(Laplace(20, 1))
    assert one.would_fit(cost)
    one.spend(cost)
    other.spend(Laplace(20, 1))
    assert one.state() == other.state()


@every_filter
def test_what_is_given_back_is_as_if_never_spent(name: str) -> None:
    budget = MAKERS[name]()
    budget.spend(StatedPure("1/7"))
    before = budget.state()
    budget.spend(Laplace(20, 1))
    assert budget.state() != before
    budget.give_back(Laplace(20, 1))
    assert budget.state() == before


def test_what_could_not_be_counted_is_not_given_back() -> None:
    budget = RenyiFilter(Approx(1, "1e-6"), orders=[2, 16], reserve="1e-7")
    before = budget.odometer()
    budget.spend(StatedApprox("0.1", "1e-8"))
    budget.give_back(StatedApprox("0.1", "1e-8"))
    assert budget.odometer() == before
    assert budget.state()["sums"][0] == "0"


def test_orders_are_those_of_the_state_however_they_are_found_today() -> None:
    first = RenyiFilter(Approx(1, "1e-6"), orders=[5, 50])
    first.spend(Gaussian(50, 1))
    again = RenyiFilter(Approx(1, "1e-6")).restored(first.state())
    assert again.orders == (Fraction(5), Fraction(50))
    assert again.odometer() == first.odometer()


def test_a_filter_restored_under_a_smaller_budget_says_that_it_does_not_hold() -> None:
    first = PureFilter(1)
    first.spend(StatedPure("0.5"))
    assert PureFilter("0.5").restored(first.state()).holds
    assert not PureFilter("0.4").restored(first.state()).holds


@pytest.mark.parametrize(
    "state",
    [
        {},
        {"sums": ["1/2", "1/2"]},
        {"sums": ["a"]},
        {"sums": ["1/0"]},
        {"sums": "1"},
    ],
)
def test_a_state_of_something_else_is_refused(state: dict[str, Any]) -> None:
    with pytest.raises(EventError):
        PureFilter(1).restored(state)


@pytest.mark.parametrize(
    "shares", [None, [], [["2", "1/2"], ["2", "1/2"]], [["1", "1"]], [["2", "2"]], [["x", "1"]], {}]
)
def test_orders_that_cannot_be_are_refused(shares: object) -> None:
    state = {"relation": None, "sums": ["0", "0"], "shares": shares}
    with pytest.raises(EventError):
        RenyiFilter(Approx(1, "1e-6")).restored(state)


# sums of very many costs


def odd_bits(number: Fraction) -> int:
    below = number.denominator
    for prime in (2, 5):
        while below % prime == 0:
            below //= prime
    return below.bit_length()


@pytest.mark.slow
def test_a_million_millionths_are_one() -> None:
    sum_, cost = Fraction(0), Fraction(1, 10**6)
    for _ in range(10**6):
        sum_ = added_up(sum_, cost)
    assert sum_ == 1


def test_decimals_are_added_exactly_however_small() -> None:
    sum_ = Fraction(0)
    for power in (1, 300, 5000, 7, 4999):
        sum_ = added_up(sum_, Fraction(1, 10**power))
    assert sum_ == sum(Fraction(1, 10**power) for power in (1, 300, 5000, 7, 4999))
    assert sum_from_text(sum_to_text(sum_)) == sum_


def test_sums_of_unlike_fractions_stay_short_and_are_never_below_the_truth() -> None:
    sum_ = truth = Fraction(0)
    for number in range(1, 800):
        cost = Fraction(number, 7919 * number + 104729)
        sum_, truth = added_up(sum_, cost), truth + cost
    assert truth.denominator.bit_length() > 10_000
    assert odd_bits(sum_) <= ODD_BITS
    assert sum_.denominator.bit_length() < 1000
    assert 0 < sum_ - truth < truth / 2**120


@pytest.mark.slow
@given(
    st.lists(st.fractions(0, 1, max_denominator=10**40), min_size=1, max_size=12),
)
def test_a_sum_is_never_below_the_truth_and_gives_back_no_more_than_it_took(
    costs: list[Fraction],
) -> None:
    sum_ = Fraction(0)
    for cost in costs:
        sum_ = added_up(sum_, cost)
    assert sum_ >= sum(costs)
    for cost in costs:
        sum_ = added_up(sum_, -cost)
    assert sum_ >= 0
    assert odd_bits(sum_) <= ODD_BITS


def test_both_other_measures_say_what_is_left() -> None:
    rho = ZeroConcentratedFilter("0.5")
    rho.spend(StatedZeroConcentrated("0.2"))
    assert (rho.spent, rho.left) == (ZeroConcentrated("0.2"), ZeroConcentrated("0.3"))
    renyi = RenyiFilter(Approx(1, "1e-6"))
    renyi.spend(StatedPure("0.1"))
    assert renyi.would_fit(StatedZeroConcentrated(renyi.left.rho))
    assert renyi.spent == renyi.odometer()
    assert isinstance(PureFilter(1).left, Pure)
