"""Every engine gives every expression the value the reference gives it, to the last bit."""

from __future__ import annotations

import struct

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.engines.generated import (
    SCAN,
    TYPES,
    expressions,
    tables,
)
from tests.examples import examples
from tests.plan.test_condition_facts import keeps_its_facts

from shoal.engines.duckdb import DuckDB
from shoal.engines.reference import Reference
from shoal.plan import (
    Expression,
    Filter,
    Project,
    Value,
    text_of,
)


def bits(value: Value) -> object:
    """A value that tells reals apart by their bits, the sign of a zero too, and truth values from
    numbers.
    """
    if isinstance(value, float):
        return struct.pack(">d", value)
    return (type(value).__name__, value)


def projected(made: list[Expression]) -> Project:
    return Project(SCAN, tuple((f"x{at}", expression) for at, expression in enumerate(made)))


def both(project: Project | Filter, table: pa.Table) -> tuple[list[object], list[object]]:
    fast = DuckDB({"rows": table}, threads=1).rows(project)
    slow = Reference({"rows": table.to_pylist()}).rows(project)
    return [sorted(repr([bits(v) for v in row]) for row in rows) for rows in (fast, slow)]  # type: ignore[return-value]


@pytest.mark.slow
@examples(60, many=500)
@given(tables(), st.lists(st.sampled_from(TYPES).flatmap(expressions), min_size=1, max_size=8))
def test_duckdb_gives_each_expression_the_value_of_the_reference(
    table: pa.Table, made: list[Expression]
) -> None:
    fast, slow = both(projected(made), table)
    assert fast == slow, [text_of(e) for e in made]


@pytest.mark.slow
@examples(50, many=150)
@given(tables(), expressions(TYPES[5]))
def test_a_filter_keeps_the_same_rows_and_its_columns_keep_what_it_taught(
    table: pa.Table, condition: Expression
) -> None:
    kept = Filter(SCAN, condition)
    fast, slow = both(kept, table)
    assert fast == slow, text_of(condition)
    keeps_its_facts(kept, table)
