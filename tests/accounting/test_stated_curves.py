"""Promises of several numbers at once: a Rényi curve at some orders, a profile at some epsilons."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from tests.accounting.samples import divergence as divergence_of
from tests.accounting.samples import two_point

from shoal.accounting import account
from shoal.accounting.pricing import total
from shoal.accounting.unit import PURE
from shoal.accounting.unit import divergence as at
from shoal.errors import InputError, PriceError
from shoal.events import Composed, Gaussian, Group, PoissonSampled, Repeated, StatedRenyi
from shoal.measures import Renyi

CURVE = StatedRenyi([2, 4, 8], ["0.1", "0.2", "0.4"])


# a Rényi curve


def test_a_stated_order_costs_what_was_stated() -> None:
    assert [total(CURVE, None, at(Fraction(order))) for order in (2, 4, 8)] == [
        Fraction(1, 10),
        Fraction(1, 5),
        Fraction(2, 5),
    ]


def test_between_stated_orders_the_chord_is_the_price_and_below_the_first_the_first() -> None:
    # (a - 1) D is 0.1 at 2 and 0.6 at 4, so at most 0.35 at 3
    assert total(CURVE, None, at(Fraction(3))) == Fraction(35, 200)
    assert total(CURVE, None, at(Fraction(3, 2))) == Fraction(1, 10)


def test_above_the_last_order_and_in_other_measures_nothing_is_known() -> None:
    assert total(CURVE, None, at(Fraction(9))) is None
    assert total(CURVE, None, PURE) is None
    assert account(CURVE).losses is None
    with pytest.raises(PriceError):
        account(CURVE).cost(Renyi, orders=[9])


@pytest.mark.parametrize("epsilon", [0.3, 2.0])
def test_the_price_is_not_below_the_divergence_of_a_law_that_keeps_the_promise(
    epsilon: float,
) -> None:
    orders = [1.5, 3.0, 20.0]
    stated = [math.nextafter(divergence_of(*two_point(epsilon), order), 9) for order in orders]
    event = StatedRenyi(orders, stated)
    for order in (1.2, 1.5, 2.0, 7.0, 19.0, 20.0):
        price = total(event, None, at(Fraction(order)))
        assert price is not None
        assert divergence_of(*two_point(epsilon), order) <= float(price) * (1 + 1e-12)


@pytest.mark.parametrize("delta", ["1e-9", "1e-5", "0.1"])
def test_the_epsilon_of_a_curve_is_that_of_the_measure(delta: str) -> None:
    found = account(CURVE).epsilon(delta=delta)
    stated = Renyi(dict(zip(CURVE.orders, CURVE.epsilons, strict=True))).to_approx(delta=delta)
    assert found.measure == "Renyi"
    assert found.lower is None
    assert stated.epsilon * (1 - Fraction(1, 10**9)) <= found.epsilon
    assert found.epsilon <= stated.epsilon * (1 + Fraction(1, 1000))


def test_where_the_last_order_is_best_it_is_found_exactly() -> None:
    stated = Renyi(dict(zip(CURVE.orders, CURVE.epsilons, strict=True)))
    assert account(CURVE).epsilon(delta="1e-9").epsilon == stated.to_approx(delta="1e-9").epsilon
    assert account(CURVE).delta(epsilon=3).delta == stated.to_delta(epsilon=3).delta


def test_curves_of_a_gaussian_stated_at_some_orders_add_up_as_its_rho() -> None:
    orders = [Fraction(1) + Fraction(step, 4) for step in range(1, 200)]
    one = StatedRenyi(orders, [order / 200 for order in orders])
    many = account(Repeated(one, 50)).epsilon(delta="1e-6").epsilon
    own = {
        bound.measure: bound.epsilon
        for bound in account(Repeated(Gaussian(10, 1), 50)).all(delta="1e-6")
    }
    assert own["Renyi"] * (1 - Fraction(1, 10**6)) <= many <= own["Renyi"] * Fraction(1001, 1000)


def test_a_group_of_two_needs_the_doubled_order_and_three_times_its_divergence() -> None:
    assert total(Group(CURVE, 2), None, at(Fraction(4))) == 3 * Fraction(2, 5)
    assert total(Group(CURVE, 2), None, at(Fraction(3, 2))) == 3 * Fraction(1, 5)
    assert total(Group(CURVE, 2), None, at(Fraction(9, 2))) is None
    assert total(Group(CURVE, 4), None, at(Fraction(2))) == 9 * Fraction(2, 5)


def test_a_curve_is_sampled_and_joins_other_releases() -> None:
    whole = account(CURVE).cost(Renyi, orders=[2, 4])
    assert account(PoissonSampled(CURVE, "0.01")).cost(Renyi, orders=[2, 4]) < whole
    together = account(Composed([CURVE, Gaussian(5, 1)])).cost(Renyi, orders=[8])
    assert together == Renyi({8: Fraction(2, 5) + Fraction(8, 50)})


@pytest.mark.parametrize(
    ("orders", "epsilons", "says"),
    [
        ([1, 2], [1, 1], "above 1"),
        ([2, 2], [1, 1], "orders must rise"),
        ([4, 2], [1, 1], "orders must rise"),
        ([2, 4], [1], "one number for each of orders; got 1 for 2"),
        ([2, 4], [1, -1], "0 or more"),
        ([], [], "from 1 to"),
    ],
)
def test_what_is_no_curve_is_refused(orders: list[int], epsilons: list[int], says: str) -> None:
    with pytest.raises(InputError, match=says):
        StatedRenyi(orders, epsilons)
