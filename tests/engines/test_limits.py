"""Limits of memory and time are public numbers, and hitting one looks alike whatever the data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.query.test_payment import outcome

import shoal
from shoal.engines.duckdb import DuckDB, DuckTable
from shoal.engines.duckdb.connection import opened
from shoal.engines.engine_choice import engine_over
from shoal.engines.limits import SHARE, EngineLimits
from shoal.engines.spark import SparkTable
from shoal.errors import SchemaError, SourceError, UnansweredError

ROWS = 20_000
DISTINCT = "SELECT COUNT(DISTINCT s) AS n FROM data"
COUNT = "SELECT COUNT(*) AS n FROM data WHERE LENGTH(s || s) > 3"
FAILED = (
    "UnansweredError",
    (
        "[answer-1] the question was charged, but the engine could not answer it. What was charged stays spent.\n"
        "    Let the owner of the data check that they can be read, and that the engine has enough memory and disk."
    ),
)


def people(rows: int) -> pa.Table:
    return pa.table(
        {"who": range(rows), "n": range(rows), "s": [f"{at:>200}" for at in range(rows)]}
    )


@pytest.fixture(scope="module")
def neighbours() -> list[pa.Table]:
    whole = people(ROWS)
    return [whole, whole.slice(0, ROWS - 1)]


def held(table: pa.Table, limits: EngineLimits) -> Any:
    person, budget = shoal.Person("who"), shoal.Pure(9)
    return shoal.private(table, protects=person, budget=budget, limits=limits)


@pytest.mark.parametrize(
    ("limits", "text"),
    [(EngineLimits(memory="2MB"), DISTINCT), (EngineLimits(seconds=0.0001), COUNT)],
    ids=["memory", "time"],
)
def test_a_limit_that_is_hit_has_one_outcome_on_neighbours(
    limits: EngineLimits, text: str, neighbours: list[pa.Table]
) -> None:
    found = []
    for table in neighbours:
        private = held(table, limits)
        found.append((outcome(private, text), private.budget.spent))
    assert found[0] == found[1]
    assert found[0][0] == FAILED


def test_a_question_within_its_limits_is_answered() -> None:
    private = held(people(10), EngineLimits(memory="1GB", seconds=600))
    assert private.sql(COUNT).release(epsilon=1).rows


def test_a_vault_keeps_no_answer_of_a_question_that_hit_a_limit(tmp_path: Path) -> None:
    pq.write_table(people(1_000), tmp_path / "data.parquet")
    where = tmp_path / "office.shoal"
    with shoal.open(where, limits=EngineLimits(seconds=0.0001)) as vault:
        path = str(tmp_path / "data.parquet")
        vault.add("data", path, protects=shoal.Person("who"), budget=shoal.Pure(2))
        with pytest.raises(UnansweredError):
            vault.sql(COUNT).release(epsilon="0.5")
        (left,) = vault.log()
        assert left.outcome is not None
        assert left.outcome.body["reason"] == "UnansweredError"


def test_the_memory_of_a_connection_of_ours_is_set_and_not_left_to_duckdb() -> None:
    asked = "SELECT current_setting('memory_limit')"
    plain = duckdb.connect(config={"memory_limit": SHARE}).execute(asked).fetchall()
    assert opened().execute(asked).fetchall() == plain
    half = DuckDB({"t": people(1)}, limits=EngineLimits(memory="512MiB"))
    assert half.run(asked) == [("512.0 MiB",)]


@pytest.mark.parametrize(
    "said",
    [
        {"memory": "8"}, {"memory": "0GB"}, {"memory": "-1GB"}, {"memory": "100%"}, {"memory": "8GB; DROP"},
        {"memory": 8}, {"memory": "\u0668GB"}, {"seconds": 0}, {"seconds": -1}, {"seconds": float("nan")},
        {"seconds": float("inf")}, {"seconds": True}, {"seconds": "5"},
    ],
    ids=str,
)  # fmt: skip
def test_what_is_no_limit_is_refused(said: Any) -> None:
    with pytest.raises(SchemaError):
        EngineLimits(**said)


def test_limits_that_shoal_cannot_hold_are_refused() -> None:
    connection = duckdb.connect()
    connection.execute("CREATE TABLE t AS SELECT 1 AS x")
    with pytest.raises(SourceError, match="not ours to limit"):
        DuckDB({"t": DuckTable(connection, "t")}, limits=EngineLimits(memory="1GB"))
    with pytest.raises(SourceError, match="those of DuckDB"):
        engine_over({"t": SparkTable("sc://nowhere:1", "t")}, limits=EngineLimits(seconds=5))
