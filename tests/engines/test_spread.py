"""Weights by key and value: the same on both engines, and no unit moves them further than is
claimed.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.engines.test_relations import Data, arrow, datasets, refs, relations
from tests.engines.test_totals import UNITS, arguments, fewer
from tests.examples import examples

from shoal.engines.duckdb import DuckDB
from shoal.engines.duckdb.fetching import MOST_ROWS
from shoal.engines.reference import Reference
from shoal.plan import (
    DATE,
    INTEGER,
    REAL,
    TIMESTAMP,
    Person,
    Range,
    Ref,
    Row,
    Scan,
    Spread,
    Table,
    Unit,
    column,
    decimal,
    explain,
    points_of,
)
from shoal.plan.spread import MOST_POINTS
from shoal.sensitivity import Norm

CELLS_OF_KEYS: dict[str, st.SearchStrategy[Any]] = {
    "k": st.sampled_from([None, "a", "b", "", "it's\n"]),
    "u": st.sampled_from([None, 1, 2, 3]),
}


@st.composite
def spreads(draw: st.DrawFn, units: tuple[Unit, Unit]) -> Spread:
    relation = draw(relations(units))
    held = refs(relation)
    keys = draw(st.sampled_from([(), ("k",), ("k", "u")]))
    value = draw(st.sampled_from(arguments(relation)))
    grid = draw(st.sampled_from([None, points_of(value)]))
    norm = draw(st.sampled_from([Norm.L1, Norm.L2]))
    cells = st.tuples(*(CELLS_OF_KEYS[name] for name in keys))
    only = draw(st.none() | st.lists(cells, max_size=4, unique=True).map(tuple))
    return Spread(relation, tuple(held[name] for name in keys), value, norm, grid, only=only)


@pytest.mark.slow
@pytest.mark.parametrize("units", UNITS, ids=str)
@examples(6, many=60)
@given(data=datasets(), draw=st.data())
def test_duckdb_gives_the_weights_of_the_reference(
    units: tuple[Unit, Unit], data: Data, draw: st.DataObject
) -> None:
    spread = draw.draw(spreads(units))
    meant = Reference(data).weights(spread)
    for most in (0, MOST_ROWS):
        engine = DuckDB(arrow(data), threads=1, most_rows=most)
        assert engine.weights(spread) == meant, explain(spread.relation)
        assert engine.weights(spread) == meant, "a second time"


@pytest.mark.slow
@pytest.mark.parametrize("units", UNITS, ids=str)
@examples(33, many=100)
@given(data=datasets(), draw=st.data())
def test_no_unit_moves_weights_further_than_is_claimed(
    units: tuple[Unit, Unit], data: Data, draw: st.DataObject
) -> None:
    spread = draw.draw(spreads(units))
    before = Reference(data).weights(spread)
    claim = spread.norm.measure([spread.sensitivity.value])
    twice = 2 if spread.unit.relation == "change" else 1
    for other in fewer(data, units):
        after = Reference(other).weights(spread)
        moved = []
        for key in {**before, **after}:
            one, two = (
                Counter(found[key].as_dict() if key in found else {}) for found in (before, after)
            )
            moved.append(Fraction(twice * sum(abs(one[v] - two[v]) for v in {**one, **two})))
        assert spread.norm.measure(moved) <= claim


COLUMNS = (
    column("u", INTEGER),
    column("d", DATE, Range("2020-01-01", "2026-12-31")),
    column("t", TIMESTAMP, Range("2020-01-01", "2026-12-31")),
    column("m", decimal(2), Range(-50, 70)),
    column("r", REAL, Range("-0.7", "99.3")),
    column("i", INTEGER, Range(-(2**63), 2**63 - 1)),
)
CELLS = {
    "u": st.integers(1, 3),
    "d": st.none() | st.dates(dt.date(2019, 1, 1), dt.date(2028, 1, 1)),
    "t": st.none() | st.datetimes(dt.datetime(2019, 1, 1), dt.datetime(2028, 1, 1)),
    "m": st.none() | st.decimals(-60, 80, places=2),
    "r": st.none() | st.floats(),
    "i": st.none() | st.integers(-(2**63), 2**63 - 1),
}
SCHEMA = pa.schema(
    {"u": pa.int64(), "d": pa.date32(), "t": pa.timestamp("us"), "m": pa.decimal128(18, 2), "r": pa.float64(), "i": pa.int64()}
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("unit", [Row(), Person("u", rows_per_group=2)], ids=str)
@examples(12, many=100)
@given(rows=st.lists(st.fixed_dictionaries(CELLS), max_size=8))
def test_every_type_lands_on_the_same_points_on_both_engines(
    unit: Unit, rows: list[dict[str, Any]]
) -> None:
    scan = Scan(Table("t", COLUMNS, protects=unit))
    fast = DuckDB({"t": pa.Table.from_pylist(rows, schema=SCHEMA)}, threads=1)
    for held in scan.columns[1:]:
        grid = points_of(Ref(held))
        assert grid.hi - grid.lo <= MOST_POINTS
        spread = Spread(scan, (), Ref(held), Norm.L1, grid)
        found = fast.weights(spread)
        assert found == Reference({"t": rows}).weights(spread)
        for each in found.values():
            assert grid.lo <= each.values[0] <= each.values[-1] <= grid.hi
            assert (each.values[1:] > each.values[:-1]).all()
            assert each.values.dtype == each.weights.dtype == np.int64
