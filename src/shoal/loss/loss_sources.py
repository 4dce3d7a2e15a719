"""Where privacy losses come from: each release's loss, cut into cells of any width.

A source says, for P and Q in one direction, how the loss is distributed under P.  Masses of normal
cells are taken from the density where cells are narrow and from the distribution function where
they are wide, so that nothing cancels.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Protocol

import numpy as np

from shoal.exact import float_down, float_up
from shoal.floats import normal_below
from shoal.loss.bracket import Bracket
from shoal.loss.cells import RELATIVE_ERROR, Cells, Floats, cells_of_atoms
from shoal.loss.characteristic_functions import (
    AtomicWave,
    HasWaves,
    LaplaceWave,
    NormalWave,
)
from shoal.loss.single_release import (
    POSITION_ERROR,
    at_floats,
    enclosed_root,
    normal_delta,
    normal_epsilon,
)


class LossSource(Protocol):
    """A loss that can be cut into cells."""

    def cells(self, step: float, smallest: float) -> Cells:
        """The law in cells of width ``step``; at most ``smallest`` of its mass may be left above
        them.
        """

    def span(self, smallest: float) -> float:
        """The width of what the cells cover."""

    @property
    def largest(self) -> float:
        """The largest loss there is, perhaps infinite."""

    @property
    def spacing(self) -> float | None:
        """The distance of atoms that a grid should hold, or None where there are none."""


Sources = tuple[tuple[LossSource, int], ...]
"""Losses and how many independent copies of each there are."""


@dataclass(frozen=True)
class NormalLoss(HasWaves):
    """Two normal laws ``mu`` standard deviations apart: the loss is normal, mean mu^2 / 2, variance
    mu^2.
    """

    mu: float

    @property
    def spacing(self) -> float | None:
        return None

    @property
    def largest(self) -> float:
        return math.inf

    def span(self, smallest: float) -> float:
        return 2 * reach(smallest) * self.mu

    def cells(self, step: float, smallest: float) -> Cells:
        middle, aside = self.mu**2 / 2, reach(smallest) * self.mu
        first = math.floor((middle - aside) / step)
        last = math.ceil((middle + aside) / step)
        edges = np.arange(first, last + 1) * step
        places = (edges - middle) / self.mu
        mass = normal_masses(places)
        other = normal_masses(places + self.mu)
        return cells_between(step, edges, mass, other, above=smallest, below=smallest)

    def reach(self, smallest: float) -> tuple[float, float]:
        middle, aside = self.mu**2 / 2, reach(smallest) * self.mu
        return -middle - aside, middle + aside

    def between(self, ends: Floats) -> tuple[Floats, Floats]:
        places = (ends - self.mu**2 / 2) / self.mu
        return normal_masses(places), normal_masses(places + self.mu)

    def wave(self, tilt: float) -> NormalWave:
        return NormalWave(self.mu, tilt)

    def epsilon_alone(self, delta: Fraction) -> Bracket:
        return normal_epsilon(self.mu, delta)

    def delta_alone(self, low: Fraction, high: Fraction) -> Bracket:
        return normal_delta(self.mu, low, high)


@dataclass(frozen=True)
class AtomicLoss(HasWaves):
    """A loss with few values, given with the probability of each; ``infinite`` is the mass at
    infinity.
    """

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

    def reach(self, smallest: float) -> tuple[float, float]:  # noqa: ARG002 - nothing lies beyond
        return min(loss for loss, _ in self.atoms), self.largest_finite

    def between(self, ends: Floats) -> tuple[Floats, Floats]:
        losses, masses = (np.array(each) for each in zip(*self.atoms, strict=True))
        cells = np.searchsorted(ends, losses, side="right") - 1
        inside = (cells >= 0) & (cells < len(ends) - 1)
        mass, other = np.zeros(len(ends) - 1), np.zeros(len(ends) - 1)
        np.add.at(mass, cells[inside], masses[inside])
        np.add.at(other, cells[inside], (masses * np.exp(-losses))[inside])
        return mass, other

    def delta_alone(self, low: Fraction, high: Fraction) -> Bracket:
        aside = POSITION_ERROR * max(abs(loss) for loss, _ in self.atoms)
        return Bracket(
            self._delta(float_up(high) + aside) * (1 - RELATIVE_ERROR),
            min(1.0, self._delta(float_down(low) - aside) * (1 + RELATIVE_ERROR)),
        )

    def _delta(self, epsilon: float) -> float:
        over = (-mass * math.expm1(epsilon - loss) for loss, mass in self.atoms if loss > epsilon)
        return self.infinite + math.fsum(over)

    def epsilon_alone(self, delta: Fraction) -> Bracket:
        return enclosed_root(self._root(float(delta)), at_floats(self.delta_alone), delta)

    def _root(self, delta: float) -> float:
        """About where delta is reached: between two losses it is a - b e^epsilon."""
        more, less = self.infinite, 0.0
        falling = sorted(self.atoms, reverse=True)
        for (loss, mass), (after, _) in pairwise([*falling, (-math.inf, 0.0)]):
            more, less = more + mass, less + mass * math.exp(-loss)
            if more > delta and more - less * math.exp(after) >= delta:
                return math.log((more - delta) / less)
        return -math.inf

    def wave(self, tilt: float) -> AtomicWave:
        losses, masses = self._arrays
        return AtomicWave.of(losses, masses, tilt)

    @cached_property
    def _arrays(self) -> tuple[Floats, Floats]:
        losses, masses = (np.array(each) for each in zip(*self.atoms, strict=True))
        return losses, masses


@dataclass(frozen=True)
class LaplaceLoss(HasWaves):
    """Continuous Laplace noise: the loss is epsilon or -epsilon beyond both centres, and even
    between them.

    With P around 0 and Q around epsilon at scale 1, the loss at x in (0, epsilon) is epsilon - 2 x.
    ``blur`` is how far the true loss may lie from this one: noise on a lattice of T steps per
    sensitivity is continuous noise moved by at most one step, and the loss moves by at most 2
    epsilon / T with it.
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

    def delta_alone(self, low: Fraction, high: Fraction) -> Bracket:
        aside = self.blur + POSITION_ERROR * self.epsilon
        least = -math.expm1((float_up(high) + aside - self.epsilon) / 2)
        most = -math.expm1((float_down(low) - aside - self.epsilon) / 2)
        return Bracket(
            max(0.0, least * (1 - RELATIVE_ERROR)), max(0.0, most * (1 + RELATIVE_ERROR))
        )

    def epsilon_alone(self, delta: Fraction) -> Bracket:
        return enclosed_root(
            self.epsilon + 2 * math.log1p(-float(delta)), at_floats(self.delta_alone), delta
        )

    def wave(self, tilt: float) -> LaplaceWave:
        return LaplaceWave(self.epsilon, tilt)

    @property
    def mirrored(self) -> bool:
        return False

    @property
    def slope(self) -> float:
        return 1.0

    def inner_reach(self, smallest: float) -> tuple[float, float]:
        return self.reach(smallest)

    def rising(self, inner: Floats) -> Floats:
        losses: Floats = np.clip(inner, -self.epsilon, self.epsilon)
        return losses

    def inner_at(self, rising: Floats) -> Floats:
        return rising.copy()  # the loss is its own coordinate

    def masses(self, ends: Floats) -> tuple[Floats, Floats]:
        return self.between(ends)

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


def normal_masses(ends: Floats, mean: float = 0.0) -> Floats:
    """The probabilities of the intervals between neighbouring ends under the normal law of this
    mean, variance 1.

    Narrow intervals by the density at their middle m and its derivatives, of which the first left
    out is below 10^-15 of the sum; wide ones by the tail on their side of the mean.  Widths are
    taken before the mean is taken off, so that rounding moves a narrow interval and does not
    stretch it.
    """
    low, high = ends[:-1] - mean, ends[1:] - mean
    with np.errstate(invalid="ignore"):
        width, middle = np.diff(ends), (low + high) / 2
        narrow = width * (1 + np.abs(middle)) < _NARROW
    masses, wide = np.empty(len(low)), ~narrow
    right = low[wide] > 0
    near = np.where(right, -high[wide], low[wide])
    far = np.where(right, -low[wide], high[wide])
    masses[wide] = normal_below(far) - normal_below(near)
    m2, w2 = middle[narrow] ** 2, width[narrow] ** 2
    bend = 1 + w2 / 24 * (m2 - 1) + w2**2 / 1920 * (m2 * m2 - 6 * m2 + 3)
    bend += w2**3 / 322560 * (((m2 - 15) * m2 + 45) * m2 - 15)
    bend += w2**4 / 92897280 * ((((m2 - 28) * m2 + 210) * m2 - 420) * m2 + 105)
    masses[narrow] = width[narrow] * np.exp(-m2 / 2) * bend / math.sqrt(2 * math.pi)
    return masses


_NARROW = 0.25


def reach(smallest: float) -> float:
    """Standard deviations beyond which a normal law has at most so much mass: exp(-r^2 / 2) bounds
    the tail.
    """
    return math.sqrt(-2 * math.log(smallest))


def cells_between(
    step: float, edges: Floats, mass: Floats, other: Floats, *, above: float, below: float
) -> Cells:
    """Cells from the masses of P and of Q between edges."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        place = (1 - other / mass * np.exp(edges[:-1])) / -math.expm1(-step)
    place = np.clip(np.nan_to_num(place, nan=0.0), 0.0, 1.0)
    return Cells(step, float(edges[0]), mass, place, above=above, below=below)
