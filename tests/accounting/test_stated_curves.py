"""Promises of several numbers at once: a Rényi curve at some orders, a profile at some epsilons."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.accounting.samples import Floats, composed, hockey_stick, two_point
from tests.accounting.samples import divergence as divergence_of

from shoal.accounting import account
from shoal.accounting.pricing import total
from shoal.accounting.quantities import FAILING, PURE
from shoal.accounting.quantities import divergence as at
from shoal.errors import InputError, PriceError
from shoal.events import (
    Composed,
    Gaussian,
    Group,
    PoissonSampled,
    Repeated,
    StatedApprox,
    StatedProfile,
    StatedRenyi,
)
from shoal.loss import atoms_of_profile
from shoal.measures import Approx, Renyi

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


# a profile

PROFILE = StatedProfile(["0.1", "0.5", 1], ["0.02", "1e-4", "1e-9"])


def close(left: float, right: float, within: float = 1e-9) -> bool:
    return abs(left - right) <= within * max(abs(left), abs(right), 1e-12)


def worst_pair(event: StatedProfile) -> tuple[Floats, Floats]:
    """The pair of laws of a profile, written out by floats: chords between points and their mirror
    images.
    """
    points = {math.exp(e): d for e, d in zip(event.epsilons, map(float, event.deltas), strict=True)}
    points |= {1 / x: 1 - (1 - d) / x for x, d in points.items()}
    at_x = np.array([0.0, *sorted(points)])
    at_d = np.array([1.0, *(points[x] for x in sorted(points))])
    slopes = np.append(np.diff(at_d) / np.diff(at_x), 0.0)
    q = np.diff(slopes)
    p = at_x[1:] * q
    tells = 1e-300  # a law that is never 0, for quotients
    return np.append(p, [at_d[-1], tells]), np.append(q, [tells, at_d[-1]])


@pytest.mark.parametrize(("epsilon", "delta"), [("0.1", "0.02"), ("0.5", "1e-4"), (1, "1e-9")])
def test_a_stated_epsilon_gives_back_its_delta(epsilon: str, delta: str) -> None:
    assert close(float(account(PROFILE).delta(epsilon=epsilon).delta), float(delta))
    assert close(float(account(PROFILE).epsilon(delta=delta).epsilon), float(epsilon))
    lower = account(PROFILE).epsilon(delta=delta).lower
    assert lower is None or close(float(lower), float(epsilon))


@pytest.mark.parametrize("copies", [1, 2, 3, 4])
@pytest.mark.parametrize("epsilon", [0.0, 0.3, 0.7, 1.5])
def test_a_profile_composes_as_its_pair_of_laws(copies: int, epsilon: float) -> None:
    truth = hockey_stick(*composed([worst_pair(PROFILE)] * copies), epsilon)
    found = float(account(Repeated(PROFILE, copies)).delta(epsilon=epsilon).delta)
    assert truth * (1 - 1e-9) <= found <= truth * (1 + 1e-6) + 1e-12


@pytest.mark.parametrize("order", [1.25, 2.0, 9.0])
def test_what_is_left_when_not_all_is_told_has_its_own_divergence(order: float) -> None:
    p, q = (law[:-2] / law[:-2].sum() for law in worst_pair(PROFILE))
    price = total(PROFILE, None, at(Fraction(order)))
    assert price is not None
    assert close(float(price), divergence_of(p, q, order))


@settings(derandomize=True, deadline=None, max_examples=60)
@given(
    weights=st.lists(st.tuples(st.integers(1, 50), st.integers(1, 50)), min_size=2, max_size=6),
    epsilons=st.lists(st.sampled_from([0.0, 0.2, 0.5, 1.0, 2.0, 3.0]), min_size=1, unique=True),
)
def test_no_release_that_keeps_the_promises_needs_more(
    weights: list[tuple[int, int]], epsilons: list[float]
) -> None:
    p, q = (np.array(law) / sum(law) for law in zip(*weights, strict=True))
    deltas = [min(1.0, hockey_stick(p, q, epsilon) * (1 + 1e-12)) for epsilon in sorted(epsilons)]
    event = StatedProfile(sorted(epsilons), deltas)
    for copies, epsilon in [(1, 0.1), (1, 0.7), (2, 0.0), (2, 0.9), (3, 1.2)]:
        truth = hockey_stick(*composed([(p, q)] * copies), epsilon)
        found = account(Repeated(event, copies)).delta(epsilon=epsilon).delta
        assert truth <= float(found) * (1 + 1e-9) + 1e-12


def test_one_promise_alone_is_an_approximate_one() -> None:
    for epsilon, delta in (("0.5", "1e-6"), (1, 0), (0, "0.1"), (900, "0.1")):
        one, other = StatedProfile([epsilon], [delta]), StatedApprox(epsilon, delta)
        assert account(one).cost(Approx) == account(other).cost(Approx)
        for copies in (1, 7) if epsilon != 900 else (1,):
            for at_epsilon in (0, "0.3", 2):
                found, known = (
                    float(account(Repeated(event, copies)).delta(epsilon=at_epsilon).delta)
                    for event in (one, other)
                )
                assert close(found, known)


def test_promises_that_others_imply_change_nothing() -> None:
    more = StatedProfile(["0.1", "0.3", "0.5", 1, 2], ["0.02", "0.9", "1e-4", "1e-9", "1e-9"])
    assert account(Repeated(more, 3)).delta(epsilon=1) == account(Repeated(PROFILE, 3)).delta(
        epsilon=1
    )
    nothing = StatedProfile([1, 2], [1, 1])
    assert account(nothing).delta(epsilon=5).delta == 1


def test_a_group_keeps_each_promise_for_the_group() -> None:
    pair = Group(PROFILE, 2)
    assert total(pair, None, PURE) == 2
    assert total(pair, None, FAILING) == total(Group(StatedApprox(1, "1e-9"), 2), None, FAILING)
    assert account(pair).epsilon(delta="0.01").lower is None
    alone = [
        account(Group(StatedApprox(epsilon, delta), 2)).delta(epsilon="0.8").delta
        for epsilon, delta in zip(PROFILE.epsilons, PROFILE.deltas, strict=True)
    ]
    assert account(pair).delta(epsilon="0.8").delta < min(alone)


def test_a_sampled_profile_costs_less_and_its_epsilon_is_amplified() -> None:
    pure = StatedProfile(["0.5", 1], ["0.01", 0])
    sampled = account(PoissonSampled(pure, "0.1"))
    p, q = (law[:-2] for law in worst_pair(pure))
    for epsilon in (0.0, 0.02, 0.1):
        truth = hockey_stick(0.9 * q + 0.1 * p, q, epsilon)
        assert close(float(sampled.delta(epsilon=epsilon).delta), truth, 1e-8)


def test_the_atoms_of_a_profile_in_one_direction_need_what_its_points_say() -> None:
    points = [
        (Fraction(1, 2), Fraction(6, 10)),
        (Fraction(1), Fraction(3, 10)),
        (Fraction(4), Fraction(1, 10)),
    ]
    found = atoms_of_profile(points, both_ways=False)
    assert sum((mass for _, mass in found.atoms), found.infinite) == 1
    for x, delta in points:
        assert (
            found.infinite
            + sum(mass * max(Fraction(0), 1 - x / ratio) for ratio, mass in found.atoms)
            == delta
        )


@pytest.mark.parametrize(
    ("epsilons", "deltas", "says"),
    [
        ([1, 1], ["0.1", "0.1"], "epsilons must rise"),
        ([1, 2], ["0.1"], "deltas must hold one number for each of epsilons"),
        ([1], [2], "each of deltas must be"),
    ],
)
def test_what_is_no_profile_is_refused(epsilons: list[int], deltas: list[str], says: str) -> None:
    with pytest.raises(InputError, match=says):
        StatedProfile(epsilons, deltas)
