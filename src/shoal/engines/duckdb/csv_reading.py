"""How a CSV file is read by DuckDB: its cells as text first, and then as the declared type or NULL.

The types are completed from what is declared, or proposed to the curator, who decides.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from shoal.engines.csv_file import CsvFile, header_of, is_datum
from shoal.engines.duckdb.connection import opened
from shoal.engines.duckdb.dialect import DUCKDB
from shoal.engines.source_reading import check_names
from shoal.errors import SchemaError, SourceError
from shoal.plan import (
    BOOLEAN,
    DATE,
    INTEGER,
    REAL,
    TEXT,
    TIMESTAMP,
    Choices,
    Kind,
    Range,
    Type,
)

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


_PROPOSED = (BOOLEAN, INTEGER, REAL, DATE, TIMESTAMP)


def complete(file: CsvFile, facts: Mapping[str, object], name: str) -> CsvFile:
    """The file with a type for every column, declared or implied by a fact; refused with a proposal
    if one is missing.
    """
    names, mark = header_of(file, name)
    types = {each: kind for each in names if (kind := _type(each, file, facts)) is not None}
    if len(types) < len(set(names)):
        _refuse_incomplete(file, facts, types, name)
    check_names(names, name)
    ordered = {each: types[each] for each in names}
    return file.with_types(ordered, header=file.header is not False, delimiter=mark)


def check_rows(file: CsvFile, name: str) -> None:
    """Refuse a file with a row that cannot be read, and tell the curator where it is."""
    connection = opened()
    try:
        run(connection, f"SELECT COUNT(c0) FROM {csv_sql(file)}", name)
    finally:
        connection.close()


def proposed(file: CsvFile, facts: Mapping[str, object], name: str) -> CsvFile:
    """The file with types read off its rows where none is declared: for a curator to look at, or a
    table that is public.
    """
    names, mark = header_of(file, name)
    has_header = file.header is not False
    plain = file.with_types(dict.fromkeys(names, TEXT), header=has_header, delimiter=mark)
    connection = opened()
    try:
        if file.header is None and not set(names) <= {*file.types, *facts}:
            _question_header(connection, plain, names, name)
        check_names(names, name)
        found = _fitting(connection, plain, name)
    finally:
        connection.close()
    types = {each: _type(each, file, facts) or found[each] for each in names}
    return file.with_types(types, header=has_header, delimiter=mark)


def _refuse_incomplete(
    file: CsvFile, facts: Mapping[str, object], types: Mapping[str, Type], name: str
) -> None:
    whole = proposed(file, facts, name)
    missing = [each for each in whole.types if each not in types]
    listed = ", ".join(f"{each!r}: {str(kind)!r}" for each, kind in whole.types.items())
    more = "" if whole.header else ", header=False"
    raise SchemaError(
        f"{file.path.name} does not say the types of its columns, and {_some(missing)} "
        f"{'are' if len(missing) > 1 else 'is'} not declared.",
        remedy=f"Check and give this: shoal.CsvFile({str(file.path)!r}, {{{listed}}}{more}). "
        "These types fit every cell now; from then on a cell that does not fit is NULL.",
    )


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(repr(each[:60]) for each in names[:5])
    return f"{shown} and {len(names) - 5} more" if len(names) > 5 else shown


def _type(name: str, file: CsvFile, facts: Mapping[str, object]) -> Type | None:
    """The declared type of a column, or the one that its fact leaves."""
    return file.types.get(name) or implied(facts.get(name))


def implied(fact: object) -> Type | None:
    """The only type that a fact fits; None if there are several, as for a range of numbers.

    >>> print(implied(Range("2026-01-01", "2026-12-31")), implied(Choices(["tea", "milk"])), implied(Range(0, 9)))
    date text None
    """
    if isinstance(fact, Range):
        if isinstance(fact.lo, Fraction):
            return None
        moments = isinstance(fact.lo, dt.datetime) or isinstance(fact.hi, dt.datetime)
        return TIMESTAMP if moments else DATE
    if not isinstance(fact, Choices):
        return None
    kinds = {type(value) for value in fact.values}
    if kinds == {str}:
        return None if all(map(is_datum, map(str, fact.values))) else TEXT
    known = {bool: BOOLEAN, int: INTEGER, dt.date: DATE, dt.datetime: TIMESTAMP}
    return known.get(kinds.pop()) if len(kinds) == 1 else None


def _question_header(
    connection: duckdb.DuckDBPyConnection, plain: CsvFile, names: Sequence[str], name: str
) -> None:
    """Refuse a first row that may be data: no cell of it is told, and none becomes a name."""
    is_data = any(map(is_datum, names)) or len({each.lower() for each in names}) < len(names)
    if not is_data:
        same = " OR ".join(
            f"COALESCE(c{at} = {_quoted(each)}, FALSE)" for at, each in enumerate(names)
        )
        is_data = bool(
            run(connection, f"SELECT 1 FROM {csv_sql(plain)} WHERE {same} LIMIT 1", name)
        )
    if is_data:
        raise SchemaError(
            f"the first row of {plain.path.name} looks like data, not like the names of columns.",
            remedy=f"If it has no header, name the columns: shoal.CsvFile({str(plain.path)!r}, "
            "{'age': 'integer', 'city': 'text'}, header=False) (or --no-header --type age=integer --type city=text). "
            "If those are the names, give header=True (--header).",
        )


def _fitting(connection: duckdb.DuckDBPyConnection, plain: CsvFile, name: str) -> dict[str, Type]:
    """For every column the narrowest type that all its cells fit."""
    width = len(plain.types)
    tests = [
        f"BOOL_AND({fits_sql(f'c{at}', kind, plain.decimal)})"
        for at in range(width)
        for kind in _PROPOSED
    ]
    (found,) = run(connection, f"SELECT {', '.join(tests)} FROM {csv_sql(plain)}", name)
    by_column = [found[at : at + len(_PROPOSED)] for at in range(0, len(found), len(_PROPOSED))]
    return {
        each: next((kind for kind, fits in zip(_PROPOSED, fit, strict=True) if fits), TEXT)
        for each, fit in zip(plain.types, by_column, strict=True)
    }


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
