"""What an expression says of its values holds for every row."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.engines.generated import SCAN, TYPES, expressions, tables
from tests.examples import examples

from shoal.engines.reference import Reference
from shoal.plan import Expression, Type, Value, evaluate, number_of, text_of, values_of


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
