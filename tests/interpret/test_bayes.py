"""Beliefs after a release, against Bayes' rule on finite laws and on normal ones."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from tests.interpret.laws import events, full_pairs, pairs
from tests.measures.samples import EACH

from shoal.errors import ConversionError, RangeError
from shoal.interpret import (
    Pair,
    factor_moment_up,
    guess_up,
    kullback_leibler_up,
    loss_up,
    mean_log_factor_up,
    posterior_interval,
    posterior_up,
    profile,
    renyi_divergence_up,
)
from shoal.measures import Approx, GaussianDP, Measure, Pure, Renyi, ZeroConcentrated

priors = st.fractions(Fraction(1, 1000), Fraction(999, 1000), max_denominator=1000)


# pure promises


@pytest.mark.slow
@given(full_pairs, priors)
def test_no_release_of_a_pure_pair_moves_a_belief_out_of_the_interval(
    pair: Pair, prior: Fraction
) -> None:
    low, high = posterior_interval(Pure(profile(pair).epsilon_up(0)), prior)
    for x, y in pair.atoms:
        after = prior * x / (prior * x + (1 - prior) * y)
        assert low <= after <= high


@given(st.floats(0, 30), priors)
def test_the_interval_of_a_pure_promise_is_that_of_its_odds(
    epsilon: float, prior: Fraction
) -> None:
    low, high = posterior_interval(Pure(epsilon), prior)
    odds = float(prior / (1 - prior))
    for bound, factor in ((low, math.exp(-epsilon)), (high, math.exp(epsilon))):
        assert float(bound) == pytest.approx(odds * factor / (1 + odds * factor), rel=1e-12)


def test_the_bound_is_on_odds_over_prior_odds_not_on_odds() -> None:
    # A release that ignores the data leaves odds of 10 : 1 as they are, and keeps epsilon 0.
    assert posterior_interval(Pure(0), "10/11") == (Fraction(10, 11), Fraction(10, 11))


def test_beliefs_keep_their_digits_where_they_are_small() -> None:
    assert float(posterior_up(Pure(1), "1e-100")) == pytest.approx(math.e * 1e-100, rel=1e-12)
    assert posterior_interval(Pure("1e6"), 0.5) == (Fraction(0), Fraction(1))


# other promises, but for a small probability


@pytest.mark.slow
@given(pairs, st.floats(0, 3), st.fractions(Fraction(1, 100), Fraction(9, 10), max_denominator=100))
@settings(max_examples=60)
def test_the_loss_of_two_laws_exceeds_its_bound_as_rarely_as_is_said(
    pair: Pair, at: float, allowed: Fraction
) -> None:
    promise = Approx(at, profile(pair).delta_up(at))
    try:
        bound = loss_up(promise, except_with=allowed)
    except ConversionError:
        assert promise.delta >= allowed
        return
    beyond = sum(x for x, y in pair.atoms if y == 0 or (x and math.log(x / y) > bound + 1e-12))
    assert beyond <= allowed


def test_reading_delta_as_the_probability_of_a_larger_loss_is_refuted() -> None:
    # Randomized response of epsilon 1.1 is (1, 0.0714)-DP, and its loss exceeds 1 three times in
    # four.
    promise = Pure(1.1).to_delta(epsilon=1)
    assert float(promise.delta) == pytest.approx(0.0714, abs=1e-4)
    truth = math.exp(1.1) / (1 + math.exp(1.1))
    bound = loss_up(promise, except_with=Fraction(truth) + Fraction(1, 10**6))
    assert float(bound) == pytest.approx(1.1, abs=1e-3)


@pytest.mark.parametrize("allowed", [1e-2, 1e-6, 1e-12])
@pytest.mark.parametrize("mu", [0.2, 1.0, 3.0])
def test_the_loss_of_gaussian_noise_is_bounded_from_above(mu: float, allowed: float) -> None:
    truth = mu * stats.norm.isf(allowed) + mu**2 / 2
    for one in (GaussianDP(mu), GaussianDP(mu).to_zero_concentrated()):
        found = float(loss_up(one, except_with=allowed))
        assert truth <= found <= truth * 1.5


@pytest.mark.parametrize("one", EACH, ids=repr)
def test_allowing_more_failures_never_raises_the_loss(one: Measure) -> None:
    found = [loss_up(one, except_with=allowed) for allowed in ("1e-4", "1e-2", "1/2", 1)]
    assert all(found[i] >= found[i + 1] * (1 - Fraction(1, 10**4)) for i in range(3))
    assert found[-1] == 0


def test_a_promise_without_an_epsilon_needs_a_probability_of_failure() -> None:
    for one in (GaussianDP(1), ZeroConcentrated(1), Renyi({2: 1}), Approx(1, 1e-6)):
        with pytest.raises(ConversionError):
            posterior_interval(one, 0.5)
    with pytest.raises(ConversionError, match="delta is not below it"):
        loss_up(Approx(1, 1e-6), except_with=1e-6)
    assert loss_up(Pure(1), except_with=1e-9) <= 1


@pytest.mark.parametrize("prior", [0, 1, -0.1, 2])
def test_a_prior_that_is_no_doubt_is_refused(prior: float) -> None:
    with pytest.raises(RangeError, match="prior"):
        posterior_interval(Pure(1), prior)


# guesses


@pytest.mark.slow
@given(pairs, st.fractions(0, 1, max_denominator=100))
def test_the_best_guess_is_that_of_the_best_event(pair: Pair, prior: Fraction) -> None:
    best = max(prior * x + (1 - prior) * (1 - y) for x, y in events(pair))
    found = guess_up(pair, prior)
    assert found >= best
    # The profile holds both ways, so the bound is that of the better of both directions.
    other = max(prior * y + (1 - prior) * (1 - x) for x, y in events(pair))
    assert float(found) == pytest.approx(float(max(best, other)), abs=1e-12)


@given(st.floats(0, 5), st.fractions(0, 1, max_denominator=50))
def test_a_guess_about_a_pure_promise_is_that_about_randomized_response(
    epsilon: float, prior: Fraction
) -> None:
    p, e = float(prior), math.exp(epsilon)
    truth = max(p, 1 - p, e / (1 + e))
    assert float(guess_up(Pure(epsilon), prior)) == pytest.approx(truth, abs=1e-12)


# means


@pytest.mark.slow
@given(full_pairs)
def test_the_mean_move_of_the_log_odds_is_bounded(pair: Pair) -> None:
    mean = kullback_leibler_up(pair)
    assert mean <= mean_log_factor_up(Pure(profile(pair).epsilon_up(0))) * (1 + Fraction(1, 2**50))
    second = max(renyi_divergence_up(one, order=2) for one in (pair, pair.swapped()))
    assert mean <= mean_log_factor_up(Renyi({2: Fraction(second)})) * (1 + Fraction(1, 2**50))


@given(full_pairs)
def test_the_moment_of_the_factor_is_that_of_bayes_rule(pair: Pair) -> None:
    order = 3
    exact = sum(float(x) * float(x / y) ** (order - 1) for x, y in pair.atoms)
    divergence = Fraction(renyi_divergence_up(pair, order=order))
    found = factor_moment_up(Renyi({order: divergence}), order=order)
    assert float(found) == pytest.approx(exact, rel=1e-10)


def test_an_approximate_promise_bounds_no_mean() -> None:
    with pytest.raises(ConversionError):
        mean_log_factor_up(Approx(1, 1e-6))
