"""Poisson samples cut to a largest batch: every sample of a tiny dataset, listed, for several rules
of cutting.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from tests.accounting.samples import Floats, hockey_stick

from shoal.accounting import account
from shoal.accounting.pricing import total
from shoal.accounting.quantities import FAILING, PURE
from shoal.accounting.quantities import divergence as at
from shoal.accounting.truncated_sampling import binomial_tail_up
from shoal.errors import EventError, PriceError
from shoal.events import (
    Gaussian,
    Group,
    PoissonSampled,
    Repeated,
    StatedApprox,
    StatedPure,
    TruncatedPoissonSampled,
)
from shoal.exact import ball, upper

Rule = Callable[[list[int], int], list[int]]
"""Which rows of a sample that is too large remain."""

PERSON, VALUES = 0, [1, 1, 0, 0, 1, 0]
TELLS = [Fraction(1, 9), Fraction(1, 3), Fraction(2, 3)]
"""The chance to answer yes, by how many rows of the batch have the value 1."""


def first(rows: list[int], batch: int) -> list[int]:
    return rows[:batch]


def last(rows: list[int], batch: int) -> list[int]:
    return rows[-batch:]


def betraying(rows: list[int], batch: int) -> list[int]:
    """Keeps rows with the value 1 where the person is in the sample, and rows with the value 0
    otherwise.
    """
    return sorted(rows, key=lambda row: VALUES[row], reverse=PERSON in rows)[:batch]


RULES: list[Rule] = [first, last, betraying]
# from 0 to 1, and from 1 to 2 rows: at most three times as likely, yes or no
EPSILON = upper(lambda: ball(Fraction(3)).log())


def answer_law(rows: list[int], rate: Fraction, batch: int, rule: Rule) -> Floats:
    """The law of the answer, over all coins."""
    yes = Fraction(0)
    for coins in product((False, True), repeat=len(rows)):
        heads = sum(coins)
        chance = rate**heads * (1 - rate) ** (len(rows) - heads)
        sample = [row for row, coin in zip(rows, coins, strict=True) if coin]
        kept = rule(sample, batch) if len(sample) > batch else sample
        yes += chance * TELLS[sum(VALUES[row] for row in kept)]
    return np.array([float(yes), float(1 - yes)])


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("batch", [1, 2, 3, 4])
@pytest.mark.parametrize("rate", [Fraction(1, 2), Fraction(1, 5)])
def test_every_rule_of_cutting_needs_at_most_what_is_charged(
    rule: Rule, batch: int, rate: Fraction
) -> None:
    event = TruncatedPoissonSampled(StatedPure(EPSILON), rate, batch=batch, population=4)
    with_person = answer_law([0, 1, 2, 3], rate, batch, rule)
    without = answer_law([1, 2, 3], rate, batch, rule)
    for epsilon in (0.0, 0.1, 0.3, 0.6, 0.9):
        charged = float(account(event).delta(epsilon=epsilon).delta)
        assert hockey_stick(with_person, without, epsilon) <= charged * (1 + 1e-9)


def test_charging_the_poisson_sample_alone_would_be_too_little() -> None:
    rate, rows = Fraction(4, 5), list(range(6))
    found = [answer_law(there, rate, 2, betraying) for there in (rows, rows[1:])]
    sampled = PoissonSampled(StatedPure(EPSILON), rate)
    cut = TruncatedPoissonSampled(StatedPure(EPSILON), rate, batch=2, population=6)
    truth = hockey_stick(found[0], found[1], 0.95)
    plain = float(account(sampled).delta(epsilon="0.95").delta)
    charged = float(account(cut).delta(epsilon="0.95").delta)
    assert plain < 0.01
    assert 0.2 < truth <= charged < 1


@pytest.mark.parametrize(
    ("count", "rate", "least"),
    [
        (3, "1/2", 2),
        (30, "0.1", 3),
        (30, "0.1", 12),
        (200, "0.7", 120),
        (200, "0.7", 199),
        (40, 1, 7),
    ],
)
def test_the_chance_of_a_full_batch_is_the_sum_of_all_terms(
    count: int, rate: str, least: int
) -> None:
    share = Fraction(rate)
    exact = sum(
        math.comb(count, k) * share**k * (1 - share) ** (count - k) for k in range(least, count + 1)
    )
    found = binomial_tail_up(count, rate, least)
    assert exact <= found <= exact * (1 + Fraction(1, 2**60))


def test_the_chance_of_a_full_batch_among_many_rows() -> None:
    # by scipy.stats.binom.sf, for 10^9 rows at 1 %
    assert float(binomial_tail_up(10**9, "0.01", 10_020_000)) == pytest.approx(
        1.0474703691947e-10, rel=1e-9
    )
    assert binomial_tail_up(10**12, "0.5", 5 * 10**11 + 10**9) < Fraction(1, 10**300)
    assert binomial_tail_up(5, "0.3", 6) == 0
    assert binomial_tail_up(5, "0.3", 0) == 1


def test_all_but_the_failing_mass_costs_what_the_poisson_sample_costs() -> None:
    event = TruncatedPoissonSampled(Gaussian(1, 1), "0.01", batch=160, population=10_000)
    plain = PoissonSampled(Gaussian(1, 1), "0.01")
    tau = binomial_tail_up(9999, "0.01", 160)
    assert total(event, None, FAILING) == tau
    assert total(event, None, at(Fraction(8))) == total(plain, None, at(Fraction(8)))
    many = account(Repeated(event, 100))
    lost = 1 - (1 - tau) ** 100
    found = many.epsilon(delta="1e-4")
    left = (Fraction(1, 10**4) - lost) / (1 - lost)
    assert abs(found.epsilon - account(Repeated(plain, 100)).epsilon(delta=left).epsilon) < 1e-6
    assert found.lower is None


def test_a_batch_that_holds_everyone_is_a_poisson_sample() -> None:
    event = TruncatedPoissonSampled(Gaussian(1, 1), "0.2", batch=50, population=50)
    plain = PoissonSampled(Gaussian(1, 1), "0.2")
    assert (
        account(event).epsilon(delta="1e-6").epsilon == account(plain).epsilon(delta="1e-6").epsilon
    )


def test_what_fails_inside_fails_too_and_a_batch_that_is_always_full_promises_nothing() -> None:
    event = TruncatedPoissonSampled(StatedApprox(1, "0.01"), "1/2", batch=2, population=4)
    known = Fraction(1, 2) + Fraction(1, 2) * Fraction(1, 200)
    failing = total(event, None, FAILING)
    assert failing is not None
    assert known <= failing <= known * (1 + Fraction(1, 2**60))
    always = TruncatedPoissonSampled(StatedPure(1), 1, batch=2, population=4)
    assert account(always).delta(epsilon=50).delta == 1


def test_a_group_is_priced_by_the_theorem_for_promises_with_a_delta() -> None:
    event = TruncatedPoissonSampled(StatedPure(1), "0.1", batch=30, population=100)
    one, two = account(event), account(Group(event, 2))
    epsilon = total(event, None, PURE)
    failing = total(event, None, FAILING)
    assert epsilon is not None
    assert failing is not None
    pair = total(Group(event, 2), None, FAILING)
    assert float(pair or 0) == pytest.approx(float(failing) * (1 + math.exp(float(epsilon))))
    assert two.epsilon(delta="1e-3").epsilon > one.epsilon(delta="1e-3").epsilon


def test_rows_that_change_are_refused_inside_and_out() -> None:
    with pytest.raises(EventError, match="the coins hide a row that comes or goes"):
        TruncatedPoissonSampled(StatedPure(1), "0.1", batch=3, population=9, relation="change")
    event = TruncatedPoissonSampled(Gaussian(1, 1), "0.1", batch=90, population=100)
    with pytest.raises(PriceError):
        account(event, relation="change").epsilon(delta="1e-6")
