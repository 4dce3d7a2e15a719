"""What tells one content from another, found in the cluster: a hash of all rows whatever their
order, and stamps of files.

The hash is the number of rows, and the sums of 17 words of 60 bits that two SHA-512 of every row
are cut into: exact sums, so that neither order nor partitions nor the order of columns matter, and
no row comes to the driver.  Only columns that can be used count, as they are read.

Rows are hashed with a key, so that nobody who lacks it can look for rows whose words add up to
those of others: to them each sum is one of 2^1020.  The cluster's own logs may show the key, which
is used for nothing else.  Who has it, and may choose very many rows, still has to find a sum of
1020 bits among their sums; the best way known (Wagner's) takes some 2^62 steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from shoal.engines.spark.connection import told
from shoal.engines.spark.dialect import SPARK
from shoal.engines.spark.engine import Spark
from shoal.engines.spark.running import Progress, running
from shoal.engines.spark.sources import SparkTable
from shoal.plan import REAL, Type

VERSION = 2
"""Of what is hashed and how; another version has other hashes of the same rows."""

_HASHES, _DIGITS = 2, 15
_WORDS = _HASHES * 128 // _DIGITS
_TABLES = {"managed", "external"}
PLAIN = {"parquet", "csv", "orc"}
"""Formats whose rows are those of their files; others, such as Delta, can mark rows as gone without
writing to a file.
"""


def content_of(engine: Spark, table: str, key: bytes = b"") -> str:
    """The columns of a source in order of their names, the number of its rows and the sums of their
    hashes, as text.
    """
    columns = sorted(engine.columns(table), key=lambda each: each.name)
    parts = ", ".join(_part(SPARK.name(each.name), each.type) for each in columns)
    hashes = ", ".join(
        f"SHA2(CONCAT('{key.hex()} {at} ', r), 512)" for at in range(_HASHES)
    )  # 128 digits each
    words = ", ".join(
        f"SUM(CAST(CONV(SUBSTRING(h, {1 + _DIGITS * at}, {_DIGITS}), 16, 10) AS DECIMAL(20,0)))"
        for at in range(_WORDS)
    )
    rows = f"SELECT CONCAT({parts}) AS r FROM {engine.view(table)}"
    hashed = f"SELECT CONCAT({hashes}) AS h FROM ({rows})"
    (found,) = list(engine.fetched(f"SELECT COUNT(*), {words} FROM ({hashed})"))
    said = [f"version {VERSION}", *map(str, columns)]
    return "\n".join([*said, *(str(int(number or 0)) for number in found)])


def _part(name: str, kind: Type) -> str:
    """A value so that no two rows look alike: its length and itself, or n for NULL.

    A real is told by its 64 bits, which XXHASH64 maps one to one: its digits depend on the version
    of Java.
    """
    text = f"CAST({f'XXHASH64({name})' if kind == REAL else name} AS STRING)"
    told = f"CONCAT(CAST(LENGTH({text}) AS STRING), ':', {text})"
    return f"CASE WHEN {name} IS NOT NULL THEN {told} ELSE 'n' END"


def stamps_of(
    session: Any, source: SparkTable, progress: Progress | None = None
) -> tuple[int, ...] | None:
    """Of the files behind a path or a table how many there are, their bytes, when the last was
    written, and a hash of all that.

    None where there are no files, or none to be seen: in another database.  Of a path the files are
    listed and not read.
    """
    counted = (
        "COUNT(*)",
        "COALESCE(SUM(size), 0)",
        "COALESCE(MAX(UNIX_MICROS(written)), 0)",
        "COALESCE(SUM(CAST(XXHASH64(file, size, written) AS DECIMAL(20,0))), 0)",
    )
    try:
        files = _of_path(session, source) if source.form != "table" else _of_table(session, source)
    except Exception:  # noqa: BLE001 - what Spark says to this differs by kind of source
        return None
    with running(session, progress):
        (line,) = told(lambda: files.selectExpr(*counted).collect())
    return tuple(int(number) for number in line)


def _of_path(session: Any, source: SparkTable) -> Any:
    """All files below a path; folders named by values make no columns, which could take the place
    of what is asked for.
    """
    reader = session.read.format("binaryFile").option("recursiveFileLookup", "true")
    listed = reader.load(source.path)
    return listed.selectExpr("path AS file", "length AS size", "modificationTime AS written")


def _of_table(session: Any, source: SparkTable) -> Any:
    named = ("file_path AS file", "file_size AS size", "file_modification_time AS written")
    return source.frame(session).selectExpr(*(f"_metadata.{each}" for each in named)).distinct()


def files_of(frame: Any) -> list[str]:
    """The files that a frame reads, as far as Spark knows them; none of rows that come from
    elsewhere.
    """
    try:
        return [str(each) for each in frame.inputFiles()]
    except Exception:  # noqa: BLE001 - what Spark says to this differs by kind of source
        return []


def format_of(session: Any, name: Sequence[str]) -> str | None:
    """The format of a table of the catalogue; None of a view, which may be computed from
    anything.
    """
    quoted = ".".join(f"`{part.replace('`', '``')}`" for part in name)
    try:
        lines = session.sql(f"DESCRIBE TABLE EXTENDED {quoted}").collect()
    except Exception:  # noqa: BLE001 - a catalogue of another kind
        return None
    said = {str(line[0]): str(line[1]).lower() for line in lines}
    return said.get("Provider") if said.get("Type") in _TABLES else None
