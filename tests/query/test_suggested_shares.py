"""Suggested shares: one vote a person, charged before rows are read, and the least that is
enough.
"""

from __future__ import annotations

from fractions import Fraction
from math import hypot
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.query.tables import Given, made, without_noise
from tests.query.test_neighbours import CELLS, UNITS, without

import shoal
from shoal.accounting import account
from shoal.errors import BudgetExceeded, RangeError, SchemaError
from shoal.query.certificate import hash_of, wrong_with
from shoal.query.share_curve import share_curve
from shoal.query.suggested_shares import EDGES, Votes

PERSONS = [unit for unit in UNITS if isinstance(unit, shoal.Person)]


def rows_of(people: int, kinds: str, each: int, first: int = 0) -> list[dict[str, Any]]:
    return [
        {"who": first + who, "town": None, "kind": kind, "age": 1, "spend": 1.0}
        for who in range(people)
        for kind in kinds
        for _ in range(each)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("unit", PERSONS, ids=str)
@settings(max_examples=8, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(data=st.lists(CELLS, max_size=6))
def test_neighbours_give_the_noise_inputs_within_its_sensitivity(
    unit: Any, data: list[dict[str, Any]]
) -> None:
    def played(rows: list[dict[str, Any]]) -> Given:
        with without_noise() as seen:
            made(rows, protects=unit, towns=False).suggest_groups("kind", epsilon=1)
        return seen

    seen = played(data)
    assert len(seen) == 2
    for other in without(data, unit):
        for (mechanism, before), (again, after) in zip(seen, played(other), strict=True):
            assert again == mechanism
            assert len(before) == len(after) == len(EDGES)
            moved = sum(abs(one - two) for one, two in zip(before, after, strict=True))
            assert moved <= 1
            assert mechanism.sensitivity.value == (2 if unit.relation == "change" else 1)


@pytest.mark.parametrize(
    ("budget", "size"),
    [
        (shoal.Pure(2), {"epsilon": "0.5"}),
        (shoal.Approx(2, "1e-6"), {"epsilon": "0.5"}),
        (shoal.ZeroConcentrated(2), {"rho": "0.5"}),
    ],
    ids=str,
)
def test_two_histograms_cost_what_was_asked(budget: shoal.Measure, size: dict[str, Any]) -> None:
    held = made(rows_of(50, "ab", 2), budget=budget)
    request = held.budget.request(**size)
    rows = held.table().rows
    event = Votes.of(rows, [], request).event
    if isinstance(budget, shoal.ZeroConcentrated):
        cost = account(event).cost(shoal.ZeroConcentrated)
        assert isinstance(cost, shoal.ZeroConcentrated)
        assert Fraction(49, 100) < cost.rho <= Fraction(1, 2)
    else:
        assert account(event).cost(shoal.Pure) == shoal.Pure("0.5")
    held.suggest_groups(**size)
    with without_noise() as seen, pytest.raises(BudgetExceeded):
        held.suggest_groups(**dict.fromkeys(size, 9))
    assert seen == []


def test_the_least_numbers_are_suggested_that_are_enough_for_nearly_all() -> None:
    data = [
        *rows_of(900, "ab", 3),
        *rows_of(80, "abc", 7, first=1000),
        *rows_of(20, "abc", 400, first=2000),
    ]
    held = made(data)
    most = held.suggest_groups("kind", epsilon=20)
    assert (most.groups, most.rows_per_group) == (3, 7)
    few = held.suggest_groups("kind", epsilon=20, share="0.85")
    assert (few.groups, few.rows_per_group) == (2, 3)
    alone = held.suggest_groups(epsilon=20, share="0.85")
    assert (alone.groups, alone.rows_per_group) == (1, 6)
    assert str(few).endswith("State it: sharing(groups=2, rows_per_group=3)")
    assert few.unit == shoal.Person("who", groups=2, rows_per_group=3)


def test_suggested_shares_are_put_to_use_under_the_same_budget() -> None:
    held = made(rows_of(500, "ab", 4), budget=shoal.Pure(50))
    found = held.suggest_groups("kind", epsilon=20)
    assert found.groups is not None
    assert found.rows_per_group is not None
    told = held.sharing(groups=found.groups, rows_per_group=found.rows_per_group)
    with without_noise():
        answer = told.sql("SELECT kind, COUNT(*) AS n FROM data GROUP BY kind").release(epsilon=1)
        before = held.sql("SELECT kind, COUNT(*) AS n FROM data GROUP BY kind").release(epsilon=1)
    assert [row[1] for row in answer.rows] == [2000, 2000, 0, 0]
    assert [row[1] for row in before.rows] == [1500, 1500, 0, 0]
    assert held.budget.spent == told.budget.spent == shoal.Pure(22)


def test_nobody_stands_out_of_an_empty_table() -> None:
    with without_noise():
        found = made([]).suggest_groups(epsilon=1)
    assert (found.groups, found.rows_per_group) == (None, None)
    assert "Ask with more" in str(found)
    assert found.unit == shoal.Person("who", groups=2, rows_per_group=3)


def test_rows_that_are_protected_by_themselves_have_no_shares() -> None:
    held = made([], protects=shoal.Row())
    with pytest.raises(SchemaError, match="each row is protected by itself"):
        held.suggest_groups(epsilon=1)
    with pytest.raises(SchemaError, match="each row is protected by itself"):
        held.sharing(groups=1, rows_per_group=1)
    assert held.budget.spent == shoal.Pure(0)


@pytest.mark.parametrize(
    ("budget", "size"),
    [
        (shoal.Pure(50), {"epsilon": 20}),
        (shoal.Approx(50, "1e-6"), {"epsilon": 2}),
        (shoal.ZeroConcentrated(9), {"rho": 1}),
    ],
)
def test_suggested_shares_have_a_certificate_whose_prices_hold(
    budget: shoal.Measure, size: dict[str, int]
) -> None:
    found = made(rows_of(500, "ab", 4), budget=budget).suggest_groups("kind", **size)
    assert found.certificate is not None
    assert wrong_with(found.certificate) == []
    assert found.certificate["question"] == "suggest_groups('kind')"
    name, asked = next(iter(size.items()))
    cheaper = {**found.certificate["cost"], name: str(Fraction(asked, 2))}
    forged = {**found.certificate, "cost": cheaper}
    assert any("cost more" in each for each in wrong_with({**forged, "hash": hash_of(forged)}))


@pytest.mark.parametrize("epsilon", [0.001, 0.02, 0.5])
def test_the_curve_weighs_clipped_rows_against_noise(epsilon: float) -> None:
    """100 persons with 1 group and 100 with 2; 100 with 1 row in each and 100 with 4; by hand."""
    groups, rows = {1: 100, 2: 100}, {1: 100, 4: 100}
    kept_groups, kept_rows = {1: 2 / 3, 2: 1.0}, {1: 2 / 5, 2: 3 / 5, 3: 4 / 5, 4: 1.0}
    total = 200 * 1.5 * 2.5
    curve = share_curve(groups, rows, cells=2, epsilon=epsilon, edges=EDGES)
    assert [each.groups for each in curve.choices] == [1, 2]
    for each in curve.choices:
        kept = kept_groups[each.groups] * kept_rows[each.rows_per_group]
        assert each.kept == pytest.approx(kept)
        assert each.clipped == pytest.approx(total * (1 - kept) / 2)
        assert each.noise == pytest.approx(2**0.5 * each.groups * each.rows_per_group / epsilon)
    errors = {
        (g, r): hypot(total * (1 - a * b) / 2, 2**0.5 * g * r / epsilon)
        for g, a in kept_groups.items()
        for r, b in kept_rows.items()
    }
    assert curve.best.error == pytest.approx(min(errors.values()))
    assert epsilon != 0.001 or (curve.best.groups, curve.best.rows_per_group) == (1, 1)
    assert epsilon != 0.5 or (curve.best.groups, curve.best.rows_per_group) == (2, 4)


def test_without_votes_there_is_no_curve() -> None:
    with pytest.raises(RangeError, match="no votes"):
        share_curve({}, {1: 2}, cells=1, epsilon=1, edges=EDGES)


def test_a_suggestion_shows_its_curve_without_reading_again() -> None:
    held = made(rows_of(300, "ab", 3), protects=shoal.Person("who"), budget=shoal.Pure(40))
    found = held.suggest_groups("kind", epsilon=30)
    spent = str(held.budget.spent)
    curve = found.curve(epsilon=1)
    assert (curve.best.groups, curve.best.rows_per_group) == (found.groups, found.rows_per_group)
    assert "least" in str(curve)
    assert str(held.budget.spent) == spent
