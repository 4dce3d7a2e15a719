"""The words of dataframes ask what SQL asks, cost what was named, and answers are frames."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from tests.query.tables import without_noise

import shoal
from shoal.errors import CalibrationError, RangeError, SchemaError, ShoalError, UnknownNameError
from shoal.query import Answer, Ask, Private
from shoal.query.canonical import canonical_plan

ROWS = pa.table(
    {
        "who": list(range(600)),
        "ward": [("east", "west", "north")[n % 7 % 3] for n in range(600)],
        "age": [18 + n % 70 for n in range(600)],
        "body mass": [50 + (n % 70) / 2 + n % 13 for n in range(600)],
        "fee": pa.array([None if n % 9 == 0 else n % 40 for n in range(600)], pa.int32()).cast(pa.decimal128(12, 2)),
    }
)  # fmt: skip
FACTS: dict[str, Any] = {
    "ward": shoal.Choices(["east", "west", "north"]),
    "age": (0, 120),
    "body mass": (30, 150),
    "fee": (0, 40),
}


def people(**options: Any) -> Private:
    options.setdefault("budget", shoal.Pure(1000))
    options.setdefault("columns", FACTS)
    return shoal.private(
        ROWS, name="people", protects=shoal.Person("who"), required=["age"], **options
    )


P = people()
QUARTERS = ", ".join(f"QUANTILE_CONT({{0}}, {q})" for q in ("0.25", "0.5", "0.75"))
SAME = [
    (P.count(), "SELECT COUNT(*) AS n FROM people"),
    (P.mean("age"), "SELECT AVG(age) FROM people"),
    (P.mean("age", "body mass"), 'SELECT AVG(age), AVG("body mass") FROM people'),
    (P.sum("fee"), "SELECT SUM(fee) FROM people"),
    (P.std("fee"), "SELECT STDDEV(fee) FROM people"),
    (P.median("age"), "SELECT MEDIAN(age) FROM people"),
    (P.quantile("age", 0.9), "SELECT QUANTILE_CONT(age, 0.9) FROM people"),
    (P.quantile("age", [0.1, 0.9]), "SELECT QUANTILE_CONT(age, [0.1, 0.9]) FROM people"),
    (P.mean("age / 2 + 1"), "SELECT AVG(age / 2 + 1) FROM people"),
    (P.value_counts("ward"), "SELECT ward, COUNT(*) AS n FROM people GROUP BY ward ORDER BY n DESC"),
    (P.hist("age", bins=10), "SELECT WIDTH_BUCKET(age, 0, 130, 10) AS b, COUNT(*) FROM people GROUP BY b"),
    (P.hist("fee", bins=4), "SELECT WIDTH_BUCKET(fee, 0.00, 40.04, 4) AS b, COUNT(*) FROM people GROUP BY b"),
    (P.groupby("ward").mean("age"), "SELECT ward, AVG(age) FROM people GROUP BY ward"),
    (P.groupby("body mass").count(), 'SELECT "body mass", COUNT(*) FROM people GROUP BY 1'),
    (P.groupby("ward").count(), "SELECT ward, COUNT(*) FROM people GROUP BY ward"),
    (P.table("people").where("age > 30").groupby(old="age > 60").median("fee"),
     "SELECT age > 60 AS old, MEDIAN(fee) FROM people WHERE age > 30 GROUP BY old"),
    (P.describe("age"), f"SELECT COUNT(age), AVG(age), STDDEV(age), {QUARTERS.format('age')} FROM people"),
    (P.corr(), 'SELECT CORR(age, "body mass"), CORR(age, fee), CORR("body mass", fee) FROM people'),
    (P.groupby("ward").corr("fee", "age"), "SELECT ward, CORR(age, fee) FROM people GROUP BY ward"),
]  # fmt: skip


@pytest.mark.parametrize(("ask", "sql"), SAME, ids=[sql for _, sql in SAME])
def test_a_verb_builds_the_plan_of_the_question_in_sql(ask: Any, sql: str) -> None:
    assert isinstance(ask, Ask)
    assert canonical_plan(ask.question) == canonical_plan(P.sql(sql).question)


def test_without_a_price_nothing_is_read_or_spent_and_the_error_can_be_looked_at() -> None:
    held = people(budget=shoal.Pure(1))
    ask = held.mean("age")
    assert isinstance(ask, Ask)
    assert ask.preview(epsilon="0.5")["age"].per_row is not None
    assert held.budget.spent == shoal.Pure(0)
    assert len(ask.release(epsilon="0.5")) == 1
    assert held.budget.spent == shoal.Pure("0.5")


def test_with_a_price_a_verb_is_released_at_that_price() -> None:
    held = people(budget=shoal.Approx(5, "1e-6"))
    answer = held.mean("age", epsilon=1, noise="gaussian", intervals="0.9")
    assert isinstance(answer, Answer)
    assert answer.confidence == Fraction(9, 10)
    assert answer.certificate["question"] == "table('people').mean('age')"


def test_a_wanted_error_is_met_with_the_least_budget_that_meets_it() -> None:
    held = people()
    answer = held.count(within=20)
    spent = held.budget.spent
    assert isinstance(answer, Answer)
    assert isinstance(spent, shoal.Pure)
    ask = held.count()
    assert isinstance(ask, Ask)
    assert float(spent.epsilon) == pytest.approx(ask.for_error(20), rel=1e-3)
    (found,) = answer.interval("n")
    assert found.hi - found.lo <= 42  # ends of whole numbers are rounded outward
    held.mean("age", within=2, rows=500, confidence="0.9")
    with pytest.raises(CalibrationError, match="rows="):
        held.mean("age", within=2)


def test_a_description_is_one_release_with_a_line_for_each_column() -> None:
    held = people()
    with without_noise():
        answer = held.describe(epsilon=100, intervals=False)
    assert held.budget.spent == shoal.Pure(100)
    assert answer.columns == ("column", "count", "mean", "std", "25%", "50%", "75%")  # type: ignore[union-attr]
    frame = pd.DataFrame(answer)
    assert list(frame["column"]) == ["age", "body mass", "fee"]
    plain = ROWS.to_pandas()
    plain["fee"] = plain["fee"].astype(float)
    for name, row in zip(frame["column"], frame.itertuples(), strict=True):
        wanted = plain[name].describe()
        assert (row.count_low, row.mean, row.std) == pytest.approx(
            (row.count_low, wanted["mean"], wanted["std"]), rel=1e-4
        )
        assert frame.set_index("column").loc[name, "count"] == wanted["count"]


def test_every_number_of_a_description_has_an_error_bar_by_default() -> None:
    answer = people().describe("age", "fee", epsilon=50)
    assert isinstance(answer, Answer)
    for name in answer.columns[1:]:
        for value, found in zip(answer[name], answer.interval(name), strict=True):
            assert found.lo <= value <= found.hi
    assert answer.notes[0].startswith("Intervals cover")


def test_groups_of_a_description_come_first_and_each_has_its_lines() -> None:
    answer = people().groupby("ward").describe("age", "fee", epsilon=5)
    assert isinstance(answer, Answer)
    assert answer.columns[:3] == ("ward", "column", "count")
    assert answer["ward"] == ["east", "east", "west", "west", "north", "north", None, None]
    assert answer["column"] == ["age", "fee"] * 4
    assert len(answer) == 8 == len(answer.rows)


def test_a_correlation_matrix_is_symmetric_with_ones_on_its_diagonal() -> None:
    with without_noise():
        answer = people().corr(epsilon=1)
    assert isinstance(answer, Answer)
    frame = pd.DataFrame(answer).set_index("column")[["age", "body mass", "fee"]]
    wanted = ROWS.to_pandas().astype({"fee": float})[["age", "body mass", "fee"]].corr()
    assert frame.to_numpy() == pytest.approx(wanted.to_numpy(), rel=1e-5)
    assert answer.interval("age")[0] == shoal.query.Interval(1, 1)
    assert answer.has_interval("fee")
    assert not answer.has_interval("column")
    with pytest.raises(UnknownNameError, match="no interval"):
        answer.interval("column")


@pytest.mark.parametrize(("column", "bins"), [("age", 7), ("body mass", 5), ("fee", 11)])
def test_a_histogram_has_as_many_bins_as_asked_for_and_counts_every_row_once(
    column: str, bins: int
) -> None:
    with without_noise():
        answer = people().hist(column, bins=bins, epsilon=1)
    assert isinstance(answer, Answer)
    rows = [row for row in answer if row[f"{column}_from"] is not None]
    assert len(rows) <= bins
    assert rows[-1][f"{column}_to"] >= FACTS[column][1]
    values = [float(value) for value in ROWS[column].to_pylist() if value is not None]
    for row in rows:
        inside = [v for v in values if row[f"{column}_from"] <= v < row[f"{column}_to"]]
        assert row["n"] == len(inside)
    assert sum(row["n"] for row in rows) == len(values)


def test_values_are_counted_with_the_most_frequent_first() -> None:
    with without_noise():
        answer = people().value_counts("ward", epsilon=1)
    wanted = ROWS.to_pandas()["ward"].value_counts()
    assert isinstance(answer, Answer)
    assert answer["ward"][:3] == list(wanted.index)
    assert answer["n"][:3] == list(wanted)


def test_a_median_has_an_error_bar_or_the_answer_says_why_not() -> None:
    held = people()
    with_bar = held.median("age", epsilon=1)
    without = held.median("age", epsilon=1, intervals=False)
    in_sql = held.sql("SELECT MEDIAN(age) AS m FROM people").release(epsilon=1)
    assert isinstance(with_bar, Answer)
    assert isinstance(without, Answer)
    assert with_bar.has_interval("age")
    assert not any("No interval" in note for note in with_bar.notes)
    for answer, name in ((without, "age"), (in_sql, "m")):
        assert not answer.has_interval(name)
        assert any(f"No interval for {name}: " in note for note in answer.notes)
        assert "intervals='0.95'" in str(answer)


# answers as frames


def test_an_answer_is_read_by_columns_and_by_rows() -> None:
    answer = people().groupby("ward").mean("age", epsilon=1)
    assert isinstance(answer, Answer)
    assert answer["ward"] == ["east", "west", "north", None]
    assert answer["age"] == [row[1] for row in answer.rows]
    assert len(list(answer)) == len(answer) == 4
    assert [row["age_low"] for row in answer] == answer["age_low"]
    assert next(iter(answer)).keys() == {"ward", "age", "age_low", "age_high"}
    with pytest.raises(UnknownNameError, match=r"no column 'agee'(.|\n)*ward, age, age_low"):
        answer["agee"]


def test_pandas_polars_and_arrow_make_a_frame_of_an_answer() -> None:
    answer = people().groupby("ward").mean("age", epsilon=1)
    assert isinstance(answer, Answer)
    frame = pd.DataFrame(answer)
    assert list(frame.columns) == list(answer.to_pandas().columns)
    assert list(frame["age"]) == answer["age"]
    assert pl.DataFrame(answer).equals(answer.to_polars())
    assert pa.table(answer).equals(answer.to_arrow())


def test_an_answer_of_one_number_is_that_number_and_others_are_not() -> None:
    held = people()
    answer = held.mean("age", epsilon=1)
    assert isinstance(answer, Answer)
    assert answer.value == answer["age"][0]
    several = held.mean("age", "fee", epsilon=1)
    assert isinstance(several, Answer)
    with pytest.raises(RangeError, match=r"2 columns(.|\n)*answer\['age'\]"):
        _ = several.value


# what is refused


@pytest.mark.parametrize(
    ("act", "said"),
    [
        (P.mean, r"needs the name of a column(.|\n)*'age', 'body mass', 'fee'"),
        (lambda: P.mean("age", epsilon=1, rho=1), "epsilon and rho"),
        (lambda: P.mean("age", epsilon=1, within=1), "epsilon and within"),
        (lambda: P.mean("age", epsilon=1, rows=9), "belong to within"),
        (
            lambda: P.mean("age", epsilons=1),  # type: ignore[call-arg]
            r"no option 'epsilons'(.|\n)*epsilon, rho, within",
        ),
        (lambda: P.hist("age", bins=0), "from 1 to 10,000"),
        (lambda: P.hist("ward"), "needs numbers"),
        (lambda: P.corr("age"), "two columns"),
        (lambda: P.mean("aeg"), "age"),
        (lambda: P.median("age", within=3), "depends on the rows"),
    ],
)
def test_a_verb_that_cannot_be_asked_says_what_to_type(act: Any, said: str) -> None:
    with pytest.raises(ShoalError, match=said):
        act()


def test_a_table_without_ranges_cannot_be_described() -> None:
    bare = people(columns={"age": FACTS["age"]}).table("people").groupby("age")
    with pytest.raises(SchemaError, match=r"stating\("):
        bare.describe()


def test_an_analyst_of_a_vault_asks_with_the_same_verbs(tmp_path: Path) -> None:
    from pyarrow import parquet  # noqa: PLC0415 - used here only

    parquet.write_table(ROWS, tmp_path / "people.parquet")
    with shoal.open(tmp_path / "office.shoal") as vault:
        vault.add(
            "people",
            tmp_path / "people.parquet",
            protects=shoal.Person("who"),
            columns=FACTS,
            budget=shoal.Pure(5),
        )
        vault.grant("ada", "people", shoal.Pure(2))
        ada = vault.as_("ada")
        first = ada.table("people").groupby("ward").mean("age", epsilon=1)
        again = ada.sql("SELECT ward AS w, AVG(age) AS a FROM people GROUP BY 1").release(epsilon=1)
        assert isinstance(first, Answer)
        assert again["a"] == first["age"]  # the same question: given again, and free
        described = ada.table("people").describe("age", epsilon="0.5")
        assert isinstance(described, Answer)
        repeated = ada.table("people").describe("age", epsilon="0.5")
        assert isinstance(repeated, Answer)
        assert described.rows == repeated.rows
        assert repeated.columns[0] == "column"
