"""The schema of a CSV file: completed from what is declared, or proposed to the curator, who
decides.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from shoal.engines.column_reading import check_names
from shoal.engines.csv_file import CsvFile, header_of, is_datum
from shoal.engines.duckdb.connection import opened
from shoal.engines.duckdb.csv_reading import csv_sql, fits_sql, run
from shoal.errors import SchemaError
from shoal.plan import (
    BOOLEAN,
    DATE,
    INTEGER,
    REAL,
    TEXT,
    TIMESTAMP,
    Choices,
    Range,
    Type,
)

if TYPE_CHECKING:
    import duckdb

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
