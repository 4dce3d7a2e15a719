"""Shuffled answers to one bit, against all counts of few people in fractions."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

import numpy as np
import pytest
from flint import arb

from shoal.accounting.count_profile import CountProfile
from shoal.accounting.shuffled_count import (
    _blocks,
    shuffled_binary_delta_down,
    shuffled_binary_delta_up,
    shuffled_binary_epsilon_down,
    shuffled_binary_epsilon_up,
)
from shoal.accounting.shuffling import shuffled_epsilon_up
from shoal.accounting.shuffling_clones import at_least
from shoal.errors import RangeError
from shoal.exact import at_precision


@lru_cache
def count_law(odds: Fraction, ones: int, zeros: int) -> tuple[Fraction, ...]:
    """How many ones so many people who hold a one, and so many who hold a zero, report."""
    law = [Fraction(1)]
    for truth in (True,) * ones + (False,) * zeros:
        one, none = (odds if truth else Fraction(1)) / (odds + 1), Fraction(0)
        moved = zip([*law, none], [none, *law], strict=True)
        law = [(1 - one) * here + one * before for here, before in moved]
    return tuple(law)


def needed(odds: Fraction, ones: int, zeros: int, gain: Fraction) -> tuple[Fraction, Fraction]:
    """The deltas of one more person who holds a one against a zero, and of a zero against a one."""
    p, q = count_law(odds, ones + 1, zeros), count_law(odds, ones, zeros + 1)
    over = sum((max(Fraction(0), x - gain * y) for x, y in zip(p, q, strict=True)), Fraction(0))
    under = sum((max(Fraction(0), y - gain * x) for x, y in zip(p, q, strict=True)), Fraction(0))
    return over, under


@pytest.mark.parametrize("odds", [1.25, 3.0, 50.0])
@pytest.mark.parametrize("tilt", [1.0, 1.25, 5.0, 1000.0])
def test_deltas_of_up_to_twelve_people_are_those_of_all_their_counts(
    odds: float, tilt: float
) -> None:
    e, r = Fraction(odds), Fraction(tilt)
    gain = (1 + r * e) / (e + r)
    for people in range(1, 13):
        low, high = CountProfile(odds, tilt).deltas(people - 1, np.arange(people))
        for m in range(people):
            true, _ = needed(e, m, people - 1 - m, gain)
            assert Fraction(low[m]) <= true <= Fraction(high[m])
            assert math.isclose(low[m], high[m], rel_tol=1e-8, abs_tol=1e-14)


@pytest.mark.parametrize("people", range(1, 13))
@pytest.mark.parametrize("odds", [Fraction(3, 2), Fraction(4), Fraction(30)])
def test_nothing_that_the_others_can_hold_needs_more_and_something_needs_as_much(
    people: int, odds: Fraction
) -> None:
    local = math.log(odds)
    for share in (0.0, 0.2, 0.7):
        # a local epsilon is a float here: its odds are within 10^-14 of the fractions'
        found = float(shuffled_binary_delta_up(local, people=people, epsilon=share * local))
        gain = Fraction(math.exp(share * local))
        pairs = [needed(odds, m, people - 1 - m, gain) for m in range(people)]
        worst = float(max(max(pair) for pair in pairs))
        assert worst * (1 - 1e-12) <= found <= worst * (1 + 1e-8)


def instance(local: int, people: int, gain: arb) -> arb:
    """The delta where all others hold a one, by two binomial tails, enclosed."""
    e = arb(local).exp()
    p, q = e / (1 + e), 1 / (1 + e)

    def tail(t: int) -> arb:
        return at_least(people - 1, t, p)

    ratio = (gain * e - 1) / (e - gain)
    # f(t - 1) / f(t) = t q / ((n - t) p) exceeds the ratio from t on
    t = math.floor(float((ratio * p * people / (q + ratio * p)).mid())) + 1
    return (p - gain * q) * tail(t - 1) - (gain * p - q) * tail(t)


@pytest.mark.parametrize(
    ("local", "people", "epsilon"),
    [(1, 1000, "0.13"), (2, 1000, "0.4"), (1, 10_000, "0.037"), (4, 10_000, "0.4")],
)
def test_the_instance_where_all_others_hold_a_one_is_nearly_the_worst(
    local: int, people: int, epsilon: str
) -> None:
    true = at_precision(200, lambda: instance(local, people, arb(epsilon).exp()))
    found = float(shuffled_binary_delta_up(local, people=people, epsilon=epsilon))
    below = float(shuffled_binary_delta_down(local, people=people, epsilon=epsilon))
    assert float(true) * (1 - 1e-12) <= below * (1 + 1e-7)
    assert float(true) <= found <= float(true) * 1.01
    alone = CountProfile(math.exp(local), tilt_of(local, float(epsilon)))
    low, high = alone.deltas(people - 1, np.array([people - 1]))
    assert math.isclose(low[0], float(true), rel_tol=1e-7)
    assert math.isclose(high[0], float(true), rel_tol=1e-7)


def tilt_of(local: float, epsilon: float) -> float:
    gain, odds = math.exp(epsilon), math.exp(local)
    return (gain * odds - 1) / (odds - gain)


CASES = [
    (1, 1000, "1e-6", 0.126615, 0.1493),
    (2, 1000, "1e-6", 0.323324, 0.4000),
    (1, 10_000, "1e-6", 0.035660, 0.0433),
    (4, 10_000, "1e-8", 0.404553, 0.5181),
    (1, 100_000, "1e-6", 0.010143, 0.0125),
]


@pytest.mark.slow
@pytest.mark.parametrize(("local", "people", "delta", "expected", "clones"), CASES)
def test_the_bracket_is_narrow_and_well_below_the_count_of_clones(
    local: int, people: int, delta: str, expected: float, clones: float
) -> None:
    high = shuffled_binary_epsilon_up(local, people=people, delta=delta)
    low = shuffled_binary_epsilon_down(local, people=people, delta=delta)
    assert low < high < low * Fraction(10_002, 10_000)
    assert abs(float(high) - expected) < 2e-6
    assert shuffled_binary_delta_up(local, people=people, epsilon=high) <= Fraction(delta)
    assert shuffled_binary_delta_down(local, people=people, epsilon=low) > Fraction(delta)
    known = shuffled_epsilon_up(local, people=people, delta=delta, binary=True)
    assert high < known * Fraction(9, 10)
    assert known < Fraction(clones)


def test_blocks_hold_every_number_of_ones() -> None:
    for people in (1, 2, 8192, 8193, 20_000, 100_003):
        size, starts = _blocks(people, 8192)
        assert starts[0] == 0
        assert starts[-1] == people - size
        assert np.diff(starts).max(initial=0) <= size


@pytest.mark.parametrize("epsilon", ["0.02", "0.1"])
def test_a_block_needs_no_less_than_any_of_its_numbers(
    epsilon: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    exact = shuffled_binary_delta_up(1, people=1000, epsilon=epsilon)
    found = []
    for blocks in (500, 100, 20):
        monkeypatch.setattr("shoal.accounting.shuffled_count._MOST_BLOCKS", blocks)
        found.append(shuffled_binary_delta_up(1, people=1000, epsilon=epsilon))
    assert exact < found[0] < found[1] < found[2] < 2 * exact


def test_epsilon_falls_with_people_and_delta_and_rises_with_the_local_epsilon() -> None:
    def epsilon(local: str, people: int, delta: str) -> Fraction:
        return shuffled_binary_epsilon_up(local, people=people, delta=delta)

    people = [epsilon("1", n, "1e-6") for n in (10, 100, 1000, 8192, 8193, 10**5, 10**7, 10**9)]
    local = [epsilon(x, 3000, "1e-6") for x in ("0.01", "0.1", "1", "3", "6", "20")]
    delta = [epsilon("1", 3000, x) for x in ("1e-30", "1e-12", "1e-6", "1e-2")]
    assert people == sorted(people, reverse=True)
    assert local == sorted(local)
    assert delta == sorted(delta, reverse=True)
    assert epsilon("1", 10**12, "1e-6") == people[-1]


def test_nobody_hides_alone_and_nothing_is_claimed_beyond_the_local_epsilon() -> None:
    assert shuffled_binary_epsilon_up(1, people=1, delta="1e-9") <= 1
    assert shuffled_binary_epsilon_down(1, people=1, delta="1e-9") > Fraction(999, 1000)
    assert shuffled_binary_delta_up(1, people=100, epsilon=1) == 0
    assert shuffled_binary_delta_down(1, people=100, epsilon=1) == 0
    assert shuffled_binary_epsilon_up(0, people=10, delta="1e-6") == 0
    assert shuffled_binary_epsilon_down(0, people=10, delta="1e-6") == 0
    assert shuffled_binary_epsilon_up(100, people=10, delta="1e-6") == 100
    assert shuffled_binary_delta_up(100, people=10, epsilon=1) == 1
    with pytest.raises(RangeError, match="people"):
        shuffled_binary_delta_up(1, people=0, epsilon=0)
