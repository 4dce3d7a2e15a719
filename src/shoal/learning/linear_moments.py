"""Means and mean squares of columns, and how many rows each class has, from one noisy release."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np

from shoal.learning.centred_rows import (
    CentredLinearRows,
    block_spans,
    centred_moments,
    typical_length,
)
from shoal.learning.exact_sums import Floats, products
from shoal.learning.feature_columns import STEPS
from shoal.learning.row_designs import LinearDesign, LinearRows
from shoal.learning.training_plan import NoisySums, PlannedSum

COUNTS = Fraction(2, 25)
"""The share of the budget for counts and means, which are measured once."""


class LinearMoments(NamedTuple):
    """Second moments as if columns were independent, rows less their means, and the share of each
    class.
    """

    second: Floats
    centred: CentredLinearRows
    rates: Floats


def planned_moments(design: LinearDesign, classes: int) -> PlannedSum:
    """A row adds itself, the squares of its numbers, and one mark or none to the classes."""
    numbers = sum(each.ordered for each in design.columns)
    squared = design.squared + (numbers + 1) * STEPS * STEPS
    return PlannedSum("moments", design.size + numbers + classes, squared, COUNTS)


def linear_moments(rows: LinearRows, classes: Floats, sums: NoisySums) -> LinearMoments:
    """``classes`` has one column for each class that is counted, 1 for the rows that are in it.

    Needs: a row is in one of them at most.
    """
    design = rows.design
    numbers = [each.start for each in design.blocks if each.linear]
    linear = rows.matrix[:, numbers]
    squares = np.floor(linear * linear * (1 / STEPS))
    told = np.hstack([rows.matrix, squares, classes * float(STEPS)])
    ones = np.ones((len(told), 1))
    noisy, _ = sums.release("moments", products(told, ones, STEPS, 1)[:, 0])
    count = max(float(noisy[design.size - 1]) / STEPS, 1.0)
    means = np.clip(noisy[: design.size] / STEPS / count, -1, 1)
    variances = np.full(design.size, np.nan)
    for each in design.blocks:
        if not each.linear:
            place = slice(each.start, each.stop)
            held = np.maximum(means[place], 0)
            means[place] = held / max(float(held.sum()), 1.0)
    end = design.size + len(numbers)
    mean_squares = np.clip(noisy[design.size : end] / STEPS / count, 0, 1)
    variances[numbers] = np.maximum(mean_squares - means[numbers] ** 2, 1e-3)
    second = centred_moments(means, variances, block_spans(design.blocks), count)
    centred = CentredLinearRows(rows, means, typical_length(second, count))
    return LinearMoments(second, centred, np.asarray(noisy[end:] / STEPS / count))
