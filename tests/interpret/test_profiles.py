"""Profiles, against the conversions they come from and against brute force over events."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.interpret.laws import ALMOST_TOLD, RESPONSE, hockey_stick, pairs
from tests.measures.samples import EACH, decimals

from shoal.errors import ConversionError, RangeError, ShapeError
from shoal.interpret import GaussianApproximation, Pair, profile, trade_off
from shoal.measures import Approx, GaussianDP, Measure, Pure, Renyi, ZeroConcentrated


@pytest.mark.parametrize("one", EACH, ids=repr)
def test_a_profile_says_what_the_conversions_of_its_measure_say(one: Measure) -> None:
    assert profile(one).delta_up(0.3) == one.to_delta(epsilon=0.3).delta
    assert profile(one).epsilon_up(0.01) == one.to_approx(delta=0.01).epsilon


@pytest.mark.parametrize("one", EACH, ids=repr)
def test_there_and_back_never_gains(one: Measure) -> None:
    for epsilon in (0, 0.1, 0.4, 3):
        delta = profile(one).delta_up(epsilon)
        try:
            back = profile(one).epsilon_up(delta)
        except ConversionError:
            assert delta == 0
        else:
            slack = Fraction(1, 2**40)
            assert profile(one).delta_up(back) <= delta * (1 + slack)


@pytest.mark.parametrize("one", EACH, ids=repr)
@given(at=decimals, more=decimals)
@settings(max_examples=15)
def test_a_profile_never_rises(one: Measure, at: Fraction, more: Fraction) -> None:
    low = Fraction(str(at)) if isinstance(at, float) else Fraction(at)
    high = low + (Fraction(str(more)) if isinstance(more, float) else Fraction(more))
    assert profile(one).delta_up(high) <= profile(one).delta_up(low) * (1 + Fraction(1, 2**50))


def test_of_promises_that_all_hold_the_smaller_bound_counts_at_each_epsilon() -> None:
    steep, flat = Pure(2), Approx(0.5, 0.01)
    both = profile(steep, flat)
    for epsilon in (0, 0.3, 0.5, 1, 2, 3):
        one, other = profile(steep).delta_up(epsilon), profile(flat).delta_up(epsilon)
        assert both.delta_up(epsilon) == min(one, other)
        assert (profile(steep) & profile(flat)).delta_up(epsilon) == min(one, other)
        assert (profile(steep) | profile(flat)).delta_up(epsilon) == max(one, other)
    assert both.epsilon_up(0) == 2
    assert both.epsilon_up(0.01) == Fraction(1, 2)


def test_of_promises_of_which_one_holds_the_larger_epsilon_counts() -> None:
    either = profile(Pure(2)) | profile(Approx(0.5, 0.01))
    assert either.epsilon_up(0.01) == profile(Pure(2)).epsilon_up(0.01)
    with pytest.raises(ConversionError):
        either.epsilon_up(0)


def test_a_refusal_stands_only_where_every_promise_refuses() -> None:
    assert profile(GaussianDP(1), Pure(3)).epsilon_up(0) == 3
    with pytest.raises(ConversionError, match="delta 0"):
        profile(GaussianDP(1), ZeroConcentrated(1)).epsilon_up(0)


@pytest.mark.slow
@given(pairs, st.floats(0, 5))
def test_the_profile_of_two_laws_is_that_of_their_worst_event(pair: Pair, epsilon: float) -> None:
    truth = max(hockey_stick(pair, epsilon), hockey_stick(pair.swapped(), epsilon))
    found = float(profile(pair).delta_up(epsilon))
    assert found == pytest.approx(truth, abs=1e-12)


@pytest.mark.slow
@given(pairs, st.fractions(0, 1, max_denominator=50))
def test_the_epsilon_of_two_laws_is_the_least_that_fits_their_delta(
    pair: Pair, delta: Fraction
) -> None:
    def worst(epsilon: float) -> float:
        return max(hockey_stick(pair, epsilon), hockey_stick(pair.swapped(), epsilon))

    try:
        epsilon = float(profile(pair).epsilon_up(delta))
    except ConversionError:
        assert worst(200) > delta
        return
    assert worst(epsilon) <= delta + Fraction(1, 10**12)
    assert epsilon == 0 or worst(epsilon * (1 - 1e-6)) > delta


def test_laws_with_different_supports_have_no_epsilon_below_the_mass_that_tells() -> None:
    with pytest.raises(ConversionError, match="possible under one law only"):
        profile(ALMOST_TOLD).epsilon_up(0.19)
    assert profile(ALMOST_TOLD).epsilon_up(0.2) > 0


@given(pairs, pairs)
@settings(max_examples=30)
def test_randomized_response_is_the_worst_of_all_pure_pairs(one: Pair, other: Pair) -> None:
    try:
        epsilon = profile(one).epsilon_up(0)
    except ConversionError:
        return
    for at in (0, Fraction(1, 3), 1):
        assert profile(one).delta_up(at) <= profile(Pure(epsilon)).delta_up(at)


def test_a_trade_off_curve_has_the_profile_it_came_from() -> None:
    for one in EACH:
        assert profile(trade_off(one)).delta_up(0.7) == profile(one).delta_up(0.7)


@pytest.mark.parametrize("wrong", [GaussianApproximation(1.0), 1.0, "epsilon 1", None])
def test_what_is_not_a_promise_has_no_profile(wrong: object) -> None:
    with pytest.raises(ShapeError, match="not a promise"):
        profile(wrong)  # type: ignore[arg-type]


def test_a_profile_needs_a_promise() -> None:
    with pytest.raises(ShapeError):
        profile()


def test_a_negative_epsilon_and_a_delta_above_one_are_refused() -> None:
    for source in (profile(Pure(1)), profile(Pure(1), Renyi({2: 1})), profile(RESPONSE)):
        with pytest.raises(RangeError):
            source.delta_up(-1)
        with pytest.raises(RangeError):
            source.epsilon_up(1.5)


def test_the_profile_of_randomized_response_is_that_of_its_pure_promise() -> None:
    for epsilon in (0.0, 0.5, 1.0):
        truth = (3 - math.exp(epsilon)) / 4
        assert float(profile(RESPONSE).delta_up(epsilon)) == pytest.approx(truth, rel=1e-14)
