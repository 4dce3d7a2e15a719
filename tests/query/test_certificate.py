"""A certificate stands by itself, and an answer comes back from JSON as it went."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest
from tests.query.tables import made, rows

import shoal
from shoal.errors import BudgetExceeded, InternalError, RangeError
from shoal.plots import AnswerData
from shoal.query import Answer
from shoal.query.canonical import canonical_of
from shoal.query.certificate import hash_of, wrong_with
from shoal.query.stored_answer import Kept, restored, stored

BUDGETS = [shoal.Pure(100), shoal.Approx(1000, "1e-3"), shoal.ZeroConcentrated(1000)]
QUESTIONS = [
    "SELECT COUNT(*) AS n, AVG(spend) AS m, MEDIAN(age) AS h FROM data",
    "SELECT kind, COUNT(*) AS n, SUM(spend) AS s FROM data GROUP BY kind ORDER BY n DESC LIMIT 2",
    "SELECT region, STDDEV(spend) AS d FROM data JOIN towns USING (town) GROUP BY region",
]


def asked(
    sql: str, budget: shoal.Measure = BUDGETS[0], *, noise: str | None = None, **more: Any
) -> Answer:
    size: dict[str, Any] = {
        "rho" if isinstance(budget, shoal.ZeroConcentrated) else "epsilon": "0.5"
    }
    return made(rows(900), budget=budget).sql(sql).release(noise=noise, **size, **more)


def sent(certificate: Any) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(json.dumps(certificate))
    return read


@pytest.mark.slow
@pytest.mark.parametrize("sql", QUESTIONS)
@pytest.mark.parametrize("budget", BUDGETS, ids=str)
@pytest.mark.parametrize("noise", [None, "laplace"])
def test_a_certificate_agrees_with_itself(
    sql: str, budget: shoal.Measure, noise: str | None
) -> None:
    assert wrong_with(sent(asked(sql, budget, noise=noise).certificate)) == []


def test_a_certificate_of_selected_keys_agrees_with_itself() -> None:
    answer = asked("SELECT town, COUNT(*) AS n FROM data GROUP BY town", BUDGETS[1], delta="1e-5")
    assert wrong_with(sent(answer.certificate)) == []


def _question(certificate: dict[str, Any]) -> None:
    certificate["question"] = "SELECT 1"


def _less(certificate: dict[str, Any]) -> None:
    certificate["costs"]["Pure"]["epsilon"] = "1/4"


def _less_asked(certificate: dict[str, Any]) -> None:
    certificate["cost"]["epsilon"] = "1/4"


def _narrower(certificate: dict[str, Any]) -> None:
    certificate["events"][0]["scale"] = "1"


def _no_events(certificate: dict[str, Any]) -> None:
    del certificate["events"]


def _other_form(certificate: dict[str, Any]) -> None:
    certificate["shoal_certificate"] = 99


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "words"),
    [
        (_question, "its hash"),
        (_less, "under Pure"),
        (_less_asked, "asked for"),
        (_narrower, "cost more"),
        (_no_events, "cannot be read"),
        (_other_form, "form"),
    ],
)
def test_a_planted_lie_in_a_certificate_is_named_though_its_hash_is_made_anew(
    change: Callable[[dict[str, Any]], None], words: str
) -> None:
    certificate = sent(asked(QUESTIONS[1]).certificate)
    change(certificate)
    if change is not _question:
        certificate["hash"] = hash_of(certificate)
    assert words in " ".join(wrong_with(certificate))


@pytest.mark.slow
@pytest.mark.parametrize("sql", QUESTIONS)
@pytest.mark.parametrize("budget", BUDGETS, ids=str)
def test_an_answer_comes_back_from_json_as_it_went(sql: str, budget: shoal.Measure) -> None:
    answer = asked(sql, budget)
    again = restored(answer.priced, sent(stored(answer)))
    assert (again.rows, str(again), again.columns) == (answer.rows, str(answer), answer.columns)
    assert again.certificate == sent(answer.certificate)
    for column in filter(answer.has_interval, answer.columns):
        assert again.interval(column, "0.8") == answer.interval(column, "0.8")


def test_dates_and_timestamps_as_keys_come_back_as_they_went() -> None:
    days = pa.array([0, 1, 1], pa.date32())
    held = shoal.private(
        pa.table({"day": days, "at": pa.array([0, 86_400_000_000, 5], pa.timestamp("us"))}),
        protects=shoal.Row(),
        columns={"day": shoal.Range("1970-01-01", "1970-01-03")},
        budget=shoal.Approx(10, "1e-3"),
    )
    for sql, delta in (
        ("SELECT day, COUNT(*) AS n FROM data GROUP BY day", None),
        ("SELECT at, COUNT(*) AS n FROM data GROUP BY at", "1e-4"),
    ):
        answer = held.sql(sql).release(epsilon="0.5", delta=delta)
        assert restored(answer.priced, sent(stored(answer))).rows == answer.rows


def test_an_answer_of_another_question_is_not_taken_for_this_one() -> None:
    kept = stored(asked(QUESTIONS[0]))
    with pytest.raises(InternalError):
        restored(asked(QUESTIONS[1]).priced, {**kept, "groups": []})


def test_names_and_what_comes_after_the_draws_do_not_make_another_question() -> None:
    one = canonical_of(asked("SELECT kind, COUNT(*) AS n FROM data GROUP BY kind").priced)
    other = canonical_of(
        asked(
            "SELECT COUNT(*) AS many, kind AS k FROM data GROUP BY kind "
            "HAVING COUNT(*) > 3 ORDER BY many LIMIT 1"
        ).priced
    )
    assert one == other


@pytest.mark.slow
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT kind, COUNT(age) AS n FROM data GROUP BY kind",
        "SELECT kind, COUNT(*) AS n FROM data WHERE age > 3 GROUP BY kind",
        "SELECT kind = 'a' AS k, COUNT(*) AS n FROM data GROUP BY k",
    ],
)
def test_rows_keys_and_aggregates_make_another_question(sql: str) -> None:
    one = canonical_of(asked("SELECT kind, COUNT(*) AS n FROM data GROUP BY kind").priced)
    assert canonical_of(asked(sql).priced) != one


def test_a_budget_in_memory_refuses_a_key_it_could_not_remember() -> None:
    held = made(rows(5))
    with pytest.raises(RangeError, match="remembers none"):
        held.sql("SELECT COUNT(*) AS n FROM data").release(epsilon=1, key="a")
    assert held.budget.spent == shoal.Pure(0)


def test_a_refused_question_still_costs_nothing_and_says_what_fits() -> None:
    held = made(rows(5), budget=shoal.Pure(1))
    with pytest.raises(BudgetExceeded, match="which fits"):
        held.sql("SELECT COUNT(*) AS n FROM data").release(epsilon=2)
    assert held.budget.spent == shoal.Pure(0)


@pytest.mark.slow
@pytest.mark.parametrize(
    "sql",
    [
        *QUESTIONS,
        "SELECT BIN(age, 20) AS old, COUNT(*) AS n FROM data GROUP BY old",
        "SELECT kind, SUM(spend) / COUNT(*) AS each FROM data GROUP BY kind",
    ],
)
def test_an_answer_that_was_kept_has_the_picture_of_the_answer(sql: str) -> None:
    answer = asked(sql)
    assert AnswerData.of(Kept(sent(stored(answer)))) == AnswerData.of(answer)


def test_moments_of_an_answer_that_was_kept_are_moments() -> None:
    kept = {
        "types": ["date", "timestamp"],
        "rows": [["2026-01-02", "2026-01-02T03:04:05"], [None, None]],
    }
    [row, empty] = Kept(kept).rows
    assert (row[0].isoformat(), row[1].hour, empty) == ("2026-01-02", 3, (None, None))
