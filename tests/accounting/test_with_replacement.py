"""Draws with replacement: the prices against exact enumeration of all draws."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from itertools import product

import pytest

from shoal.accounting import account
from shoal.accounting.with_replacement import (
    MOST_DRAWS,
    drawn_delta_up,
    drawn_divergence_up,
    drawn_epsilon_up,
)
from shoal.measures import Approx, Pure, Renyi, pure_divergence_up

Law = dict[int, Fraction]
THREE = Fraction(math.log(3)).limit_denominator(10**15) + Fraction(1, 10**14)
"""A little above ln 3."""


def _drawn(rows: tuple[int, ...], draws: int, release: dict[tuple[int, ...], Law]) -> Law:
    law: Law = {}
    for drawn in product(rows, repeat=draws):
        for outcome, chance in release[tuple(sorted(drawn))].items():
            law[outcome] = law.get(outcome, Fraction(0)) + chance / len(rows) ** draws
    return law


def _coin(right: int) -> Law:
    return {right: Fraction(3, 4), 1 - right: Fraction(1, 4)}


def _ladder(draws: int) -> dict[tuple[int, ...], Law]:
    """Three times as likely for each copy of row 1: truncated geometric weights with a rare outcome
    0.
    """
    tiny = Fraction(1, 1000 * 3**draws)
    keys = {tuple(sorted(key)) for key in product((0, 1), repeat=draws)}
    return {key: {0: tiny * 3 ** sum(key), 1: 1 - tiny * 3 ** sum(key)} for key in keys}


@pytest.mark.parametrize(("draws", "population"), [(1, 2), (2, 3), (4, 2), (3, 4)])
def test_no_function_of_the_draws_loses_more_and_one_loses_as_much(
    draws: int, population: int
) -> None:
    bound = math.exp(drawn_epsilon_up(THREE, draws=draws, population=population))
    chance = random.Random(draws)
    before = (0,) * (population - 1)
    for _ in range(50):
        keys = {tuple(sorted(key)) for key in product(range(3), repeat=draws)}
        release = {key: _coin(chance.randrange(2)) for key in keys}
        laws = [_drawn((*before, last), draws, release) for last in range(3)]
        for one, other in product(laws, laws):
            assert max(float(one[o] / other[o]) for o in one) <= bound * (1 + 1e-9)
    worst = [_drawn((*before, last), draws, _ladder(draws)) for last in (1, 0)]
    assert float(worst[0][0] / worst[1][0]) == pytest.approx(bound, rel=1e-9)


@pytest.mark.parametrize("order", [Fraction(3, 2), 2, 5])
@pytest.mark.parametrize(("draws", "population"), [(2, 3), (4, 2), (3, 1)])
def test_no_function_of_the_draws_diverges_more(
    draws: int, population: int, order: Fraction
) -> None:
    bound = drawn_divergence_up(
        lambda k: pure_divergence_up(THREE * k, order=order),
        draws=draws,
        population=population,
        order=order,
    )
    assert bound is not None
    chance = random.Random(draws)
    before = (0,) * (population - 1)
    for _ in range(50):
        keys = {tuple(sorted(key)) for key in product(range(2), repeat=draws)}
        release = {key: _coin(chance.randrange(2)) for key in keys}
        one, other = (_drawn((*before, last), draws, release) for last in (0, 1))
        power = float(order)
        moment = sum(float(one[o]) ** power * float(other[o]) ** (1 - power) for o in one)
        assert math.log(moment) / (power - 1) <= bound + Fraction(1, 10**12)


def test_a_promise_that_fails_with_a_delta_fails_at_most_so_often_among_the_draws() -> None:
    delta = Fraction(1, 100)
    release = {key: _tells(key, delta) for key in product((0, 1), repeat=2)}
    release = {tuple(sorted(key)): law for key, law in release.items()}
    one, other = (_drawn((0, 0, last), 2, release) for last in (1, 0))
    epsilon = drawn_epsilon_up(0, draws=2, population=3)
    needed = sum(max(Fraction(0), one[o] - other.get(o, Fraction(0))) for o in one)
    assert epsilon == 0
    assert needed <= drawn_delta_up(0, delta, draws=2, population=3) == 2 * delta / 3
    assert needed > delta / 3


def _tells(key: tuple[int, ...], delta: Fraction) -> Law:
    """Who is among the draws is told with a delta for each."""
    copies = sum(key)
    return {2: 1 - copies * delta, 3: copies * delta}


def test_an_account_prices_draws_in_every_measure_it_can() -> None:
    drawn = account("pure epsilon=1 | sampled_with_replacement size=10 of=1000")
    exact = 10 * math.log1p(math.expm1(1) / 1000)
    pure = drawn.cost(Pure)
    assert isinstance(pure, Pure)
    assert float(pure.epsilon) == pytest.approx(exact, rel=1e-12)
    fails = account("approx epsilon=1 delta=1e-6 | sampled_with_replacement size=10 of=1000")
    found = fails.cost(Approx)
    assert isinstance(found, Approx)
    step = math.log1p(math.expm1(1) / 1000)
    assert float(found.delta) == pytest.approx(
        1e-9 * math.expm1(10 * step) / math.expm1(step), rel=1e-9
    )
    noisy = account("gaussian sigma=5 | sampled_with_replacement size=10 of=1000")
    curve = noisy.cost(Renyi, orders=[2])
    weights = [math.comb(10, k) * 0.001**k * 0.999 ** (10 - k) for k in range(11)]
    moment = sum(w * math.exp(k * k / 25) for k, w in enumerate(weights))
    assert isinstance(curve, Renyi)
    assert float(curve.epsilon_at(2)) == pytest.approx(math.log(moment), rel=1e-9)
    assert (
        noisy.epsilon(delta="1e-6").epsilon
        < account("gaussian sigma=5 | group 10").epsilon(delta="1e-6").epsilon
    )


def test_too_many_draws_have_no_renyi_price_of_their_own() -> None:
    unknown = drawn_divergence_up(
        lambda _: Fraction(0), draws=MOST_DRAWS + 1, population=2, order=2
    )
    missing = drawn_divergence_up(
        lambda k: None if k == 2 else Fraction(0), draws=2, population=2, order=2
    )
    assert unknown is None
    assert missing is None
