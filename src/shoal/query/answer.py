"""An answer: released values as a table, the interval of each, and the certificate of the release.

What follows from released values is computed here, for free: computed columns, HAVING, ORDER BY
and LIMIT.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from shoal.engines.held_rows import HeldRows
from shoal.errors import RangeError, UnknownNameError
from shoal.exact import Number, open_unit, short
from shoal.plan import REAL, After, Expression, Key, Kind, Ref, Type, Value, evaluate, written
from shoal.plan.released_steps import Regroup
from shoal.query.clipped_people import Clipped
from shoal.query.computed_columns import computed_interval, parts_of
from shoal.query.estimates import (
    End,
    Ends,
    Interval,
    Noisy,
    ends_in,
    estimate,
    interval,
    whole_units,
)
from shoal.query.keys import Group, bin_of, is_binned
from shoal.query.notes import (
    CHOSEN_BY_NOISE,
    bounding_notes,
    exact_count_notes,
    interval_notes,
    matching_notes,
)
from shoal.query.pricing import Priced
from shoal.query.recipes import Recipe
from shoal.query.released_table import FirstStage, Stage, staged
from shoal.query.shown_answer import MOST_ROWS, OUTSIDE, as_html, as_text, is_outside, sheet_of
from shoal.query.window_frames import sorted_places

if TYPE_CHECKING:
    from shoal.plots import Picture

CONFIDENCE = Fraction(95, 100)
"""That of the intervals that are shown, unless a question says another."""


@dataclass(frozen=True, repr=False)
class Answer:
    """The released table.  Everything here follows from released values and public facts.

    ``confidence`` is that of the intervals that are shown; `interval` gives them at any other.
    ``counts`` are the noisy numbers of people beyond their share and within it, where they were
    asked for; `clipped` explains them.  ``whole`` are the counts of the groups in whole numbers that
    add up, where several levels were measured together; intervals are around the estimates.
    """

    priced: Priced
    groups: Sequence[Group]
    noisy: Sequence[Noisy]
    certificate: Mapping[str, Any]
    confidence: Fraction = CONFIDENCE
    counts: tuple[int, int] | None = None
    whole: Sequence[int] | None = None
    _rows: list[dict[str, Value]] = field(init=False)
    _places: list[int] = field(init=False)
    _stage: Stage | None = field(init=False, compare=False, default=None)
    _ends: dict[str, list[Ends]] = field(init=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        keys = [key.name for key in self.priced.question.keys]
        rows = []
        for group, noisy in zip(self.groups, self.noisy, strict=True):
            row = dict(zip(keys, group, strict=True))
            for recipe in self.priced.recipes:
                row[recipe.aggregate.name] = estimate(recipe, noisy)
            rows.append(row)
        if self.whole is not None:
            (recipe,) = self.priced.recipes
            for row, count in zip(rows, self.whole, strict=True):
                row[recipe.aggregate.name] = count
        after = self.priced.question.after
        if after.steps:
            object.__setattr__(self, "_stage", staged(self._first(rows), after.steps))
            rows = self._stage.rows if self._stage is not None else rows
        object.__setattr__(self, "_rows", rows)
        object.__setattr__(self, "_places", kept(rows, after))

    def _first(self, rows: list[dict[str, Value]]) -> FirstStage:
        keys = frozenset(key.name for key in self.priced.question.keys)
        recipes = {recipe.aggregate.name: recipe for recipe in self.priced.recipes}
        return FirstStage(rows, keys, recipes, self.noisy, self.priced.noised)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(name for name, _ in self.priced.question.after.columns)

    @property
    def types(self) -> tuple[Type, ...]:
        return tuple(e.type for _, e in self.priced.question.after.columns)

    @property
    def rows(self) -> list[tuple[object, ...]]:
        """The rows, exact numbers with a point as `Decimal`."""
        return list(self._cells)

    @cached_property
    def _cells(self) -> list[tuple[object, ...]]:
        after, types = self.priced.question.after, self.types
        return [
            tuple(
                written(value, kind)
                for value, kind in zip(shown(self._rows[at], after), types, strict=True)
            )
            for at in self._places
        ]

    @property
    def keys(self) -> tuple[str, ...]:
        """The columns that rows were grouped by, of those that are shown."""
        again = [step for step in self.priced.question.after.steps if isinstance(step, Regroup)]
        if again:
            names = {name for name, _ in again[-1].keys}
            shown = ((name, self._expression(name)) for name in self.columns)
            return tuple(n for n, e in shown if isinstance(e, Ref) and e.column.name in names)
        return tuple(name for name in self.columns if self._key(name) is not None)

    @property
    def price(self) -> str:
        """What was asked to be spent, in words."""
        return self.priced.price

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know about some of the numbers."""
        outside = any(
            is_outside(value, ends)
            for name in self.columns
            if self.has_interval(name)
            for value, ends in zip(self._column(name), self.ends(name), strict=True)
        )
        return (
            *exact_count_notes(self.priced),
            *bounding_notes(self.priced),
            *interval_notes(self.priced),
            *([] if self.clipped is None else [str(self.clipped)]),
            *matching_notes(self.priced, self.groups, self.noisy),
            *self.priced.notes,
            *[OUTSIDE] * outside,
            *[CHOSEN_BY_NOISE] * self._cut_by_noise,
        )

    @property
    def _cut_by_noise(self) -> bool:
        """Whether LIMIT or HAVING has left rows that noise helped to choose, with intervals beside
        them.
        """
        after = self.priced.question.after
        stage = self._stage or self._first(self._rows)
        limited = after.limit is not None or bool(after.offset)
        by = [each.expression for each in after.order] if limited else []
        by += [] if after.having is None else [after.having]
        if len(self) == len(self._rows) or all(map(stage.known, by)):
            return False
        return any(map(self.has_interval, self.columns))

    @property
    def clipped(self) -> Clipped | None:
        """How many people are beyond their share, where ``show_clipped`` asked for it."""
        if self.counts is None or self.priced.clipping is None:
            return None
        return self.priced.clipping.told(self.counts, self.confidence)

    def bins(self, column: str) -> list[tuple[float, float] | None] | None:
        """For each row the ends of its bin, where a key was made by BIN or WIDTH_BUCKET; else
        None.
        """
        key = self._key(column)
        if key is None or not is_binned(key.expression):
            return None
        return [bin_of(key.expression, self._rows[at][key.name]) for at in self._places]

    def __len__(self) -> int:
        return len(self._places)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """The rows, each by the names of its columns, with the ends of intervals as `to_rows` has
        them; pandas makes a frame of it.
        """
        return self.to_rows().dicts()

    def __getitem__(self, column: str) -> list[Any]:
        """The values of a column, also of an end such as ``n_low``."""
        if column in self.columns:
            return self._column(column)
        columns = self.to_rows().columns
        if column not in columns:
            raise UnknownNameError(
                f"the answer has no column {str(column)[:40]!r}.",
                remedy=f"The columns are: {', '.join(columns)}.",
            )
        return list(columns[column][1])

    @property
    def value(self) -> Any:
        """The one number of an answer that has one row, and one column besides its keys."""
        names = [name for name in self.columns if name not in self.keys]
        if len(self) != 1 or len(names) != 1:
            raise RangeError(
                f"the answer has {len(self)} rows and {len(names)} columns of numbers, not one of each.",
                remedy=f"Take a column: answer[{(names or ['n'])[0]!r}], or all of it: answer.rows.",
            )
        return self[names[0]][0]

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """The answer for whoever reads Arrow: ``pyarrow.table(answer)``, ``polars.DataFrame(answer)``."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def interval(
        self, column: str, confidence: Number | None = None, *, simultaneous: bool = False
    ) -> list[Interval]:
        """For each row, where the column's true bounded value is, with at least this confidence.

        ``simultaneous`` intervals hold for all numbers of the answer at once.  The true bounded
        value is what an answer without noise would say: after ranges and shares have been held.
        Quantiles have one if the question was asked with ``intervals``, at that confidence; of the
        least and the greatest it holds the extreme row itself.  Otherwise `preview` tells how far
        they can be off in rank.  What is computed from other released numbers has one by interval
        arithmetic, wherever its functions allow it.
        """
        if not self.has_interval(column):
            known = ", ".join(name for name in self.columns if self.has_interval(name)) or "none"
            raise UnknownNameError(
                f"column {str(column)[:40]!r} has no interval: it is not a noisy number, or does not follow from some.",
                remedy=f"Columns with an interval: {known}.",
            )
        level = self.confidence if confidence is None else open_unit(confidence, "confidence")
        return self._intervals(column, level, simultaneous=simultaneous)

    def ends(self, column: str, most: int | None = None) -> list[Ends]:
        """The interval of every row, or of the first so many, as it is shown: in the type of the
        column, outward.
        """
        if column not in self._ends:  # found once for notes, tables and what is stored
            kind = self._expression(column).type
            found = self._intervals(column, self.confidence)
            self._ends[column] = [ends_in(kind, each) for each in found]
        return self._ends[column][:most]

    def _intervals(
        self, column: str, level: Fraction, *, simultaneous: bool = False
    ) -> list[Interval]:
        parts = self.priced.recipes if self._stage is not None else self._parts(column)
        drawn = any(part.place is not None for part in parts)
        if drawn and (simultaneous or level > self.confidence):
            raise RangeError(
                f"the interval of the quantile {column!r} was drawn for itself, at a confidence of "
                f"{short(self.confidence)}; it cannot be widened afterwards.",
                remedy="Ask anew with a higher confidence: sql(text, intervals='0.99').",
            )
        expression = self._expression(column)
        if self._stage is not None:
            numbers = sum(map(self.has_interval, self.columns)) if simultaneous else 1
            cells = numbers * max(1, len(self._rows)) if simultaneous else 1
            found = self._stage.intervals(expression, 1 - (1 - level) / cells)
            return [whole_units(expression.type, found[at]) for at in self._places]
        errors = self._errors(parts, level, simultaneous=simultaneous)
        return [
            whole_units(expression.type, self._interval_at(at, expression, parts, errors))
            for at in self._places
        ]

    def _column(self, name: str) -> list[Any]:
        at = self.columns.index(name)
        return [row[at] for row in self._cells]

    def _interval_at(
        self,
        at: int,
        expression: Expression,
        parts: tuple[Recipe, ...],
        errors: Mapping[Any, float],
    ) -> Interval:
        found = {part.aggregate.name: interval(part, self.noisy[at], errors) for part in parts}
        if isinstance(expression, Ref):
            return found[expression.column.name]
        return computed_interval(expression, self._rows[at], found)

    def has_interval(self, column: str) -> bool:
        """Whether `interval` knows where the numbers of a column are without their noise."""
        if self._stage is not None:
            made = dict(self.priced.question.after.columns).get(column)
            return made is not None and bool(made.type.numeric and self._stage.sources(made))
        return bool(self._parts(column))

    def _expression(self, column: str) -> Expression:
        return dict(self.priced.question.after.columns)[column]

    def _parts(self, column: str) -> tuple[Recipe, ...]:
        """The aggregates from whose intervals that of a column follows; none if it has none."""
        if column not in self.columns:
            return ()
        expression, recipes = self._expression(column), self.priced.recipes
        if isinstance(expression, Ref):
            named = (r for r in recipes if r.aggregate.name == expression.column.name)
            return tuple(r for r in named if r.place is None or r.ends)
        return parts_of(expression, recipes)

    def _key(self, column: str) -> Key | None:
        expression = self._expression(column) if column in self.columns else None
        if not isinstance(expression, Ref):
            return None
        question = self.priced.question
        again = any(isinstance(step, Regroup) for step in question.after.steps)
        keys = () if again else question.keys
        return next((key for key in keys if key.name == expression.column.name), None)

    def _errors(
        self, parts: tuple[Recipe, ...], confidence: Fraction, *, simultaneous: bool
    ) -> dict[Any, float]:
        beside = self.priced.recipes if simultaneous else ()
        size = max(1, len(self.groups)) if simultaneous else 1
        return self.priced.noised.errors(parts, confidence, size=size, beside=beside)

    def plot(self, column: str | None = None, *, confidence: Number | None = None) -> Picture:
        """A picture of one column, or of every noisy number; ``.save("name.png")`` writes it.

        Edges: the extra `plots` is needed, and loaded here.
        """
        from shoal.plots import answer  # noqa: PLC0415 - loaded with the first picture

        return answer(self, column, confidence=confidence)

    def to_rows(self, *, intervals: bool = True) -> HeldRows:
        """The values that files and frames hold; with ``intervals``, each released number has
        columns _low and _high.

        These are the ends that printing rounds: those of decimals, dates and timestamps have the
        type of their number, those of whole numbers are whole.
        """
        return held_rows(self, intervals=intervals)

    def to_arrow(self, *, intervals: bool = True) -> Any:
        """An Arrow table; see `to_rows`.  It needs the extra `frames`, as `to_pandas` and
        `to_polars` do.
        """
        return self.to_rows(intervals=intervals).to_arrow()

    def to_pandas(self, *, intervals: bool = True) -> Any:
        """A pandas frame; see `to_arrow`."""
        return self.to_arrow(intervals=intervals).to_pandas()

    def to_polars(self, *, intervals: bool = True) -> Any:
        """A polars frame; see `to_arrow`."""
        import polars as pl  # noqa: PLC0415 - heavy, and a choice of the caller

        return pl.from_arrow(self.to_arrow(intervals=intervals))

    def to_csv(self, path: str | Path, *, intervals: bool = True) -> None:
        """A CSV file; see `to_rows`."""
        made = self.to_rows(intervals=intervals).csv()
        Path(path).write_text(made, encoding="utf-8", newline="")

    def __str__(self) -> str:
        return as_text(sheet_of(self, MOST_ROWS))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return as_html(sheet_of(self, MOST_ROWS))


class TableWithEnds(Protocol):
    """A table of released numbers, some with intervals: an answer, or one that was stored."""

    @property
    def columns(self) -> tuple[str, ...]: ...
    @property
    def types(self) -> tuple[Type, ...]: ...
    @property
    def rows(self) -> list[tuple[Any, ...]]: ...
    def has_interval(self, column: str) -> bool: ...
    def ends(self, column: str, most: int | None = None) -> list[Ends]: ...


def held_rows(table: TableWithEnds, *, intervals: bool = True) -> HeldRows:
    """The values that files and frames hold; see `Answer.to_rows`."""
    rows, columns = table.rows, dict[str, tuple[Type, Sequence[Any]]]()
    for at, (name, kind) in enumerate(zip(table.columns, table.types, strict=True)):
        columns[name] = kind, [row[at] for row in rows]
        if intervals and table.has_interval(name):
            found = table.ends(name)
            for place, end in enumerate(("low", "high")):
                label = f"{name}_{end}"
                while label in table.columns or label in columns:
                    label += "_"
                columns[label] = _held_ends(kind, [each[place] for each in found], place)
    return HeldRows(columns)


def _held_ends(kind: Type, ends: Sequence[End], place: int) -> tuple[Type, Sequence[Any]]:
    """One side of all intervals of a column; reals and whole numbers without an end have an
    infinite one.
    """
    if kind.kind not in (Kind.INTEGER, Kind.REAL):
        return kind, ends
    nowhere = (-math.inf, math.inf)[place]
    return REAL, [nowhere if end is None else float(end) for end in ends]  # type: ignore[arg-type]


Row = Mapping[str, Value]


def kept(rows: Sequence[Row], after: After) -> list[int]:
    """Which rows are shown, in which order, by their places."""
    places = list(range(len(rows)))
    if after.having is not None:
        condition = after.having
        places = [at for at in places if evaluate(condition, rows[at]) is True]
    if after.order:
        places = sorted_places(rows, places, after.order)
    end = None if after.limit is None else after.offset + after.limit
    return places[after.offset : end]


def shown(row: Row, after: After) -> tuple[Value, ...]:
    """The columns of a row of the answer."""
    return tuple(evaluate(expression, row) for _, expression in after.columns)
