"""What tells one content of a table of Spark from another: the keyed hash of all its rows, made in
the cluster.

Stamps of the files behind it (names, sizes, dates) say later that nothing was written; they are
asked of the cluster, too.  They prove something only of a path or a table that is nothing but its
files, listed anew each time.  A frame knows the files of the day it was made, a view may be
computed from anything, and some formats mark rows as gone without writing to a file: of these all
rows are hashed each time, before and after a question.

The files behind it, as keyed hashes of their paths, say whether it meets another source, however
the two are spelled.
"""

from __future__ import annotations

import hashlib
import hmac
import time
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from shoal.engines.spark import Spark
from shoal.engines.spark.connection import told
from shoal.engines.spark.content import PLAIN, content_of, files_of, format_of, stamps_of
from shoal.engines.spark.sources import SparkTable, session_of
from shoal.vault.sources.fingerprint import Dates, Fingerprint, Progress
from shoal.vault.sources.spark_paths import (
    PathMarks,
    name_parts,
    parts_of,
    parts_of_file,
    root_of,
)

if TYPE_CHECKING:
    from shoal.vault.sources.spark_source import SparkSource

_SETTLED = 2_000_000
"""A file that was written less than so many microseconds before it was hashed may change without a
later date.
"""

_MOST_FILES = 256
"""Of more files than so many the folders are kept."""


def spark_content(
    source: SparkSource, secret: bytes, progress: Progress | None = None
) -> Fingerprint:
    """The keyed hash of the rows, the bytes of the files, their stamps if these prove something,
    and the hash itself.
    """
    start, before = time.time_ns() // 1000, spark_stamps(source)
    given = source.for_engine()
    if isinstance(given, SparkTable):  # whose names they are was asked when it was declared
        given = replace(given, header=True)
    engine = Spark({"rows": given}, progress=progress)
    try:
        found = content_of(engine, "rows", _derived(secret))
    finally:
        engine.close()
    said = f"spark\n{hashlib.sha256(found.encode()).hexdigest()}"
    digest = hmac.new(secret, said.encode(), hashlib.sha256).hexdigest()
    size, newest = (before[0][1], before[0][2]) if before else (0, 0)
    settled = newest + _SETTLED < start and before == spark_stamps(source)
    return Fingerprint(digest, size, before if settled and newest else (), said)


def _derived(secret: bytes) -> bytes:
    """The key of the hashes of rows, which the cluster sees: made of the vault's, and telling
    nothing of it.
    """
    return hmac.new(secret, b"rows of Spark", hashlib.sha256).digest()


def spark_stamps(source: SparkSource) -> Dates:
    """The stamps of all files behind a path or a table, as one line; nothing where they would prove
    nothing.
    """
    if source.form == "frame":
        return ()
    session = session_of({"rows": source.for_engine()})
    if _format_read(source, session) not in PLAIN:
        return ()
    with suppress(Exception):  # what is not there is told when it is read
        if source.path is None:
            session.catalog.refreshTable(source.table)
        else:
            session.catalog.refreshByPath(source.path)
    found = stamps_of(session, SparkTable(session, source.table))
    return () if found is None else (found,)


def _format_read(source: SparkSource, session: Any) -> str | None:
    """The format of a path or of a table of the catalogue; None of a frame and of a view."""
    if source.form == "frame":
        return None
    if source.path is not None:
        return SparkTable(None, source.table).form
    return format_of(session, name_parts(source.table))


def files_behind(source: SparkSource, secret: bytes) -> tuple[PathMarks, bool]:
    """Keyed hashes of the files and folders behind a source, and whether they are all there is."""
    given = source.for_engine()
    session = session_of({"rows": given})
    frame = told(lambda: given.frame(session)) if isinstance(given, SparkTable) else given
    files = {parts_of_file(each) for each in files_of(frame)}
    is_table = _format_read(source, session) is not None and source.path is None
    listed = bool(files) and (is_table or source.path is not None)
    folders = {
        root_of(file)
        for file in files
        if is_table or file[-1].startswith("part-") or len(files) > _MOST_FILES
    }  # Spark writes folders of parts: whoever reads one reads the table
    own = set() if source.path is None else {parts_of(source.path)}
    apart = {file for file in files if root_of(file) not in folders}
    return PathMarks.of(own | folders | apart, secret), listed
