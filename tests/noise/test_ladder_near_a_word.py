"""Probabilities on a multiple of 2^-64, or closer to one than any table can see, are exact like
others.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from flint import arb
from tests.noise.scripted import ONES, Scripted, ScriptExhaustedError

from shoal.exact import ball
from shoal.noise import Coin, categorical, floored_laplace
from shoal.noise.ladder import Ladder, falls_below, step_of
from shoal.noise.seam import seeded, use

HALF = 1 << 63
MANY = 1 << 16


def a_half_seen_through_rounding() -> arb:
    """1/2, as a ball that never shrinks to a point."""
    return ball(Fraction(1, 3)) + ball(Fraction(1, 6))


def a_hair_above_a_half() -> arb:
    """1/2 + 2^-1000000 or so."""
    return ball(Fraction(1, 2)) + ball(-Fraction(700_000)).exp()


@pytest.mark.parametrize("chance", [a_half_seen_through_rounding, a_hair_above_a_half])
@pytest.mark.parametrize(
    ("word", "tail", "shows"),
    [  # the ladder shows False below 1 - chance
        (HALF - 2, ONES, False),
        (HALF - 1, ONES - 1, False),
        (HALF, 1, True),
        (HALF + 1, 0, True),
    ],
)
def test_a_coin_at_one_half_switches_at_one_half(
    chance: object, word: int, tail: int, *, shows: bool
) -> None:
    assert callable(chance)
    with use(Scripted([word, tail])):
        assert Coin(chance).many(1).tolist() == [shows]


@pytest.mark.parametrize("word", [HALF - 1, HALF])
def test_words_on_either_side_of_an_unseen_half_ask_for_more(word: int) -> None:
    """A table cannot tell a hair below from a hair above, so neither word may decide alone."""
    with use(Scripted([word])), pytest.raises(ScriptExhaustedError):
        Coin(a_half_seen_through_rounding).many(1)


def test_a_cell_is_left_open_when_the_word_after_a_step_is_its_first() -> None:
    ladder = Ladder.of(lambda: [1 - a_half_seen_through_rounding() / 2**15])
    assert ladder.steps.tolist() == [(1 << 48) - 1]
    assert np.flatnonzero(ladder.guide[1]).tolist() == [0, 1]


def test_a_rational_coin_on_a_word_shows_true_from_that_word_on() -> None:
    coin = Coin(Fraction(3, 4))
    with use(Scripted([1 << 62, 0, 0, 1])):
        assert coin.many(1).tolist() == [True]
    with use(Scripted([(1 << 62) - 1, *[ONES] * 3])):
        assert coin.many(1).tolist() == [False]


@pytest.mark.parametrize(
    ("log_weights", "cumulated"),
    [
        ([0, 1, 0, 1], [None, Fraction(1, 2), None]),
        ([0, 0, -(10**6)], [Fraction(1, 2), Fraction(1)]),
        ([-(10**6), 0], [Fraction(0)]),
        ([0, 0, 0, 0], [Fraction(1, 4), Fraction(1, 2), Fraction(3, 4)]),
        ([-(10**9), 0, -(10**9)], [Fraction(0), Fraction(1)]),
    ],
)
def test_categories_whose_sums_meet_a_word_can_be_drawn(
    log_weights: list[int], cumulated: list[Fraction | None]
) -> None:
    """One word to either side of each such sum is decided at once, and on the right side of it."""
    noise = categorical([Fraction(weight) for weight in log_weights])
    for rank, so_far in enumerate(cumulated):
        for shift in (-3, 3):
            word = 0 if so_far is None else int(so_far * 2**64) + shift
            if 0 < word <= ONES:
                with use(Scripted([word])):
                    assert (int(noise.many(1)[0]) > rank) is (shift > 0)


def test_a_floored_laplace_of_the_smallest_scale_is_zero_or_minus_one_equally_often() -> None:
    noise = floored_laplace(Fraction(1, 2**20))
    with use(Scripted([HALF - 1, ONES - 1, HALF, 1], forever=0)):
        assert [int(noise.many(1)[0]) for _ in range(2)] == [0, -1]
    with seeded("floored"):
        drawn = noise.many(MANY)
    assert set(drawn.tolist()) == {0, -1}
    assert abs(int((drawn == 0).sum()) - MANY // 2) < 5 * (MANY / 4) ** 0.5


def test_an_enclosure_too_wide_for_a_step_has_none() -> None:
    assert step_of(arb(0.5, 1e-19)) is None


def test_a_step_below_zero_is_zero() -> None:
    assert step_of(arb(1, 1e-30)) == 0


def test_a_word_that_shares_many_digits_with_the_chance_is_decided_in_the_end() -> None:
    """Precision must grow with the digits drawn, or the comparison would never end."""
    chance = Fraction(1, 3)
    digits = (1 << 64 * 6) // 3
    words = [digits >> 64 * (5 - place) & ONES for place in range(6)]
    for shift in (-1, 1):
        tail = [*words[1:5], words[5] + shift]
        source = Scripted(tail)
        assert falls_below(lambda: ball(chance), words[0], 64, source) is (shift < 0)
        assert source.left == 0


def test_a_ladder_of_one_rank_draws_nothing_else() -> None:
    ladder = Ladder.of(list)
    assert ladder.decide(np.array([0, ONES], dtype=np.uint64), Scripted()).tolist() == [0, 0]
    assert ladder.draw(5000, Scripted(u16=range(5000))).tolist() == [0] * 5000
