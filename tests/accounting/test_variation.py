from __future__ import annotations

from fractions import Fraction
from math import comb

import pytest

from shoal.accounting import (
    shuffled_closed_epsilon_up,
    shuffled_delta_up,
    shuffled_epsilon_up,
    shuffled_response_epsilon_up,
    shuffled_stronger_epsilon_up,
    shuffled_variation_delta_up,
    shuffled_variation_epsilon_up,
)
from shoal.accounting.variation import _Pair
from shoal.errors import RangeError
from shoal.local import odds_down

THREE = Fraction(3)


def brute_force(odds: Fraction, variation: Fraction, people: int, gain: Fraction) -> Fraction:
    """The delta of the pair of laws, every outcome listed."""
    alpha = variation / (odds - 1)
    laws: dict[tuple[int, int], list[Fraction]] = {}
    for c in range(people):
        weight = comb(people - 1, c) * (2 * alpha) ** c * (1 - 2 * alpha) ** (people - 1 - c)
        for a in range(c + 1):
            each = weight * Fraction(comb(c, a), 2**c)
            rest = 1 - (odds + 1) * alpha
            for d, e, p, q in ((1, 0, odds * alpha, alpha), (0, 1, alpha, odds * alpha), (0, 0, rest, rest)):  # fmt: skip
                found = laws.setdefault((a + d, c - a + e), [Fraction(0), Fraction(0)])
                found[0] += each * p
                found[1] += each * q
    return sum((max(Fraction(0), p - gain * q) for p, q in laws.values()), Fraction(0))


@pytest.mark.parametrize("people", [2, 5, 24, 40])
@pytest.mark.parametrize("variation", [Fraction(1, 2), Fraction(1, 5), Fraction(1, 50)])
@pytest.mark.parametrize("gain", [Fraction(1), Fraction(6, 5), Fraction(5, 2)])
def test_the_delta_is_that_of_all_outcomes_and_never_below_it(
    people: int, variation: Fraction, gain: Fraction
) -> None:
    """All others from the two laws at once is bounded rather than summed: that is the whole difference."""
    found = _Pair(THREE, variation, people).delta_up(gain, far=9.0)
    true = brute_force(THREE, variation, people, gain)
    assert true <= found
    assert found <= true * Fraction(1001, 1000) + variation ** (people - 1)


@pytest.mark.parametrize(
    ("people", "local", "known"),
    [
        (10**3, 1, 0.1487),
        (10**4, 1, 0.0432),
        (10**4, 4, 0.4108),
        (10**5, 4, 0.1182),
        (10**6, 1, 0.0035),
        (10**6, 2, 0.0095),
    ],
)
def test_the_general_bound_is_within_one_per_cent_of_the_best_known(
    people: int, local: int, known: float
) -> None:
    odds = odds_down(local)
    found = shuffled_variation_epsilon_up(
        odds, variation=(odds - 1) / (odds + 1), people=people, delta="1e-6"
    )
    assert float(found) <= known * 1.01 + 5e-5


@pytest.mark.parametrize("categories", [10, 100])
def test_it_agrees_with_the_blanket_of_k_ary_response(categories: int) -> None:
    """Two roads to one number; the blanket tells who answered truthfully, and so can only be larger."""
    odds = odds_down(1)
    variation = (odds - 1) / (odds + categories - 1)
    one = shuffled_variation_epsilon_up(odds, variation=variation, people=1000, delta="1e-6")
    two = shuffled_response_epsilon_up(1, categories=categories, people=1000, delta="1e-6")
    assert float(one) <= float(two) * 1.002
    assert float(one) >= 0.8 * float(two)


def test_for_one_bit_it_is_the_count_of_clones() -> None:
    found = shuffled_variation_delta_up(3, variation="1/2", people=500, epsilon="0.3")
    clones = shuffled_delta_up("1.0986122886681098", people=500, epsilon="0.3", binary=True)
    assert found <= clones
    assert float(found) > 0.5 * float(clones)


def test_a_smaller_variation_never_costs_more() -> None:
    found = [
        shuffled_variation_epsilon_up(3, variation=Fraction(1, parts), people=2000, delta="1e-5")
        for parts in (2, 3, 5, 20)
    ]
    assert found == sorted(found, reverse=True)


def test_the_counted_bound_is_below_both_closed_forms() -> None:
    counted = shuffled_variation_epsilon_up(
        odds_down(1), variation=(odds_down(1) - 1) / (odds_down(1) + 1), people=10**5, delta="1e-6"
    )
    newer = shuffled_stronger_epsilon_up(1, people=10**5, delta="1e-6")
    older = shuffled_closed_epsilon_up(1, people=10**5, delta="1e-6")
    assert newer is not None
    assert older is not None
    assert float(newer) == pytest.approx(0.0604, abs=1e-4)
    assert counted < shuffled_epsilon_up(1, people=10**5, delta="1e-6") < newer < older


def test_the_closed_form_of_2023_is_silent_outside_its_range() -> None:
    assert shuffled_stronger_epsilon_up(8, people=1000, delta="1e-6") is None


def test_parameters_that_no_randomizer_has_are_refused() -> None:
    with pytest.raises(RangeError):
        shuffled_variation_delta_up(3, variation="0.6", people=10, epsilon=1)
    with pytest.raises(RangeError):
        shuffled_variation_delta_up(1, variation="0.1", people=10, epsilon=1)
