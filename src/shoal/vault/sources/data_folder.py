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
_MOST_SEEN = 50_000
"""So many names are looked at to find them."""


@dataclass(frozen=True)
class DataFolder:
    """A folder that the operator of a server names.

    Guarantee: a path is followed to its end, through every link, before it is compared with the
        folder, and so is every file that a folder of Parquet files holds; what is refused is
        refused in the same words, whether there is something at it or not.
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
            members = found.glob("*.parquet") if found.is_dir() else ()
            ends = [found, *(each.resolve() for each in members)]
            if all(each.is_relative_to(self.root) for each in ends):
                return found
        except (OSError, RuntimeError, ValueError):  # a link to itself, or no path at all
            pass
        raise SourceError(
            f"{self._told(path)} is not below the data folder of this office.",
            remedy="Give the path of a file from that folder on, such as visits.parquet.",
        )

    def found(self, path: str | Path) -> Path:
        """The same, where there must be something to read."""
        place = self.inside(path)
        if not place.exists():
            raise SourceError(
                f"there is nothing to read at {self._told(path)}.",
                remedy="Put the file into the data folder of this office, or choose one that is there.",
            )
        return place

    def _told(self, path: str | Path) -> str:
        """A path as it was written: where the folder is, is nobody's business."""
        return repr(str(path).removeprefix(f"{self.root}/")[:200])

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
        seen = 0
        for folder, below, names in os.walk(self.root):
            below[:] = sorted(each for each in below if _is_shown(each))
            found += (
                str((Path(folder) / name).relative_to(self.root))
                for name in sorted(names)
                if name.lower().endswith(_SUFFIXES) and _is_shown(name)
            )
            seen += len(names) + len(below)
            if len(found) >= _MOST or seen > _MOST_SEEN:
                break
        return found[:_MOST]


def _is_shown(name: str) -> bool:
    """Whether a name can be listed: hidden ones are not, nor those that are no text."""
    return not name.startswith(".") and not any("\ud800" <= each <= "\udfff" for each in name)
