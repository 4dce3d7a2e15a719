"""Sums over rows as exact whole numbers: products of integer columns, and counts and sums by code.

Doubles hold every whole number up to 2^53.  While no partial sum can pass that, a product of
matrices in doubles is exact in whatever order it is computed, and it is as quick as a product of
floats.  Longer sums are cut into blocks of rows, which are added as integers.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InternalError

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_EXACT = 1 << 53
_WORD = 1 << 62


def products(left: Floats, right: Floats, most_left: int, most_right: int) -> Integers:
    """Left' right, exactly: for every two columns the sum over rows of their products.

    Needs: entries are whole numbers, at most ``most_left`` and ``most_right`` in size; which is so
        for all rows that can be, since it decides how rows are cut into blocks.
    Edges: no rows give zeros; more rows than 62 bits can hold are refused as an internal error,
        which needs 2^62 / (most_left most_right) of them.
    """
    each = max(1, most_left * most_right)
    rows = len(left)
    if rows * each >= _WORD:
        raise InternalError("too many rows for 62 bits.", remedy="Please report it.")
    block = max(1, _EXACT // each)
    total = np.zeros((left.shape[1], right.shape[1]), dtype=np.int64)
    for start in range(0, rows, block):
        piece = slice(start, start + block)
        total += (left[piece].T @ right[piece]).astype(np.int64)
    return total


def scores(rows: Floats, weights: NDArray[np.float64], most_row: int) -> Floats:
    """Rows times whole-number weights, exactly, as whole numbers in doubles.

    Needs: entries of rows are at most ``most_row`` in size, and the sizes of the weights add up to
        at most 2^53 / most_row; `whole_weights` makes such weights.
    """
    if float(np.abs(weights).sum(axis=0).max(initial=0)) * most_row > _EXACT:
        raise InternalError("weights are too large to be exact.", remedy="Please report it.")
    return rows @ weights


def whole_weights(weights: Floats, most_row: int, finest: int = 20) -> tuple[Floats, int]:
    """Real weights as whole numbers of 2^-bits, as fine as exact `scores` allow, and bits.

    The same bits serve all columns of a matrix.  Weights come from released numbers, so nothing
    here depends on rows.
    """
    weights = np.clip(weights, -(2.0**50), 2.0**50)
    total = float(np.abs(weights).sum(axis=0).max(initial=0)) + 1
    bits = finest
    while bits > -40 and (total * 2.0**bits + len(weights)) * most_row > _EXACT / 2:
        bits -= 1
    return np.rint(weights * 2.0**bits), bits


def sums_by_code(codes: Integers, count: int, values: Integers, most: int) -> Integers:
    """For each of ``count`` codes the sum of the whole numbers of its rows, exactly.

    Needs: values are at most ``most`` in size.
    """
    rows = len(codes)
    if rows * most >= _WORD:
        raise InternalError("too many rows for 62 bits.", remedy="Please report it.")
    block = max(1, _EXACT // max(1, most))
    total = np.zeros(count, dtype=np.int64)
    for start in range(0, rows, block):
        piece = slice(start, start + block)
        found = np.bincount(codes[piece], values[piece].astype(np.float64), minlength=count)
        total += found.astype(np.int64)
    return total


def clipped(rows: Floats, most: int) -> tuple[Floats, Integers]:
    """Rows of whole numbers scaled down to a length of at most ``most``, and by how many 2^-15
    each.

    Guarantee: row by row, the squares of the result add up to at most most^2, and entries are
        whole.  Each row depends on itself alone.
    Needs: the squares of a row add up to less than 2^53, and most is at most 2^15.
    Proof: training.md, *Clipping*.
    """
    factors = clip_factors(np.einsum("ij,ij->i", rows, rows).astype(np.int64), most)
    short = np.trunc(rows * factors[:, None].astype(np.float64) * 2.0**-15)
    return short, factors


def clip_factors(squares: Integers, most: int) -> Integers:
    """By how many 2^-15 rows of these squared lengths are scaled to a length of at most ``most``.

    Guarantee: the largest whole number f up to 2^15, or the one below, with f^2 N <= most^2 2^30.
    """
    bound = most * most << 30
    length = np.sqrt(np.maximum(squares, 1).astype(np.float64))
    factors = np.minimum(np.floor(most * 2.0**15 / length), 2.0**15).astype(np.int64)
    factors -= (factors * factors > bound // np.maximum(squares, 1)).astype(np.int64)
    return factors


def weighted_rows(rows: Floats, weights: Floats) -> Floats:
    """Rows times real weights, column after column.

    Guarantee: each number depends on its row alone, to the last bit, which a product of matrices in
        doubles does not promise.
    """
    total = np.zeros(len(rows))
    for at, weight in enumerate(weights.tolist()):
        total += rows[:, at] * weight
    return total
