"""A census in small, from rows to tables: three levels, five tables, totals known by law."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from benchmarks import census
from tests.engines.spark_session import needs_java, session

from shoal.cli.publication_folder import write_folder


def _checked(rows: pa.Table, source: Any) -> tuple[Any, Any, list[Any]]:
    """Tables add up and keep both tables of known totals, and intervals of real numbers hold."""
    known = census.known_by_law(rows)
    released = census.released(source, known, "0.05")
    truth = census.counted(rows, released.plan.workload)
    assert 0.93 < census.coverage(released, truth) < 0.97
    whole = released.whole_numbers()
    assert census.contradictions(whole) == 0
    for table in whole:
        assert int(table.values.min()) >= 0
        assert int(table.values.sum()) == len(rows)
    by_region = whole["region", "sex", "age"].values.sum(axis=(1, 2))
    assert by_region.tolist() == list(known["region"].values())
    by_band = whole["district", "sex", "band"].values.sum(axis=(0, 1))
    assert by_band.tolist() == list(known["band"].values())
    return released, whole, truth


@pytest.mark.slow
def test_tables_on_three_levels_add_up_and_intervals_hold(tmp_path: Path) -> None:
    rows = census.people(60_000, seed=3)
    released, whole, truth = _checked(rows, rows)
    assert 0.93 < census.coverage(whole, truth) < 0.97
    out = tmp_path / "tables"
    write_folder(released, list(whole), out, "A census")
    page = (out / "index.html").read_text(encoding="utf-8")
    assert "Not protected: the totals by region and by band were public before" in page
    assert len(list(out.glob("*.csv"))) == 5


@needs_java
@pytest.mark.slow
def test_the_same_from_spark(tmp_path: Path) -> None:
    rows = census.people(20_000, seed=5)
    pq.write_table(rows, tmp_path / "people.parquet")
    _checked(rows, session().read.parquet(str(tmp_path / "people.parquet")))


@needs_java
def test_spark_gives_the_same_tables_but_for_the_noise() -> None:
    rows = census.people(1500, seed=4)
    source = session().createDataFrame(rows)
    released = census.released(source, census.known_by_law(rows), "0.9")
    held = census.released(rows, census.known_by_law(rows), "0.9")
    truth = census.counted(rows, held.plan.workload)
    assert released.plan.event == held.plan.event
    for table, true in zip(released, truth, strict=True):
        off = np.abs(table.values - true) / table.standard_errors
        assert off.max() < 6
        assert np.sqrt((off**2).mean()) < 1.3


def test_a_table_that_differs_by_one_person_is_a_contradiction() -> None:
    rows = census.people(300, seed=6)
    released = census.released(rows, census.known_by_law(rows), "0.5")
    whole = list(released.whole_numbers())

    class Changed:
        plan, known = released.plan, released.known

        def __iter__(self) -> Any:
            values = whole[0].values.copy()
            values[0, 0, 0] += 1
            query, plan = whole[0].query, released.plan
            return iter([type(whole[0])(plan, query, values, whole[0].errors), *whole[1:]])

    assert census.contradictions(released.whole_numbers()) == 0
    assert census.contradictions(Changed()) == 6
