"""The central limit of many small losses: a quick picture, never a guarantee.

The sum of many small independent losses is nearly normal, and two normals with such losses are
those of Gaussian differential privacy.  How nearly is not bounded here, so nothing in this file is
a measure, can be converted to one, or is accepted where a promise is wanted.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from shoal.errors import RangeError
from shoal.exact import closed_unit, finite_float, non_negative, positive, whole
from shoal.interpret.pair import Pair


@dataclass(frozen=True, slots=True)
class GaussianApproximation:
    """An approximate mu, as a plain float.  Not a measure; its numbers may lie on either side.

    >>> round(GaussianApproximation(mu=1.0).delta(1.0), 4)
    0.1269
    """

    mu: float

    def delta(self, epsilon: float) -> float:
        """About the delta at this epsilon; may be too small."""
        at = finite_float(non_negative(epsilon, "epsilon"), "epsilon")
        if self.mu == 0:
            return 0.0
        near, far = self.mu / 2 - at / self.mu, -self.mu / 2 - at / self.mu
        return max(0.0, _below(near) - math.exp(min(at, 700.0)) * _below(far))

    def type_two(self, type_one: float) -> float:
        """About the least type-II error at this type-I error; may be too large."""
        alpha = float(closed_unit(type_one, "type_one"))
        low, high = -40.0, 40.0
        for _ in range(80):
            middle = (low + high) / 2
            low, high = (middle, high) if _below(-middle) > alpha else (low, middle)
        return _below(low - self.mu)


def gaussian_approximation(releases: Iterable[tuple[Pair, int]]) -> GaussianApproximation:
    """The central-limit mu of many releases, each given with how often it is made.

    Guarantee: none.  mu = 2 Σ mean / sqrt(Σ variance), mean and variance those of the loss of each
        release under its own law, averaged over both directions.  For 100 releases it is often off
        by a few percent, to either side; use exact composition for anything that is promised.
    Needs: finite losses: every outcome possible under both laws or neither.
    Edges: losses that are all 0 give mu 0; a constant loss that is not 0 has no normal limit.
    Reference: Dong, Roth and Su 2022, Theorem 3.4.

    >>> coin = Pair(["0.525", "0.475"], ["0.475", "0.525"])
    >>> round(gaussian_approximation([(coin, 100)]).mu, 4)
    1.0013
    """
    mean = variance = 0.0
    for pair, times in releases:
        count = whole(times, "times", at_least=0)
        one, other = _moments(pair), _moments(pair.swapped())
        mean += count * (one[0] + other[0]) / 2
        variance += count * (one[1] + other[1]) / 2
    if mean == 0:
        return GaussianApproximation(0.0)
    return GaussianApproximation(
        2 * mean / math.sqrt(finite_float(positive(variance, "variance"), "variance"))
    )


def _moments(pair: Pair) -> tuple[float, float]:
    """Mean and variance of the loss ln(p/q) under p."""
    if any((x == 0) != (y == 0) for x, y in pair.atoms):
        raise RangeError(
            "a release with infinite loss has no Gaussian approximation.",
            remedy="Keep only releases whose outcomes are possible under both laws.",
        )
    losses = [(float(x), math.log(x / y)) for x, y in pair.atoms]
    mean = sum(weight * loss for weight, loss in losses)
    return mean, sum(weight * (loss - mean) ** 2 for weight, loss in losses)


def _below(x: float) -> float:
    return math.erfc(-x / math.sqrt(2)) / 2
