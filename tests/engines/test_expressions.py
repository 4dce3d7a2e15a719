"""Every engine gives every expression the value the reference gives it, to the last bit."""

from __future__ import annotations

import struct

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.engines.generated import (
    PAIR_SCAN,
    SCAN,
    TYPES,
    applications,
    comparisons,
    dense,
    expressions,
    pairs,
    tables,
)
from tests.examples import examples

from shoal.engines.duckdb import DuckDB
from shoal.engines.reference import Reference
from shoal.plan import (
    FUNCTIONS,
    Expression,
    Filter,
    Project,
    Type,
    Value,
    call,
    evaluate,
    number_of,
    text_of,
    values_of,
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


APPLICATIONS = applications()
DENSE = dense()


@pytest.fixture(scope="module")
def hostile() -> pa.Table:
    return pairs()


def test_every_function_is_applied_somewhere() -> None:
    assert sorted(APPLICATIONS) == sorted(FUNCTIONS)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_every_pair_of_hostile_values_has_the_value_of_the_reference(
    name: str, hostile: pa.Table
) -> None:
    made = tuple((f"x{at}", e) for at, e in enumerate(APPLICATIONS[name]))
    project = Project(PAIR_SCAN, made)
    fast = DuckDB({"rows": hostile}, threads=1).rows(project)
    slow = Reference({"rows": hostile.to_pylist()}).rows(project)
    assert len(fast) == len(slow) == hostile.num_rows
    columns = zip(zip(*fast, strict=True), zip(*slow, strict=True), strict=True)
    for (_, expression), (given_fast, given_slow) in zip(made, columns, strict=True):
        assert any(value is not None for value in given_slow), text_of(expression)
        assert sorted(map(repr, map(bits, given_fast))) == sorted(
            map(repr, map(bits, given_slow))
        ), text_of(expression)


def held(value: Value, kind: Type, expression: Expression) -> bool:
    place = number_of(value, kind)
    span = expression.span
    return place is None or span is None or span.lo <= place <= span.hi


@pytest.mark.slow
@examples(133, many=400)
@given(tables(), st.sampled_from(TYPES).flatmap(expressions))
def test_no_value_leaves_the_span_the_list_or_the_nullability_of_its_expression(
    table: pa.Table, made: Expression
) -> None:
    listed = values_of(made, most=500)
    for owned in Reference({"rows": table.to_pylist()}).owned(SCAN):
        value = evaluate(made, owned.row)
        assert value is not None or made.nullable, text_of(made)
        assert held(value, made.type, made), text_of(made)
        assert value is None or listed is None or value in listed, text_of(made)


def keeps_its_facts(kept: Filter, table: pa.Table) -> None:
    for owned in Reference({"rows": table.to_pylist()}).owned(kept):
        for column in kept.columns:
            value = owned.row[column.name]
            place = number_of(value, column.type)
            assert value is not None or column.nullable, text_of(kept.condition)
            assert column.choices is None or value is None or value in column.choices
            assert place is None or column.span is None or column.span.lo <= place <= column.span.hi


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


@pytest.mark.slow
@examples(66, many=200)
@given(st.lists(comparisons(), min_size=1, max_size=3))
def test_a_comparison_teaches_only_what_is_true(parts: list[Expression]) -> None:
    condition = parts[0]
    for part in parts[1:]:
        condition = call("and", condition, part)
    keeps_its_facts(Filter(SCAN, condition), DENSE)
