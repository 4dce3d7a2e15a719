"""What every kind answers, and laws that hold between the answers."""

from __future__ import annotations

from decimal import localcontext
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.measures.samples import (
    DIGITS,
    EACH,
    decimal,
    deltas,
    epsilons,
    is_just_above,
    mus,
    rhos,
)

from shoal.errors import ConversionError
from shoal.measures import (
    Approx,
    GaussianDP,
    Measure,
    Pure,
    Renyi,
    ZeroConcentrated,
    pure_rho_up,
)

ORDERS = [1.1, 1.5, 2, 3, 5, 8, 16, 32, 64, 128, 256]
TARGETS: dict[str, tuple[type[Measure], dict[str, Any]]] = {
    "to_approx": (Approx, {"delta": 1e-5}),
    "to_delta": (Approx, {"epsilon": 2}),
    "to_zero_concentrated": (ZeroConcentrated, {}),
    "to_renyi": (Renyi, {"orders": [2, 4]}),
    "to_gaussian": (GaussianDP, {}),
}
REFUSED = {
    (Approx, "to_zero_concentrated"): "with probability delta anything may happen",
    (Approx, "to_renyi"): "with probability delta anything may happen",
    (Approx, "to_gaussian"): "with probability delta anything may happen",
    (Renyi, "to_zero_concentrated"): "rho must bound every order",
    (Renyi, "to_gaussian"): "finitely many moments",
    (ZeroConcentrated, "to_gaussian"): "no theorem",
}


@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.parametrize("one", EACH, ids=repr)
def test_every_kind_answers_every_conversion_or_says_why_not(one: Measure, name: str) -> None:
    kind, arguments = TARGETS[name]
    reason = REFUSED.get((type(one), name))
    if reason is None:
        assert type(getattr(one, name)(**arguments)) is kind
    else:
        with pytest.raises(ConversionError, match=reason):
            getattr(one, name)(**arguments)


@pytest.mark.parametrize("one", [Pure(0), ZeroConcentrated(0), GaussianDP(0), Renyi({3: 0})])
def test_a_promise_of_no_loss_converts_to_no_loss(one: Measure) -> None:
    assert one.to_approx(delta=0) == Approx(0, 0)
    assert one.to_approx(delta=0.5) == Approx(0, 0.5)
    assert one.to_delta(epsilon=0) == Approx(0, 0)
    assert one.to_renyi([2, 3]) == Renyi({2: 0, 3: 0})
    if not isinstance(one, Renyi):
        assert one.to_zero_concentrated() == ZeroConcentrated(0)


@pytest.mark.parametrize(
    "one", [ZeroConcentrated(0.5), GaussianDP("1e-9"), Renyi({2: 0.5}), Approx(1, 0.1)]
)
def test_no_epsilon_is_promised_at_delta_zero_where_large_losses_are_possible(one: Measure) -> None:
    with pytest.raises(ConversionError, match="delta"):
        one.to_approx(delta=0)


@pytest.mark.parametrize("one", EACH, ids=repr)
def test_at_delta_one_no_epsilon_is_needed(one: Measure) -> None:
    assert one.to_approx(delta=1) == Approx(0, 1)


def test_the_methods_that_change_nothing_return_the_same_value() -> None:
    assert Pure(0.3).to_approx() == Approx(0.3, 0)
    assert ZeroConcentrated(0.3).to_zero_concentrated() == ZeroConcentrated(0.3)
    assert GaussianDP(0.3).to_gaussian() == GaussianDP(0.3)
    assert Renyi({2: 1, 4: 3}).to_renyi([2, 4]) == Renyi({2: 1, 4: 3})


def test_a_gaussian_promise_converts_to_moments_exactly() -> None:
    assert GaussianDP(0.3).to_zero_concentrated() == ZeroConcentrated("0.045")
    assert GaussianDP(0.3).to_renyi([2, 10]) == Renyi({2: 0.09, 10: 0.45})
    assert ZeroConcentrated(0.3).to_renyi([2.5]) == Renyi({2.5: 0.75})


# approximate promises


def test_an_approximate_promise_says_nothing_at_a_smaller_delta() -> None:
    with pytest.raises(ConversionError, match="says nothing at the smaller delta 1e-7"):
        Approx(1, 1e-6).to_approx(delta=1e-7)


def test_an_approximate_promise_keeps_its_delta_at_a_larger_epsilon() -> None:
    assert Approx(1, 1e-6).to_delta(epsilon=5) == Approx(5, 1e-6)
    assert Approx(1, 1e-6).to_delta(epsilon=1) == Approx(1, 1e-6)
    assert Approx(1, 1e-6).to_approx(delta=1e-6) == Approx(1, 1e-6)


def test_an_approximate_promise_with_delta_zero_points_to_the_pure_one() -> None:
    with pytest.raises(ConversionError, match=r"Convert Pure\(epsilon='0.5'\)"):
        Approx(0.5, 0).to_gaussian()


@given(epsilons, deltas, deltas)
def test_an_approximate_promise_implies_what_its_worst_case_allows(
    epsilon: float, delta: float, more: float
) -> None:
    # The worst case tells all with probability delta and otherwise answers randomly.
    start = Approx(epsilon, delta)
    target = start.delta + (1 - start.delta) * Fraction(str(more))
    found = start.to_approx(delta=target)
    assert found.epsilon == Pure(epsilon).to_approx(delta=more).epsilon
    assert start.to_delta(epsilon=found.epsilon).delta <= target * (1 + Fraction(1, 2**60))


@given(epsilons, deltas, st.floats(0, 1))
def test_the_delta_of_an_approximate_promise_lies_just_above_that_of_its_worst_case(
    epsilon: float, delta: float, part: float
) -> None:
    start = Approx(epsilon, delta)
    target = start.epsilon * Fraction(str(part))
    with localcontext(prec=DIGITS):
        large, small = decimal(start.epsilon).exp(), decimal(target).exp()
        rest = (large - small) / (1 + large)
        truth = decimal(delta) + (1 - decimal(delta)) * rest
    assert is_just_above(start.to_delta(epsilon=target).delta, truth)


# no way round gains anything


@given(epsilons, deltas)
@settings(max_examples=50)
def test_no_way_round_beats_the_direct_way_from_a_pure_promise(
    epsilon: float, delta: float
) -> None:
    direct = Pure(epsilon).to_approx(delta=delta)
    assert direct <= Pure(epsilon).to_zero_concentrated().to_approx(delta=delta)
    assert direct <= Pure(epsilon).to_gaussian().to_approx(delta=delta)
    assert direct <= Pure(epsilon).to_renyi(ORDERS).to_approx(delta=delta)


@given(epsilons, epsilons)
@settings(max_examples=50)
def test_no_way_round_beats_the_direct_way_to_a_delta(epsilon: float, target: float) -> None:
    direct = Pure(epsilon).to_delta(epsilon=target)
    assert direct <= Pure(epsilon).to_zero_concentrated().to_delta(epsilon=target)
    assert direct <= Pure(epsilon).to_gaussian().to_delta(epsilon=target)
    assert direct <= Pure(epsilon).to_renyi(ORDERS).to_delta(epsilon=target)


@given(mus, deltas)
@settings(max_examples=50)
def test_moments_never_beat_the_exact_gaussian_promise(mu: float, delta: float) -> None:
    exact = GaussianDP(mu).to_approx(delta=delta)
    concentrated = GaussianDP(mu).to_zero_concentrated().to_approx(delta=delta)
    some_orders = GaussianDP(mu).to_renyi(ORDERS).to_approx(delta=delta)
    assert exact <= concentrated
    assert concentrated.epsilon <= some_orders.epsilon * (1 + Fraction(1, 2**60))


@given(epsilons)
def test_a_way_round_through_the_gaussian_promise_never_saves_moments(epsilon: float) -> None:
    direct = pure_rho_up(epsilon)
    assert direct <= Pure(epsilon).to_gaussian().to_zero_concentrated().rho


@given(rhos, deltas)
@settings(max_examples=50)
def test_there_and_back_never_gains(rho: float, delta: float) -> None:
    one = ZeroConcentrated(rho)
    there = one.to_approx(delta=delta)
    back = one.to_delta(epsilon=there.epsilon)
    if there.epsilon > 0:
        assert back.delta <= there.delta * (1 + Fraction(1, 2**40))
        assert back.delta >= there.delta * (1 - Fraction(1, 2**40))
    else:
        assert back.delta <= there.delta


# more costs more


@given(epsilons, epsilons, deltas)
@settings(max_examples=30)
def test_a_larger_pure_promise_costs_more_in_every_measure(a: float, b: float, d: float) -> None:
    less, more = Pure(min(a, b)), Pure(max(a, b))
    assert less.to_approx(delta=d) <= more.to_approx(delta=d)
    assert less.to_zero_concentrated() <= more.to_zero_concentrated()
    assert less.to_renyi([2, 32]) <= more.to_renyi([2, 32])
    assert less.to_gaussian() <= more.to_gaussian()


@given(rhos, rhos, deltas, epsilons)
@settings(max_examples=30)
def test_a_larger_rho_costs_more(a: float, b: float, delta: float, epsilon: float) -> None:
    less, more = ZeroConcentrated(min(a, b)), ZeroConcentrated(max(a, b))
    slack = 1 + Fraction(1, 2**60)
    assert less.to_approx(delta=delta).epsilon <= more.to_approx(delta=delta).epsilon * slack
    assert less.to_delta(epsilon=epsilon).delta <= more.to_delta(epsilon=epsilon).delta * slack


@given(rhos, deltas, deltas)
@settings(max_examples=30)
def test_a_larger_delta_needs_a_smaller_epsilon(rho: float, a: float, b: float) -> None:
    slack = 1 + Fraction(1, 2**60)
    for one in (ZeroConcentrated(rho), ZeroConcentrated(rho).to_renyi(ORDERS)):
        small, large = one.to_approx(delta=min(a, b)), one.to_approx(delta=max(a, b))
        assert large.epsilon <= small.epsilon * slack
