"""Coins, categories and truncated draws switch at the word the closed form names."""

from __future__ import annotations

from fractions import Fraction

import pytest
from flint import arb
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.noise.scripted import ONES, Scripted

from shoal.errors import RangeError
from shoal.exact import Real, ball, floor_of
from shoal.noise import Coin, categorical, truncated_geometric
from shoal.noise.ladder import SMALL
from shoal.noise.seam import use

chances = st.fractions(0, 1, max_denominator=10**12)
exponents = st.fractions(0, 40, max_denominator=10**9)
log_weights = st.lists(st.fractions(-60, 60, max_denominator=10**6), min_size=2, max_size=6)


def switches(coin: Coin, chance: Real) -> bool:
    """Whether the coin shows True exactly from U = 1 - chance on, to 128 bits."""
    digits = floor_of(lambda: 1 - chance(), bits=128)
    word, tail = digits >> 64, digits & ONES
    assume(0 < word < ONES)
    assume(0 < tail < ONES)
    shown = []
    for pair in ([word - 1, ONES], [word, tail - 1], [word, tail + 1], [word + 1, 0]):
        with use(Scripted(pair, forever=7)):
            shown.append(bool(coin.many(1)[0]))
    return shown == [False, False, True, True]


@pytest.mark.slow
@given(chances)
def test_a_rational_coin_switches_where_its_chance_says(chance: Fraction) -> None:
    assume(chance.denominator & (chance.denominator - 1))  # powers of 2: test_ladder_near_a_word
    assert switches(Coin(chance), lambda: ball(chance))


@given(exponents)
def test_an_exponential_coin_switches_where_its_chance_says(exponent: Fraction) -> None:
    assume(exponent > Fraction(1, 10**9))
    assert switches(Coin.exp(exponent), lambda: ball(-exponent).exp())


@pytest.mark.parametrize("word", [0, 1, 1 << 63, ONES])
def test_sure_coins_never_show_the_other_side(word: int) -> None:
    with use(Scripted([word, word, 1, word, 1, 1])):
        assert Coin(Fraction(1)).many(1).tolist() == [True]
        assert Coin(Fraction(0)).many(1).tolist() == [False]
        assert Coin.exp(Fraction(0)).many(1).tolist() == [True]


@pytest.mark.parametrize("exponent", [Fraction(10) ** 300, Fraction(10) ** 4000])
def test_an_exponential_coin_of_a_huge_exponent_shows_false(exponent: Fraction) -> None:
    with use(Scripted([ONES, ONES, ONES - 1])):
        assert Coin.exp(exponent).many(1).tolist() == [False]


def test_an_exponential_coin_of_a_tiny_exponent_shows_true() -> None:
    with use(Scripted([0, 0, 1])):
        assert Coin.exp(Fraction(10) ** -4000).many(1).tolist() == [True]


@pytest.mark.slow
@given(log_weights)
def test_categories_switch_where_the_closed_form_says(logs: list[Fraction]) -> None:
    noise = categorical(logs)
    for rank in range(len(logs) - 1):

        def up_to(rank: int = rank) -> arb:
            weights = [ball(log).exp() for log in logs]
            return sum(weights[: rank + 1], arb(0)) / sum(weights, arb(0))

        if len(set(logs)) < len(logs):
            continue  # such sums can meet a word: test_ladder_near_a_word
        digits = floor_of(up_to, bits=128)
        word, tail = digits >> 64, digits & ONES
        if not (0 < word < ONES and 0 < tail < ONES):
            continue
        for pair, beyond in ([word, tail - 1], False), ([word, tail + 1], True):
            with use(Scripted(pair, forever=0)):
                assert (int(noise.many(1)[0]) > rank) is beyond


def test_few_and_many_tosses_read_the_same_words_alike() -> None:
    """The guide decides from 16 bits what whole words decide."""
    coin, count = Coin(Fraction(1, 3)), SMALL
    leading = [place * 64 for place in range(count)]
    with use(Scripted(u16=leading, forever=0)):
        many = coin.many(count).tolist()
    with use(Scripted([word << 48 for word in leading], forever=0)):
        few = [bool(coin.many(1)[0]) for _ in range(count)]
    assert many == few


def test_a_limit_beyond_the_scale_skips_what_lies_beyond_it() -> None:
    """Scale 1, limit 2: words of the ranks 0, 5, 2, 3, 1 give 0, 2, 1."""
    steps = [1 - 2.718281828459045 ** -(rank + 1) for rank in range(6)]
    words = [int((([0.0, *steps][rank] + steps[rank]) / 2) * 2**64) for rank in (0, 5, 2, 3, 1, 0)]
    with use(Scripted(words)):
        assert truncated_geometric(Fraction(1), 2).many(3).tolist() == [0, 2, 1]


def test_a_limit_below_the_scale_keeps_what_a_geometric_draw_reaches() -> None:
    """Scale 10, limit 3: the geometric heights 5, 0, 2, 0 against 3, 1, 2, 0 keep 3, 2, 0."""
    steps = [0.0, *(1 - 2.718281828459045 ** (-(rank + 1) / 10) for rank in range(9))]
    heights = [int((steps[rank] + steps[rank + 1]) / 2 * 2**64) for rank in (5, 0, 2, 0, 1, 1)]
    with use(Scripted(heights, u16=[3, 1, 2, 0, 2, 2])):
        assert truncated_geometric(Fraction(10), 3).many(3).tolist() == [3, 2, 0]


@pytest.mark.parametrize("chance", [Fraction(-1, 10), Fraction(11, 10)])
def test_a_chance_outside_the_unit_interval_is_refused(chance: Fraction) -> None:
    with pytest.raises(RangeError, match="chance"):
        Coin(chance)


def test_a_negative_exponent_is_refused() -> None:
    with pytest.raises(RangeError, match="exponent"):
        Coin.exp(Fraction(-1))


def test_a_negative_limit_is_refused() -> None:
    with pytest.raises(RangeError, match="limit"):
        truncated_geometric(Fraction(1), -1)
