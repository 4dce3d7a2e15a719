"""Where rows are: one protocol, of which a file, a table of a DuckDB file and what Spark reads are
implementations.

Only the place is kept, never a row.  Three acts matter for privacy: `identity` tells one content
from another, `overlaps` says whether two sources may hold the same rows, and `open` holds a source
so that what is hashed and what is read are the same.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Mapping
from enum import Enum
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol

from shoal.plan import Type
from shoal.vault.sources.fingerprint import Dates, Fingerprint, Progress


class Overlap(Enum):
    """What is known of two sources."""

    TABLE = "the same table"
    FILE = "two tables of one file"
    UNKNOWN = "it cannot be told"
    NONE = "they are apart"

    @property
    def meets(self) -> bool:
        """Whether both surely read the same file, folder or table."""
        return self in (Overlap.TABLE, Overlap.FILE)


class Handle:
    """A source held open; ``source`` reads it through the handle.

    A path is looked up anew by whoever opens it.  A folder that is renamed away while rows are
    read, and put back afterwards, has the same path, sizes and dates before and after, though the
    rows came from another one.  A handle is no path: it leads to the file or folder that was
    opened, for as long as it is held.
    """

    def __init__(self, source: DataSource, descriptor: int | None = None) -> None:
        self.source = source
        self._end = None if descriptor is None else weakref.finalize(self, os.close, descriptor)

    def close(self) -> None:
        """Let go of it."""
        if self._end is not None:
            self._end()

    def __enter__(self) -> DataSource:
        return self.source

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class DataSource(Protocol):
    """A place of rows; ``form`` is parquet, csv, folder, duckdb, spark or frame.

    ``header``, ``delimiter``, ``decimal`` and ``encoding`` are what is said of a CSV file.  ``is_local`` says that this
    process reads the files itself, ``listed`` that all files behind it are known.
    """

    @property
    def form(self) -> str: ...
    @property
    def path(self) -> Path | str | None: ...
    @property
    def table(self) -> str | None: ...
    @property
    def header(self) -> bool | None: ...
    @property
    def delimiter(self) -> str | None: ...
    @property
    def decimal(self) -> str | None: ...
    @property
    def encoding(self) -> str | None: ...
    @property
    def is_local(self) -> bool: ...
    @property
    def listed(self) -> bool: ...

    # the three acts

    def identity(self, secret: bytes, progress: Progress | None = None) -> Fingerprint:
        """Read all of it once and say what it holds, by a hash that is keyed with a secret."""

    def overlaps(self, other: DataSource, secret: bytes) -> Overlap:
        """Whether it may hold the same rows as another source."""

    def open(self) -> Handle:
        """Hold it open; what is read through the handle is what was opened."""

    # what else is asked of it

    def dates(self) -> Dates:
        """Sizes and dates of its files, from which it is seen that nothing was written; nothing if
        they prove nothing.
        """

    def holds(self, path: Path, secret: bytes) -> bool:
        """Whether writing to a path would change what is here."""

    def looked_at(self, secret: bytes) -> DataSource:
        """The source with what lies behind it now, as far as that can be told."""

    def for_engine(self, types: Mapping[str, Type] | None = None) -> object:
        """What an engine is given; a CSV file with the types of its columns, which it does not say
        itself.
        """

    # what is said and kept of it

    @property
    def label(self) -> str:
        """What it is called in a sentence."""

    @property
    def as_told(self) -> DataSource:
        """What an analyst may see of it."""

    def declared(self, beside: Path | None) -> dict[str, Any]:
        """How a declaration names it, beside a file in this folder."""

    def to_dict(self) -> dict[str, Any]:
        """The place as plain values, without anything secret."""

    def to_record(self) -> dict[str, Any]:
        """The place as the journal has it."""

    def with_key(self, digest: str) -> DataSource:
        """The place of rows that have this hash."""

    def keep(self) -> None:
        """Remember what this process was handed; not before it is declared."""
