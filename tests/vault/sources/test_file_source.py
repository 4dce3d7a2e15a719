"""Reading and checking are one act: what is hashed is what is read, and dates are believed only
once they prove something.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import duckdb
import pyarrow as pa
import pytest
from pyarrow import csv, parquet

import shoal
from shoal.engines.duckdb import DuckDB
from shoal.errors import ChangedError, SourceError, UnansweredError
from shoal.vault import Vault
from shoal.vault.sources import FileSource, source_of

ROW: Any = {"protects": shoal.Row(), "budget": shoal.Pure(1000)}
COUNT = "SELECT COUNT(*) AS n FROM t"
OWN, OTHER = 1000, 20


def _folder(path: Path, rows: int) -> Any:
    path.mkdir()
    parquet.write_table(pa.table({"x": range(rows)}), path / "a.parquet")
    return path


def _parquet(path: Path, rows: int) -> Any:
    parquet.write_table(pa.table({"x": range(rows)}), path.with_suffix(".parquet"))
    return path.with_suffix(".parquet")


def _csv(path: Path, rows: int) -> Any:
    csv.write_csv(pa.table({"x": range(rows)}), path.with_suffix(".csv"))
    return shoal.CsvFile(path.with_suffix(".csv"), {"x": "integer"})


def _database(path: Path, rows: int) -> Any:
    with duckdb.connect(str(path.with_suffix(".duckdb"))) as connection:
        connection.execute(f"CREATE TABLE t AS SELECT range AS x FROM range({rows})")
    return path.with_suffix(".duckdb")


KINDS: dict[str, Callable[[Path, int], Any]] = {
    "folder": _folder,
    "parquet": _parquet,
    "csv": _csv,
    "duckdb": _database,
}


def _path(source: Any) -> Path:
    return source.path if isinstance(source, shoal.CsvFile) else source


def swapping(own: Path, other: Path, names: list[str]) -> Any:
    """Put another folder or file in the place of one while rows are read, and put it back."""

    def swapped(name: str) -> Any:
        plain = getattr(DuckDB, name)

        def act(self: DuckDB, *arguments: Any, **options: Any) -> Any:
            aside = own.with_name(f"aside-{own.name}")
            own.rename(aside)
            other.rename(own)
            try:
                return plain(self, *arguments, **options)
            finally:
                own.rename(other)
                aside.rename(own)

        return act

    return patch.multiple(DuckDB, **{name: swapped(name) for name in names})


def released(vault: Vault, epsilon: int) -> int | None:
    """About how many rows were counted; None if the question was refused."""
    try:
        ((count,),) = vault.sql(f"{COUNT} WHERE x > -{epsilon}").release(epsilon=epsilon).rows
    except (ChangedError, SourceError, UnansweredError):
        return None
    assert isinstance(count, int)
    return count


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("opened", [True, False])
def test_rows_never_come_from_what_lay_at_the_path_for_a_moment(
    kind: str, opened: bool, tmp_path: Path
) -> None:
    own = KINDS[kind](tmp_path / "own", OWN)
    other = KINDS[kind](tmp_path / "other", OTHER)
    vault = shoal.open(tmp_path / "v.shoal")
    vault.add("t", own, **ROW, table="t" if kind == "duckdb" else None)
    if opened:
        assert abs((released(vault, 100) or 0) - OWN) < 50
    with swapping(_path(own), _path(other), ["totals"]):
        found = released(vault, 101)
    assert found is None or abs(found - OWN) < 50
    assert abs((released(vault, 102) or 0) - OWN) < 50


def test_a_file_of_a_folder_that_is_swapped_and_put_back_is_noticed(tmp_path: Path) -> None:
    own, other = _folder(tmp_path / "own", OWN), _folder(tmp_path / "other", OTHER)
    vault = shoal.open(tmp_path / "v.shoal")
    vault.add("t", own, **ROW)
    assert released(vault, 100) is not None
    with swapping(own / "a.parquet", other / "a.parquet", ["totals"]):
        found = released(vault, 101)
    assert found is None or abs(found - OWN) < 50


def test_a_folder_that_is_swapped_while_it_is_registered_is_refused_or_read_whole(
    tmp_path: Path,
) -> None:
    own = _folder(tmp_path / "own", OWN)
    other = tmp_path / "other"
    other.mkdir()
    parquet.write_table(pa.table({"x": ["a"], "name": ["b"]}), other / "a.parquet")
    vault = shoal.open(tmp_path / "v.shoal")

    identity = FileSource.identity

    def swapped(*arguments: Any) -> Any:
        own.rename(tmp_path / "aside")
        other.rename(own)
        try:
            return identity(*arguments)
        finally:
            own.rename(other)
            (tmp_path / "aside").rename(own)

    with patch.object(FileSource, "identity", swapped):
        vault.add("t", own, **ROW)
    assert abs((released(vault, 100) or 0) - OWN) < 50


def test_a_handle_reads_what_was_opened_wherever_it_is_moved(tmp_path: Path) -> None:
    own = source_of(_folder(tmp_path / "own", OWN))
    assert isinstance(own, FileSource)
    with own.open() as held:
        before = held.dates()
        (tmp_path / "own").rename(tmp_path / "moved")
        _folder(tmp_path / "own", OTHER)
        assert held.dates() == before != own.dates()


def test_dates_are_kept_only_if_they_were_settled_before_the_hashing_began(tmp_path: Path) -> None:
    place = source_of(_parquet(tmp_path / "own", OWN))
    ((_, written, changed, _),) = place.dates()
    newest = max(written, changed)
    slow = itertools.chain([newest + 10**9], itertools.repeat(newest + 10**10))
    with patch("shoal.vault.sources.file_source.time.time_ns", lambda: next(slow)):
        assert place.identity(b"key").dates == ()
    with patch("shoal.vault.sources.file_source.time.time_ns", lambda: newest + 10**10):
        assert place.identity(b"key").dates == place.dates()


def test_a_fresh_file_that_changes_without_a_later_date_is_found_in_the_same_session(
    tmp_path: Path,
) -> None:
    path = _path(_csv(tmp_path / "own", OWN))
    vault = shoal.open(tmp_path / "v.shoal")
    vault.add("t", shoal.CsvFile(path, {"x": "integer"}), **ROW)
    now = 4 * 10**18
    # the clock of the disk stands still: whatever is written has the date of before
    with patch.object(FileSource, "dates", lambda _: ((0, now, now, 0),)):
        assert released(vault, 100) is not None
        path.write_text(path.read_text().replace("7", "8"))
        with pytest.raises(ChangedError):
            vault.sql(COUNT).release(epsilon=101)
