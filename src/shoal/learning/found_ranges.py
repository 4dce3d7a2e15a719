"""Where the numbers of each column are within their declared range, for a tenth of the budget.

A range that is declared much wider than the rows need would drown a column in the noise of all
others.  So columns are scaled anew by released numbers before anything else is measured.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from shoal.learning.exact_sums import Floats, Integers, products
from shoal.learning.feature_columns import STEPS, FeatureColumn
from shoal.learning.row_designs import Arrays, LinearDesign, LinearRows
from shoal.learning.training_plan import NoisySums, PlannedSum

_FINE = 1 << 30
"""Half of a declared range, in the steps that numbers are read in."""

_MEANS, _WIDTHS = Fraction(1, 36), Fraction(1, 12)
"""Beside a share of 1 for all other sums: together a tenth."""

_RADII = np.rint(2 * _FINE * 2.0 ** -(np.arange(24, -1, -1) / 2)).astype(np.int64)
"""How far from the mean a number can be: the last as far as a range is wide, and each before it less
by the root of two.
"""

_SURE, _MOST_LEFT_OUT = 3.3, 0.05


@dataclass(frozen=True)
class RangedRows:
    """Rows in found ranges, which of them are kept, and the matrix from coefficients in found ranges
    to those in declared ones.

    ``found`` are the ranges by column, as a centre and a half width in whole steps of 2^-30 of half
    the declared range; a column that keeps its declared range is not among them.
    """

    rows: LinearRows
    keep: NDArray[np.bool_]
    back: Floats
    found: dict[str, tuple[int, int]]


def planned_ranges(design: LinearDesign) -> list[PlannedSum]:
    """A row adds each of its numbers, a mark for it, and one mark for how far it is from the mean."""
    count = sum(each.ordered for each in design.columns)
    if not count:
        return []
    return [
        PlannedSum("column means", 2 * count, 2 * count * STEPS * STEPS, _MEANS),
        PlannedSum("column widths", count * len(_RADII), count, _WIDTHS),
    ]


def ranged_rows(
    design: LinearDesign, arrays: Arrays, keep: NDArray[np.bool_], sums: NoisySums
) -> RangedRows:
    """Rows with their numbers in the ranges in which nearly all of them are.

    Rows with a number outside are left out, and not moved to the end: which rows are left out
    depends on features alone, so that no coefficient is biased by it.

    Guarantee: each row depends on itself and on released numbers alone, and keeps to the bound of
        its design.
    Proof: training.md, *Found ranges*.
    """
    numbers = [each for each in design.columns if each.ordered]
    places = [each.start for each in design.blocks if each.linear]
    rows, back = LinearRows(design, arrays, keep), np.eye(design.size)
    if not numbers:
        return RangedRows(rows, keep, back, {})
    read = [each.steps(arrays[each.name], _FINE) for each in numbers]
    there = [
        keep & ~missing if each.nullable else keep
        for each, (_, missing) in zip(numbers, read, strict=True)
    ]
    steps = [each for each, _ in read]
    centres, counts = _means(steps, there, sums)
    halves = _widths(steps, there, centres, counts, sums)
    kept, found = keep.copy(), dict[str, tuple[int, int]]()
    for at, (line, here, centre, half) in enumerate(
        zip(steps, there, centres, halves, strict=True)
    ):
        if centre - half <= -_FINE and centre + half >= _FINE:
            continue
        found[numbers[at].name] = (centre, half)
        place, away = places[at], line - centre
        kept &= ~here | (np.abs(away) <= half)
        scaled = np.clip(np.rint(away * (STEPS / half)), -STEPS, STEPS)
        rows.matrix[:, place] = np.where(here, scaled, 0.0)
        back[place, place], shift = _FINE / half, -centre / half
        back[-1, place] = shift
        if numbers[at].nullable:
            back[place + 1, place] = -shift
    rows.matrix[~kept] = 0
    return RangedRows(rows, kept, back, found)


def outside_found(
    columns: Sequence[FeatureColumn], arrays: Arrays, found: Mapping[str, tuple[int, int]]
) -> NDArray[np.bool_]:
    """Which rows a training with these found ranges leaves out, each by itself.

    Guarantee: as `ranged_rows`; ``found`` are released numbers.
    """
    out = np.zeros(len(arrays[columns[0].name]), dtype=np.bool_)
    for each in columns:
        if each.name in found:
            centre, half = found[each.name]
            steps, missing = each.steps(arrays[each.name], _FINE)
            here = ~missing if each.nullable else np.ones(len(steps), dtype=np.bool_)
            out |= here & (np.abs(steps - centre) > half)
    return out


def _means(
    steps: list[Integers], there: list[NDArray[np.bool_]], sums: NoisySums
) -> tuple[list[int], Floats]:
    """The mean of each column, and how many rows have it."""
    marks = np.column_stack(there).astype(np.float64) * STEPS
    coarse = np.column_stack([each >> 16 for each in steps]).astype(np.float64)
    told = np.hstack([np.where(marks > 0, coarse, 0.0), marks])
    noisy, _ = sums.release("column means", products(told, np.ones((len(told), 1)), STEPS, 1)[:, 0])
    size = len(steps)
    counts = np.maximum(noisy[size:] / STEPS, 1.0)
    means = np.clip(noisy[:size] / STEPS / counts, -1, 1)
    return [round(each * _FINE) for each in means.tolist()], counts


def _widths(
    steps: list[Integers],
    there: list[NDArray[np.bool_]],
    centres: list[int],
    counts: Floats,
    sums: NoisySums,
) -> list[int]:
    """How far from its mean the numbers of each column are, nearly all of them, and half as far again."""
    size = len(_RADII)
    told = [
        np.bincount(np.searchsorted(_RADII, np.abs(line - centre)[here]), minlength=size)
        for line, here, centre in zip(steps, there, centres, strict=True)
    ]
    noisy, sigma = sums.release("column widths", np.concatenate(told).astype(np.int64))
    found = []
    for shells, count in zip(noisy.reshape(-1, size), counts.tolist(), strict=True):
        outside = np.cumsum(shells[::-1])
        error = sigma * np.sqrt(np.arange(1, size + 1))
        empty = (outside <= _SURE * error) & (outside + 2 * error <= _MOST_LEFT_OUT * count)
        left_out = min(int(np.argmin(np.append(empty, False))), size - 1)
        found.append(int(_RADII[size - 1 - left_out]) * 3 // 2)
    return found
