"""Plans of several questions: each meets its target at nearly the least price, and their total
holds them, hardly more.
"""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest
from tests.query.tables import made, rows

import shoal
from shoal.errors import BudgetExceeded, CalibrationError, RangeError
from shoal.query import BudgetPlan, Private

BUDGETS = [
    shoal.Pure(20),
    shoal.Approx(20, "1e-6"),
    shoal.Approx("0.5", "1e-6"),
    shoal.ZeroConcentrated(20),
]


def planned(held: Private) -> BudgetPlan:
    return shoal.plan_budget(
        [
            held.sql("SELECT COUNT(*) AS n FROM data").within(60),
            held.sql("SELECT kind, COUNT(*) AS n, AVG(spend) AS m FROM data GROUP BY kind").within(
                5, column="m", rows=5000, confidence="0.9"
            ),
            held.sql("SELECT SUM(age) AS s FROM data").within(9000, noise="laplace"),
        ]
    )


def word(budget: shoal.Measure) -> str:
    return "rho" if isinstance(budget, shoal.ZeroConcentrated) else "epsilon"


@pytest.mark.slow
@pytest.mark.parametrize("budget", BUDGETS, ids=str)
def test_every_question_meets_its_target_and_would_not_for_a_little_less(
    budget: shoal.Measure,
) -> None:
    for each in planned(made(rows(40), budget=budget)).questions:
        of = each.target
        for by, good in ((1, True), (Fraction(98, 100), False)):
            options: dict[str, Any] = {word(budget): each.size * by, "noise": of.noise}
            found = of.ask.preview(**options, confidence=of.confidence)
            expected = found[of.column or found.columns[0].name]
            error = expected.error if of.rows is None else (expected.per_row or 0) / of.rows
            assert error is not None
            assert (error <= of.error) == good


@pytest.mark.slow
@pytest.mark.parametrize("budget", BUDGETS, ids=str)
def test_a_budget_of_the_total_takes_all_questions_one_by_one_and_a_smaller_one_does_not(
    budget: shoal.Measure,
) -> None:
    plan = planned(made(rows(40), budget=budget))
    assert type(plan.total) is type(budget)
    again = planned(made(rows(40), budget=plan.total))
    assert again.fits
    for each in again.questions:
        each.release()
    with pytest.raises(BudgetExceeded):
        again.questions[0].release()
    held = made(rows(40), budget=_scaled(plan.total, Fraction(98, 100)))
    short = planned(held)
    assert not short.fits
    with pytest.raises(BudgetExceeded):
        for each in short.questions:
            each.release()


def _scaled(total: shoal.Measure, by: Fraction) -> shoal.Measure:
    if isinstance(total, shoal.ZeroConcentrated):
        return shoal.ZeroConcentrated(total.rho * by)
    if isinstance(total, shoal.Pure):
        return shoal.Pure(total.epsilon * by)
    assert isinstance(total, shoal.Approx)
    return shoal.Approx(total.epsilon * by, total.delta)


def test_the_total_of_a_pure_budget_is_the_sum() -> None:
    plan = planned(made(rows(40)))
    assert plan.total == shoal.Pure(sum(each.size for each in plan.questions))
    alone = [
        each.target.ask.for_error(
            each.target.error,
            column=each.target.column,
            rows=each.target.rows,
            confidence=each.target.confidence,
            noise=each.target.noise,
        )
        for each in plan.questions
    ]
    for each, least in zip(plan.questions, alone, strict=True):
        assert least <= each.size <= least * 1.001


def test_a_plan_spends_nothing_and_says_whether_what_is_left_holds_it() -> None:
    held = made(rows(40), budget=shoal.Pure(1))
    ask = held.sql("SELECT COUNT(*) AS n FROM data")
    assert shoal.plan_budget([ask.within(40)]).fits
    assert held.budget.spent == shoal.Pure(0)
    ask.release(epsilon="0.9")
    plan = shoal.plan_budget([ask.within(40)])
    assert not plan.fits
    assert str(plan).endswith("more than is left of the budget")


def test_a_plan_is_told_as_a_table_and_as_data() -> None:
    plan = planned(made(rows(40), budget=shoal.Approx(20, "1e-6")))
    lines = str(plan).splitlines()
    assert lines[0].split() == ["question", "wanted", "epsilon", "noise"]
    assert len(lines) == 5
    assert lines[-1] == f"in all {plan.total}, which fits"
    told = json.loads(json.dumps(plan.to_dict()))
    assert told["total"] == {"epsilon": str(plan.total.epsilon), "delta": "1/1000000"}  # type: ignore[attr-defined]
    assert [Fraction(each["epsilon"]) for each in told["questions"]] == [
        each.size for each in plan.questions
    ]
    assert told["questions"][1]["column"] == "m"


@pytest.mark.slow
def test_selected_keys_need_room_in_delta() -> None:
    held = made(rows(40), budget=shoal.Approx(20, "1e-6"))
    ask = held.sql("SELECT town, COUNT(*) AS n FROM data GROUP BY town")
    plan = shoal.plan_budget([ask.within(50, delta="1e-8"), ask.within(100, delta="1e-8")])
    assert plan.fits
    assert plan.questions[0].to_dict()["failing"] == "1/100000000"
    with pytest.raises(CalibrationError, match="half of delta 1e-6"):
        shoal.plan_budget([ask.within(50, delta="4e-7"), ask.within(100, delta="4e-7")])


def test_a_plan_is_of_one_budget_and_of_targets() -> None:
    one, two = (made(rows(9)).sql("SELECT COUNT(*) AS n FROM data").within(50) for _ in range(2))
    with pytest.raises(RangeError, match="2 budgets"):
        shoal.plan_budget([one, two])
    with pytest.raises(RangeError, match="needs questions"):
        shoal.plan_budget([])
    with pytest.raises(CalibrationError, match="depends on the rows"):
        made(rows(9)).sql("SELECT AVG(age) AS m FROM data").within(5)
