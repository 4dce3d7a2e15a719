"""The folder below which the owners of an office register files: nothing outside of it is read for
them.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from shoal.errors import SourceError
from shoal.vault.sources.data_source import DataSource
from shoal.vault.sources.file_source import FileSource

_SUFFIXES = (".parquet", ".csv", ".csv.gz", ".tsv", ".tsv.gz", ".duckdb", ".ddb")
_MOST = 1000
"""So many files are listed; others can still be named."""


@dataclass(frozen=True)
class DataFolder:
    """A folder that the operator of a server names.

    Guarantee: a path is followed to its end, through every link, before it is compared with the
        folder; what is refused is refused in the same words, whether there is something at it or
        not.
    Needs: only the operator, and whom the operator trusts, write to the folder: a link in it that
        is changed while a file is read leads wherever it leads.
    """

    root: Path

    @classmethod
    def at(cls, path: str | Path) -> DataFolder:
        """The folder at a path, which must be there."""
        found = Path(path).expanduser().resolve()
        if not found.is_dir():
            raise SourceError(
                f"there is no folder {str(path)[:200]!r}.",
                remedy="Name the folder that holds the data files: --data /srv/data.",
            )
        return cls(found)

    def inside(self, path: str | Path) -> Path:
        """Where a path leads, from the folder on; refused if that is not below the folder."""
        try:
            found = (self.root / path).resolve()
            if found.is_relative_to(self.root):
                return found
        except (OSError, RuntimeError, ValueError):  # a link to itself, or no path at all
            pass
        raise SourceError(
            f"{str(path)[:200]!r} is not below the data folder of this office.",
            remedy="Give the path of a file from that folder on, such as visits.parquet.",
        )

    def holds(self, source: DataSource) -> bool:
        """Whether rows lie in the folder."""
        if not isinstance(source, FileSource):
            return False
        try:
            self.inside(source.path)
        except SourceError:
            return False
        return True

    def files(self) -> list[str]:
        """The data files in it, by their paths from the folder on; hidden ones are left out."""
        found: list[str] = []
        for folder, below, names in os.walk(self.root):
            below[:] = sorted(each for each in below if not each.startswith("."))
            for name in sorted(names):
                if name.lower().endswith(_SUFFIXES) and not name.startswith("."):
                    found.append(str((Path(folder) / name).relative_to(self.root)))
                    if len(found) == _MOST:
                        return found
        return found
