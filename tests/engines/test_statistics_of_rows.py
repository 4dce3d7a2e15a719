"""What DuckDB knows of all rows, such as the least and the largest value of a column, must not
change what a single row counts for.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal
from shoal.engines.duckdb import DuckTable

ROWS = [(at, "ab", 7) for at in range(40)]
"""All alike: DuckDB may take the column for one value."""

ONE_MORE = (40, "zz", 1)

CONDITIONS = (
    "k LIKE 'a%'",
    "k NOT LIKE 'b%'",
    "STARTS_WITH(k, 'a')",
    "STARTS_WITH(k, '')",
    "CONTAINS(k, 'a')",
    "REGEXP_MATCHES(k, '^a')",
    "k IN ('ab', 'q')",
    "k >= 'a'",
    "k <> 'q'",
    "k IS NOT NULL",
    "LENGTH(k) > 1",
    "n IN (7, 8)",
    "n > 5",
    "n + 1 > 7",
    "n <> 3",
)


def parquet(rows: list[tuple[Any, ...]], folder: Path) -> Any:
    who, k, n = zip(*rows, strict=True)
    pq.write_table(pa.table({"who": who, "k": k, "n": n}), folder / "rows.parquet")
    return folder / "rows.parquet"


def table(rows: list[tuple[Any, ...]], folder: Path) -> Any:
    with duckdb.connect(str(folder / "rows.duckdb")) as made:
        _written(made, rows)
    return DuckTable(folder / "rows.duckdb", "people")


def handed_over(rows: list[tuple[Any, ...]], folder: Path) -> Any:
    made = duckdb.connect()
    _written(made, rows)
    return DuckTable(made, "people")


def arrow(rows: list[tuple[Any, ...]], folder: Path) -> Any:
    who, k, n = zip(*rows, strict=True)
    return pa.table({"who": who, "k": k, "n": n})


def _written(made: duckdb.DuckDBPyConnection, rows: list[tuple[Any, ...]]) -> None:
    made.execute("CREATE TABLE people (who BIGINT, k VARCHAR, n BIGINT)")
    made.executemany("INSERT INTO people VALUES (?, ?, ?)", rows)


def count(source: Any, condition: str) -> int:
    held = shoal.private(
        source,
        name="people",
        protects=shoal.Person("who", groups=1, rows_per_group=1),
        columns={"k": shoal.Choices(["", "a"]), "n": shoal.Choices([1, 2])},
        budget=shoal.Pure(10**6),
    )
    # at this epsilon the noise is 0
    answer = held.sql(f"SELECT COUNT(*) AS c FROM people WHERE {condition}").release(epsilon=10**4)
    return int(answer.value)


@pytest.mark.parametrize("made", [parquet, table, handed_over, arrow])
@pytest.mark.parametrize("condition", CONDITIONS)
def test_one_row_more_changes_a_count_by_one_at_most(
    made: Callable[[list[tuple[Any, ...]], Path], Any], condition: str, tmp_path: Path
) -> None:
    few, many = tmp_path / "few", tmp_path / "many"
    few.mkdir()
    many.mkdir()
    before = count(made(ROWS, few), condition)
    after = count(made([*ROWS, ONE_MORE], many), condition)
    assert before == 0, "no row has a declared value, so every condition is NULL"
    assert abs(after - before) <= 1


def test_a_database_that_was_handed_over_keeps_what_its_owner_turned_off() -> None:
    made = duckdb.connect()
    _written(made, ROWS)
    made.execute("SET disabled_optimizers = 'join_order'")
    source = DuckTable(made, "people")
    assert count(source, "k LIKE 'a%'") == 0
    made.execute("SET disabled_optimizers = ''")
    assert count(source, "k LIKE 'a%'") == 0
    held = made.execute("SELECT current_setting('disabled_optimizers')").fetchall()
    assert held == [("statistics_propagation",)]
