"""Every kind of question over a table, through `shoal.private`: one person with it, and without."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from shoal.auditing.extra import audit_module
from shoal.auditing.suite.case import Case
from shoal.measures import Approx, Measure, Pure, ZeroConcentrated
from shoal.plan import Choices, Person, Range
from shoal.query import Private, private
from shoal.workloads import Marginals

SAMPLES = 1_000
DELTA = "1e-5"
_PERSON = Person("who", groups=1, rows_per_group=3)
_FACTS: dict[str, Range | Choices] = {
    "kind": Choices(["a", "b", "c"]),
    "age": Range(0, 120),
    "spend": Range(0, 500),
}

_LARGE: dict[type[Measure], Measure] = {
    Pure: Pure(10**6),
    Approx: Approx(10**6, "0.5"),
    ZeroConcentrated: ZeroConcentrated(10**6),
}
"""Budgets for many answers; the kind of budget says what an epsilon promises."""


@dataclass(frozen=True)
class SuiteQuestion:
    """A question, what is spent on it, and what that promises."""

    sql: str
    spend: dict[str, Any]
    promise: Measure
    budget: Measure


def _rows(*, more: bool) -> list[dict[str, Any]]:
    """Six people, and perhaps a seventh with three rows at the upper ends."""
    towns = ("Aldam", "Brook", "Corve")
    few = [
        {
            "who": who,
            "town": towns[who % 3],
            "kind": "ab"[who % 2],
            "age": 7 * who,
            "spend": float(37 * who),
        }
        for who in range(6)
    ]
    one = {"who": 999, "town": "Aldam", "kind": "a", "age": 100, "spend": 500.0}
    return [*few, *({**one, "age": 100 - at} for at in range(3))] if more else few


def _table(*, more: bool, budget: Measure) -> Private:
    pa = audit_module("pyarrow")

    towns = pa.table({"town": ["Aldam", "Brook", "Corve"], "region": ["north", "south", "north"]})
    return private(
        pa.Table.from_pylist(_rows(more=more)),
        name="data",
        protects=_PERSON,
        columns=_FACTS,
        budget=budget,
        public={"towns": towns},
    )


def _answer(asked: SuiteQuestion) -> Callable[[SuiteQuestion, bool], Any]:
    """Answers, from a table that is opened once for each of the two datasets."""
    kept: dict[bool, Any] = {}

    def answered(_: SuiteQuestion, more: bool) -> Any:  # noqa: FBT001 - a dataset
        if more not in kept:
            kept[more] = _table(more=more, budget=asked.budget).sql(asked.sql)
        told = [value for row in kept[more].release(**asked.spend).rows for value in row]
        return told[0] if len(told) == 1 else tuple(told)

    return answered


def _case(
    name: str, sql: str, spend: dict[str, Any] | None = None, promise: Measure | None = None
) -> Case:
    promise = promise or Pure(1)
    asked = SuiteQuestion(sql, spend or {"epsilon": 1}, promise, _LARGE[type(promise)])
    return Case(
        f"question: {name}",
        (),
        lambda: asked,
        False,
        True,
        act=_answer(asked),
        claim=lambda made: made.promise,
        samples=SAMPLES if isinstance(promise, Pure) else SAMPLES // 3,
        repeatable=False,
    )


def _published() -> Case:
    """Tables published together: the numbers that are measured for them, all of one release."""
    promise = ZeroConcentrated("1/2")
    kept: dict[bool, Any] = {}

    def answered(_: Measure, more: bool) -> Any:  # noqa: FBT001 - a dataset
        if more not in kept:
            table = _table(more=more, budget=_LARGE[ZeroConcentrated])
            kept[more] = table.workload([Marginals(["kind"], up_to=1)])
        released = kept[more].release(rho=promise.rho)
        return tuple(float(value) for table in released for value in table.values.reshape(-1))

    return Case(
        "question: published tables",
        (),
        lambda: promise,
        False,
        True,
        act=answered,
        claim=lambda made: made,
        samples=SAMPLES,
        repeatable=False,
    )


QUESTIONS = (
    _published(),
    _case("count", "SELECT COUNT(*) AS n FROM data"),
    _case("count of a column", "SELECT COUNT(spend) AS n FROM data"),
    _case("count of people", "SELECT COUNT(DISTINCT who) AS n FROM data"),
    _case("count of values", "SELECT COUNT(DISTINCT age) AS n FROM data"),
    _case("sum", "SELECT SUM(spend) AS s FROM data"),
    _case("mean", "SELECT AVG(age) AS m FROM data"),
    _case("variance", "SELECT VAR_POP(age) AS v FROM data"),
    _case("sample variance", "SELECT VAR_SAMP(age) AS v FROM data"),
    _case("sample deviation", "SELECT STDDEV_SAMP(age) AS v FROM data"),
    _case("deviation", "SELECT STDDEV_POP(age) AS v FROM data"),
    _case("skewness", "SELECT COALESCE(SKEWNESS(age), 99) AS v FROM data"),
    _case("kurtosis", "SELECT COALESCE(KURTOSIS(age), 99) AS v FROM data"),
    _case("covariance", "SELECT COVAR_POP(spend, age) AS v FROM data"),
    _case("sample covariance", "SELECT COVAR_SAMP(spend, age) AS v FROM data"),
    _case("correlation", "SELECT COALESCE(CORR(spend, age), 2) AS v FROM data"),
    _case("slope", "SELECT COALESCE(REGR_SLOPE(spend, age), 0) AS v FROM data"),
    _case("intercept", "SELECT COALESCE(REGR_INTERCEPT(spend, age), 0) AS v FROM data"),
    _case("determination", "SELECT COALESCE(REGR_R2(spend, age), 2) AS v FROM data"),
    _case("least", "SELECT MIN(age) AS m FROM data"),
    _case("largest", "SELECT MAX(age) AS m FROM data"),
    _case("median", "SELECT MEDIAN(age) AS m FROM data"),
    _case("quantile", "SELECT QUANTILE(age, 0.9) AS m FROM data"),
    _case("groups", "SELECT kind, COUNT(*) AS n FROM data WHERE kind IS NOT NULL GROUP BY kind"),
    _case(
        "histogram",
        "SELECT WIDTH_BUCKET(age, 0, 120, 4) AS age, COUNT(*) AS n FROM data WHERE age < 120 GROUP BY ALL",
    ),
    _case("filter", "SELECT COUNT(*) AS n FROM data WHERE age > 90"),
    _case("join", "SELECT region, COUNT(*) AS n FROM data JOIN towns USING (town) GROUP BY region"),
    _case("several", "SELECT COUNT(*) AS n, AVG(spend) AS m FROM data"),
    _case(
        "gaussian noise",
        "SELECT SUM(spend) AS s FROM data",
        {"rho": "1/2", "noise": "gaussian"},
        ZeroConcentrated("1/2"),
    ),
    _case(
        "selected keys",
        "SELECT town, COUNT(*) AS n FROM data GROUP BY town",
        {"epsilon": 1, "delta": DELTA},
        Approx(1, DELTA),
    ),
)
