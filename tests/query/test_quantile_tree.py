"""Several quantiles of one column: the law of all choices together, computed exactly, is private; they
cost what was asked, keep their order, and split rows of one value in proportion.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples
from tests.query.tables import made, rows
from tests.query.test_quantiles import UNITS, neighbours

import shoal
from shoal.accounting import account
from shoal.engines.reference import Reference
from shoal.events import Composed, Event
from shoal.mechanisms.witness import NoiseWitness
from shoal.noise.seam import seeded, use
from shoal.noise.source import Keystream
from shoal.plan import NO_WEIGHTS, ValueWeights
from shoal.query import quantile_tree, split_positions
from shoal.query.canonical import canonical_of
from shoal.query.pricing import Priced, priced
from shoal.query.quantile_tree import Node, QuantileTree, nodes_of
from shoal.query.split_positions import Positions, PositionSpan
from shoal.query.stored_answer import restored, stored
from shoal.sensitivity import Norm

THREE = "0.25, 0.5, 0.9"
NINE = "0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9"


@pytest.fixture
def two_positions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two positions a point, so that all outcomes can be listed."""
    monkeypatch.setattr(split_positions, "SPLIT", 2)
    monkeypatch.setattr(quantile_tree, "SPLIT", 2)


@cache
def asked(levels: str, unit: Any, law: str, epsilon: int = 1, highest: int = 2) -> Priced:
    facts = {"age": shoal.Range(0, highest), "kind": shoal.Choices(["a", "b"])}
    held = made([], protects=unit, budget=shoal.Approx(50, "1e-2"), columns=facts)
    ask = held.sql(f"SELECT kind, QUANTILE_CONT(age, [{levels}]) AS q FROM data GROUP BY kind")
    return priced(ask.question, held.budget.request(epsilon=epsilon), groups=3, law=law)


def tree_of(levels: str, unit: Any, law: str, epsilon: int = 1, highest: int = 2) -> QuantileTree:
    (found,) = asked(levels, unit, law, epsilon, highest).trees
    return found


def log_law(tree: QuantileTree, found: ValueWeights) -> dict[tuple[int, ...], float]:
    """The logarithm of the chance of every outcome, from the definition, one position at a time."""
    split = split_positions.SPLIT
    weights = found.as_dict()
    spread = [weights.get(at // split, 0) for at in range(3 * split)]  # in parts of a unit

    def outcomes(
        node: Node | None, start: int, end: int
    ) -> list[tuple[dict[Fraction, int], float]]:
        if node is None:
            return [({}, 0.0)]
        if start == end:
            chances = {start: 0.0}
        else:
            wanted = node.rank * sum(spread[start:end])
            scores = {}
            for at in range(start, end):
                low = sum(spread[start:at])
                loss = max(Fraction(0), low - wanted, wanted - low - spread[at])
                scores[at] = -float(tree.rate(node) * loss / split)
            top = np.logaddexp.reduce(list(scores.values()))
            chances = {at: score - top for at, score in scores.items()}
        return [
            ({node.level: at, **one, **two}, chance + p + q)
            for at, chance in chances.items()
            for one, p in outcomes(node.below, start, at)
            for two, q in outcomes(node.above, at, end)
        ]

    listed = outcomes(tree.root, 0, 3 * split)
    return {tuple(each[level] for level in sorted(each)): chance for each, chance in listed}


CELLS = st.fixed_dictionaries(
    {
        "who": st.integers(1, 3),
        "kind": st.sampled_from(["a", "b"]),
        "age": st.integers(0, 2),
        "town": st.none(),
        "spend": st.none(),
    }
)


@pytest.mark.slow
@pytest.mark.usefixtures("two_positions")
@pytest.mark.parametrize("law", ["laplace", "gaussian"])
@pytest.mark.parametrize("unit", UNITS, ids=str)
@examples(4, many=30)
@given(data=st.lists(CELLS, max_size=6))
def test_no_neighbour_changes_the_chance_of_any_outcome_of_all_choices_by_more_than_is_claimed(
    unit: Any, law: str, data: list[dict[str, Any]]
) -> None:
    tree = tree_of(THREE, unit, law)
    twice = 2 if unit.relation == "change" else 1
    keys: list[tuple[Any, ...]] = [("a",), ("b",)]
    before = Reference({"data": data}).weights(tree.spread)
    laws = [log_law(tree, before.get(key, NO_WEIGHTS)) for key in keys]
    for other in neighbours(data, unit):
        after = Reference({"data": other}).weights(tree.spread)
        far = []
        for key, law_before in zip(keys, laws, strict=True):
            law_after = log_law(tree, after.get(key, NO_WEIGHTS))
            assert law_after.keys() == law_before.keys()
            far.append([(law_before[at], law_after[at]) for at in law_before])
        if law == "laplace":
            worst = twice * sum(max(abs(p - q) for p, q in each) for each in far)
            assert worst <= float(tree.loss) * (1 + 1e-9)
        else:
            for alpha in (1.5, 2.0, 8.0, 64.0):
                divergence = sum(
                    np.logaddexp.reduce([alpha * p + (1 - alpha) * q for p, q in each])
                    / (alpha - 1)
                    for each in far
                )
                allowed = alpha * float(tree.loss) ** 2 / 8 / twice**2
                assert divergence <= allowed * (1 + 1e-9) + 1e-12


@pytest.mark.usefixtures("two_positions")
def test_the_claim_is_reached_to_a_good_part() -> None:
    """Whoever charges half of it would be caught here."""
    tree = tree_of(THREE, shoal.Row(), "laplace")
    worst = 0.0
    some: list[dict[Any, int]] = [{0: 9}, {2: 9}, {0: 5, 2: 5}, {0: 20, 1: 1, 2: 2}]
    for counts in some:
        base = log_law(tree, ValueWeights.of(counts, points=True))
        for at in range(3):
            more = ValueWeights.of({**counts, at: counts.get(at, 0) + 1}, points=True)
            moved = log_law(tree, more)
            worst = max(worst, *(abs(base[key] - moved[key]) for key in base))
    assert worst > 0.55 * float(tree.loss)


@pytest.mark.slow
@pytest.mark.usefixtures("two_positions")
def test_outcomes_come_as_often_as_the_law_says() -> None:
    tree = tree_of(THREE, shoal.Row(), "laplace", epsilon=4)
    found = ValueWeights.of({0: 3, 1: 4, 2: 2}, points=True)
    law = {key: math.exp(chance) for key, chance in log_law(tree, found).items()}
    assert sum(law.values()) == pytest.approx(1)
    told: Counter[tuple[Fraction, ...]] = Counter()
    with seeded("tree"):
        for each in tree.chosen([found] * 1500):
            told[tuple(each[place] for place in sorted(tree.places, key=lambda p: p.level))] += 1
    expected: Counter[tuple[Fraction, ...]] = Counter()
    for key, chance in law.items():
        expected[tuple(Fraction(at // 2) for at in key)] += chance  # type: ignore[assignment]
    surprise = sum((told[key] - 1500 * p) ** 2 / (1500 * p) for key, p in expected.items())
    assert len(expected) == 10
    assert surprise < 44.8  # passed once in a million by chance, for nine degrees of freedom


def paths(node: Node | None) -> Iterator[list[Fraction]]:
    if node is None:
        yield []
        return
    for child in (node.below, node.above):
        for rest in paths(child):
            yield [node.loss, *rest]


@pytest.mark.slow
@pytest.mark.parametrize("law", ["laplace", "gaussian"])
@examples(20, many=100)
@given(percents=st.sets(st.integers(0, 100), min_size=3, max_size=20))
def test_what_is_spent_on_any_path_is_no_more_than_the_price_of_the_tree(
    law: str, percents: set[int]
) -> None:
    tree = tree_of(", ".join(f"0.{p:02d}" if p < 100 else "1" for p in percents), UNITS[0], law)
    assert [node.level for node in nodes_of(tree.root)] != []
    assert {node.level for node in nodes_of(tree.root)} == {Fraction(p, 100) for p in percents}
    spent = [
        sum(path) if law == "laplace" else sum(loss**2 for loss in path)
        for path in paths(tree.root)
    ]
    whole = tree.loss if law == "laplace" else tree.loss**2
    assert max(spent) <= whole
    assert float(max(spent)) == pytest.approx(float(whole), rel=1e-15)
    assert max(map(len, paths(tree.root))) == len(percents).bit_length()


@given(
    counts=st.lists(st.sampled_from([0, 0, 1, 5, 400]), min_size=4, max_size=4),
    ends=st.lists(st.integers(0, 4 * 1024), min_size=2, max_size=2, unique=True),
    rank=st.fractions(0, 1, max_denominator=9),
    rate=st.sampled_from([Fraction(1, 10**6), Fraction(1, 1024), Fraction(1)]),
)
def test_runs_and_what_lies_behind_them_say_the_loss_of_every_position(
    counts: list[int], ends: list[int], rank: Fraction, rate: Fraction
) -> None:
    found = ValueWeights.of({at: n for at, n in enumerate(counts) if n}, points=True)
    grid = tree_of(THREE, shoal.Row(), "laplace", highest=3).places[0].grid
    positions, span = Positions.of(found, grid), PositionSpan(min(ends), max(ends))
    runs = positions.runs(span, rank, rate)
    order = np.argsort(runs.starts)
    starts, lengths = runs.starts[order], runs.lengths[order]
    assert starts[0] == span.start
    assert (starts[1:] == starts[:-1] + lengths[:-1]).all()
    assert lengths.sum() == span.end - span.start
    here = np.arange(span.start, span.end)
    spread = np.repeat(counts, 1024)[span.start : span.end]
    upto = np.cumsum(spread)
    wanted = rank.numerator * int(spread.sum())
    meant = np.maximum(
        0,
        np.maximum(rank.denominator * (upto - spread) - wanted, wanted - rank.denominator * upto),
    )
    assert positions.losses_at(span, rank, here) == meant.tolist()
    told = [
        int(runs.losses[run]) + runs.behind(run, place)
        for run, length in enumerate(runs.lengths.tolist())
        for place in {0, length // 2, length - 1}
    ]
    at = [
        int(runs.starts[run]) + place - span.start
        for run, length in enumerate(runs.lengths.tolist())
        for place in {0, length // 2, length - 1}
    ]
    assert told == meant[at].tolist()


def test_weights_beyond_64_bits_are_split_too() -> None:
    tree = tree_of(THREE, shoal.Row(), "laplace", epsilon=10)
    found = ValueWeights.of({0: 1 << 52, 1: 1 << 54, 2: 1 << 53}, points=True)
    (told,) = tree.chosen([found])
    assert [float(told[place]) for place in tree.places] == [1, 1, 2]


@pytest.mark.parametrize("levels", [NINE, "0, 0.5, 1", THREE])
def test_quantiles_never_fall_where_levels_rise(levels: str) -> None:
    tree = tree_of(levels, shoal.Row(), "laplace", highest=50)
    found = ValueWeights.of({3: 40, 7: 1, 30: 9}, points=True)
    order = sorted(tree.places, key=lambda place: place.level)
    for each in tree.chosen([found] * 40 + [NO_WEIGHTS] * 20):
        told = [each[place] for place in order]
        assert told == sorted(told)
        assert 0 <= told[0] <= told[-1] <= 50


def test_rows_of_one_value_are_split_in_proportion() -> None:
    """Six rows in ten have the value 0: the quantiles above them are not moved by where they go."""
    values = [0] * 6000 + list(range(1, 4001))
    table = pa.table({"x": values})
    held = shoal.private(
        table, protects=shoal.Row(), columns={"x": shoal.Range(0, 4000)}, budget=shoal.Pure(10**4)
    )
    told = (
        held.sql(f"SELECT QUANTILE_CONT(x, [{NINE}]) AS q FROM data").release(epsilon=200).rows[0]
    )
    meant = [0, 0, 0, 0, 0, 0, 1000, 2000, 3000]
    # A thousandth of the 6,000 that share a value is 6 rows in rank, once for each depth.
    assert all(abs(one - two) <= 30 for one, two in zip(told, meant, strict=True))  # type: ignore[operator]


def test_several_quantiles_cost_what_was_asked() -> None:
    sql = f"SELECT QUANTILE_CONT(age, [{NINE}]) AS q, MAX(spend) AS x, COUNT(*) AS n FROM data"
    held = made(rows(90), budget=shoal.Pure(1))
    answer = held.sql(sql).release(epsilon="0.7")
    events = Composed(tuple(Event.from_dict(each) for each in answer.certificate["events"]))
    assert len(answer.certificate["events"]) == 3
    assert account(events).cost(shoal.Pure) == shoal.Pure("0.7") == held.budget.spent
    held = made(rows(90), budget=shoal.ZeroConcentrated(1))
    answer = held.sql(sql).release(rho="0.1", noise="gaussian")
    events = Composed(tuple(Event.from_dict(each) for each in answer.certificate["events"]))
    cost = account(events).cost(shoal.ZeroConcentrated)
    assert isinstance(cost, shoal.ZeroConcentrated)
    assert Fraction(99, 1000) < cost.rho <= Fraction(1, 10)


def test_two_levels_are_chosen_one_by_one_and_three_of_one_column_together() -> None:
    def found(sql: str) -> Priced:
        held = made(rows(9))
        return priced(held.sql(f"SELECT {sql} FROM data").question, held.budget.request(epsilon=1))

    two = found("QUANTILE_CONT(age, [0.1, 0.9]) AS q, MIN(age) AS lo, MEDIAN(spend) AS m")
    assert (len(two.places), len(two.trees)) == (4, 0)
    three = found("QUANTILE_CONT(age, [0.1, 0.9]) AS q, MEDIAN(age) AS m, MEDIAN(age) AS again, MAX(age) AS hi")  # fmt: skip
    assert (len(three.places), len(three.trees)) == (1, 1)
    assert len(three.trees[0].places) == 3
    assert canonical_of(three) != canonical_of(two)
    assert three.places[0].loss + three.trees[0].loss == 1


def test_a_stored_answer_of_several_quantiles_is_read_back_as_it_was() -> None:
    held = made(rows(90))
    ask = held.sql(f"SELECT kind, QUANTILE_CONT(age, [{THREE}]) AS q FROM data GROUP BY kind", intervals="0.9")  # fmt: skip
    answer = ask.release(epsilon=3)
    again = restored(answer.priced, stored(answer), answer.confidence)
    assert again.rows == answer.rows
    assert again.interval("q_50") == answer.interval("q_50")
    for name in ("q_25", "q_50", "q_90"):
        for row, between in zip(answer.rows, answer.interval(name), strict=True):
            assert between.lo <= row[answer.columns.index(name)] <= between.hi  # type: ignore[operator]


def test_an_answer_that_was_stored_on_a_coarser_grid_is_read_with_the_rounding_it_had() -> None:
    """Earlier builds had a thousand points for all and did not tell the steps of their grids."""
    held = made(rows(90), protects=shoal.Row())
    ask = held.sql("SELECT MEDIAN(spend) AS m, MEDIAN(age) AS a FROM data", intervals="0.9")
    answer = ask.release(epsilon=3)
    kept = stored(answer)
    assert len(kept["steps"]) == 6
    assert restored(answer.priced, kept, answer.confidence).interval("m") == answer.interval("m")
    earlier = {name: said for name, said in kept.items() if name != "steps"}
    earlier["released"] = [["50", "40", "60", "200", "100", "300"]]
    found = restored(answer.priced, earlier, answer.confidence)
    between = found.interval("m")[0]
    assert (between.lo, between.hi) == pytest.approx((99.75, 300.25))  # 500 / 1024, rounded up
    ages = found.interval("a")[0]
    assert (ages.lo, ages.hi) == (40.0, 60.0)
    assert "steps" not in stored(found)
    assert canonical_of(found.priced) == canonical_of(answer.priced)


def test_the_preview_bounds_how_far_off_in_rank_each_of_them_is() -> None:
    tree, loose = (tree_of(NINE, shoal.Row(), "laplace", eps, 100) for eps in (20, 1))
    found = ValueWeights.of(dict.fromkeys(range(101), 50), points=True)
    bounds = {place: tree.rank_error(place, Fraction(9, 10)) for place in tree.places}
    assert all(loose.rank_error(place, Fraction(9, 10)) > bounds[place] for place in tree.places)
    missed = 0
    for each in tree.chosen([found] * 60):
        for place, value in each.items():
            low, high = 50 * value, 50 * value + 50
            wanted = place.level * 5050
            missed += not low - bounds[place] - 1 <= wanted <= high + bounds[place] + 1
    assert missed <= 20  # 540 in all, of which a tenth of the 60 may miss together


class Watching(Keystream):
    """A witness that remembers what it was told, and gives the second run the outcome of the
    first.
    """

    def __init__(self) -> None:
        super().__init__(bytes(32), private=False)
        self.told: list[NoiseWitness] = []
        self.given: list[Any] = []
        self.again: list[Any] = []

    def meet(self, told: NoiseWitness, draw: Callable[[], Any]) -> Any:
        self.told.append(told)
        self.given.append(self.again.pop(0) if self.again else draw())
        return self.given[-1]


@pytest.mark.parametrize("law", ["laplace", "gaussian"])
def test_a_witness_sees_that_the_parts_of_a_depth_share_what_one_person_moves(law: str) -> None:
    unit = shoal.Person("who", groups=1, rows_per_group=2)
    tree = tree_of(NINE, unit, law, highest=100)
    plain = {"kind": "a", "town": None, "spend": None}
    some = [{**plain, "who": who, "age": who} for who in range(100)]
    more = [*some, {**plain, "who": 999, "age": 3}, {**plain, "who": 999, "age": 97}]
    with use(Watching()) as watching:
        assert isinstance(watching, Watching)
        tree.release(Reference({"data": some}), [("a",)])
        first, watching.again = list(watching.told), list(watching.given)
        watching.told.clear()
        tree.release(Reference({"data": more}), [("a",)])
    assert len(first) == len(watching.told) == 4
    shares = []
    for one, two in zip(first, watching.told, strict=True):
        assert one.law == two.law
        (movement,) = one.claim.check(one.given, two.given, other=two.claim, output=None, times=1)
        assert movement.within
        shares.append(movement.share)
    assert max(shares) > Fraction(1, 2)
    assert tree.spread.norm is (Norm.L1 if law == "laplace" else Norm.L2)
