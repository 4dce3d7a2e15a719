"""Weights by value, as arrays: by sorting rows that fit into memory, or by the engine.

Ten million rows with as many values take about a gigabyte while they are sorted, and 16 bytes a
value afterwards.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shoal.engines.duckdb.fetching import RowArrays
from shoal.engines.duckdb.sorting import Columns, weights_of
from shoal.engines.sql import keys_of
from shoal.plan import Spread, Value, ValueWeights

if TYPE_CHECKING:
    import duckdb

Histograms = dict[tuple[Value, ...], ValueWeights]


def sorted_histograms(
    spread: Spread, keys: list[tuple[Value, ...]], rows: RowArrays
) -> Histograms | None:
    """The weights of each key's points; None if a number on the way might not fit 64 bits."""
    assert spread.grid is not None
    width = spread.grid.hi - spread.grid.lo + 1
    if width * max(1, len(keys)) >= 1 << 62:
        return None
    # One number for each pair of a key and a point, in the order of keys, then of points.
    pairs = np.asarray(rows.added[0], np.int64) - spread.grid.lo
    if rows.keys is not None:
        pairs += np.asarray(rows.keys, np.int64) * width
    held, numbers = np.unique(pairs, return_inverse=True)
    del pairs
    key_of = (held // width).astype(np.int32)
    columns = Columns(len(held), len(numbers), rows.people, [])
    columns.take(rows.persons, numbers, [])
    weighed = weights_of(spread, columns, key_of)
    if weighed is None:
        return None
    return _by_key(keys, key_of, held % width + spread.grid.lo, weighed)


def grouped_histograms(
    connection: duckdb.DuckDBPyConnection, spread: Spread, sql: str, table: str
) -> Histograms:
    """The same of a SELECT of weights by key and point; keys are numbered in a table of this
    name, so that numbers alone are brought over.
    """
    names = keys_of(spread.bounded)
    listed = ", ".join(names)
    weighed = f"SELECT {', '.join([*names, 'v'])}, CAST(w AS BIGINT) AS w FROM ({sql})"
    if not names:
        return _read(connection, [()], f"SELECT 0 AS g, v, w FROM ({weighed}) ORDER BY v")
    try:
        connection.execute(f"CREATE OR REPLACE TEMP TABLE {table} AS {weighed}")
        keys = f"SELECT DISTINCT {listed} FROM {table}"
        numbered = f"SELECT *, row_number() OVER () - 1 AS g FROM ({keys})"
        connection.execute(f"CREATE OR REPLACE TEMP TABLE {table}_keys AS {numbered}")
        found = connection.execute(f"SELECT {listed} FROM {table}_keys ORDER BY g").fetchall()
        same = " AND ".join(f"a.{name} IS NOT DISTINCT FROM b.{name}" for name in names)
        joined = f"SELECT b.g, a.v, a.w FROM {table} AS a JOIN {table}_keys AS b ON {same}"
        return _read(connection, found, f"{joined} ORDER BY g, v")
    finally:
        connection.execute(f"DROP TABLE IF EXISTS {table}")
        connection.execute(f"DROP TABLE IF EXISTS {table}_keys")


def _read(
    connection: duckdb.DuckDBPyConnection, keys: list[tuple[Value, ...]], sql: str
) -> Histograms:
    found = connection.execute(sql).fetchnumpy()
    numbers, points, weights = (np.asarray(found[name], np.int64) for name in ("g", "v", "w"))
    return _by_key(keys, numbers, points, weights)


def _by_key(
    keys: list[tuple[Value, ...]],
    numbers: NDArray[Any],
    points: NDArray[np.int64],
    weights: NDArray[np.int64],
) -> Histograms:
    """Arrays in the order of keys and points, cut where keys begin; only keys that have points."""
    cuts = np.searchsorted(numbers, np.arange(len(keys) + 1))
    return {
        key: ValueWeights(points[start:end], weights[start:end])
        for key, (start, end) in zip(keys, pairwise(cuts.tolist()), strict=True)
        if start < end
    }


def sorted_values(
    spread: Spread, pairs: list[tuple[Value, ...]], rows: Columns
) -> Histograms | None:
    """The weights of each key's values, where the last key is the value."""
    numbers = dict[tuple[Value, ...], int]()
    key_of = [numbers.setdefault(pair[:-1], len(numbers)) for pair in pairs]
    weighed = weights_of(spread, rows, np.array(key_of, np.int32))
    if weighed is None:
        return None
    lines = ((*pair, weight) for pair, weight in zip(pairs, weighed.tolist(), strict=True))
    return by_value(lines)


def by_value(lines: Iterable[tuple[Any, ...]]) -> Histograms:
    """Lines of keys, a value of any type and its weight."""
    found: dict[tuple[Value, ...], dict[Value, int]] = {}
    for *key, value, weight in lines:
        found.setdefault(tuple(key), {})[value] = int(weight)
    return {key: ValueWeights.of(each, points=False) for key, each in found.items()}
