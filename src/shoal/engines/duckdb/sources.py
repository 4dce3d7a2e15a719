"""Where rows may come from: files, frames, Arrow tables, and tables of a DuckDB database."""

from __future__ import annotations

import glob
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.engines.frames import KINDS, as_arrow
from shoal.errors import SourceError

if TYPE_CHECKING:
    import duckdb


@dataclass(frozen=True)
class DuckTable:
    """A table of a DuckDB database: a file, opened for reading only, or a connection that is open."""

    database: Any
    table: str


@dataclass(frozen=True)
class FileOf:
    """Files that DuckDB reads itself."""

    reader: str
    paths: tuple[str, ...]

    @property
    def sql(self) -> str:
        listed = ", ".join("'" + path.replace("'", "''") + "'" for path in self.paths)
        return f"{self.reader}([{listed}])"


Readable = FileOf | DuckTable | Any
"""What a source becomes before it is read: files, a table of a database, or an Arrow table."""


def readable(source: object, name: str) -> Readable:
    """A source as something DuckDB can read; refused in words that quote nothing of its contents."""
    if isinstance(source, str | Path):
        return _files(str(source), name)
    if isinstance(source, DuckTable):
        return source
    return as_arrow(source, name)


def _files(path: str, name: str) -> FileOf:
    readers = {".parquet": "read_parquet", ".csv": "read_csv", ".tsv": "read_csv"}
    suffix = Path(path.removesuffix(".gz")).suffix.lower()
    if suffix not in readers:
        raise SourceError(
            f"the source of {name!r} is not a kind of file that can be read.",
            remedy=f"Give {KINDS}.",
        )
    held = Path(path)
    paths = [str(held)] if held.is_file() else sorted(glob.glob(path))  # noqa: PTH207 - absolute too
    if not paths:
        raise SourceError(
            f"the file of {name!r} is not there.", remedy="Check the path, or give an absolute one."
        )
    return FileOf(readers[suffix], tuple(str(Path(each).resolve()) for each in paths))


def attach(connection: duckdb.DuckDBPyConnection, source: Readable, name: str, at: int) -> str:
    """Make a source known to a connection; how it is written in FROM."""
    if isinstance(source, FileOf):
        return source.sql
    if not isinstance(source, DuckTable):
        connection.register(f"shoal_arrow_{at}", source)
        return f"shoal_arrow_{at}"
    table = '"' + source.table.replace('"', '""') + '"'
    if not isinstance(source.database, str | Path):
        return table
    path = Path(source.database)
    if not path.is_file():
        raise SourceError(f"the database of {name!r} is not there.", remedy="Check the path.")
    quoted = str(path.resolve()).replace("'", "''")
    connection.execute(f"ATTACH '{quoted}' AS shoal_database_{at} (READ_ONLY)")
    return f"shoal_database_{at}.{table}"
