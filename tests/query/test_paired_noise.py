"""Noise on the sum and the difference of two totals: its law, its errors, its price, and that it
is chosen where it helps.  How far one unit moves both is found by trying all neighbours.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, permutations
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.query.tables import without_noise

import shoal
from shoal.accounting import account
from shoal.engines.reference import Reference
from shoal.errors import InternalError
from shoal.events import Composed
from shoal.plan import (
    INTEGER,
    PERSONS,
    TEXT,
    Bounded,
    Choices,
    Person,
    Range,
    Ref,
    Row,
    Scan,
    Table,
    Term,
    Unit,
    column,
    count_of,
    distinct_of,
    squares_of,
    sum_of,
)
from shoal.query.canonical import canonical_of
from shoal.query.paired_noise import PairedNoise, PairOfTotals, can_be_paired, error_of_two
from shoal.query.pricing import Priced
from shoal.sensitivity import Norm, Relation

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


RELATIONS = [Relation.ADD_REMOVE, Relation.CHANGE]
Totals = list[tuple[int, ...]]
ENDS = [(0, 4), (-2, 3), (5, 10)]


def bounded_for(unit: Unit, ends: tuple[int, int], *, keyed: bool, nullable: bool) -> Bounded:
    columns = (
        column("u", INTEGER),
        column("k", TEXT, Choices(["a", "b"])),
        column("x", INTEGER, Range(*ends), nullable=nullable),
    )
    rows = Scan(Table("people", columns, protects=unit))
    x = Ref(rows.columns[2])
    terms = dict.fromkeys(
        (count_of(), count_of(x), sum_of(x), sum_of(x, centred=True), squares_of(x))
    )
    return Bounded(rows, (Ref(rows.columns[1]),) if keyed else (), tuple(terms), Norm.L1)


def totals(bounded: Bounded, rows: Sequence[tuple[int, str, int | None]]) -> list[tuple[int, ...]]:
    found = Reference({"people": [{"u": u, "k": k, "x": x} for u, k, x in rows]}).totals(bounded)
    keys = [("a",), ("b",)] if bounded.keys else [()]
    return [found.get(key, (0,) * len(bounded.terms)) for key in keys]


def moved(pair: PairOfTotals, at: tuple[int, int], one: Totals, other: Totals) -> int:
    """How far the sum and the difference move together in L1."""
    mixed = [
        pair.mixed([row[at[0]] for row in rows], [row[at[1]] for row in rows])
        for rows in (one, other)
    ]
    (sums, differences), (others, other_differences) = mixed
    both = zip([*sums, *differences], [*others, *other_differences], strict=True)
    return sum(abs(a - b) for a, b in both)


def pairs_of(bounded: Bounded) -> list[tuple[PairOfTotals, tuple[int, int]]]:
    terms = [at for at, t in enumerate(bounded.terms) if bounded.sensitivity(t).value]
    return [
        (PairOfTotals.of(bounded, bounded.terms[a], bounded.terms[b]), (a, b))
        for a, b in permutations(terms, 2)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("ends", ENDS, ids=str)
@pytest.mark.parametrize("keyed", [False, True], ids=["all", "by key"])
@pytest.mark.parametrize("relation", RELATIONS, ids=str)
@pytest.mark.parametrize("share", [None, (1, 2), (2, 1)], ids=["row", "one group", "two groups"])
def test_no_neighbour_moves_a_pair_further_than_claimed_and_some_move_it_as_far(
    ends: tuple[int, int], keyed: bool, relation: Relation, share: tuple[int, int] | None
) -> None:
    unit: Unit = Row(relation=relation)
    if share is not None:
        unit = Person("u", groups=share[0], rows_per_group=share[1], relation=relation)
    bounded = bounded_for(unit, ends, keyed=keyed, nullable=True)
    cells = [(1, key, value) for key in "ab" for value in (*ends, sum(ends) // 2, None)]
    if share is None:
        held: list[tuple[tuple[int, str, int | None], ...]] = [(one,) for one in cells]
        held += [()] if relation is Relation.ADD_REMOVE else []
    else:
        doubles = list(combinations_with_replacement(cells, 2))
        held = [(), *((one,) for one in cells), *doubles, *((*two, two[0]) for two in doubles[::3])]
    vectors = [totals(bounded, theirs) for theirs in held]
    empty = [(0,) * len(bounded.terms)] * len(vectors[0])
    for pair, at in pairs_of(bounded):
        tried = (
            ((empty, one) for one in vectors)
            if relation is Relation.ADD_REMOVE
            else combinations(vectors, 2)
        )
        far = max(moved(pair, at, one, other) for one, other in tried)
        claim = pair.sensitivity.value
        assert far <= claim, pair.terms
        # who is replaced in two groups of two has no others to go to
        corner = Fraction(1, 2) if share == (2, 1) and keyed else Fraction(9, 10)
        assert far >= claim * corner, pair.terms


@given(
    one=st.lists(st.integers(-(10**12), 10**12), min_size=1, max_size=5),
    far=st.tuples(st.integers(1, 10**9), st.integers(1, 10**9)),
)
def test_both_totals_come_back_from_the_sum_and_the_difference(
    one: list[int], far: tuple[int, int]
) -> None:
    bounded = bounded_for(Row(), (-far[0], far[1]), keyed=True, nullable=False)
    pair = PairOfTotals.of(bounded, bounded.terms[0], bounded.terms[1])
    other = one[::-1]
    assert [list(map(int, each)) for each in pair.parted(*pair.mixed(one, other))] == [one, other]
    a, b = (pair.factor(term) * bounded.sensitivity(term).value for term in (*bounded.terms[:2],))
    assert pair.sensitivity.value == 2 * max(a, b)
    assert max(a, b) <= min(a, b) * (1 + Fraction(1, 1 << 10))


def test_where_the_proportion_is_rounded_the_total_that_moves_further_decides() -> None:
    bounded = bounded_for(Row(), (0, 10**6 + 3), keyed=True, nullable=False)
    one, other = bounded.terms[1:3]  # a sum, and the sum about its middle
    pair = PairOfTotals.of(bounded, one, other)
    moved = [pair.factor(term) * bounded.sensitivity(term).value for term in (one, other)]
    assert moved == [10**6 + 3, 10**6 + 4]
    assert pair.sensitivity.value == 2 * (10**6 + 4)


def test_what_is_not_added_up_by_rows_is_not_paired() -> None:
    bounded = bounded_for(Person("u", groups=2), (0, 4), keyed=True, nullable=False)
    x = Ref(bounded.relation.columns[2])
    wrong: list[Term] = [PERSONS, distinct_of(x)]
    assert not any(map(can_be_paired, wrong))
    for term in wrong:
        with_it = Bounded(bounded.relation, bounded.keys, (*bounded.terms, term), Norm.L1)
        with pytest.raises(InternalError):
            PairOfTotals.of(with_it, count_of(), term)
    with pytest.raises(InternalError):
        PairOfTotals.of(bounded, count_of(), count_of())
    gaussian = Bounded(bounded.relation, bounded.keys, bounded.terms, Norm.L2)
    with pytest.raises(InternalError):
        PairOfTotals.of(gaussian, gaussian.terms[0], gaussian.terms[1])
    fixed = bounded_for(Row(relation=Relation.CHANGE), (0, 4), keyed=False, nullable=False)
    with pytest.raises(InternalError):
        PairOfTotals.of(fixed, fixed.terms[0], fixed.terms[1])
