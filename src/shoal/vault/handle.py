"""Files held open, so that what is hashed and what is read are the same files, wherever their path leads meanwhile.

A path is looked up anew by whoever opens it.  A folder that is renamed away while rows are read, and put back afterwards,
has the same path, sizes and dates before and after, though the rows came from another one.  A handle is no path: it leads to
the file or folder that was opened, for as long as it is held.  Edges: only Linux reads files through handles by name
(/proc/self/fd); elsewhere, and for Spark, the path is all there is.
"""

from __future__ import annotations

import os
import weakref
from dataclasses import replace
from pathlib import Path
from types import TracebackType

from shoal.errors import SourceError
from shoal.vault.location import Location, Place

_THROUGH = Path("/proc/self/fd")


class Handle:
    """A place held open; ``place`` reads it through the handle."""

    def __init__(self, location: Place) -> None:
        self.place: Place = location
        self._end: weakref.finalize[..., Handle] | None = None
        if not isinstance(location, Location) or not _THROUGH.is_dir():
            return
        try:
            number = os.open(location.path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            raise SourceError(
                f"there is nothing that can be read at {location}.",
                remedy="Put the file back, or tell the vault where it is now: shoal update NAME --path PATH.",
            ) from None
        self._end = weakref.finalize(self, os.close, number)
        self.place = replace(location, handle=_THROUGH / str(number))

    def close(self) -> None:
        """Let go of it."""
        if self._end is not None:
            self._end()

    def __enter__(self) -> Place:
        return self.place

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
