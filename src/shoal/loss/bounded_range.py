"""The loss of a choice whose losses lie within a range of length epsilon, wherever that range
is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from shoal.loss.cells import Cells, Floats
from shoal.loss.loss_sources import cells_between
from shoal.loss.tails import KnownTails


@dataclass(frozen=True)
class BoundedRangeLoss(KnownTails):
    """The least pair of laws that is above every epsilon-bounded-range pair.

    Guarantee: whatever losses lie in some range of length epsilon, need at every target e at most
        the delta (e^(epsilon/2) - e^(e/2))^2 / (e^epsilon - 1) of this pair, so that it stands in
        for them in adaptive composition too.  The loss has the density e^((epsilon + x) / 2) / (2
        (e^epsilon - 1)) on -epsilon .. epsilon.
    Needs: epsilon > 0.
    Reference: Dong, Durfee and Rogers 2020 for the worst pairs; Zhu, Dong and Wang 2022, Theorem
        10, for composition.  Proof: loss.md.
    """

    epsilon: float
    blur: float = 0.0

    @property
    def spacing(self) -> float | None:
        return None

    @property
    def largest(self) -> float:
        return self.epsilon

    def span(self, smallest: float) -> float:  # noqa: ARG002 - nothing is left above
        return 2 * self.epsilon

    def cells(self, step: float, smallest: float) -> Cells:  # noqa: ARG002 - nothing is left above
        count = math.ceil(2 * self.epsilon / step)
        edges = -self.epsilon + np.arange(count + 1) * step
        mass, other = self.between(edges)
        return cells_between(step, edges, mass, other, above=0.0, below=0.0)

    def reach(self, smallest: float) -> tuple[float, float]:  # noqa: ARG002 - nothing lies beyond
        return -self.epsilon, self.epsilon

    def between(self, ends: Floats) -> tuple[Floats, Floats]:
        inside = np.clip(ends, -self.epsilon, self.epsilon)
        width, most = np.diff(inside), -math.expm1(-self.epsilon)
        mass = np.exp((inside[:-1] - self.epsilon) / 2) * np.expm1(width / 2) / most
        other = -np.exp((-self.epsilon - inside[:-1]) / 2) * np.expm1(-width / 2) / most
        return mass, other

    def tails(self, epsilon: float) -> tuple[float, float]:
        mass, other = self.between(np.array([epsilon, np.inf]))
        return float(mass[0]), float(other[0])
