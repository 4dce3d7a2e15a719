"""A table of whole numbers near a fitted one, whose margins stay near the fitted margins too.

Rounding cell by cell would add up in the margins: of ten thousand cells, each off by a third, the
sum is off by about thirty.  So single units are moved along one column, from cells whose margins
came out too high to cells whose margins came out too low, as long as that helps.  Moves never
change what is known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.workloads.column_queries import Floats

Whole = NDArray[np.int64]
_PASSES = 400


def rounded(fitted: Floats, margins: Mapping[tuple[int, ...], float], held: Sequence[int]) -> Whole:
    """The fitted table in whole numbers.

    ``margins`` says for each set of axes how much the squared difference of its margins counts.
    The margin over the axes ``held`` is whole already, and stays.
    """
    whole = _running(fitted, held)
    free = [axis for axis in range(fitted.ndim) if axis not in held and fitted.shape[axis] > 1]
    excess = {axes: _margin(whole - fitted, axes) for axes in margins}
    quiet = 0
    for at in range(_PASSES * len(free)):
        axis = free[at % len(free)]
        touched = {axes: margins[axes] for axes in margins if axis in axes}
        moved = bool(touched) and _move(whole, fitted, axis, touched, excess)
        quiet = 0 if moved else quiet + 1
        if quiet == len(free):
            break
    return whole


def _running(fitted: Floats, held: Sequence[int]) -> Whole:
    """Running sums are rounded, and each cell is the difference of two; so held margins are kept."""
    order = [*held, *(axis for axis in range(fitted.ndim) if axis not in held)]
    turned = np.transpose(fitted, order)
    rows = turned.reshape(int(np.prod([fitted.shape[axis] for axis in held])), -1)
    running = np.floor(np.cumsum(rows, axis=1) + 0.5).astype(np.int64)
    whole = np.diff(running, axis=1, prepend=0).reshape(turned.shape)
    return np.ascontiguousarray(np.transpose(whole, np.argsort(order)))


def _margin(table: Floats, axes: tuple[int, ...]) -> Floats:
    """Sums over all other axes, which stay as axes of length 1."""
    away = tuple(axis for axis in range(table.ndim) if axis not in axes)
    return np.asarray(table.sum(axis=away, keepdims=True))


def _move(
    whole: Whole,
    fitted: Floats,
    axis: int,
    touched: Mapping[tuple[int, ...], float],
    excess: Mapping[tuple[int, ...], Floats],
) -> bool:
    """Move units along an axis, at most one out of and into each cell of a margin; whether any was
    moved.
    """
    score = np.zeros(whole.shape)
    for axes, weight in touched.items():
        score += weight * excess[axes]
    source = np.where(whole > 0, score, -np.inf).argmax(axis=axis)
    target = np.where(fitted > 0, score, np.inf).argmin(axis=axis)
    places = list(np.indices(source.shape).reshape(source.ndim, source.size))
    leaving = [*places[:axis], source.reshape(-1), *places[axis:]]
    coming = [*places[:axis], target.reshape(-1), *places[axis:]]
    possible = (whole[tuple(leaving)] > 0) & (fitted[tuple(coming)] > 0)
    gain = np.where(possible, score[tuple(leaving)] - score[tuple(coming)], 0.0)
    chosen = np.flatnonzero(gain > sum(touched.values()))
    chosen = chosen[np.argsort(-gain[chosen], kind="stable")]
    for axes in touched:
        for ends in (leaving, coming):
            cells = np.ravel_multi_index(
                [ends[a][chosen] for a in axes], [whole.shape[a] for a in axes]
            )
            _, first = np.unique(cells, return_index=True)
            chosen = chosen[np.sort(first)]
    for ends, sign in ((leaving, -1), (coming, 1)):
        picked = tuple(end[chosen] for end in ends)
        whole[picked] += sign
        for axes in touched:
            place = tuple(
                picked[a] if a in axes else np.zeros_like(picked[a]) for a in range(whole.ndim)
            )
            np.add.at(excess[axes], place, sign)
    return bool(chosen.size)
