"""Huber's regression through noisy sums: three rough rounds find the line and the width of residuals,
and two more are pooled.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np

from shoal.learning.exact_sums import Floats, Integers, whole_weights
from shoal.learning.feature_columns import STEPS
from shoal.learning.found_ranges import RangedRows
from shoal.learning.posterior_rounds import RESIDUAL
from shoal.learning.row_designs import LinearDesign
from shoal.learning.training_plan import NoisySums, PlannedSum
from shoal.learning.whitened_rounds import (
    BINS,
    LENGTH,
    UNIT,
    FittedLine,
    even_moments,
    evened,
    histogram_mark,
    in_even_coordinates,
    planned,
    round_sums,
)

_MOMENTS = (Fraction(1, 9), Fraction(2, 9))
_ROUGH = (Fraction(1, 18), Fraction(1, 18), Fraction(1, 18))
_FINE = (Fraction(1, 4), Fraction(1, 4))
_WIDE = 1.345 / 0.6745
"""How many medians of their sizes residuals count in full: 95 % as sharp as least squares if errors
are normal.
"""


def planned_huber(design: LinearDesign) -> list[PlannedSum]:
    """All sums of a fit: those of least squares, with one more mark in each round."""
    first, second, one, *_ = planned(design)
    mark = histogram_mark(design.size)
    rounds = [
        replace(
            one,
            name=f"gradient {at + 1}",
            size=one.size + 1,
            squared=one.squared + mark * mark,
            share=share,
        )
        for at, share in enumerate((*_ROUGH, *_FINE))
    ]
    return [replace(first, share=_MOMENTS[0]), replace(second, share=_MOMENTS[1]), *rounds]


def huber_fit(ranged: RangedRows, target: Integers, sums: NoisySums) -> FittedLine:
    """Huber's line; ``target`` in steps of 1 / `UNIT`."""
    rows, keep = ranged.rows, ranged.keep
    size = rows.design.size
    even, count = evened(rows, sums)
    short, factors = in_even_coordinates(rows, even)
    scale = math.sqrt(size) / LENGTH
    found, vague = even_moments(short, even, scale, sums)
    clip, variance, mark = UNIT, 1.0, histogram_mark(size)
    for at in range(len(_ROUGH) + len(_FINE)):
        if at <= len(_ROUGH):
            found = found.anew()
        weights, bits = whole_weights(np.clip(even @ found.phi, -500, 500), STEPS)
        away = np.clip(target - rows.scores(weights, bits), -4 * UNIT, 4 * UNIT)
        held = np.clip(away, -clip, clip) * RESIDUAL // clip
        told = round_sums(short, (held * factors) >> 15, held, away, keep=keep, mark=mark)
        inside = int((np.abs(away[keep]) < clip).sum()) * mark
        noisy, sigma = sums.release(f"gradient {at + 1}", np.append(told, inside))
        share = float(np.clip(noisy[-1] / mark / count, 0.2, 1.0))
        unit = scale * clip / UNIT / RESIDUAL / share
        found.observe(noisy[:size] * unit, sigma * unit)
        mean_square = float(np.clip(noisy[-2] / mark / count, 1e-9, 1.0))
        variance = mean_square * (clip / UNIT / share) ** 2
        clip = _next_clip(noisy[size:-2] / mark)
    return found.line(variance, vague, ranged.back)


def _next_clip(counts: Floats) -> int:
    """Up to where residuals count in full, from the median of a released histogram of their sizes,
    whose bins end at powers of two.
    """
    held = np.maximum(counts, 0)
    total = float(held.sum())
    if total <= 0:
        return UNIT
    below = np.cumsum(held) / total
    place = int(np.searchsorted(below, 0.5))
    before = float(below[place - 1]) if place else 0.0
    part = (0.5 - before) / max(float(below[place]) - before, 1e-9)
    low = 0 if place == 0 else 1 << (20 - BINS + place)
    high = 1 << (21 - BINS + place)
    return int(min(max(_WIDE * (low + part * (high - low)), 1 << 7), UNIT))
