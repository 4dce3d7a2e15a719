"""What tells one content from another, found in the cluster: a hash of all rows whatever their order, and stamps of files.

The hash is the sum, word by word, of the SHA-256 of every row, and the number of rows: exact sums, so that neither order nor partitions matter, and no row
comes to the driver.  Only columns that can be used count, as they are read.
"""

from __future__ import annotations

from typing import Any

from shoal.engines.spark.connection import told
from shoal.engines.spark.dialect import SPARK
from shoal.engines.spark.engine import Spark
from shoal.engines.spark.running import Progress, running

_WORDS, _DIGITS = 8, 8


def content_of(engine: Spark, table: str) -> str:
    """The columns of a source, the number of its rows and the sums of their hashes, as text."""
    columns = engine.columns(table)
    parts = ", ".join(_part(SPARK.name(column.name)) for column in columns)
    words = ", ".join(
        f"SUM(CAST(CONV(SUBSTRING(h, {1 + _DIGITS * at}, {_DIGITS}), 16, 10) AS DECIMAL(20,0)))"
        for at in range(_WORDS)
    )
    hashed = f"SELECT SHA2(CONCAT({parts}), 256) AS h FROM {engine.view(table)}"
    (found,) = list(engine.fetched(f"SELECT COUNT(*), {words} FROM ({hashed})"))
    said = [str(column) for column in columns]
    return "\n".join([*said, *(str(int(number or 0)) for number in found)])


def _part(name: str) -> str:
    """A value so that no two rows look alike: its length and itself, or n for NULL."""
    text = f"CAST({name} AS STRING)"
    return f"COALESCE(CONCAT(CAST(LENGTH({text}) AS STRING), ':', {text}), 'n')"


def stamps_of(session: Any, frame: Any, progress: Progress | None = None) -> tuple[int, ...] | None:
    """Of the files behind a frame how many there are, their bytes, when the last was written, and a hash of all that.

    None where there are no files, or none to be seen: a frame of the driver's, or of another database.
    """
    named = [
        f"_metadata.{name} AS {name}"
        for name in ("file_path", "file_size", "file_modification_time")
    ]
    counted = (
        "COUNT(*)",
        "COALESCE(SUM(file_size), 0)",
        "COALESCE(MAX(UNIX_MICROS(file_modification_time)), 0)",
        "COALESCE(SUM(CAST(XXHASH64(file_path, file_size, file_modification_time) AS DECIMAL(20,0))), 0)",
    )
    try:
        files = frame.selectExpr(*named).distinct()
    except Exception:  # noqa: BLE001 - what Spark says to this differs by kind of source
        return None
    with running(session, progress):
        (line,) = told(lambda: files.selectExpr(*counted).collect())
    return tuple(int(number) for number in line)
