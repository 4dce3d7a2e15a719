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

from shoal.workloads.column_hierarchy import EachGroup
from shoal.workloads.column_queries import Floats, summed

Whole = NDArray[np.int64]
Margin = tuple[tuple[int, EachGroup | None], ...]
"""Axes that a margin keeps, each with the groups of its values, or None where it keeps each value."""
_PASSES = 400


def rounded(
    fitted: Floats,
    margins: Mapping[Margin, float],
    held: Sequence[int] = (),
    parts: Whole | None = None,
) -> Whole:
    """The fitted table in whole numbers.

    ``margins`` says for each margin how much its squared differences count.  ``parts`` says for each
    cell to which part of the table it belongs; sums over a part are whole already, and stay.  No
    unit is moved along the axes ``held``, by which the parts are told apart.
    """
    whole = _running(fitted, parts)
    free = [axis for axis in range(fitted.ndim) if axis not in held and fitted.shape[axis] > 1]
    excess = {margin: margin_sums(whole - fitted, margin) for margin in margins}
    quiet = 0
    for at in range(_PASSES * len(free)):
        axis = free[at % len(free)]
        touched = {m: margins[m] for m in margins if axis in [kept for kept, _ in m]}
        moved = bool(touched) and _move(whole, fitted, axis, touched, excess)
        quiet = 0 if moved else quiet + 1
        if quiet == len(free):
            break
    return whole


def _running(fitted: Floats, parts: Whole | None) -> Whole:
    """Running sums are rounded, part after part, and each cell is the difference of two; so sums
    over parts are kept.
    """
    flat = fitted.reshape(-1)
    order = np.arange(flat.size)
    if parts is not None:
        order = np.argsort(parts.reshape(-1), kind="stable")
    running = np.floor(np.cumsum(flat[order]) + 0.5).astype(np.int64)
    whole = np.zeros(flat.size, dtype=np.int64)
    whole[order] = np.diff(running, prepend=0)
    return whole.reshape(fitted.shape)


def margin_sums(table: Floats, margin: Margin) -> Floats:
    """Sums over all other axes, which stay as axes of length 1, and over the groups of an axis."""
    kept = dict(margin)
    away = tuple(axis for axis in range(table.ndim) if axis not in kept)
    found = np.asarray(table.sum(axis=away, keepdims=True))
    for axis, groups in margin:
        if groups is not None:
            found = summed(found, axis, groups.groups, len(groups.labels))
    return found


def margin_spread(sums: Floats, margin: Margin) -> Floats:
    """For each value of the kept axes the sum of its group."""
    for axis, groups in margin:
        if groups is not None:
            sums = np.take(sums, groups.groups, axis=axis)
    return sums


def _at(margin: Margin, ends: Sequence[NDArray[np.int64]]) -> list[NDArray[np.int64]]:
    """The place in a margin of some cells, axis by axis."""
    return [ends[axis] if groups is None else groups.groups[ends[axis]] for axis, groups in margin]


def _move(
    whole: Whole,
    fitted: Floats,
    axis: int,
    touched: Mapping[Margin, float],
    excess: Mapping[Margin, Floats],
) -> bool:
    """Move units along an axis, at most one out of and into each cell of a margin; whether any was
    moved.
    """
    score = np.zeros(whole.shape)
    for margin, weight in touched.items():
        score += weight * margin_spread(excess[margin], margin)
    source = np.where(whole > 0, score, -np.inf).argmax(axis=axis)
    target = np.where(fitted > 0, score, np.inf).argmin(axis=axis)
    places = list(np.indices(source.shape).reshape(source.ndim, source.size))
    leaving = [*places[:axis], source.reshape(-1), *places[axis:]]
    coming = [*places[:axis], target.reshape(-1), *places[axis:]]
    possible = (whole[tuple(leaving)] > 0) & (fitted[tuple(coming)] > 0)
    gain = np.where(possible, score[tuple(leaving)] - score[tuple(coming)], 0.0)
    chosen = np.flatnonzero(gain > sum(touched.values()))
    chosen = chosen[np.argsort(-gain[chosen], kind="stable")]
    for margin in touched:
        for ends in (leaving, coming):
            shape = [excess[margin].shape[axis] for axis, _ in margin]
            cells = np.ravel_multi_index(_at(margin, [end[chosen] for end in ends]), shape)
            _, first = np.unique(cells, return_index=True)
            chosen = chosen[np.sort(first)]
    for ends, sign in ((leaving, -1), (coming, 1)):
        picked = tuple(end[chosen] for end in ends)
        whole[picked] += sign
        for margin in touched:
            place = [np.zeros_like(end) for end in picked]
            for (kept, _), found in zip(margin, _at(margin, picked), strict=True):
                place[kept] = found
            np.add.at(excess[margin], tuple(place), sign)
    return bool(chosen.size)
