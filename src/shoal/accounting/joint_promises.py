"""Several (epsilon, delta) promises that hold at once: the one pair of laws that keeps them and no
more.

With probability δ, the least of the deltas, everything is told; otherwise the loss has finitely
many values.  The proof stands in loss/loss.md, "A profile known at some points".
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import gcd, lcm

from flint import arb

from shoal.exact import ball, exponent_of, holdable_up, upper
from shoal.loss import AtomicLoss, ProfileAtoms, atoms_of_profile

LARGEST = 500
"""Promises of a larger epsilon are forgotten where there is a smaller one: their ratios leave the
range of floats.
"""

_BITS = 128
_MOST_STEPS = 4096


@dataclass(frozen=True)
class StatedPoints:
    """Promises (epsilon, delta), by rising epsilon."""

    points: tuple[tuple[Fraction, Fraction], ...]

    @property
    def last(self) -> tuple[Fraction, Fraction]:
        """The promise with the least delta, and with the least epsilon among those."""
        return min(self.points, key=lambda point: (point[1], point[0]))

    @property
    def pair(self) -> ProfileAtoms:
        """The pair of laws that keeps these promises and no more."""
        return _pair(self.points)

    def loss(self) -> AtomicLoss | None:
        """The loss when not everything is told; None where nothing is lost then."""
        return self.pair.loss_otherwise(unit=_common_step([epsilon for epsilon, _ in self.points]))

    def divergence_up(self, order: Fraction) -> Fraction:
        """The Rényi divergence when not everything is told, rounded up; at most the last epsilon.

        Guarantee: ln(Σ p x^(α-1)) / (α - 1) over the ratios x of the pair with their masses p,
        divided by what they sum to.
        """
        pair, largest = self.pair, self.last[0]
        if largest == 0:
            return largest

        def value() -> arb:
            top = ball(pair.atoms[0][0]).log()
            terms = (
                ball(mass) * (ball(order - 1) * (ball(ratio).log() - top)).exp()
                for ratio, mass in pair.atoms
            )
            return top + (sum(terms, arb(0)) / ball(1 - pair.infinite)).log() / ball(order - 1)

        return min(largest, holdable_up(upper(value)))


@lru_cache(maxsize=1 << 8)
def stated_points(epsilons: tuple[Fraction, ...], deltas: tuple[Fraction, ...]) -> StatedPoints:
    """The promises that are used: those with moderate epsilons, or the first alone."""
    points = tuple(zip(epsilons, deltas, strict=True))
    moderate = tuple(point for point in points if point[0] <= LARGEST)
    return StatedPoints(moderate or points[:1])


@lru_cache(maxsize=1 << 8)
def _pair(points: tuple[tuple[Fraction, Fraction], ...]) -> ProfileAtoms:
    return atoms_of_profile((_ratio_up(epsilon), delta) for epsilon, delta in points)


def _ratio_up(epsilon: Fraction) -> Fraction:
    """e^epsilon, rounded up so little that its logarithm is right to more bits than a float has."""
    if epsilon == 0:
        return Fraction(1)
    bits = _BITS + max(0, -exponent_of(epsilon))
    return upper(lambda: ball(epsilon).exp(), bits=bits)


def _common_step(epsilons: list[Fraction]) -> float | None:
    """The step of a lattice that holds all losses ±epsilon; None where it would be too fine."""
    below = lcm(*(epsilon.denominator for epsilon in epsilons))
    places = [int(epsilon * below) for epsilon in epsilons]
    step = gcd(2 * places[0], *(place - places[0] for place in places))
    if step == 0 or 2 * places[-1] // step > _MOST_STEPS:
        return None
    return float(Fraction(step, below))
