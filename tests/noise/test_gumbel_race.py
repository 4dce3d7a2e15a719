"""Tickets times acceptance are the weights."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.noise.scripted import ONES, Scripted

from shoal.exact import ball, floor_of
from shoal.noise import candidate_race, gumbel_race
from shoal.noise.candidate_race import _Lottery
from shoal.noise.seam import seeded, use

SCORES = np.array([3, 2, 0, 0, -5])
HALF = Fraction(1, 2)


@pytest.mark.parametrize("chunk", [1, 2, 3, 1 << 14])
def test_the_first_and_the_last_ticket_of_every_candidate_are_its_own(
    chunk: int, tickets: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(candidate_race, "CHUNK", chunk)
    lottery = _Lottery(SCORES, np.arange(5) * 7, HALF)
    sizes = [int(size) for start in range(0, 5, chunk) for size in lottery._tickets(start)]
    assert lottery.totals[-1] == sum(sizes)
    for place, size in enumerate(sizes):
        first = sum(sizes[:place])
        tickets += [first, first + size - 1]
        with use(Scripted([0, 0])):
            assert [lottery.draw(), lottery.draw()] == [place * 7, place * 7]


@given(st.fractions(0, 60, max_denominator=10**6), st.sampled_from([-1, 1]))
@example(Fraction(14), 1)
@example(Fraction(16), 1)
@example(Fraction(19), 1)
def test_a_ticket_is_accepted_with_its_share_of_the_weight(exponent: Fraction, shift: int) -> None:
    """P(candidate) = tickets / total * weight / tickets: proportional to the weight."""
    scores = np.array([Fraction(0), -exponent], dtype=object)
    lottery = _Lottery(scores, np.arange(2), Fraction(1))
    bound = int(lottery._tickets(0)[1])
    digits = floor_of(lambda: ball(-exponent).exp() * 2**40 / bound, bits=128)
    word, tail = digits >> 64, digits & ONES
    if 0 < word < ONES and 0 < tail < ONES:
        for script in ([word + shift, 0], [word, tail + shift]):
            with use(Scripted(script)):
                assert lottery._accepts(1, bound) is (shift < 0)


def test_a_refused_ticket_is_drawn_anew(tickets: list[int]) -> None:
    scores = np.array([0, -1000])
    lottery = _Lottery(scores, np.arange(2), Fraction(1))
    tickets += [lottery.totals[-1] - 1, 0]
    with use(Scripted([ONES, 0])):
        assert lottery.draw() == 0


def test_later_places_go_to_candidates_that_were_not_chosen() -> None:
    with seeded("places"):
        ranking = gumbel_race(np.array([1000, 0, -3, 500]), Fraction(1), places=4)
    assert ranking[:2] == [0, 3]
    assert sorted(ranking) == [0, 1, 2, 3]
