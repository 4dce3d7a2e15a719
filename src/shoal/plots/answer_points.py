"""What the picture of an answer shows, as plain numbers: one panel for each noisy number."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from typing import Any, Protocol

from shoal.errors import RangeError, UnknownNameError
from shoal.exact import Number, is_unclear, open_unit

FEW = 30
"""Whole numbers that are at most so many are drawn as bars, more as a line."""

NULL, TOTAL = "NULL", ""
Ends = tuple[float, float]


class Released(Protocol):
    """What a picture needs of an answer."""

    @property
    def columns(self) -> tuple[str, ...]: ...
    @property
    def keys(self) -> tuple[str, ...]: ...
    @property
    def rows(self) -> list[tuple[Any, ...]]: ...
    @property
    def confidence(self) -> Fraction: ...
    @property
    def price(self) -> str: ...
    def has_interval(self, column: str) -> bool: ...
    def interval(self, column: str, confidence: Number | None = None) -> Sequence[Any]: ...
    def bins(self, column: str) -> list[Ends | None] | None: ...


class Axis(StrEnum):
    """What runs along a panel: nothing, names, numbers, moments or bins."""

    NOTHING = "nothing"
    NAMES = "names"
    STEPS = "steps"
    NUMBERS = "numbers"
    MOMENTS = "moments"
    BINS = "bins"


@dataclass(frozen=True)
class Mark:
    """One released number: where it stands, to which series it belongs, and between which ends the
    truth is.
    """

    at: str | float
    value: float
    low: float | None = None
    high: float | None = None
    upto: float | None = None
    series: str | None = None

    @property
    def unclear(self) -> bool:
        """Whether its interval says little but that the number is small."""
        return is_unclear(self.value, (self.low, self.high))


@dataclass(frozen=True)
class Panel:
    """All numbers of one column; ``left_out`` are groups that have no place on the axis."""

    column: str
    axis: Axis
    key: str
    series: str | None
    marks: tuple[Mark, ...]
    left_out: int

    @property
    def clear(self) -> tuple[Mark, ...]:
        """The marks that get a bar: those that are clear."""
        return tuple(mark for mark in self.marks if not mark.unclear)

    @property
    def faint(self) -> tuple[Mark, ...]:
        """The other marks: a bar would stand for noise."""
        return tuple(mark for mark in self.marks if mark.unclear)


@dataclass(frozen=True)
class AnswerData:
    """The panels of an answer, the confidence of its intervals, and what it cost."""

    panels: tuple[Panel, ...]
    confidence: Fraction
    price: str

    @classmethod
    def of(
        cls, answer: Released, *, column: str | None = None, confidence: Number | None = None
    ) -> AnswerData:
        """One column, or every noisy number there is."""
        level = answer.confidence if confidence is None else open_unit(confidence, "confidence")
        names = [column] if column is not None else _numbers(answer)
        panels = tuple(_panel(answer, _checked(answer, name), level) for name in names)
        if not panels:
            raise RangeError(
                "the answer has no number to draw.",
                remedy="Ask for a count, a sum or a mean; an answer without rows has no picture.",
            )
        return cls(panels, level, answer.price)


def _numbers(answer: Released) -> list[str]:
    return [name for name in answer.columns if name not in answer.keys and _numeric(answer, name)]


def _numeric(answer: Released, column: str) -> bool:
    values = [value for value in _column(answer, column) if value is not None]
    return bool(values) and all(
        isinstance(value, int | float | Decimal) and not isinstance(value, bool) for value in values
    )


def _checked(answer: Released, column: str) -> str:
    found = _numbers(answer)
    if column not in found:
        raise UnknownNameError(
            f"column {str(column)[:40]!r} is not a number of this answer.",
            remedy=f"Columns to draw: {', '.join(found) or 'none'}.",
        )
    return column


def _column(answer: Released, name: str) -> list[Any]:
    at = answer.columns.index(name)
    return [row[at] for row in answer.rows]


def _panel(answer: Released, column: str, level: Fraction) -> Panel:
    values = _column(answer, column)
    ends: Sequence[Any] = [None] * len(values)
    if answer.has_interval(column):
        ends = answer.interval(column, level)
    keys = sorted(answer.keys, key=lambda key: not _leads(answer, key))
    main, others = (keys[0], keys[1:]) if keys else (None, [])
    axis, places = (Axis.NOTHING, [TOTAL] * len(values)) if main is None else _axis(answer, main)
    series = [_named(answer, others, at) for at in range(len(values))]
    marks = [
        _mark(place, float(value), end, name)
        for place, value, end, name in zip(places, values, ends, series, strict=True)
        if place is not None and value is not None
    ]
    if axis is Axis.BINS:
        marks = _side_by_side(marks)
    left_out = sum(place is None for place in places)
    title = ", ".join(others) or None
    return Panel(column, axis, main or column, title, tuple(marks), left_out)


def _leads(answer: Released, key: str) -> bool:
    """Whether a key runs along the panel though it is not the first: moments and bins do."""
    return answer.bins(key) is not None or any(isinstance(v, dt.date) for v in _column(answer, key))


def _axis(answer: Released, key: str) -> tuple[Axis, list[Any]]:
    """The kind of axis a key asks for, and where each row stands on it; None is nowhere."""
    values = _column(answer, key)
    known = [value for value in values if value is not None]
    edges = answer.bins(key)
    if edges is not None:
        return Axis.BINS, list(edges)
    if known and all(isinstance(value, dt.date) for value in known):
        return Axis.MOMENTS, [None if value is None else _moment(value) for value in values]
    plain = known and all(
        isinstance(value, int | float | Decimal) and not isinstance(value, bool) for value in known
    )
    if plain and len(set(known)) > FEW:
        return Axis.NUMBERS, [None if value is None else float(value) for value in values]
    axis = Axis.STEPS if plain or all(isinstance(v, bool) for v in known) else Axis.NAMES
    return axis, [_word(value) for value in values]


def _moment(value: dt.date) -> str:
    return f"{value.isoformat()}Z" if isinstance(value, dt.datetime) else value.isoformat()


def _word(value: object) -> str:
    if value is None:
        return NULL
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)


def _named(answer: Released, keys: list[str], at: int) -> str | None:
    row = dict(zip(answer.columns, answer.rows[at], strict=True))
    return ", ".join(_word(row[key]) for key in keys) if keys else None


def _mark(place: Any, value: float, ends: Any, series: str | None) -> Mark:
    known = ends is not None and math.isfinite(ends.lo) and math.isfinite(ends.hi)
    low, high = (ends.lo, ends.hi) if known else (None, None)
    at, upto = place if isinstance(place, tuple) else (place, None)
    return Mark(at, value, low, high, upto, series)


def _side_by_side(marks: list[Mark]) -> list[Mark]:
    """Series that share a bin stand next to each other in it."""
    names = list(dict.fromkeys(mark.series for mark in marks))
    made = []
    for mark in marks:
        assert isinstance(mark.at, float)
        assert mark.upto is not None
        width, place = (mark.upto - mark.at) / len(names), names.index(mark.series)
        start = mark.at + width * place
        made.append(replace(mark, at=start, upto=start + width))
    return made
