"""Totals that an engine keeps are given to the same question only."""

from __future__ import annotations

import pyarrow as pa
import pytest
from tests.engines.spark_session import needs_java, session

from shoal.engines.duckdb import DuckDB
from shoal.engines.engine import Engine
from shoal.engines.reference import Reference
from shoal.engines.spark import Spark
from shoal.plan import (
    INTEGER,
    Bounded,
    Person,
    Project,
    Range,
    Ref,
    Row,
    Scan,
    Table,
    Unit,
    column,
    distinct_of,
    sum_of,
)
from shoal.sensitivity import Norm

DATA = {"u": [1, 2, 3], "x": [1, 1, 1], "y": [9, 8, 7]}
ROWS = [dict(zip(DATA, row, strict=True)) for row in zip(*DATA.values(), strict=True)]
UNITS = [Row(), Person("u")]


def renamed(unit: Unit, x: str, y: str) -> Bounded:
    """The sum and the number of values of a column a, in a table whose columns x and y are called
    otherwise.
    """
    known = [column(name, INTEGER, Range(0, 10)) for name in DATA]
    scan = Scan(Table("t", tuple(known), protects=unit))
    rows = Project(scan, tuple(zip((x, y), map(Ref, scan.columns[1:]), strict=True)))
    asked = Ref(next(each for each in rows.columns if each.name == "a"))
    return Bounded(rows, (), (sum_of(asked), distinct_of(asked)), Norm.L1)


def answers_each_name_by_its_own_column(engine: Engine, unit: Unit) -> None:
    truth = Reference({"t": ROWS})
    for plan in (renamed(unit, "a", "b"), renamed(unit, "b", "a")):
        assert engine.totals(plan) == truth.totals(plan)


@pytest.mark.parametrize("unit", UNITS, ids=str)
def test_names_that_change_places_are_answered_by_their_own_columns(unit: Unit) -> None:
    answers_each_name_by_its_own_column(DuckDB({"t": pa.table(DATA)}, threads=1), unit)


@needs_java
def test_names_that_change_places_are_answered_by_their_own_columns_in_spark() -> None:
    engine = Spark({"t": pa.table(DATA)}, session=session())
    answers_each_name_by_its_own_column(engine, Person("u"))
    engine.close()
