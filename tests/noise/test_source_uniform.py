from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.noise.scripted import Scripted, ScriptExhaustedError

from shoal.errors import RangeError
from shoal.noise import one_below, uniform_below
from shoal.noise.seam import seeded, use
from shoal.noise.source import draw_below


@pytest.mark.parametrize("bound", [1, 2, 3, 5, 8, 9, 10, 17, 100, 255, 256, 257, 1000])
def test_every_word_that_is_not_refused_gives_each_integer_equally_often(bound: int) -> None:
    """All words of just enough bits, once each: those at or above the bound are skipped."""
    size = 1 << (bound - 1).bit_length()
    source = Scripted(u16=[*range(size), *[0] * 99])
    drawn = draw_below(bound, bound, source).tolist()
    assert sorted(drawn) == list(range(bound))


@given(st.integers(1, 1 << 16), st.integers(0, 0xFFFF))
def test_a_word_is_cut_to_the_bits_of_the_bound_and_no_further(bound: int, word: int) -> None:
    cut = word % (1 << (bound - 1).bit_length())
    with use(Scripted(u16=[word], forever=0)):
        assert one_below(bound) == (cut if cut < bound else 0)


@pytest.mark.parametrize("bound", [2**32 - 5, 2**32, 2**40 + 1, 2**63, 2**63 - 1])
def test_large_bounds_take_their_words_whole(bound: int) -> None:
    words = [bound - 1, bound % (1 << 63), 0]
    source = Scripted(words, u32=[word % 2**32 for word in words], forever=0)
    drawn = draw_below(bound, 1, source)
    assert drawn.tolist() == [bound - 1]


@pytest.mark.parametrize("bound", [2**63 + 1, 2**64, 2**64 + 1, 10**30])
def test_wide_bounds_refuse_the_bound_itself_and_take_what_lies_below(bound: int) -> None:
    bits = (bound - 1).bit_length()
    size = -(-bits // 8)

    def bytes_of(number: int) -> bytes:
        return (number << (8 * size - bits)).to_bytes(size)

    refused = bytes_of(bound) if bound < 1 << bits else b""
    drawn = draw_below(bound, 2, Scripted(u8=refused + bytes_of(bound - 1) + bytes_of(0)))
    assert drawn.tolist() == [bound - 1, 0]


def test_no_more_is_drawn_when_every_word_fits() -> None:
    with use(Scripted(u16=[3, 1, 2])):
        assert uniform_below(4, 3).tolist() == [3, 1, 2]
        with pytest.raises(ScriptExhaustedError):
            uniform_below(4, 1)


@pytest.mark.parametrize("bound", [3, 10, 1000, 2**33 + 7, 3 * 2**62, 10**30])
def test_draws_stay_below_their_bound_and_fill_it_evenly(bound: int) -> None:
    with seeded(bound):
        drawn = uniform_below(bound, 3000).tolist()
    assert all(0 <= value < bound for value in drawn)
    thirds = Counter(3 * value // bound for value in drawn)
    expected = {
        third: 3000 * (-(-(third + 1) * bound // 3) - -(-third * bound // 3)) / bound
        for third in range(3)
    }
    assert all(abs(thirds[third] - expected[third]) < 6 * 26 for third in range(3))


@pytest.mark.parametrize("bound", [0, -1, -(2**70)])
def test_a_bound_below_one_is_refused(bound: int) -> None:
    with pytest.raises(RangeError, match="bound"):
        uniform_below(bound, 1)
