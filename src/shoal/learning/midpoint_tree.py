"""Where rows are: a tree of boxes with noisy counts, made level by level."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from shoal.learning.exact_sums import Floats, Integers
from shoal.learning.feature_columns import STEPS
from shoal.learning.training_plan import NoisySums, PlannedSum

CELLS = 256
"""The most cells that one level of the tree counts."""


def _levels(dimensions: int) -> int:
    return min(3 * dimensions, 15)


def planned_tree(dimensions: int, share: Fraction) -> list[PlannedSum]:
    """One release of counts for each level; ``share`` is what all of them have of the budget."""
    levels = _levels(dimensions)
    return [PlannedSum(f"cells {at + 1}", CELLS, 1, share / levels) for at in range(levels)]


def counted_boxes(rows: Floats, sums: NoisySums) -> tuple[Floats, Floats]:
    """Boxes that rows are in, with noisy counts: the fullest are halved, level by level, in the
    middle of their longest side.

    Guarantee: on each level a row adds 1 to one cell at most.
    Proof: training.md, *Clusters*.
    """
    dimensions = rows.shape[1]
    boxes = np.array([[[-STEPS, STEPS]] * dimensions], dtype=float)
    weights = np.array([np.inf])
    places = np.zeros(len(rows), dtype=np.int64)
    leaves: list[Any] = []
    for level in range(_levels(dimensions)):
        chosen = np.argsort(-weights, kind="stable")[: CELLS // 2]
        side = (boxes[:, :, 1] - boxes[:, :, 0]).argmax(axis=1)
        middle = np.floor(boxes[np.arange(len(boxes)), side].mean(axis=1))
        number = np.full(len(boxes) + 1, -1)
        number[chosen] = np.arange(len(chosen))
        leaves += [(boxes[at], weights[at]) for at in set(range(len(boxes))) - set(chosen.tolist())]
        places = _halved(rows, places, side, middle, number)
        counts = np.bincount(places[places >= 0], minlength=CELLS).astype(np.int64)
        noisy, sigma = sums.release(f"cells {level + 1}", counts)
        low, high = boxes[chosen].copy(), boxes[chosen].copy()
        at = np.arange(len(chosen))
        low[at, side[chosen], 1] = middle[chosen]
        high[at, side[chosen], 0] = middle[chosen]
        boxes = np.stack([low, high], axis=1).reshape(-1, dimensions, 2)
        weights = noisy[: len(boxes)]
        full = weights > 2 * sigma
        if not full.any():
            full = weights >= weights.max()
        boxes, weights = boxes[full], weights[full]
        renumbered = np.full(CELLS + 1, -1)
        renumbered[np.flatnonzero(full)] = np.arange(int(full.sum()))
        places = renumbered[places]
    leaves += list(zip(boxes, weights, strict=True))
    return np.array([box for box, _ in leaves]), np.array([weight for _, weight in leaves])


def _halved(
    rows: Floats, places: Integers, side: Integers, middle: Floats, number: Integers
) -> Integers:
    """The half that each row falls into; -1 for rows whose box is not halved."""
    inside = places >= 0
    box = np.where(inside, places, 0)
    values = rows[np.arange(len(rows)), side[box]] if len(rows) else np.zeros(0)
    upper = values > middle[box]
    found = number[box]
    return np.where(inside & (found >= 0), 2 * found + upper, -1)
