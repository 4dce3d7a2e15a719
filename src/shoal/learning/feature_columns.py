"""What is public of a column, and how its values become whole numbers: by the declared range or
choices alone, each value by itself.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import FactsError, SchemaError
from shoal.plan import (
    BOOLEAN,
    DATE,
    TIMESTAMP,
    Choices,
    Column,
    Kind,
    Range,
    number_of,
    written,
)

STEPS = 1 << 14
"""A number of a declared range becomes a whole number from -2^14 to 2^14."""

_DAY = 86_400_000_000
"""Microseconds in a day: moments are placed by microseconds, whatever their type."""

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class FeatureColumn:
    """One public column: its name, and either the ends of its range or its levels.

    ``levels`` are the declared choices; one more level, the last, is for everything else and for
    missing values.  A missing number is read as the middle of the range and, where ``nullable``,
    marked by an indicator.
    """

    name: str
    low: Fraction | None = None
    high: Fraction | None = None
    levels: tuple[Any, ...] = ()
    nullable: bool = False

    @property
    def ordered(self) -> bool:
        """Whether it is a number, not one of some levels."""
        return not self.levels

    @property
    def middle(self) -> Fraction:
        assert self.low is not None
        assert self.high is not None
        return (self.low + self.high) / 2

    @property
    def half(self) -> Fraction:
        """Half of the range."""
        assert self.low is not None
        assert self.high is not None
        return (self.high - self.low) / 2

    def steps(self, values: NDArray[Any], most: int = STEPS) -> tuple[Integers, NDArray[np.bool_]]:
        """Each number as a whole number from -``most`` to ``most``, and which ones are missing.

        Guarantee: every entry depends on its own value alone, and lies within the bounds whatever
            that is.  Only operations that IEEE 754 defines to the last bit are used.
        Edges: NaN is missing and gives 0; infinities are the ends of the range.
        """
        unit = self.scaled(values)
        missing = np.isnan(unit)
        return np.rint(np.where(missing, 0.0, unit) * most).astype(np.int64), missing

    def scaled(self, values: NDArray[Any]) -> NDArray[np.float64]:
        """Each number from -1, the low end, to 1, the high one; NaN where it is missing.

        Guarantee: as `steps`.
        """
        numbers = _numbers(values)
        missing = np.isnan(numbers)
        low, high = float(self.low or 0), float(self.high or 0)
        held = np.minimum(np.maximum(np.where(missing, float(self.middle), numbers), low), high)
        half = float(self.half)
        unit = (held - float(self.middle)) / half if half > 0 else np.zeros(len(held))
        return np.where(missing, np.nan, np.minimum(np.maximum(unit, -1.0), 1.0))

    def codes(self, values: NDArray[Any]) -> Integers:
        """The number of each value's level; the last level is for all that is not declared."""
        known: dict[Any, int] = {}
        for at, level in enumerate(self.levels):
            known.setdefault(_plain(level), at)
        other = len(self.levels)
        return np.fromiter((_code(known, each, other) for each in values), np.int64, len(values))

    def undeclared(self, values: NDArray[Any]) -> NDArray[np.bool_]:
        """Which values are not declared: numbers outside the range, and everything that is none of
        the levels.

        Guarantee: as `steps`.
        Edges: a missing number is not outside; a missing level is none of the levels.
        """
        if not self.ordered:
            return np.asarray(self.codes(values) == len(self.levels))
        numbers = _numbers(values)
        return np.asarray((numbers < float(self.low or 0)) | (numbers > float(self.high or 0)))

    def bins(self, values: NDArray[Any], count: int) -> Integers:
        """The bin of each number, of ``count`` equal ones over the range; missing ones have the bin
        after the last.
        """
        found, missing = self.steps(values)
        places = (found + STEPS) * count // (2 * STEPS + 1)
        return np.where(missing, count, places)

    def to_dict(self) -> dict[str, Any]:
        """The column as JSON has it."""
        ends = [None if each is None else str(each) for each in (self.low, self.high)]
        levels = [_plain(each) for each in self.levels]
        return {"name": self.name, "range": ends, "levels": levels, "nullable": self.nullable}

    @classmethod
    def from_dict(cls, said: dict[str, Any]) -> FeatureColumn:
        low, high = (None if each is None else Fraction(each) for each in said["range"])
        levels = tuple(said["levels"])
        return cls(str(said["name"]), low, high, levels, bool(said["nullable"]))


def stated_column(name: str, fact: object, *, nullable: bool = False) -> FeatureColumn:
    """A column as the caller states it: a `Range` (or the pair of its ends) or `Choices`."""
    if isinstance(fact, tuple) and len(fact) == 2:
        fact = Range(*fact)
    if isinstance(fact, Range):
        low, high = (_place(each) for each in (fact.lo, fact.hi))
        return FeatureColumn(str(name), low, high, nullable=nullable)
    if isinstance(fact, Choices):
        return FeatureColumn(str(name), levels=tuple(map(_plain, fact.values)), nullable=nullable)
    raise FactsError(
        f"nothing is declared of column {str(name)[:60]!r}, and nothing is read off private rows.",
        remedy=f"State it: columns={{{str(name)[:60]!r}: shoal.Range(0, 100)}}, or shoal.Choices([...]).",
    )


def plan_column(column: Column) -> FeatureColumn:
    """A column of a table with the facts that its curator stated."""
    if column.choices is not None:
        levels = tuple(_plain(written(value, column.type)) for value in column.choices)
        return FeatureColumn(column.name, levels=levels, nullable=column.nullable)
    if column.type == BOOLEAN:
        return FeatureColumn(column.name, levels=(False, True), nullable=column.nullable)
    if column.type.ordered and column.span is not None:
        unit = _DAY if column.type == DATE else 1
        low, high = column.span.lo * unit, column.span.hi * unit
        return FeatureColumn(column.name, low, high, nullable=column.nullable)
    raise FactsError(
        f"column {column.name!r} has neither a range nor choices, so nothing can be learned from it.",
        remedy=f"State it: columns={{{column.name!r}: shoal.Choices([...])}}, or leave the column out.",
    )


def plan_values(values: Sequence[Any], column: Column) -> NDArray[Any]:
    """Values as an engine gives them, as `FeatureColumn` reads them."""
    kind = column.type
    if column.choices is None and kind.exact:
        unit = float(10**kind.scale)
        return np.array([np.nan if v is None else v / unit for v in values], dtype=np.float64)
    if column.choices is None and kind.kind is Kind.REAL:
        return np.array([np.nan if v is None else v for v in values], dtype=np.float64)
    if column.choices is None and kind.temporal:
        return np.fromiter(map(_number, values), np.float64, len(values))
    found = np.empty(len(values), dtype=object)
    found[:] = [_plain(written(value, kind)) for value in values]
    return found


def frame_columns(rows: Any) -> dict[str, NDArray[Any]]:
    """The columns of a frame or of a two-dimensional array by name; those of an array are x0, x1
    and so on.
    """
    if hasattr(rows, "toarray"):
        rows = rows.toarray()
    if hasattr(rows, "column_names") and hasattr(rows, "column"):  # a table of Arrow
        return {str(each): _array(rows.column(each)) for each in rows.column_names}
    if hasattr(rows, "columns") and hasattr(rows, "__getitem__"):
        return {str(each): _array(rows[each]) for each in rows.columns}
    if isinstance(rows, list | tuple):
        return _listed_columns(rows)
    array = np.asarray(rows)
    if array.dtype.kind == "c":
        _array(array)
    if array.ndim != 2:
        raise _not_rows(array.ndim)
    return {f"x{at}": array[:, at] for at in range(array.shape[1])}


def _listed_columns(rows: Sequence[Any]) -> dict[str, NDArray[Any]]:
    """The columns of a list of rows, as many as most of its rows have.

    Guarantee: every cell is read by itself.  A row with fewer cells has missing ones, what is no row
        has none, and further cells are not read: none of that is an error, which would tell that
        somebody has such a row.
    Needs: how many cells most rows have does not depend on single rows.
    """
    sizes = Counter(map(_cells_in, rows))
    width = max(sizes, key=lambda size: (sizes[size], -size), default=0)
    if not width:
        raise _not_rows(1)
    return {
        f"x{at}": _held([row[at] if _cells_in(row) > at else None for row in rows])
        for at in range(width)
    }


def _cells_in(row: Any) -> int:
    """How many cells a row of a list has; 0 if it is none."""
    is_row = isinstance(row, list | tuple) or (isinstance(row, np.ndarray) and row.ndim > 0)
    return len(row) if is_row else 0


def _not_rows(dimensions: int) -> SchemaError:
    return SchemaError(
        f"rows must be a frame or a two-dimensional array; got {dimensions} dimensions. "
        "Reshape your data.",
        remedy="Give X as a frame with named columns, or as X.reshape(-1, 1) for one column.",
    )


def column_array(values: Any) -> NDArray[Any]:
    """A target as one array; in a list, a target within a list of its own is that target."""
    if isinstance(values, list | tuple):
        return _held([each[0] if _cells_in(each) == 1 else each for each in values])
    found = _array(values)
    return found.reshape(-1) if found.ndim != 1 and found.size == len(found) else found


def _array(values: Any) -> NDArray[Any]:
    if hasattr(values, "to_pylist"):  # of Arrow, where a missing value must not be an error
        values = values.to_numpy(zero_copy_only=False)
    elif hasattr(values, "to_numpy"):
        values = values.to_numpy()
    found: NDArray[Any] = _held(values) if isinstance(values, list | tuple) else np.asarray(values)
    if found.dtype.kind == "c":
        raise SchemaError(
            "Complex data not supported: a column holds complex numbers.",
            remedy="Give the real and the imaginary part as two columns.",
        )
    if found.dtype.kind == "M":
        places = found.astype("datetime64[us]").astype(np.int64).astype(np.float64)
        places[np.isnat(found)] = np.nan
        return places
    return found


def _held(values: Sequence[Any]) -> NDArray[Any]:
    """Values of a list as they are, one by one.

    numpy would look at all of them to find a type and a depth: a single text makes texts of the
    numbers of all other rows, and lists of one value are values only while no list has two.
    """
    found = np.empty(len(values), dtype=object)
    for at, each in enumerate(values):
        found[at] = each
    return found


def _numbers(values: NDArray[Any]) -> NDArray[np.float64]:
    """Numbers as doubles; what is no number is missing."""
    if values.dtype.kind in "fiub":
        return values.astype(np.float64)
    return np.fromiter((_number(each) for each in values), np.float64, len(values))


def _number(value: Any) -> float:
    """One number or moment; whatever cannot be read as one is missing.

    Guarantee: it never fails.  An error would tell that somebody has such a value.
    """
    try:
        if isinstance(value, np.datetime64):
            value = value.astype("datetime64[us]").item()
        return float(_place(value)) if isinstance(value, dt.date) else float(value)
    except Exception:  # noqa: BLE001 - a value of any kind may fail in any way
        return float("nan")


def _place(end: Any) -> Fraction:
    """Where a number or a moment stands; moments are microseconds since 1970, dates their
    midnights.  A moment with a time zone is taken in UTC.
    """
    if not isinstance(end, dt.date):
        return Fraction(end)
    if isinstance(end, dt.datetime) and end.tzinfo is not None:
        end = end.astimezone(dt.UTC).replace(tzinfo=None)
    place = number_of(end, TIMESTAMP)
    assert place is not None
    return place if isinstance(end, dt.datetime) else place * _DAY


def _plain(value: Any) -> Any:
    """A level as it is compared and stored: text, truth value or number."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, str | bool):
        return value
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return str(value)


def _code(known: dict[Any, int], value: Any, other: int) -> int:
    """The number of a value's level; it never fails, like `_number`."""
    try:
        return known.get(_plain(value), other)
    except Exception:  # noqa: BLE001 - a value of any kind may fail in any way
        return other
