"""Spark: every source, every type, hostile names, nothing row-level on the driver, and a question
that can be stopped.
"""

from __future__ import annotations

import datetime as dt
import os
import threading
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.engines import spark_session
from tests.engines.spark_session import needs_java, session

from shoal.engines.duckdb import DuckDB, DuckTable
from shoal.engines.engine_choice import engine_over
from shoal.engines.reference import Reference
from shoal.engines.source_reading import ColumnReading
from shoal.engines.spark import Spark, SparkTable
from shoal.engines.spark.connection import is_address, shown, told
from shoal.engines.spark.content import content_of
from shoal.engines.spark.sources import reading_of
from shoal.errors import InternalError, SourceError
from shoal.plan import (
    INTEGER,
    PERSONS,
    REAL,
    TEXT,
    WHOLE,
    Bounded,
    Choices,
    Filter,
    Literal,
    Person,
    Project,
    Range,
    Ref,
    Row,
    Scan,
    Spread,
    Table,
    Unit,
    call,
    column,
    count_of,
    points_of,
    sum_of,
    votes_of,
)
from shoal.sensitivity import Norm

pytestmark = needs_java

DATA = pa.table(
    {"name": ["ann", "bob", None], "age": [41, None, 7], "spend": [1.5, float("inf"), None]}
)
PLAIN = [("ann", 41, 1.5), ("bob", None, None), (None, 7, None)]


def everything(engine: Any, name: str = "t") -> list[tuple[Any, ...]]:
    scan = Scan(Table(name, engine.columns(name), protects=Row()))
    return sorted(engine.rows(scan), key=repr)


def source_of(kind: str, folder: Path) -> object:
    path = str(folder / f"it's a table.{kind}")
    match kind:
        case "parquet":
            pq.write_table(DATA, path)
            return SparkTable(session(), path)
        case "orc":
            session().createDataFrame(DATA).write.orc(path)
            return SparkTable(session(), path)
        case "csv":
            Path(path).write_text("name,age,spend\nann,41,1.5\nbob,,\n,7,\n")
            return SparkTable(session(), path, {"age": "integer", "spend": "real"})
        case "view":
            session().createDataFrame(DATA).createOrReplaceTempView("held")
            return SparkTable(None, "held")
        case "frame":
            return session().createDataFrame(DATA)
        case "pandas":
            ages = pd.array([41, None, 7], "Int64")
            spend = [1.5, float("inf"), None]
            return pd.DataFrame({"name": ["ann", "bob", None], "age": ages, "spend": spend})
        case "polars":
            return pl.from_arrow(DATA)
    return DATA


@pytest.mark.parametrize(
    "kind", ["parquet", "orc", "csv", "view", "frame", "pandas", "polars", "arrow"]
)
def test_every_kind_of_source_gives_the_same_rows(kind: str, tmp_path: Path) -> None:
    engine = Spark({"t": source_of(kind, tmp_path)}, session=session())
    assert [(c.name, c.type) for c in engine.columns("t")] == [
        ("name", TEXT),
        ("age", INTEGER),
        ("spend", REAL),
    ]
    assert everything(engine) == sorted(PLAIN, key=repr)
    engine.close()


HOSTILE: dict[str, list[str]] = {
    "TINYINT": ["127", "-128"],
    "BIGINT": ["9223372036854775807", "-9223372036854775808"],
    "FLOAT": ["'nan'", "'infinity'", "'0.1'", "'-0.0'"],
    "DOUBLE": ["'nan'", "'-infinity'", "'5e-324'", "'1.7976931348623157e308'"],
    "DECIMAL(18,2)": ["9999999999999999.99", "-0.01"],
    "DECIMAL(18,18)": ["0.999999999999999999", "-0.000000000000000001"],
    "DECIMAL(38,0)": ["99999999999999999999999999999999999999", "5"],
    "DECIMAL(38,10)": ["9999999999999999999999999999.9999999999", "0.1", "-1234567.8901234567"],
    "STRING": ["''", "'a'", "'🤦'"],
    "BOOLEAN": ["true"],
    "DATE": ["'+10000-01-01'", "'9999-12-31'", "'0001-01-01'", "'-0001-12-31'"],
    "TIMESTAMP_NTZ": ["'0001-01-01 00:00:00'", "'1969-12-31 23:59:59.999999'", "'+10000-01-01 00:00:00'", "'9999-12-31 23:59:59.999999'"],
    "TIMESTAMP": ["'2020-01-01 00:00:00+02:00'", "'1883-11-18 12:03:58-04:56'", "'+10000-01-02 00:00:00Z'"],
}  # fmt: skip
EXPECTED: dict[str, list[Any]] = {
    "FLOAT": [None, None, 0.10000000149011612, 0.0],
    "DOUBLE": [None, None, 5e-324, 1.7976931348623157e308],
    "DECIMAL(18,2)": [999999999999999999, -1],
    "DECIMAL(18,18)": [999999999999999999, -1],
    "DECIMAL(38,0)": [None, 5],
    "DECIMAL(38,10)": [1e28, 0.1, float(Decimal("-1234567.8901234567"))],
    "DATE": [None, dt.date.max, dt.date.min, None],
    "TIMESTAMP_NTZ": [
        dt.datetime.min,
        dt.datetime(1969, 12, 31, 23, 59, 59, 999999),
        None,
        dt.datetime.max,
    ],
    "TIMESTAMP": [dt.datetime(2019, 12, 31, 22), dt.datetime(1883, 11, 18, 16, 59, 58), None],
}


@pytest.mark.parametrize("zone", ["UTC", "America/New_York"])
def test_every_type_is_read_without_fail_and_what_does_not_fit_is_null(zone: str) -> None:
    session().conf.set("spark.sql.session.timeZone", zone)
    try:
        sources = {}
        for at, (kind, values) in enumerate(HOSTILE.items()):
            lines = [f"SELECT {n} AS n, CAST({v} AS {kind}) AS x" for n, v in enumerate(values)]
            lines.append(f"SELECT {len(values)} AS n, CAST(NULL AS {kind}) AS x")
            sources[f"t{at}"] = session().sql(" UNION ALL ".join(lines))
        engine = Spark(sources)
        for at, kind in enumerate(HOSTILE):
            found = [x for _, x in sorted(everything(engine, f"t{at}"), key=lambda row: row[0])]
            assert found[-1] is None
            if kind in EXPECTED:
                assert found[:-1] == EXPECTED[kind], kind
            else:
                assert None not in found[:-1], kind
    finally:
        session().conf.unset("spark.sql.session.timeZone")


@pytest.mark.parametrize(
    "kind",
    ["binary", "array<int>", "struct<a:int>", "map<int,int>", "interval day to second", "void", "variant"],
)  # fmt: skip
def test_a_type_without_a_place_here_is_left_out(kind: str) -> None:
    assert reading_of(kind) is None


def test_texts_of_another_collation_are_told_apart_by_their_bytes() -> None:
    frame = session().sql("SELECT col1 COLLATE UTF8_LCASE AS s FROM VALUES ('a'), ('A'), ('a')")
    engine = Spark({"t": frame})
    scan = Scan(Table("t", engine.columns("t"), protects=Row()))
    plan = Bounded(scan, (Ref(scan.columns[0]),), (count_of(),), Norm.L1)
    assert engine.totals(plan) == {("a",): (2,), ("A",): (1,)}


SPOILED = """SELECT id AS u, CAST(X'FF' AS STRING) AS k FROM RANGE(5) UNION ALL
    SELECT 7, CAST(X'FE' AS STRING) UNION ALL SELECT 8, CAST(X'EFBFBD' AS STRING)"""


def test_bytes_that_are_no_text_are_null_and_hide_no_other_key() -> None:
    engine = Spark({"t": session().sql(SPOILED)})
    assert counted_by(engine) == {None: 6, "\ufffd": 1}
    for kind in ("STRING COLLATE UTF8_LCASE", "VARCHAR(3)"):
        session().sql(SPOILED).createOrReplaceTempView("spoiled")
        frame = session().sql(f"SELECT u, CAST(k AS {kind}) AS k FROM spoiled")
        assert counted_by(Spark({"t": frame})) == {None: 6, "\ufffd": 1}


def test_persons_who_could_become_one_by_bytes_that_are_no_text_are_refused() -> None:
    engine = Spark({"t": session().sql(SPOILED)})
    for nulls in ("one", "drop"):
        scan = Scan(Table("t", engine.columns("t"), Person("k", nulls=nulls)))
        plan = Bounded(scan, (), (count_of(),), Norm.L1)
        if nulls == "drop":
            assert engine.totals(plan) == {(): (WHOLE,)}
        else:
            with pytest.raises(SourceError, match="cannot say who"):
                engine.totals(plan)


def test_two_groups_under_one_key_are_our_mistake(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "shoal.engines.spark.engine.reading_of",
        lambda kind: ColumnReading(TEXT, "{0}") if kind == "string" else reading_of(kind),
    )
    engine = Spark({"t": session().sql(SPOILED)})
    scan = Scan(Table("t", engine.columns("t"), Person("u")))
    key = Ref(scan.columns[1])
    for batch in (1, 100):
        monkeypatch.setattr("shoal.engines.spark.engine.BATCH", batch)
        with pytest.raises(InternalError, match="one key"):
            engine.totals(Bounded(scan, (key,), (count_of(),), Norm.L1))
    with pytest.raises(InternalError, match="one key"):
        engine.weights(Spread(scan, (), key, Norm.L1, None))


@pytest.mark.parametrize("cell", ["1.5", "abc", "1_000", "99999999999999999999"])
def test_one_cell_of_a_csv_file_changes_neither_types_nor_other_rows(
    cell: str, tmp_path: Path
) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"u,s\n1,a\n2.0,b\n{cell},{cell}\n")
    engine = Spark({"t": SparkTable(session(), str(path), {"u": "integer"})})
    assert [str(each) for each in engine.columns("t")] == ["u integer", "s text"]
    assert sorted(everything(engine), key=repr) == [(1, "a"), (2, "b"), (None, cell)]
    plain = Spark({"t": SparkTable(session(), str(path))})
    assert [str(each) for each in plain.columns("t")] == ["u text", "s text"]


ZONED = "u,at\n1,2020-01-01 03:00:00\n2,2020-03-08 02:30:00\n3,2020-01-01T03:00:00+02:00\n"


def test_moments_in_csv_mean_the_same_in_every_zone(tmp_path: Path) -> None:
    path = tmp_path / "z.csv"
    path.write_text(ZONED)
    moments = [
        dt.datetime(2020, 1, 1, 3),
        dt.datetime(2020, 3, 8, 2, 30),
        dt.datetime(2020, 1, 1, 1),
    ]
    for zone in ("UTC", "America/New_York"):
        session().conf.set("spark.sql.session.timeZone", zone)
        try:
            types = {"u": "integer", "at": "timestamp"}
            engine = Spark({"t": SparkTable(session(), str(path), types)})
            assert everything(engine) == list(enumerate(moments, 1))
        finally:
            session().conf.unset("spark.sql.session.timeZone")


@pytest.mark.parametrize("sent", [lambda table: table, pl.from_arrow], ids=["arrow", "polars"])
def test_moments_to_the_nanosecond_cannot_say_who_a_row_belongs_to(sent: Any) -> None:
    moments = pa.array([1577836800000000001, 1577836800000000999], pa.timestamp("ns"))
    given = sent(pa.table({"at": moments, "x": [1, 2]}))
    for engine in (DuckDB({"t": given}), Spark({"t": given}, session=session())):
        assert {row[0] for row in everything(engine)} == {dt.datetime(2020, 1, 1)}
        scan = Scan(Table("t", engine.columns("t"), Person("at")))
        with pytest.raises(SourceError, match="cannot say who"):
            engine.totals(Bounded(scan, (), (count_of(),), Norm.L1))


NAMES = ["`", '"', "a b", "${env:HOME}", "X", "x", "c0", "p0", "naïve", "--", "a.b", "\\"]


def test_hostile_names_and_texts_mean_nothing() -> None:
    texts = [*NAMES, "it's", "\\'", "a\\nb", "%_", "{0}", "\n"]
    held = pa.table(dict.fromkeys(NAMES, texts))
    engine = Spark({"t; DROP": session().createDataFrame(held)})
    facts = tuple(column(name, TEXT, Choices(texts[:5])) for name in NAMES)
    scan = Scan(Table("t; DROP", facts, protects=Row()))
    same = [call("eq", Ref(c), Literal(text, TEXT)) for c in scan.columns for text in texts[:3]]
    project = Project(scan, tuple((f"x{at}", e) for at, e in enumerate(same)))
    slow = Reference({"t; DROP": held.to_pylist()})
    assert sorted(engine.rows(project), key=repr) == sorted(slow.rows(project), key=repr)


def test_an_error_of_the_engine_quotes_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    frame = session().sql("SELECT CAST(RAISE_ERROR('secret-value') AS INT) AS x")
    engine = Spark({"t": frame})
    with pytest.raises(SourceError) as caught:
        everything(engine)
    assert "secret" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    assert "secret" not in "".join(capfd.readouterr())


@pytest.mark.parametrize("source", ["/gone/t.parquet", SparkTable(None, "gone.t"), 7, "local[2]"])
def test_a_source_that_cannot_be_read_is_refused(source: object) -> None:
    with pytest.raises(SourceError):
        Spark({"t": source}, session=session())


def test_two_columns_of_one_name_and_a_table_of_another_engine_are_refused() -> None:
    with pytest.raises(SourceError, match="two columns"):
        Spark({"t": session().sql("SELECT 1 AS x, 2 AS x")})
    with pytest.raises(SourceError, match="DuckDB"):
        engine_over({"t": session().range(3), "u": DuckTable("x.duckdb", "u")})


def test_the_engine_is_that_of_the_sources() -> None:
    assert isinstance(engine_over({"t": DATA}), DuckDB)
    assert isinstance(engine_over({"t": session().createDataFrame(DATA), "u": DATA}), Spark)


def test_what_could_be_secret_in_an_address_is_not_shown() -> None:
    for address in ("sc://ann:pw@host:1/;token=pw", "sc://ann:pw@host:1", "sc://host:1/;x=pw"):
        assert is_address(address)
        assert shown(address) == "sc://host:1"


def people(rows: int = 40) -> tuple[Spark, Scan]:
    held = pa.table({"u": [at % 9 for at in range(rows)], "k": [at % 5 for at in range(rows)]})
    held = held.append_column("x", pa.array([at * 3 for at in range(rows)]))
    facts = (column("u", INTEGER), column("k", INTEGER), column("x", INTEGER, Range(0, 99)))
    return Spark({"t": held}, session=session()), Scan(Table("t", facts, protects=Person("u")))


def test_contributions_are_computed_once_and_dropped_when_the_engine_is_closed() -> None:
    engine, scan = people()
    keys = (Ref(scan.columns[1]),)
    before = {table.name for table in session().catalog.listTables()}
    votes = Bounded(scan, keys, (PERSONS,), Norm.L1)
    sums = Bounded(scan, keys, (count_of(), sum_of(Ref(scan.columns[2]))), Norm.L2)
    engine.totals(votes, soon=sums)
    made = {table.name for table in session().catalog.listTables()} - before
    assert len(made) == 1
    engine.totals(sums)
    assert {table.name for table in session().catalog.listTables()} - before == made
    engine.close()
    left = {table.name for table in session().catalog.listTables()}
    assert not left & made
    assert len(left) < len(before)


def counted_by(engine: Spark, key: int = 1, table: str = "t") -> dict[Any, int]:
    """How many rows each key has, of whom one person has one."""
    scan = Scan(Table(table, engine.columns(table), Person(engine.columns(table)[0].name)))
    plan = Bounded(scan, (Ref(scan.columns[key]),), (count_of(),), Norm.L1)
    return {k: n // WHOLE for (k,), (n,) in engine.totals(plan).items()}


def test_a_new_engine_over_a_file_written_anew_reads_the_new_rows_though_the_old_one_is_open(
    tmp_path: Path,
) -> None:
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"u": list(range(20)), "k": [0] * 20}), path)
    old = Spark({"t": SparkTable(session(), str(path))})
    assert counted_by(old) == {0: 20}
    pq.write_table(pa.table({"u": list(range(7)), "k": [1] * 7}), path)
    new = Spark({"t": SparkTable(session(), str(path))})
    assert counted_by(new) == {1: 7}
    assert counted_by(old) == {0: 20}
    new.close()
    old.close()


def persistent() -> Any:
    return session().sparkContext._jsc.getPersistentRDDs()


def lose_all_that_was_computed() -> None:
    """As if every executor of this session were lost: its blocks, and the files of its shuffles."""
    for held in list(persistent().values()):
        held.unpersist(True)
    folder = session().sparkContext.getConf().get("spark.local.dir")
    for part in Path(folder).rglob("shuffle_*"):
        part.unlink()


def test_whoever_exceeds_their_share_once_a_part_is_lost_is_scaled_down(tmp_path: Path) -> None:
    path = tmp_path / "rows.txt"
    path.write_text("".join(f"{at:02d},{at:02d}\n" for at in range(50)))
    read = ("CAST(LEFT(value, 2) AS BIGINT) AS u", "CAST(RIGHT(value, 2) AS BIGINT) AS k")
    engine = Spark({"t": session().read.text(str(path)).selectExpr(*read)})
    scan = Scan(Table("t", engine.columns("t"), Person("u", groups=1, rows_per_group=1)))
    plan = Bounded(scan, (Ref(scan.columns[1]),), (count_of(),), Norm.L1)
    assert sum(n for (n,) in engine.totals(plan).values()) == 50 * WHOLE
    path.write_text("".join(f"07,{at:02d}\n" for at in range(50, 100)))
    lose_all_that_was_computed()
    other = replace(plan, terms=(count_of(Ref(scan.columns[0])),))
    for asked in (plan, other):
        later = {(at,) for at in range(50, 100)}
        assert sum(n for key, (n,) in engine.totals(asked).items() if key in later) <= WHOLE
    engine.close()


def test_contributions_leave_no_blocks_when_the_engine_is_closed() -> None:
    before = set(persistent())
    engine, scan = people()
    engine.totals(Bounded(scan, (Ref(scan.columns[1]),), (count_of(),), Norm.L1))
    assert len(set(persistent()) - before) == 1
    engine.close()
    assert set(persistent()) <= before


def test_a_part_that_is_lost_after_the_first_line_is_told_and_then_computed_anew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    engine, scan = people()
    plan = Bounded(scan, (Ref(scan.columns[1]),), (count_of(),), Norm.L1)
    meant, whole = people()[0].totals(plan), engine.fetched

    def broken(sql: str) -> Iterator[tuple[Any, ...]]:
        yield next(whole(sql))
        told(lambda: int("CHECKPOINT_RDD_BLOCK_ID_NOT_FOUND"))

    monkeypatch.setattr(engine, "fetched", broken)
    with pytest.raises(SourceError, match="executor was lost"):
        engine.totals(plan)
    monkeypatch.undo()
    assert engine.totals(plan) == meant
    engine.close()


def test_tables_that_somebody_else_dropped_are_made_again_and_theirs_are_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    engine, scan = people()
    plan = Bounded(scan, (Ref(scan.columns[1]),), (count_of(),), Norm.L1)
    meant, whole, asked = people()[0].totals(plan), engine.fetched, []

    def dropped_first(sql: str) -> Iterator[tuple[Any, ...]]:
        asked.append(sql)
        if len(asked) == 1:
            engine._kept.close()
        return whole(sql)

    monkeypatch.setattr(engine, "fetched", dropped_first)
    assert engine.totals(plan) == meant
    assert len(asked) == 2
    engine._kept.close(unless_after=0)  # who lost a part before that drops nothing
    assert engine.totals(plan) == meant
    assert len(asked) == 2
    engine.close()


def test_lines_of_tables_that_are_dropped_are_forgotten() -> None:
    engine, scan = people()
    for most in range(8):
        held = Filter(scan, call("le", Ref(scan.columns[2]), Literal(most, INTEGER)))
        engine.totals(Bounded(held, (Ref(scan.columns[1]),), (count_of(),), Norm.L1))
    kept = engine._kept
    assert len(kept._lines) == len(kept._tables) == 4
    engine.close()
    assert not kept._lines


@pytest.mark.parametrize(
    "of",
    [
        lambda rows: rows.selectExpr("id", "RAND() AS x"),
        lambda rows: rows.selectExpr("MONOTONICALLY_INCREASING_ID() AS x"),
        lambda rows: rows.limit(3).where("id > 0"),
        lambda rows: rows.sample(0.5),
        lambda rows: rows.where("id IN (SELECT id FROM RANGE(9) LIMIT 3)"),
    ],
)
def test_rows_that_need_not_come_again_are_refused_until_they_are_held(of: Any) -> None:
    session().range(5).createOrReplaceTempView("five")
    frame = of(session().table("five"))
    with pytest.raises(SourceError, match="when it is read again"):
        Spark({"t": frame})
    Spark({"t": frame.localCheckpoint()}).close()


def test_totals_come_in_parts_of_which_each_has_its_own_keys(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("shoal.engines.spark.engine.BATCH", 2)
    engine, scan = people()
    plan = Bounded(scan, (Ref(scan.columns[1]),), (count_of(),), Norm.L1)
    parts = list(engine.parts(plan))
    assert [len(part) for part in parts] == [2, 2, 1]
    assert {key for part in parts for key in part} == {(k,) for k in range(5)}


def test_rows_without_keys_have_one_part_as_in_every_engine() -> None:
    engine, scan = people()
    nobody = Filter(scan, call("le", Ref(scan.columns[2]), Literal(-1, INTEGER)))
    plan = Bounded(nobody, (Ref(scan.columns[1]),), (count_of(),), Norm.L1)
    assert list(engine.parts(plan)) == [{}]


@pytest.mark.parametrize("unit", [Person("u"), Row()], ids=["persons", "rows"])
def test_very_many_lines_come_in_parts_made_for_the_driver_and_nothing_of_them_is_left(
    unit: Unit, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, scan = people()
    scan = Scan(replace(scan.table, protects=unit))
    plan = Bounded(scan, (Ref(scan.columns[1]),), (count_of(),), Norm.L1)
    meant = people()[0].totals(plan)
    for name, most in (("_FEW", 3), ("_LARGE", 3), ("_PART", 2)):
        monkeypatch.setattr(f"shoal.engines.spark.contributions.{name}", most)
    asked, fetch, before = [], engine.fetched, set(persistent())

    def new() -> int:
        # those of earlier tests may be collected meanwhile, so they are told apart by their numbers
        return len(set(persistent()) - before)

    def seen(sql: str) -> Iterator[tuple[Any, ...]]:
        asked.append((sql, new()))
        return fetch(sql)

    monkeypatch.setattr(engine, "fetched", seen)
    assert engine.totals(plan) == meant
    *few, (parts, held) = asked
    assert [(sql[-7:], cells) for sql, cells in few] == [("LIMIT 4", 1)] * isinstance(unit, Person)
    assert parts.startswith("SELECT /*+ REPARTITION(3) */ * FROM")
    assert held == 1 + isinstance(unit, Person)
    asked.clear()
    assert engine.totals(plan) == meant
    assert len(asked) == 1  # that there are more than few is known by now
    monkeypatch.setattr("shoal.engines.spark.engine.BATCH", 2)
    lines = engine.parts(plan)
    next(lines)
    lines.close()  # type: ignore[attr-defined]
    assert new() == isinstance(unit, Person)
    engine.close()
    assert new() == 0


def votes_and_totals(scan: Scan, norm: Norm = Norm.L1) -> tuple[Bounded, Bounded]:
    """What is asked where keys are private: the votes of groups, and then their totals."""
    key, value = (Ref(column) for column in scan.columns[1:3])
    votes = votes_of(4)
    return (
        Bounded(scan, (key,), (votes,), norm),
        Bounded(scan, (key,), (count_of(), sum_of(value), votes), norm),
    )


@pytest.mark.parametrize("few", [1 << 16, 5, 4], ids=["few", "just few", "more"])
def test_what_is_asked_next_of_the_same_groups_is_found_with_it_where_lines_are_few(
    few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, scan = people()
    votes, totals = votes_and_totals(scan)
    alone = [people()[0].totals(plan) for plan in (votes, totals)]
    monkeypatch.setattr("shoal.engines.spark.contributions._FEW", few)
    monkeypatch.setattr("shoal.engines.spark.contributions._MOST_LINES", 2 * few)
    asked, fetch = list[str](), engine.fetched

    def seen(sql: str) -> Iterator[tuple[Any, ...]]:
        asked.append(sql)
        return fetch(sql)

    monkeypatch.setattr(engine, "fetched", seen)
    assert [engine.totals(votes, soon=totals), engine.totals(totals)] == alone
    assert len(asked) == (1 if few >= len(alone[0]) else 3)


def test_plans_of_other_bounds_are_found_apart() -> None:
    engine, scan = people()
    votes, _ = votes_and_totals(scan)
    _, totals = votes_and_totals(scan, Norm.L2)
    alone = [people()[0].totals(plan) for plan in (votes, totals)]
    assert [engine.totals(votes, soon=totals), engine.totals(totals)] == alone
    assert len(engine._kept._lines) == 2
    elsewhere = replace(totals, relation=Scan(replace(scan.table, name="other")))
    assert engine.totals(votes, soon=elsewhere) == alone[0]


def test_of_two_tables_that_would_do_the_same_is_taken_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    engine, scan = people()
    key, value = (Ref(column) for column in scan.columns[1:3])
    for term in (sum_of(value), count_of(value)):
        engine.totals(Bounded(scan, (key,), (term,), Norm.L1))
    asked, fetch = list[str](), engine.fetched

    def seen(sql: str) -> Iterator[tuple[Any, ...]]:
        asked.append(sql)
        return fetch(sql)

    monkeypatch.setattr(engine, "fetched", seen)
    rows = Bounded(scan, (key,), (count_of(),), Norm.L1)
    assert engine.totals(rows) == engine.totals(rows) == engine.totals(rows)
    assert len(asked) == 1


def test_weights_of_groups_that_are_not_wanted_do_not_come_to_the_driver(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    engine, scan = people(900)
    spread = Spread(scan, (Ref(scan.columns[1]),), Ref(scan.columns[2]), Norm.L1, grid=None)
    whole, fetch, came = engine.weights(spread), engine.fetched, list[tuple[Any, ...]]()

    def seen(sql: str) -> Iterator[tuple[Any, ...]]:
        for line in fetch(sql):
            came.append(line)
            yield line

    monkeypatch.setattr(engine, "fetched", seen)
    assert engine.weights(replace(spread, only=((3,), (99,)))) == {(3,): whole[(3,)]}
    assert len(came) == len(whole[(3,)]) + 1  # the number of rows
    came.clear()
    assert engine.weights(replace(spread, only=())) == {}
    assert not came
    monkeypatch.setattr("shoal.engines.spark.engine.most_added", lambda _: 899)
    with pytest.raises(SourceError, match="more than 899 rows"):
        engine.weights(replace(spread, only=((3,),), grid=points_of(Ref(scan.columns[2]))))


def test_a_table_of_too_many_rows_is_not_brought_to_the_driver(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("shoal.engines.spark.engine.MOST_ROWS", 4)
    assert len(everything(Spark({"t": session().range(4)}))) == 4
    with pytest.raises(SourceError, match="more than 4 rows"):
        everything(Spark({"t": session().range(5)}))


def test_more_rows_than_sums_are_exact_for_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shoal.engines.spark.engine.most_added", lambda _: 39)
    engine, scan = people(40)
    plan = Bounded(scan, (Ref(scan.columns[1]),), (count_of(),), Norm.L1)
    with pytest.raises(SourceError, match="more than 39 rows"):
        engine.totals(plan)


def test_content_is_the_same_in_any_order_and_other_with_any_other_row() -> None:
    frame = session().createDataFrame(DATA)
    said = content_of(Spark({"t": frame}), "t")
    assert content_of(Spark({"t": frame.repartition(7).orderBy("age")}), "t") == said
    for other in (
        frame.union(frame),
        frame.where("age > 7"),
        frame.selectExpr("name", "age + 1 AS age", "spend"),
    ):
        assert content_of(Spark({"t": other}), "t") != said


def test_a_question_whose_jobs_are_cancelled_is_refused_and_the_session_goes_on() -> None:
    slow = session().range(0, 1 << 44, 1, 4).selectExpr("id AS u", "id % 7 AS k")
    engine = Spark({"t": slow})
    facts = (column("u", INTEGER), column("k", INTEGER))
    plan = Bounded(
        Scan(Table("t", facts, protects=Row())), (Ref(facts[1]),), (count_of(),), Norm.L1
    )
    tracker, failed = session().sparkContext.statusTracker(), []

    def ask() -> None:
        try:
            engine.totals(plan)
        except SourceError as error:
            failed.append(error)

    asking = threading.Thread(target=ask)
    asking.start()
    while not tracker.getActiveJobsIds() and asking.is_alive():
        pass
    session().sparkContext.cancelAllJobs()
    asking.join(60)
    assert failed
    assert session().range(5).count() == 5


def test_an_interrupt_cancels_the_job_group_of_the_question(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    engine, _ = people()
    groups: list[str] = []
    context = session().sparkContext
    monkeypatch.setattr(type(context), "cancelJobGroup", lambda _, group: groups.append(group))
    lines = engine.fetched("SELECT id FROM RANGE(10)")
    next(lines)
    held = context.getLocalProperty("spark.jobGroup.id")
    with pytest.raises(KeyboardInterrupt):
        lines.throw(KeyboardInterrupt())  # type: ignore[attr-defined]
    assert groups == [held]
    assert context.getLocalProperty("spark.jobGroup.id") is None


def test_progress_is_told_by_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shoal.engines.spark.running._LOOK", 0.01)
    told: list[tuple[int, int]] = []
    frame = session().range(0, 1 << 26, 1, 4)
    engine = Spark({"t": frame}, progress=lambda done, total: told.append((done, total)))
    list(engine.fetched(f"SELECT SUM(n6964 % 977) FROM {engine.view('t')}"))
    assert told
    assert all(0 <= done <= total for done, total in told)


@pytest.mark.parametrize("needed", ["", "1"])
def test_without_java_tests_are_skipped_or_fail_where_spark_is_demanded(
    monkeypatch: pytest.MonkeyPatch, needed: str
) -> None:
    monkeypatch.setenv("PATH", os.devnull)
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("SHOAL_NEED_SPARK", needed)
    assert not spark_session.has_java()
    assert spark_session.is_left_out() is (not needed)
