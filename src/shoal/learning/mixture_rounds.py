"""Steps of expectation and maximisation for a mixture of normal laws, through noisy sums.

Each row is read in the coordinates of every component, in which that component is round and of
width 1 as far as is known.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from scipy.stats import chi2

from shoal.learning.exact_sums import Floats, Integers, clipped, products, scores, whole_weights
from shoal.learning.feature_columns import STEPS
from shoal.learning.multinomial_regression import class_shares
from shoal.learning.training_plan import NoisySums, PlannedSum

_LENGTH = 1 << 11
"""The longest that a row can be in the coordinates of a component, in whole steps."""

_PART = 1 << 10
"""A row that belongs to one component alone is this many steps of it."""

_DIAGONAL, _OTHER = 5, 7  # 7^2 <= 2 * 5^2
_MEAN = _DIAGONAL * _LENGTH // 2
_COUNT = _DIAGONAL * _LENGTH**2 // 4
_FARTHEST = 1 << 20
_LEAST, _LARGEST = 0.05, 9.0
"""By how much the variance of a component can change in one step, in any direction."""

NARROWEST = 2.0**-16
"""The least variance of a component in halves of the declared ranges."""


@dataclass(frozen=True)
class Mixture:
    """Shares, means and covariances of components; columns in halves of their declared ranges."""

    shares: Floats
    means: Floats
    covariances: Floats

    @property
    def roots(self) -> Floats:
        """The triangular root of each covariance."""
        return np.asarray(np.linalg.cholesky(self.covariances))


def planned_steps(
    dimensions: int, components: int, rounds: int, share: Fraction
) -> list[PlannedSum]:
    """So many steps; what one row adds is bounded in training.md, *Mixtures*."""
    pairs = dimensions * (dimensions + 1) // 2
    one = _COUNT**2 + (_MEAN * _LENGTH) ** 2 + _DIAGONAL**2 * _LENGTH**4
    size = components * (1 + dimensions + pairs)
    return [
        PlannedSum(f"components {at + 1}", size, _PART**2 * one, share / rounds)
        for at in range(rounds)
    ]


def reach_of(dimensions: int) -> float:
    """How long a row can be before it is clipped, in widths of a component: few are longer."""
    return math.sqrt(dimensions) + 2.0


def stepped(rows: Floats, mixture: Mixture, sums: NoisySums, name: str) -> Mixture:
    """One step: every row is shared among components, and each component is told the number, the
    mean and the second moments of its share.
    """
    size = rows.shape[1]
    places = [_coordinates(rows, *each) for each in zip(mixture.means, mixture.roots, strict=True)]
    parts = _parts(places, mixture)
    told = [_sums_of(each, parts[:, at]) for at, each in enumerate(places)]
    noisy, sigma = sums.release(name, np.concatenate(told))
    found = [
        _moved(line, sigma, mean, root)
        for line, mean, root in zip(
            noisy.reshape(len(told), -1), mixture.means, mixture.roots, strict=True
        )
    ]
    counts = np.maximum(noisy.reshape(len(told), -1)[:, 0], sigma)
    means = np.clip(np.array([each[0] for each in found]), -1, 1)
    narrowest = np.eye(size) * NARROWEST
    covariances = np.array([each[1] + narrowest for each in found])
    return Mixture(counts / counts.sum(), means, covariances)


def _coordinates(rows: Floats, mean: Floats, root: Floats) -> Floats:
    """Rows less a released mean, times a released matrix, in whole steps."""
    unit = _LENGTH / reach_of(len(mean)) / STEPS
    inverse = np.asarray(np.linalg.inv(root).T * unit, np.float64)
    weights, bits = whole_weights(inverse, 2 * STEPS, finest=30)
    away = rows - np.rint(mean * STEPS)
    exact = scores(away, weights, 2 * STEPS) * 2.0**-bits
    return np.asarray(np.clip(np.rint(exact), -_FARTHEST, _FARTHEST))


def _parts(places: list[Floats], mixture: Mixture) -> Integers:
    """How much of each row belongs to each component, in steps: at most `_PART` in all."""
    size = len(mixture.means[0])
    unit = 0.5 * (reach_of(size) / _LENGTH) ** 2 * 2.0**20
    starts = np.log(np.maximum(mixture.shares, 1e-9))
    starts -= np.log(np.diagonal(mixture.roots, axis1=1, axis2=2)).sum(axis=1)
    lines = []
    for place, start in zip(places, starts.tolist(), strict=True):
        far = np.einsum("ij,ij->i", place, place) * unit
        lines.append(round(start * 2**20) - np.minimum(far, 2.0**50).astype(np.int64))
    return class_shares(np.column_stack(lines), _PART)


def _sums_of(place: Floats, part: Integers) -> Integers:
    """What one component is told: the number of its rows, their sum and their second moments."""
    short, _ = clipped(place, _LENGTH)
    weight = part.astype(np.float64)[:, None]
    left, right = np.triu_indices(place.shape[1])
    times = np.where(left == right, _DIAGONAL, _OTHER)
    first = products(short, weight, _LENGTH, _PART)[:, 0]
    second = products(short, short * weight, _LENGTH, 8 * _LENGTH * _PART)[left, right]
    return np.concatenate([[int(part.sum()) * _COUNT], first * _MEAN, second * times])


def _moved(line: Floats, sigma: float, mean: Floats, root: Floats) -> tuple[Floats, Floats]:
    """Where a component is after a step, and its covariance, from released numbers.

    Clipping makes a normal law a little narrower, which is made good.  The less the noise leaves to
    be seen, the less a component changes.
    """
    size, reach = len(mean), reach_of(len(mean))
    members = float(line[0]) / _COUNT / _PART
    if line[0] < 4 * sigma:
        return mean, root @ root.T
    noise = sigma / _PART / members
    away = line[1 : size + 1] / _MEAN / _PART / members * (reach / _LENGTH)
    away_noise = noise / _MEAN * (reach / _LENGTH)
    left, right = np.triu_indices(size)
    times = np.where(left == right, _DIAGONAL, _OTHER)
    second = np.zeros((size, size))
    second[left, right] = second[right, left] = line[size + 1 :] / times / _PART / members
    kept = _kept_by_clipping(size, reach)
    unit = (reach / _LENGTH) ** 2 / kept
    second_noise = noise / _DIAGONAL * unit
    inner = second * unit - np.outer(away, away)
    trusted = 1 / (1 + size * second_noise**2)
    values, vectors = np.linalg.eigh(np.eye(size) * (1 - trusted) + inner * trusted)
    hidden = min(2 * trusted * second_noise * math.sqrt(size), 1.0)
    held = np.clip(values, max(_LEAST, hidden), _LARGEST)
    changed = root @ ((vectors * held) @ vectors.T) @ root.T
    return mean + root @ (away / (1 + away_noise**2)), (changed + changed.T) / 2


def _kept_by_clipping(size: int, reach: float) -> float:
    """The variance of a normal law of width 1, clipped to a length of ``reach``."""
    square = reach * reach
    inside = size * float(chi2.cdf(square, size + 2))
    return (inside + square * float(chi2.sf(square, size))) / size
