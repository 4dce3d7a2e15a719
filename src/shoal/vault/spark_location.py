"""Rows that Spark reads: a table of its catalogue or a path, at an address; or a frame that was handed over.

An address is kept without what could be secret in it.  Who needs a token or a password to get there has the whole address in
the environment (SPARK_REMOTE), or gives it again.  A frame lies nowhere: it is known for as long as this process runs, and
whoever opens the vault later hands over a frame with the same rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from shoal.engines.spark.connection import remembered
from shoal.engines.spark.sources import SparkTable, is_frame
from shoal.errors import SourceError
from shoal.plan import Type
from shoal.vault.spark_paths import check_no_pattern, name_parts, parts_of

_FRAMES: dict[tuple[str, str], Any] = {}
"""Frames that were declared in this process, by the dataset's name and the keyed hash of their rows.

The key of the hash is that of one vault, so that no vault sees the frames of another.
"""


@dataclass(frozen=True)
class SparkLocation:
    """A place of rows that Spark reads; ``form`` is spark or frame, ``address`` that of its session if one was given.

    ``reads`` and ``above`` are keyed hashes of the files or folders behind it, and of the folders above these, as they were found
    when it was declared; ``listed`` says that they are all there is.  ``key`` is that of a frame among those this process was handed.
    """

    table: str
    address: str | None = None
    form: str = "spark"
    reads: frozenset[str] = field(default=frozenset(), repr=False, compare=False)
    above: frozenset[str] = field(default=frozenset(), repr=False, compare=False)
    listed: bool = field(default=False, repr=False, compare=False)
    key: str = field(default="", repr=False, compare=False)
    held: Any = field(default=None, repr=False, compare=False)

    @property
    def source(self) -> object:
        """What an engine is given."""
        if self.form == "frame":
            return self.frame
        return SparkTable(self.address, self.table)

    def typed(self, types: Mapping[str, Type]) -> object:
        """What an engine is given; a CSV file with the types of its columns, which it does not say itself."""
        found = self.source
        if isinstance(found, SparkTable) and found.form == "csv":
            return replace(found, types=types)
        return found

    @property
    def frame(self) -> Any:
        """The frame that was handed over to this process."""
        found = self.held if self.held is not None else _FRAMES.get((self.table, self.key))
        if found is None:
            raise SourceError(
                f"the frame of Spark called {self.table} was handed over to another process.",
                remedy="Hand over one with the same rows: vault.update(name, path=frame).",
            )
        return found

    @property
    def label(self) -> str:
        """What the place is called in a sentence."""
        return f"the frame {self.table!r}" if self.form == "frame" else self.table

    @property
    def files(self) -> tuple[Path, ...]:
        return ()

    def check_settled(self) -> None:
        """Spark shows what was committed."""

    @property
    def path(self) -> str | None:
        """The path, if it is one."""
        named = SparkTable(None, self.table)
        return named.path if self.form == "spark" and named.form != "table" else None

    def to_dict(self) -> dict[str, Any]:
        """The place as plain values, without anything secret."""
        said = {"form": self.form, "table": self.table}
        return said if self.address is None else {**said, "address": self.address}

    def to_record(self) -> dict[str, Any]:
        """The place as the journal has it: with what it is told apart by."""
        marks = {"reads": sorted(self.reads), "above": sorted(self.above), "listed": self.listed}
        return {**self.to_dict(), **marks, "key": self.key}

    @classmethod
    def from_record(cls, written: dict[str, Any]) -> SparkLocation:
        """The place that `to_record` or `to_dict` wrote."""
        return cls(
            written["table"],
            written.get("address"),
            written["form"],
            frozenset(written.get("reads", ())),
            frozenset(written.get("above", ())),
            bool(written.get("listed", False)),
            written.get("key", ""),
        )

    @property
    def as_told(self) -> SparkLocation:
        """What an analyst may see of it."""
        return SparkLocation(self.table, self.address, self.form)

    def with_key(self, digest: str) -> SparkLocation:
        """The place of a frame whose rows have a hash; any other is as it was."""
        return replace(self, key=digest) if self.form == "frame" else self

    def keep(self) -> None:
        """Remember the frame that was declared; not before it is."""
        if self.held is not None:
            _FRAMES[self.table, self.key] = self.held

    def __str__(self) -> str:
        if self.form == "frame":
            return f"a frame of Spark ({self.table})"
        return f"{self.table}, read by Spark" + (f" at {self.address}" if self.address else "")


def spark_location_of(source: object, name: str, table: str | None) -> SparkLocation:
    """The place of a frame, of a `SparkTable`, or of a table at an address."""
    if is_frame(source):
        return SparkLocation(name, form="frame", held=source)
    where = source
    if isinstance(source, SparkTable):
        where, table = source.session, source.table
    if not table:
        raise SourceError(
            "an address of Spark needs a table.",
            remedy="Give table= (or --table): database.table, or a path to Parquet, CSV, ORC or Delta.",
        )
    if isinstance(where, str):
        return SparkLocation(_settled(table), remembered(where))
    return SparkLocation(_settled(table))


def _settled(table: str) -> str:
    """A path as it is meant from every folder; what has a scheme, and a table, is as it is written."""
    named = SparkTable(None, table)
    if named.form == "table":
        name_parts(table)
        return table
    check_no_pattern(named.path)
    parts = parts_of(named.path)
    if parts[0]:
        return table
    if "/" not in table and not Path(table).exists():
        stem, _, last = table.rpartition(".")
        raise SourceError(
            f"{table} may be a file, which is not there, or a table of the catalogue.",
            remedy=f"Write ./{table} or the whole path for a file, and {stem}.`{last}` for a table.",
        )
    return f"{'delta:' if table.startswith('delta:') else ''}/{'/'.join(parts[1:])}"
