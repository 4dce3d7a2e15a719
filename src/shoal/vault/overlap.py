"""Whether two places may hold the same rows: files by their paths, what Spark reads by the files behind it.

Of what Spark reads the vault keeps keyed hashes of paths, so that a folder, a file in it, a table of the catalogue and a frame over it
meet, however they are spelled.  Some things cannot be told: a frame or a view may be computed from anything, and a hash of
rows cannot be compared with a hash of files.  Such places are never taken for apart.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from shoal.engines.spark.connection import told
from shoal.engines.spark.content import files_of
from shoal.engines.spark.sources import SparkTable, session_of
from shoal.vault.location import Location, Place
from shoal.vault.spark_fingerprint import format_read
from shoal.vault.spark_location import SparkLocation
from shoal.vault.spark_paths import Parts, name_parts, parts_of, parts_of_file, root_of

_MOST_FILES = 256
"""Of more files than so many the folders are kept."""


@dataclass(frozen=True)
class _Marks:
    """Keyed hashes of what is read, files and folders, and of the folders above."""

    reads: frozenset[str]
    above: frozenset[str]

    def meet(self, other: _Marks) -> bool:
        """Whether one reads what the other reads, or a folder around it."""
        return bool(
            self.reads & other.reads or self.reads & other.above or self.above & other.reads
        )


def looked_at(location: Place, secret: bytes) -> Place:
    """A place with what lies behind it now, as far as Spark tells."""
    if not isinstance(location, SparkLocation):
        return location
    if location.form == "frame":
        location = replace(location, held=location.frame)
    source = location.source
    session = session_of({"rows": source})
    frame = told(lambda: source.frame(session)) if isinstance(source, SparkTable) else source
    files = {parts_of_file(each) for each in files_of(frame)}
    is_table = format_read(location, session) is not None and location.path is None
    listed = bool(files) and (is_table or location.path is not None)
    folders = {
        root_of(file)
        for file in files
        if is_table or file[-1].startswith("part-") or len(files) > _MOST_FILES
    }  # Spark writes folders of parts: whoever reads one reads the table
    own = set() if location.path is None else {parts_of(location.path)}
    marks = _marks(own | folders | {file for file in files if root_of(file) not in folders}, secret)
    return replace(location, reads=marks.reads, above=marks.above, listed=listed)


def meet(one: Place, other: Place, secret: bytes) -> bool:
    """Whether two places surely read the same file, folder or table."""
    if isinstance(one, Location) and isinstance(other, Location):
        return one.meets(other)
    if _marks_of(one, secret).meet(_marks_of(other, secret)):
        return True
    return (
        isinstance(one, SparkLocation)
        and isinstance(other, SparkLocation)
        and _is_one_name(one, other)
    )


def told_apart(one: Place, other: Place) -> bool:
    """Whether places that do not meet, and contents with two hashes, are surely two."""
    if isinstance(one, Location) or isinstance(other, Location):
        return isinstance(one, Location) and isinstance(other, Location)
    return one.listed and other.listed


def same_table(one: Place, other: Place) -> bool:
    """Whether places that meet are one table: only a DuckDB file holds several."""
    return not one.form == other.form == "duckdb" or one.table == other.table


def would_change(location: Place, path: Path, secret: bytes) -> bool:
    """Whether writing to a path would change what is at a place."""
    if isinstance(location, Location):
        return location.holds(path)
    return _marks_of(location, secret).meet(_marks({parts_of(str(path))}, secret))


def _is_one_name(one: SparkLocation, other: SparkLocation) -> bool:
    """Whether two names of the catalogue may be one: as far as both are written, from the end, they agree."""
    if "frame" in (one.form, other.form) or one.path is not None or other.path is not None:
        return False
    pairs = zip(reversed(name_parts(one.table)), reversed(name_parts(other.table)), strict=False)
    return all(a == b for a, b in pairs)


def _marks_of(location: Place, secret: bytes) -> _Marks:
    if isinstance(location, Location):
        return _marks({parts_of(str(location.path))}, secret)
    own = _marks(() if location.path is None else {parts_of(location.path)}, secret)
    return _Marks(own.reads | location.reads, own.above | location.above)


def _marks(places: Iterable[Parts], secret: bytes) -> _Marks:
    held = set(places)
    above = {place[:end] for place in held for end in range(1, len(place))}
    return _Marks(*(frozenset(_keyed(each, secret) for each in some) for some in (held, above)))


def _keyed(place: Parts, secret: bytes) -> str:
    said = "\0".join(("place", *place))
    return hmac.new(secret, said.encode(errors="surrogateescape"), hashlib.sha256).hexdigest()[:32]
