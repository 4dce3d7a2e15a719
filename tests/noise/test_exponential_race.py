"""Entering by weight and drawing among the entered is permute-and-flip, step by step."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, permutations, product
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.noise.scripted import ONES, Scripted

from shoal.exact import ball, floor_of
from shoal.noise import exponential_race
from shoal.noise.seam import use

SCORES = np.array([3, 2, 0, 0, -5])
HALF = Fraction(1, 2)
chances = st.lists(st.fractions(0, 1, max_denominator=9), min_size=1, max_size=4)


def by_lottery(chance: list[Fraction]) -> list[Fraction]:
    """Everyone enters with its chance; the winner is drawn from those who entered."""
    wins = [Fraction(0)] * len(chance)
    for entered in product([False, True], repeat=len(chance)):
        odds = prod(p if enters else 1 - p for p, enters in zip(chance, entered, strict=True))
        for place, enters in enumerate(entered):
            wins[place] += Fraction(odds, sum(entered)) if enters else 0
    return wins


def by_permute_and_flip(chance: list[Fraction]) -> list[Fraction]:
    """In random order, the first to show heads wins."""
    wins = [Fraction(0)] * len(chance)
    orders = list(permutations(range(len(chance))))
    for order in orders:
        nobody = Fraction(1)
        for place in order:
            wins[place] += nobody * chance[place] / len(orders)
            nobody *= 1 - chance[place]
    return wins


@pytest.mark.slow
@given(chances)
def test_the_lottery_of_those_who_enter_is_permute_and_flip(chance: list[Fraction]) -> None:
    assert by_lottery([Fraction(1), *chance]) == by_permute_and_flip([Fraction(1), *chance])


@pytest.mark.parametrize("others", [s for k in range(5) for s in combinations(range(1, 5), k)])
def test_whoever_enters_wins_equally_often(others: tuple[int, ...], tickets: list[int]) -> None:
    entered = [0, *others]
    draws = [0 if place in entered else (1 << 32) - 1 for place in range(5)]
    for turn, winner in enumerate(entered):
        tickets.append(turn)
        with use(Scripted(u32=draws)):
            assert exponential_race(SCORES, HALF) == winner


@given(st.fractions(Fraction(1, 10**6), 30, max_denominator=10**6), st.sampled_from([-1, 1]))
def test_a_candidate_enters_with_its_weight(exponent: Fraction, shift: int) -> None:
    """The candidate stands first, so that it wins the one-word draw of 0 just when it entered."""
    scores = np.array([-exponent, Fraction(0)], dtype=object)
    digits = floor_of(lambda: ball(-exponent).exp(), bits=96)
    word, tail = digits >> 64, digits & ONES
    cases = [([word], [tail + shift])]
    if 0 <= word + shift < 1 << 32:
        cases.append(([word + shift], [0] if shift < 0 else [ONES]))
    if 0 < tail < ONES:
        for draw, more in cases:
            with use(Scripted(more, u32=[*draw, 0], u16=[0] * 99, forever=0)):
                assert exponential_race(scores, Fraction(1)) == (0 if shift < 0 else 1)


def test_the_best_always_enter() -> None:
    with use(Scripted(u32=[(1 << 32) - 1] * 3, u16=[1] * 99)):
        assert exponential_race(np.array([5, 5, 4]), Fraction(3)) == 1
