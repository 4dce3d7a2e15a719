"""Generalised linear models through noisy sums, with standard errors: a few rough gradients, one
noisy Hessian, and two gradients whose Newton steps are pooled.

Rows are used in the even coordinates of `whitened_rounds`.  A model is told by two tables: the mean
of the target by score, and the root of its variance by score.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from shoal.errors import FactsError
from shoal.learning.exact_sums import Floats, Integers, products, whole_weights
from shoal.learning.feature_columns import STEPS
from shoal.learning.found_ranges import RangedRows
from shoal.learning.posterior_rounds import RESIDUAL
from shoal.learning.row_designs import LinearDesign, LinearRows
from shoal.learning.training_plan import NoisySums, PlannedSum
from shoal.learning.whitened_rounds import (
    LENGTH,
    MOST_SIZE,
    FittedLine,
    PooledGradients,
    evened,
    in_even_coordinates,
    measured_pairs,
    moments_of_length,
    released_moments,
)

_RATE, _MOMENTS, _HESSIAN = Fraction(1, 50), Fraction(13, 100), Fraction(13, 100)
_ROUGH = (Fraction(3, 100), Fraction(3, 100), Fraction(3, 100), Fraction(3, 100))
_FINE = (Fraction(30, 100), Fraction(30, 100))
_LONGEST = 1.5
_PRIOR = 1e4
_STEP, _CELLS = 12, 8192


@dataclass(frozen=True)
class LinkTables:
    """A law of the target given the score, in whole numbers.

    ``means`` by cell of the score, from 0 to `RESIDUAL`, where `RESIDUAL` is the largest target
    ``most``; ``roots`` of the variance there, from 0 to 2^15, where 2^15 is that of ``variance``.
    ``start`` is the score of a mean target, as a share of ``most``.
    """

    means: Integers
    roots: Integers
    variance: float
    most: float
    start: Callable[[float], float]

    @classmethod
    def of(
        cls,
        mean: Callable[[Floats], Floats],
        variance: Callable[[Floats], Floats],
        most: float,
        start: Callable[[float], float],
    ) -> LinkTables:
        """Tables over scores from -16 to 16 in steps of 1/256."""
        scores = (np.arange(-_CELLS // 2, _CELLS // 2) + 0.5) / 256
        spread = np.maximum(variance(scores), 0)
        top = float(spread.max())
        means = np.rint(np.clip(mean(scores) / most, 0, 1) * RESIDUAL).astype(np.int64)
        roots = np.floor(np.sqrt(np.minimum(spread / top, 1.0)) * 2.0**15).astype(np.int64)
        return cls(means, roots, top, most, start)

    @staticmethod
    def cells(scores: Integers) -> Integers:
        """The cell of each score in units of 2^-20."""
        return np.asarray(np.clip((scores >> _STEP) + _CELLS // 2, 0, _CELLS - 1))

    def typical_variance(self, mean: float, deviation: float) -> float:
        """The mean variance of the target if scores were normal; of released numbers."""
        points = np.linspace(-3, 3, 61)
        weights = np.exp(-0.5 * points**2)
        scores = ((mean + deviation * points) * 2**20).astype(np.int64)
        found = (self.roots[self.cells(scores)] * 2.0**-15) ** 2 * self.variance
        return max(float(found @ weights / weights.sum()), 1e-3 * self.variance)


def planned_newton(design: LinearDesign) -> list[PlannedSum]:
    """All sums of a fit; what one row adds is bounded in training.md, *Newton steps*."""
    if design.size > MOST_SIZE:
        raise FactsError(
            f"{design.size} coefficients are too many; at most {MOST_SIZE} can be fitted.",
            remedy="Leave columns out, or declare fewer choices.",
        )
    pairs = len(measured_pairs(design)[0])
    whole = design.size * (design.size + 1) // 2
    gradient = (LENGTH * RESIDUAL) ** 2
    rough = [
        PlannedSum(f"gradient {at + 1}", design.size, gradient, share)
        for at, share in enumerate(_ROUGH)
    ]
    fine = [
        PlannedSum(f"gradient {at + 1 + len(_ROUGH)}", design.size, gradient, share)
        for at, share in enumerate(_FINE)
    ]
    return [
        PlannedSum("targets", 1, RESIDUAL**2, _RATE),
        PlannedSum("second moments", pairs, moments_of_length(design.squared), _MOMENTS),
        *rough,
        PlannedSum("curvature", whole, moments_of_length(LENGTH**2), _HESSIAN),
        *fine,
    ]


def newton_fit(
    ranged: RangedRows,
    target: Integers,
    tables: LinkTables,
    sums: NoisySums,
) -> FittedLine:
    """Coefficients of the scaled columns; ``target`` in steps from 0 to `RESIDUAL`."""
    rows, keep = ranged.rows, ranged.keep
    total, _ = sums.release("targets", np.array([target[keep].sum()], dtype=np.int64))
    even, count = evened(rows, sums)
    size = len(even)
    share = float(np.clip(total[0] / RESIDUAL / count, 0.002, 0.998))
    ones: Floats = np.asarray(np.linalg.inv(even)[:, -1], np.float64)  # where every score is 1
    gradients = _Gradients(rows, target, tables, even, sums)
    phi: Floats = np.asarray(ones * tables.start(share), np.float64)
    step = 1.0
    for _ in _ROUGH:
        mean = float(phi @ ones) / max(float(ones @ ones), 1e-300)
        apart = math.sqrt(max(float(phi @ phi) - mean**2, 0.0))
        gradient, _ = gradients.released(phi)
        moved = gradient / (count * tables.typical_variance(mean, min(apart, 8.0)))
        length = float(np.linalg.norm(moved))
        moved *= min(1.0, 2.0 / max(length, 1e-300))
        phi, step = phi + moved, float(moved @ moved)
    hessian, spread = gradients.curvature(phi)
    values, vectors = np.linalg.eigh(hessian)
    floor = spread * math.sqrt(size / 2)
    known = np.asarray((vectors * np.maximum(values, floor)) @ vectors.T)
    found = PooledGradients(even, known, spread, _PRIOR)
    found.begin(phi, step)
    for _ in _FINE:
        found.observe(*gradients.released(found.phi))
    line = found.line(1.0, vectors[:, values <= 2 * floor], ranged.back)
    return replace(line, identified=line.identified & found.is_settled)


class _Gradients:
    """Noisy gradients and the Hessian at released coefficients."""

    def __init__(
        self,
        rows: LinearRows,
        target: Integers,
        tables: LinkTables,
        even: Floats,
        sums: NoisySums,
    ) -> None:
        self._rows, self._target, self._tables = rows, target, tables
        self._even, self._sums, self._at = even, sums, 0
        self._short, self._factors = in_even_coordinates(rows, even, _LONGEST)
        self._scale = _LONGEST * math.sqrt(len(even)) / LENGTH

    def _cells(self, phi: Floats) -> Integers:
        weights, bits = whole_weights(np.clip(self._even @ phi, -500, 500), STEPS)
        return self._tables.cells(self._rows.scores(weights, bits))

    def released(self, phi: Floats) -> tuple[Floats, float]:
        """The sum of rows, each times what its target is above its mean, and its weight."""
        self._at += 1
        away = self._target - self._tables.means[self._cells(phi)]
        held = ((away * self._factors) >> 15).astype(np.float64)[:, None]
        exact = products(self._short, held, LENGTH, RESIDUAL)[:, 0]
        noisy, sigma = self._sums.release(f"gradient {self._at}", exact)
        unit = self._scale * self._tables.most / RESIDUAL
        return noisy * unit, sigma * unit

    def curvature(self, phi: Floats) -> tuple[Floats, float]:
        """The Hessian and the deviation of its diagonal's noise."""
        roots = self._tables.roots[self._cells(phi)].astype(np.float64)[:, None]
        held = np.trunc(self._short * roots * 2.0**-15)
        pairs = np.triu_indices(len(self._even))
        moments, spread = released_moments("curvature", held, LENGTH, pairs, self._sums)
        unit = self._scale**2 * self._tables.variance
        return moments * unit, spread * unit
