"""A function that is given one row, or one block, cannot reach the others through the array they
lie in.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from shoal.functions import InverseSensitivity, SampleAndAggregate
from shoal.local.protocols.statistical import StatisticalQueries


@pytest.mark.parametrize("first", [0.0, 10.0])
def test_a_block_holds_no_view_of_all_rows(first: float) -> None:
    rows: Any = np.full((500, 1), 5.0)
    rows[0, 0] = first
    middle = InverseSensitivity.median(epsilon=1000, size=50, low=0, high=10, points=101)
    mechanism = SampleAndAggregate(aggregator=middle, otherwise=5)
    assert mechanism.release(lambda block: block[0].base.reshape(-1)[0], rows) == 5


@pytest.mark.parametrize("first", [-1.0, 1.0])
def test_a_query_sees_no_view_of_all_people(first: float) -> None:
    people = np.zeros(60_000)
    people[0] = first
    oracle = StatisticalQueries(people, tolerance="0.1", queries=10, failure="0.05", epsilon=1)
    look: Any = lambda one: one.base.reshape(-1)[0]  # noqa: E731
    assert abs(oracle.ask(look)) < 0.2  # it fails, and counts as 0
