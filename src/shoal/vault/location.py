"""Where rows lie: a file, a folder of Parquet files, a table of a DuckDB file, or what Spark reads.  Only the place is kept, never a row."""

from __future__ import annotations

import glob
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from shoal.engines.csv_file import CsvFile
from shoal.engines.duckdb import DuckTable
from shoal.engines.duckdb.sources import FileOf
from shoal.engines.spark.connection import is_address
from shoal.engines.spark.sources import is_sparks
from shoal.errors import SourceError, VaultError
from shoal.plan import Type
from shoal.vault.catalogue import table_in
from shoal.vault.spark_location import SparkLocation, spark_location_of

_KINDS = {".parquet": "parquet", ".csv": "csv", ".tsv": "csv"}
_DATA = (*_KINDS, ".json", ".xlsx", ".toml")
_DATABASES = {".duckdb", ".ddb", ".db"}
_WAYS = (
    "Give a .parquet or .csv file, a folder of .parquet files, a .duckdb file with the name of a table, "
    "or an address of Spark (sc://host:15002) with a table."
)


@dataclass(frozen=True)
class Location:
    """A place of rows; ``form`` is parquet, csv, folder or duckdb.

    ``header`` and ``delimiter`` are what is said of a CSV file.  ``handle`` is where files that are held open are read through.
    """

    path: Path
    form: str
    table: str | None = None
    header: bool | None = None
    delimiter: str | None = None
    handle: Path | None = field(default=None, compare=False)

    @property
    def label(self) -> str:
        """What the place is called in a sentence."""
        return self.path.name

    @property
    def source(self) -> object:
        """What an engine is given."""
        if self.form == "duckdb":
            return DuckTable(self._reached, self.table or "")
        if self.form == "csv":
            return self.csv({})
        if self.handle is not None:
            return FileOf("read_parquet", tuple(map(str, self.files)))
        if self.form == "folder":
            return f"{glob.escape(str(self.path))}/*.parquet"
        return self.path

    def typed(self, types: Mapping[str, Type]) -> object:
        """What an engine is given; a CSV file with the types of its columns, which it does not say itself."""
        return self.csv(types) if self.form == "csv" else self.source

    def csv(self, types: Mapping[str, Type]) -> CsvFile:
        """The CSV file with the types of its columns."""
        return CsvFile(
            self.path, types, header=self.header, delimiter=self.delimiter, handle=self.handle
        )

    @property
    def _reached(self) -> Path:
        return self.handle or self.path

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that hold the rows, in order of their names; none if they are not there."""
        if self.form == "folder":
            return tuple(sorted(p for p in self._reached.glob("*.parquet") if p.is_file()))
        return (self._reached,) if self._reached.is_file() else ()

    def check_settled(self) -> None:
        """Refuse a DuckDB file with a log beside it: rows in the log are read, and are not in the file."""
        log = self.path.with_name(f"{self.path.name}.wal")
        if self.form == "duckdb" and log.exists():
            raise SourceError(
                f"{self.path.name} has changes that are not in the file yet: {log.name} lies beside it.",
                remedy="Let whoever writes to it run CHECKPOINT and close it, and try again.",
            )

    def meets(self, other: Location) -> bool:
        """Whether both read the same file: one path, or a folder and a file in it.  Tables of one file meet."""
        return (
            self.path == other.path
            or (self.form == "folder" and other.path.parent == self.path)
            or (other.form == "folder" and self.path.parent == other.path)
        )

    def holds(self, path: Path) -> bool:
        """Whether writing to a path would change what is here."""
        found = path.expanduser().resolve()
        if self.form == "folder" and found.parent == self.path:
            return True
        return found == self.path or any(
            found.exists() and each.samefile(found) for each in self.files
        )

    def to_dict(self) -> dict[str, Any]:
        """The place as plain values."""
        said: dict[str, Any] = {"path": str(self.path), "form": self.form}
        for name in ("table", "header", "delimiter"):
            if getattr(self, name) is not None:
                said[name] = getattr(self, name)
        return said

    def to_record(self) -> dict[str, Any]:
        """The place as the journal has it."""
        return self.to_dict()

    @property
    def as_told(self) -> Location:
        """What an analyst may see of it."""
        return self

    def with_key(self, _: str) -> Location:
        """The place; only a frame is kept by the hash of its rows."""
        return self

    def keep(self) -> None:
        """Nothing of a file is kept."""

    def __str__(self) -> str:
        return f"{self.path}, table {self.table}" if self.table else str(self.path)


Place = Location | SparkLocation
"""Where rows lie: files, or what Spark reads."""


def location_of(source: object, table: str | None = None, *, name: str = "data") -> Place:
    """The place that a curator names; frames in memory have none and are refused.

    A frame of Spark has a place for as long as this process runs, under the ``name`` of its dataset.
    """
    if is_sparks(source) or (isinstance(source, str) and is_address(source)):
        return spark_location_of(source, name, table)
    if isinstance(source, DuckTable):
        table, source = source.table, source.database
    csv = source if isinstance(source, CsvFile) else None
    if csv is not None:
        source = csv.path
    if not isinstance(source, str | Path):
        raise SourceError(
            f"a vault remembers where rows lie, and a {type(source).__name__} lies nowhere.",
            remedy="Write it to a Parquet file first, or ask of it with shoal.private.",
        )
    path = _followed(source)
    found = Location(path, _form(path, table), table) if path else None
    if found is None or not found.files:
        raise SourceError(
            f"there is nothing to read at {str(source)[:200]!r}.",
            remedy=f"Check the path. {_WAYS}",
        )
    if csv is not None:
        found = replace(found, header=csv.header, delimiter=csv.delimiter)
    found.check_settled()
    return found if table is None else replace(found, table=table_in(found.path, table))


def _followed(source: str | Path) -> Path | None:
    """A path to its end; None if it leads nowhere: too long, forbidden, without a home, or a link to itself."""
    try:
        path = Path(source).expanduser().resolve()
        path.exists()
        str(path).encode()
    except (OSError, RuntimeError, ValueError):
        return None
    return path


def location_from(written: dict[str, Any]) -> Place:
    """The place that `to_record` or `to_dict` wrote."""
    if written["form"] in ("spark", "frame"):
        return SparkLocation.from_record(written)
    said = (written.get(name) for name in ("table", "header", "delimiter"))
    return Location(Path(written["path"]), written["form"], *said)


def _form(path: Path, table: str | None) -> str:
    suffix = Path(path.name.removesuffix(".gz")).suffix.lower()
    if path.is_dir():
        form = "folder"
    elif suffix in _DATABASES:
        form = "duckdb"
    elif suffix in _KINDS:
        form = _KINDS[suffix]
    else:
        raise SourceError(f"{path.name!r} is not a kind of file that can be read.", remedy=_WAYS)
    if (form == "duckdb") != (table is not None):
        raise SourceError(
            "a DuckDB file needs the name of one of its tables." if form == "duckdb"
            else "a table can be named only inside a DuckDB file.",
            remedy="Give table= (or --table), the name of the table in the file." if form == "duckdb"
            else "Leave table out.",
        )  # fmt: skip
    return form


def check_vault_name(where: str) -> None:
    """Refuse the name of a data file where a vault is meant: a vault holds no rows, and would be made under that name."""
    if "://" not in where and where.lower().removesuffix(".gz").endswith(_DATA):
        raise VaultError(
            f"{where!r} is the name of a data file, not of a vault.",
            remedy="Ask questions of a file: shoal.private('people.csv', protects=shoal.Row(), budget=shoal.Pure(1)). "
            "Or open a vault and add the file to it: shoal.open('office.shoal').",
        )
