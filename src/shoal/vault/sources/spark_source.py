"""Rows that Spark reads: a table of its catalogue or a path, at an address; or a frame that was
handed over.

An address is kept without what could be secret in it.  Who needs a token or a password to get there
has the whole address in the environment (SPARK_REMOTE), or gives it again.  A frame lies nowhere:
it is known for as long as this process runs, and whoever opens the vault later hands over a frame
with the same rows.

Some things cannot be told: a frame or a view may be computed from anything, and a hash of rows
cannot be compared with a hash of files.  Such sources are never taken for apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from shoal.engines.source_reading import is_spark_frame
from shoal.engines.spark.connection import remembered
from shoal.engines.spark.sources import SparkTable
from shoal.errors import SourceError, VaultError
from shoal.plan import Type
from shoal.vault.sources.data_source import DataSource, Handle, Overlap
from shoal.vault.sources.fingerprint import Dates, Fingerprint, Progress
from shoal.vault.sources.spark_content import files_behind, spark_content, spark_stamps
from shoal.vault.sources.spark_paths import PathMarks, check_no_pattern, name_parts, parts_of

_FRAMES: dict[tuple[str, str], Any] = {}
"""Frames that were declared in this process, by the dataset's name and the keyed hash of their
rows.

The key of the hash is that of one vault, so that no vault sees the frames of another.
"""


@dataclass(frozen=True)
class SparkSource:
    """A place of rows that Spark reads; ``form`` is spark or frame, ``address`` that of its session
    if one was given.

    ``reads`` and ``above`` are keyed hashes of the files or folders behind it, and of the folders
    above these, as they were found when it was declared; ``listed`` says that they are all there
    is.  ``key`` is that of a frame among those this process was handed.
    """

    table: str
    address: str | None = None
    form: str = "spark"
    reads: frozenset[str] = field(default=frozenset(), repr=False, compare=False)
    above: frozenset[str] = field(default=frozenset(), repr=False, compare=False)
    listed: bool = field(default=False, repr=False, compare=False)
    key: str = field(default="", repr=False, compare=False)
    held: Any = field(default=None, repr=False, compare=False)

    header = None
    delimiter = None
    decimal = None
    encoding = None
    is_local = False

    # the three acts

    def identity(self, secret: bytes, progress: Progress | None = None) -> Fingerprint:
        """A keyed hash of all rows, made in the cluster."""
        return spark_content(self, secret, progress)

    def overlaps(self, other: DataSource, secret: bytes) -> Overlap:
        """Whether both read the same files, a folder around them, or one name of the catalogue."""
        if self._marks(secret).meet(_marks_of(other, secret)):
            return Overlap.TABLE
        if not isinstance(other, SparkSource):
            return Overlap.UNKNOWN
        if self._is_one_name(other):
            return Overlap.TABLE
        return Overlap.NONE if self.listed and other.listed else Overlap.UNKNOWN

    def open(self) -> Handle:
        """Nothing is held: the cluster reads by names, and not through handles of this process."""
        return Handle(self)

    # what else is asked of it

    def dates(self) -> Dates:
        """Stamps of the files behind a path or a table, asked of the cluster."""
        return spark_stamps(self)

    def holds(self, path: Path, secret: bytes) -> bool:
        """Whether writing to a path would change what is here."""
        return self._marks(secret).meet(PathMarks.of({parts_of(str(path))}, secret))

    def looked_at(self, secret: bytes) -> SparkSource:
        """The source with the files behind it now, as far as Spark tells."""
        held = replace(self, held=self.frame) if self.form == "frame" else self
        marks, listed = files_behind(held, secret)
        return replace(held, reads=marks.reads, above=marks.above, listed=listed)

    def for_engine(self, types: Mapping[str, Type] | None = None) -> object:
        """What an engine is given; a CSV file with the types of its columns, which it does not say
        itself.
        """
        if self.form == "frame":
            return self.frame
        found = SparkTable(self.address, self.table)
        return replace(found, types=types) if types is not None and found.form == "csv" else found

    def _marks(self, secret: bytes) -> PathMarks:
        own = PathMarks.of(() if self.path is None else {parts_of(self.path)}, secret)
        return own.joined(PathMarks(self.reads, self.above))

    def _is_one_name(self, other: SparkSource) -> bool:
        """Whether two names of the catalogue may be one: as far as both are written, from the end,
        they agree.
        """
        if "frame" in (self.form, other.form) or self.path is not None or other.path is not None:
            return False
        ours, theirs = name_parts(self.table), name_parts(other.table)
        return all(a == b for a, b in zip(reversed(ours), reversed(theirs), strict=False))

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
    def path(self) -> str | None:
        """The path, if it is one."""
        named = SparkTable(None, self.table)
        return named.path if self.form == "spark" and named.form != "table" else None

    def declared(self, beside: Path | None) -> dict[str, Any]:  # noqa: ARG002 - addresses are whole
        """The address and the table."""
        if self.form == "frame":
            raise VaultError(
                f"{self.table!r} is a frame of Spark, which lies nowhere that a file could name.",
                remedy="Write it to a table or a path, and tell the vault: vault.update(name, path=SparkTable(session, 'database.table')).",
            )
        return {"spark": self.address or "", "table": self.table}

    def to_dict(self) -> dict[str, Any]:
        """The place as plain values, without anything secret."""
        said = {"form": self.form, "table": self.table}
        return said if self.address is None else {**said, "address": self.address}

    def to_record(self) -> dict[str, Any]:
        """The place as the journal has it: with what it is told apart by."""
        marks = {"reads": sorted(self.reads), "above": sorted(self.above), "listed": self.listed}
        return {**self.to_dict(), **marks, "key": self.key}

    @classmethod
    def from_record(cls, written: dict[str, Any]) -> SparkSource:
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
    def as_told(self) -> SparkSource:
        """What an analyst may see of it."""
        return SparkSource(self.table, self.address, self.form)

    def with_key(self, digest: str) -> SparkSource:
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


def spark_source_of(source: object, name: str, table: str | None) -> SparkSource:
    """The place of a frame, of a `SparkTable`, or of a table at an address."""
    if is_spark_frame(source):
        return SparkSource(name, form="frame", held=source)
    where = source
    if isinstance(source, SparkTable):
        where, table = source.session, source.table
    if not table:
        raise SourceError(
            "an address of Spark needs a table.",
            remedy="Give table= (or --table): database.table, or a path to Parquet, CSV, ORC or Delta.",
        )
    if isinstance(where, str):
        return SparkSource(_settled(table), remembered(where))
    return SparkSource(_settled(table))


def _settled(table: str) -> str:
    """A path as it is meant from every folder; what has a scheme, and a table, is as it is
    written.
    """
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


def _marks_of(source: DataSource, secret: bytes) -> PathMarks:
    if isinstance(source, SparkSource):
        return source._marks(secret)  # noqa: SLF001 - of its own class
    return PathMarks.of({parts_of(str(source.path))}, secret)
