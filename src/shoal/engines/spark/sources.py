"""Where rows may come from: frames of Spark, tables of its catalogue, files it reads, and small
tables sent to it; and Spark's types as ours, with the SQL that reads each.

NaN, infinities, bytes that are no text and what does not fit are NULL.  Each reading also says what
it may lose, as for every engine; timestamps become whole microseconds.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from shoal.engines.csv_file import CsvFile
from shoal.engines.frames import as_arrow
from shoal.engines.source_reading import DAYS, ColumnReading, Loss, is_spark_frame
from shoal.engines.spark.connection import is_address, opened, told
from shoal.engines.spark.csv_reading import check_headers, typed
from shoal.engines.spark.files import check_alike, fields_of, files_behind, footers_of
from shoal.engines.spark.functions import MOMENT_OF_DAY
from shoal.errors import SourceError
from shoal.plan import BOOLEAN, INTEGER, REAL, TEXT, TIMESTAMP, Type, decimal, type_named
from shoal.plan.facts import widest

_FORMATS = {".parquet": "parquet", ".csv": "csv", ".tsv": "csv", ".delta": "delta", ".orc": "orc"}


@dataclass(frozen=True)
class SparkTable:
    """Rows that Spark reads: a table of its catalogue, or a path.

    ``session`` is a session of Spark or the address of one (``sc://host:15002``,
    ``spark://host:7077``, ``local[4]``); without it the active session is meant.  ``table`` is
    ``database.table``, or a path to Parquet, CSV, ORC or Delta: what holds a slash or ends in
    ``.parquet``, ``.csv``, ``.orc`` or ``.delta``, or begins with ``delta:``.  ``types`` are those
    of the columns of a CSV file, by the names in its header; a column without one is text.
    ``header`` says that the first row of a CSV file holds the names even if it looks like data.

    >>> SparkTable("sc://host:15002", "db.visits").form, SparkTable(None, "delta:/lake/visits").form
    ('table', 'delta')
    """

    session: Any = field(repr=False)
    table: str
    types: Mapping[str, str | Type] | None = field(default=None, compare=False)
    header: bool = field(default=False, compare=False)

    @property
    def form(self) -> str:
        """How the rows are read: table, parquet, csv, orc or delta."""
        if self.table.startswith("delta:"):
            return "delta"
        suffix = Path(self.table.rstrip("/").removesuffix(".gz")).suffix.lower()
        if suffix in _FORMATS:
            return _FORMATS[suffix]
        return "parquet" if "/" in self.table else "table"

    @property
    def path(self) -> str:
        """The path, where it is one."""
        return self.table.removeprefix("delta:")

    def frame(self, session: Any, path: str | None = None, *, header: bool = True) -> Any:
        """The rows as a frame of a session, those of a CSV file as texts; ``path`` is another one
        that is read alike.

        Without ``header`` the first row of a CSV file is a row as the others are.
        """
        if self.form == "table":
            return session.table(self.table)
        reader = session.read.format(self.form)
        if (
            self.form != "delta"
        ):  # names of folders are no columns: they would take the place of the files' own
            reader = reader.options(recursiveFileLookup=True, mergeSchema=False)
        if self.form == "csv":
            tabs = ".tsv" in self.table.lower()
            reader = reader.options(header=header, inferSchema=False, sep="\t" if tabs else ",")
        return reader.load(self.path if path is None else path)

    @property
    def kinds(self) -> dict[str, Type]:
        """The declared types of a CSV file."""
        return {str(name): type_named(kind) for name, kind in (self.types or {}).items()}


def session_of(sources: Mapping[str, object], session: Any = None) -> Any:
    """The one session of some sources, opened where none runs yet."""
    found: list[Any] = [session] if session is not None else []
    for source in sources.values():
        if is_spark_frame(source):
            found.append(source.sparkSession)  # type: ignore[attr-defined]
        elif isinstance(source, SparkTable):
            found.append(source.session)
    made = [opened(each) if each is None or isinstance(each, str) else each for each in found]
    if any(other is not made[0] for other in made):
        raise SourceError(
            "rows of two sessions of Spark cannot be read together.",
            remedy="Read both tables in one session.",
        )
    return made[0] if made else opened()


def held(source: object, name: str) -> object:
    """A source that Spark or the cluster reads as it is, or else as an Arrow table, which is
    sent.
    """
    is_place = isinstance(source, SparkTable | str | Path | CsvFile) or is_spark_frame(source)
    return source if is_place else as_arrow(source, name)


class Opened(NamedTuple):
    """A source as a frame of a session, and what was lost on the way to it, by column."""

    frame: Any
    losses: Mapping[str, Loss]


def frame_of(source: object, name: str, session: Any) -> Any:
    """A source as a frame of a session."""
    return opened_as(source, name, session).frame


def opened_as(source: object, name: str, session: Any) -> Opened:
    """A source as a frame of a session; refused in words that quote nothing of its contents."""
    if is_spark_frame(source):
        return Opened(source, {})
    if isinstance(source, SparkTable):
        return _read(source, name, session)
    if isinstance(source, CsvFile):
        if source.decimal == "," or source.encoding not in (None, "utf-8"):
            raise SourceError(
                f"the CSV file of {name!r} has decimals after a comma, or another encoding than UTF-8; Spark is not told so.",
                remedy="Write the file as Parquet, or ask of it without Spark.",
            )
        held = SparkTable(session, str(source.path), source.types, header=bool(source.header))
        return _read(held, name, session)
    if isinstance(source, str | Path):
        if is_address(str(source)):
            raise SourceError(
                f"the source of {name!r} says where Spark is, and not which table.",
                remedy="Give SparkTable(address, 'database.table').",
            )
        return _read(SparkTable(session, str(source)), name, session)
    table = as_arrow(source, name)
    frame = told(lambda: session.createDataFrame(_placed(table)))
    return Opened(frame, dict.fromkeys(_cut_short(table), Loss.DISTINCTION))


def _read(table: SparkTable, name: str, session: Any) -> Opened:
    """A table of the catalogue or a path; the files behind a path must have one schema."""
    frame = told(lambda: table.frame(session))
    if table.form in ("table", "delta"):  # these have a schema of their own
        return Opened(frame, {})
    files = files_behind(frame)
    if table.form == "csv":
        kinds = table.kinds
        check_headers(table, session, files, frame, name)
        lost = {each: Loss.TO_NULL for each, kind in kinds.items() if kind != TEXT}
        return Opened(told(lambda: typed(frame, kinds, name)), lost)
    footers = footers_of(session, files) if table.form == "parquet" else None
    check_alike(frame, lambda path: table.frame(session, path), files, footers, name)
    if footers is not None and not any(each.has_nanoseconds for each in footers.values()):
        return Opened(frame, {})
    moments = (each for each, kind in fields_of(frame) if kind.startswith("timestamp"))
    return Opened(frame, dict.fromkeys(moments, Loss.DISTINCTION))


def _cut_short(table: Any) -> list[str]:
    """The columns of an Arrow table whose moments lose their nanoseconds when it is sent."""
    import pyarrow as pa  # noqa: PLC0415 - heavy

    return [
        each.name
        for each in table.schema
        if pa.types.is_timestamp(each.type) and each.type.unit == "ns"
    ]


def _placed(table: Any) -> Any:
    """An Arrow table whose timestamps without a zone are said to be of UTC: else the session's zone
    would move them.
    """
    import pyarrow as pa  # noqa: PLC0415 - heavy
    import pyarrow.compute as pc  # noqa: PLC0415 - heavy

    for at, column in enumerate(table.schema):
        if pa.types.is_timestamp(column.type):
            held = table.column(at)
            if column.type.unit == "ns":  # towards the past, as everywhere
                held = pc.floor_temporal(held, unit="microsecond")
            table = table.set_column(at, column.name, held.cast(pa.timestamp("us", "UTC")))
    return table


# types

_INTEGERS = {"tinyint", "smallint", "int", "bigint"}
_LOCAL = (
    "("
    + MOMENT_OF_DAY.replace("{0}", "CAST({0} AS DATE)")
    + " + HOUR({0}) * CAST(3600000000 AS BIGINT) + MINUTE({0}) * CAST(60000000 AS BIGINT) "
    "+ CAST(EXTRACT(SECOND FROM {0}) * 1000000 AS BIGINT))"
)
_FIRST_MOMENT, _LAST_MOMENT = (
    "TIMESTAMP_NTZ '0001-01-01 00:00:00'",
    "TIMESTAMP_NTZ '9999-12-31 23:59:59.999999'",
)


def reading_of(written: str) -> ColumnReading | None:
    """How a column of a Spark type is read; None if it has no type of ours.

    >>> reading_of("decimal(9,2)").type, reading_of("binary")
    (Type(kind=<Kind.DECIMAL: 'decimal'>, scale=2), None)
    """
    if written in _INTEGERS:
        return ColumnReading(INTEGER, "CAST({0} AS BIGINT)")
    if written in ("float", "double"):
        held = "CAST({0} AS DOUBLE)"
        finite = f"ABS({held}) <= CAST('1.7976931348623157e308' AS DOUBLE)"
        real = f"CASE WHEN {finite} THEN {held} + CAST('0.0' AS DOUBLE) END"
        return ColumnReading(REAL, real, Loss.TO_NULL)
    if written == "boolean":
        return ColumnReading(BOOLEAN, "{0}")
    if re.fullmatch(r"string( collate \S+)?|(var)?char\(\d+\)", written):
        plain = "{0}" if written == "string" else "COLLATE(CAST({0} AS STRING), 'UTF8_BINARY')"
        return ColumnReading(
            TEXT, f"CASE WHEN IS_VALID_UTF8({plain}) THEN {plain} END", Loss.TO_NULL
        )
    if written == "date":
        return DAYS
    return _moment(written) or _decimal(written)


def _moment(written: str) -> ColumnReading | None:
    if written == "timestamp":
        limits = widest(TIMESTAMP)
        assert limits is not None
        ends = " AND ".join(f"CAST({int(end)} AS BIGINT)" for end in (limits.lo, limits.hi))
        sql = "UNIX_MICROS({0})"
        inside = f"CASE WHEN {sql} BETWEEN {ends} THEN {sql} END"
    elif written == "timestamp_ntz":
        inside = f"CASE WHEN {{0}} BETWEEN {_FIRST_MOMENT} AND {_LAST_MOMENT} THEN {_LOCAL} END"
    else:
        return None
    return ColumnReading(TIMESTAMP, inside, Loss.TO_NULL)


def _decimal(written: str) -> ColumnReading | None:
    found = re.fullmatch(r"decimal\((\d+),\s*(\d+)\)", written)
    if not found:
        return None
    width, scale = int(found[1]), int(found[2])
    if scale == 0:
        return ColumnReading(INTEGER, "TRY_CAST({0} AS BIGINT)", Loss.TO_NULL)
    if width > 18:
        return ColumnReading(REAL, "CAST(CAST({0} AS STRING) AS DOUBLE)", Loss.DISTINCTION)
    power = f"CAST({10**scale} AS DECIMAL({scale + 1},0))"
    return ColumnReading(decimal(scale), f"CAST({{0}} * {power} AS BIGINT)")
