"""Every function has the value of the reference on every pair of hostile values, to the last bit."""

from __future__ import annotations

import pyarrow as pa
import pytest
from tests.engines.generated import PAIR_SCAN, applications, pairs
from tests.engines.test_expressions import bits

from shoal.engines.duckdb import DuckDB
from shoal.engines.reference import Reference
from shoal.plan import FUNCTIONS, Project, text_of

APPLICATIONS = applications()


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
