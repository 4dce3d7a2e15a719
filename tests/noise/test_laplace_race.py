"""Nobody who may win is left out, and the digits that decide have the law of the fraction."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from flint import arb
from hypothesis import example, given
from hypothesis import strategies as st
from tests.noise.scripted import ONES, Scripted
from tests.noise.test_exp_enclosures import pairs, rates

from shoal.exact import at_precision, ball, floor_of
from shoal.noise import candidate_race, laplace_race
from shoal.noise.candidate_race import _LAPLACE_STEPS, _photo_finish, _Runner
from shoal.noise.seam import seeded, use

SCORES = np.array([3, 2, 0, 0, -5])
HALF = Fraction(1, 2)


class Floors:
    """Stands for the law of the floors; they are written down."""

    def __init__(self, floors: list[int]) -> None:
        self.floors = floors

    def many(self, count: int) -> np.ndarray:
        assert count == len(self.floors)
        return np.array(self.floors)


floors = st.lists(st.integers(-(2**24), 2**24), min_size=2, max_size=2)
close_floors = st.lists(st.integers(-2, 2), min_size=2, max_size=2)
far_floors = st.lists(st.integers(-(2**61), 2**61), min_size=2, max_size=2)


@given(pairs, rates, st.one_of(floors, close_floors, far_floors))
@example(
    np.array([-3940318881936, 0]), Fraction(1, 5), [826344762388984633, 0]
)  # 128 steps of error
def test_whoever_may_still_win_is_in_the_photo_finish(
    scores: candidate_race.Scores, rate: Fraction, noise: list[int]
) -> None:
    exact = [Fraction(score) for score in scores.tolist()]
    lows = [
        floor - (max(exact) - score) * rate * _LAPLACE_STEPS
        for floor, score in zip(noise, exact, strict=True)
    ]
    may_win = {place for place in (0, 1) if lows[place] + 1 >= max(lows)}
    seen: list[set[int]] = []

    def photo_finish(runners: dict[int, _Runner]) -> int:
        seen.append(set(runners))
        return 0

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(candidate_race, "floored_laplace", lambda _scale: Floors(noise))
        patch.setattr(candidate_race, "_photo_finish", photo_finish)
        winner = laplace_race(scores, rate)
    assert may_win <= (seen[0] if seen else {winner})


@pytest.mark.parametrize("floor", [0, 1, 5 * _LAPLACE_STEPS, -1, -2, -7 * _LAPLACE_STEPS])
@pytest.mark.parametrize("behind", [Fraction(0), Fraction(7, 3)])
def test_a_runner_ends_between_its_floor_and_the_integer_after(
    floor: int, behind: Fraction
) -> None:
    runner = _Runner(behind, floor)
    assert runner.reach() == (floor - behind, floor + 1 - behind)
    with seeded("runner"):
        for _ in range(5):
            before = runner.reach()
            runner.draw_digit()
            after = runner.reach()
            assert before[0] <= after[0] < after[1] <= before[1]
            assert after[1] - after[0] == (before[1] - before[0]) / 2


@pytest.mark.parametrize("digits", [(1,), (0, 1), (1, 0, 1), (0, 0, 0, 1, 1)])
def test_the_digits_of_a_runner_multiply_to_the_law_of_the_fraction(
    digits: tuple[int, ...],
) -> None:
    """P(fraction in [a, b)) = (e^-a/s - e^-b/s) / (1 - e^-1/s), digit by digit."""

    def difference() -> arb:
        odds = arb(1)
        for place, digit in enumerate(digits):
            one = 1 / (1 + ball(Fraction(1, 2 ** (place + 1) * _LAPLACE_STEPS)).exp())
            odds = odds * (one if digit else 1 - one)
        low = Fraction(int("".join(map(str, digits)), 2), 2 ** len(digits))
        ends = [-low, -low - Fraction(1, 2 ** len(digits)), Fraction(-1)]
        at_low, at_high, at_one = (ball(end / _LAPLACE_STEPS).exp() for end in ends)
        return odds - (at_low - at_high) / (1 - at_one)

    assert at_precision(300, lambda: bool(abs(difference()) < arb(2) ** -200))


@pytest.mark.parametrize("place", [1, 2, 10])
def test_a_digit_is_one_with_its_chance(place: int) -> None:
    def chance() -> arb:
        return 1 / (1 + ball(Fraction(1, 2**place * _LAPLACE_STEPS)).exp())

    digits = floor_of(chance, bits=128)
    for script, one in (
        ([digits >> 64, (digits & ONES) - 1], True),
        ([digits >> 64, (digits & ONES) + 1], False),
    ):
        runner = _Runner(Fraction(0), 4)
        runner.digits = place - 1
        with use(Scripted(script)):
            runner.draw_digit()
        assert (runner.magnitude == 4) is not one


@pytest.mark.slow
@pytest.mark.parametrize("floor", [9, -9])
def test_a_photo_finish_is_decided_by_fractions(floor: int) -> None:
    """Half a step ahead from the same floor: ahead in the end with probability 7/8, to 2^-20."""
    runs = 2000
    with seeded("photo"):
        ahead = sum(
            _photo_finish({0: _Runner(HALF, floor), 1: _Runner(Fraction(0), floor)})
            for _ in range(runs)
        )
    assert abs(ahead - runs * 7 / 8) < 6 * (runs * 7 / 64) ** 0.5
