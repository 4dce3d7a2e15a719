"""Answers in another arrangement: the same released numbers, one line for each column or bin.

A summary of several columns is one question with one row a group; people read it with one line a
column.  Nothing is computed here but where each number stands.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from shoal.errors import UnknownNameError
from shoal.exact import Number
from shoal.plan import Type
from shoal.query.answer import Answer
from shoal.query.estimates import Ends, Interval

if TYPE_CHECKING:
    from shoal.plots import Picture

T = TypeVar("T")


@dataclass(frozen=True)
class ReleasedCell:
    """A cell with a released number: that of a column of the answer."""

    column: str


@dataclass(frozen=True)
class BinEndCell:
    """A cell with the lower (0) or the upper (1) end of the bin that a key stands for."""

    key: str
    side: int


@dataclass(frozen=True)
class FixedCell:
    """A cell that is the same in every answer: a name, or a number that follows from no data."""

    value: str | float


Cell = ReleasedCell | BinEndCell | FixedCell


@dataclass(frozen=True)
class Layout:
    """The names and types of new columns, and the cells of each line; ``keys`` stay in front."""

    keys: tuple[str, ...]
    heads: tuple[tuple[str, Type], ...]
    lines: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True, repr=False)
class ArrangedAnswer(Answer):
    """An answer that is read in another arrangement; `plain` is the one that was released."""

    layout: Layout = Layout((), (), ())

    @classmethod
    def of(cls, answer: Answer, layout: Layout) -> ArrangedAnswer:
        given = {each.name: getattr(answer, each.name) for each in fields(answer) if each.init}
        return cls(**given, layout=layout)

    @cached_property
    def plain(self) -> Answer:
        """The answer as it was released: a row for each group, a column for each number."""
        return Answer(
            **{each.name: getattr(self, each.name) for each in fields(Answer) if each.init}
        )

    @property
    def columns(self) -> tuple[str, ...]:
        return (*self.layout.keys, *(name for name, _ in self.layout.heads))

    @property
    def types(self) -> tuple[Type, ...]:
        kinds = dict(zip(self.plain.columns, self.plain.types, strict=True))
        return (
            *(kinds[name] for name in self.layout.keys),
            *(kind for _, kind in self.layout.heads),
        )

    @cached_property
    def _cells(self) -> list[tuple[object, ...]]:
        keys = [self.plain[name] for name in self.layout.keys]
        columns = [self._values(at) for at in range(len(self.layout.heads))]
        return [
            (*(key[at // self._height] for key in keys), *(column[at] for column in columns))
            for at in range(len(self))
        ]

    @property
    def keys(self) -> tuple[str, ...]:
        first, _ = self.layout.heads[0] if self.layout.heads else ("", None)
        said = all(isinstance(line[0], FixedCell) for line in self.layout.lines)
        return (*self.layout.keys, *([first] if said else []))

    @property
    def _height(self) -> int:
        return len(self.layout.lines)

    def __len__(self) -> int:
        return len(self.plain) * self._height

    def _values(self, head: int) -> list[Any]:
        """The values of a new column, line by line."""
        found: list[list[Any]] = []
        for line in self.layout.lines:
            match line[head]:
                case ReleasedCell(column):
                    found.append(list(self.plain[column]))
                case BinEndCell(key, side):
                    bins = self.plain.bins(key) or []
                    found.append([None if each is None else each[side] for each in bins])
                case FixedCell(value):
                    found.append([value] * len(self.plain))
        return _woven(found)

    def has_interval(self, column: str) -> bool:
        """Whether a number of a column has an interval."""
        return any(self.plain.has_interval(each.column) for each in self._taken(column))

    def ends(self, column: str, most: int | None = None) -> list[Ends]:
        """The interval of every line, as it is shown; a cell that was not released is its own."""
        found: list[Sequence[Ends]] = []
        for cell in self._line_cells(column):
            if isinstance(cell, ReleasedCell) and self.plain.has_interval(cell.column):
                found.append(self.plain.ends(cell.column))
            elif isinstance(cell, FixedCell) and not isinstance(cell.value, str):
                found.append([(cell.value, cell.value)] * len(self.plain))
            else:
                found.append([(None, None)] * len(self.plain))
        return _woven(found)[:most]

    def interval(
        self, column: str, confidence: Number | None = None, *, simultaneous: bool = False
    ) -> list[Interval]:
        """For each line, where the true bounded value is; see `Answer.interval`."""
        if not self.has_interval(column):
            known = ", ".join(name for name in self.columns if self.has_interval(name)) or "none"
            raise UnknownNameError(
                f"column {str(column)[:40]!r} has no interval.",
                remedy=f"Columns with an interval: {known}.",
            )
        found: list[Sequence[Interval]] = []
        for cell in self._line_cells(column):
            if isinstance(cell, ReleasedCell):
                found.append(
                    self.plain.interval(cell.column, confidence, simultaneous=simultaneous)
                )
            else:
                value = float(cell.value) if isinstance(cell, FixedCell) else float("nan")
                found.append([Interval(value, value)] * len(self.plain))
        return _woven(found)

    def bins(self, column: str) -> None:  # noqa: ARG002 - ends of bins are columns here
        """None: where rows are counted by bins, the ends of the bins are columns."""
        return

    def plot(self, column: str | None = None, *, confidence: Number | None = None) -> Picture:
        """A picture of the released numbers; see `Answer.plot`."""
        return self.plain.plot(column, confidence=confidence)

    def _line_cells(self, column: str) -> list[Cell]:
        names = [name for name, _ in self.layout.heads]
        if column not in names:
            return []
        return [line[names.index(column)] for line in self.layout.lines]

    def _taken(self, column: str) -> list[ReleasedCell]:
        return [cell for cell in self._line_cells(column) if isinstance(cell, ReleasedCell)]


def _woven(lists: Sequence[Sequence[T]]) -> list[T]:
    """For each group the cell of every line, from lists that have each line's cells."""
    return [each for group in zip(*lists, strict=True) for each in group]


def share_text(level: Fraction) -> str:
    """A level of a quantile as frames write it.

    >>> share_text(Fraction(1, 4)), share_text(Fraction(999, 1000))
    ('25%', '99.9%')
    """
    return f"{float(100 * level):g}%"
