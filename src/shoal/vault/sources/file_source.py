"""Rows in files: a Parquet or CSV file, or a folder of Parquet files.

Edges: only Linux reads files through handles by name (/proc/self/fd); elsewhere the path is all
there is.
"""

from __future__ import annotations

import glob
import hashlib
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from shoal.engines.csv_file import READING, CsvFile
from shoal.engines.duckdb.sources import FileOf
from shoal.errors import SourceError
from shoal.plan import Type
from shoal.vault.sources.data_source import DataSource, Handle, Overlap
from shoal.vault.sources.fingerprint import Dates, Fingerprint, Progress, keyed

_THROUGH = Path("/proc/self/fd")
_PIECE = 1 << 20
_SETTLED = 2_000_000_000
"""A file that was written less than so many nanoseconds before its hashing began may change without
a later date.
"""


@dataclass(frozen=True)
class FileSource:
    """A place of rows; ``form`` is parquet, csv, folder or duckdb.

    ``header``, ``delimiter``, ``decimal`` and ``encoding`` are what is said of a CSV file.  ``handle`` is where files that are
    held open are read through.
    """

    path: Path
    form: str
    table: str | None = None
    header: bool | None = None
    delimiter: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    handle: Path | None = field(default=None, compare=False)

    @property
    def is_local(self) -> bool:
        return True

    @property
    def listed(self) -> bool:
        return True

    # the three acts

    def identity(self, secret: bytes, progress: Progress | None = None) -> Fingerprint:
        """Read all files once and say what they hold."""
        start, before = time.time_ns(), self.dates()
        total, done = sum(size for size, *_ in before), 0
        lines = []
        for path in self.files:
            found = hashlib.sha256()
            with path.open("rb") as file:
                while piece := file.read(_PIECE):
                    found.update(piece)
                    done += len(piece)
                    if progress is not None:
                        progress(done, total)
            lines.append(f"{path.stat().st_size} {found.hexdigest()}")
        if self.dates() != before:
            raise SourceError(
                f"the files at {self} were written while they were read.",
                remedy="Wait until they are whole, and try again.",
            )
        files = "\n".join(sorted(lines))
        digest = keyed(files, self.table, secret)
        newest = max(max(written, changed) for _, written, changed, _ in before)
        return Fingerprint(digest, total, before if newest + _SETTLED < start else (), files)

    def overlaps(self, other: DataSource, secret: bytes) -> Overlap:
        """Whether both read the same file: one path, or a folder and a file in it."""
        if not isinstance(other, FileSource):
            return other.overlaps(self, secret)
        is_one = (
            self.path == other.path
            or (self.form == "folder" and other.path.parent == self.path)
            or (other.form == "folder" and self.path.parent == other.path)
        )
        return Overlap.TABLE if is_one else Overlap.NONE

    def open(self) -> Handle:
        """Hold the file or folder open, and read it through the handle."""
        if not _THROUGH.is_dir():
            return Handle(self)
        try:
            number = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            raise SourceError(
                f"there is nothing that can be read at {self}.",
                remedy="Put the file back, or tell the vault where it is now: shoal update NAME --path PATH.",
            ) from None
        return Handle(replace(self, handle=_THROUGH / str(number)), number)

    # what else is asked of it

    def dates(self) -> Dates:
        """Size, dates and place of every file, in order.

        The date of writing can be set by hand.  That of the last change cannot, and a file that was
        put in the place of another has a place of its own.
        """
        self.check_settled()
        found = tuple(
            (s.st_size, s.st_mtime_ns, s.st_ctime_ns, s.st_ino)
            for s in (path.stat() for path in self.files)
        )
        if not found:
            raise SourceError(
                f"there is nothing to read at {self}.",
                remedy="Put the file back, or tell the vault where it is now: shoal update NAME --path PATH.",
            )
        return found

    def check_settled(self) -> None:
        """Refuse files that do not hold all that is read of them; those of a table do."""

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that hold the rows, in order of their names; none if they are not there."""
        if self.form == "folder":
            return tuple(sorted(p for p in self._reached.glob("*.parquet") if p.is_file()))
        return (self._reached,) if self._reached.is_file() else ()

    @property
    def _reached(self) -> Path:
        return self.handle or self.path

    def holds(self, path: Path, secret: bytes) -> bool:  # noqa: ARG002 - paths of files are no secret
        """Whether writing to a path would change what is here."""
        found = path.expanduser().resolve()
        if self.form == "folder" and found.parent == self.path:
            return True
        return found == self.path or any(
            found.exists() and each.samefile(found) for each in self.files
        )

    def looked_at(self, secret: bytes) -> Self:  # noqa: ARG002 - it is known by its path
        """A file is what its path says."""
        return self

    def for_engine(self, types: Mapping[str, Type] | None = None) -> object:
        """What an engine is given."""
        if self.form == "csv":
            return self.csv(types or {})
        if self.handle is not None:
            return FileOf("read_parquet", tuple(map(str, self.files)))
        if self.form == "folder":
            return f"{glob.escape(str(self.path))}/*.parquet"
        return self.path

    def csv(self, types: Mapping[str, Type]) -> CsvFile:
        """The CSV file with the types of its columns."""
        return CsvFile(
            self.path,
            types,
            header=self.header,
            delimiter=self.delimiter,
            decimal=self.decimal,
            encoding=self.encoding,
            handle=self.handle,
        )

    # what is said and kept of it

    @property
    def label(self) -> str:
        return self.path.name

    @property
    def as_told(self) -> Self:
        return self

    def declared(self, beside: Path | None) -> dict[str, Any]:
        """A path, relative to the folder where it lies below that, and what is said of a CSV
        file.
        """
        path = self.path
        if beside is not None and path.is_relative_to(beside.resolve()):
            path = path.relative_to(beside.resolve())
        said = {"path": str(path), **{name: getattr(self, name) for name in READING}}
        return {
            name: value
            for name, value in {**said, "table": self.table}.items()
            if value is not None
        }

    def to_dict(self) -> dict[str, Any]:
        said: dict[str, Any] = {"path": str(self.path), "form": self.form}
        for name in ("table", *READING):
            if getattr(self, name) is not None:
                said[name] = getattr(self, name)
        return said

    def to_record(self) -> dict[str, Any]:
        return self.to_dict()

    def with_key(self, digest: str) -> Self:  # noqa: ARG002 - a file is not kept by the hash of its rows
        return self

    def keep(self) -> None:
        """Nothing of a file is kept."""

    def __str__(self) -> str:
        return f"{self.path}, table {self.table}" if self.table else str(self.path)
