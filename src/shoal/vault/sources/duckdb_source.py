"""Rows in a table of a DuckDB file, as its own catalogue spells it: one table has one name, and a
view is no table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from shoal.engines.duckdb import DuckTable
from shoal.engines.duckdb.connection import opened
from shoal.errors import SourceError
from shoal.plan import Type
from shoal.vault.sources.data_source import DataSource, Overlap
from shoal.vault.sources.file_source import FileSource

_NAMES = """
SELECT table_name AS name, 'table' AS kind FROM duckdb_tables()
WHERE database_name = 'held' AND schema_name = 'main'
UNION ALL
SELECT view_name AS name, 'view' AS kind FROM duckdb_views()
WHERE database_name = 'held' AND schema_name = 'main' AND NOT internal
ORDER BY name
"""


@dataclass(frozen=True)
class DuckDBSource(FileSource):
    """A table of a DuckDB file."""

    def overlaps(self, other: DataSource, secret: bytes) -> Overlap:
        """Whether both are in one file, which may hold several tables."""
        found = super().overlaps(other, secret)
        is_other = isinstance(other, DuckDBSource) and other.table != self.table
        return Overlap.FILE if is_other and found is Overlap.TABLE else found

    def check_settled(self) -> None:
        """Refuse a file with a log beside it: rows in the log are read, and are not in the file."""
        log = self.path.with_name(f"{self.path.name}.wal")
        if log.exists():
            raise SourceError(
                f"{self.path.name} has changes that are not in the file yet: {log.name} lies beside it.",
                remedy="Let whoever writes to it run CHECKPOINT and close it, and try again.",
            )

    def for_engine(self, types: Mapping[str, Type] | None = None) -> object:  # noqa: ARG002 - the table says them
        """What an engine is given."""
        return DuckTable(self._reached, self.table or "")


def table_in(path: Path, table: str) -> str:
    """The table that is meant, in the spelling of the catalogue; views and what is not there are
    refused.
    """
    kinds = _names_in(path)
    meant = next((name for name in kinds if name.lower() == str(table).lower()), None)
    tables = [name for name, kind in kinds.items() if kind == "table"]
    if meant in tables:
        return str(meant)
    raise SourceError(
        f"{str(table)[:60]!r} is {'a view' if meant else 'not a table'} of {path.name}; rows are kept in tables.",
        remedy=f"Name one of its tables: {', '.join(tables)}."
        if tables
        else "Make a table of the rows first: CREATE TABLE ... AS SELECT ...",
    )


def _names_in(path: Path) -> dict[str, str]:
    import duckdb  # noqa: PLC0415 - heavy

    quoted = str(path).replace("'", "''")
    try:
        with opened(threads=1) as connection:
            connection.execute(f"ATTACH '{quoted}' AS held (READ_ONLY)")
            return dict(connection.execute(_NAMES).fetchall())
    except duckdb.Error as error:
        raise SourceError(
            f"{path.name} cannot be opened as a DuckDB file ({type(error).__name__}).",
            remedy="Check that it is one, and that nobody has it open for writing.",
        ) from None
