"""Quantiles: private by exact computation of all probabilities, near the right rank, and priced as
stated.
"""

from __future__ import annotations

import datetime as dt
import math
from fractions import Fraction
from functools import cache
from typing import Any
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.query.tables import made, rows, without_noise

import shoal
from shoal.accounting import account
from shoal.engines.reference import Reference
from shoal.errors import CalibrationError, UnknownNameError
from shoal.events import Composed, Event
from shoal.mechanisms import Exponential
from shoal.plan import NO_WEIGHTS, ValueWeights
from shoal.query.pricing import priced
from shoal.query.quantiles import PlacedQuantile

LEVELS = [
    "QUANTILE_CONT(age, 0.25)",
    "MEDIAN(age)",
    "MIN(age)",
    "MAX(age)",
    "QUANTILE_CONT(age, 0.9)",
]
UNITS = [
    shoal.Person("who", groups=2, rows_per_group=2),
    shoal.Person("who", groups=1, rows_per_group=1, relation="change"),
    shoal.Row(),
]
FACTS = {"age": shoal.Range(0, 6), "kind": shoal.Choices(["a", "b"])}
CELLS = st.fixed_dictionaries(
    {
        "who": st.integers(1, 4),
        "kind": st.sampled_from(["a", "b", "?"]),
        "age": st.none() | st.integers(-1, 8),
        "town": st.none(),
        "spend": st.none(),
    }
)


@cache
def placed(sql: str, unit: Any, law: str, epsilon: int = 1) -> PlacedQuantile:
    held = made([], protects=unit, budget=shoal.Approx(50, "1e-2"), columns=FACTS)
    ask = held.sql(f"SELECT kind, {sql} AS q FROM data GROUP BY kind")
    request = held.budget.request(epsilon=epsilon)
    return priced(ask.question, request, groups=3, law=law).places[0]


def log_chances(place: PlacedQuantile, data: list[dict[str, Any]]) -> list[np.ndarray[Any, Any]]:
    """For each group the logarithms of the probabilities of its points."""
    found = Reference({"data": data}).weights(place.spread)
    rate, laws = float(place.mechanism.rate), []
    for key in (("a",), ("b",), (None,)):
        scores = scores_of(place, found.get(key, NO_WEIGHTS)) * rate
        laws.append(scores - np.logaddexp.reduce(scores))
    return laws


def scores_of(place: PlacedQuantile, found: ValueWeights) -> np.ndarray[Any, Any]:
    """Minus the loss of every point of a small grid, from its runs."""
    runs = place.runs(found)
    assert runs.starts[0] == place.place.grid.lo
    assert runs.lengths.sum() == place.place.points
    return -np.repeat(runs.losses, runs.lengths).astype(float)


def losses_by_definition(place: PlacedQuantile, found: ValueWeights) -> list[int]:
    """The loss of every point of a small grid, as the proof defines it, one point at a time."""
    grid, unit, weights = place.place.grid, place.place.level.denominator, found.as_dict()
    wanted = place.place.level.numerator * sum(weights.values()) + place.offset
    losses = []
    for point in range(grid.lo, grid.hi + 1):
        below = unit * int(found.weights[found.values < point].sum())
        upto = below + unit * weights.get(point, 0)
        parts = [0]
        if not (place.place.side < 0 and point == grid.lo):
            parts.append(below - wanted)
        if not (place.place.side > 0 and point == grid.hi):
            parts.append(wanted - upto)
        losses.append(max(parts))
    return losses


def neighbours(data: list[dict[str, Any]], unit: Any) -> list[list[dict[str, Any]]]:
    if isinstance(unit, shoal.Row):
        return [data[:at] + data[at + 1 :] for at in range(len(data))]
    return [[row for row in data if row["who"] != who] for who in {row["who"] for row in data}]


def test_points_are_chosen_some_groups_at_a_time_from_weights_of_these_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("shoal.query.quantiles._BATCH", 2)
    place = placed("MEDIAN(age)", UNITS[0], "laplace", epsilon=49)
    data = [
        {"who": who, "kind": kind, "age": age, "town": None, "spend": None}
        for kind, age in (("a", 1), ("b", 5))
        for who in range(400)
    ]
    engine, asked = Reference({"data": data}), list[Any]()

    class Watched(Reference):
        def weights(self, spread: Any) -> Any:
            asked.append(spread.only)
            return engine.weights(spread)

    groups: list[Any] = [("a",), ("?",), ("b",)]
    points = place.release(Watched({"data": data}), groups)
    assert [float(points[0]), float(points[2])] == [1, 5]
    assert asked == [(("a",), ("?",)), (("b",),)]


@pytest.mark.slow
@pytest.mark.parametrize("law", ["laplace", "gaussian"])
@pytest.mark.parametrize("unit", UNITS, ids=str)
@pytest.mark.parametrize("sql", LEVELS)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.lists(CELLS, max_size=8))
def test_no_neighbour_changes_the_chances_by_more_than_is_claimed(
    sql: str, unit: Any, law: str, data: list[dict[str, Any]]
) -> None:
    place = placed(sql, unit, law)
    before = log_chances(place, data)
    twice = 2 if unit.relation == "change" else 1
    for other in neighbours(data, unit):
        losses = [one - two for one, two in zip(before, log_chances(place, other), strict=True)]
        if law == "laplace":
            worst = twice * sum(np.abs(loss).max() for loss in losses)
            assert worst <= float(place.loss) * (1 + 1e-9)
        else:
            square = sum((twice * (loss.max() - loss.min())) ** 2 for loss in losses)
            assert square <= float(place.loss) ** 2 * (1 + 1e-9)


@pytest.mark.parametrize("sql", ["QUANTILE_CONT(age, 0.25)", "MEDIAN(age)", "MAX(age)"])
def test_one_row_drives_the_losses_of_points_as_far_apart_as_is_claimed_and_no_further(
    sql: str,
) -> None:
    place, plain = placed(sql, shoal.Row(), "gaussian"), {"who": 1, "kind": "a", "town": None}
    apart = []
    for held in ([0] * 9, [6] * 9, [0, 3, 6] * 3, [3] * 9):
        data = [{**plain, "age": age, "spend": None} for age in held]
        for age in range(7):
            more = [*data, {**plain, "age": age, "spend": None}]
            loss = log_chances(place, more)[0] - log_chances(place, data)[0]
            apart.append(float(loss.max() - loss.min()))
    assert max(apart) == pytest.approx(float(place.loss), rel=1e-9)


def test_the_claim_is_nearly_reached() -> None:
    place = placed("MAX(age)", shoal.Person("who", groups=1), "laplace")
    many = [{"who": 9 + n, "kind": "a", "age": 3, "town": None, "spend": None} for n in range(60)]
    one = {"who": 1, "kind": "a", "age": 0, "town": None, "spend": None}
    worst = max(
        np.abs(
            log_chances(place, many)[0] - log_chances(place, [*many, {**one, "age": age}])[0]
        ).max()
        for age in range(7)
    )
    assert worst > 0.45 * float(place.loss)


@pytest.mark.slow
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT kind, MEDIAN(age) AS m, QUANTILE_CONT(spend, 0.9) AS q, COUNT(*) AS n, COUNT(DISTINCT town) AS d FROM data GROUP BY kind"
    ],
)
def test_quantiles_cost_what_was_asked(sql: str) -> None:
    def events(answer: shoal.Answer) -> Event:
        return Composed(tuple(Event.from_dict(each) for each in answer.certificate["events"]))

    held = made(rows(90), budget=shoal.Pure(1))
    assert account(events(held.sql(sql).release(epsilon="0.7"))).cost(shoal.Pure) == shoal.Pure(
        "0.7"
    )
    held = made(rows(90), budget=shoal.Approx(9, "1e-6"))
    answer = held.sql(sql).release(epsilon="0.7", noise="gaussian")
    found = account(events(answer)).epsilon(delta="5e-7").epsilon
    assert Fraction(69, 100) < found <= Fraction(7, 10)
    held = made(rows(90), budget=shoal.ZeroConcentrated(1))
    answer = held.sql(sql).release(rho="0.1", noise="gaussian")
    cost = account(events(answer)).cost(shoal.ZeroConcentrated)
    assert isinstance(cost, shoal.ZeroConcentrated)
    assert Fraction(99, 1000) < cost.rho <= Fraction(1, 10)


def best(mechanism: Exponential, scores: Any, lengths: Any) -> tuple[int, int]:
    return int(np.argmax(scores)), 0


@pytest.mark.slow
@pytest.mark.parametrize("level", [0.1, 0.25, 0.5, 0.75, 0.99])
@pytest.mark.parametrize("column", ["age", "spend"])
def test_without_noise_a_quantile_is_that_of_the_rows(level: float, column: str) -> None:
    data = rows(211)
    with patch.object(Exponential, "choose_in_runs", best):
        answer = (
            made(data)
            .sql(f"SELECT QUANTILE_CONT({column}, {level}) AS q FROM data")
            .release(epsilon=1)
        )
    value = answer.rows[0][0]
    values = sorted(row[column] for row in data)
    assert isinstance(value, float)
    at = values[math.ceil(level * len(values)) - 1]
    assert abs(value - at) <= 1e-6  # half of 2^-30 of the range, and the digits of a float


@pytest.mark.slow
def test_a_quantile_is_off_in_rank_no_further_than_the_preview_says() -> None:
    data = rows(4000)
    ask = made(data).sql("SELECT MEDIAN(age) AS m, MIN(spend) AS lo, MAX(spend) AS hi FROM data")
    preview, values = ask.preview(epsilon=1), sorted(row["age"] for row in data)
    rank = preview["m"].rank
    assert rank is not None
    good = 0
    for _ in range(60):
        value, least, most = ask.release(epsilon=1).rows[0]
        assert isinstance(value, float)
        low, high = (sum(v < value for v in values), sum(v <= value for v in values))
        good += low - rank <= 2000 <= high + rank
        assert least <= most  # type: ignore[operator]
    assert good >= 45


def test_dates_have_quantiles_and_an_empty_group_has_one_too() -> None:
    table = pa.table({"who": [1, 2, 3], "day": [dt.date(2026, 5, day) for day in (1, 2, 3)]})
    held = shoal.private(
        table,
        protects=shoal.Row(),
        columns={"day": shoal.Range("2026-01-01", "2026-12-31")},
        budget=shoal.Pure(1000),
    )
    told = held.sql("SELECT MEDIAN(day) AS d FROM data").release(epsilon=500).rows[0][0]
    assert told == dt.date(2026, 5, 2)
    empty = (
        held.sql("SELECT MEDIAN(day) AS d FROM data WHERE who > 5").release(epsilon=1).rows[0][0]
    )
    assert dt.date(2026, 1, 1) <= empty <= dt.date(2026, 12, 31)  # type: ignore[operator]


def test_previews_and_answers_say_that_extremes_are_quantiles() -> None:
    ask = made(rows(40)).sql("SELECT MIN(age) AS lo, QUANTILE(age, [0.5, 0.9]) AS q FROM data")
    for shown in (ask.preview(epsilon=1), ask.release(epsilon=1)):
        assert shown.notes[-1:] == ask.question.notes
        assert str(shown).splitlines()[-1] == f"note: {ask.question.notes[0]}"
    assert ask.release(epsilon=1).columns == ("lo", "q_50", "q_90")


def test_a_quantile_has_no_interval_in_value() -> None:
    held = made(rows(40))
    answer = held.sql("SELECT MEDIAN(age) AS m, COUNT(*) AS n FROM data").release(epsilon=1)
    with pytest.raises(UnknownNameError, match="Columns with an interval: n"):
        answer.interval("m")
    assert answer.to_arrow().column_names == ["m", "n", "n_low", "n_high"]
    with pytest.raises(CalibrationError, match="depends on the rows"):
        held.sql("SELECT MEDIAN(age) AS m FROM data").for_error(1, rows=100)


def test_distinct_values_are_counted_in_full_where_nobody_exceeds() -> None:
    with without_noise():
        answer = (
            made(rows(90))
            .sql("SELECT kind, COUNT(DISTINCT town) AS d FROM data GROUP BY kind")
            .release(epsilon=1)
        )
    assert answer.rows == [("a", 3), ("b", 3), ("c", 0), (None, 0)]


@pytest.mark.parametrize("epsilon", ["1e-310", "1e-200", "1e-100"])
def test_too_little_for_a_quantile_is_refused_in_words_and_costs_nothing(epsilon: str) -> None:
    held = made(rows(40))
    for act in ("preview", "release"):
        with pytest.raises(CalibrationError, match="so little that its rows would count"):
            getattr(held.sql("SELECT MEDIAN(age) AS m FROM data"), act)(epsilon=epsilon)
    assert held.budget.spent == shoal.Pure(0)
