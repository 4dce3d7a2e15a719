"""A census in small, from rows to tables: three levels, five tables, totals known by law."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks import census
from tests.engines.spark_session import needs_java, session


@pytest.mark.slow
def test_tables_on_three_levels_add_up_and_intervals_hold() -> None:
    rows = census.people(60_000, seed=3)
    known = census.known_regions(rows)
    released = census.released(rows, known, "0.05")
    truth = census.counted(rows, released.plan.workload)
    assert 0.93 < census.coverage(released, truth) < 0.97
    whole = released.whole_numbers()
    assert census.contradictions(whole) == 0
    for table in whole:
        assert int(table.values.min()) >= 0
        assert int(table.values.sum()) == 60_000
    by_region = whole["region", "sex", "age"].values.sum(axis=(1, 2))
    assert by_region.tolist() == list(known["region"].values())


@needs_java
def test_spark_gives_the_same_tables_but_for_the_noise() -> None:
    rows = census.people(1500, seed=4)
    source = session().createDataFrame(rows)
    released = census.released(source, census.known_regions(rows), "0.9")
    held = census.released(rows, census.known_regions(rows), "0.9")
    truth = census.counted(rows, held.plan.workload)
    assert released.plan.event == held.plan.event
    for table, true in zip(released, truth, strict=True):
        off = np.abs(table.values - true) / table.standard_errors
        assert off.max() < 6
        assert np.sqrt((off**2).mean()) < 1.3
