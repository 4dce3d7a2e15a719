"""No budget is had twice through Spark: one file, folder, table or frame is one place, however it
is spelled.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.engines.spark_session import needs_java, session
from tests.vault.test_spark import DATA, QUESTION, SAID, near

import shoal
from shoal.engines.spark import SparkTable
from shoal.errors import SourceError, VaultError
from shoal.vault.sources import SparkSource, source_of
from shoal.vault.sources.spark_paths import parts_of

pytestmark = needs_java

SECRET = b"a secret"


def written(folder: Path, name: str = "visits.parquet", data: pa.Table = DATA) -> str:
    pq.write_table(data, folder / name)
    return str(folder / name)


def test_private_rows_cannot_be_called_public_through_spark(tmp_path: Path) -> None:
    rows = written(tmp_path)
    towns = written(tmp_path, "towns.parquet", pa.table({"city": ["Graz", "Linz"]}))
    with shoal.open(tmp_path / "office.shoal") as vault:
        vault.add("visits", rows, **SAID)
        for source in (
            SparkTable(session(), rows),
            SparkTable(session(), f"file:{rows}"),
            session().read.parquet(rows).select("city"),
        ):
            with pytest.raises(VaultError, match="which is private"):
                vault.add("open", source, public=True)
        with pytest.raises(VaultError, match="may be computed from 'visits'"):
            vault.add("open", session().createDataFrame([("Graz",)], ["city"]), public=True)
        assert vault.add("towns", SparkTable(session(), towns), public=True).public


@pytest.mark.parametrize("through_spark", [False, True])
def test_other_rows_of_a_file_need_a_word_on_who_is_in_them(
    *, through_spark: bool, tmp_path: Path
) -> None:
    rows = written(tmp_path)
    read = session().read.parquet(rows)
    with shoal.open(tmp_path / "office.shoal") as vault:
        vault.add("visits", SparkTable(session(), rows) if through_spark else rows, **SAID)
        for source in (
            read.selectExpr("city", "user", "1 AS one"),
            read.localCheckpoint().where("user > 1"),
            SparkTable(session(), written(tmp_path, "other.parquet", DATA.slice(1)))
            if not through_spark
            else written(tmp_path, "other.parquet", DATA.slice(1)),
        ):
            with pytest.raises(VaultError, match="are the same people in the new dataset"):
                vault.add("again", source, **SAID)
        made = vault.add("again", read.where("user > 1"), shares="visits", **SAID)
        assert made.accounts == ("visits",)
        other = vault.add("other", read.where("user > 2"), relation="new people", **SAID)
        assert other.accounts == ("other",)


def test_a_frame_with_its_columns_in_another_order_is_the_same_content(tmp_path: Path) -> None:
    frame = session().createDataFrame(DATA)
    with shoal.open(tmp_path / "office.shoal") as vault:
        vault.add("visits", frame, **SAID)
        assert vault.add("again", frame.select("city", "user"), **SAID).accounts == ("visits",)


def test_a_file_beside_a_private_frame_needs_a_word_on_who_is_in_it(tmp_path: Path) -> None:
    with shoal.open(tmp_path / "office.shoal") as vault:
        vault.add("visits", session().createDataFrame(DATA), **SAID)
        with pytest.raises(VaultError, match="it cannot be told whether rows of 'visits'"):
            vault.add("again", written(tmp_path), **SAID)


def test_folders_files_tables_and_frames_over_them_meet_both_ways(tmp_path: Path) -> None:
    folder = tmp_path / "fold er"
    folder.mkdir()
    file = written(folder, "a.parquet")
    beside = SparkSource(written(tmp_path, "b.parquet")).looked_at(SECRET)
    session().read.parquet(file).write.mode("overwrite").saveAsTable("meeting")
    try:
        table = SparkSource("meeting").looked_at(SECRET)
        (part, *_) = session().table("meeting").inputFiles()
        same: list[tuple[Any, Any]] = [
            (source_of(folder), SparkSource(file)),
            (SparkSource(str(folder)), SparkSource(file)),
            (source_of(file), SparkSource(f"file://{file}")),
            (
                source_of(file),
                SparkSource("f", form="frame", held=session().read.parquet(file)),
            ),
            (table, SparkSource(part.rpartition("/")[0])),
            (table, SparkSource(part)),
            (table, SparkSource("f", form="frame", held=session().table("meeting"))),
        ]
        for one, other in same:
            seen = other.looked_at(SECRET)
            assert one.overlaps(seen, SECRET).meets
            assert seen.overlaps(one.looked_at(SECRET), SECRET).meets
            assert not seen.overlaps(beside, SECRET).meets
        assert table.listed
    finally:
        session().sql("DROP TABLE meeting")


@pytest.mark.parametrize(
    "name", ["default.visits", "spark_catalog.default.visits", "`visits`", "`Default`.VISITS"]
)
def test_a_table_is_one_place_however_its_name_is_written(name: str) -> None:
    assert SparkSource("visits").overlaps(SparkSource(name), SECRET).meets
    assert SparkSource(name).overlaps(SparkSource("visits"), SECRET).meets
    assert not SparkSource("db.visits").overlaps(SparkSource("other.visits"), SECRET).meets


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("hdfs:///lake/x", "hdfs://name:8020/lake/x"),
        ("s3://lake/x", "s3a://lake/x/"),
        ("file:/data/x", "/data//x"),
        ("abfss://box@account.dfs/x", "abfs://box@account.dfs/x"),
    ],
)
def test_a_path_is_one_place_however_it_is_written(one: str, other: str) -> None:
    assert parts_of(one) == parts_of(other)


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("/data/*.parquet", "stands for many"),
        ("s3a://KEY:SECRET@bucket/x", "user or a password"),
        ("s3a://KEY:SEC/RET@bucket/x", "user or a password"),
        ("s3a://KEY@bucket/x", "user or a password"),
        ("jdbc:postgresql://host/db", "not a path"),
        ("gone.parquet", "may be a file"),
        ("a..b", "cannot be read"),
    ],
)
def test_a_place_that_cannot_be_told_or_holds_a_secret_is_refused(table: str, words: str) -> None:
    with pytest.raises(SourceError, match=words) as refusal:
        source_of("local[2]", table)
    assert "SEC" not in str(refusal.value)


def test_a_file_with_a_scheme_is_that_file(tmp_path: Path) -> None:
    made = source_of("local[2]", f"file:{tmp_path}/x.parquet")
    assert made.table == f"{tmp_path}/x.parquet"
    assert made.holds(tmp_path / "x.parquet", SECRET)
    assert not made.holds(tmp_path / "y.parquet", SECRET)


def test_a_refused_update_leaves_the_frame_that_was_declared(tmp_path: Path) -> None:
    with (
        shoal.open(tmp_path / "office.shoal") as vault,
        shoal.open(tmp_path / "other.shoal") as other,
    ):
        vault.add("visits", session().createDataFrame(DATA), **SAID)
        with pytest.raises(VaultError, match="who is in them now"):
            vault.update("visits", path=session().createDataFrame(DATA.slice(1)))
        other.add("visits", session().createDataFrame(DATA.slice(7)), **SAID)
    with shoal.open(tmp_path / "office.shoal") as vault:
        assert near(vault.sql(QUESTION).release(epsilon=20))


def test_nothing_that_is_kept_of_a_place_tells_an_analyst_of_files(tmp_path: Path) -> None:
    rows = written(tmp_path)
    with shoal.open(tmp_path / "office.shoal") as vault:
        made = vault.add("visits", session().read.parquet(rows), **SAID)
        assert isinstance(made.location, SparkSource)
        assert made.location.reads
        told = vault.as_("ana").dataset("visits").location
        assert isinstance(told, SparkSource)
        assert (told.reads, told.above, told.key) == (frozenset(), frozenset(), "")
        assert "reads" not in made.location.to_dict()
