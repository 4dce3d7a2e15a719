"""Choices of bounded range: against every pair of two losses, point by point, and in every
order.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations_with_replacement

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.accounting.samples import ORDERS, Floats, above, composed, divergence

from shoal.accounting import (
    account,
    bounded_range_delta_up,
    bounded_range_divergence_up,
    bounded_range_epsilon_up,
    optimal_epsilon_up,
)
from shoal.errors import RangeError
from shoal.events import Exponential, Repeated
from shoal.measures import Pure

some = settings(derandomize=True, deadline=None, max_examples=60)


def pair(epsilon: float, top: float) -> tuple[Floats, Floats]:
    chance = (math.exp(epsilon) - math.exp(top)) / math.expm1(epsilon)
    p = np.array([chance, 1 - chance])
    return p, p * np.exp([-top, epsilon - top])


def needed(tops: tuple[float, ...], epsilon: float, target: float) -> float:
    p, q = composed([pair(epsilon, top) for top in tops])
    return float(np.maximum(p - math.exp(target) * q, 0).sum())


@pytest.mark.slow
@pytest.mark.parametrize(("epsilon", "target"), [(1.0, 0.0), (1.0, 0.7), (2.0, 3.1), (0.2, 0.3)])
@pytest.mark.parametrize("count", [1, 2, 3])
def test_no_choice_of_ranges_needs_more_and_one_needs_as_much(
    epsilon: float, target: float, count: int
) -> None:
    tops = np.linspace(0, epsilon, 41)
    worst = max(
        needed(each, epsilon, target) for each in combinations_with_replacement(tops, count)
    )
    bound = float(bounded_range_delta_up(epsilon, count=count, epsilon=target))
    best = max(
        needed(((target + (few + 1) * epsilon) / (count + 1),) * count, epsilon, target)
        if target + (few + 1) * epsilon < (count + 1) * epsilon
        else 0.0
        for few in range(count)
    )
    assert worst <= bound * (1 + 1e-12) + 1e-15
    assert bound == pytest.approx(best, rel=1e-9, abs=1e-15)


@some
@given(
    tops=st.lists(st.floats(0.01, 0.99), min_size=7, max_size=7),
    epsilon=st.sampled_from([0.1, 0.8, 3.0]),
    share=st.floats(0, 0.9),
)
def test_ranges_that_differ_never_need_more(
    tops: list[float], epsilon: float, share: float
) -> None:
    target = share * 7 * epsilon
    bound = float(bounded_range_delta_up(epsilon, count=7, epsilon=target))
    placed = tuple(epsilon * top for top in tops)
    assert needed(placed, epsilon, target) <= bound * (1 + 1e-9) + 1e-15


@pytest.mark.slow
@pytest.mark.parametrize(("epsilon", "count"), [("0.5", 100), ("0.1", 300), (2, 3), (1, 1)])
def test_epsilon_is_the_least_that_the_delta_allows(epsilon: str | int, count: int) -> None:
    found = bounded_range_epsilon_up(epsilon, count=count, delta="1e-6")
    assert bounded_range_delta_up(epsilon, count=count, epsilon=found) <= Fraction(1, 10**6)
    below = found * (1 - Fraction(1, 10**6))
    assert bounded_range_delta_up(epsilon, count=count, epsilon=below) > Fraction(1, 10**6)


def test_choices_fixed_in_advance_cost_less_than_the_same_one_by_one_or_pure_ones() -> None:
    fixed = bounded_range_epsilon_up("0.5", count=100, delta="1e-6")
    choice = Exponential("0.5", 1, candidates=5, monotone=False)
    assert round(float(fixed), 3) == 14.305
    assert fixed < account(Repeated(choice, 100)).epsilon(delta="1e-6").epsilon
    assert fixed < optimal_epsilon_up({Pure("0.5"): 100}, delta="1e-6").epsilon / 2


@pytest.mark.slow
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("epsilon", ["0.05", "1", "4"])
def test_the_curve_of_a_choice_is_the_largest_of_all_pairs(order: Fraction, epsilon: str) -> None:
    size = float(epsilon)
    tops = np.linspace(0, size, 4001)[1:-1]
    worst = max(divergence(*pair(size, top), float(order)) for top in tops)
    bound = bounded_range_divergence_up(epsilon, order=order)
    assert above(bound, worst, within=1e-4)
    assert bound <= min(Fraction(epsilon), order * Fraction(epsilon) ** 2 / 8)


def test_at_low_orders_an_eighth_of_the_square_is_nearly_needed() -> None:
    bound = bounded_range_divergence_up("0.01", order="1.001")
    assert bound > Fraction(1001, 1000) * Fraction(1, 10**4) / 8 * (1 - Fraction(1, 1000))


def test_the_edges_of_choices() -> None:
    assert bounded_range_delta_up(1, count=3, epsilon=3) == 0
    assert bounded_range_delta_up(0, count=3, epsilon=0) == 0
    assert bounded_range_delta_up(1, count=0, epsilon=0) == 0
    assert bounded_range_epsilon_up(1, count=3, delta=0) == 3
    assert bounded_range_epsilon_up(1, count=3, delta=1) == 0
    assert bounded_range_epsilon_up(1, count=3, delta="0.9") == 0
    assert bounded_range_divergence_up(0, order=2) == 0
    with pytest.raises(RangeError, match="count"):
        bounded_range_delta_up(1, count=-1, epsilon=0)
