"""Every release has the law it claims, and a scale 30 % off would be seen."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats
from tests.mechanisms.statistics_of import ACCEPT, REJECT, p_value, p_value_of_choices

from shoal import (
    DiscreteGaussian,
    Exponential,
    Gaussian,
    Geometric,
    Grid,
    Histogram,
    Laplace,
    NoisyMax,
    PermuteAndFlip,
    RandomizedResponse,
    SparseVector,
    Staircase,
    TopK,
    TruncatedGeometric,
)
from shoal.mechanisms.selection import Selection
from shoal.noise import seam

N = 100_000
Distribution = Callable[[float], float]


def geometric_cdf(scale: float) -> Distribution:
    ratio = math.exp(-1 / scale)

    def at_most(x: float) -> float:
        k = math.floor(x)
        if k < 0:
            return math.exp(k / scale) / (1 + ratio)
        return 1 - math.exp(-(k + 1) / scale) / (1 + ratio)

    return at_most


def rounded_cdf(sigma: float) -> Distribution:
    return lambda x: float(stats.norm.cdf((math.floor(x) + 0.5) / sigma))


def discrete_gaussian_cdf(sigma: float) -> Distribution:
    reach = math.ceil(12 * sigma)
    weights = np.exp(-(np.arange(-reach, reach + 1) ** 2) / (2 * sigma**2))
    sums = np.cumsum(weights) / weights.sum()
    return lambda x: float(sums[min(2 * reach, max(0, math.floor(x) + reach))])


def staircase_cdf(epsilon: float, width: int, gamma: float) -> Distribution:
    reach = width * math.ceil(40 / epsilon)
    places = np.abs(np.arange(-reach, reach + 1))
    weights = np.exp(-epsilon * (places // width + (places % width >= gamma * width)))
    sums = np.cumsum(weights) / weights.sum()
    return lambda x: float(sums[min(2 * reach, max(0, math.floor(x) + reach))])


def stairs_on_a_line(epsilon: float, gamma: float) -> Distribution:
    """The continuous staircase law of sensitivity 1."""

    def beyond(x: float) -> float:
        fall = math.exp(-epsilon)
        whole, part = divmod(x, 1)
        flight = gamma + (1 - gamma) * fall
        left = max(0.0, gamma - part) + (1 - max(gamma, part)) * fall
        return float(fall**whole) * (left * (1 - fall) / flight + fall) / 2

    return lambda x: 1 - beyond(x) if x >= 0 else beyond(-x)


def laplace_cdf(scale: float) -> Distribution:
    return lambda x: float(stats.laplace.cdf(x, scale=scale))


def normal_cdf(sigma: float) -> Distribution:
    return lambda x: float(stats.norm.cdf(x, scale=sigma))


CASES: dict[str, tuple[Any, Any, Callable[[float], Distribution]]] = {
    "laplace, integers": (Laplace(scale=5, sensitivity=1), 7, lambda f: geometric_cdf(5 * f)),
    "laplace, reals": (Laplace(scale=5, sensitivity=1), 7.25, lambda f: laplace_cdf(5 * f)),
    "geometric": (Geometric(scale="1.5", sensitivity=1), -3, lambda f: geometric_cdf(1.5 * f)),
    "gaussian, integers": (Gaussian(sigma=2, sensitivity=1), 7, lambda f: rounded_cdf(2 * f)),
    "gaussian, reals": (Gaussian(sigma=2, sensitivity=1), 7.25, lambda f: normal_cdf(2 * f)),
    "discrete gaussian, integers": (
        DiscreteGaussian(sigma="0.8", sensitivity=1),
        7,
        lambda f: discrete_gaussian_cdf(0.8 * f),
    ),
    "discrete gaussian, reals": (
        DiscreteGaussian(sigma=2, sensitivity=1),
        7.25,
        lambda f: normal_cdf(2 * f),
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_an_array_has_the_law_it_claims_and_no_other(name: str) -> None:
    mechanism, value, law = CASES[name]
    with seam.seeded(f"statistics of {name}"):
        noise = mechanism.release(np.full(N, value)) - value
    assert p_value(noise, law(1.0)) > ACCEPT
    for factor in (1.3, 1 / 1.3):
        assert p_value(noise, law(factor)) < REJECT


SCALARS = {
    **CASES,
    "laplace, coarse grid": (
        Laplace(scale=5, sensitivity=1, grid=Grid(1)),
        8.0,
        lambda f: lambda x: geometric_cdf(5 * f)(x / 2),
    ),
    "staircase, integers": (
        Staircase(epsilon=2, sensitivity=4),
        7,
        lambda f: staircase_cdf(2 / f, 4, 1 / (1 + math.exp(1))),
    ),
    "staircase, reals": (
        Staircase(epsilon=2, sensitivity=1),
        7.25,
        lambda f: stairs_on_a_line(2 / f, 1 / (1 + math.exp(1))),
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SCALARS)
def test_scalars_have_the_law_they_claim_and_no_other(name: str) -> None:
    mechanism, value, law = SCALARS[name]
    with seam.seeded(f"scalars of {name}"):
        noise = np.array([mechanism.release(value) - value for _ in range(30_000)])
    assert p_value(noise, law(1.0)) > ACCEPT
    for factor in (1.3, 1 / 1.3):
        assert p_value(noise, law(factor)) < REJECT


def test_the_numbers_of_a_vector_are_independent() -> None:
    with seam.seeded("independent"):
        rows = Gaussian(sigma=1, sensitivity=1).release(np.zeros((N // 4, 4)))
    correlations = np.asarray(np.corrcoef(rows.T))[np.triu_indices(4, 1)]
    assert np.abs(correlations).max() < 6 / math.sqrt(N // 4)


def test_a_clamped_answer_piles_up_at_the_ends() -> None:
    mechanism = TruncatedGeometric(scale=2, sensitivity=1, low=0, high=5)
    with seam.seeded("clamped"):
        answers = mechanism.release(np.full(N, 1))
    assert p_value_of_choices(answers.tolist(), clamped(2.0)) > ACCEPT
    assert p_value_of_choices(answers.tolist(), clamped(2.6)) < REJECT


def clamped(scale: float) -> dict[int, float]:
    at_most = geometric_cdf(scale)
    sums = [at_most(place - 1) for place in range(5)]
    parts = [sums[0], *(b - a for a, b in itertools.pairwise(sums)), 1 - sums[-1]]
    return dict(enumerate(parts))


def test_every_cell_of_a_histogram_has_noise_of_its_own() -> None:
    mechanism = Histogram.for_epsilon(1, relation="change")
    with seam.seeded("histogram"):
        tables = [mechanism.release(list("aab"), categories="abc") for _ in range(4000)]
    cells = np.array([[table[c] - "aab".count(c) for c in "abc"] for table in tables])
    for column in cells.T:
        assert p_value(column, geometric_cdf(2.0)) > ACCEPT
        assert p_value(column, geometric_cdf(2.6)) < 1e-9
    assert np.abs(np.asarray(np.corrcoef(cells.T))[np.triu_indices(3, 1)]).max() < 6 / math.sqrt(
        4000
    )


# choices

SCORES = [3.0, 2.5, 0.0, -1.0]
CHOICES = 12_000


def softmax(rate: float) -> dict[int, float]:
    weights = np.exp(rate * np.array(SCORES))
    return dict(enumerate(weights / weights.sum()))


def permute_and_flip(rate: float) -> dict[int, float]:
    coins = np.exp(rate * (np.array(SCORES) - max(SCORES)))
    chances = dict.fromkeys(range(len(SCORES)), 0.0)
    for order in itertools.permutations(range(len(SCORES))):
        left = 1 / math.factorial(len(SCORES))
        for place in order:
            chances[place] += left * coins[place]
            left *= 1 - coins[place]
    return chances


def laplace_max(rate: float) -> dict[int, float]:
    x = np.linspace(-60, 70, 400_001) / rate
    chances = {}
    for place, score in enumerate(SCORES):
        density = stats.laplace.pdf(x, loc=score, scale=1 / rate)
        for other, loc in enumerate(SCORES):
            if other != place:
                density *= stats.laplace.cdf(x, loc=loc, scale=1 / rate)
        chances[place] = float(np.trapezoid(density, x))
    return chances


def peeled(rate: float) -> dict[tuple[int, ...], float]:
    weights = np.exp(rate * np.array(SCORES))
    return {
        (a, b): weights[a] / weights.sum() * weights[b] / (weights.sum() - weights[a])
        for a, b in itertools.permutations(range(len(SCORES)), 2)
    }


SELECTIONS: dict[str, tuple[Selection, Callable[[float], dict[Any, float]]]] = {
    "exponential": (Exponential(epsilon=2, sensitivity=1), softmax),
    "permute and flip": (PermuteAndFlip(epsilon=2, sensitivity=1), permute_and_flip),
    "noisy max": (NoisyMax(epsilon=2, sensitivity=1), laplace_max),
    "noisy max, exponential": (
        NoisyMax(epsilon=2, sensitivity=1, noise="exponential"),
        permute_and_flip,
    ),
    "noisy max, gumbel": (NoisyMax(epsilon=2, sensitivity=1, noise="gumbel"), softmax),
    "top two": (TopK(k=2, epsilon=4, sensitivity=1), peeled),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SELECTIONS)
def test_a_choice_has_the_law_it_claims_and_no_other(name: str) -> None:
    mechanism, law = SELECTIONS[name]
    with seam.seeded(f"choices of {name}"):
        drawn = [mechanism.release(SCORES) for _ in range(CHOICES)]
    chosen = [tuple(each) if isinstance(each, list) else each for each in drawn]
    assert p_value_of_choices(chosen, law(1.0)) > ACCEPT
    for factor in (1.3, 1 / 1.3):
        assert p_value_of_choices(chosen, law(factor)) < REJECT


# randomized response


@pytest.mark.parametrize("categories", [2, 5])
def test_reports_have_the_law_they_claim_and_no_other(categories: int) -> None:
    mechanism = RandomizedResponse.for_epsilon(1, categories=categories)
    with seam.seeded("reports"):
        told = mechanism.release(np.zeros(N, dtype=int))

    def law(epsilon: float) -> dict[int, float]:
        weights = [math.exp(epsilon)] + [1.0] * (categories - 1)
        return {place: weight / sum(weights) for place, weight in enumerate(weights)}

    assert p_value_of_choices(told.tolist(), law(1.0)) > ACCEPT
    assert p_value_of_choices(told.tolist(), law(1.3)) < REJECT
    assert p_value_of_choices(told.tolist(), law(1 / 1.3)) < REJECT


# sparse vector


def test_comparisons_have_the_law_they_claim_and_no_other() -> None:
    """One question, 1 below the threshold: P(above) from the two scales."""
    mechanism = SparseVector(epsilon=4, sensitivity=1, positives=1)
    with seam.seeded("sparse"):
        ups = [mechanism.start(threshold=5).ask(4.0) for _ in range(6000)]
    question, threshold = float(mechanism.question_scale), float(mechanism.threshold_scale)
    assert p_value_of_choices(ups, first_above(question, threshold)) > ACCEPT
    assert p_value_of_choices(ups, first_above(question * 2, threshold)) < 1e-9
    assert p_value_of_choices(ups, first_above(question, threshold * 4)) < 1e-9


def first_above(question: float, threshold: float) -> dict[bool, float]:
    x = np.linspace(-60, 60, 200_001)
    density = stats.laplace.pdf(x, scale=threshold) * stats.laplace.sf(x + 1, scale=question)
    up = float(np.trapezoid(density, x))
    return {True: up, False: 1 - up}


def test_numbers_told_have_the_law_they_claim_and_no_other() -> None:
    mechanism = SparseVector(epsilon=4, sensitivity=1, positives=3000, numeric=True)
    with seam.seeded("sparse numbers"):
        run = mechanism.start(threshold=-(10**9))
        answers = [run.answer(2.0) for _ in range(3000)]
    noise = np.array([each - 2.0 for each in answers if each is not None])
    scale = float(mechanism.answer_scale)
    assert len(noise) == 3000
    assert p_value(noise, laplace_cdf(scale)) > ACCEPT
    assert p_value(noise, laplace_cdf(scale * 1.3)) < 1e-9
