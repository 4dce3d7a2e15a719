"""Errors of our mechanisms, exact or in closed form, beside the limits: never below, and within a
stated factor.
"""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from scipy import stats

from shoal import (
    Approx,
    Exponential,
    GaussianDP,
    Pure,
    ZeroConcentrated,
    limits,
)
from shoal.limits import Central, Limit, Local, ShuffledPromise

EPSILONS = ["0.01", "0.1", "0.5", "1", "2", "4", "8"]


def factor(error: float, limit: Limit) -> float:
    """How many times the limit; `beside` refuses an error below it."""
    return limits.beside(error, limit).ratio


def geometric_variance(epsilon: float, sensitivity: int = 1) -> float:
    ratio = math.exp(-epsilon / sensitivity)
    return 2 * ratio / (1 - ratio) ** 2


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_geometric_noise_on_a_count_is_within_nine_times_the_limit(epsilon: str) -> None:
    assert 1 <= factor(geometric_variance(float(epsilon)), limits.count(Pure(epsilon))) < 9


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize(("relation", "most"), [("add_remove", 9), ("change", 34)])
def test_a_histogram_is_within_its_factor_of_the_limit(
    epsilon: str, relation: str, most: float
) -> None:
    moved = 2 if relation == "change" else 1
    error = 10 * geometric_variance(float(epsilon), moved)
    limit = limits.table(Pure(epsilon), cells=10, relation=relation)
    if float(epsilon) <= 2:
        assert factor(error, limit) < most
    else:
        assert factor(error, limit) >= 1


@pytest.mark.parametrize("mu", ["0.05", "0.5", "1", "2"])
def test_gaussian_noise_on_a_count_is_within_eight_times_the_limit(mu: str) -> None:
    assert 1 <= factor(float(mu) ** -2, limits.count(GaussianDP(mu))) < 8
    concentrated = limits.count(ZeroConcentrated(Fraction(mu) ** 2 / 2))
    assert 1 <= factor(float(mu) ** -2, concentrated) < 15


@pytest.mark.parametrize("epsilon", ["0.1", "1"])
def test_an_approximate_promise_lets_less_noise_do_but_not_by_much(epsilon: str) -> None:
    pure, approx = limits.count(Pure(epsilon)), limits.count(Approx(epsilon, "1e-9"))
    assert 0.99 < float(approx) / float(pure) <= 1
    assert float(limits.count(Approx(epsilon, "0.5"))) < 0.9 * float(pure)


@pytest.mark.parametrize("people", [20, 1000, 50_000])
@pytest.mark.parametrize("epsilon", ["0.01", "0.1", "1", "4"])
def test_a_noisy_mean_is_within_its_factor_of_the_population_limit(
    epsilon: str, people: int
) -> None:
    """The smaller of noise on the sample mean and the constant 1/2, at the worst population."""
    noisy = 1 / (4 * people) + geometric_variance(float(epsilon)) / people**2
    assert 1 <= factor(min(noisy, 0.25), limits.mean(Pure(epsilon), people=people)) < 18


@pytest.mark.parametrize("people", [50, 5000])
@pytest.mark.parametrize("epsilon", ["0.1", "0.5", "1", "2"])
def test_randomized_response_is_within_its_factor_of_the_local_limit(
    epsilon: str, people: int
) -> None:
    """Half of the people say yes: the worst share; an estimate of 1/2 needs no reports."""
    spread = 1 / (4 * people * math.tanh(float(epsilon) / 2) ** 2)
    limit = limits.proportion(Local(epsilon), people=people)
    assert 1 <= factor(min(spread, 0.25), limit) < 40
    if float(epsilon) <= 1 and spread < 0.1:
        assert factor(spread, limit) < 16


@pytest.mark.parametrize("categories", [4, 16, 101])
@pytest.mark.parametrize("epsilon", ["0.5", "1", "3"])
def test_subset_selection_is_within_its_factor_of_the_local_limit(
    epsilon: str, categories: int
) -> None:
    """The best known protocol, in its closed form at the uniform population (Ye and Barg 2018)."""
    people, e = 10**6, math.exp(float(epsilon))
    errors = []
    for size in range(1, categories):
        own = size * e / (size * e + categories - size)
        other = own * (size - 1) / (categories - 1) + (1 - own) * size / (categories - 1)
        named = own / categories + other * (categories - 1) / categories
        errors.append(categories * named * (1 - named) / (own - other) ** 2 / people)
    limit = limits.histogram(Local(epsilon), people=people, categories=categories)
    assert 1 <= factor(min(errors), limit) < 75


@pytest.mark.parametrize("epsilon", ["0.05", "1"])
def test_a_released_histogram_is_within_its_factor_of_the_population_limit(epsilon: str) -> None:
    people, cells = 2000, 10
    noisy = (1 - 1 / cells) / people + cells * geometric_variance(float(epsilon), 2) / people**2
    assert 1 <= factor(noisy, limits.histogram(Pure(epsilon), people=people, categories=cells)) < 40


@pytest.mark.parametrize("epsilon", ["0.5", "2"])
def test_shuffled_reports_obey_both_limits(epsilon: str) -> None:
    people = 500
    spread = 1 / (4 * people * math.tanh(float(epsilon) / 2) ** 2)
    both = limits.mean(ShuffledPromise(local=epsilon, central=Pure("0.01")), people=people)
    local = limits.mean(Local(epsilon), people=people)
    central = limits.mean(Central(Pure("0.01")), people=people)
    assert float(both) == max(float(local), float(central))
    alone = limits.mean(ShuffledPromise(local=epsilon), people=people)
    assert alone.value == local.value
    assert factor(spread, alone) >= 1


@pytest.mark.parametrize("epsilon", ["0.1", "1"])
@pytest.mark.parametrize("points", [10, 1000])
def test_a_private_median_is_within_its_factor_of_the_packing_limit(
    epsilon: str, points: int
) -> None:
    """The choice by rank, on the datasets of the packing: all but one point lose as much; its exact
    mean error.
    """
    people = 2001
    rate, worst = float(epsilon), 0.0
    for rows in range(1, 400, 2):
        miss = rows / 2
        wrong = (points - 3) * math.exp(-rate * miss)
        worst = max(worst, miss * wrong / (1 + wrong))
    limit = limits.rank(Pure(epsilon), points=points, people=people)
    assert 1 <= factor(worst, limit) < 8
    bound = Exponential(epsilon=epsilon, sensitivity=1).error("0.95", candidates=points)
    assert float(limit) < bound


@pytest.mark.parametrize(("cells", "most"), [(2, 22), (100, 12), (10_000, 8)])
def test_the_largest_error_of_a_histogram_is_within_its_factor_of_the_packing_limit(
    cells: int, most: float
) -> None:
    """The mean of the largest of so many noises of scale 2 / epsilon, bounded by its tail."""
    epsilon = 0.1
    scale = 2 / epsilon
    mean = sum(1 - (1 - math.exp(-(k - 0.5) / scale)) ** cells for k in range(1, 2000))
    assert 1 <= factor(mean, limits.largest_count(Pure("0.1"), cells=cells)) < most


def test_a_median_of_normal_people_is_not_better_than_the_quantile_limit() -> None:
    people = 1000
    density = float(stats.norm.pdf(0)) * 0.9
    sampling = math.pi / 2 / people
    for epsilon in ("0.5", "4"):
        limit = limits.quantile(Pure(epsilon), people=people, density=density)
        assert float(limit) < sampling * 1.24
    private = limits.quantile(Pure("0.001"), people=people, density=density)
    assert float(private) > 100 * sampling
