"""Files behind a path must have one schema: Spark takes it from one of them and imposes it on the
rows of all others.

Every file is read by itself here, as far as its columns go.  If all files have the same columns by
themselves, then reading them together reads each row as its own file has it.  See the paragraph on
scans in `plan/stability.md`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import zip_longest
from typing import Any, NamedTuple
from urllib.parse import unquote

from shoal.engines.spark.connection import is_remote, told
from shoal.errors import SourceError

Fields = list[tuple[str, str]]
"""Names and types of columns, as Spark calls them."""

Load = Callable[[str], Any]
"""Reads a path as a frame, with the options of the whole source."""

_AT_ONCE = 8
_SPARKS_OWN = "org.apache.spark.sql.parquet.row.metadata"
"""Where a file of Parquet that Spark wrote has the types of Spark."""


class Footer(NamedTuple):
    """What a file of Parquet says of its columns; whether one may hold no NULL does not matter, nor
    the name of the schema.
    """

    schema: str
    width: int
    types: str | None

    @property
    def has_nanoseconds(self) -> bool:
        """Whether it holds moments of INT96, which Spark cuts to microseconds."""
        return " int96 " in self.schema


def fields_of(frame: Any) -> Fields:
    """The columns of a frame."""
    return [(each.name, each.dataType.simpleString()) for each in frame.schema.fields]


def files_behind(frame: Any) -> list[str]:
    """The files of a frame that was just loaded, in the order of their names."""
    return sorted(unquote(str(each)) for each in told(frame.inputFiles))


def escaped(path: str) -> str:
    r"""A path that stands for itself: Spark would read some signs as a pattern.

    >>> escaped("/a/[b]*.parquet")
    '/a/\\[b\\]\\*.parquet'
    """
    return re.sub(r"([*?\[\]{}\\])", r"\\\1", path)


def footers_of(session: Any, files: Sequence[str]) -> dict[str, Footer] | None:
    """The footers of files of Parquet, read by the driver; None at the other end of Spark Connect,
    where nobody can.
    """
    if is_remote(session):
        return None
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        found = told(lambda: list(pool.map(lambda file: _footer(session, file), files)))
    return dict(zip(files, found, strict=True))


def _footer(session: Any, file: str) -> Footer:
    machine = session._jvm  # noqa: SLF001 - the libraries of Spark have no other door
    settings = session._jsc.hadoopConfiguration()  # noqa: SLF001
    parquet = machine.org.apache.parquet.hadoop
    place = parquet.util.HadoopInputFile.fromPath(machine.org.apache.hadoop.fs.Path(file), settings)
    reader = parquet.ParquetFileReader.open(place)
    try:
        said = reader.getFileMetaData()
        schema = said.getSchema()
        return Footer(
            re.sub(
                r"^(\s*)(?:required|optional) ", r"\1", _body(schema.toString()), flags=re.MULTILINE
            ),
            schema.getFieldCount(),
            said.getKeyValueMetaData().get(_SPARKS_OWN),
        )
    finally:
        reader.close()


def _body(schema: str) -> str:
    return schema.partition("\n")[2]


def check_alike(
    frame: Any, load: Load, files: Sequence[str], footers: dict[str, Footer] | None, name: str
) -> None:
    """Refuse files that differ in the names or types of their columns, and a summary file that says
    other columns.

    Files with the same footer have the same columns, so one of them is looked at; without footers,
    each file is.
    """
    if footers is None:
        some = list(files)
    else:
        some = list({footer: file for file, footer in reversed(footers.items())}.values())
    schemas = told(lambda: {file: fields_of(load(escaped(file))) for file in some})
    first, *others = sorted(schemas)
    for file in others:
        if schemas[file] != schemas[first]:
            raise different(name, _first_apart(schemas[first], schemas[file]), first, file)
    if (whole := fields_of(frame)) != schemas[first]:
        raise different(name, _first_apart(schemas[first], whole), first, "_common_metadata")


def _first_apart(ours: Fields, theirs: Fields) -> str:
    one, other = next((a, b) for a, b in zip_longest(ours, theirs) if a != b)
    return (other or one or ("",))[0]


def different(name: str, column: str, one: str, other: str) -> SourceError:
    """The refusal of files that do not have the same columns."""
    return SourceError(
        f"the files of {name!r} have different columns: {column[:60]!r} is not the same in {_short(one)} and {_short(other)}.",
        remedy="Write all files with the same columns, in the same order and of the same types.",
    )


def _short(file: str) -> str:
    return file.rpartition("/")[2]
