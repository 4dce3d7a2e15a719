"""What testers can do, against brute force over pairs of laws and conditions."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import chain, combinations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats
from tests.interpret.laws import RESPONSE, events, full_pairs, pairs
from tests.measures.samples import EACH

from shoal.errors import ConversionError, RangeError
from shoal.interpret import (
    Pair,
    advantage_up,
    conditional_advantage_up,
    expected_utility_interval,
    power_up,
    profile,
    textbook_conditional_advantage_up,
    total_variation,
    type_two_down,
)
from shoal.measures import Approx, GaussianDP, Measure, Pure, ZeroConcentrated


@given(pairs)
def test_the_advantage_over_two_laws_is_their_total_variation(pair: Pair) -> None:
    assert advantage_up(pair) == total_variation(pair) == max(x - y for x, y in events(pair))


def test_the_advantage_against_gaussian_noise_is_that_of_the_middle_threshold() -> None:
    truth = stats.norm.cdf(0.25) - stats.norm.cdf(-0.25)
    assert float(advantage_up(GaussianDP(0.5))) == pytest.approx(truth, rel=1e-14)


@pytest.mark.parametrize("one", EACH, ids=repr)
def test_no_test_gains_more_than_the_advantage(one: Measure) -> None:
    for alpha in (Fraction(1, 100), Fraction(1, 5), Fraction(1, 2)):
        assert power_up(one, type_one=alpha) - alpha <= advantage_up(one) * (1 + Fraction(1, 2**30))
        assert type_two_down(one, type_one=alpha) <= 1 - alpha


@given(full_pairs, st.fractions(0, 1, max_denominator=30))
def test_no_event_of_a_pure_pair_beats_the_power_of_its_promise(
    pair: Pair, alpha: Fraction
) -> None:
    promise = Pure(profile(pair).epsilon_up(0))
    for x, y in events(pair):
        assert y <= power_up(promise, type_one=x)
        assert 1 - y >= type_two_down(promise, type_one=x)


# conditions on the release


def conditional_distance(pair: Pair, chosen: tuple[int, ...]) -> Fraction:
    p, q = ([law[i] for i in chosen] for law in (pair.p, pair.q))
    pairs_of = zip(p, q, strict=True)
    return sum((abs(x / sum(p) - y / sum(q)) for x, y in pairs_of), Fraction(0)) / 2


@given(full_pairs)
def test_no_condition_on_the_release_raises_the_advantage_above_the_bound(pair: Pair) -> None:
    epsilon = profile(pair).epsilon_up(0)
    places = range(len(pair.p))
    for chosen in chain.from_iterable(combinations(places, k) for k in places):
        if chosen:
            distance = conditional_distance(pair, chosen)
            assert distance <= conditional_advantage_up(Pure(epsilon))
            assert distance <= textbook_conditional_advantage_up(epsilon)


@pytest.mark.parametrize("epsilon", [0, "1e-9", 0.1, 1, 5, 100])
def test_the_textbook_form_is_true_and_looser(epsilon: str) -> None:
    sharp, loose = (
        conditional_advantage_up(Pure(epsilon)),
        textbook_conditional_advantage_up(epsilon),
    )
    assert sharp <= loose <= min(Fraction(1), 2 * Pure(epsilon).epsilon)


def test_the_conditional_bound_is_attained() -> None:
    assert float(conditional_advantage_up(Pure(math.log(3)))) == pytest.approx(0.5, rel=1e-14)
    assert total_variation(RESPONSE) == Fraction(1, 2)


def test_the_textbook_form_is_four_times_larger_for_small_epsilon() -> None:
    ratio = textbook_conditional_advantage_up("1e-6") / conditional_advantage_up(Pure("1e-6"))
    assert float(ratio) == pytest.approx(4, rel=1e-5)


@pytest.mark.parametrize("one", [Approx(1, 1e-6), GaussianDP(1), ZeroConcentrated(1)])
def test_only_a_pure_promise_holds_under_every_condition(one: Measure) -> None:
    with pytest.raises(ConversionError, match="unlikely releases may tell all"):
        conditional_advantage_up(one)


def test_given_the_release_that_tells_an_approximate_promise_holds_nothing() -> None:
    leaky = Pair([0.9, 0.05, "0.049", "0.001"], [0.9, 0.05, "0.001", "0.049"])
    assert conditional_distance(leaky, (2, 3)) > Fraction(9, 10)
    assert total_variation(leaky) < Fraction(1, 20)


def test_an_approximate_promise_with_delta_zero_is_a_pure_one() -> None:
    assert conditional_advantage_up(Approx(1, 0)) == conditional_advantage_up(Pure(1))


# expected utility

utilities = st.lists(st.integers(-5, 20), min_size=4, max_size=4)


@given(full_pairs, utilities, st.floats(0, 1))
@settings(max_examples=60)
def test_no_utility_leaves_its_interval(pair: Pair, values: list[int], at: float) -> None:
    u = values[: len(pair.p)]
    assume(min(u) < max(u))
    promise = Approx(at, profile(pair).delta_up(at))
    mean, other = (sum(x * v for x, v in zip(law, u, strict=True)) for law in (pair.p, pair.q))
    low, high = expected_utility_interval(promise, mean, lowest=min(u), largest=max(u))
    assert low <= other <= high


def test_the_interval_is_at_least_as_tight_as_the_textbook_one() -> None:
    epsilon, delta, mean, largest = 0.5, 0.01, 2.0, 10.0
    low, high = expected_utility_interval(Approx(epsilon, delta), mean, largest=largest)
    assert float(high) == pytest.approx(math.exp(epsilon) * mean + delta * largest, rel=1e-12)
    assert float(low) >= math.exp(-epsilon) * (mean - delta * largest) - 1e-12
    assert float(low) > math.exp(-epsilon) * mean - delta * largest


def test_a_negative_utility_is_measured_from_its_lowest_value() -> None:
    # u = -1 everywhere: e^eps times the mean would claim that -1 <= -e^eps + delta.
    low, high = expected_utility_interval(Pure(1), -1, lowest=-1, largest=0)
    assert low == high == -1


@pytest.mark.parametrize("wrong", [{"largest": 0}, {"largest": 5}, {"largest": 30, "lowest": 15}])
def test_an_expectation_outside_its_range_is_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(RangeError):
        expected_utility_interval(Pure(1), 10, **wrong)
