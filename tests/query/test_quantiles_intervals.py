"""Intervals of quantiles: what they miss is computed exactly, what they cost is what was asked."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from tests.query.tables import made, rows
from tests.query.test_quantiles import (
    CELLS,
    FACTS,
    LEVELS,
    UNITS,
    log_chances,
    neighbours,
    scores_of,
)

import shoal
from shoal.accounting import account
from shoal.errors import RangeError
from shoal.events import Composed, Event
from shoal.plan import ValueWeights
from shoal.query.estimates import interval
from shoal.query.pricing import priced
from shoal.query.quantiles import PlacedQuantile
from shoal.query.recipes import recipes_of

SURE = Fraction(9, 10)


@cache
def ends(sql: str, unit: Any, law: str, epsilon: int = 1, highest: int = 6) -> list[PlacedQuantile]:
    facts = {**FACTS, "age": shoal.Range(0, highest)}
    held = made([], protects=unit, budget=shoal.Approx(50, "1e-2"), columns=facts)
    ask = held.sql(f"SELECT kind, {sql} AS q FROM data GROUP BY kind")
    request = held.budget.request(epsilon=epsilon)
    found = priced(ask.question, request, groups=3, law=law, ends=SURE).places
    return [placed for placed in found if placed.place.side]


@pytest.mark.slow
@pytest.mark.parametrize("law", ["laplace", "gaussian"])
@pytest.mark.parametrize("unit", UNITS, ids=str)
@pytest.mark.parametrize("sql", LEVELS)
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.lists(CELLS, max_size=8))
def test_no_neighbour_changes_the_chances_of_an_end_by_more_than_is_claimed(
    sql: str, unit: Any, law: str, data: list[dict[str, Any]]
) -> None:
    twice = 2 if unit.relation == "change" else 1
    for end in ends(sql, unit, law):
        before = log_chances(end, data)
        for other in neighbours(data, unit):
            losses = [one - two for one, two in zip(before, log_chances(end, other), strict=True)]
            if law == "laplace":
                assert twice * sum(np.abs(each).max() for each in losses) <= float(end.loss) + 1e-9
            else:
                square = sum((twice * (each.max() - each.min())) ** 2 for each in losses)
                assert square <= float(end.loss) ** 2 + 1e-9


def missed(end: PlacedQuantile, counts: dict[Any, int]) -> float:
    """The exact chance that an end does not lie on its side of every point of the wanted rank."""
    grid, level = end.place.grid, end.place.level
    weights = {point: count for point, count in counts.items() if count}
    points = list(range(grid.lo, grid.hi + 1))
    mass = np.array([weights.get(point, 0) for point in points])
    upto, wanted = mass.cumsum(), level * int(mass.sum())
    if end.place.inside:
        right = mass > 0
    else:
        right = (upto - mass <= float(wanted)) & (upto >= float(wanted))
    found = ValueWeights.of(weights, points=True)
    scores = scores_of(end, found) * float(end.mechanism.rate)
    chances = np.exp(scores - np.logaddexp.reduce(scores))
    if not mass.any():
        return 0.0
    first, last = np.flatnonzero(right)[[0, -1]]
    if end.place.inside:
        first = last = {1: first, -1: last}[end.place.inside]
    at = np.arange(len(points))
    return float(chances[at > first if end.place.side < 0 else at < last].sum())


@pytest.mark.slow
@pytest.mark.parametrize("sql", LEVELS)
@settings(max_examples=150, deadline=None)
@example(counts=[0, 0, 0, 1, 0, 0, 0], epsilon=1)
@example(counts=[1, 0, 0, 0, 0, 0, 1], epsilon=100)
@example(counts=[500, 1, 1, 1, 1, 1, 500], epsilon=10)
@given(
    counts=st.lists(st.integers(0, 40), min_size=7, max_size=7),
    epsilon=st.sampled_from([1, 10, 100]),
)
def test_an_end_misses_no_more_often_than_is_claimed_whatever_the_data(
    sql: str, counts: list[int], epsilon: int
) -> None:
    for end in ends(sql, shoal.Row(), "laplace", epsilon):
        assert missed(end, dict(enumerate(counts))) <= 1 - end.place.sure


def test_an_end_without_its_distance_would_miss() -> None:
    (low, _) = ends("MEDIAN(age)", shoal.Row(), "laplace")
    low = replace(low)
    low.__dict__["offset"] = 0
    assert missed(low, dict(enumerate([9, 9, 9, 9, 9, 9, 9]))) > 1 - low.place.sure


def test_an_end_is_not_far_more_careful_than_it_has_to_be() -> None:
    (low, _) = ends("MEDIAN(age)", shoal.Row(), "laplace", highest=900)
    far = abs(low.offset) // 2
    some = {0: 1000 - far, 1: far, **dict.fromkeys(range(2, 900), 0), 900: 1000}
    assert missed(low, some) > float(1 - low.place.sure) / 50


def test_an_interval_allows_for_the_rounding_to_the_grid_of_its_ends() -> None:
    held = made(rows(9))
    question = held.sql("SELECT MEDIAN(spend) AS m FROM data").question
    (recipe,) = recipes_of(question, ends=SURE)
    assert recipe.place is not None
    low, high = recipe.ends
    assert low.grid == high.grid != recipe.place.grid
    told = interval(recipe, {recipe.place: Fraction(9), low: Fraction(8), high: Fraction(10)}, {})
    half = float(low.grid.step) / 2
    assert told.lo == pytest.approx(8 - half, abs=1e-12)
    assert told.hi == pytest.approx(10 + half, abs=1e-12)
    assert told.lo <= 8 - half < 10 + half <= told.hi


@pytest.mark.slow
def test_intervals_cover_the_quantiles_of_the_rows_and_narrow_with_epsilon() -> None:
    data = rows(3000)
    sql = "SELECT MEDIAN(spend) AS q, MIN(age) AS lo, MAX(age) AS hi, QUANTILE_CONT(age, 0.9) AS r FROM data"
    ask = made(data, protects=shoal.Row(), budget=shoal.Pure(10**6)).sql(sql, intervals="0.9")
    spend, age = (np.sort([row[name] for row in data]) for name in ("spend", "age"))
    truth = {"q": spend[1499], "lo": age[0], "hi": age[-1], "r": age[2699]}
    inside = dict.fromkeys(truth, 0)
    for _ in range(100):
        answer = ask.release(epsilon=4)
        for name, value in truth.items():
            found = answer.interval(name)[0]
            inside[name] += found.lo <= value <= found.hi
            assert found.lo <= answer.rows[0][answer.columns.index(name)] <= found.hi  # type: ignore[operator]
    assert min(inside.values()) >= 75  # 90 are expected at least; below 75 less than once in 10^5
    widths = []
    for epsilon in (4, 40):
        each = ask.release(epsilon=epsilon).interval("q")[0]
        widths.append(each.hi - each.lo)
    assert widths[1] < widths[0] < 100


def test_intervals_of_quantiles_are_part_of_what_was_asked_for() -> None:
    sql = "SELECT MEDIAN(age) AS m, MAX(spend) AS x, COUNT(*) AS n FROM data"
    held = made(rows(90), budget=shoal.Pure(2))
    answer = held.sql(sql, intervals="0.9").release(epsilon="0.7")
    events = Composed(tuple(Event.from_dict(each) for each in answer.certificate["events"]))
    assert len(answer.certificate["events"]) == 6
    assert account(events).cost(shoal.Pure) == shoal.Pure("0.7") == held.budget.spent
    plain = held.sql(sql).preview(epsilon="0.7")["m"].rank
    more = held.sql(sql, intervals="0.9").preview(epsilon="0.7")["m"].rank
    assert plain is not None
    assert more is not None
    assert plain < more


def test_the_interval_of_a_quantile_is_not_widened_afterwards() -> None:
    held = made(rows(90))
    answer = held.sql("SELECT MEDIAN(age) AS m, COUNT(*) AS n FROM data", intervals="0.9").release(
        epsilon=1
    )
    assert answer.interval("m") == answer.interval("m", "0.5")
    assert answer.confidence == Fraction(9, 10)
    assert answer.to_arrow().column_names == ["m", "m_low", "m_high", "n", "n_low", "n_high"]
    with pytest.raises(RangeError, match=r"at a confidence of 0\.9"):
        answer.interval("m", "0.95")
    with pytest.raises(RangeError, match="cannot be widened"):
        answer.interval("m", simultaneous=True)


def test_the_builder_gives_quantiles_intervals_too() -> None:
    answer = made(rows(90)).table().agg(m="median(age)", intervals="0.8").release(epsilon=1)
    assert answer.has_interval("m")
