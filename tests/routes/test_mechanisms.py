"""The same number by two roads, with the side and the size of the difference stated."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest
from flint import arb
from scipy import special
from tests.mechanisms import laws
from tests.mechanisms.record import landing, recorded_choices

from shoal import (
    AboveThreshold,
    Approx,
    DiscreteGaussian,
    Exponential,
    Gaussian,
    GaussianDP,
    Geometric,
    Grid,
    Laplace,
    NoisyMax,
    PermuteAndFlip,
    RandomizedResponse,
    SparseVector,
    Staircase,
    TopK,
    TruncatedGeometric,
    ZeroConcentrated,
    counting,
)
from shoal.measures import gaussian_epsilon_up, pure_epsilon_up


def test_geometric_noise_is_laplace_noise_on_the_integers() -> None:
    for scale in ("0.3", 2, 50):
        one, other = Geometric(scale=scale, sensitivity=1), Laplace(scale=scale, sensitivity=1)
        assert landing(one, 5) == landing(other, 5)
        assert one.error("0.95") == other.error("0.95", integers=True)
        assert one.cost == other.cost


def test_a_grid_of_whole_steps_is_the_integers() -> None:
    for mechanism in (
        Laplace(scale=3, sensitivity=2, grid=Grid(0)),
        Gaussian(sigma=3, sensitivity=2, grid=Grid(0)),
        DiscreteGaussian(sigma=3, sensitivity=2, grid=Grid(0)),
    ):
        assert landing(mechanism, 5) == landing(mechanism, 5.0)
        assert mechanism.error("0.9") == mechanism.error("0.9", integers=True) + 0.5


def test_a_scalar_is_a_vector_of_one() -> None:
    for value in (0.1, -3.0, 1e9):
        for mechanism in (
            Laplace(scale=1, sensitivity="1/3"),
            Gaussian(sigma=1, sensitivity="1/3"),
        ):
            assert landing(mechanism, value) == landing(mechanism, np.array([value]))
    with_one = Laplace(scale=1, sensitivity="1/3").error("0.9", size=1)
    assert with_one == Laplace(scale=1, sensitivity="1/3").error("0.9")


def _weight_at_seven(parameters: tuple[Any, ...]) -> arb:
    return laws.staircase(*parameters)(7)


def test_stairs_of_sensitivity_one_are_geometric_on_the_integers() -> None:
    for gamma in (None, "1/9", 1):
        stairs = Staircase(epsilon="1/2", sensitivity=1, gamma=gamma)
        _, law = landing(stairs, 5)
        plain = laws.bounds(lambda: laws.discrete_laplace(Fraction(2))(7))
        found = laws.bounds(partial(_weight_at_seven, law.parameters))
        assert abs(found[0] - plain[0]) < Fraction(1, 10**60)
        geometric = Geometric(scale=2, sensitivity=1)
        assert stairs.error("0.95", integers=True) == geometric.error("0.95")


def test_stairs_of_gamma_one_over_many_flights_are_as_wide_as_laplace_noise() -> None:
    stairs, laplace = (
        Staircase.for_epsilon("0.01", sensitivity=1),
        Laplace.for_epsilon("0.01", sensitivity=1),
    )
    assert stairs.error("0.95") == pytest.approx(laplace.error("0.95"), rel=2e-3)


def test_stairs_are_no_worse_than_laplace_noise_and_far_better_for_large_epsilon() -> None:
    def expected(epsilon: float) -> float:
        """E|X| of the continuous staircase: the theorem's closed form, sensitivity 1."""
        return math.exp(epsilon / 2) / (math.exp(epsilon) - 1)

    for epsilon in (0.5, 1.0, 3.0, 8.0):
        width, stairs = 1000, Staircase(epsilon=epsilon, sensitivity=1000)
        _, law = landing(stairs, 0)
        places = np.arange(0, 200 * width)
        weights = np.exp(-epsilon * (places // width + (places % width >= law.parameters[2])))
        mean = 2 * (weights * places).sum() / (2 * weights.sum() - weights[0]) / width
        assert mean == pytest.approx(expected(epsilon), rel=3e-2)
        assert mean < 1 / epsilon


def test_the_default_stairs_have_the_least_expected_error_of_all_on_the_integers() -> None:
    for epsilon in (0.25, 1.0, 2.0, 4.0):
        for width in (2, 3, 5, 10):
            _, law = landing(Staircase(epsilon=epsilon, sensitivity=width), 0)
            places = np.arange(0, 4000 * width)

            def mean(
                tread: int, places: Any = places, width: int = width, e: float = epsilon
            ) -> float:
                weights = np.exp(-e * (places // width + (places % width >= tread)))
                return float((weights * places).sum() / (2 * weights.sum() - weights[0]))

            best = min(mean(tread) for tread in range(1, width + 1))
            assert mean(law.parameters[2]) == pytest.approx(best, rel=1e-12)


def test_a_range_too_wide_to_matter_clamps_nothing() -> None:
    clamped = TruncatedGeometric(scale=2, sensitivity=1, low=-(10**9), high=10**9)
    assert clamped.error("0.95") == Geometric(scale=2, sensitivity=1).error("0.95")
    assert clamped.event_for(size=3) == Geometric(scale=2, sensitivity=1).event_for(size=3)


def test_counting_is_geometric_noise_of_the_number_of_queries() -> None:
    assert counting(1, queries=5).scale == Geometric.for_epsilon(1, sensitivity=5).scale == 5


# choices


def test_the_three_races_are_shared_by_the_mechanisms_that_are_the_same() -> None:
    scores = [1, 4, 2]
    with recorded_choices() as asked:
        for mechanism in (
            Exponential(epsilon=1, sensitivity=2),
            NoisyMax(epsilon=1, sensitivity=2, noise="gumbel"),
            TopK(k=1, epsilon=1, sensitivity=2),
            PermuteAndFlip(epsilon=1, sensitivity=2),
            NoisyMax(epsilon=1, sensitivity=2, noise="exponential"),
        ):
            mechanism.release(scores)
    assert [choice.race for choice in asked] == ["gumbel"] * 3 + ["exponential"] * 2
    assert {choice.rate for choice in asked} == {Fraction(1, 4)}


def test_monotone_halves_the_noise() -> None:
    for kind in (Exponential, PermuteAndFlip, NoisyMax):
        plain, monotone = (
            kind(epsilon=1, sensitivity=1),
            kind(epsilon=1, sensitivity=1, monotone=True),
        )
        assert monotone.rate == 2 * plain.rate
        twice, once = plain.error("0.9", candidates=9), monotone.error("0.9", candidates=9)
        assert twice == pytest.approx(2 * once, rel=1e-12)


def test_probabilities_are_a_softmax() -> None:
    scores = [3.5, -2, 0.25, 3]
    law = Exponential(epsilon=2, sensitivity=1).probabilities(scores)
    reference = special.softmax(np.array(scores))
    assert list(law.values()) == pytest.approx(list(reference), rel=1e-12)


def test_permute_and_flip_is_never_worse_than_the_exponential_mechanism() -> None:
    for candidates in (2, 5, 1000):
        for confidence in ("0.6", "0.95", "0.9999"):
            flip, exponential = (
                kind(epsilon=1, sensitivity=1).error(confidence, candidates=candidates)
                for kind in (PermuteAndFlip, Exponential)
            )
            assert flip <= exponential


# prices


def test_gaussian_noise_costs_the_same_by_mu_and_by_rho() -> None:
    for sigma in ("0.7", 3, 40):
        mu = Gaussian(sigma=sigma, sensitivity=1).cost
        rho = DiscreteGaussian(sigma=sigma, sensitivity=1).cost
        assert mu.to_zero_concentrated() == rho
        assert mu.to_approx(delta="1e-6").epsilon <= rho.to_approx(delta="1e-6").epsilon
    budget = ZeroConcentrated("0.3")
    one, other = (kind.for_budget(budget, sensitivity=2) for kind in (Gaussian, DiscreteGaussian))
    assert float(one.sigma) == pytest.approx(float(other.sigma), rel=1e-15)
    assert Gaussian.for_budget(GaussianDP("0.3"), sensitivity=2).sigma == Fraction(20, 3)


def test_what_a_budget_bought_is_what_the_conversion_says_back() -> None:
    budget = Approx("0.8", "1e-5")
    laplace = Laplace.for_budget(budget, sensitivity=1)
    gaussian = Gaussian.for_budget(budget, sensitivity=1)
    assert pure_epsilon_up(laplace.cost.epsilon, delta=budget.delta) <= budget.epsilon * (
        1 + Fraction(1, 10**15)
    )
    assert gaussian_epsilon_up(gaussian.cost.mu, budget.delta) <= budget.epsilon * (
        1 + Fraction(1, 10**15)
    )


def test_the_first_above_a_threshold_is_a_sparse_vector_of_one() -> None:
    one, other = AboveThreshold(epsilon=1, sensitivity=2), SparseVector(epsilon=1, sensitivity=2)
    assert one.event == other.event
    assert one.error("0.9", questions=50) == other.error("0.9", questions=50)


def test_the_scales_of_a_run_are_those_of_algorithm_seven() -> None:
    for monotone in (False, True):
        run = SparseVector(epsilon=3, sensitivity=2, positives=5, numeric=True, monotone=monotone)
        assert run.threshold_scale == 2 / run.epsilon_threshold
        assert run.question_scale == (1 if monotone else 2) * 5 * 2 / run.epsilon_queries
        assert run.answer_scale == 5 * 2 / run.epsilon_answers
        assert run.epsilon_threshold + run.epsilon_queries + run.epsilon_answers == 3


# randomized response


def test_a_price_and_its_truth_are_the_same_response() -> None:
    priced = RandomizedResponse.for_epsilon(2, categories=4)
    truth = math.exp(2) / (math.exp(2) + 3)
    told = RandomizedResponse(truth=truth, categories=4)
    assert float(told.cost.epsilon) == pytest.approx(2, rel=1e-12)
    assert told.lean == pytest.approx(priced.lean, rel=1e-12)
    assert told._lean_down == pytest.approx(float(priced._lean_down), rel=1e-12)


@pytest.mark.parametrize("confidence", [0.8, 0.95])
@pytest.mark.parametrize("counts", [[3, 7], [0, 10], [500, 1500], [10, 20, 70]])
def test_the_exact_interval_is_that_of_scipy(counts: list[int], confidence: float) -> None:
    mechanism = RandomizedResponse(truth="0.8", categories=len(counts))
    estimate = mechanism.estimate_from_counts(counts)
    people, tail = sum(counts), (1 - confidence) / 2
    floor = 0.2 / (len(counts) - 1)
    for count, (low, high) in zip(counts, estimate.interval(confidence), strict=True):
        ends = (
            special.betaincinv(count, people - count + 1, tail) if count else 0.0,
            special.betaincinv(count + 1, people - count, 1 - tail) if count < people else 1.0,
        )
        wanted = [min(1.0, max(0.0, (end - floor) / (0.8 - floor))) for end in ends]
        assert [low, high] == pytest.approx(wanted, abs=1e-9)
