"""Which pairs of features belong into a model: one noisy release of residuals on coarse grids."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.learning.exact_sums import Floats, Integers, sums_by_code
from shoal.learning.feature_pairs import FeaturePair
from shoal.learning.posterior_rounds import RESIDUAL
from shoal.learning.whitened_rounds import LENGTH

ENOUGH = 200.0
"""Pairs are looked for if this is below rows times mu over the root of the number of pairs."""

SURE = 5.0
"""How many deviations of chance above its mean the spread of a chosen pair is."""


def mark_of_pairs(count: int) -> int:
    """What a residual counts in the grid of each pair: squares of all add up to `LENGTH` squared at
    most.
    """
    return LENGTH // (math.isqrt(count - 1) + 1)


def grid_sums(
    pairs: Sequence[FeaturePair], cells: Integers, residuals: Integers, keep: NDArray[np.bool_]
) -> Integers:
    """The sum of residuals in each cell of every pair's grid, one after the other, times the mark.

    Guarantee: a row adds its residual times the mark to one cell of each pair, so squares of at
        most (`LENGTH` `RESIDUAL`)^2.
    Proof: training.md, *Additive models*.
    """
    mark = mark_of_pairs(len(pairs))
    held = np.where(keep, residuals, 0)
    found = [sums_by_code(each.codes(cells), each.size, held, RESIDUAL) for each in pairs]
    return np.concatenate(found) * mark


def chosen(
    pairs: Sequence[FeaturePair],
    noisy: Floats,
    sigma: float,
    *,
    rows: float,
    variance: float,
    most: int,
) -> list[int]:
    """The pairs whose residuals differ most beyond noise and chance, by their number.

    ``noisy`` are sums of residuals with noise of ``sigma``; ``variance`` is that of one residual.
    """
    scores, at = [], 0
    for each in pairs:
        scores.append(_beyond_chance(each, noisy[at : at + each.size], sigma, rows, variance))
        at += each.size
    order = sorted(range(len(pairs)), key=lambda place: -scores[place])
    return [place for place in order[:most] if scores[place] > SURE]


def _beyond_chance(
    pair: FeaturePair, sums: Floats, sigma: float, rows: float, variance: float
) -> float:
    """The squares of what lines and columns of a grid do not explain, each beside its variance by
    noise and chance alone; in deviations.
    """
    left, right = pair.left.shares, pair.right.shares
    grid = sums.reshape(len(left), len(right))
    lines, columns = np.eye(len(left)) - left[:, None], np.eye(len(right)) - right[:, None]
    away = lines @ grid @ columns.T
    counts = np.outer(left, right) * rows
    expected = lines**2 @ (sigma**2 + counts * variance) @ (columns**2).T
    expected = np.maximum(expected, 1e-300)  # a feature of one group
    cells, free = grid.size, max((len(left) - 1) * (len(right) - 1), 1)
    return (float((away**2 / expected).sum()) - cells) / (cells * math.sqrt(2 / free))
