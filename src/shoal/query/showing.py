"""Answers for people to read: as text, and as HTML for notebooks; everything in them is escaped."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from shoal.query.estimates import Interval

MOST_ROWS = 60
"""An answer shows so many rows, and says how many more there are."""

_QUIET = "opacity:.65;font-size:85%"
_GAP = "padding:.25em .6em"


@dataclass(frozen=True)
class Shown:
    """One column as text: its name, its values, the ends of their intervals, and whether it is of numbers."""

    name: str
    values: Sequence[str]
    ends: Sequence[str] | None
    number: bool


@dataclass(frozen=True)
class Sheet:
    """What is shown of an answer: columns, a line below them, and notes."""

    columns: Sequence[Shown]
    caption: str
    notes: Sequence[str]

    @property
    def length(self) -> int:
        return len(self.columns[0].values) if self.columns else 0


OUTSIDE = "a number outside its interval is as it was drawn; intervals are cut to what can be true."
"""What is said where a number without bias is, say, below 0 and its interval is not."""


def is_outside(value: object, ends: Interval) -> bool:
    """Whether a released number lies outside of its interval."""
    return isinstance(value, int | float | Decimal) and not ends.lo <= value <= ends.hi


def shown_key(name: str, values: Sequence[object]) -> Shown:
    """A column without intervals: keys, quantiles, what was computed otherwise."""
    number = any(isinstance(value, int | float | Decimal) for value in values)
    plain = not any(isinstance(value, bool) for value in values)
    return Shown(name, [_plain(value) for value in values], None, number and plain)


def shown_number(name: str, values: Sequence[object], ends: Sequence[Interval]) -> Shown:
    """Released numbers with their intervals, each with as many digits as its noise leaves any meaning."""
    pairs = [_rounded(value, each) for value, each in zip(values, ends, strict=True)]
    return Shown(name, [value for value, _ in pairs], [end for _, end in pairs], number=True)


def as_text(sheet: Sheet) -> str:
    """A table in plain letters, numbers to the right."""
    blocks = [block for column in sheet.columns for block in _blocks(column)]
    lines = ["  ".join(cells).rstrip() for cells in zip(*blocks, strict=True)]
    return "\n".join([*lines, f"({sheet.caption})", *(f"note: {note}" for note in sheet.notes)])


def as_html(sheet: Sheet) -> str:
    """A table with its numbers to the right, their intervals small beside them, and the cost below."""
    head = "".join(
        f'<th colspan="{1 if column.ends is None else 2}" style="text-align:'
        f'{"right" if column.number and column.ends is None else "center" if column.ends else "left"};{_GAP}">'
        f"{html.escape(column.name)}</th>"
        for column in sheet.columns
    )
    body = "".join(
        f"<tr>{''.join(_cell(column, at) for column in sheet.columns)}</tr>"
        for at in range(sheet.length)
    )
    below = "".join(f"<br>{html.escape(line)}" for line in sheet.notes)
    caption = (
        f'<caption style="caption-side:bottom;text-align:left;{_GAP};{_QUIET}">'
        f"{html.escape(sheet.caption)}{below}</caption>"
    )
    table = "border-collapse:collapse;font-variant-numeric:tabular-nums"
    return f'<table style="{table}">{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def _cell(column: Shown, at: int) -> str:
    side = "right" if column.number else "left"
    value = f'<td style="text-align:{side};{_GAP}">{html.escape(column.values[at])}</td>'
    if column.ends is None:
        return value
    near = "padding:.25em .6em .25em 0;text-align:left;white-space:nowrap"
    return f'{value}<td style="{near};{_QUIET}">{html.escape(column.ends[at])}</td>'


def _blocks(column: Shown) -> list[list[str]]:
    """A column as cells of one width, the name first; intervals are a block of their own."""
    cells = [column.name, *column.values]
    width = max(len(cell) for cell in cells)
    aligned = [cell.rjust(width) if column.number else cell.ljust(width) for cell in cells]
    if column.ends is None:
        return [aligned]
    ends = ["", *column.ends]
    widest = max(len(end) for end in ends)
    return [aligned, [end.ljust(widest) for end in ends]]


def _plain(value: object) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, float):
        return f"{value:,.6g}" if abs(value) < 1e5 else f"{value:,.0f}"
    return str(value)


def _rounded(value: object, ends: Interval) -> tuple[str, str]:
    """A number and its interval: three digits of half the width, the ends rounded outward."""
    half = (ends.hi - ends.lo) / 2
    if not isinstance(value, int | float | Decimal):
        return _plain(value), _bracket(_plain(ends.lo), _plain(ends.hi))
    if not math.isfinite(half):
        return _with(value, 3), "[anything]"
    digits = _digits(value, half)
    power = 10**digits
    low, high = math.floor(ends.lo * power) / power, math.ceil(ends.hi * power) / power
    return _with(value, digits), _bracket(_with(low, digits), _with(high, digits))


def _digits(value: float | Decimal, half: float) -> int:
    """How many digits after the point a number has that is known within half a width."""
    if isinstance(value, int) or half == 0:
        return 0 if isinstance(value, int) else 6
    return min(12, max(0, 2 - math.floor(math.log10(half))))


def _with(value: float | Decimal, digits: int) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:z,.{digits}f}"


def _bracket(low: str, high: str) -> str:
    return f"[{low}, {high}]"
