"""Tables of Spark in a vault: declared, asked, known again by their content, and refused when they changed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.engines.spark_session import needs_java, session

import shoal
from shoal.engines.spark import SparkTable
from shoal.errors import ChangedError, SourceError, VaultError
from shoal.vault.location import location_from, location_of
from shoal.vault.spark_location import _FRAMES, SparkLocation

pytestmark = [needs_java, pytest.mark.xdist_group("spark")]

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
    made = location_of("sc://ann:pw@host:15002/;token=pw", "db.visits")
    assert made == SparkLocation("db.visits", "sc://host:15002")
    assert location_from(made.to_dict()) == made
    assert "pw" not in f"{made!r} {made} {made.to_dict()}"
    with pytest.raises(SourceError, match="needs a table"):
        location_of("sc://host:15002")


def test_one_table_is_one_place_whatever_the_address_and_a_path_meets_its_files(
    tmp_path: Path,
) -> None:
    one, other = (SparkLocation("db.Visits", address) for address in ("sc://a", "local[2]"))
    assert one.meets(other)
    assert not one.meets(SparkLocation("db.patients", "sc://a"))
    rows = tmp_path / "visits.parquet"
    pq.write_table(DATA, rows)
    file, folder = location_of(rows), SparkLocation(f"{tmp_path}/")
    assert folder.meets(file)
    assert file.meets(folder)
    assert folder.holds(rows)
    assert not one.holds(rows)


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
