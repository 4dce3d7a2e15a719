"""The worked examples of the source documents, with the figures corrected."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from flint import arb
from tests.mechanisms import laws

from shoal import Exponential, PermuteAndFlip, Pure, RandomizedResponse
from shoal.exact import ball


def test_two_coins_cost_the_logarithm_of_three() -> None:
    low, high = laws.bounds(lambda: arb(3).log())
    epsilon = RandomizedResponse.coins().cost.epsilon
    assert low <= epsilon <= high * (1 + Fraction(1, 1 << 62))


@pytest.mark.parametrize(
    ("phi", "epsilon"),
    [("0.05", 2.944), ("0.25", 1.099), ("0.4", 0.405), ("0.5", 0), ("0.75", 1.099), ("0.95", 2.944)],
)  # fmt: skip
def test_warners_design_is_symmetric_about_one_half(phi: str, epsilon: float) -> None:
    mechanism = RandomizedResponse.for_phi(phi)
    assert float(mechanism.cost.epsilon) == pytest.approx(epsilon, abs=6e-4)
    assert mechanism.cost == RandomizedResponse.for_phi(1 - Fraction(phi)).cost
    assert RandomizedResponse.for_gamma(Fraction(phi) - Fraction(1, 2)) == mechanism


def test_the_truth_of_k_categories_is_told_with_the_probability_of_the_theorem() -> None:
    """ERRATA 14: e^epsilon / (K + e^epsilon - 1)."""
    mechanism = RandomizedResponse.for_epsilon(1, categories=10)
    told = mechanism.lean + (1 - mechanism.lean) / 10
    assert told == pytest.approx(math.e / (9 + math.e), rel=1e-12)


def test_hair_colours_are_as_sure_as_the_documents_say() -> None:
    """ERRATA 35: .973 by the theorem, .981 by the law, .9998 as counts are monotone."""
    worst = {"dark": 500, "brown": 399, "blond": 399, "red": 399}
    plain = Exponential(epsilon="0.1", sensitivity=1)
    assert plain.textbook_error("0.973", candidates=4) < 101
    assert plain.textbook_error("0.975", candidates=4) > 101
    assert plain.probabilities(worst)["dark"] >= 0.981
    assert plain.error("0.981", candidates=4) < 101
    monotone = Exponential(epsilon="0.1", sensitivity=1, monotone=True)
    assert monotone.probabilities(worst)["dark"] >= 0.9998
    assert monotone.probabilities(worst)["dark"] == pytest.approx(0.99988, abs=5e-6)


def test_the_price_example_has_its_jump() -> None:
    """ERRATA 33: at 3.00 both buy, for 6; at 3.01 one does."""
    offers = [Fraction("3.00"), Fraction("4.00")]

    def profit(price: str) -> Fraction:
        return Fraction(price) * sum(offer >= Fraction(price) for offer in offers)

    prices = ["3.00", "3.01", "4.00", "4.01"]
    assert [profit(price) for price in prices] == [6, Fraction("3.01"), 4, 0]
    mechanism = PermuteAndFlip(epsilon=20, sensitivity="4.01", monotone=True)
    scores = {price: profit(price) for price in prices}
    assert mechanism.release(scores) in prices
    law = Exponential(epsilon=20, sensitivity="4.01", monotone=True).probabilities(scores)
    assert law["3.00"] > 0.99
    assert law["3.01"] < 0.01


def test_scores_are_exponentiated_and_not_themselves_the_chances() -> None:
    """ERRATA 31: proportional to exp(epsilon score / 2), never to the score."""
    law = Exponential(epsilon=2, sensitivity=1).probabilities([1, 3])
    assert law[1] / law[0] == pytest.approx(math.exp(2), rel=1e-12)


def test_probabilities_are_a_law_and_survive_scores_of_any_size() -> None:
    mechanism = Exponential(epsilon=1, sensitivity=1)
    for scores in ([0, 1e300], [0, 3 * 10**9], [10**400, 10**400 - 2, 0], [5], list(range(300))):
        law = mechanism.probabilities(scores)
        assert sum(law.values()) == pytest.approx(1, abs=1e-12)
        assert sum(map(Fraction, law.values())) <= 1
        assert all(0 <= chance <= 1 for chance in law.values())
    shifted = mechanism.probabilities([10**400, 10**400 - 2])
    low, high = laws.bounds(lambda: 1 / (1 + ball(-1).exp()))
    assert low - Fraction(1, 10**15) < Fraction(shifted[0]) <= high


def test_a_report_is_private_for_each_person_by_itself() -> None:
    assert RandomizedResponse.for_epsilon(1).event.relation == "change"
    assert RandomizedResponse.for_epsilon(1).cost == Pure(1)
    told = RandomizedResponse.for_epsilon(1).release(np.array([[0, 1], [1, 0]]))
    assert told.shape == (2, 2)
