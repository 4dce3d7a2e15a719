"""How the cells of a CSV file are read by Spark: as text first, and then as the declared type or
NULL.

The rules are those of DuckDB's reading; only the words of SQL differ.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Any

from shoal.engines.csv_file import is_datum, lacking
from shoal.engines.source_reading import check_names
from shoal.engines.spark.connection import told
from shoal.engines.spark.files import different, escaped
from shoal.errors import SchemaError
from shoal.plan import BOOLEAN, DATE, INTEGER, REAL, TIMESTAMP, Kind, Type

if TYPE_CHECKING:
    from shoal.engines.spark.sources import SparkTable

_DAY = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_TIME = r"[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,6})?)?"
_WRITTEN = {
    INTEGER: (r"[+-]?[0-9]+([.]0*)?", "BIGINT"),
    REAL: (r"[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?", "DOUBLE"),
    DATE: (_DAY, "DATE"),
}


def check_headers(
    table: SparkTable, session: Any, files: Sequence[str], frame: Any, name: str
) -> None:
    """Refuse files whose first rows differ, that Spark would rename, or that look like data where
    nobody declared the names.

    Spark takes the names from one file and reads all others by the place of a cell.  A first row
    that may be data is quoted nowhere.
    """
    first, *others = files
    names = _first_row(table, session, first)
    if len(frame.columns) == 1:
        # An empty cell is then an empty line, which Spark skips: the number of rows would depend on
        # what is in them.
        raise SchemaError(
            f"the files of {name!r} have one column, and Spark skips rows in which it is empty.",
            remedy="Write the table as Parquet, or with a second column, such as the number of the row.",
        )
    for file in others:
        found = _first_row(table, session, file)
        if found != names:
            at = next(
                (
                    at
                    for at, pair in enumerate(zip(names, found, strict=False))
                    if pair[0] != pair[1]
                ),
                min(len(names), len(found)),
            )
            raise different(name, f"column {at + 1}", first, file)
    if names != list(frame.columns):  # two of one name, or one without: these get others
        raise SchemaError(
            f"the first row of the files of {name!r} holds a name twice, or none for a column.",
            remedy="Give every column a name of its own, and write the names in the first row.",
        )
    if not table.header and not set(names) <= set(table.kinds):
        _question_header(frame, names, name)


def _first_row(table: SparkTable, session: Any, file: str) -> list[str]:
    """The cells of the first row as they are written; none where there is no row."""
    rows = told(lambda: table.frame(session, escaped(file), header=False).head(1))
    return ["" if cell is None else str(cell) for row in rows for cell in row]


def _question_header(frame: Any, names: Sequence[str], name: str) -> None:
    """Refuse a first row that may be data: a cell that no name looks like, or that stands below
    again.
    """
    is_data = any(map(is_datum, names))
    if not is_data:
        same = reduce(or_, (frame[_quoted(each)] == each for each in names))
        is_data = bool(told(lambda: frame.where(same).head(1)))
    if is_data:
        raise SchemaError(
            f"the first row of the files of {name!r} looks like data, not like the names of columns.",
            remedy="If those are the names, declare every column: SparkTable(session, path, types={'age': 'integer', 'city': 'text'}). "
            "If the files have no header, write one.",
        )


def typed(frame: Any, types: Mapping[str, Type], name: str) -> Any:
    """A frame of texts as one of declared types; columns that are not declared stay texts."""
    check_names(frame.columns, name)
    missing = [each for each in types if each not in frame.columns]
    if missing:
        raise lacking(f"the header of {name!r}", missing)
    return frame.selectExpr(*(_cell(each, types.get(each)) for each in frame.columns))


def _cell(name: str, kind: Type | None) -> str:
    column = _quoted(name)
    return f"{_read(column, kind)} AS {column}"


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _read(column: str, kind: Type | None) -> str:
    cell = f"TRIM({column})"
    if kind == TIMESTAMP:  # a moment without a zone is one of UTC
        local = f"TRY_CAST(CONCAT({cell}, 'Z') AS TIMESTAMP)"
        zoned = f"TRY_CAST({cell} AS TIMESTAMP)"
        zone = "(Z|[+-][0-9]{2}(:[0-9]{2})?)"
        return (
            f"CASE WHEN {cell} RLIKE '^{_DAY}{_TIME}$' THEN {local} "
            f"WHEN {cell} RLIKE '^{_DAY}{_TIME}{zone}$' THEN {zoned} END"
        )
    if kind == BOOLEAN:
        return f"CASE WHEN LOWER({cell}) IN ('true', 't', '1') THEN TRUE WHEN LOWER({cell}) IN ('false', 'f', '0') THEN FALSE END"
    if kind is not None and kind.kind is Kind.DECIMAL:
        digits = f"[0-9]{{0,{kind.scale}}}0*"
        pattern, to = rf"[+-]?([0-9]+[.]?{digits}|[.][0-9]{digits})", f"DECIMAL(18,{kind.scale})"
    elif kind in _WRITTEN:
        pattern, to = _WRITTEN[kind]
    else:
        return column
    whole = f"REGEXP_REPLACE({cell}, '[.]0*$', '')" if kind == INTEGER else cell
    return f"CASE WHEN {cell} RLIKE '^{pattern}$' THEN TRY_CAST({whole} AS {to}) END"
