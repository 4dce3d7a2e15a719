"""What tells one content of a table of Spark from another: the keyed hash of all its rows, made in the cluster.

Stamps of the files behind it (names, sizes, dates) say later that nothing was written; they are asked of the cluster, too.  They prove something only
of a path or a table that is nothing but its files, listed anew each time.  A frame knows the files of the day it was made, a view may be computed from anything, and some
formats mark rows as gone without writing to a file: of these all rows are hashed each time, before and after a question.
"""

from __future__ import annotations

import hashlib
import hmac
import time
from contextlib import suppress
from dataclasses import replace
from typing import Any

from shoal.engines.spark import Spark
from shoal.engines.spark.content import PLAIN, content_of, format_of, stamps_of
from shoal.engines.spark.running import Progress
from shoal.engines.spark.sources import SparkTable, session_of
from shoal.vault.spark_location import SparkLocation
from shoal.vault.spark_paths import name_parts

_SETTLED = 2_000_000
"""A file that was written less than so many microseconds before it was hashed may change without a later date."""

Stamps = tuple[tuple[int, ...], ...]


def spark_content(
    location: SparkLocation, secret: bytes, progress: Progress | None = None
) -> tuple[str, int, Stamps, str]:
    """The keyed hash of the rows, the bytes of the files, their stamps if these prove something, and the hash itself."""
    start, before = time.time_ns() // 1000, spark_stamps(location)
    source = location.source
    if isinstance(source, SparkTable):  # whose names they are was asked when it was declared
        source = replace(source, header=True)
    engine = Spark({"rows": source}, progress=progress)
    try:
        found = content_of(engine, "rows", _derived(secret))
    finally:
        engine.close()
    said = f"spark\n{hashlib.sha256(found.encode()).hexdigest()}"
    digest = hmac.new(secret, said.encode(), hashlib.sha256).hexdigest()
    size, newest = (before[0][1], before[0][2]) if before else (0, 0)
    settled = newest + _SETTLED < start and before == spark_stamps(location)
    return digest, size, before if settled and newest else (), said


def _derived(secret: bytes) -> bytes:
    """The key of the hashes of rows, which the cluster sees: made of the vault's, and telling nothing of it."""
    return hmac.new(secret, b"rows of Spark", hashlib.sha256).digest()


def spark_stamps(location: SparkLocation) -> Stamps:
    """The stamps of all files behind a path or a table, as one line; nothing where they would prove nothing."""
    if location.form == "frame":
        return ()
    session = session_of({"rows": location.source})
    if format_read(location, session) not in PLAIN:
        return ()
    with suppress(Exception):  # what is not there is told when it is read
        if location.path is None:
            session.catalog.refreshTable(location.table)
        else:
            session.catalog.refreshByPath(location.path)
    found = stamps_of(session, SparkTable(session, location.table))
    return () if found is None else (found,)


def format_read(location: SparkLocation, session: Any) -> str | None:
    """The format of a path or of a table of the catalogue; None of a frame and of a view."""
    if location.form == "frame":
        return None
    if location.path is not None:
        return SparkTable(None, location.table).form
    return format_of(session, name_parts(location.table))
