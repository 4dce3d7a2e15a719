"""Private selection of keys: rare keys stay secret, common ones are told, and the threshold is as
low as it may be.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from tests.query.tables import made, rows, without_noise

import shoal
from shoal.mechanisms import Geometric
from shoal.plan import PublicJoin
from shoal.plan.contribution_bounds import stated_rows
from shoal.query.key_selection import VOTES, KeySelection, _quantile_up
from shoal.query.pricing import priced

BY_TOWN = "SELECT town, COUNT(*) AS n FROM data GROUP BY town"
BUDGET = shoal.Approx(50, "1e-2")


def selection(law: str, delta: str, **options: Any) -> KeySelection:
    protects = shoal.Person("who", **options) if options else shoal.Row()
    held = made([], protects=protects, budget=BUDGET)
    ask = held.sql(BY_TOWN)
    request = held.budget.request(epsilon=1, delta=delta, selects=True)
    found = priced(ask.question, request, law=law).selection
    assert found is not None
    return found


def tail(noise: Any, steps: int) -> float:
    if isinstance(noise, Geometric):
        q = -1 / float(noise.scale)
        return math.exp(steps * q) / (1 + math.exp(q))
    return math.erfc((steps - 0.5) / float(noise.sigma) / math.sqrt(2)) / 2


@pytest.mark.slow
@pytest.mark.parametrize("law", ["laplace", "gaussian"])
@pytest.mark.parametrize("delta", ["1e-3", "1e-8"])
@pytest.mark.parametrize("groups", [1, 3, 10])
@pytest.mark.parametrize("relation", ["add_remove", "change"])
def test_no_person_alone_has_a_key_told_more_often_than_delta(
    law: str, delta: str, groups: int, relation: str
) -> None:
    chosen = selection(law, delta, groups=groups, rows_per_group=2, relation=relation)
    least, risk = chosen.threshold(), float(Fraction(delta)) / (2 if relation == "change" else 1)
    worst = 0.0
    for count in range(1, VOTES * groups + 1):
        vote = chosen.bounded.vote(count)
        worst = max(worst, count * tail(chosen.noise, least - vote))
    assert worst <= risk * (1 + 1e-9)
    assert worst >= risk / 2, "the threshold is higher than it need be"


def test_for_rows_the_threshold_is_the_quantile_of_the_noise() -> None:
    chosen = selection("laplace", "1e-6")
    assert chosen.threshold() == 1 + _quantile_up(chosen.noise, Fraction(1, 10**6))
    assert (
        tail(chosen.noise, chosen.threshold() - 1)
        <= 1e-6
        < tail(chosen.noise, chosen.threshold() - 2)
    )


@pytest.mark.slow
@pytest.mark.parametrize("law", ["laplace", "gaussian"])
def test_common_keys_are_told_and_rare_ones_are_not(law: str) -> None:
    lone = [{**row, "who": 9_000 + at, "town": f"lone {at}"} for at, row in enumerate(rows(40))]
    held = made([*rows(3000), *lone], budget=BUDGET)
    for _ in range(5):
        answer = held.sql(BY_TOWN).release(epsilon=2, delta="1e-6", noise=law)
        assert [row[0] for row in answer.rows] == ["Aldam", "Brook", "Corve"]


def test_a_person_in_too_many_groups_has_no_vote_and_still_counts() -> None:
    one = rows(1)[0]
    many = [{**one, "town": f"t{at}"} for at in range(VOTES * 2 + 1)]
    chosen = selection("laplace", "1e-3", groups=2)
    held = made(many, protects=shoal.Person("who", groups=2), budget=BUDGET)
    assert set(held._source.engine.totals(chosen.bounded).values()) == {(0,)}
    fewer = made(many[:-1], protects=shoal.Person("who", groups=2), budget=BUDGET)
    assert set(fewer._source.engine.totals(chosen.bounded).values()) == {(2**20 // VOTES,)}


def test_a_key_is_told_from_its_threshold_on_and_not_one_vote_below_it() -> None:
    chosen = selection("laplace", "1e-6")
    least = chosen.threshold()
    towns = ["told"] * least + ["not told"] * (least - 1)
    data = [{**row, "town": town} for row, town in zip(rows(len(towns)), towns, strict=True)]
    held = made(data, protects=shoal.Row(), budget=BUDGET)
    with without_noise():
        assert chosen.release(held._source.engine) == [("told",)]


def test_no_noise_is_drawn_for_a_key_without_a_vote_so_that_it_is_never_told() -> None:
    one = rows(1)[0]
    many = [{**one, "town": f"t{at}"} for at in range(VOTES * 2 + 1)]
    held = made(many, protects=shoal.Person("who", groups=2), budget=BUDGET)
    with without_noise() as given:
        assert selection("laplace", "1e-3", groups=2).release(held._source.engine) == []
    assert [value for _, values in given for value in values] == []


def test_an_empty_selection_is_an_empty_answer() -> None:
    held = made([], budget=BUDGET)
    answer = held.sql(BY_TOWN).release(epsilon=1, delta="1e-6")
    assert answer.rows == []
    assert answer.to_arrow().num_rows == 0
    assert answer.to_arrow().schema.names == ["town", "n", "n_low", "n_high"]


def stated(rows_of_one: int, groups: int = 1) -> KeySelection:
    """The selection where so many rows of one person are stated."""
    unit = shoal.Person("who", groups=groups)
    held = made([], protects=unit, keys={"who": rows_of_one}, budget=BUDGET)
    request = held.budget.request(epsilon=1, delta="1e-6", selects=True)
    found = priced(held.sql(BY_TOWN).question, request, law="laplace").selection
    assert found is not None
    return found


@pytest.mark.parametrize("rows_of_one", [1, 3, 500])
def test_where_few_rows_of_a_person_are_stated_the_threshold_is_lower_and_still_safe(
    rows_of_one: int,
) -> None:
    chosen, plain = stated(rows_of_one), selection("laplace", "1e-6", groups=1)
    most = min(rows_of_one, VOTES)
    assert chosen.term.hi == most
    if most < VOTES:
        assert chosen.threshold() < plain.threshold()
    risks = [
        count * tail(chosen.noise, chosen.threshold() - chosen.bounded.vote(count))
        for count in range(1, most + 1)
    ]
    assert 5e-7 <= max(risks) <= 1e-6 * (1 + 1e-9)


def test_who_has_more_rows_than_are_stated_has_no_vote() -> None:
    """What is stated is held, not trusted: a lower threshold rests on it."""
    one = rows(1)[0]
    many = [{**one, "town": f"t{at}"} for at in range(2)]
    chosen = stated(1)
    held = made(many, protects=shoal.Person("who"), keys={"who": 1}, budget=BUDGET)
    assert set(held._source.engine.totals(chosen.bounded).values()) == {(0,)}
    fewer = made(many[:1], protects=shoal.Person("who"), keys={"who": 1}, budget=BUDGET)
    assert set(fewer._source.engine.totals(chosen.bounded).values()) == {(2**20,)}


def test_rows_of_one_person_are_followed_through_the_question() -> None:
    held = made(rows(3), protects=shoal.Person("who"), keys={"who": 2}, budget=BUDGET)
    asked = {
        "SELECT town, COUNT(*) AS n FROM data WHERE age > 3 GROUP BY town": 2,
        "SELECT t, COUNT(*) AS n FROM (SELECT town AS t FROM data) GROUP BY t": 2,
        "SELECT town, COUNT(*) AS n FROM (SELECT town FROM data UNION ALL SELECT town FROM data) "
        "GROUP BY town": 4,
        "SELECT t, COUNT(*) AS n FROM (SELECT who, MIN(town) AS t FROM data GROUP BY who) GROUP BY t": 1,
    }
    joined = "SELECT size, COUNT(*) AS n FROM data JOIN towns USING (town) GROUP BY size"
    join = held.sql(joined).question.relation
    assert isinstance(join, PublicJoin)
    assert [stated_rows(replace(join, at_most=most)) for most in (1, 3)] == [2, 6]
    for sql, most in asked.items():
        assert stated_rows(held.sql(sql).question.relation) == most
    unstated = made(rows(3), protects=shoal.Person("who"), budget=BUDGET)
    assert stated_rows(unstated.sql(BY_TOWN).question.relation) is None
