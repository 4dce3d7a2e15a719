"""Coins, categories and races fit their closed forms, and not one another's."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import quad
from tests.laws_of_noise.goodness import ACCEPTED, fit_counts

from shoal.noise import Coin, categorical, exponential_race, gumbel_race, laplace_race
from shoal.noise.seam import seeded

RUNS = 20_000
SCORES = [3, 0, -1]
RATE = Fraction(1)


def gumbel_chances(scores: list[int]) -> list[float]:
    weights = [math.exp(score) for score in scores]
    return [weight / sum(weights) for weight in weights]


def exponential_chances(scores: list[int]) -> list[float]:
    """Over all sets of candidates that may enter."""
    enters = [math.exp(score - max(scores)) for score in scores]
    chances = [0.0] * len(scores)
    for entered in product([0, 1], repeat=len(scores)):
        odds = math.prod(p if e else 1 - p for p, e in zip(enters, entered, strict=True))
        for place in np.flatnonzero(entered):
            chances[place] += odds / sum(entered)
    return chances


def laplace_chances(scores: list[int]) -> list[float]:
    """The integral over the winner's height of its density and of all others lying below."""

    def below(height: float) -> float:
        return math.exp(height) / 2 if height < 0 else 1 - math.exp(-height) / 2

    def wins(place: int) -> float:
        def density(height: float) -> float:
            others = math.prod(
                below(height - score) for at, score in enumerate(scores) if at != place
            )
            return math.exp(-abs(height - scores[place])) / 2 * others

        return float(quad(density, -40, 60, points=sorted(set(scores)), limit=200)[0])

    return [wins(place) for place in range(len(scores))]


CLOSED_FORMS: dict[str, Callable[[list[int]], list[float]]] = {
    "gumbel": gumbel_chances,
    "exponential": exponential_chances,
    "laplace": laplace_chances,
}
RACES: dict[str, Callable[[NDArray[np.int64]], int]] = {
    "gumbel": lambda scores: gumbel_race(scores, RATE)[0],
    "exponential": lambda scores: exponential_race(scores, RATE),
    "laplace": lambda scores: laplace_race(scores, RATE),
}


@pytest.mark.parametrize("name", RACES)
def test_a_race_fits_its_law_and_neither_of_the_others(name: str) -> None:
    scores = np.array(SCORES)
    with seeded(f"race {name}"):
        winners = np.bincount([RACES[name](scores) for _ in range(RUNS)], minlength=len(SCORES))
    for other, closed_form in CLOSED_FORMS.items():
        chances = closed_form(SCORES)
        assert abs(sum(chances) - 1) < 1e-9
        fit = fit_counts(winners, chances)
        assert fit > ACCEPTED if other == name else fit < 1e-6


def test_first_and_second_place_fit_draws_without_replacement() -> None:
    scores, names = [2, 1, 0, 0], range(4)
    weights = [math.exp(score) for score in scores]
    pairs = [(one, two) for one in names for two in names if one != two]
    chances = [
        weights[one] / sum(weights) * weights[two] / (sum(weights) - weights[one])
        for one, two in pairs
    ]
    with seeded("places"):
        ranked = [tuple(gumbel_race(np.array(scores), RATE, places=2)) for _ in range(RUNS // 5)]
    counts = np.array([ranked.count(pair) for pair in pairs])
    assert counts.sum() == RUNS // 5
    assert fit_counts(counts, chances) > ACCEPTED
    assert fit_counts(counts, [1 / 12] * 12) < 1e-20


@pytest.mark.parametrize("chance", [Fraction(1, 3), Fraction(1, 1000), Fraction(9, 10)])
def test_a_coin_fits_its_chance_and_none_one_percent_off(chance: Fraction) -> None:
    draws = 4 * 10**6
    with seeded(f"coin {chance}"):
        heads = int(Coin(chance).many(draws).sum())
    counts = np.array([heads, draws - heads])
    assert fit_counts(counts, [float(chance), float(1 - chance)]) > ACCEPTED
    off = float(chance) * (1.1 if chance < Fraction(1, 100) else 1.01)
    assert fit_counts(counts, [off, 1 - off]) < 1e-6


@pytest.mark.parametrize("exponent", [Fraction(1, 2), Fraction(5)])
def test_an_exponential_coin_fits_its_chance(exponent: Fraction) -> None:
    draws = 10**6
    with seeded(f"exp {exponent}"):
        heads = int(Coin.exp(exponent).many(draws).sum())
    counts = np.array([heads, draws - heads])
    for factor, fits in ((1.0, True), (1.1, False)):
        chance = math.exp(-float(exponent) * factor)
        p_value = fit_counts(counts, [chance, 1 - chance])
        assert p_value > ACCEPTED if fits else p_value < 1e-20


def test_categories_fit_their_weights() -> None:
    logs = [Fraction(0), Fraction(1), Fraction(-3), Fraction(1), Fraction(1, 3)]
    weights = np.exp([float(log) for log in logs])
    with seeded("categories"):
        counts = np.bincount(categorical(logs).many(10**6), minlength=5)
    assert fit_counts(counts, weights / weights.sum()) > ACCEPTED
    assert fit_counts(counts, weights[::-1] / weights.sum()) < 1e-20
