"""Rows that Spark reads: a table of its catalogue or a path, at an address; or a frame that was handed over.

An address is kept without what could be secret in it.  Who needs a token or a password to get there has the whole address in
the environment (SPARK_REMOTE), or gives it again.  A frame lies nowhere: it is known for as long as this process runs, and
whoever opens the vault later hands over a frame with the same rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.engines.spark.connection import remembered
from shoal.engines.spark.sources import SparkTable, is_frame
from shoal.errors import SourceError

_FRAMES: dict[str, Any] = {}
"""Frames that were handed over to this process, by the name of their place."""


@dataclass(frozen=True)
class SparkLocation:
    """A place of rows that Spark reads; ``form`` is spark or frame, ``address`` that of its session if one was given."""

    table: str
    address: str | None = None
    form: str = "spark"

    @property
    def source(self) -> object:
        """What an engine is given."""
        if self.form == "frame":
            return self.frame
        return SparkTable(self.address, self.table)

    @property
    def frame(self) -> Any:
        """The frame that was handed over to this process."""
        if self.table not in _FRAMES:
            raise SourceError(
                f"the frame of Spark called {self.table} was handed over to another process.",
                remedy="Hand over one with the same rows: vault.update(name, path=frame).",
            )
        return _FRAMES[self.table]

    @property
    def label(self) -> str:
        """What the place is called in a sentence."""
        return self.table

    @property
    def files(self) -> tuple[Path, ...]:
        return ()

    def check_settled(self) -> None:
        """Spark shows what was committed."""

    def meets(self, other: Any) -> bool:
        """Whether both may read the same rows: one table or path, whatever the address."""
        if isinstance(other, SparkLocation):
            return (self.form, self.place_read) == (other.form, other.place_read)
        return self._is_path and self.holds(other.path)

    @property
    def _is_path(self) -> bool:
        return self.form == "spark" and SparkTable(None, self.table).form != "table"

    @property
    def place_read(self) -> str:
        if not self._is_path:
            return (
                self.table if self.form == "frame" else self.table.lower().removeprefix("default.")
            )
        path = SparkTable(None, self.table).path.removeprefix("file://").rstrip("/")
        return path if "://" in path else str(Path(path).expanduser().resolve())

    def holds(self, path: Path) -> bool:
        """Whether writing to a path would change what is here."""
        found = path.expanduser().resolve()
        return self._is_path and (
            str(found) == self.place_read or Path(self.place_read) in found.parents
        )

    def to_dict(self) -> dict[str, Any]:
        """The place as plain values, without anything secret."""
        said = {"form": self.form, "table": self.table}
        return said if self.address is None else {**said, "address": self.address}

    def __str__(self) -> str:
        if self.form == "frame":
            return f"a frame of Spark ({self.table})"
        return f"{self.table}, read by Spark" + (f" at {self.address}" if self.address else "")


def spark_location_of(source: object, name: str, table: str | None) -> SparkLocation:
    """The place of a frame, of a `SparkTable`, or of a table at an address."""
    if is_frame(source):
        _FRAMES[name] = source
        return SparkLocation(name, form="frame")
    where = source
    if isinstance(source, SparkTable):
        where, table = source.session, source.table
    if not table:
        raise SourceError(
            "an address of Spark needs a table.",
            remedy="Give table= (or --table): database.table, or a path to Parquet, CSV, ORC or Delta.",
        )
    if isinstance(where, str):
        return SparkLocation(_absolute(table), remembered(where))
    return SparkLocation(_absolute(table))


def _absolute(table: str) -> str:
    """A path as it is meant from every folder; what has a scheme, and a table, is as it is written."""
    if SparkTable(None, table).form == "table" or "://" in table or table.startswith("delta:"):
        return table
    return str(Path(table).expanduser().resolve())
