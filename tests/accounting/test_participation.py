"""Streams with correlated noise: sensitivities by all patterns, by matrices, and by published
figures.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.accounting import account, participation, tree_participation
from shoal.accounting.participation import toeplitz_square
from shoal.accounting.pricing import price_for_group
from shoal.accounting.quantities import SQUARED_MU
from shoal.accounting.registry import price
from shoal.accounting.tree_participation import level_bound, tree_square
from shoal.errors import RangeError
from shoal.events import (
    Composed,
    CorrelatedGaussian,
    Gaussian,
    PoissonSampled,
    Repeated,
    StatedGaussian,
    TreeAggregation,
)
from shoal.exact import root_up
from shoal.measures import GaussianDP


def patterns(steps: int, most: int, apart: int, start: int = 0) -> Iterator[tuple[int, ...]]:
    """Every set of at most so many steps, any two at least so far apart."""
    yield ()
    if most:
        for first in range(start, steps):
            for rest in patterns(steps, most - 1, apart, first + apart):
                yield (first, *rest)


def all_patterns_square(matrix: list[list[Fraction]], most: int, apart: int) -> Fraction:
    """The largest sum of absolute inner products of columns, over all patterns."""
    columns = list(zip(*matrix, strict=True))
    gram = [[sum(map(lambda a, b: a * b, p, q), Fraction(0)) for q in columns] for p in columns]
    return max(
        sum((abs(gram[i][j]) for i in pattern for j in pattern), Fraction(0))
        for pattern in patterns(len(columns), most, apart)
    )


def toeplitz(coefficients: list[Fraction], steps: int) -> list[list[Fraction]]:
    filled = [*coefficients, *[Fraction(0)] * steps]
    return [[filled[t - s] if s <= t else Fraction(0) for s in range(steps)] for t in range(steps)]


def tree(steps: int) -> list[list[Fraction]]:
    """One row for each node."""
    levels = [1 << level for level in range(steps.bit_length())]
    return [
        [Fraction(start <= s < start + width) for s in range(steps)]
        for width in levels
        for start in range(0, steps - width + 1, width)
    ]


def square_root(terms: int) -> list[Fraction]:
    return [Fraction(math.comb(2 * j, j), 4**j) for j in range(terms)]


small = {"steps": st.integers(1, 9), "most": st.integers(1, 5), "apart": st.integers(1, 6)}
numbers = st.fractions(-3, 3, max_denominator=4)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(coefficients=st.lists(numbers.map(abs), min_size=1, max_size=9), **small)
def test_falling_coefficients_have_exactly_the_sensitivity_of_their_worst_pattern(
    coefficients: list[Fraction], steps: int, most: int, apart: int
) -> None:
    falling = sorted(coefficients[:steps], reverse=True)
    for signed in (falling, [-one for one in falling]):
        found = toeplitz_square(signed, steps=steps, participations=most, separation=apart)
        assert found == (all_patterns_square(toeplitz(signed, steps), most, apart), True)


@settings(max_examples=60, deadline=None)
@given(coefficients=st.lists(numbers, min_size=1, max_size=9), **small)
def test_no_pattern_moves_a_stream_further_than_its_bound_and_some_as_far_where_that_is_said(
    coefficients: list[Fraction], steps: int, most: int, apart: int
) -> None:
    own = coefficients[:steps]
    found = toeplitz_square(own, steps=steps, participations=most, separation=apart)
    truth = all_patterns_square(toeplitz(own, steps), most, apart)
    assert found.square >= truth
    if found.attained:
        assert found.square == truth
    if most == 1 or len(own) <= apart:
        assert found.attained


def test_long_streams_are_summed_without_walking_through_them() -> None:
    def by_matrix(terms: int, steps: int, count: int, apart: int) -> float:
        column = np.zeros(steps)
        for place in range(count):
            whole = np.array([float(one) for one in square_root(min(terms, steps - place * apart))])
            column[place * apart : place * apart + len(whole)] += whole
        return float(column @ column)

    for terms, steps, count, apart in ((50, 500, 9, 7), (300, 500, 40, 9), (500, 500, 5, 100)):
        found = toeplitz_square(
            square_root(terms), steps=steps, participations=count, separation=apart
        )
        assert float(found.square) == pytest.approx(
            by_matrix(terms, steps, count, apart), rel=1e-12
        )
    endless = toeplitz_square(square_root(3), steps=10**30, participations=10**29, separation=2)
    ends = toeplitz_square(square_root(3), steps=100, participations=10, separation=2)
    longer = toeplitz_square(square_root(3), steps=100, participations=11, separation=2)
    assert endless.square == ends.square + (10**29 - 10) * (longer.square - ends.square)


def test_the_square_root_factorisation_has_landaus_constants_as_its_squared_norms() -> None:
    """Brutman 1982: 1 + ln(n) / pi <= G_(n-1) < 1.0663 + ln(n) / pi, which tends to its upper
    end.
    """
    for steps in (1, 8, 64, 1024):
        found = toeplitz_square(square_root(steps), steps=steps)
        assert found.attained
        assert 1 <= float(found.square) - math.log(steps) / math.pi < 1.0663
    assert float(found.square) - math.log(1024) / math.pi > 1.066


def test_coefficients_with_a_long_common_denominator_are_rounded_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    own = [Fraction(1), Fraction(-2, 3), Fraction(1, 7)]
    exact = toeplitz_square(own, steps=9, participations=2, separation=3)
    monkeypatch.setattr(participation, "_MOST_BITS", 8)
    rounded = toeplitz_square(own, steps=9, participations=2, separation=3)
    assert exact.attained
    assert not rounded.attained
    assert exact.square < rounded.square < exact.square + Fraction(1, 2**240)


@pytest.mark.slow
@pytest.mark.parametrize("apart", [1, 2, 3, 4, 5, 6, 7, 11, 13])
@pytest.mark.parametrize("steps", [1, 2, 5, 8, 11, 13, 16, 19])
def test_a_tree_has_exactly_the_sensitivity_of_its_worst_pattern(steps: int, apart: int) -> None:
    for most in range(1, 5):
        truth = all_patterns_square(tree(steps), most, apart)
        assert tree_square(steps, participations=most, separation=apart) == (truth, True)
        count = participation.most_participations(steps, most, apart)
        assert level_bound(steps, count, apart) >= truth


@pytest.mark.parametrize(("most", "apart", "steps", "square"), [
    (1, 8, 8, 4), (3, 4, 9, 11), (3, 3, 7, 9), (8, 3, 24, 88), (11, 1, 8, 120), (200, 1, 8, 120),
])  # fmt: skip
def test_trees_agree_with_the_figures_of_tensorflow_privacy(
    most: int, apart: int, steps: int, square: int
) -> None:
    """tree_aggregation_accountant_test.py; its min_separation counts the steps between, one fewer
    than ours.
    """
    assert tree_square(steps, participations=most, separation=apart).square == square


def test_a_person_in_every_step_moves_every_node_by_its_width() -> None:
    for steps in (3, 11, 19, 1000):
        depths = [place for place in range(steps.bit_length()) if steps >> place & 1]
        whole = sum(2**depth * (2 ** (depth + 1) - 1) for depth in depths)
        assert tree_square(steps, participations=steps).square == whole


def test_large_trees_are_bounded_level_by_level_and_nothing_is_claimed_from_below(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    exact = tree_square(24, participations=8, separation=3)
    monkeypatch.setattr(tree_participation, "MOST_WORK", 10)
    bound = tree_square(24, participations=8, separation=3)
    assert exact == (Fraction(88), True)
    assert bound == (Fraction(level_bound(24, 8, 3)), False)
    event = TreeAggregation(24, 1, steps=24, participations=8, separation=3)
    assert account(event).epsilon(delta="1e-6").lower is None


def test_dp_ftrl_costs_no_more_than_its_paper_says() -> None:
    """Kairouz and others 2021, StackOverflow: 1600 rounds, one participation, delta 1e-6."""
    for sigma, published in (("1.13", 19.74), ("8.83", 2.04)):
        found = account(TreeAggregation(sigma, 1, steps=1600)).epsilon(delta="1e-6")
        assert 0.8 * published < found.epsilon < published


def test_one_coefficient_is_independent_noise_in_each_step() -> None:
    stream = CorrelatedGaussian(3, 2, [1], steps=10, participations=4, separation=2)
    plain = Repeated(Gaussian(3, 2), 4)
    assert account(stream).cost(GaussianDP) == account(plain).cost(GaussianDP)
    assert account(stream).epsilon(delta="1e-6") == account(plain).epsilon(delta="1e-6")


def test_the_price_of_a_stream_is_that_of_one_gaussian_with_its_sensitivity() -> None:
    stream = CorrelatedGaussian(
        4, 1, [1, "1/2", "3/8"], steps=1000, participations=3, separation=100
    )
    square = 3 * (1 + Fraction(1, 4) + Fraction(9, 64)) / 16
    assert price(stream, SQUARED_MU) == square
    assert price_for_group(stream, 5, SQUARED_MU) == 25 * square
    told = account(StatedGaussian(root_up(square))).epsilon(delta="1e-6").epsilon
    assert account(stream).epsilon(delta="1e-6").epsilon == pytest.approx(told, rel=1e-12)


def test_the_lower_end_of_a_stream_is_told_only_where_a_person_moves_it_so_far() -> None:
    falling = CorrelatedGaussian(4, 1, [1, "1/2"], steps=9, participations=3)
    both_signs = CorrelatedGaussian(4, 1, [1, "-1/2"], steps=9, participations=3)
    for wrap in (lambda event: event, lambda event: PoissonSampled(event, "0.1")):
        assert account(wrap(falling)).epsilon(delta="1e-6").lower is not None
        assert account(wrap(both_signs)).epsilon(delta="1e-6").lower is None
        several = Composed([both_signs, Gaussian(9, 1)])
        assert account(wrap(several)).epsilon(delta="1e-6").lower is None


def test_a_stream_has_no_more_coefficients_than_steps() -> None:
    with pytest.raises(RangeError, match="coefficients must not be more than steps"):
        CorrelatedGaussian(1, 1, [1, 1, 1], steps=2)
