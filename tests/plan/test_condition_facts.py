"""A condition teaches of the columns only what is true of the rows that it keeps."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.engines.generated import SCAN, comparisons, dense
from tests.examples import examples

from shoal.engines.reference import Reference
from shoal.plan import Expression, Filter, call, number_of, text_of

DENSE = dense()


def keeps_its_facts(kept: Filter, table: pa.Table) -> None:
    for owned in Reference({"rows": table.to_pylist()}).owned(kept):
        for column in kept.columns:
            value = owned.row[column.name]
            place = number_of(value, column.type)
            assert value is not None or column.nullable, text_of(kept.condition)
            assert column.choices is None or value is None or value in column.choices
            assert place is None or column.span is None or column.span.lo <= place <= column.span.hi


@pytest.mark.slow
@examples(66, many=200)
@given(st.lists(comparisons(), min_size=1, max_size=3))
def test_a_comparison_teaches_only_what_is_true(parts: list[Expression]) -> None:
    condition = parts[0]
    for part in parts[1:]:
        condition = call("and", condition, part)
    keeps_its_facts(Filter(SCAN, condition), DENSE)
