"""The days of a stream that were released: counts, running totals and their intervals."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from shoal.errors import UnknownNameError
from shoal.exact import Number, open_unit
from shoal.loading import from_extra
from shoal.workloads import StreamPlan
from shoal.workloads.column_names import key_name

if TYPE_CHECKING:
    from shoal.plots import Picture

_COUNT, _TOTAL = "count", "total"
_ENDS = ("", "_low", "_high")


class DayEnds(NamedTuple):
    """Between which ends a count lies."""

    lo: float
    hi: float


@dataclass(frozen=True, eq=False)
class ReleasedDays:
    """Every released day of a stream, in order.

    A day's count and the total up to it stay as they are when later days are released.  Estimates
    are real numbers; intervals cover the noise, each for itself.
    """

    by: str
    labels: tuple[Any, ...]
    plan: StreamPlan
    measured: tuple[int, ...]
    confidence: Fraction = Fraction(95, 100)

    @property
    def columns(self) -> tuple[str, ...]:
        """The day, its count, and the total up to it."""
        return self.by, _COUNT, _TOTAL

    @property
    def keys(self) -> tuple[str, ...]:
        """The column of days."""
        return (self.by,)

    @property
    def rows(self) -> list[tuple[Any, ...]]:
        """One for each day: the day, its count, and the total up to it."""
        counts = self.plan.matrix.daily(self.measured).tolist()
        totals = self.plan.matrix.running(self.measured).tolist()
        return list(zip(self.labels, counts, totals, strict=True))

    def __len__(self) -> int:
        return len(self.measured)

    @property
    def price(self) -> str:
        """What the whole stream costs."""
        return str(self.plan.measure)

    def has_interval(self, column: str) -> bool:
        """Whether a column carries noise."""
        return column in (_COUNT, _TOTAL)

    def bins(self, column: str) -> None:
        """Nothing: a day is a moment."""

    def interval(self, column: str, confidence: Number | None = None) -> Sequence[DayEnds]:
        """The ends of an interval for each day's count or total."""
        if not self.has_interval(column):
            raise UnknownNameError(
                f"there is no interval of {column[:40]!r}.", remedy="Ask for 'count' or 'total'."
            )
        level = self.confidence if confidence is None else open_unit(confidence, "confidence")
        at = 1 if column == _COUNT else 2
        errors = self.plan.daily_errors if column == _COUNT else self.plan.running_errors
        half = self.plan.half_widths(errors, level)
        return [
            DayEnds(row[at] - far, row[at] + far)
            for row, far in zip(self.rows, half.tolist(), strict=False)
        ]

    def to_columns(self, *, confidence: Number | None = None) -> dict[str, list[Any]]:
        """The days, counts and totals with the ends of their intervals, by name.

        A column of days that is called like one of the others gets a ``_`` behind its name.
        """
        rows = self.rows
        days = key_name(self.by, {f"{each}{end}" for each in (_COUNT, _TOTAL) for end in _ENDS})
        found: dict[str, list[Any]] = {days: [row[0] for row in rows]}
        for at, column in ((1, _COUNT), (2, _TOTAL)):
            ends = self.interval(column, confidence)
            found[column] = [row[at] for row in rows]
            found[f"{column}_low"] = [low for low, _ in ends]
            found[f"{column}_high"] = [high for _, high in ends]
        return found

    def to_arrow(self, *, confidence: Number | None = None) -> Any:
        """An Arrow table; see `to_columns`.  It needs the extra `frames`, as `to_pandas` does."""
        pa = from_extra("pyarrow", needed_by="An Arrow table", extra="frames")
        return pa.table(self.to_columns(confidence=confidence))

    def to_pandas(self, *, confidence: Number | None = None) -> Any:
        """A pandas frame; see `to_columns`."""
        return self.to_arrow(confidence=confidence).to_pandas()

    def to_csv(self, path: str | Path, *, confidence: Number | None = None) -> None:
        """A CSV file; see `to_columns`."""
        columns = self.to_columns(confidence=confidence)
        with Path(path).open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(columns)
            writer.writerows(zip(*columns.values(), strict=True))

    def plot(self, column: str | None = None, *, confidence: Number | None = None) -> Picture:
        """A picture of the counts and totals with their intervals; ``.save("name.png")`` writes
        it.

        Edges: the extra `plots` is needed, and loaded here.
        """
        from shoal.plots import answer  # noqa: PLC0415 - loaded with the first picture

        return answer(self, column, confidence=confidence)

    def __repr__(self) -> str:
        return f"<{len(self)} of {self.plan.days} days by {self.by}, costing {self.price}>"
