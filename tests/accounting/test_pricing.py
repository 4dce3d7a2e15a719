"""Groups, neighbours and disjoint parts."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.accounting.samples import ORDERS, above, discrete_laplace_pair, divergence, normal_pair

from shoal.accounting import account, group_delta_up
from shoal.accounting.pricing import total
from shoal.accounting.quantities import CONCENTRATED, PURE, SQUARED_MU
from shoal.accounting.quantities import divergence as at
from shoal.errors import PriceError, RangeError
from shoal.events import (
    Composed,
    Event,
    Exponential,
    Gaussian,
    Geometric,
    Group,
    Laplace,
    Parallel,
    PoissonSampled,
    RandomizedResponse,
    Repeated,
    SampledWithoutReplacement,
    Shuffled,
    Staircase,
    StatedApprox,
    StatedPure,
    StatedZeroConcentrated,
)
from shoal.measures import Approx, GaussianDP, Pure, Renyi, ZeroConcentrated

some = settings(derandomize=True, deadline=None, max_examples=40)


def added(event: type[Event], *numbers: object) -> Event:
    return event(*numbers, relation="add_remove")


# groups


def test_the_delta_of_a_group_is_the_exact_sum() -> None:
    # ERRATA 8: at epsilon 1 and ten people the factor is 12818, not 81031 or 220265.
    assert round(float(group_delta_up(1, "1e-9", size=10)) * 1e9) == 12818
    assert round(float(group_delta_up("0.5", "1e-6", size=3)), 8) == 5.37e-6


@some
@given(epsilon=st.fractions(0, 3, max_denominator=20), size=st.integers(1, 30))
def test_the_delta_of_a_group_is_a_geometric_sum(epsilon: Fraction, size: int) -> None:
    found = float(group_delta_up(epsilon, "1e-60", size=size)) * 1e60
    truth = sum(math.exp(place * float(epsilon)) for place in range(size))
    assert truth * (1 - 1e-12) <= found <= truth * (1 + 1e-12)
    assert truth <= size * math.exp((size - 1) * float(epsilon)) * (1 + 1e-12)


def test_the_edges_of_the_delta_of_a_group() -> None:
    assert group_delta_up(5, "1e-6", size=1) == Fraction(1, 10**6)
    assert group_delta_up(5, 0, size=100) == 0
    assert group_delta_up(0, "1e-6", size=100) == Fraction(1, 10**4)
    assert group_delta_up(10**9, "1e-6", size=2) == 1
    assert group_delta_up(1, "0.5", size=9) == 1
    with pytest.raises(RangeError, match="size must be a whole number, 1 or more"):
        group_delta_up(1, "0.5", size=0)


@pytest.mark.parametrize("order", ORDERS)
def test_a_group_of_three_under_noise_is_three_times_as_far(order: Fraction) -> None:
    geometric = discrete_laplace_pair(4, 6)
    assert above(
        total(Group(Geometric(4, 2), 3), None, at(order)), divergence(*geometric, float(order))
    )
    gaussian = normal_pair(1.5)
    assert above(
        total(Group(Gaussian(2, 1), 3), None, at(order)), divergence(*gaussian, float(order))
    )


def test_a_group_on_a_stated_lattice_moves_so_many_times_the_steps() -> None:
    for unit in (PURE, CONCENTRATED, *map(at, ORDERS)):
        group = total(Group(Laplace("0.4", "0.2", steps=2), 3), None, unit)
        assert group == total(Laplace("0.4", "0.6", steps=6), None, unit)


def test_the_profile_of_the_mechanism_itself_is_tighter_than_the_sum() -> None:
    # ERRATA 8: Gaussian noise that is (0.5, 1e-6)-DP, three people: 4.88e-6 at 1.5, and 5.37e-6 by
    # the sum.
    alone = account(Gaussian("8.0577", 1)).delta(epsilon="0.5").delta
    assert 0.99e-6 < float(alone) < 1.01e-6
    three = account(Group(Gaussian("8.0577", 1), 3)).delta(epsilon="1.5").delta
    assert 4.8e-6 < float(three) < 4.95e-6 < float(group_delta_up("0.5", alone, size=3))


def test_groups_grow_as_their_measure_says() -> None:
    assert account(Group(StatedPure("0.1"), 5)).cost(Pure) == Pure("0.5")
    assert account(Group(Staircase("0.1", 1, "0.5"), 5)).cost(Pure) == Pure("0.5")
    assert account(Group(StatedZeroConcentrated("0.1"), 5)).cost(ZeroConcentrated) == (
        ZeroConcentrated("2.5")
    )
    assert account(Group(Gaussian(2, 1), 5)).cost(GaussianDP) == GaussianDP("2.5")
    chosen = Group(Exponential("0.2", 1, candidates=3, monotone=True), 5)
    assert account(chosen).cost(ZeroConcentrated) == ZeroConcentrated("1/8")
    stated = account(Group(StatedApprox(1, "1e-9"), 10)).cost(Approx)
    assert stated == Approx(10, group_delta_up(1, "1e-9", size=10))


def test_a_group_adds_nothing_where_any_two_answers_are_neighbours() -> None:
    one = account(RandomizedResponse(3, epsilon=1))
    assert account(Group(RandomizedResponse(3, epsilon=1), 9)).cost(Pure) == one.cost(Pure)


def test_groups_of_samples_follow_the_theorem_for_orders_divided_by_their_size() -> None:
    # ERRATA 46: a group of 2^c costs 3^c times the divergence of order 2^c α, not of order α.
    sampled = PoissonSampled(Gaussian(4, 1), "0.01")
    one = total(sampled, "add_remove", at(Fraction(16)))
    four = total(Group(sampled, 4), "add_remove", at(Fraction(4)))
    assert one is not None
    assert four == 9 * one
    assert total(Group(sampled, 3), "add_remove", at(Fraction(4))) == four
    low = total(Group(sampled, 4), "add_remove", at(Fraction(3, 2)))
    assert low == total(Group(sampled, 4), "add_remove", at(Fraction(2)))


def test_a_failing_mass_leaves_only_the_theorem_for_epsilon_and_delta() -> None:
    sampled = PoissonSampled(StatedApprox(1, "1e-9"), "0.1")
    one = account(sampled).cost(Approx)
    assert isinstance(one, Approx)
    many = account(Group(sampled, 4))
    assert many.cost(Approx) == Approx(
        4 * one.epsilon, group_delta_up(one.epsilon, one.delta, size=4)
    )
    for unit in (CONCENTRATED, SQUARED_MU, *map(at, ORDERS)):
        assert total(Group(sampled, 4), "add_remove", unit) == total(
            StatedPure(4 * one.epsilon), None, unit
        )


def test_the_group_theorem_for_divergences_holds_for_samples_of_gaussian_noise() -> None:
    q, mu = 0.05, 0.5
    x = np.linspace(-20, 20, 20_001)
    base = np.exp(-(x**2) / 2) * (x[1] - x[0]) / math.sqrt(2 * math.pi)
    two = sum(
        weight * np.exp(-((x - k * mu) ** 2) / 2) * (x[1] - x[0]) / math.sqrt(2 * math.pi)
        for k, weight in enumerate([(1 - q) ** 2, 2 * q * (1 - q), q**2])
    )
    for order in (2, 4):
        bound = total(Group(PoissonSampled(Gaussian(2, 1), "0.05"), 2), None, at(Fraction(order)))
        assert bound is not None
        assert divergence(np.asarray(two), base, order) <= float(bound)


# neighbours


def test_a_price_for_rows_that_come_and_go_doubles_for_rows_that_change() -> None:
    event = Laplace(10, 1, relation="add_remove")
    assert account(event).relation == "add_remove"
    assert account(event).cost(Pure) == Pure("0.1")
    assert account(event, relation="change").cost(Pure) == Pure("0.2")
    gaussian = Gaussian(2, 1, relation="add_remove")
    assert account(gaussian, relation="change").cost(GaussianDP) == GaussianDP(1)


def test_a_price_for_rows_that_change_says_nothing_about_rows_that_come_and_go() -> None:
    # ERRATA 13 and 20.
    for event in (
        Laplace(10, 1, relation="change"),
        RandomizedResponse(2, "3/4"),
        Shuffled(RandomizedResponse(2, "3/4"), 100),
        SampledWithoutReplacement(Laplace(1, 1), 1, 2),
    ):
        with pytest.raises(PriceError, match="not for rows that come and go"):
            account(event, relation="add_remove").cost(Pure)


def test_events_for_different_neighbours_are_added_up_only_for_rows_that_change() -> None:
    mixed = [Laplace(10, 1, relation="add_remove"), Laplace(10, 1, relation="change")]
    with pytest.raises(PriceError, match="come and go, others for rows that change") as caught:
        account(mixed)
    assert "relation='change'" in caught.value.remedy
    assert account(mixed, relation="change").cost(Pure) == Pure("0.3")


def test_an_event_without_a_relation_holds_for_the_one_that_is_asked() -> None:
    for relation in (None, "add_remove", "change"):
        assert account(Laplace(10, 1), relation=relation).cost(Pure) == Pure("0.1")
    with pytest.raises(RangeError, match="relation must be"):
        account(Laplace(10, 1), relation="replace")


# disjoint parts


def test_one_row_more_or_less_is_seen_by_the_dearest_part() -> None:
    # ERRATA 7: the four cells of a table cost epsilon for rows that come and go, two for changes.
    cells = [added(Geometric, 10, 1)] * 4
    assert account(Parallel(cells)).cost(Pure) == Pure("0.1")
    assert account(Parallel(cells), relation="change").cost(Pure) == Pure("0.2")


def test_a_row_that_changes_is_seen_by_the_two_dearest_parts() -> None:
    parts = [StatedPure(epsilon, relation="change") for epsilon in (1, 5, 3, 2)]
    assert account(Parallel(parts)).cost(Pure) == Pure(8)
    assert account(Parallel([StatedPure(1), StatedPure(5)])).cost(Pure) == Pure(6)
    assert account(Parallel(parts[:1])).cost(Pure) == Pure(1)
    mu = account(Parallel([Gaussian("1/3", 1, relation="change"), Gaussian("1/4", 1)]))
    assert mu.cost(GaussianDP) == GaussianDP(5)


def test_each_measure_finds_its_own_dearest_part() -> None:
    parts = [added(Gaussian, 1, 1), added(Laplace, "0.5", 1)]
    together = account(Parallel(parts))
    for order in ORDERS:
        prices = [total(part, "add_remove", at(order)) for part in parts]
        cost = together.cost(Renyi, orders=[order])
        assert isinstance(cost, Renyi)
        assert cost.epsilon_at(order) == max(price for price in prices if price is not None)


def test_a_group_spreads_over_parts_in_the_worst_way() -> None:
    parts = [added(StatedPure, 3), added(StatedPure, 2)]
    assert account(Group(Parallel(parts), 3)).cost(Pure) == Pure(9)
    gaussian = [added(Gaussian, 1, 1), added(Gaussian, 1, 1)]
    assert account(Group(Parallel(gaussian), 2)).cost(ZeroConcentrated) == ZeroConcentrated(2)
    changed = [StatedPure(3, relation="change"), StatedPure(2, relation="change")]
    assert account(Group(Parallel(changed), 3)).cost(Pure) == Pure(15)
    three = [RandomizedResponse(2, epsilon=1)] * 9
    assert account(Group(Parallel(three), 2)).cost(Pure) == Pure(4)


@some
@given(
    costs=st.lists(st.integers(1, 9), min_size=1, max_size=4),
    size=st.integers(1, 4),
    relation=st.sampled_from(["add_remove", "change"]),
)
def test_the_worst_spread_is_the_one_found_by_trying_all(
    costs: list[int], size: int, relation: str
) -> None:
    parts = [StatedZeroConcentrated(cost, relation=relation) for cost in costs]
    in_all = size if relation == "add_remove" else 2 * size

    def worst(place: int, left: int) -> int:
        if place == len(costs):
            return 0
        tries = range(min(size, left) + 1)
        return max(costs[place] * used**2 + worst(place + 1, left - used) for used in tries)

    found = total(Group(Parallel(parts), size), relation, CONCENTRATED)
    assert found == worst(0, in_all)


def test_a_part_may_hold_several_releases() -> None:
    part = Composed([StatedPure(1, relation="add_remove"), Repeated(StatedPure(1), 3)])
    assert account(Parallel([part, StatedPure(2)])).cost(Pure) == Pure(4)


def test_a_part_without_a_price_leaves_the_whole_without_one() -> None:
    assert total(Parallel([Gaussian(1, 1), StatedPure(1)]), None, PURE) is None
    assert total(Group(Parallel([StatedPure(1)]), 65), None, PURE) is None
    assert total(Parallel([Gaussian(1, 1), StatedPure(1)]), None, SQUARED_MU) is not None


def test_approximate_parts_take_their_worst_deltas_too() -> None:
    parts = [StatedApprox(1, "1e-6", relation="change"), StatedApprox(2, "1e-7"), StatedPure(3)]
    assert account(Parallel(parts)).cost(Approx) == Approx(5, Fraction(11, 10**7))


@pytest.mark.parametrize(
    ("group", "same"),
    [
        ("rr epsilon=1 | group 2", "rr epsilon=1"),
        ("rr epsilon=1 | shuffled people=1 | group 2", "rr epsilon=1"),
        (
            "rr epsilon=1 | shuffled people=2 | group 5",
            "rr epsilon=1 | shuffled people=2 | group 2",
        ),
    ],
)
def test_a_group_holds_no_more_people_than_answered(group: str, same: str) -> None:
    found = [account(text).epsilon(delta="1e-6").epsilon for text in (group, same)]
    assert found[0] == pytest.approx(found[1], abs=1e-9)
