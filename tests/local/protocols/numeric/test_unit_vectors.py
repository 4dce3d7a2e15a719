from __future__ import annotations

import math
from fractions import Fraction
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from tests.laws_of_noise.goodness import ACCEPTED, fit_counts

import shoal
from shoal.errors import DataError, RangeError, ShapeError
from shoal.local.protocols.numeric import Coordinates, NoisyNumber, OneBit, UnitVector
from shoal.local.protocols.numeric.coordinates import sample_without_replacement
from shoal.noise.seam import seeded


def test_coordinates_are_chosen_in_every_order_equally_often() -> None:
    with seeded("orders"):
        drawn = sample_without_replacement(4, 3, 60_000)
    orders = {order: place for place, order in enumerate(permutations(range(4), 3))}
    counts = np.bincount([orders[tuple(row)] for row in drawn.tolist()], minlength=24)
    assert fit_counts(counts, [1 / 24] * 24) > ACCEPTED


@pytest.mark.parametrize("epsilon", [1, 6])
def test_means_of_coordinates_are_unbiased_with_the_variance_they_say(epsilon: int) -> None:
    made, people = Coordinates.for_epsilon(epsilon, dimensions=8, low=-1, high=1), 40_000
    truth = np.linspace(-0.9, 0.9, 8)
    with seeded(f"coordinates {epsilon}"):
        means, variances = made.estimate(made.report(np.tile(truth, (people, 1))))
    assert (np.abs(means - truth) < 5 * np.sqrt(variances)).all()
    one = float(made.mechanism.worst_variance())
    expected = (8 / made.chosen * (one + truth**2) - truth**2) / people
    assert variances == pytest.approx(expected, rel=0.1)


def test_a_report_of_several_coordinates_costs_the_product_of_their_odds() -> None:
    made = Coordinates.for_epsilon(6, dimensions=8, low=0, high=1, kind=OneBit)
    assert made.chosen == 2
    assert made.odds == made.mechanism.odds**2
    assert math.log(made.odds) <= float(made.epsilon) <= 6
    assert made.cost == shoal.Pure(made.epsilon)


@pytest.mark.parametrize("epsilon", [1, 4])
def test_unit_vectors_are_unbiased_with_the_stated_error(epsilon: int) -> None:
    made, people = UnitVector.for_epsilon(epsilon, dimensions=20), 30_000
    value = np.zeros(20)
    value[:2] = 0.6, 0.8
    with seeded(f"unit {epsilon}"):
        mean, variances = made.estimate(made.report(np.tile(3 * value, (people, 1))))
    assert (np.abs(mean - value) < 5 * np.sqrt(variances)).all()
    assert variances.sum() * people == pytest.approx(made.squared_error, rel=0.03)


def test_a_vector_beyond_the_cut_is_as_much_likelier_as_stated() -> None:
    """The share of reports beyond the cut has the chance that the lean implies, and not that of
    another lean.
    """
    made, people = UnitVector(6, Fraction(5), Fraction(1, 2)), 60_000
    value = np.array([[1.0, -2, 0.5, 0, 3, 1]])
    with seeded("cap"):
        told = made.report(np.repeat(value, people, axis=0))
    inside = (told @ made._on_grid(value)[0]) > 2**43
    tail = math.erfc(0.5 / math.sqrt(2)) / 2
    chance = 5 * tail / (1 + 4 * tail)
    counts = np.array([inside.sum(), people - inside.sum()])
    assert fit_counts(counts, [chance, 1 - chance]) > ACCEPTED
    assert (
        fit_counts(counts, [5.5 * tail / (1 + 4.5 * tail), 1 - 5.5 * tail / (1 + 4.5 * tail)])
        < 1e-5
    )


def test_the_cost_of_a_unit_vector_is_a_little_above_the_logarithm_of_its_lean() -> None:
    made = UnitVector(100, Fraction(5), Fraction(1))
    assert 0 < float(made.epsilon) - math.log(5) < 1e-4
    assert UnitVector.for_epsilon("0.7", dimensions=100).epsilon <= Fraction(7, 10)
    assert made.cost == shoal.Pure(made.epsilon)


def test_the_best_cut_is_better_than_half_of_all_vectors() -> None:
    made = UnitVector.for_epsilon(4, dimensions=50)
    half = UnitVector(50, made.lean, Fraction(0))
    assert made.squared_error < 0.8 * half.squared_error


@pytest.mark.parametrize(
    "made",
    [
        NoisyNumber.laplace(1, low=-1, high=1),
        NoisyNumber.gaussian(1, delta="1e-5", low=-1, high=1),
    ],
)
def test_noisy_numbers_cost_what_was_asked_and_have_the_right_mean(made: NoisyNumber) -> None:
    people = 40_000
    with seeded("noisy"):
        found = made.estimate(made.report(np.full(people, 0.25)))
    assert abs(found.mean - 0.25) < 5 * found.standard_error
    if made.cost == shoal.Pure(1):
        assert found.variance * people == pytest.approx(8, rel=0.05)


@pytest.mark.parametrize(
    ("act", "problem"),
    [
        (lambda: UnitVector(1, Fraction(2), Fraction(0)), RangeError),
        (lambda: UnitVector.for_epsilon(1, dimensions=3).report(np.zeros((1, 3))), DataError),
        (lambda: UnitVector.for_epsilon(1, dimensions=3).report(np.ones((1, 4))), ShapeError),
        (lambda: UnitVector.for_epsilon(1, dimensions=3).estimate(np.ones(4)), ShapeError),
        (lambda: Coordinates.for_epsilon(1, dimensions=3, low=0, high=1).report([[1, 2]]), ShapeError),
        (lambda: Coordinates.for_epsilon(1, dimensions=3, low=0, high=1).estimate([[[9, 0]]]), DataError),
        (lambda: NoisyNumber.laplace(1, low=1, high=0), RangeError),
        (lambda: NoisyNumber.laplace(1, low=0, high=1).estimate([]), ShapeError),
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_refused(act: Any, problem: type[Exception]) -> None:
    with pytest.raises(problem):
        act()
