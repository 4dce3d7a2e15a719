"""Questions under *change*: noise for what one replaced unit can do, an exact number of rows, and
words that say so.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.query.tables import without_noise

import shoal
from shoal.auditing.replay import replay
from shoal.errors import CalibrationError

FACTS: dict[str, Any] = {"x": shoal.Range(5, 10), "kind": shoal.Choices(["a", "b"])}
SCHEMA = pa.schema({"who": pa.int64(), "kind": pa.string(), "x": pa.int64()})
ROWS = [{"who": at % 5, "kind": "ab"[at % 2], "x": 5 + at % 6} for at in range(60)]
BY_ROW = shoal.Row(relation=shoal.Relation.CHANGE)
BY_PERSON = shoal.Person("who", rows_per_group=2, relation="change")


def asked(
    sql: str,
    data: list[dict[str, Any]] = ROWS,
    *,
    unit: Any = BY_ROW,
    required: tuple[str, ...] = ("x",),
    budget: Any = None,
) -> Any:
    table = pa.Table.from_pylist(data, schema=SCHEMA)
    held = shoal.private(
        table, protects=unit, columns=FACTS, required=required, budget=budget or shoal.Pure(9)
    )
    return held.sql(sql)


SCALES = {
    ("SELECT SUM(x) AS a FROM data", "row"): "scale 10 on the sum of x",
    ("SELECT SUM(x) AS a FROM data WHERE kind = 'a'", "row"): "scale 20 on the sum of x",
    ("SELECT SUM(x) AS a FROM data", "row with NULL"): "scale 20 on the sum of x",
    ("SELECT kind, SUM(x) AS a FROM data GROUP BY kind", "row"): "scale 40 on the sum of x",
    ("SELECT AVG(x) AS a FROM data", "row"): "scale 10 on the sum of (x - 7)",
    ("SELECT COUNT(*) AS a FROM data", "row"): "no noise",
    ("SELECT COUNT(*) AS a FROM data WHERE kind = 'a'", "row"): "scale 2 on the count",
    ("SELECT SUM(x) AS a FROM data", "person"): "scale 40 on the sum of x",
    ("SELECT COUNT(DISTINCT who) AS a FROM data", "person"): "scale 2 on the persons",
}


@pytest.mark.parametrize(("sql", "unit"), SCALES)
def test_the_preview_names_the_noise_that_hides_one_replaced_unit(sql: str, unit: str) -> None:
    required = () if unit == "row with NULL" else ("x",)
    ask = asked(sql, unit=BY_PERSON if unit == "person" else BY_ROW, required=required)
    assert ask.preview(epsilon="0.5")["a"].noise.endswith(SCALES[sql, unit])


def test_under_add_remove_nothing_is_different() -> None:
    preview = asked("SELECT SUM(x) AS a, COUNT(*) AS n FROM data", unit=shoal.Row())
    assert (
        "two Laplace noises of scale 1 on the count"
        in preview.preview(epsilon=1, noise="laplace")["n"].noise
    )
    assert not any("Neighbouring" in note for note in preview.preview(epsilon=1).notes)
    alone = asked("SELECT SUM(x) AS a FROM data", unit=shoal.Row()).preview(epsilon="0.5")
    assert alone["a"].noise == "Laplace noise of scale 20 on the sum of x"


def test_the_preview_says_how_far_a_replacement_moves_each_total_and_what_is_public() -> None:
    row, public, *_ = asked("SELECT AVG(x) AS a FROM data").preview(epsilon=1).notes
    assert row == (
        "Neighbouring datasets differ by one row that is replaced by another. "
        "That moves the sum of (x - 7) by at most 5."
    )
    assert "same number of rows, so it is public" in public
    person = asked("SELECT SUM(x) AS a FROM data", unit=BY_PERSON).preview(epsilon=1).notes[0]
    assert "one person who is replaced" in person
    assert "the sum of x by at most 20." in person


def test_the_number_of_all_rows_is_exact_and_costs_nothing() -> None:
    budget = shoal.Pure(1)
    ask = asked("SELECT COUNT(*) AS n FROM data", budget=budget)
    assert str(ask.preview(epsilon="0.5")).startswith("costs epsilon 0;")
    answer = ask.release(epsilon="0.5")
    assert answer.rows == [(60,)]
    assert (answer.interval("n")[0].lo, answer.interval("n")[0].hi) == (60, 60)
    assert ask.budget.spent == shoal.Pure(0)
    assert answer.certificate["terms"][0]["noise"] == "none"
    assert any("public" in note for note in answer.notes)
    with pytest.raises(CalibrationError, match="exact whatever is spent"):
        ask.for_error(10)


def test_a_vault_charges_nothing_for_the_number_of_all_rows(tmp_path: Path) -> None:
    pq.write_table(pa.Table.from_pylist(ROWS, schema=SCHEMA), tmp_path / "data.parquet")
    with shoal.open(tmp_path / "vault", create=True) as vault:
        vault.add("data", tmp_path / "data.parquet", protects=BY_ROW, budget=shoal.Pure(1))
        answer = vault.sql("SELECT COUNT(*) AS n FROM data").release(epsilon="0.5")
        assert answer.rows == [(60,)]
        assert vault.budget("data").spent == shoal.Pure(0)


def test_all_of_the_epsilon_goes_to_what_has_noise() -> None:
    ask = asked("SELECT COUNT(*) AS n, AVG(x) AS m, SUM(x) AS s FROM data")
    answer = ask.release(epsilon="0.5")
    assert ask.budget.spent == shoal.Pure("0.5")
    assert [term["noise"] for term in answer.certificate["terms"]].count("none") == 1
    assert (
        ask.preview(epsilon="0.5")["s"].error == 30
    )  # one noisy total: no share of the confidence for the count
    with without_noise():
        told = asked("SELECT COUNT(*) AS n, AVG(x) AS m, SUM(x) AS s FROM data").release(epsilon=1)
    assert told.rows == [(60, 7.5, 450)]


CELLS = st.fixed_dictionaries(
    {
        "who": st.sampled_from([None, 1, 2, 3]),
        "kind": st.sampled_from([None, "a", "b", "z"]),
        "x": st.sampled_from([None, -(2**63), 5, 7, 10, 2**63 - 1]),
    }
)
QUESTIONS = [
    "SELECT COUNT(*) AS n, SUM(x) AS s, AVG(x) AS m, VARIANCE(x) AS v FROM data",
    "SELECT COUNT(*) AS n, SUM(x) AS s, COUNT(DISTINCT x) AS d FROM data WHERE kind = 'a'",
    "SELECT kind, SUM(x) AS s, AVG(x) AS m, COUNT(*) AS n FROM data GROUP BY kind",
    "SELECT SUM(x) AS s, MEDIAN(x) AS m FROM (SELECT * FROM data UNION ALL SELECT * FROM data) AS data",
]


@pytest.mark.slow
@pytest.mark.parametrize("sql", QUESTIONS)
@pytest.mark.parametrize("required", [("x",), ()], ids=["required", "nullable"])
@settings(max_examples=5, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(
    data=st.lists(CELLS, min_size=1, max_size=4),
    coming=st.lists(CELLS, min_size=1, max_size=3),
    law=st.sampled_from(["laplace", "gaussian"]),
)
def test_what_is_replaced_shows_through_noise_only_and_within_its_sensitivity(
    sql: str, required: tuple[str, ...], data: list[dict[str, Any]], coming: Any, law: str
) -> None:
    def run_for(unit: Any) -> Any:
        budget = shoal.Approx(100, "1e-3")
        return lambda rows: asked(sql, rows, unit=unit, required=required, budget=budget).rehearse(
            epsilon=1, noise=law
        )

    by_row = [(data, [coming[0], *data[1:]]), (data, [*data[:-1], coming[0]])]
    found = replay(run_for(BY_ROW), by_row, relation="change")
    assert found.differences == ()
    rest = [row for row in data if row["who"] != data[0]["who"]]
    by_person = [(data, rest + [{**row, "who": 9} for row in coming]), (data, rest)]
    found = replay(run_for(BY_PERSON), by_person, relation="change")
    assert found.differences == ()
