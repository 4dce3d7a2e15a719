"""What intervals leave out: said beside every number, and counted privately on request."""

from __future__ import annotations

import io
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rich.console import Console
from tests.query.tables import Given, made, rows, without_noise
from tests.query.test_neighbours import CELLS, UNITS, check, without

import shoal
from shoal.accounting import account
from shoal.cli.printed_tables import show_answer
from shoal.errors import SchemaError
from shoal.events import Composed, Event
from shoal.query import Answer
from shoal.query.certificate import wrong_with
from shoal.query.notes import NOISE_ONLY
from shoal.query.stored_answer import restored, stored

PERSONS = [unit for unit in UNITS if isinstance(unit, shoal.Person)]
COUNT = "SELECT COUNT(*) AS n FROM data"
BY_KIND = "SELECT kind, COUNT(*) AS n, SUM(age) AS s FROM data GROUP BY kind"


def on_terminal(answer: Answer) -> str:
    console = Console(file=io.StringIO(), width=400)
    show_answer(console, answer)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        (COUNT, "People with more than 3 rows count for less, so the true count may be higher."),
        (
            "SELECT kind, COUNT(*) AS n FROM data GROUP BY kind",
            "People with more than 3 rows in a group or in more than 2 groups count for less, so the true count may be higher.",
        ),
        (
            "SELECT kind, SUM(age) AS n FROM data GROUP BY kind",
            "count for less, so the true numbers may differ. Values outside a declared range count as its nearer end.",
        ),
        (
            "SELECT kind, COUNT(DISTINCT who) AS n FROM data GROUP BY kind",
            "People in more than 2 groups count for less",
        ),
    ],
)
def test_bounded_answers_say_beside_the_number_that_intervals_cover_the_noise_only(
    sql: str, said: str
) -> None:
    asked = made(rows(200, each=5)).sql(sql)
    answer = asked.release(epsilon=1)
    kept = stored(answer)
    for text in (str(asked.preview(epsilon=1)), str(answer), answer._repr_html_(), on_terminal(answer), "\n".join(kept["notes"])):  # fmt: skip
        assert NOISE_ONLY in text
        assert said in text


@pytest.mark.parametrize(
    ("protects", "sql"),
    [
        (shoal.Row(), COUNT),
        (shoal.Person("who"), "SELECT COUNT(DISTINCT who) AS n FROM data"),
        (
            shoal.Person("who", groups=4),
            "SELECT kind, COUNT(DISTINCT who) AS n FROM data GROUP BY kind",
        ),
    ],
)
def test_where_nobody_can_be_cut_nothing_is_said_and_no_count_of_them_is_sold(
    protects: Any, sql: str
) -> None:
    held = made(rows(40), protects=protects)
    assert NOISE_ONLY not in str(held.sql(sql).release(epsilon=1))
    spent = held.budget.spent
    with pytest.raises(SchemaError, match="nobody can be"):
        held.sql(sql).release(epsilon=1, show_clipped=True)
    assert held.budget.spent == spent


def played(data: list[dict[str, Any]], unit: Any, sql: str, law: str) -> Given:
    budget = shoal.ZeroConcentrated(100)
    with without_noise() as seen:
        made(data, protects=unit, budget=budget, towns=False).sql(sql).release(
            rho=1, noise=law, show_clipped=True
        )
    return seen


@pytest.mark.slow
@pytest.mark.parametrize("law", ["laplace", "gaussian"])
@pytest.mark.parametrize("unit", PERSONS, ids=str)
@settings(max_examples=6, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(data=st.lists(CELLS, max_size=6))
def test_one_person_moves_the_counts_of_the_cut_by_one(
    unit: Any, law: str, data: list[dict[str, Any]]
) -> None:
    mechanism, before = played(data, unit, COUNT, law)[-1]
    assert len(before) == 2
    change = unit.relation == "change"
    assert mechanism.sensitivity.value ** (1 if law == "laplace" else 2) >= (2 if change else 1)
    assert mechanism.sensitivity.norm == ("l1" if law == "laplace" else "l2")
    for other in without(data, unit):
        after = played(other, unit, COUNT, law)[-1][1]
        assert sum(abs(one - two) for one, two in zip(before, after, strict=True)) <= 1


@pytest.mark.parametrize("law", ["laplace", "gaussian"])
def test_a_person_with_very_many_rows_moves_the_counts_of_the_cut_by_one(law: str) -> None:
    unit = shoal.Person("who", groups=1, rows_per_group=2)
    others = rows(5, each=3)
    heavy = [{**row, "who": 99} for row in rows(1, each=500)]
    _, before = played(others, unit, COUNT, law)[-1]
    _, after = played(others + heavy, unit, COUNT, law)[-1]
    assert (before, after) == ([5, 0], [6, 0])


@pytest.mark.slow
@settings(max_examples=6, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(data=st.lists(CELLS, max_size=6))
def test_record_and_play_finds_the_counts_within_their_sensitivity(
    data: list[dict[str, Any]],
) -> None:
    unit = shoal.Person("who", groups=1, rows_per_group=1)

    def run(some: list[dict[str, Any]]) -> Any:
        return (
            made(some, protects=unit, towns=False)
            .sql(BY_KIND)
            .rehearse(epsilon=1, show_clipped=True)
        )

    check(run, data, unit)


@pytest.mark.parametrize("kind", ["kind", None])
def test_the_count_is_that_of_people_beyond_their_share(kind: str | None) -> None:
    data = rows(100, each=3) + [{**row, "kind": "c"} for row in rows(30, each=1)]
    unit = shoal.Person("who", groups=1, rows_per_group=3)
    sql = COUNT if kind is None else "SELECT kind, COUNT(*) AS n FROM data GROUP BY kind"
    with without_noise():
        answer = (
            made(data, protects=unit, towns=False).sql(sql).release(epsilon=1, show_clipped=True)
        )
    assert answer.counts == (30, 70)
    assert "About 30 of 100 people are beyond this limit" in str(answer)


@pytest.mark.parametrize(
    ("budget", "size"),
    [
        (shoal.Pure(2), {"epsilon": "0.5"}),
        (shoal.Approx(2, "1e-6"), {"epsilon": "0.5"}),
        (shoal.ZeroConcentrated(2), {"rho": "0.5"}),
    ],
    ids=str,
)
def test_the_count_is_part_of_what_was_asked_for_and_on_the_certificate(
    budget: shoal.Measure, size: dict[str, Any]
) -> None:
    asked = made(rows(50, each=5), budget=budget).sql(BY_KIND)
    assert "for a tenth of the cost" in str(asked.preview(**size, show_clipped=True))
    answer = asked.release(**size, show_clipped=True)
    plain = asked.release(**size)
    assert wrong_with(answer.certificate) == []
    assert len(answer.certificate["events"]) == len(plain.certificate["events"]) + 1
    assert (
        answer.certificate["terms"][-1]["total"]
        == "number of persons beyond their share, and within it"
    )
    assert answer.certificate["cost"] == plain.certificate["cost"]
    if isinstance(budget, shoal.Pure):
        events = [Event.from_dict(each) for each in answer.certificate["events"]]
        assert account(Composed(tuple(events))).cost(shoal.Pure) == shoal.Pure("0.5")


def test_a_stored_answer_keeps_its_count() -> None:
    answer = made(rows(50, each=5)).sql(COUNT).release(epsilon=1, show_clipped=True)
    again = restored(answer.priced, stored(answer))
    assert again.clipped == answer.clipped
    assert again.notes == answer.notes
    assert answer.clipped is not None
    assert answer.clipped.confidence == Fraction(95, 100)


NAMES = ["a ", "b ", "c "]


@pytest.mark.parametrize(("spaced", "hinted"), [(1000, True), (0, False), (500, False)])
def test_a_count_that_is_nearly_all_null_questions_the_declared_choices(
    spaced: int, *, hinted: bool
) -> None:
    data = [
        {**row, "kind": NAMES[at % 3] if at < spaced else NAMES[at % 3].strip()}
        for at, row in enumerate(rows(1000))
    ]
    answer = made(data).sql("SELECT kind, COUNT(*) AS n FROM data GROUP BY kind").release(epsilon=1)
    said = "% of the released count is NULL: the declared choices of kind may not match the data"
    assert (said in str(answer)) is hinted
    assert (said in on_terminal(answer)) is hinted


@pytest.mark.slow
def test_noise_alone_questions_no_choices() -> None:
    held = made([], budget=shoal.Pure(10**6))
    asked = held.sql("SELECT kind, COUNT(*) AS n FROM data GROUP BY kind")
    hints = sum("may not match" in str(asked.release(epsilon="0.1")) for _ in range(100))
    assert hints <= 5


def test_a_count_at_one_end_of_a_range_questions_the_range() -> None:
    data = [{**row, "age": 1980 + row["age"] % 40} for row in rows(1000)]
    answer = made(data).sql("SELECT age, COUNT(*) AS n FROM data GROUP BY age").release(epsilon=5)
    assert (
        "% of the released count is at the highest value of age: its declared range may not match"
        in str(answer)
    )
