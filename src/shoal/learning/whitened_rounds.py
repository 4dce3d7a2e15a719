"""Least squares through noisy sums: second moments, the same again in coordinates in which they are
even, and rounds of gradients with clipped residuals.

In even coordinates noise is no larger in directions that few rows speak about, so features that
almost repeat each other do no harm.
"""

from __future__ import annotations

import math
from copy import copy
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from shoal.errors import FactsError
from shoal.learning.exact_sums import Floats, Integers, clipped, products, scores, whole_weights
from shoal.learning.feature_columns import STEPS
from shoal.learning.found_ranges import RangedRows
from shoal.learning.posterior_rounds import RESIDUAL
from shoal.learning.row_designs import LinearDesign, LinearRows
from shoal.learning.training_plan import NoisySums, PlannedSum

UNIT = 1 << 20
"""Half of the target's range, in whole steps."""

LENGTH = 1 << 14
"""The longest a row can be in even coordinates, in whole steps."""

_SHARES = (Fraction(2, 9), Fraction(2, 9))
_ROUNDS = (Fraction(1, 9), Fraction(1, 9), Fraction(1, 9), Fraction(2, 9))
_DIAGONAL, _OTHER = 5, 7  # 7^2 <= 2 * 5^2
BINS = 14
"""How many bins a histogram of residuals has, each twice as wide as the one before."""

MOST_SIZE = 4096
"""The most coefficients: the squares of a row, each up to 2^40, must add up to less than 2^53."""

_PRIOR = 4.0
_ENOUGH = 0.95
_SETTLED = 8.0


@dataclass(frozen=True)
class FittedLine:
    """Coefficients, their covariance from sampling and noise, and which of them the rows tell."""

    theta: Floats
    covariance: Floats
    identified: NDArray[np.bool_]
    residual_variance: float


def planned(design: LinearDesign) -> list[PlannedSum]:
    """All sums of a fit.

    A row x adds x x' with 5 on the diagonal and 7 above it: the squares add up to at most 25 |x|^4.
    A round adds a row of length `LENGTH` times a residual of `RESIDUAL`, one mark in a histogram of
    residuals, and a square.
    """
    if design.size > MOST_SIZE:
        raise FactsError(
            f"{design.size} coefficients are too many; at most {MOST_SIZE} can be fitted.",
            remedy="Leave columns out, or declare fewer choices.",
        )
    size = len(measured_pairs(design)[0])
    whole = design.size * (design.size + 1) // 2
    first, second = moments_of_length(design.squared), moments_of_length(LENGTH**2)
    mark = histogram_mark(design.size)
    gradient = (LENGTH * RESIDUAL) ** 2 + 2 * mark * mark
    return [
        PlannedSum("second moments", size, first, _SHARES[0]),
        PlannedSum("even second moments", whole, second, _SHARES[1]),
        *(
            PlannedSum(f"gradient {at + 1}", design.size + BINS + 1, gradient, share)
            for at, share in enumerate(_ROUNDS)
        ),
    ]


def fitted(ranged: RangedRows, target: Integers, sums: NoisySums) -> FittedLine:
    """The line of least squares; ``target`` in steps of 1 / `UNIT`."""
    found, variance, vague = pooled_rounds(ranged, target, sums)
    return found.line(variance, vague, ranged.back)


def pooled_rounds(
    ranged: RangedRows, target: Integers, sums: NoisySums
) -> tuple[PooledGradients, float, Floats]:
    """All gradients of least squares, the variance of residuals, and the directions in which second
    moments are within their noise.
    """
    rows, keep = ranged.rows, ranged.keep
    size = rows.design.size
    even, count = evened(rows, sums)
    short, factors = in_even_coordinates(rows, even)
    scale = math.sqrt(size) / LENGTH
    found, vague = even_moments(short, even, scale, sums)
    clip, variance = UNIT, 1.0
    mark = histogram_mark(size)
    for at in range(len(_ROUNDS)):
        weights, bits = whole_weights(np.clip(even @ found.phi, -500, 500), STEPS)
        away = np.clip(target - rows.scores(weights, bits), -4 * UNIT, 4 * UNIT)
        held = np.clip(away, -clip, clip) * RESIDUAL // clip
        told = round_sums(short, (held * factors) >> 15, held, away, keep=keep, mark=mark)
        noisy, sigma = sums.release(f"gradient {at + 1}", told)
        unit = scale * clip / UNIT / RESIDUAL
        found.observe(noisy[:size] * unit, sigma * unit)
        mean_square = float(noisy[-1]) / mark / count
        variance = float(np.clip(mean_square, 1e-9, 1.0)) * (clip / UNIT) ** 2
        clip = _next_clip(noisy[size:-1] / mark)
    return found, variance, vague


def even_moments(
    short: Floats, even: Floats, scale: float, sums: NoisySums, prior: float = _PRIOR
) -> tuple[PooledGradients, Floats]:
    """Second moments of rows in even coordinates, to pool gradients by; and the directions in which
    they are within their noise.
    """
    size = len(even)
    moments, spread = released_moments(
        "even second moments", short, LENGTH, np.triu_indices(size), sums
    )
    moments, spread = moments * scale**2, spread * scale**2
    values, vectors = np.linalg.eigh(moments)
    floor = spread * math.sqrt(size / 2)
    known = np.asarray((vectors * np.maximum(values, floor)) @ vectors.T)
    return PooledGradients(even, known, spread, prior), vectors[:, values <= floor]


class PooledGradients:
    """Gradients of all rounds, pooled by their noise under a wide prior.

    ``variance`` is that of residuals, where the gradients are of weight 1; a Hessian has it within.
    """

    def __init__(self, even: Floats, known: Floats, spread: float, prior: float) -> None:
        self._even, self._known, self._spread = even, known, spread
        self._prior = even.T @ even / prior
        self.phi = np.zeros(len(known))
        self._step, self.variance = 1.0, 1.0
        self._seen: list[tuple[Floats, float]] = []

    def begin(self, phi: Floats, step: float) -> None:
        """Where the first gradient will be taken, and how far, squared, that may be from the end."""
        self.phi, self._step = phi, step

    def observe(self, gradient: Floats, sigma: float) -> None:
        error = sigma**2 + self._spread**2 / 2 * self._step
        self._seen.append((self._known @ self.phi + gradient, error))
        moved = np.linalg.solve(self._precision, self._known @ self._told) - self.phi
        self.phi = self.phi + moved
        self._step = float(moved @ moved)

    def anew(self) -> PooledGradients:
        """Gradients to be pooled from here on, those so far forgotten."""
        found = copy(self)
        found._seen = []  # noqa: SLF001 - of this class
        return found

    def normal_equations(self, variance: float) -> tuple[Floats, Floats, Floats]:
        """G, b and V, so that b is G times the coefficients, with an error of covariance V.

        ``variance`` is that of residuals.
        """
        back = np.linalg.inv(self._even)
        error = np.eye(len(self._known)) / self._weight + self._known * variance
        gram, moments = back.T @ self._known @ back, back.T @ self._told / self._weight
        return gram, moments, back.T @ error @ back

    @property
    def _weight(self) -> float:
        return sum(1 / error for _, error in self._seen)

    @property
    def _told(self) -> Floats:
        return np.asarray(sum(each / error for each, error in self._seen))

    @property
    def _precision(self) -> Floats:
        return self._known @ self._known * self._weight + self._prior

    @property
    def noise(self) -> float:
        """The squared length of the error that noise makes, on average."""
        inverse = np.linalg.inv(self._known)
        return float(np.sum(inverse * inverse)) / self._weight

    @property
    def squared_error(self) -> float:
        """The squared length of the error of sampling and noise, on average."""
        return self.noise + self.variance * float(np.trace(np.linalg.inv(self._known)))

    @property
    def is_settled(self) -> bool:
        """Whether the last step is no longer than noise makes it, or so short that what is left after
        it, about its square, is small beside the error of sampling and noise.
        """
        return self._step <= _SETTLED * self.noise or self._step**2 <= self.squared_error / 4

    def line(self, variance: float, vague: Floats, back: Floats) -> FittedLine:
        """Coefficients with their covariance: the residuals' share is in every round the same, the
        noise is not.  ``back`` leads from the coefficients of these rows to those that are wanted.
        """
        known, even, weight = self._known, np.asarray(back @ self._even), self._weight
        inverse = np.linalg.inv(self._precision)
        inner = known @ (np.eye(len(known)) * weight + known * (variance * weight**2)) @ known
        covariance = even @ inverse @ inner @ inverse @ even.T
        resolved = even @ inverse @ known @ known @ np.linalg.inv(even) * weight
        loose = np.sum((even @ vague) ** 2, axis=1) / np.maximum(np.sum(even**2, axis=1), 1e-300)
        clear = (np.diag(resolved) > _ENOUGH) & (loose < 1 - _ENOUGH)
        return FittedLine(even @ self.phi, covariance, clear, variance)


def evened(rows: LinearRows, sums: NoisySums) -> tuple[Floats, float]:
    """The matrix that makes second moments even, from released ones, and the number of rows."""
    size, pairs = rows.design.size, measured_pairs(rows.design)
    moments, spread = released_moments("second moments", rows.matrix, STEPS, pairs, sums)
    moments, spread = moments / STEPS**2, spread / STEPS**2
    count = max(float(moments[-1, -1]), 1.0)
    values, vectors = np.linalg.eigh(moments)
    held = np.maximum(values, 0) + 0.5 * spread * math.sqrt(size / 2)
    return np.asarray((vectors * np.sqrt(count / held)) @ vectors.T), count


def in_even_coordinates(
    rows: LinearRows, even: Floats, longest: float = 1.0
) -> tuple[Floats, Integers]:
    """Rows times the released matrix, in whole steps, no longer than `LENGTH`; and their weights.

    ``longest`` is how long a row can be before it is clipped, in root mean squares of all rows.
    """
    scale = LENGTH / (longest * math.sqrt(len(even))) / STEPS
    weights, bits = whole_weights(even * scale, STEPS, finest=30)
    steps = np.floor(scores(rows.matrix, weights, STEPS) * 2.0**-bits)
    return clipped(np.clip(steps, -UNIT, UNIT), LENGTH)


def moments_of_length(squared: int) -> int:
    """How far second moments as they are released move by a row of this squared length, squared."""
    return _DIAGONAL**2 * squared**2


def released_moments(
    name: str, matrix: Floats, most: int, pairs: tuple[Integers, Integers], sums: NoisySums
) -> tuple[Floats, float]:
    """The sum of x x' with noise, symmetric, and the deviation of its diagonal's noise."""
    exact = products(matrix, matrix, most, most)
    left, right = pairs
    times = np.where(left == right, _DIAGONAL, _OTHER)
    noisy, sigma = sums.release(name, exact[left, right] * times)
    made = np.zeros(exact.shape)
    made[left, right] = noisy / times
    made[right, left] = noisy / times
    return made, sigma / _DIAGONAL


def measured_pairs(design: LinearDesign) -> tuple[Integers, Integers]:
    """The pairs of coefficients whose products are measured: levels of one column exclude each
    other, so theirs are 0 and known.
    """
    owner = np.arange(design.size)
    for each in design.blocks:
        owner[each.start : each.stop] = each.start
    left, right = np.triu_indices(design.size)
    kept = (left == right) | (owner[left] != owner[right])
    return left[kept], right[kept]


def round_sums(
    short: Floats,
    weighted: Integers,
    held: Integers,
    away: Integers,
    *,
    keep: NDArray[np.bool_],
    mark: int,
) -> Integers:
    """The gradient, a histogram of the sizes of residuals, and the sum of their squares."""
    gradient = products(short, weighted.astype(np.float64)[:, None], LENGTH, RESIDUAL)[:, 0]
    edges = 1 << np.arange(21 - BINS, 20)
    bins = np.searchsorted(edges, np.abs(away[keep]), side="right")
    counts = np.bincount(bins, minlength=BINS).astype(np.int64) * mark
    squares = held[keep] * held[keep] * mark // (RESIDUAL * RESIDUAL)
    return np.concatenate([gradient, counts, [squares.sum(dtype=np.int64)]])


def _next_clip(counts: Floats) -> int:
    """One and a half times the power of two that nearly all residuals are within."""
    held = np.maximum(counts, 0)
    total = float(held.sum())
    if total <= 0:
        return UNIT
    place = int(np.searchsorted(np.cumsum(held) / total, 0.95))
    return min(UNIT, 3 << (20 - BINS + place))


def histogram_mark(size: int) -> int:
    """What one row adds to a histogram, so that it takes a part of the noise like one coordinate."""
    return LENGTH * RESIDUAL // math.isqrt(size * 4) * 2
