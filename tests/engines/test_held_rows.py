"""Rows that Shoal holds are written as Arrow would write them, and read by DuckDB as the values
they are.
"""

from __future__ import annotations

import datetime as dt
import io
import math
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import csv, parquet

from shoal.engines.duckdb import DuckDB
from shoal.engines.held_rows import HeldRows
from shoal.plan import DATE, INTEGER, REAL, TEXT, TIMESTAMP, Kind, Scan, Table, Type

BOOLEAN, MONEY = Type(Kind.BOOLEAN), Type(Kind.DECIMAL, 2)

VALUES: dict[Type, Any] = {
    INTEGER: st.integers(-(2**63), 2**63 - 1),
    REAL: st.floats(),
    TEXT: st.text(st.characters(exclude_categories=["Cs"])),
    BOOLEAN: st.booleans(),
    DATE: st.dates(dt.date(1000, 1, 1)),
    TIMESTAMP: st.datetimes(dt.datetime(1000, 1, 1)),
    MONEY: st.decimals(-(10**15), 10**15, places=2),
}


@st.composite
def held(draw: Any) -> HeldRows:
    rows = draw(st.integers(0, 4))
    lists = {
        f'{kind} "x"': (kind, draw(st.lists(st.none() | values, min_size=rows, max_size=rows)))
        for kind, values in VALUES.items()
    }
    return HeldRows(lists, digits=18)


@given(held())
def test_a_csv_file_is_byte_for_byte_what_arrow_writes(rows: HeldRows) -> None:
    meant = io.BytesIO()
    csv.write_csv(rows.to_arrow(), meant)
    assert rows.csv() == meant.getvalue().decode()


@pytest.mark.parametrize("number", [0.0, -0.0, 1e10, 1e9, 9999999999.5, 1e-6, 9.9e-7, 1e22, 5e-324])
def test_numbers_change_to_exponents_where_arrow_changes(number: float) -> None:
    rows, meant = HeldRows({"x": (REAL, [number, -number])}), io.BytesIO()
    csv.write_csv(rows.to_arrow(), meant)
    assert rows.csv() == meant.getvalue().decode()


def same(one: Any, two: Any) -> bool:
    return one == two or (
        isinstance(one, float) and isinstance(two, float) and math.isnan(one) and math.isnan(two)
    )


@pytest.mark.slow
@given(held())
def test_an_engine_reads_what_it_reads_of_an_arrow_table(rows: HeldRows) -> None:
    ours, theirs = DuckDB({"t": rows}), DuckDB({"t": rows.to_arrow()})
    assert ours.columns("t") == theirs.columns("t")
    scan = Scan(Table("t", ours.columns("t")))
    for one, two in zip(ours.rows(scan), theirs.rows(scan), strict=True):
        assert all(map(same, one, two))


def test_a_parquet_file_has_the_rows_in_their_order_and_their_types(tmp_path: Path) -> None:
    moment = dt.datetime(2026, 1, 2, 3, 4, 5, 6)
    rows = HeldRows(
        {
            "n": (INTEGER, [3, None, -(2**63)]),
            "x": (REAL, [math.inf, 0.1, None]),
            "t": (TEXT, ["a'b", "", None]),
            "b": (BOOLEAN, [True, None, False]),
            "d": (DATE, [moment.date(), None, None]),
            "m": (TIMESTAMP, [moment, None, moment]),
            "c": (MONEY, [Decimal("1.20"), None, Decimal("-0.05")]),
        }
    )
    rows.write_parquet(tmp_path / "it's.parquet")
    found = parquet.read_table(tmp_path / "it's.parquet")
    assert found.to_pylist() == list(rows.dicts())
    assert [str(each) for each in found.schema.types][-1] == "decimal128(38, 2)"
