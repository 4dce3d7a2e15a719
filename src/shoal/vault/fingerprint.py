"""What tells one content from another: sizes and SHA-256 of the files, keyed by a secret of the vault.

A plain hash of a table would let anyone who knows all rows but one find out the last, so it is never shown: what is
kept and written is a keyed hash, and the key is a random fact that never leaves the vault.  Names of files do not count.
"""

from __future__ import annotations

import hashlib
import hmac
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from shoal.errors import SourceError
from shoal.vault.location import Place
from shoal.vault.spark_fingerprint import spark_content, spark_stamps
from shoal.vault.spark_location import SparkLocation

Progress = Callable[[int, int], None]
"""Called with how many bytes have been read, and how many there are."""

Dates = tuple[tuple[int, ...], ...]
"""Of every file its size, when it was written, when anything about it was changed, and its place on the disk."""

_PIECE = 1 << 20
_SETTLED = 2_000_000_000
"""A file that was written less than so many nanoseconds before its hashing began may change without a later date."""


@dataclass(frozen=True)
class Fingerprint:
    """A keyed hash of the content, and sizes and dates of the files, from which it is seen that nothing was written.

    ``dates`` is empty where they prove nothing: the files were written just before they were read.  ``files`` is what was found of
    the files alone, by which a copy of a database is known whichever of its tables is meant; it is never kept.
    """

    digest: str
    size: int
    dates: Dates
    files: str = field(repr=False)

    def is_of_table(self, table: str | None, digest: str, secret: bytes) -> bool:
        """Whether a digest is that of a table in a file with these very bytes."""
        return table is not None and hmac.compare_digest(digest, _keyed(self.files, table, secret))


def fingerprint_of(location: Place, secret: bytes, progress: Progress | None = None) -> Fingerprint:
    """Read all files once and say what they hold; what Spark reads is hashed in the cluster."""
    if isinstance(location, SparkLocation):
        return Fingerprint(*spark_content(location, secret, progress))
    start, before = time.time_ns(), dates_of(location)
    total, done = sum(size for size, *_ in before), 0
    lines = []
    for path in location.files:
        found = hashlib.sha256()
        with path.open("rb") as file:
            while piece := file.read(_PIECE):
                found.update(piece)
                done += len(piece)
                if progress is not None:
                    progress(done, total)
        lines.append(f"{path.stat().st_size} {found.hexdigest()}")
    if dates_of(location) != before:
        raise SourceError(
            f"the files at {location} were written while they were read.",
            remedy="Wait until they are whole, and try again.",
        )
    files = "\n".join(sorted(lines))
    digest = _keyed(files, location.table, secret)
    newest = max(max(written, changed) for _, written, changed, _ in before)
    return Fingerprint(digest, total, before if newest + _SETTLED < start else (), files)


def _keyed(files: str, table: str | None, secret: bytes) -> str:
    said = "\n".join([files, f"table {table}" if table else ""])
    return hmac.new(secret, said.encode(), hashlib.sha256).hexdigest()


def dates_of(location: Place) -> Dates:
    """Size, dates and place of every file, in order.

    The date of writing can be set by hand.  That of the last change cannot, and a file that was put in the place of
    another has a place of its own.
    """
    if isinstance(location, SparkLocation):
        return spark_stamps(location)
    location.check_settled()
    found = tuple(
        (s.st_size, s.st_mtime_ns, s.st_ctime_ns, s.st_ino)
        for s in (path.stat() for path in location.files)
    )
    if not found:
        raise SourceError(
            f"there is nothing to read at {location}.",
            remedy="Put the file back, or tell the vault where it is now: shoal update NAME --path PATH.",
        )
    return found
