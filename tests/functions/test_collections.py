"""Rows come one by one: a collection that gives something else is refused by its type, and no name,
key or letter counts as a row.
"""

from __future__ import annotations

import array
from collections import Counter, UserDict, UserString, deque, namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from shoal import Histogram
from shoal.errors import ShapeError, ShoalError
from shoal.functions import (
    Distribution,
    InverseSensitivity,
    KernelDensity,
    NarrowingMean,
    QuantileClippedMean,
    RocCurve,
    SampleAndAggregate,
    SmoothCauchy,
    StableHistogram,
    StableMode,
    TriangleCount,
    TrimmedMean,
)
from shoal.local.protocols.statistical import StatisticalQueries
from shoal.mechanisms.total_functions import each_row

Pair = namedtuple("Pair", ["a", "b"])  # noqa: PYI024 - the kind that many programs have
TABLE = pa.table({"a": [0.5, 0.5, 0.5], "b": [0.5, 0.5, 0.5]})
NO_ROWS: dict[str, Any] = {
    "a frame of pandas": TABLE.to_pandas(),
    "groups of a frame": TABLE.to_pandas().groupby("a"),
    "a frame of polars": pl.from_arrow(TABLE),
    "a lazy frame": pl.DataFrame({"a": [1]}).lazy(),
    "a table of Arrow": TABLE,
    "an array of Arrow": pa.array([0.5, 0.5, 0.5]),
    "a dict": {"a": 0.5, "b": 0.5, "c": 0.5},
    "keys": {"a": 0.5, "b": 0.5, "c": 0.5}.keys(),
    "items": {"a": 0.5, "b": 0.5, "c": 0.5}.items(),
    "a mapping": UserDict({"a": 0.5}),
    "a counter": Counter("abc"),
    "a set": {0.25, 0.5, 0.75},
    "a frozen set": frozenset({0.25, 0.5, 0.75}),
    "a text": "abc",
    "a text of another class": UserString("abc"),
    "a text of numpy": np.str_("abc"),
    "bytes": b"abc",
    "bytes that change": bytearray(b"abc"),
    "a view of bytes": memoryview(b"abc"),
    "one row with names": Pair(0.5, 0.5),
    "a number": 3,
    "nothing": None,
    "an array of one number": np.array(0.5),
}
ENDS: dict[str, Any] = {"size": 3, "low": 0, "high": 1}
MIDDLE = InverseSensitivity.median(epsilon=1, points=9, **ENDS)
DOORS: dict[str, Callable[[Any], Any]] = {
    "StableHistogram": StableHistogram(epsilon=1, delta="1e-6").release,
    "StableMode": StableMode(epsilon=1, delta="1e-6").release,
    "Histogram": lambda rows: Histogram.for_epsilon(1).release(rows, categories=["a", 0.5]),
    "SampleAndAggregate": lambda rows: SampleAndAggregate(aggregator=MIDDLE, otherwise=0).release(
        len, rows
    ),
    "InverseSensitivity": MIDDLE.release,
    "TrimmedMean": lambda rows: SmoothCauchy(epsilon=1).release(TrimmedMean.median(**ENDS), rows),
    "QuantileClippedMean": QuantileClippedMean(rho=1, points=9, rank=1, **ENDS).release,
    "NarrowingMean": NarrowingMean(rho=1, spread=1, **ENDS).release,
    "labels": lambda rows: RocCurve.for_epsilon(1, relation="change", cells=4).release(
        np.full(3, 0.5), rows
    ),
}
OF_ARRAYS: dict[str, Callable[[Any], Any]] = {
    "Distribution": Distribution.for_epsilon(1, relation="change", cells=4, low=0, high=1).release,
    "KernelDensity": KernelDensity.for_epsilon(1, relation="change", degree=2).release,
    "StatisticalQueries": lambda people: StatisticalQueries(
        people, tolerance="0.5", queries=1, failure="0.5", epsilon=9
    ),
}


@pytest.mark.parametrize("door", DOORS)
def test_no_name_key_or_letter_counts_as_a_row(door: str) -> None:
    for name, given in NO_ROWS.items():
        try:
            DOORS[door](given)
        except ShapeError:
            continue
        pytest.fail(name)


@pytest.mark.parametrize("door", OF_ARRAYS)
def test_what_is_no_array_is_refused_where_arrays_are_read(door: str) -> None:
    for name, given in NO_ROWS.items():
        if "frame of" in name or "Arrow" in name:  # which are arrays
            continue
        try:
            OF_ARRAYS[door](given)
        except ShoalError:
            continue
        pytest.fail(name)


@pytest.mark.parametrize("door", ["StableHistogram", "StableMode", "Histogram"])
def test_a_row_of_an_array_of_two_dimensions_is_no_category(door: str) -> None:
    with pytest.raises(ShapeError, match="one-dimensional"):
        DOORS[door](np.full((3, 2), 0.5))


@pytest.mark.parametrize(
    "rows",
    [
        [0.5] * 3,
        (0.5,) * 3,
        deque([0.5] * 3),
        array.array("d", [0.5] * 3),
        np.full(3, 0.5),
        pd.Series([0.5] * 3),
        pd.Index([0.5] * 3),
        pl.Series([0.5] * 3),
        range(3),
    ],
    ids=lambda rows: type(rows).__name__,
)
def test_collections_of_rows_are_read(rows: Any) -> None:
    assert len(list(each_row(rows))) == 3
    for name, door in DOORS.items():
        if name != "labels":  # an array of them holds truth values
            door(rows)


def test_edges_may_be_a_set_since_equal_ones_are_one() -> None:
    count = TriangleCount(nodes=3)
    assert count.value({(0, 1), (1, 2), (0, 2)}) == count.value([(0, 1), (1, 2), (0, 2)])
    with pytest.raises(ShapeError):
        count.value({(0, 1): 1})
