"""Notes beside numbers: what is known from declarations or from released numbers is said, and is
true.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from tests.query.tables import made, rows, without_noise

import shoal
from shoal.errors import BudgetExceeded
from shoal.query import Private
from shoal.query.payment import left_text

PEOPLE = made(rows(60))
COUNT = "SELECT COUNT(*) AS n FROM data"


def notes(where: str, table: Private = PEOPLE) -> str:
    asked = table.sql(f"{COUNT} WHERE {where}")
    told = asked.preview(epsilon=1).notes
    assert set(told) <= set(asked.release(epsilon="0.001").notes)  # beside the answer, too
    return " ".join(told)


# conditions that are false for everybody


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("kind = 'A'", "No row has kind = 'A': kind is one of 'a', 'b', 'c'."),
        ("'A' = kind", "No row has kind = 'A'"),
        ("kind = NULL", "nothing can be compared with NULL. Write IS NULL or IS NOT NULL."),
        ("NULL <> kind", "nothing can be compared with NULL"),
        ("kind NOT IN ('a', NULL)", "with NULL in the list it is never true"),
        ("kind <> 'A'", "No row has kind = 'A'"),
        ("kind IN ('a', ' b')", "No row has kind = ' b'"),
        ("kind NOT IN ('a', 'B')", "No row has kind = 'B'"),
        ("age > 10 AND kind = 'A'", "No row has kind = 'A'"),
        ("age > 10 OR kind = 'A'", "No row has kind = 'A'"),
        ("UPPER(kind) = 'a'", "No row meets UPPER(kind) = 'a': kind is one of 'a', 'b', 'c'."),
        ("kind LIKE 'A%'", "No row meets kind LIKE 'A%'"),
        ("age > 120", "No row meets age > 120: age is from 0 to 120."),
        ("age < 0", "No row meets age < 0"),
        ("age = 121", "No row meets age = 121"),
        ("age BETWEEN 130 AND 140", "No row meets age BETWEEN 130 AND 140"),
        ("age IN (121, -1)", "No row meets age IN (121, -1)"),
        ("spend >= 501", "No row meets spend >= 501: spend is from 0 to 500."),
    ],
)
def test_a_condition_that_is_false_for_everybody_is_said_before_and_beside_the_answer(
    where: str, said: str
) -> None:
    assert said in notes(where)


@pytest.mark.parametrize(
    "where",
    [
        "kind = 'a'", "kind IN ('a', 'b')", "UPPER(kind) = 'A'", "kind LIKE 'a%'", "kind IS NULL", "age >= 120", "age <= 0",
        "age BETWEEN 120 AND 130", "town = 'anywhere'", "age <> 130", "age = 121 OR kind = 'a'", "age IN (7, 130)",
    ],
)  # fmt: skip
def test_nothing_is_said_of_a_condition_that_somebody_may_meet(where: str) -> None:
    assert "No row" not in notes(where)


def test_a_value_outside_the_choices_is_said_wherever_it_is_compared() -> None:
    text = "SELECT SUM(CASE WHEN kind = 'A' THEN 1 ELSE 0 END) AS n FROM data"
    assert "No row has kind = 'A'" in str(PEOPLE.sql(text).preview(epsilon=1))
    nested = "SELECT COUNT(*) AS n FROM (SELECT age FROM data WHERE kind = 'A') AS t"
    assert "No row has kind = 'A'" in str(PEOPLE.sql(nested).preview(epsilon=1))


def test_what_a_function_is_made_of_is_not_taken_for_a_condition() -> None:
    binned = PEOPLE.sql("SELECT BIN(age, 200) AS b, COUNT(*) AS n FROM data GROUP BY b")
    assert "No row" not in str(binned.preview(epsilon=1))


# columns whose cells do not fit


def empty(budget: shoal.Measure | None = None) -> Private:
    """A column of numbers in which every cell was NULL, as where its declared type does not fit."""
    table = pa.table({"age": pa.array([None] * 500, pa.int64()), "kind": ["a"] * 500})
    return shoal.private(
        table,
        protects=shoal.Row(),
        budget=budget or shoal.Pure(100),
        columns={"age": shoal.Range(0, 9), "kind": shoal.Choices(["a"])},
    )


@pytest.mark.parametrize(
    "asked",
    [
        "SELECT AVG(age) AS m FROM data",
        "SELECT COUNT(*) AS n, COUNT(age) AS m FROM data",
        "SELECT age, COUNT(*) AS n FROM data GROUP BY age",
        "SELECT kind, VARIANCE(age) AS v FROM data GROUP BY kind",
    ],
)
def test_a_column_without_any_value_is_said_to_be_one(asked: str) -> None:
    told = " ".join(empty().sql(asked).release(epsilon=10).notes)
    assert "Check that the cells of age are of its type, integer" in told


def test_a_column_with_values_is_not_questioned() -> None:
    for asked in ("SELECT AVG(age) AS m FROM data", "SELECT COUNT(age) AS m FROM data"):
        assert "Check" not in " ".join(PEOPLE.sql(asked).release(epsilon=10).notes)


# intervals are cut where they are said to be


def cut(table: Private, text: str) -> list[shoal.query.Interval]:
    return table.sql(text).release(epsilon="0.001").interval("s")


@pytest.mark.parametrize(("sign", "column"), [(1, "age"), (-1, "age"), (1, "spend")])
def test_the_interval_of_a_sum_holds_only_what_a_sum_of_such_values_can_be(
    sign: int, column: str
) -> None:
    asked = f"SELECT SUM({column if sign > 0 else f'-{column}'}) AS s FROM data"
    for _ in range(8):  # at so little epsilon about half of the sums are of the other sign
        (found,) = cut(PEOPLE, asked)
        assert found.lo >= 0 if sign > 0 else found.hi <= 0


def test_the_interval_of_a_sum_of_either_sign_is_not_cut() -> None:
    (found,) = cut(PEOPLE, "SELECT SUM(age - 60) AS s FROM data")
    assert found.lo < 0 < found.hi


# suggestions look beyond what is stated


def test_a_suggested_range_can_leave_the_one_that_was_stated_wrongly() -> None:
    table = pa.table({"fee": [30, 45, 80] * 200})
    for stated in (shoal.Range(0, 1), shoal.Range(70, 75), shoal.Choices([1, 2])):
        held = shoal.private(
            table,
            protects=shoal.Row(),
            budget=shoal.Pure(9),
            columns={"fee": stated},
            required=["fee"],
        )
        with without_noise():
            assert held.suggest_bounds("fee", epsilon=8).range == shoal.Range(20, 100)


# a refusal names the most that fits


@pytest.mark.slow
@pytest.mark.parametrize(
    ("budget", "spend"),
    [
        (shoal.Pure(10), Fraction(3, 2)),
        (shoal.Pure(Fraction(10, 3)), Fraction(1, 7)),
        (shoal.Approx(1, "1e-6"), Fraction(1, 10)),
        (shoal.ZeroConcentrated(Fraction(1, 3)), Fraction(1, 30)),
    ],
    ids=str,
)
def test_a_refusal_names_the_most_that_fits(budget: shoal.Measure, spend: Fraction) -> None:
    held = made(rows(9), budget=budget)
    word = "rho" if isinstance(budget, shoal.ZeroConcentrated) else "epsilon"

    def ask(size: Any, text: str = COUNT) -> None:
        held.sql(text).release(**{word: size})

    ask(spend)
    with pytest.raises(BudgetExceeded, match="which fits") as refused:
        ask(33, f"{COUNT} WHERE age > 1")
    named = Fraction(str(refused.value).partition(f"{word}=")[2].partition(",")[0])
    larger = named * Fraction(1001, 1000)
    with pytest.raises(BudgetExceeded):
        ask(larger, f"{COUNT} WHERE age > 2")
    ask(named, f"{COUNT} WHERE age > 3")


# amounts are rounded to the safe side


@pytest.mark.parametrize("kind", [shoal.Pure, shoal.ZeroConcentrated, shoal.GaussianDP])
def test_what_was_spent_is_never_shown_as_less(kind: Any) -> None:
    third = Fraction(1, 3)
    assert Fraction(str(kind(third)).split()[-1]) > third
    shown = str(shoal.Approx(third, third / 10**6)).replace("delta ", "").split(", ")
    assert Fraction(shown[0].split()[1]) > third
    assert Fraction(shown[1]) > third / 10**6


def test_what_is_left_is_never_shown_as_more() -> None:
    for left in (shoal.Pure("2/3"), shoal.ZeroConcentrated("2/3")):
        assert Fraction(left_text(left).split()[1]) < Fraction(2, 3)


def test_of_a_file_whose_cells_are_of_another_type_the_answer_says_so(tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    file.write_text("age\n" + "\n".join(f"{at} years" for at in range(400)) + "\n")
    held = shoal.private(
        shoal.CsvFile(file, {"age": "integer"}),
        protects=shoal.Row(),
        budget=shoal.Pure(9),
        columns={"age": shoal.Range(0, 120)},
    )
    answer = held.sql("SELECT AVG(age) AS m FROM people").release(epsilon=2)
    assert "Check that the cells of age are of its type, integer" in str(answer)
