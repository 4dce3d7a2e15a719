"""How a CSV file is read is part of what is asked: its order without a header, and what separates
its cells.
"""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

import shoal
from shoal.errors import SchemaError, SourceError


def test_a_file_without_a_header_is_read_in_the_order_that_was_declared_last(
    tmp_path: Path,
) -> None:
    path = tmp_path / "visits.csv"
    path.write_text("".join(f"{i % 50},{i}\n" for i in range(1000)))
    vault = shoal.open(tmp_path / "office.shoal")
    vault.add(
        "visits",
        shoal.CsvFile(path, {"id": "integer", "visit": "integer"}, header=False),
        protects=shoal.Person("id", groups=1, rows_per_group=1),
        budget=shoal.Pure(100),
    )
    path.write_text("".join(f"{i},{i % 50}\n" for i in range(1000)))
    turned = shoal.CsvFile(path, {"visit": "integer", "id": "integer"}, header=False)
    vault.update("visits", relation="same people", path=turned)
    assert [column.name for column in vault.dataset("visits").columns] == ["visit", "id"]
    counted = vault.sql("SELECT COUNT(*) AS n FROM visits WHERE id = 7").release(epsilon=50)
    assert counted.rows == [(1,)]  # one person, whatever the number of visits


def test_an_answer_is_not_given_for_the_same_bytes_read_in_another_way(tmp_path: Path) -> None:
    path = tmp_path / "cells.csv"
    path.write_text("1;2,3\n" * 1000)
    vault = shoal.open(tmp_path / "office.shoal")
    types = {"a": "text", "b": "text"}
    by_comma = shoal.CsvFile(path, types, header=False, delimiter=",")
    vault.add("cells", by_comma, protects=shoal.Row(), budget=shoal.Pure(100))
    question = "SELECT COUNT(*) AS n FROM cells WHERE b = '3'"
    assert vault.sql(question).release(epsilon=40).rows == [(1000,)]
    vault.update("cells", path=shoal.CsvFile(path, types, header=False, delimiter=";"))
    assert vault.sql(question).release(epsilon=40).rows == [(0,)]


def test_days_that_hold_a_time_are_refused() -> None:
    within = pa.array([86_400_000, 86_400_001], pa.int64()).view(pa.date64())
    with pytest.raises(SourceError, match="times within a day"):
        shoal.private(
            pa.table({"id": within, "x": [1, 2]}),
            protects=shoal.Person("id", groups=1, rows_per_group=1),
            budget=shoal.Pure(1),
        )


def test_known_content_is_not_asked_about_other_persons_by_naming_its_columns_anew(
    tmp_path: Path,
) -> None:
    path = tmp_path / "visits.csv"
    path.write_text("".join(f"{i % 50},{i}\n" for i in range(1000)))
    vault = shoal.open(tmp_path / "office.shoal")

    def add(name: str, **types: str) -> None:
        vault.add(
            name,
            shoal.CsvFile(path, types, header=False),
            protects=shoal.Person("id", groups=1, rows_per_group=1),
            budget=shoal.Pure(100),
        )

    add("visits", id="integer", visit="integer")
    with pytest.raises(SchemaError, match="other cells"):
        add("turned", patient="integer", id="integer")
    with pytest.raises(SchemaError, match="other cells"):
        add("merged", id="boolean", visit="integer")
    add("again", id="integer", number="integer")
