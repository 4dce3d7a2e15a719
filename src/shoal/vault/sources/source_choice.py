"""Which source is meant: by what a curator names, by what a declaration says, and by what the
journal has.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from shoal.engines.csv_file import READING, CsvFile, is_csv
from shoal.engines.duckdb import DuckTable
from shoal.engines.engine_choice import is_sparks
from shoal.engines.spark.connection import is_address
from shoal.engines.spark.sources import SparkTable
from shoal.errors import SourceError, VaultError
from shoal.vault.sources.data_source import DataSource
from shoal.vault.sources.duckdb_source import DuckDBSource, table_in
from shoal.vault.sources.file_source import FileSource
from shoal.vault.sources.spark_source import SparkSource, spark_source_of

_KINDS = {".parquet": "parquet", ".csv": "csv", ".tsv": "csv"}
_DATA = (*_KINDS, ".json", ".xlsx", ".toml")
_DATABASES = {".duckdb", ".ddb", ".db"}
_WAYS = (
    "Give a .parquet or .csv file, a folder of .parquet files, a .duckdb file with the name of a table, "
    "or an address of Spark (sc://host:15002) with a table."
)


def source_of(source: object, table: str | None = None, *, name: str = "data") -> DataSource:
    """The place that a curator names; frames in memory have none and are refused.

    A frame of Spark has a place for as long as this process runs, under the ``name`` of its
    dataset.
    """
    if is_sparks(source) or (isinstance(source, str) and is_address(source)):
        return spark_source_of(source, name, table)
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
    found = None
    if path is not None:
        form = _form(path, table)
        found = _kind_of(form)(path, form, table)
    if found is None or not found.files:
        raise SourceError(
            f"there is nothing to read at {str(source)[:200]!r}.",
            remedy=f"Check the path. {_WAYS}",
        )
    if csv is not None:
        found = replace(
            found,
            header=csv.header,
            delimiter=csv.delimiter,
            decimal=csv.decimal,
            encoding=csv.encoding,
        )
    found.check_settled()
    return found if table is None else replace(found, table=table_in(found.path, table))


def _followed(source: str | Path) -> Path | None:
    """A path to its end; None if it leads nowhere: too long, forbidden, without a home, or a link
    to itself.
    """
    try:
        path = Path(source).expanduser().resolve()
        path.exists()
        str(path).encode()
    except (OSError, RuntimeError, ValueError):
        return None
    return path


def source_from(written: dict[str, Any]) -> DataSource:
    """The place that `to_record` or `to_dict` wrote."""
    if written["form"] in ("spark", "frame"):
        return SparkSource.from_record(written)
    said = (written.get(name) for name in ("table", *READING))
    return _kind_of(written["form"])(Path(written["path"]), written["form"], *said)


def _kind_of(form: str) -> type[FileSource]:
    return DuckDBSource if form == "duckdb" else FileSource


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
            "a DuckDB file needs the name of one of its tables."
            if form == "duckdb"
            else "a table can be named only inside a DuckDB file.",
            remedy="Give table= (or --table), the name of the table in the file."
            if form == "duckdb"
            else "Leave table out.",
        )
    return form


def source_moved(there: DataSource, path: object, table: str | None, *, name: str) -> DataSource:
    """The place that a dataset moves to; a database, and Spark, may have a table of the same name
    there.
    """
    if path is None and table is None:
        return there
    if path is None:
        if isinstance(there, SparkSource):
            path = SparkTable(there.address, table or "")
        else:
            path = there.path
    named = there.form == "duckdb" or (isinstance(path, str) and is_address(path))
    same = there.table if named and there.form != "frame" else None
    return source_of(path, table or same, name=name)


def source_named(
    said: Mapping[str, Any], file: Path, *, homes: bool = True
) -> Path | CsvFile | SparkTable:
    """Where the rows lie: a path beside the file, with the types of a CSV file, or a table that
    Spark reads.  ``homes`` says whether ~ is the home of a user of this machine.
    """
    if "spark" in said:
        return SparkTable(str(said["spark"]) or None, str(said.get("table", "")))
    place = Path(str(said["path"]))
    with suppress(RuntimeError):  # of somebody who is not there: then it is the name of a folder
        place = place.expanduser() if homes else place
    found = place if place.is_absolute() else file.resolve().parent / place
    if is_csv(found):
        types = {
            name: each["type"] for name, each in said.get("columns", {}).items() if "type" in each
        }
        return CsvFile(found, types, **{each: said.get(each) for each in READING})
    return found


def check_vault_name(where: str) -> None:
    """Refuse the name of a data file where a vault is meant: a vault holds no rows, and would be
    made under that name.
    """
    if "://" not in where and where.lower().removesuffix(".gz").endswith(_DATA):
        raise VaultError(
            f"{where!r} is the name of a data file, not of a vault.",
            remedy="Ask questions of a file: shoal.private('people.csv', protects=shoal.Row(), budget=shoal.Pure(1)). "
            "Or open a vault and add the file to it: shoal.open('office.shoal').",
        )
