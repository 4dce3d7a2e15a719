"""What a declaration cuts off, for the curator's eyes only: exact counts of the rows themselves,
without any privacy.

Nothing here is charged, noised or written down.  The numbers must not leave the curator's desk, and
no declaration should be fitted to them: what is copied from rows into a declaration is public.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from typing import Any

from shoal.engines.csv_file import CsvFile
from shoal.engines.engine import Engine
from shoal.engines.engine_choice import close, engine_over
from shoal.engines.spark.sources import SparkTable
from shoal.plan import (
    TEXT,
    Bounded,
    Choices,
    Column,
    Person,
    Quantity,
    Range,
    Row,
    Rows,
    Scan,
    Table,
    Term,
    written,
)
from shoal.query.notebook_html import block, preformatted
from shoal.sensitivity import Norm
from shoal.sql import expression
from shoal.vault.dataset import Dataset, StatedColumn

WARNING = "Not private: these are exact numbers about the rows, for the curator alone. Do not publish them or copy them into the declaration."
_SHOWN = 5
"""So many of the most frequent values outside the choices are shown."""
_CELLS = (Term(Quantity.COUNT),)


@dataclass(frozen=True)
class ColumnCheck:
    """What the declaration does to one column: cells that do not fit its type, NULLs, and values
    outside its range or choices.
    """

    name: str
    misfits: int
    nulls: int
    below: int | None = None
    above: int | None = None
    outside: int | None = None
    values_outside: tuple[tuple[str, int], ...] = ()
    spelled_otherwise: int = 0

    @property
    def findings(self) -> list[str]:
        """What is worth a look, in words."""
        found = []
        if self.misfits:
            found.append(f"{_rows(self.misfits)} not of the declared type, read as NULL")
        if self.below:
            found.append(f"{_rows(self.below)} below the range, read as its lower end")
        if self.above:
            found.append(f"{_rows(self.above)} above the range, read as its upper end")
        if self.outside:
            shown = ", ".join(f"{value!r} ({count:,})" for value, count in self.values_outside)
            found.append(f"{_rows(self.outside)} outside the choices, read as NULL: {shown}")
        if self.spelled_otherwise:
            found.append(
                f"{self.spelled_otherwise:,} of them match a choice but for spaces or capitals"
            )
        if self.nulls:
            found.append(f"{_rows(self.nulls)} empty in the source")
        return found


@dataclass(frozen=True)
class ShareCheck:
    """How many persons have more rows, or are in more groups, than count; ``by`` is the column
    grouped by, None for no groups.
    """

    by: str | None
    persons: int
    beyond_rows: int
    beyond_groups: int
    most_rows: int
    most_groups: int


@dataclass(frozen=True)
class DeclarationCheck:
    """What the declaration of a dataset cuts off, column by column and person by person."""

    name: str
    rows: int
    columns: tuple[ColumnCheck, ...]
    shares: tuple[ShareCheck, ...]
    allowed: tuple[int, int] | None

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, with the warning."""
        return {"warning": WARNING, **asdict(self)}

    def __str__(self) -> str:
        lines = [WARNING, f"{self.name}: {self.rows:,} rows"]
        lines += [f"{c.name}: {'; '.join(c.findings) or 'nothing is cut'}" for c in self.columns]
        lines += [_share_in_words(each, self.allowed) for each in self.shares if self.allowed]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return block(preformatted(str(self)))


def check_declaration(dataset: Dataset) -> DeclarationCheck:
    """Read all rows of a dataset as they are, and count what its declaration cuts off.

    Needs: the curator as the only reader.
    """
    source = dataset.source(dataset.location)
    engine = engine_over({dataset.name: source})
    try:
        plain = Table(
            dataset.name, tuple(Column(c.name, c.type) for c in dataset.columns), protects=Row()
        )
        rows = Scan(plain)
        total = _total(engine, rows, "1")
        filled = {each.name: _total(engine, rows, _quoted(each.name)) for each in dataset.columns}
        texts = _as_texts(source)
        cells = filled if texts is None else _cells(texts, dataset)
        columns = tuple(
            _with_fact(
                engine,
                rows,
                each,
                ColumnCheck(
                    each.name, cells[each.name] - filled[each.name], total - cells[each.name]
                ),
            )
            for each in dataset.columns
        )
        return DeclarationCheck(dataset.name, total, columns, *_shares(engine, dataset))
    finally:
        close(engine)


def _with_fact(engine: Engine, rows: Rows, each: StatedColumn, plain: ColumnCheck) -> ColumnCheck:
    """What was found of a column, and what lies outside its range or choices."""
    if isinstance(each.fact, Range):
        below = f"CASE WHEN {_beyond(each.name, '<', each.fact.lo)} THEN 1 END"
        above = f"CASE WHEN {_beyond(each.name, '>', each.fact.hi)} THEN 1 END"
        return replace(plain, below=_total(engine, rows, below), above=_total(engine, rows, above))
    if isinstance(each.fact, Choices):
        found = _values(engine, rows, each)
        outside = {value: n for value, n in found.items() if value not in each.fact.values}
        known = {str(value).strip().casefold() for value in each.fact.values}
        near = sum(n for value, n in outside.items() if str(value).strip().casefold() in known)
        most = sorted(outside.items(), key=lambda item: (-item[1], str(item[0])))[:_SHOWN]
        return replace(
            plain,
            outside=sum(outside.values()),
            values_outside=tuple((str(value)[:60], n) for value, n in most),
            spelled_otherwise=near,
        )
    return plain


def _values(engine: Engine, rows: Rows, each: StatedColumn) -> dict[Any, int]:
    """How often each value of a column stands in the rows."""
    by_value = Bounded(rows, (expression(_quoted(each.name), rows),), _CELLS, Norm.L1)
    found: dict[Any, int] = {}
    for part in engine.parts(by_value):
        for (value,), (count,) in part.items():
            if value is not None:
                found[written(value, each.type)] = count
    return found


def _total(engine: Engine, rows: Rows, sql: str) -> int:
    """How many rows have a value of this expression that is not NULL."""
    asked = Bounded(rows, (), (Term(Quantity.COUNT, expression(sql, rows)),), Norm.L1)
    return engine.totals(asked)[()][0]


def _as_texts(source: object) -> object | None:
    """A CSV file with all cells as they are written; None for sources that have types of their
    own.
    """
    if isinstance(source, CsvFile):
        return source.with_types(
            dict.fromkeys(source.types, TEXT),
            header=source.header is not False,
            delimiter=source.delimiter,
        )
    if isinstance(source, SparkTable) and source.form == "csv":
        return replace(source, types=dict.fromkeys(source.kinds, TEXT))
    return None


def _cells(texts: object, dataset: Dataset) -> dict[str, int]:
    """How many cells of each column are not empty, whatever is written in them."""
    engine = engine_over({dataset.name: texts})
    try:
        columns = tuple(Column(each.name, TEXT) for each in dataset.columns)
        rows = Scan(Table(dataset.name, columns, protects=Row()))
        return {each.name: _total(engine, rows, _quoted(each.name)) for each in columns}
    finally:
        close(engine)


def _shares(
    engine: Engine, dataset: Dataset
) -> tuple[tuple[ShareCheck, ...], tuple[int, int] | None]:
    """Persons beyond their share, without groups and by each column that has choices."""
    unit = dataset.protects
    if not isinstance(unit, Person):
        return (), None
    rows = Scan(dataset.table)
    keys = [None, *(each.name for each in dataset.columns if isinstance(each.fact, Choices))]
    found = []
    for key in keys:
        by = () if key is None else (expression(_quoted(key), rows),)
        counted = engine.shares(Bounded(rows, by, _CELLS, Norm.L1))
        found.append(_share(key, counted, unit))
    return tuple(found), (unit.groups, unit.rows_per_group)


def _share(by: str | None, counted: Mapping[tuple[int, int], int], unit: Person) -> ShareCheck:
    return ShareCheck(
        by,
        persons=sum(counted.values()),
        beyond_rows=sum(n for (_, rows), n in counted.items() if rows > unit.rows_per_group),
        beyond_groups=sum(n for (groups, _), n in counted.items() if groups > unit.groups),
        most_rows=max((rows for _, rows in counted), default=0),
        most_groups=max((groups for groups, _ in counted), default=0),
    )


def _share_in_words(share: ShareCheck, allowed: tuple[int, int]) -> str:
    groups, rows = allowed
    who = "persons" if share.by is None else f"persons by {share.by}"
    said = (
        f"{who}: {share.beyond_rows:,} of {share.persons:,} have more than {rows:,} "
        f"{'row' if rows == 1 else 'rows'} (the most: {share.most_rows:,})"
    )
    if share.by is not None:
        said += (
            f"; {share.beyond_groups:,} are in more than {groups:,} "
            f"{'group' if groups == 1 else 'groups'} (the most: {share.most_groups:,})"
        )
    nobody = not share.beyond_rows and (share.by is None or not share.beyond_groups)
    return f"{said}; {'all rows count fully' if nobody else 'these count for less'}"


def _beyond(name: str, sign: str, end: Fraction | dt.date | dt.datetime) -> str:
    """A comparison with the end of a range, exactly: a fraction is multiplied out."""
    if isinstance(end, dt.datetime):
        return f"{_quoted(name)} {sign} TIMESTAMP '{end.isoformat(sep=' ')}'"
    if isinstance(end, dt.date):
        return f"{_quoted(name)} {sign} DATE '{end.isoformat()}'"
    if end.denominator == 1:
        return f"{_quoted(name)} {sign} {end.numerator}"
    return f"{_quoted(name)} * {end.denominator} {sign} {end.numerator}"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _rows(count: int) -> str:
    return f"{count:,} {'row is' if count == 1 else 'rows are'}"
