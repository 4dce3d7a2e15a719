"""Public tables: their facts are those of their rows, and what happens to their source later does
not matter.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import csv, parquet
from tests.query.tables import TOWNS, rows, without_noise

import shoal
from shoal.engines.duckdb import DuckTable
from shoal.plan import number_of, read
from shoal.query.public_tables import read_public

SCHEMA = pa.schema(
    {"i": pa.int64(), "r": pa.float64(), "t": pa.string(), "b": pa.bool_(), "d": pa.date32(), "m": pa.decimal128(9, 2),
     "s": pa.timestamp("us")}
)  # fmt: skip
CELLS = st.fixed_dictionaries(
    {
        "i": st.none() | st.integers(-3, 3) | st.sampled_from([2**63 - 1, -(2**63)]),
        "r": st.none() | st.floats() | st.sampled_from([0.5, -0.0]),
        "t": st.none() | st.sampled_from(["a", "b", "", "'"]),
        "b": st.none() | st.booleans(),
        "d": st.none() | st.dates(),
        "m": st.none() | st.decimals(-9999, 9999, places=2),
        "s": st.none() | st.datetimes(),
    }
)
SQL = (
    "SELECT region, COUNT(*) AS n, SUM(size) AS s FROM data JOIN towns USING (town) GROUP BY region"
)


@pytest.mark.slow
@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(data=st.lists(CELLS, max_size=8))
def test_facts_are_read_off_the_rows_and_rows_are_read_as_they_are(
    data: list[dict[str, Any]],
) -> None:
    given_rows = pa.Table.from_pylist(data, schema=SCHEMA)
    table, arrow = read_public({"p": given_rows})["p"]
    again, same = read_public({"p": arrow})["p"]
    assert (again, same) == (table, arrow)
    for column in table.columns:
        values = [read(row[column.name], column.type) for row in data]
        known = [value for value in values if value is not None]
        assert table.keys[(column.name,)] == max(Counter(known).values(), default=1)
        places = [place for v in known if (place := number_of(v, column.type)) is not None]
        if places and column.type.ordered:
            assert column.span is not None
            assert (column.span.lo, column.span.hi) == (min(places), max(places))
        else:
            assert column.span is None
        shown = [None if v is None or v != v else v for v in arrow.columns[column.name][1]]  # noqa: PLR0124
        assert [read(v, column.type) for v in shown] == values


def opened(public: object) -> shoal.query.Private:
    data = pa.Table.from_pylist(rows(60))
    return shoal.private(
        data, protects=shoal.Person("who"), public={"towns": public}, budget=shoal.Pure(100)
    )


def answered(held: shoal.query.Private) -> list[tuple[object, ...]]:
    with without_noise():
        return held.sql(SQL).release(epsilon=1).rows


WANTED = [(None, 0, 0), ("north", 40, 140), ("south", 20, 180)]


def larger(table: pa.Table) -> pa.Table:
    """Everything that could surprise: other groups, larger numbers, and many more rows of each
    key.
    """
    many = pa.concat_tables([table] * 5)
    many = many.set_column(2, "size", pa.array([10**9] * len(many)))
    return many.set_column(1, "region", pa.array([f"new {n}" for n in range(len(many))]))


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["parquet", "csv"])
@pytest.mark.parametrize("change", ["other rows", "gone"])
def test_a_file_that_changes_after_opening_changes_nothing(
    ending: str, change: str, tmp_path: Path
) -> None:
    path = tmp_path / f"towns.{ending}"
    write = parquet.write_table if ending == "parquet" else csv.write_csv
    write(TOWNS, path)
    held = opened(path)
    if change == "gone":
        path.unlink()
    else:
        write(larger(TOWNS), path)
    assert answered(held) == WANTED


def test_a_frame_that_is_written_to_after_opening_changes_nothing() -> None:
    frame = TOWNS.to_pandas()
    held = opened(frame)
    frame["size"] = 10**9
    frame.loc[0, "region"] = "elsewhere"
    assert answered(held) == WANTED
    numbers = np.array([3.0, 9.0, 4.0])
    shared = opened(
        pd.DataFrame(
            {"town": TOWNS["town"].to_pylist(), "region": ["x"] * 3, "size": numbers}, copy=False
        )
    )
    numbers[:] = 1e9
    assert [row[2] for row in answered(shared)] == pytest.approx([0, 320])


def test_a_table_of_an_open_connection_that_changes_after_opening_changes_nothing() -> None:
    connection = duckdb.connect()
    connection.register("given", TOWNS)
    connection.execute("CREATE TABLE towns AS FROM given")
    held = opened(DuckTable(connection, "towns"))
    connection.execute("UPDATE towns SET size = 1000000000, region = 'elsewhere'")
    assert answered(held) == WANTED
    connection.close()


@pytest.mark.slow
def test_decimals_dates_and_moments_of_a_public_table_can_be_asked_for() -> None:
    places = pa.table(
        {
            "town": ["Aldam", "Brook", "Corve"],
            "price": [Decimal("1.25"), Decimal("2.50"), None],
            "since": [dt.date(2000, 1, 1), dt.date(2010, 6, 1), dt.date(2010, 6, 1)],
        }
    )
    held = opened(places)
    sql = "SELECT since, SUM(price) AS price FROM data JOIN towns USING (town) GROUP BY since"
    with without_noise():
        answer = held.sql(sql).release(epsilon=1)
    found = {row[0]: row[1] for row in answer.rows}
    assert found[dt.date(2000, 1, 1)] == Decimal("25.00")
    assert found[dt.date(2010, 6, 1)] == Decimal("50.00")
