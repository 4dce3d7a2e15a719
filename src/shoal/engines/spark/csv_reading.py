"""How the cells of a CSV file are read by Spark: as text first, and then as the declared type or NULL.

The rules are those of DuckDB's reading; only the words of SQL differ.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal.engines.reading import check_names
from shoal.errors import SchemaError
from shoal.plan import BOOLEAN, DATE, INTEGER, REAL, TIMESTAMP, Kind, Type

_DAY = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_TIME = r"[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,6})?)?"
_WRITTEN = {
    INTEGER: (r"[+-]?[0-9]+([.]0*)?", "BIGINT"),
    REAL: (r"[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?", "DOUBLE"),
    DATE: (_DAY, "DATE"),
}


def typed(frame: Any, types: Mapping[str, Type], name: str) -> Any:
    """A frame of texts as one of declared types; columns that are not declared stay texts."""
    check_names(frame.columns, name)
    if any(each not in frame.columns for each in types):
        raise SchemaError(
            f"the header of {name!r} does not hold the declared names.",
            remedy="Declare the names as the header has them.",
        )
    return frame.selectExpr(*(_cell(each, types.get(each)) for each in frame.columns))


def _cell(name: str, kind: Type | None) -> str:
    column = "`" + name.replace("`", "``") + "`"
    return f"{_read(column, kind)} AS {column}"


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
