"""What may follow from released groups, step by step: windows, conditions, cuts, groups of groups,
and public columns beside them.

Nothing here sees a private row.  A step turns one table of released values into the next, so all
of it is free, whatever it computes (post-processing).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from shoal.plan.expression import Expression
from shoal.plan.facts import Column
from shoal.plan.printing import name_of, text_of
from shoal.plan.types import INTEGER, REAL, Type, Value


class Summary(StrEnum):
    """What can be computed of several released rows."""

    COUNT_ROWS = "count(*)"
    COUNT = "count"
    COUNT_DISTINCT = "count distinct"
    SUM = "sum"
    MEAN = "avg"
    LEAST = "min"
    GREATEST = "max"
    MEDIAN = "median"
    DEVIATION = "stddev"
    FIRST = "first_value"
    LAST = "last_value"
    NTH = "nth_value"
    BEFORE = "lag"
    AFTER = "lead"
    RANK = "rank"
    DENSE_RANK = "dense_rank"
    ROW_NUMBER = "row_number"
    PERCENT_RANK = "percent_rank"
    CUME_DIST = "cume_dist"
    TILE = "ntile"


PLACES = (
    Summary.RANK,
    Summary.DENSE_RANK,
    Summary.ROW_NUMBER,
    Summary.PERCENT_RANK,
    Summary.CUME_DIST,
    Summary.TILE,
)
"""Where a row stands among others: these look at the order alone."""

SHIFTS = (Summary.BEFORE, Summary.AFTER)
_WHOLE = (
    Summary.COUNT_ROWS,
    Summary.COUNT,
    Summary.COUNT_DISTINCT,
    Summary.RANK,
    Summary.DENSE_RANK,
    Summary.ROW_NUMBER,
    Summary.TILE,
)
_REALS = (
    Summary.MEAN,
    Summary.MEDIAN,
    Summary.DEVIATION,
    Summary.PERCENT_RANK,
    Summary.CUME_DIST,
)


def summary_type(summary: Summary, argument: Expression | None) -> Type:
    """The type of what is computed."""
    if summary in _WHOLE:
        return INTEGER
    if summary in _REALS or argument is None:
        return REAL
    return argument.type


@dataclass(frozen=True)
class Order:
    """One part of ORDER BY, over released values."""

    expression: Expression
    descending: bool = False
    nulls_first: bool = False

    def __str__(self) -> str:
        return f"{text_of(self.expression)}{' desc' * self.descending}"


@dataclass(frozen=True)
class Frame:
    """The rows beside a row that a window looks at, by their distance; None has no end.

    ``peers`` takes in every row of the same place in the order, as RANGE does.
    """

    start: int | None = None
    end: int | None = 0
    peers: bool = True


@dataclass(frozen=True)
class Window:
    """A new column: for each row, a summary of the rows of its part that its frame holds.

    ``number`` is the distance of LAG and LEAD, the n of NTILE and NTH_VALUE; ``otherwise`` stands
    where LAG and LEAD find no row.
    """

    name: str
    summary: Summary
    argument: Expression | None = None
    parts: tuple[Expression, ...] = ()
    order: tuple[Order, ...] = ()
    frame: Frame = Frame()
    number: int = 1
    otherwise: Expression | None = None

    @property
    def column(self) -> Column:
        kind = summary_type(self.summary, self.argument)
        return Column(self.name, kind, nullable=True)

    def expressions(self) -> Iterator[Expression]:
        yield from (each for each in (self.argument, self.otherwise) if each is not None)
        yield from self.parts
        yield from (each.expression for each in self.order)

    def __str__(self) -> str:
        of = "" if self.argument is None else text_of(self.argument)
        by = f" by {', '.join(map(text_of, self.parts))}" if self.parts else ""
        order = f" in order of {', '.join(map(str, self.order))}" if self.order else ""
        return f"window {self.summary} {of}{by}{order} AS {name_of(self.name)}"


@dataclass(frozen=True)
class Keep:
    """The rows for which a condition is true."""

    condition: Expression

    def expressions(self) -> Iterator[Expression]:
        yield self.condition

    def __str__(self) -> str:
        return f"keep {text_of(self.condition)}"


@dataclass(frozen=True)
class Cut:
    """The first rows in an order."""

    order: tuple[Order, ...]
    limit: int | None
    offset: int = 0

    def expressions(self) -> Iterator[Expression]:
        yield from (each.expression for each in self.order)

    def __str__(self) -> str:
        return f"limit {self.limit} in order of {', '.join(map(str, self.order)) or 'the groups'}"


@dataclass(frozen=True)
class SummaryColumn:
    """One column of groups of groups."""

    name: str
    summary: Summary
    argument: Expression | None = None

    @property
    def column(self) -> Column:
        return Column(self.name, summary_type(self.summary, self.argument), nullable=True)


@dataclass(frozen=True)
class Regroup:
    """Groups of released groups: a row for each value of some keys, with summaries of its rows."""

    keys: tuple[tuple[str, Expression], ...]
    summed: tuple[SummaryColumn, ...]

    @property
    def columns(self) -> tuple[Column, ...]:
        keys = (Column(name, made.type, nullable=True) for name, made in self.keys)
        return (*keys, *(each.column for each in self.summed))

    def expressions(self) -> Iterator[Expression]:
        yield from (made for _, made in self.keys)
        yield from (each.argument for each in self.summed if each.argument is not None)

    def __str__(self) -> str:
        keys = ", ".join(text_of(made) for _, made in self.keys) or "all"
        return f"group released rows by {keys}: {', '.join(str(e.summary) for e in self.summed)}"


@dataclass(frozen=True)
class LookUp:
    """Columns of a public table beside each row that agrees with it in some columns.

    ``rows`` are those of the public table, put in before anything is released; a row of the
    release appears once for each that agrees, and with ``outer`` also where none does.
    """

    table: str
    on: tuple[tuple[Expression, str], ...]
    columns: tuple[Column, ...]
    sources: tuple[str, ...]
    outer: bool = False
    rows: tuple[tuple[Value, ...], ...] | None = None

    def expressions(self) -> Iterator[Expression]:
        yield from (made for made, _ in self.on)

    def __str__(self) -> str:
        pairs = " and ".join(f"{text_of(a)} = {name_of(b)}" for a, b in self.on)
        return f"look up {name_of(self.table)} where {pairs}"


@dataclass(frozen=True)
class Branch:
    """One level of several: steps of its own, and what it shows of them under the common names."""

    steps: tuple[Step, ...]
    shown: tuple[Expression, ...]


@dataclass(frozen=True)
class Levels:
    """Tables made of the same released rows, one below the other."""

    columns: tuple[Column, ...]
    branches: tuple[Branch, ...]

    def expressions(self) -> Iterator[Expression]:
        yield from ()

    def __str__(self) -> str:
        return f"{len(self.branches)} levels, each added up from the released groups"


Step = Window | Keep | Cut | Regroup | LookUp | Levels
"""One step after the release."""


def columns_after(columns: tuple[Column, ...], step: Step) -> tuple[Column, ...]:
    """The columns of the table that a step makes of one with these."""
    match step:
        case Window():
            return (*columns, step.column)
        case Regroup() | Levels():
            return step.columns
        case LookUp():
            return (*columns, *step.columns)
    return columns
