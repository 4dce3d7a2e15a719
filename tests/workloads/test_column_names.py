"""Released counts are handed over with every key, whatever the keys are called."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

import shoal
from shoal.workloads.column_names import key_name


def test_columns_that_are_called_like_numbers_have_names_that_no_other_column_has() -> None:
    names = ["age", "count", "count_", "count__", "total"]
    told = [key_name(each, ["count", "count_low"]) for each in names]
    assert told == ["age", "count_", "count__", "count___", "total"]


def test_the_key_of_a_table_in_detail_may_be_called_like_its_numbers() -> None:
    rows = pa.table({"count": ["a", "b"] * 50, "level": ["x", "y"] * 50})
    people = shoal.private(
        rows,
        protects=shoal.Row(),
        budget=shoal.ZeroConcentrated(1),
        columns={"count": shoal.Choices(["a", "b"]), "level": shoal.Choices(["x", "y"])},
        required=["count", "level"],
    )
    groups = shoal.Hierarchy("count", group={"all": ["a", "b"]})
    found = people.table().detail(groups, least=1, by=["level"]).release(rho="0.5")
    frame = found.to_pandas()
    assert list(frame) == ["level", "count_", "level_", "count", "count_low", "count_high"]
    assert set(frame["count_"]) <= {"a", "b", "all"}
    assert list(frame["level_"][:2]) == ["x", "y"]


def test_the_days_of_a_stream_may_be_called_like_its_numbers(tmp_path: Path) -> None:
    days = pa.array([number % 3 for number in range(60)], pa.int32()).cast(pa.date32())
    pq.write_table(pa.table({"id": list(range(60)), "total": days}), tmp_path / "visits.parquet")
    with shoal.open(tmp_path / "office.shoal") as vault:
        vault.add(
            "visits",
            tmp_path / "visits.parquet",
            protects=shoal.Person("id", groups=1, rows_per_group=1),
            columns={"total": shoal.Range("1970-01-01", "1970-01-03")},
            budget=shoal.ZeroConcentrated(1),
        )
        stream = vault.daily("a", "visits", "total").open(rho="0.5")
        found = stream.release(until="1970-01-03").to_columns()
    assert next(iter(found)) == "total_"
    assert [str(day) for day in found["total_"]] == ["1970-01-01", "1970-01-02", "1970-01-03"]
    assert len(found["total"]) == 3
