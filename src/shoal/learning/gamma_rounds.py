"""Gamma regression through noisy sums: four rough rounds find the mean and how far ratios of targets
to their means spread, and two more are pooled.

With a logarithmic link the gradient of a gamma law is the sum of rows, each times its ratio less 1,
and its slope is the sum of x x', whatever the coefficients are.  So second moments of rows take the
part that a Hessian has in `newton_rounds`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from shoal.errors import FactsError
from shoal.learning.clipped_gamma import ClippedGamma
from shoal.learning.exact_sums import Floats, Integers, products, whole_weights
from shoal.learning.feature_columns import STEPS
from shoal.learning.found_ranges import RangedRows
from shoal.learning.newton_rounds import LinkTables
from shoal.learning.posterior_rounds import RESIDUAL
from shoal.learning.row_designs import LinearDesign
from shoal.learning.training_plan import NoisySums, PlannedSum
from shoal.learning.whitened_rounds import (
    LENGTH,
    MOST_SIZE,
    FittedLine,
    even_moments,
    evened,
    histogram_mark,
    in_even_coordinates,
    measured_pairs,
    moments_of_length,
)

_TARGETS, _MOMENTS = Fraction(2, 100), (Fraction(13, 100), Fraction(15, 100))
_ROUGH = (Fraction(2, 100), Fraction(3, 100), Fraction(4, 100), Fraction(9, 100))
_FINE = (Fraction(26, 100), Fraction(26, 100))
_LONGEST, _PRIOR = 1.2, 1e4
_EDGES = np.array([2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 12.0])
"""Where ratios of targets to their means can be clipped, and the bins of their histogram."""

_FIRST, _MOST_ABOVE = 4.0, 0.02
_LEAST_SLOPE, _MOST_BENT = 0.4, 0.5
_LEAST_SHARE, _MOST_FALL = 1e-4, 2.5
"""Where the mean is sought at the lowest, as a share of the end of the range; and by how much its
logarithm may fall from there: a rough round takes it down by less than 1, so from further above the
coefficients are still on their way when the rounds end.
"""

_INVERSES: Floats = np.asarray(np.exp(-(np.arange(-4096, 4096) + 0.5) / 256), np.float64)
"""1 over the mean by cell of the score, in the cells of `LinkTables`."""


@dataclass(frozen=True)
class GammaLine:
    """A fit and the dispersion of targets about it: their variance over the square of their mean."""

    line: FittedLine
    dispersion: float


def planned_gamma(design: LinearDesign) -> list[PlannedSum]:
    """All sums of a fit; what one row adds is bounded in training.md, *Gamma rounds*."""
    if design.size > MOST_SIZE:
        raise FactsError(
            f"{design.size} coefficients are too many; at most {MOST_SIZE} can be fitted.",
            remedy="Leave columns out, or declare fewer choices.",
        )
    pairs, whole = len(measured_pairs(design)[0]), design.size * (design.size + 1) // 2
    size, mark = design.size + len(_EDGES) + 2, histogram_mark(design.size)
    squared = (LENGTH * RESIDUAL) ** 2 + 2 * mark * mark
    return [
        PlannedSum("targets", 1, RESIDUAL**2, _TARGETS),
        PlannedSum("second moments", pairs, moments_of_length(design.squared), _MOMENTS[0]),
        PlannedSum("even second moments", whole, moments_of_length(LENGTH**2), _MOMENTS[1]),
        *(
            PlannedSum(f"gradient {at + 1}", size, squared, share)
            for at, share in enumerate((*_ROUGH, *_FINE))
        ),
    ]


def gamma_fit(ranged: RangedRows, target: Floats, sums: NoisySums) -> GammaLine:
    """Coefficients of the scaled columns for ``target``, a share of the end of its range from 0 to 1."""
    rows, keep = ranged.rows, ranged.keep
    steps = np.rint(target[keep] * RESIDUAL).astype(np.int64)
    total, _ = sums.release("targets", np.array([steps.sum()], dtype=np.int64))
    even, count = evened(rows, sums)
    short, factors = in_even_coordinates(rows, even, _LONGEST)
    size = len(even)
    scale = _LONGEST * math.sqrt(size) / LENGTH
    found, vague = even_moments(short, even, scale, sums, _PRIOR)
    ones: Floats = np.asarray(np.linalg.inv(even)[:, -1], np.float64)  # where every score is 1
    share = float(np.clip(total[0] / RESIDUAL / count, _LEAST_SHARE, 1.0))
    start = math.log(share)
    found.begin(np.asarray(ones * start), 1.0)
    clip, mark, squares, slopes = _FIRST, histogram_mark(size), list[float](), list[float]()
    begun = math.inf
    for at in range(len(_ROUGH) + len(_FINE)):
        weights, bits = whole_weights(np.clip(even @ found.phi, -500, 500), STEPS)
        ratios = target * _INVERSES[LinkTables.cells(rows.scores(weights, bits))]
        held = held_ratios(ratios, clip)
        told = _round_sums(short, (held * factors) >> 15, held, ratios, keep=keep, mark=mark)
        noisy, sigma = sums.release(f"gradient {at + 1}", told)
        counts, noise = noisy[size:-1] / mark, sigma / mark
        slope = _slope(counts, count, clip)
        unit = scale * (clip - 1) / RESIDUAL / slope
        gradient = noisy[:size] * unit
        if at <= len(_ROUGH):
            found = found.anew()
        if at < len(_ROUGH):  # from afar the slope is another, so steps are held short
            gradient *= min(1.0, 2 * count / max(float(np.linalg.norm(gradient)), 1e-300))
            clip = _next_clip(counts, noise, count)
        else:
            slopes.append(slope)
            squares.append(float(noisy[-1]) / mark / count * (clip - 1) ** 2)
        found.observe(gradient, sigma * unit)
        if at == len(_ROUGH) - 1:
            begun = found.noise
    mean_square = float(np.clip(np.mean(squares), 1e-3, (clip - 1) ** 2))
    steep = float(np.mean(slopes))
    found.variance = mean_square / steep**2
    line = found.line(found.variance, vague, ranged.back)
    law = ClippedGamma.of(mean_square, clip)
    theta = line.theta.copy()
    theta[-1] += law.shift
    bent = begun / 4 <= _MOST_BENT * math.sqrt(found.squared_error / size)
    fell = start - float(found.phi @ ones) / max(float(ones @ ones), 1e-300)
    sure = bent and found.is_settled and steep > _LEAST_SLOPE and fell <= _MOST_FALL
    return GammaLine(replace(line, theta=theta, identified=line.identified & sure), law.dispersion)


def held_ratios(ratios: Floats, clip: float) -> Integers:
    """Ratios less 1, those above ``clip`` as if they were that, in whole steps from -`RESIDUAL` to
    `RESIDUAL`, which is clip - 1.

    Guarantee: each depends on its ratio and on the clip alone, and lies within these bounds.
    Needs: ratios are numbers from 0, and the clip is at least 2.
    """
    steps = np.rint((np.minimum(ratios, clip) - 1) * (RESIDUAL / (clip - 1)))
    return np.clip(steps, -RESIDUAL, RESIDUAL).astype(np.int64)


def _round_sums(
    short: Floats,
    weighted: Integers,
    held: Integers,
    ratios: Floats,
    *,
    keep: NDArray[np.bool_],
    mark: int,
) -> Integers:
    """The gradient, a histogram of ratios, and the sum of squares of held ratios less 1."""
    gradient = products(short, weighted.astype(np.float64)[:, None], LENGTH, RESIDUAL)[:, 0]
    bins = np.searchsorted(_EDGES, ratios[keep], side="right")
    counts = np.bincount(bins, minlength=len(_EDGES) + 1).astype(np.int64) * mark
    squares = held[keep] * held[keep] * mark // (RESIDUAL * RESIDUAL)
    return np.concatenate([gradient, counts, [squares.sum(dtype=np.int64)]])


def _slope(counts: Floats, rows: float, clip: float) -> float:
    """How the mean of clipped ratios falls with the logarithm of the means, where it is 1: by the part
    of it that ratios below the clip have.
    """
    above = float(counts[int(np.searchsorted(_EDGES, clip)) + 1 :].sum()) / rows
    return float(np.clip(1 - clip * above, 0.2, 1.0))


def _next_clip(counts: Floats, noise: float, rows: float) -> float:
    """The least edge that few ratios are above, as far as a released histogram tells."""
    above = np.cumsum(counts[::-1])[::-1][1:]
    chance = noise * np.sqrt(np.arange(len(above), 0, -1))
    few = np.flatnonzero(above <= _MOST_ABOVE * rows + chance)
    return float(_EDGES[few[0]] if len(few) else _EDGES[-1])
