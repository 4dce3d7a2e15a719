"""Of a wide table an engine reads the columns that a question uses, and answers as if it had read
all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.engines.test_relations import Data, arrow, datasets, relations
from tests.engines.test_spread import spreads
from tests.engines.test_totals import plans

import shoal
from shoal.engines.csv_file import CsvFile
from shoal.engines.duckdb import DuckDB, csv_reading
from shoal.engines.duckdb.connection import described_by, opened
from shoal.engines.reference import Reference
from shoal.errors import SourceError
from shoal.plan import (
    INTEGER,
    Bounded,
    Person,
    PersonJoin,
    Range,
    Ref,
    Row,
    Scan,
    Table,
    Unit,
    column,
    explain,
    sum_of,
)
from shoal.plan.used_columns import WIDE
from shoal.sensitivity import Norm

COLUMNS = 2 * WIDE
UNITS: list[tuple[Unit, Unit]] = [
    (Row(), Row()),
    (Person("u", groups=2, rows_per_group=2), Person("u2")),
    (Person(["u", "k"], groups=2), Person(["u2", "k2"])),
]


@contextmanager
def narrowing_every_table() -> Iterator[None]:
    with (
        patch("shoal.plan.used_columns.WIDE", 0),
        patch("shoal.engines.duckdb.engine.WIDE", 0),
    ):
        yield


@pytest.mark.parametrize("units", UNITS, ids=str)
@settings(max_examples=6)
@given(data=datasets(), draw=st.data())
def test_narrowed_tables_give_the_integers_of_the_reference(
    units: tuple[Unit, Unit], data: Data, draw: st.DataObject
) -> None:
    plan, spread = draw.draw(plans(units)), draw.draw(spreads(units))
    truth = Reference(data)
    with narrowing_every_table():
        for most in (1 << 20, 0):
            engine = DuckDB(arrow(data), threads=1, most_rows=most)
            assert engine.totals(plan) == truth.totals(plan), explain(plan.relation)
            assert engine.totals(plan) == truth.totals(plan), "a second time"
            assert engine.weights(spread) == truth.weights(spread), explain(spread.relation)


@pytest.mark.parametrize("units", UNITS, ids=str)
@settings(max_examples=8)
@given(data=datasets(), draw=st.data())
def test_narrowed_tables_give_the_rows_of_the_reference_with_their_persons(
    units: tuple[Unit, Unit], data: Data, draw: st.DataObject
) -> None:
    relation = draw.draw(relations(units))
    persons = isinstance(units[0], Person)
    meant = Counter(map(repr, Reference(data).rows(relation, persons=persons)))
    with narrowing_every_table():
        found = DuckDB(arrow(data), threads=1).rows(relation, persons=persons)
    assert Counter(map(repr, found)) == meant


def test_which_rows_are_joined_is_decided_by_columns_that_are_not_used_too() -> None:
    rows = {"left": [{"u": 1}], "right": [{"v": 1, "a": 2, "b": 10}, {"v": 1, "a": 1, "b": 20}]}
    left = Scan(Table("left", (column("u", INTEGER),), protects=Person("u")))
    known = tuple(column(name, INTEGER, Range(0, 99)) for name in "ab")
    right = Scan(Table("right", (column("v", INTEGER), *known), protects=Person("v")))
    joined = PersonJoin(left, right, ())
    plan = Bounded(joined, (), (sum_of(Ref(joined.columns[-1])),), Norm.L1)
    with narrowing_every_table():
        engine = DuckDB({name: pa.Table.from_pylist(held) for name, held in rows.items()})
        assert engine.totals(plan) == Reference(rows).totals(plan)


class Listening:
    """A connection that notes every statement."""

    def __init__(self, connection: Any) -> None:
        self.connection, self.said = connection, list[str]()

    def execute(self, sql: str) -> Any:
        self.said.append(sql)
        return self.connection.execute(sql)

    def sql(self, sql: str) -> Any:
        self.said.append(sql)
        return self.connection.sql(sql)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.connection, name)


def wide() -> pa.Table:
    held = {f"c{at}": [at, at + 1, at + 2] for at in range(COLUMNS)}
    return pa.table({"id": [1, 2, 3], **held})


QUESTIONS = {
    "SELECT COUNT(*) AS n FROM data": set(),
    "SELECT COUNT(*) AS n FROM data WHERE c5 > 6": {"c5"},
    "SELECT c7, COUNT(*) AS n FROM data WHERE c5 > 6 AND c9 < 100 GROUP BY c7": {"c5", "c7", "c9"},
    "SELECT SUM(x) AS s FROM (SELECT *, c3 AS x FROM data) AS q": {"c3"},
    "SELECT COUNT(DISTINCT c3) AS n, MEDIAN(c4) AS m FROM data": {"c3", "c4"},
    "SELECT SUM(c3) AS s FROM (SELECT * FROM data UNION ALL SELECT * FROM data) AS q": {"c3"},
}


@pytest.mark.parametrize("text", QUESTIONS)
@pytest.mark.parametrize("unit", [Row(), Person("id")], ids=str)
def test_no_column_is_named_that_a_question_does_not_use(text: str, unit: Unit) -> None:
    known: Any = {"c3": (0, 9), "c4": (0, 9), "c7": shoal.Choices(range(5, 12))}
    data = shoal.private(wide(), protects=unit, columns=known, budget=shoal.Pure(1))
    engine: Any = data._source.engine
    heard = engine._connection = Listening(engine._connection)
    data.sql(text).release(epsilon="0.5")
    said = " ".join(heard.said)
    named = {name for name in wide().column_names if f'"{name}"' in said}
    person = {"id"} if isinstance(unit, Person) else set()
    assert named - person <= (QUESTIONS[text] or {"id"})
    assert QUESTIONS[text] <= named


def test_a_text_that_is_not_whole_is_refused_in_whatever_column_of_a_wide_file_it_is(
    tmp_path: Path,
) -> None:
    for place in (0, COLUMNS - 1):
        cells = {f"c{at}": pa.array([b"a"], pa.binary()) for at in range(COLUMNS)}
        cells[f"c{place}"] = pa.array([b"\xff\xfe"], pa.binary())
        texts = {name: each.view(pa.string()) for name, each in cells.items()}
        path = str(tmp_path / f"{place}.parquet")
        pq.write_table(pa.table(texts), path)
        with pytest.raises(SourceError, match="not every row"):
            shoal.private(path, protects=Row(), budget=shoal.Pure(1))


def test_a_wide_csv_file_is_read_as_a_narrow_one(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    kinds = ["integer", "real", "text", "boolean", "date", "timestamp", "decimal(2)"]
    cells = ["7", "1.5", "a", "true", "2020-02-03", "2020-02-03 04:05:06", "1.25"]
    path.write_text(f"{','.join(f'c{at}' for at in range(7))}\n{','.join(cells)}\nx,x,,x,x,x,x\n")
    file = CsvFile(str(path), {f"c{at}": kind for at, kind in enumerate(kinds)})
    assert csv_reading.described(file) == described_by(opened(), csv_reading.typed_sql(file))

    def everything() -> list[Any]:
        engine = DuckDB({"t": file}, threads=1)
        scan = Scan(Table("t", engine.columns("t"), protects=Row()))
        engine.read_through(scan)
        return sorted(engine.rows(scan), key=repr)

    narrow = everything()
    with narrowing_every_table():
        assert everything() == narrow
