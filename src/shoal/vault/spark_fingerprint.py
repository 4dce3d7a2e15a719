"""What tells one content of a table of Spark from another: the keyed hash of all its rows, made in the cluster.

Stamps of the files behind it (names, sizes, dates) say later that nothing was written; they are asked of the cluster, too.  Where there
are no files to be seen, all rows are hashed when a process first uses them, and are then taken for what they were.
"""

from __future__ import annotations

import hashlib
import hmac
import time

from shoal.engines.spark import Spark
from shoal.engines.spark.content import content_of, stamps_of
from shoal.engines.spark.running import Progress
from shoal.engines.spark.sources import frame_of, session_of
from shoal.vault.spark_location import SparkLocation

_SETTLED = 2_000_000
"""A file that was written less than so many microseconds before it was hashed may change without a later date."""

Stamps = tuple[tuple[int, ...], ...]


def spark_content(
    location: SparkLocation, secret: bytes, progress: Progress | None = None
) -> tuple[str, int, Stamps, str]:
    """The keyed hash of the rows, the bytes of the files, their stamps if these prove something, and the hash itself."""
    before = spark_stamps(location)
    engine = Spark({"rows": location.source}, progress=progress)
    found = content_of(engine, "rows")
    engine.close()
    said = f"spark\n{hashlib.sha256(found.encode()).hexdigest()}"
    digest = hmac.new(secret, said.encode(), hashlib.sha256).hexdigest()
    size, newest = before[0][1], before[0][2]
    settled = newest + _SETTLED < time.time_ns() // 1000 and before == spark_stamps(location)
    return digest, size, before if settled and newest else (), said


def spark_stamps(location: SparkLocation) -> Stamps:
    """The stamps of all files behind a table, as one line; zeros where there are none to be seen."""
    session = session_of({"rows": location.source})
    found = stamps_of(session, frame_of(location.source, "rows", session))
    return (found or (0, 0, 0, 0),)
