"""How the cells of a CSV file are read by DuckDB: as text first, and then as the declared type or
NULL.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from shoal.engines.csv_file import CsvFile
from shoal.engines.duckdb.dialect import DUCKDB
from shoal.errors import SourceError
from shoal.plan import BOOLEAN, DATE, INTEGER, REAL, TEXT, TIMESTAMP, Kind, Type

if TYPE_CHECKING:
    import duckdb

_LINE = re.compile(r"[\w ]+: CSV Error on Line: ([0-9]+)\b")
_WHOLE = r"^\s*[+-]?[0-9]+(\.0*)?\s*$"
_REAL = r"^\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\s*$"
_DAY = r"^\s*[0-9]{4}-[0-9]{2}-[0-9]{2}\s*$"
_MOMENT = (
    r"^\s*[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?"
    r"(Z|[+-][0-9]{2}(:[0-9]{2})?)?\s*$"
)
_TRUTH = "CASE LOWER(TRIM({0})) WHEN 'true' THEN TRUE WHEN 'false' THEN FALSE WHEN 't' THEN TRUE WHEN 'f' THEN FALSE WHEN '1' THEN TRUE WHEN '0' THEN FALSE END"


def _cast(pattern: str, kind: str) -> str:
    """A cell as a type if it is written as one: DuckDB alone would round 1.5 to 2, and read 1_000
    as 1000.
    """
    braces = pattern.replace("{", "{{").replace("}", "}}")
    return f"CASE WHEN REGEXP_MATCHES({{0}}, '{braces}') THEN TRY_CAST(TRIM({{0}}) AS {kind}) END"


_READ = {
    INTEGER: _cast(_WHOLE, "BIGINT"),
    REAL: _cast(_REAL, "DOUBLE"),
    TEXT: "{0}",
    BOOLEAN: _TRUTH,
    DATE: _cast(_DAY, "DATE"),
    TIMESTAMP: _cast(_MOMENT, "TIMESTAMP"),
}

_EMPTY = "{0} IS NULL OR "
FITS = {
    INTEGER: f"{_EMPTY}({_READ[INTEGER]} IS NOT NULL AND NOT REGEXP_MATCHES({{0}}, '^\\s*[+-]?0[0-9]|\\.'))",
    REAL: f"{_EMPTY}({_READ[REAL]} IS NOT NULL AND NOT REGEXP_MATCHES({{0}}, '^\\s*[+-]?0[0-9]'))",
    BOOLEAN: f"{_EMPTY}LOWER(TRIM({{0}})) IN ('true', 'false')",
    DATE: f"{_EMPTY}{_READ[DATE]} IS NOT NULL",
    TIMESTAMP: f"{_EMPTY}{_READ[TIMESTAMP]} IS NOT NULL",
}
"""Whether a cell c fits a type, for proposals; numbers that begin with zeros are labels, as
postcodes are.
"""


def fits_sql(column: str, kind: Type, decimal: str | None) -> str:
    """Whether a cell fits a type, for proposals."""
    return FITS[kind].format(_pointed(column, kind, decimal))


def _pointed(column: str, kind: Type, decimal: str | None) -> str:
    """A cell with a point before its decimals; a point where a comma was declared makes it no
    number.
    """
    is_number = kind.kind in (Kind.INTEGER, Kind.REAL, Kind.DECIMAL)
    return f"TRANSLATE({column}, ',.', '.,')" if decimal == "," and is_number else column


def cell_sql(cell: str, kind: Type, decimal: str | None = None) -> str:
    """A cell as its declared type; NULL if it does not fit."""
    column = _pointed(cell, kind, decimal)
    if kind.kind is Kind.DECIMAL:
        digits = rf"^\s*[+-]?([0-9]+\.?[0-9]{{0,{kind.scale}}}0*|\.[0-9]{{1,{kind.scale}}}0*)\s*$"
        return _cast(digits, f"DECIMAL(18,{kind.scale})").format(column)
    return _READ[kind].format(column)


def described(file: CsvFile) -> list[tuple[str, str]]:
    """The columns of a file, each with the type that `cell_sql` gives its cells."""
    return [(name, _written(kind)) for name, kind in file.types.items()]


def _written(kind: Type) -> str:
    return f"DECIMAL(18,{kind.scale})" if kind.kind is Kind.DECIMAL else DUCKDB.types[kind.kind]


def csv_sql(file: CsvFile) -> str:
    """The file as a table of texts c0, c1, ...; a row of another width, or a quote that does not
    end, is an error.
    """
    columns = ", ".join(f"'c{at}': 'VARCHAR'" for at in range(len(file.types)))
    paths = ", ".join("'" + str(each).replace("'", "''") + "'" for each in file.paths)
    return (
        f"read_csv([{paths}], auto_detect=false, header={str(file.header is not False).lower()}, "
        f"delim='{file.separator}', quote='\"', escape='\"', columns={{{columns}}}, strict_mode=true, "
        f"null_padding=false, ignore_errors=false, hive_partitioning=false, union_by_name=false, "
        f"compression='{'gzip' if file.compressed else 'none'}', encoding='{file.encoding or 'utf-8'}')"
    )


def typed_sql(file: CsvFile, only: Collection[str] | None = None) -> str:
    """The file as a table of its declared columns, or of some of them."""
    cells = ", ".join(
        f"{cell_sql(f'c{at}', kind, file.decimal)} AS {DUCKDB.name(name)}"
        for at, (name, kind) in enumerate(file.types.items())
        if only is None or name in only
    )
    return f"(SELECT {cells} FROM {csv_sql(file)})"


def run(connection: duckdb.DuckDBPyConnection, sql: str, name: str) -> list[tuple[Any, ...]]:
    """Read a CSV file for the curator; what DuckDB says of an error may quote a row, so only the
    line is passed on.

    Needs: a caller who registers the file: which line is wrong depends on its rows.
    """
    import duckdb  # noqa: PLC0415 - heavy

    try:
        return connection.execute(sql).fetchall()
    except duckdb.Error as error:
        line = _LINE.match(str(error))
        raise SourceError(
            f"the file of {name!r} cannot be read as CSV{f', at line {line[1]}' if line else ''}.",
            remedy="It needs the same number of cells in every row, one kind of line end, quotes that end, and text in UTF-8 "
            "or in the encoding that is declared; or write it as Parquet.",
        ) from None
