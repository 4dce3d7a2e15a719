from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from math import comb

import pytest

from shoal.accounting import (
    shuffled_closed_epsilon_up,
    shuffled_delta_up,
    shuffled_epsilon_up,
    shuffled_response_epsilon_up,
    shuffled_variation_delta_up,
    shuffled_variation_epsilon_up,
)
from shoal.accounting.shuffling_by_variation import _Pair
from shoal.errors import RangeError
from shoal.local import odds_down

THREE = Fraction(3)


def brute_force(odds: Fraction, variation: Fraction, people: int, gain: Fraction) -> Fraction:
    """The delta of the pair of laws, every count of the three kinds listed."""
    alpha = variation / (odds - 1)
    others = (odds * alpha, odds * alpha, 1 - 2 * odds * alpha)
    person = (odds * alpha, alpha, 1 - (odds + 1) * alpha)
    total = Fraction(0)
    for m in range(people):
        weight = comb(people - 1, m) * (1 / odds) ** m * (1 - 1 / odds) ** (people - 1 - m)
        laws: dict[tuple[int, int], list[Fraction]] = {}
        for a, b in ((x, y) for x in range(m + 1) for y in range(m + 1 - x)):
            ways = comb(m, a) * comb(m - a, b)
            each = weight * ways * others[0] ** a * others[1] ** b * others[2] ** (m - a - b)
            for d, e, kind in ((1, 0, 0), (0, 1, 1), (0, 0, 2)):
                found = laws.setdefault((a + d, b + e), [Fraction(0), Fraction(0)])
                found[0] += each * person[kind]
                found[1] += each * person[(1, 0, 2)[kind]]
        total += sum((max(Fraction(0), p - gain * q) for p, q in laws.values()), Fraction(0))
    return total


def needed_by_response(odds: Fraction, k: int, others: tuple[int, ...], gain: Fraction) -> Fraction:
    """What k-ary response needs for a person whose value is 0 or 1, with these others."""
    laws: list[dict[tuple[int, ...], Fraction]] = []
    for value in (0, 1):
        law = {(0,) * k: Fraction(1)}
        for held in (value, *others):
            after: dict[tuple[int, ...], Fraction] = {}
            for (counts, mass), report in product(law.items(), range(k)):
                chance = (odds if report == held else 1) / (odds + k - 1)
                more = tuple(n + (i == report) for i, n in enumerate(counts))
                after[more] = after.get(more, Fraction(0)) + mass * chance
            law = after
        laws.append(law)
    p, q = laws
    return sum((max(Fraction(0), p[x] - gain * q[x]) for x in p), Fraction(0))


@pytest.mark.parametrize("people", [1, 2, 5, 12])
@pytest.mark.parametrize("variation", [Fraction(1, 4), Fraction(1, 10), Fraction(1, 50)])
@pytest.mark.parametrize("gain", [Fraction(1), Fraction(6, 5), Fraction(5, 2)])
def test_the_delta_is_that_of_all_outcomes_and_never_below_it(
    people: int, variation: Fraction, gain: Fraction
) -> None:
    found = _Pair(THREE, variation, people).delta_up(gain)
    true = brute_force(THREE, variation, people, gain)
    assert true <= found <= true * Fraction(100_001, 100_000) + Fraction(1, 10**15)


@pytest.mark.slow
@pytest.mark.parametrize("k", [4, 5, 8])
@pytest.mark.parametrize("gain", [Fraction(1), Fraction(3, 2), Fraction(2), Fraction(5, 2)])
def test_no_answers_of_the_others_need_more(k: int, gain: Fraction) -> None:
    """With four choices, three people and a gain of 2, the count of two kinds alone would say
    7/216, and 5/108 is needed.
    """
    bound = shuffled_variation_delta_up(
        3, variation=Fraction(2, k + 2), people=3, epsilon=Fraction(math.log(gain))
    )
    for others in product(range(k), repeat=2):
        assert needed_by_response(THREE, k, others, gain) <= bound * Fraction(1 + 1e-12)
    if k == 4 and gain == 2:
        assert needed_by_response(THREE, 4, (2, 2), gain) == Fraction(5, 108)


def test_a_pair_of_values_that_differs_less_needs_no_more() -> None:
    for gain in (Fraction(1), Fraction(6, 5), Fraction(2)):
        found = [brute_force(THREE, Fraction(1, x), 6, gain) for x in (4, 5, 8, 20, 100)]
        assert found == sorted(found, reverse=True)


@pytest.mark.slow
@pytest.mark.parametrize("categories", [10, 100])
def test_it_agrees_with_the_blanket_of_k_ary_response(categories: int) -> None:
    """Two roads to nearly one number; the blanket knows the whole randomizer."""
    odds = odds_down(1)
    variation = (odds - 1) / (odds + categories - 1)
    one = shuffled_variation_epsilon_up(odds, variation=variation, people=1000, delta="1e-6")
    two = shuffled_response_epsilon_up(1, categories=categories, people=1000, delta="1e-6")
    assert 0.999 * float(two) <= float(one) <= 1.2 * float(two)


@pytest.mark.slow
def test_for_a_large_variation_it_is_the_count_of_clones() -> None:
    found = shuffled_variation_delta_up(3, variation="1/2", people=500, epsilon="0.3")
    clones = shuffled_delta_up("1.0986122886681098", people=500, epsilon="0.3")
    assert math.isclose(float(found), float(clones), rel_tol=1e-6)
    epsilon = shuffled_variation_epsilon_up(3, variation="1/2", people=500, delta="1e-6")
    assert math.isclose(
        float(epsilon),
        float(shuffled_epsilon_up("1.0986122886681098", people=500, delta="1e-6")),
        rel_tol=1e-3,
    )


@pytest.mark.slow
def test_a_smaller_variation_never_costs_more() -> None:
    found = [
        shuffled_variation_epsilon_up(3, variation=Fraction(1, parts), people=2000, delta="1e-5")
        for parts in (2, 3, 5, 20)
    ]
    assert found == sorted(found, reverse=True)


@pytest.mark.slow
def test_the_counted_bound_is_below_the_clones_and_the_closed_form() -> None:
    odds = odds_down(1)
    counted = shuffled_variation_epsilon_up(
        odds, variation=(odds - 1) / (odds + 3), people=10**5, delta="1e-6"
    )
    closed = shuffled_closed_epsilon_up(1, people=10**5, delta="1e-6")
    assert closed is not None
    assert counted < shuffled_epsilon_up(1, people=10**5, delta="1e-6") < closed


def test_parameters_that_no_randomizer_has_are_refused() -> None:
    with pytest.raises(RangeError):
        shuffled_variation_delta_up(3, variation="0.6", people=10, epsilon=1)
    with pytest.raises(RangeError):
        shuffled_variation_delta_up(1, variation="0.1", people=10, epsilon=1)
