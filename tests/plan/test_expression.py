"""What an expression says of its values holds for every row."""

from __future__ import annotations

from fractions import Fraction

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.engines.generated import SCAN, TYPES, expressions, tables
from tests.examples import examples

from shoal.engines.reference import Reference
from shoal.plan import (
    REAL,
    Call,
    Column,
    Expression,
    Literal,
    Ref,
    Type,
    Value,
    call,
    decimal,
    evaluate,
    number_of,
    text_of,
    values_of,
)


def held(value: Value, kind: Type, expression: Expression) -> bool:
    place = number_of(value, kind)
    span = expression.span
    return place is None or span is None or span.lo <= place <= span.hi


@given(st.integers(-(10**18) + 1, 10**18 - 1), st.integers(1, 17))
def test_a_number_beside_a_real_is_the_double_nearest_to_what_is_written(
    units: int, scale: int
) -> None:
    """0.09999999999999999 was 0.1, and left out the rows that have it."""
    compared = call("gt", Ref(Column("x", REAL)), Literal(units, decimal(scale)))
    assert isinstance(compared, Call)
    assert compared.arguments[1] == Literal(float(Fraction(units, 10**scale)), REAL)


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
