"""Noise on the sum and the difference of two totals: its law, its errors, its price, and that it
is chosen where it helps.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray
from tests.query.tables import without_noise

import shoal
from shoal.accounting import account
from shoal.events import Composed
from shoal.plan import Term
from shoal.query.canonical import canonical_of
from shoal.query.paired_noise import PairedNoise, error_of_two
from shoal.query.pricing import Priced
from shoal.sensitivity import Relation

FACTS = {"x": shoal.Range(0, 10), "y": shoal.Range(-4, 4)}
BOTH = "SELECT COUNT(*) AS n, SUM(x) AS s, AVG(x) AS m FROM data"


def held(size: int = 60, **options: Any) -> shoal.query.Private:
    rows = pa.table({"x": [at % 11 for at in range(size)], "y": [at % 9 - 4 for at in range(size)]})
    options.setdefault("budget", shoal.Pure(10**9))
    options.setdefault("protects", shoal.Row())
    return shoal.private(rows, columns=FACTS, required=["x", "y"], **options)


def priced(sql: str, epsilon: int = 1, **weights: int) -> Priced:
    ask = held().sql(sql, weights=weights or None)
    return ask._priced(ask._request(epsilon, None, None), None)


def law_of_two(scale: float, most: int) -> NDArray[np.float64]:
    """P(|S| = s) for s up to a number, by adding up the products of two laws."""
    q = math.exp(-1 / scale)
    one = (1 - q) / (1 + q) * q ** np.abs(np.arange(-most, most + 1))
    both = np.convolve(one, one, mode="same")
    return np.concatenate([both[most : most + 1], 2 * both[most + 1 :]])


@pytest.mark.parametrize("scale", [Fraction(1, 3), Fraction(2), Fraction(37, 4)])
@pytest.mark.parametrize("confidence", ["0.5", "0.95", "0.9999"])
@pytest.mark.parametrize("size", [1, 20])
def test_the_error_of_two_noises_is_that_of_their_law(
    scale: Fraction, confidence: str, size: int
) -> None:
    law = np.cumsum(law_of_two(float(scale), 900))
    wanted = float(Fraction(confidence)) ** (1 / size)
    found = error_of_two(scale, Fraction(confidence), size)
    assert law[found] >= wanted - 1e-12
    assert found == 0 or law[found - 1] < wanted + 1e-12


def test_a_wide_error_is_nearly_the_least() -> None:
    scale = Fraction(1 << 40)
    found = error_of_two(scale, Fraction(95, 100)) / float(scale)
    assert (1 + found / 2) * math.exp(-found) == pytest.approx(0.05, rel=1e-5)


@pytest.mark.parametrize("unit", [shoal.Row(), shoal.Row(relation=Relation.CHANGE)], ids=str)
def test_a_pair_costs_exactly_what_was_asked(unit: shoal.Row) -> None:
    ask = held(protects=unit).sql("SELECT SUM(y) AS s, COUNT(*) AS n FROM data WHERE x > 3")
    made = ask._priced(ask._request(Fraction(7, 10), None, None), None)
    assert len(made.noised.pairs) == 1
    assert len(made.events(1)) == 1
    cost = account(Composed(made.events(1)), relation=str(unit.relation)).cost(shoal.Pure)
    assert cost == shoal.Pure(Fraction(7, 10))


def test_a_pair_has_half_the_variance_of_two_noises_of_half_the_price_each() -> None:
    made = priced("SELECT COUNT(*) AS n, AVG(y) AS m FROM data")
    (pair,) = made.noised.pairs
    apart = 2 * math.sqrt(2)  # Laplace noise of scale 2, for half of epsilon 1
    for term in pair.pair.terms:
        bound = float(term.bound * term.worth)
        assert made.noised.deviation(term) == pytest.approx(bound * apart / math.sqrt(2), rel=1e-3)


def test_totals_of_like_weight_are_paired_and_one_that_weighs_all_stands_alone() -> None:
    three = priced("SELECT COUNT(*) AS n, AVG(x) AS a, AVG(y) AS b FROM data")
    (pair,) = three.noised.pairs
    assert len(three.events(1)) == 2
    assert len(priced("SELECT CORR(x, y) AS r FROM data").noised.pairs) == 3
    assert not priced(BOTH, n=10**6).noised.pairs
    assert priced(BOTH, n=10**6).noised.deviation(pair.pair.terms[0]) < math.sqrt(2) * 1.1


def test_two_plans_with_other_pairs_are_two_questions() -> None:
    assert '"pairs":[[' in canonical_of(priced(BOTH))
    assert '"pairs"' not in canonical_of(priced(BOTH, n=10**6))


def test_without_noise_a_pair_is_its_two_totals() -> None:
    with without_noise() as given:
        answer = held().sql(BOTH).release(epsilon=1)
    xs = [at % 11 for at in range(60)]
    assert answer.rows == [(60, sum(xs), pytest.approx(sum(xs) / 60))]
    assert len(given) == 1


def test_where_one_noise_cancels_the_error_of_a_sum_is_that_of_the_other() -> None:
    made = priced("SELECT COUNT(*) AS n, SUM(x) AS s FROM data")
    recipe = next(each for each in made.recipes if each.aggregate.name == "s")
    (error,) = made.noised.errors([recipe], Fraction(95, 100)).values()
    assert error == pytest.approx(10 * math.log(20), rel=0.02)
    around = priced("SELECT COUNT(*) AS n, SUM(x - 3) AS s FROM data")
    recipe = next(each for each in around.recipes if each.aggregate.name == "s")
    (wider,) = around.noised.errors([recipe], Fraction(95, 100)).values()
    assert error / 2 < wider < 1.5 * error


@pytest.mark.parametrize("weights", [(7, 3), (10, 1), (1, 1), (1, 0)], ids=str)
@pytest.mark.parametrize("confidence", ["0.8", "0.99"])
def test_a_weighted_sum_of_both_is_within_its_error(
    weights: tuple[int, int], confidence: str
) -> None:
    """By the law of w N + w' N', added up over all draws of both noises."""
    made = priced("SELECT COUNT(*) AS n, AVG(x) AS m FROM data")
    (noise,) = made.noised.pairs
    scale, reach = noise.spread, 400
    q = math.exp(-1 / float(scale))
    one = (1 - q) / (1 + q) * q ** np.abs(np.arange(-reach, reach + 1))
    # x + y = 2 w and x - y = 2 w' are the weights of both noises, where both totals weigh 1
    given = (weights[0] + weights[1], weights[0] - weights[1])
    asked = {
        term: Fraction(weight) * noise.pair.factor(term)
        for term, weight in zip(noise.pair.terms, given, strict=True)
    }
    far = float(noise.error_of_combination(asked, Fraction(confidence)))
    places = np.arange(-reach, reach + 1)
    off = np.abs(weights[0] * places[:, None] + weights[1] * places[None, :])
    chance = float((one[:, None] * one[None, :])[off > far].sum())
    assert chance <= 1 - float(confidence) + 1e-9
    assert chance >= (1 - float(confidence)) / 20


@pytest.mark.slow
def test_released_pairs_have_their_law_and_their_intervals_hold() -> None:
    """400 groups, each with noise of its own: means of |noise|, and how often intervals hold."""
    size = 400
    rows = pa.table({"k": list(range(size)) * 30, "x": [at % 11 for at in range(30 * size)]})
    made = shoal.private(
        rows,
        protects=shoal.Row(),
        columns={"k": shoal.Range(0, size - 1), "x": shoal.Range(0, 10)},
        required=["k", "x"],
        budget=shoal.Pure(10),
    )
    text = "SELECT k, COUNT(*) AS n, SUM(x) AS s, AVG(x) AS m FROM data GROUP BY k"
    with without_noise():
        truth = made.sql(text).release(epsilon=2).rows
    answer = made.sql(text).release(epsilon=2)
    off = [
        [abs(float(str(a)) - float(str(b))) for a, b in zip(row[1:3], true[1:3], strict=True)]
        for row, true in zip(answer.rows, truth, strict=True)
    ]
    counts, sums = (np.mean(each) for each in zip(*off, strict=True))
    # a count is half the sum of two noises of scale 1, a sum of numbers from 0 is one of scale 5
    assert counts == pytest.approx(0.75, rel=0.13)
    assert sums == pytest.approx(5, rel=0.15)
    for at, name in enumerate(("n", "s", "m"), start=1):
        ends = answer.interval(name)
        true = [float(str(row[at])) for row in truth]
        kept = np.mean([e.lo <= value <= e.hi for e, value in zip(ends, true, strict=True)])
        assert kept >= 0.92, name


def test_the_sum_of_many_groups_is_within_its_bound() -> None:
    """The bound is Chernoff's: at least the error at which the exact law of all draws is."""
    made = priced("SELECT COUNT(*) AS n, AVG(x) AS m FROM data")
    count: Term = next(t for t in made.noised.bounded.terms if t.quantity == "count")
    noise = made.noised.of(count)
    assert isinstance(noise, PairedNoise)
    q = math.exp(-1 / float(noise.spread))
    one = (1 - q) / (1 + q) * q ** np.abs(np.arange(-4000, 4001))
    law = np.ones(1)
    for _ in range(2 * 3):  # three groups, two noises each
        law = np.convolve(law, one)
        law = law[(len(law) - 8001) // 2 : (len(law) + 8001) // 2] if len(law) > 8001 else law
    far = made.noised.error_of_sum(count, Fraction(95, 100), 3) / float(noise.weight(count))
    steps = np.abs(np.arange(len(law)) - len(law) // 2)
    assert law[steps > far].sum() <= 0.05
    assert far <= 3 * error_of_two(noise.spread, Fraction(95, 100), 3)
