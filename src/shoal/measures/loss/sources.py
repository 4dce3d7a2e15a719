"""Where privacy losses come from: each release's loss, cut into cells of any width.

A source says, for P and Q in one direction, how the loss is distributed under P.  Masses of normal cells are
taken from the density where cells are narrow and from the distribution function where they are wide, so that
nothing cancels.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from shoal.measures.loss.cells import Cells, Floats, cells_between, cells_of_atoms


class LossSource(Protocol):
    """A loss that can be cut into cells."""

    def cells(self, step: float, smallest: float) -> Cells:
        """The law in cells of width ``step``; at most ``smallest`` of its mass may be left above them."""

    def span(self, smallest: float) -> float:
        """The width of what the cells cover."""

    @property
    def largest(self) -> float:
        """The largest loss there is, perhaps infinite."""

    @property
    def spacing(self) -> float | None:
        """The distance of atoms that a grid should hold, or None where there are none."""


@dataclass(frozen=True)
class NormalLoss:
    """Two normal laws ``mu`` standard deviations apart: the loss is normal, mean mu^2 / 2, variance mu^2."""

    mu: float

    @property
    def spacing(self) -> float | None:
        return None

    @property
    def largest(self) -> float:
        return math.inf

    def span(self, smallest: float) -> float:
        return 2 * reach_of(smallest) * self.mu

    def cells(self, step: float, smallest: float) -> Cells:
        reach = reach_of(smallest)
        middle = self.mu**2 / 2
        first = math.floor((middle - reach * self.mu) / step)
        last = math.ceil((middle + reach * self.mu) / step)
        edges = np.arange(first, last + 1) * step
        places = (edges - middle) / self.mu
        mass = normal_masses(places)
        other = normal_masses(places + self.mu)
        return cells_between(step, edges, mass, other, above=smallest, below=smallest)


@dataclass(frozen=True)
class SampledNormalLoss:
    """A normal law against its mixture with one ``mu`` away, of weight ``rate``: Poisson sampling.

    With ``removed`` P is the mixture and Q the plain law (the person was there), else the other way round.
    """

    rate: float
    mu: float
    removed: bool

    @property
    def spacing(self) -> float | None:
        return None

    @property
    def largest(self) -> float:
        return math.inf if self.removed else -math.log1p(-self.rate)

    def span(self, smallest: float) -> float:
        return self._loss(self.mu + reach_of(smallest)) - math.log1p(-self.rate)

    def cells(self, step: float, smallest: float) -> Cells:
        # under the plain law x is standard normal, and ln(mixture / plain) rises with x
        reach = reach_of(smallest)
        lowest, highest = math.log1p(-self.rate), self._loss(self.mu + reach)
        count = math.ceil((highest - lowest) / step)
        edges = lowest + np.arange(count + 1) * step
        with np.errstate(divide="ignore"):
            ends = np.log1p(np.expm1(edges) / self.rate) / self.mu + self.mu / 2
        ends[0] = -np.inf
        plain, moved = normal_masses(ends), normal_masses(ends - self.mu)
        mixed = (1 - self.rate) * plain + self.rate * moved
        if self.removed:
            return cells_between(step, edges, mixed, plain, above=smallest, below=0.0)
        return cells_between(
            step, -edges[::-1], plain[::-1], mixed[::-1], above=0.0, below=smallest
        )

    def _loss(self, x: float) -> float:
        exponent = self.mu * (x - self.mu / 2)
        if exponent > 700:
            return exponent + math.log(self.rate)
        return math.log1p(self.rate * math.expm1(exponent))


@dataclass(frozen=True)
class AtomicLoss:
    """A loss with few values, given with the probability of each; ``infinite`` is the mass at infinity."""

    atoms: tuple[tuple[float, float], ...]
    infinite: float = 0.0
    unit: float | None = None

    @property
    def spacing(self) -> float | None:
        return self.unit

    @property
    def largest(self) -> float:
        return math.inf if self.infinite else max(loss for loss, _ in self.atoms)

    def span(self, smallest: float) -> float:  # noqa: ARG002 - nothing is left above
        return max(self.largest_finite - min(loss for loss, _ in self.atoms), 2.0**-20)

    @property
    def largest_finite(self) -> float:
        return max(loss for loss, _ in self.atoms)

    def cells(self, step: float, smallest: float) -> Cells:  # noqa: ARG002 - nothing is left above
        losses = np.array([loss for loss, _ in sorted(self.atoms)])
        masses = np.array([mass for _, mass in sorted(self.atoms)])
        return replace(cells_of_atoms(losses, masses, step), infinite=self.infinite)


@dataclass(frozen=True)
class LaplaceLoss:
    """Continuous Laplace noise: the loss is epsilon or -epsilon beyond both centres, and even between them.

    With P around 0 and Q around epsilon at scale 1, the loss at x in (0, epsilon) is epsilon - 2 x.
    ``blur`` is how far the true loss may lie from this one: noise on a lattice of T steps per sensitivity is
    continuous noise moved by at most one step, and the loss moves by at most 2 epsilon / T with it.
    """

    epsilon: float
    blur: float = 0.0

    @property
    def spacing(self) -> float | None:
        return 2 * self.epsilon

    @property
    def largest(self) -> float:
        return self.epsilon

    def span(self, smallest: float) -> float:  # noqa: ARG002 - nothing is left above
        return 2 * self.epsilon

    def cells(self, step: float, smallest: float) -> Cells:  # noqa: ARG002 - nothing is left above
        epsilon = self.epsilon
        count = math.floor(2 * epsilon / step * (1 + 1e-12)) + 1
        edges = -epsilon + np.arange(count + 1) * step
        ends = np.minimum(edges, epsilon)
        mass = np.exp((ends[:-1] - epsilon) / 2) * np.expm1(np.diff(ends) / 2) / 2
        other = -np.exp((-epsilon - ends[:-1]) / 2) * np.expm1(-np.diff(ends) / 2) / 2
        falls = math.exp(-epsilon)
        mass[0] += falls / 2
        other[0] += 0.5
        mass[-1] += 0.5
        other[-1] += falls / 2
        return replace(
            cells_between(step, edges, mass, other, above=0.0, below=0.0), blur=self.blur
        )

    def reach(self, smallest: float) -> tuple[float, float]:  # noqa: ARG002 - nothing lies beyond
        return -self.epsilon, self.epsilon

    def between(self, ends: Floats) -> tuple[Floats, Floats]:
        epsilon, falls = self.epsilon, math.exp(-self.epsilon)
        inside = np.clip(ends, -epsilon, epsilon)
        width = np.diff(inside)
        mass = np.exp((inside[:-1] - epsilon) / 2) * np.expm1(width / 2) / 2
        other = -np.exp((-epsilon - inside[:-1]) / 2) * np.expm1(-width / 2) / 2
        for loss, one, two in ((-epsilon, falls / 2, 0.5), (epsilon, 0.5, falls / 2)):
            here = (ends[:-1] <= loss) & (loss < ends[1:])
            mass[here] += one
            other[here] += two
        return mass, other


def normal_masses(ends: Floats) -> Floats:
    """The probabilities of the intervals between neighbouring ends under the standard normal law.

    Narrow intervals by the density at their middle m and its derivatives, of which the first left out is below
    10^-15 of the sum; wide ones by the tail on their side of zero.
    """
    from scipy.special import ndtr  # noqa: PLC0415 - heavy, and needed here only

    low, high = ends[:-1], ends[1:]
    masses: Floats = np.where(low > 0, ndtr(-low) - ndtr(-high), ndtr(high) - ndtr(low))
    with np.errstate(invalid="ignore"):
        width, middle = high - low, (low + high) / 2
        narrow = width * (1 + np.abs(middle)) < _NARROW
    m2, w2 = middle[narrow] ** 2, width[narrow] ** 2
    bend = 1 + w2 / 24 * (m2 - 1) + w2**2 / 1920 * (m2 * m2 - 6 * m2 + 3)
    masses[narrow] = width[narrow] * np.exp(-m2 / 2) * bend / math.sqrt(2 * math.pi)
    return masses


_NARROW = 0.02


def reach_of(smallest: float) -> float:
    """Standard deviations beyond which a normal law has at most so much mass: exp(-r^2 / 2) bounds the tail."""
    return math.sqrt(-2 * math.log(smallest))
