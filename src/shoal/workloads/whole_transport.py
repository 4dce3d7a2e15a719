"""Whole numbers near given ones whose sums by rows and by columns are given whole numbers.

The given numbers are rounded down.  What is then missing from a row is also missing from the columns
that it meets, and one unit at a time is added where both miss one, first where most was cut off.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InternalError
from shoal.workloads.column_queries import Floats

Whole = NDArray[np.int64]


def whole_transport(
    values: Floats, ends: tuple[Whole, Whole], totals: tuple[Whole, Whole]
) -> Whole:
    """Whole numbers with the totals of rows and columns.

    ``ends`` are the row and the column of each value.

    Needs: rows and columns fall apart into blocks within which every row meets every column and the
        totals of both have the same sum.
    Guarantee: the totals hold exactly, and no number is negative.
    Proof: workloads.md, *Two known tables*.
    """
    found = np.floor(values).astype(np.int64)
    cut = values - found
    for end, total in zip(ends, totals, strict=True):
        _trim(found, end, total)
    short = [total - _sums(found, end, total.size) for end, total in zip(ends, totals, strict=True)]
    order = np.lexsort((-cut, values <= 0))  # where nothing was, only if nothing else will do
    while short[0].any():
        added = _added(order, ends, short)
        if not added:
            raise InternalError("known totals cannot be met.", remedy="Please report it.")
        found[added] += 1
    return found


def _sums(found: Whole, end: Whole, size: int) -> Whole:
    held = np.zeros(size, dtype=np.int64)
    np.add.at(held, end, found)
    return held


def _trim(found: Whole, end: Whole, total: Whole) -> None:
    """Takes away what a row has above its total, from its largest numbers first; values that miss
    their totals by less than 1 have nothing there.
    """
    over = _sums(found, end, total.size) - total
    for row in np.flatnonzero(over > 0).tolist():
        more = int(over[row])
        members = np.flatnonzero(end == row)
        for place in members[np.argsort(-found[members], kind="stable")].tolist():
            taken = min(more, int(found[place]))
            found[place] -= taken
            more -= taken


def _added(order: Whole, ends: tuple[Whole, Whole], short: list[Whole]) -> list[int]:
    """The places that get one unit more: one after another, where its row and its column miss one."""
    rows, columns = ends
    likely = order[(short[0][rows[order]] > 0) & (short[1][columns[order]] > 0)]
    left = [each.tolist() for each in short]
    added = []
    triples = zip(likely.tolist(), rows[likely].tolist(), columns[likely].tolist(), strict=True)
    for place, row, column in triples:
        if left[0][row] > 0 and left[1][column] > 0:
            left[0][row] -= 1
            left[1][column] -= 1
            added.append(place)
    short[:] = [np.array(each, dtype=np.int64) for each in left]
    return added
