"""Answers for people to read: one presentation, as text, as HTML for notebooks, and as tables of
pages and terminals.

`sheet_of` decides what is shown of an answer: each number's text, its interval rounded outward at
the digits shown, and the notes.  Whoever shows an answer renders a `Sheet` and formats nothing.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Protocol

from shoal.exact import Shown, rounded, short_down, shown
from shoal.plan import Column, Type, written
from shoal.plan.types import value_at
from shoal.query.estimates import Ends
from shoal.query.notebook_html import Html, HtmlCell, block, quiet, table

_MOST_CHOICES = 12
_MOST_COLUMNS = 60
MOST_ROWS = 60
"""An answer shows so many rows, and says how many more there are."""


@dataclass(frozen=True)
class ShownColumn:
    """One column as text: its name, its values, their intervals, and whether it is of numbers."""

    name: str
    values: Sequence[str]
    ends: Sequence[Shown] | None
    number: bool


@dataclass(frozen=True)
class Sheet:
    """What is shown of an answer: columns, the confidence of their intervals, a line below them,
    and notes.
    """

    columns: Sequence[ShownColumn]
    level: str
    caption: str
    notes: Sequence[str]

    @property
    def length(self) -> int:
        return len(self.columns[0].values) if self.columns else 0


class Presentable(Protocol):
    """What a sheet needs of an answer, drawn now or kept before."""

    @property
    def columns(self) -> tuple[str, ...]: ...
    @property
    def types(self) -> tuple[Type, ...]: ...
    @property
    def rows(self) -> Sequence[tuple[object, ...]]: ...
    @property
    def confidence(self) -> Fraction: ...
    @property
    def price(self) -> str: ...
    @property
    def notes(self) -> tuple[str, ...]: ...
    def has_interval(self, column: str) -> bool: ...
    def ends(self, column: str, most: int | None = None) -> Sequence[Ends]: ...


def sheet_of(answer: Presentable, most: int | None = None, *, coarse: bool = False) -> Sheet:
    """What is shown of an answer, of all rows or of the first so many; ``coarse`` rounds figures as
    people read them aloud.
    """
    every = answer.rows
    rows, columns = every[:most], []
    for at, (name, kind) in enumerate(zip(answer.columns, answer.types, strict=True)):
        values = [row[at] for row in rows]
        if answer.has_interval(name):
            columns.append(shown_number(name, kind, values, answer.ends(name, most), coarse=coarse))
        else:
            columns.append(shown_key(name, values))
    more = f"the first {most} of " if len(rows) < len(every) else ""
    told = f"{more}{len(every):,} row{'' if len(every) == 1 else 's'}"
    level = level_of(answer.confidence)
    return Sheet(columns, level, f"{told}, {level} intervals; {answer.price}", answer.notes)


def level_of(confidence: Fraction) -> str:
    """A confidence in percent, rounded down.

    >>> level_of(Fraction(95, 100)), level_of(Fraction(995, 1000))
    ('95%', '99.5%')
    """
    return f"{short_down(100 * confidence)}%"


OUTSIDE = (
    "A number outside its interval is as it was drawn; its interval is cut to what can be true."
)
"""What is said where a number without bias is, say, below 0 and its interval is not."""


def is_outside(value: object, ends: Ends) -> bool:
    """Whether a released number lies outside of its interval."""
    if not isinstance(value, int | float | Decimal):
        return False
    low, high = ends
    return (low is not None and value < low) or (high is not None and value > high)  # type: ignore[operator]


def shown_key(name: str, values: Sequence[object]) -> ShownColumn:
    """A column without intervals: keys, quantiles, what was computed otherwise."""
    number = any(isinstance(value, int | float | Decimal) for value in values)
    plain = not any(isinstance(value, bool) for value in values)
    return ShownColumn(name, [plain_text(value) for value in values], None, number and plain)


def shown_number(
    name: str,
    kind: Type,
    values: Sequence[object],
    ends: Sequence[Ends],
    *,
    coarse: bool = False,
) -> ShownColumn:
    """Released numbers with their intervals, each with as many digits as its noise leaves any
    meaning.
    """
    texts = [
        _with_ends(kind, value, each, coarse=coarse)
        for value, each in zip(values, ends, strict=True)
    ]
    return ShownColumn(name, [each.value for each in texts], texts, not kind.temporal)


def _with_ends(kind: Type, value: object, ends: Ends, *, coarse: bool) -> Shown:
    if kind.temporal:
        return Shown(plain_text(value), *(None if end is None else plain_text(end) for end in ends))
    if isinstance(value, float) and value.is_integer() and ends == (value, value):
        return Shown(*[f"{value:,.0f}"] * 3)  # exact, and nothing is open that digits could tell
    places = kind.scale if kind.exact else None
    low, high = (
        sign if end is None else end
        for end, sign in zip(ends, (float("-inf"), float("inf")), strict=True)
    )
    show = rounded if coarse else shown
    return show(value, low, high, places=places)  # type: ignore[arg-type]


def plain_number(size: float) -> str:
    """The size of something, in four digits, as people write it.

    >>> plain_number(52.604), plain_number(13150.2), plain_number(2e-7)
    ('52.6', '13,150', '2e-07')
    """
    return f"{size:,.0f}" if 1e4 <= abs(size) < 1e15 else f"{size:,.4g}"


def plain_text(value: object) -> str:
    """A value without an interval, as text."""
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:,.0f}" if 1e5 <= abs(value) < 1e18 else f"{value:,.6g}"
    return value.isoformat(" ") if isinstance(value, dt.datetime) else str(value)


def as_text(sheet: Sheet) -> str:
    """A table in plain letters, numbers to the right."""
    blocks = [block for column in sheet.columns for block in _blocks(column)]
    lines = ["  ".join(cells).rstrip() for cells in zip(*blocks, strict=True)]
    return "\n".join([*lines, f"({sheet.caption})", *(f"note: {note}" for note in sheet.notes)])


def as_html(sheet: Sheet) -> str:
    """A table with its numbers to the right, their intervals small beside them, and the cost
    below.
    """
    head = [_head(column) for column in sheet.columns]
    rows = (
        [cell for column in sheet.columns for cell in _cells(column, at)]
        for at in range(sheet.length)
    )
    return block(table(head, rows), quiet([sheet.caption, *sheet.notes]))


def _head(column: ShownColumn) -> HtmlCell:
    if column.ends is not None:
        return HtmlCell(column.name, "center", span=2)
    return HtmlCell(column.name, "right" if column.number else "left")


def _cells(column: ShownColumn, at: int) -> list[HtmlCell]:
    value = HtmlCell(column.values[at], "right" if column.number else "left")
    if column.ends is None:
        return [value]
    return [value, HtmlCell(column.ends[at].bracket, quiet=True)]


def _blocks(column: ShownColumn) -> list[list[str]]:
    """A column as cells of one width, the name first; intervals are a block of their own."""
    cells = [column.name, *column.values]
    width = max(len(cell) for cell in cells)
    aligned = [cell.rjust(width) if column.number else cell.ljust(width) for cell in cells]
    if column.ends is None:
        return [aligned]
    ends = ["", *(each.bracket for each in column.ends)]
    widest = max(len(end) for end in ends)
    return [aligned, [end.ljust(widest) for end in ends]]


def columns_table(columns: Sequence[Column]) -> Html:
    """One line for each column; of very many the first."""
    rows = [[each.name, str(each.type), known_of(each)] for each in columns[:_MOST_COLUMNS]]
    more = len(columns) - len(rows)
    rows += [[f"and {more:,} more", "", ""]] if more else []
    return table(["column", "type", "declared"], rows)


def known_of(column: Column) -> str:
    """What is declared of a column: its range or its choices, and whether it holds no NULL."""
    said = []
    if column.choices is not None:
        shown = [_value(each, column) for each in column.choices[:_MOST_CHOICES]]
        more = len(column.choices) - len(shown)
        said.append(f"one of {', '.join(shown)}{f' and {more:,} more' if more else ''}")
    elif column.span is not None:
        ends = (value_at(end, column.type) for end in (column.span.lo, column.span.hi))
        said.append(" to ".join(_value(end, column) for end in ends))
    if not column.nullable:
        said.append("no NULL")
    return "; ".join(said) or "nothing yet"


def _value(value: object, column: Column) -> str:
    return plain_text(written(value, column.type))  # type: ignore[arg-type]
