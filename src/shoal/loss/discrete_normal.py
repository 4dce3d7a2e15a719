"""The loss of discrete Gaussian noise on one integer, atom by atom or, where they are many, block
by block.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from shoal.loss.cells import Cells, Floats, cells_of_atoms
from shoal.loss.loss_sources import cells_between, normal_masses, reach
from shoal.loss.tails import KnownTails

_FEW = 1 << 14
"""Up to this sigma the atoms are listed one by one."""
_NARROW = 0.02


@dataclass(frozen=True)
class DiscreteNormalLoss(KnownTails):
    """Two discrete Gaussian laws of parameter sigma^2 = ``square``, ``shift`` integers apart.

    Guarantee: at the integer y of the noise, seen in the direction of the shift, the loss is shift
        (shift + 2 y) / (2 square); the mass of y is exp(-y^2 / (2 square)) over its sum, and beyond
        r sigma on either side of either law there is at most exp(-r^2 / 2).
    Needs: shift >= 1, square > 0.
    Reference: Canonne, Kamath and Steinke 2020, Definition 1.  Proof: loss.md, with the tails.
    """

    shift: int
    square: float
    blur: float = 0.0

    @property
    def spacing(self) -> float | None:
        return self.shift / self.square

    @property
    def largest(self) -> float:
        return math.inf

    def span(self, smallest: float) -> float:
        low, high = self.reach(smallest)
        return high - low

    def reach(self, smallest: float) -> tuple[float, float]:
        first, last = self._range(smallest)
        return self._loss(first), self._loss(last)

    def cells(self, step: float, smallest: float) -> Cells:
        first, last = self._range(smallest)
        if self._listed:
            places = np.arange(first, last + 1, dtype=np.float64)
            losses = self.shift * (self.shift + 2 * places) / (2 * self.square)
            found = cells_of_atoms(losses, self._masses(places), step)
            return replace(found, above=smallest, below=smallest)
        lowest, highest = math.floor(self._loss(first) / step), math.ceil(self._loss(last) / step)
        edges = np.arange(lowest, highest + 1) * step
        mass, other = self.between(edges)
        return cells_between(step, edges, mass, other, above=smallest, below=smallest)

    def between(self, ends: Floats) -> tuple[Floats, Floats]:
        """The masses of P and Q on losses from each end up to the next."""
        furthest = 40 * math.sqrt(self.square) + 2 * self.shift + 2
        places = np.ceil((2 * self.square / self.shift * ends - self.shift) / 2)
        places = np.clip(places, -furthest // 1, furthest // 1)
        return self._blocks(places), self._blocks(places + self.shift)

    def tails(self, epsilon: float) -> tuple[float, float]:
        mass, other = self.between(np.array([epsilon, np.inf]))
        return float(mass[0]), float(other[0])

    @property
    def _listed(self) -> bool:
        return self.square <= _FEW**2

    def _loss(self, place: int) -> float:
        return self.shift * (self.shift + 2 * place) / (2 * self.square)

    def _range(self, smallest: float) -> tuple[int, int]:
        """All places but for tails of at most ``smallest``, of either law on either side."""
        aside = math.ceil(reach(smallest) * math.sqrt(self.square))
        return -aside - self.shift, aside

    def _masses(self, places: Floats) -> Floats:
        weights: Floats = np.exp(-(places**2) / (2 * self.square))
        return weights / self._total()

    def _total(self) -> float:
        """The sum of all weights; by Poisson's formula it is sigma sqrt(2 pi) far below 2^-60 from
        sigma 3 on.
        """
        if self.square > 9:
            return math.sqrt(2 * math.pi * self.square)
        y = np.arange(1, 160)
        return 1 + 2 * float(np.exp(-(y**2) / (2 * self.square)).sum())

    def _blocks(self, starts: Floats) -> Floats:
        """The mass of the integers from each start up to the next."""
        if not self._listed:
            return _block_masses(starts, math.sqrt(self.square))
        first, last = int(starts[0]), int(starts[-1])
        if last == first:
            return np.zeros(len(starts) - 1)
        listed = self._masses(np.arange(first, last, dtype=np.float64))
        found = np.zeros(len(starts) - 1)
        filled = np.flatnonzero(np.diff(starts) > 0)
        found[filled] = np.add.reduceat(listed, (starts[filled] - first).astype(np.int64))
        return found


def _block_masses(starts: Floats, sigma: float) -> Floats:
    """As `DiscreteNormalLoss._blocks` for a large sigma.

    The integers of a block of m around c are spread evenly with variance (m^2 - 1) / 12 and fourth
    moment (m^2 - 1)(3 m^2 - 7) / 240.  Narrow blocks are m times the density at c, its derivatives
    taken with these moments; wide ones the normal mass between half integers and the first term of
    Euler and Maclaurin.
    """
    count, middle = np.diff(starts), (starts[:-1] + starts[1:] - 1) / (2 * sigma)
    ends = (starts - 0.5) / sigma
    bend = ends * np.exp(-(ends**2) / 2) / (24 * sigma**2 * math.sqrt(2 * math.pi))
    masses = normal_masses(ends) + np.diff(bend)
    narrow = count / sigma * (1 + np.abs(middle)) < _NARROW
    m2, c2 = middle[narrow] ** 2, count[narrow] ** 2
    second = (c2 - 1) / (24 * sigma**2) * (m2 - 1)
    fourth = (c2 - 1) * (3 * c2 - 7) / (5760 * sigma**4) * (m2 * m2 - 6 * m2 + 3)
    density = np.exp(-m2 / 2) / (sigma * math.sqrt(2 * math.pi))
    masses[narrow] = count[narrow] * density * (1 + second + fourth)
    return masses
