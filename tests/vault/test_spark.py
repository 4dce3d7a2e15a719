"""Tables of Spark in a vault: declared, asked, known again by their content, and refused when they
changed.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.engines.spark_session import needs_java, session
from typer.testing import CliRunner

import shoal
from shoal.cli import app
from shoal.engines.spark import SparkTable
from shoal.errors import ChangedError, SourceError, VaultError
from shoal.vault.sources import SparkSource, source_from, source_of
from shoal.vault.sources.spark_source import _FRAMES

pytestmark = needs_java

DATA = pa.table({"user": [at % 20 for at in range(200)], "city": ["Graz", "Linz"] * 100})
SAID: dict[str, Any] = {
    "protects": shoal.Person("user", groups=2, rows_per_group=10),
    "columns": {"city": shoal.Choices(["Graz", "Linz"])},
    "required": ["city"],
    "budget": shoal.Pure(100),
}
QUESTION = "SELECT city, COUNT(*) AS n FROM visits GROUP BY city"


def near(answer: Any) -> bool:
    """Whether an answer at a large epsilon is that of the rows."""
    return all(abs(row["n"] - 100) < 20 for row in answer.to_arrow().to_pylist())


def test_a_frame_is_asked_and_handed_over_again_by_whoever_opens_the_vault(tmp_path: Path) -> None:
    frame = session().createDataFrame(DATA)
    place = tmp_path / "office.shoal"
    with shoal.open(place) as vault:
        vault.add("visits", frame, **SAID)
        assert near(vault.sql(QUESTION).release(epsilon=20))
    _FRAMES.clear()
    with shoal.open(place) as vault:
        with pytest.raises(SourceError, match="another process"):
            vault.sql(QUESTION).release(epsilon=10)
        assert vault.budget("visits").accounts[0].spent == shoal.Pure(20)
        made = vault.update("visits", path=frame.repartition(5))
        assert (made.version, made.accounts) == (1, ("visits",))
        assert near(vault.sql(QUESTION).release(epsilon=10))
        with pytest.raises(VaultError, match="who is in them now"):
            vault.update("visits", path=frame.where("user < 5"))


def test_a_path_that_spark_reads_is_known_again_and_refused_when_it_was_written(
    tmp_path: Path,
) -> None:
    rows = tmp_path / "visits.parquet"
    pq.write_table(DATA, rows)
    with shoal.open(tmp_path / "office.shoal") as vault:
        vault.add("visits", SparkTable(session(), str(rows)), **SAID)
        assert near(vault.sql(QUESTION).release(epsilon=20))
        copied = vault.add("copy", session().read.parquet(str(rows)), **SAID)
        assert copied.accounts == ("visits",)
        pq.write_table(DATA.slice(1), rows)
        with pytest.raises(ChangedError):
            vault.sql(QUESTION).release(epsilon=20)


def test_an_address_is_kept_without_what_is_secret_in_it() -> None:
    made = source_of("sc://ann:pw@host:15002/;token=pw", "db.visits")
    assert made == SparkSource("db.visits", "sc://host:15002")
    assert source_from(made.to_dict()) == made
    assert "pw" not in f"{made!r} {made} {made.to_dict()}"
    with pytest.raises(SourceError, match="needs a table"):
        source_of("sc://host:15002")


def test_a_declaration_of_a_table_of_spark_is_read_back(tmp_path: Path) -> None:
    rows = tmp_path / "visits.parquet"
    pq.write_table(DATA, rows)
    with shoal.open(tmp_path / "office.shoal") as vault:
        vault.add("visits", "local[2]", table=str(rows), **SAID)
        (tmp_path / "visits.toml").write_text(vault.to_toml("visits"))
    assert 'spark = "local[2]"' in (tmp_path / "visits.toml").read_text()
    with shoal.open(tmp_path / "other.shoal") as vault:
        made = vault.add_from(tmp_path / "visits.toml")
        assert str(made.location) == f"{rows}, read by Spark at local[2]"


def test_after_an_update_the_new_rows_answer_and_nothing_that_was_kept_of_the_old(
    tmp_path: Path,
) -> None:
    rows = tmp_path / "visits.parquet"
    pq.write_table(DATA, rows)
    with shoal.open(tmp_path / "office.shoal") as vault:
        vault.add("visits", SparkTable(session(), str(rows)), **SAID)
        assert near(vault.sql(QUESTION).release(epsilon=20))
        pq.write_table(DATA.slice(0, 20), rows)
        vault.update("visits", relation="new people", budget=shoal.Pure(100))
        found = vault.sql(QUESTION).release(epsilon=20).to_arrow().to_pylist()
        assert all(abs(row["n"] - 10) < 20 for row in found)


def test_nothing_of_a_vault_stays_in_the_session_after_it_is_closed(tmp_path: Path) -> None:
    before = {each.name for each in session().catalog.listTables()}
    rows = tmp_path / "visits.parquet"
    pq.write_table(DATA, rows)
    with shoal.open(tmp_path / "office.shoal") as vault:
        vault.add("visits", SparkTable(session(), str(rows)), **SAID)
        vault.grant("ana", "visits", shoal.Pure(50))
        vault.sql(QUESTION).release(epsilon=20)
        vault.as_("ana").sql(QUESTION).release(epsilon=10)
        pq.write_table(pa.table({"city": ["Graz"]}), tmp_path / "towns.parquet")
        vault.add("towns", SparkTable(session(), str(tmp_path / "towns.parquet")), public=True)
    assert {each.name for each in session().catalog.listTables()} == before


def test_rows_behind_a_frame_that_changed_are_not_read(tmp_path: Path) -> None:
    rows = tmp_path / "rows.txt"
    rows.write_text("".join(f"{at:02d},Graz\n" for at in range(20)))
    read = session().read.text(str(rows))
    frame = read.selectExpr("CAST(LEFT(value, 2) AS BIGINT) AS user", "SUBSTRING(value, 4) AS city")
    with shoal.open(tmp_path / "office.shoal") as vault:
        vault.add("visits", frame.distinct(), **SAID)
        vault.sql(QUESTION).release(epsilon=20)
        rows.write_text("".join(f"{at:02d},Linz\n" for at in range(40, 60)))
        with pytest.raises(ChangedError, match="Nothing was read or spent"):
            vault.sql(QUESTION.replace("FROM visits", "FROM visits WHERE user > 1")).release(
                epsilon=20
            )
        assert vault.budget("visits").accounts[0].spent == shoal.Pure(20)


def test_a_list_that_a_frame_or_a_view_is_joined_with_counts_as_its_content(tmp_path: Path) -> None:
    one, other = tmp_path / "a.parquet", tmp_path / "b.parquet"
    pq.write_table(DATA, one)
    pq.write_table(pa.table({"user": list(range(20))}), other)
    for at in (one, other):
        os.utime(at, (1, 1))
    read = session().read
    joined = read.parquet(str(one)).join(read.parquet(str(other)), "user", "left_semi")
    joined.createOrReplaceTempView("semi")
    try:
        for name, source in (("frame", joined), ("view", SparkTable(session(), "semi"))):
            pq.write_table(pa.table({"user": list(range(20))}), other)
            with shoal.open(tmp_path / f"{name}.shoal") as vault:
                vault.add("visits", source, **SAID)
                pq.write_table(pa.table({"user": [1, 3]}), other)
                with pytest.raises((ChangedError, SourceError)):
                    vault.sql(QUESTION).release(epsilon=20)
    finally:
        session().catalog.dropTempView("semi")


def test_a_frame_has_no_declaration_to_be_read_back(tmp_path: Path) -> None:
    with shoal.open(tmp_path / "office.shoal") as vault:
        vault.add("visits", session().createDataFrame(DATA), **SAID)
        with pytest.raises(VaultError, match="lies nowhere"):
            vault.to_toml("visits")


def test_a_dataset_moves_to_another_table_of_spark_at_the_command(tmp_path: Path) -> None:
    one, other = tmp_path / "one.parquet", tmp_path / "other.parquet"
    for path in (one, other):
        pq.write_table(DATA, path)
    place = tmp_path / "office.shoal"
    with shoal.open(place) as vault:
        vault.add("visits", "local[2]", table=str(one), **SAID)
    typed = ["update", "visits", "--vault", str(place), "--table", str(other)]
    done = CliRunner().invoke(app, typed)
    assert done.exit_code == 0, done.output
    with shoal.open(place) as vault:
        made = vault.dataset("visits")
        assert (made.version, str(made.location)) == (1, f"{other}, read by Spark at local[2]")
