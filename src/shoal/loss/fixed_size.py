"""Losses of releases from a sample of fixed size, from the losses of the release itself, for rows
that change.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from shoal.loss.bounded_range import BoundedRangeLoss
from shoal.loss.cells import Cells, Floats
from shoal.loss.discrete_normal import DiscreteNormalLoss
from shoal.loss.loss_sources import (
    AtomicLoss,
    LaplaceLoss,
    NormalLoss,
    cells_between,
    normal_masses,
)
from shoal.loss.sampled import SampledLoss
from shoal.loss.sampled_normal import SampledNormalLoss
from shoal.loss.tails import KnownTails

Symmetric = NormalLoss | LaplaceLoss | BoundedRangeLoss | DiscreteNormalLoss
"""Losses of two laws that a reflection exchanges."""


@dataclass(frozen=True)
class FixedSizeLoss(KnownTails):
    """The loss of a release from a sample of fixed size, of a share q of all rows.

    Above 0 it is the loss of a Poisson sample of rate q that had the person in it (``half``), below
    0 the mirror image of that, and ``middle`` is the mass at 0.  ``zero`` is where the inner
    coordinate of ``half`` has loss 0, and nothing but ``middle`` lies within ``empty`` of it.

    Guarantee: the pair dominates the sampled release, for rows that change, if the pair inside of
        ``half`` dominates the release for rows that change, in both directions.
    Needs: a pair inside whose mirror image has the same losses.
    Edges: from 0 on, one release attains it where rows that are not in the sample are like the new
        value of the changed row.  No two neighbours attain it on both sides of 0, so several
        releases need less.
    Reference: Balle, Barthe and Gaboardi 2018, Theorems 2 and 9; Zhu, Dong and Wang 2022, for
        subsets.  Proof: loss.md.
    """

    half: SampledNormalLoss | SampledLoss
    zero: float
    middle: float
    empty: float = 0.0

    @property
    def spacing(self) -> float | None:
        return None if self.largest == math.inf else self.largest

    @property
    def largest(self) -> float:
        return self.half.largest

    @property
    def moved(self) -> float:
        return float(getattr(self.half, "moved", 0.0))

    def span(self, smallest: float) -> float:
        low, high = self.rising(np.array(self.inner_reach(smallest)))
        return float(high - low)

    def cells(self, step: float, smallest: float) -> Cells:
        count = math.ceil(self.span(smallest) / 2 / step) + 1
        edges: Floats = step * np.arange(-count, count + 1)
        ends, left = self.inner_at(edges), smallest
        if self.largest < math.inf:
            ends[0], ends[-1], left = -np.inf, np.inf, 0.0
        found = cells_between(step, edges, *self.masses(ends), above=left, below=left)
        return replace(found, blur=self.moved)

    def tails(self, epsilon: float) -> tuple[float, float]:
        ends = np.append(self.inner_at(np.array([epsilon])), np.inf)
        mass, other = self.masses(ends)
        return float(mass[0]), float(other[0])

    @property
    def mirrored(self) -> bool:
        return False

    @property
    def slope(self) -> float:
        return self.half.slope

    def inner_reach(self, smallest: float) -> tuple[float, float]:
        high = self.half.inner_reach(smallest)[1] - self.zero
        if self.largest < math.inf:
            high *= 1 + 1e-9  # an atom at either end lies inside the last cell, and not at its edge
        return -high, high

    def rising(self, inner: Floats) -> Floats:
        losses: Floats = np.copysign(self.half.rising(self.zero + np.abs(inner)), inner)
        return losses

    def inner_at(self, rising: Floats) -> Floats:
        ends: Floats = np.copysign(self.half.inner_at(np.abs(rising)) - self.zero, rising)
        return ends

    def masses(self, ends: Floats) -> tuple[Floats, Floats]:
        mass, other = self.half.masses(self.zero + np.maximum(ends, self.empty))
        mixed, plain = self.half.masses(self.zero + np.maximum(-ends[::-1], self.empty))
        mass, other = mass + plain[::-1], other + mixed[::-1]
        here = int(np.searchsorted(ends, 0.0, side="right")) - 1
        if 0 <= here < len(mass):
            mass[here] += self.middle
            other[here] += self.middle
        return mass, other


def fixed_size_loss(source: Symmetric | AtomicLoss, rate: float) -> FixedSizeLoss | AtomicLoss:
    """The loss of a sample of fixed size, of this share of all rows, from that of a release that is
    symmetric.

    Needs: 0 < rate < 1; no infinite loss.
    """
    if isinstance(source, AtomicLoss):
        return _of_atoms(source, rate)
    if isinstance(source, NormalLoss):
        apart = 2 * float(normal_masses(np.array([0.0, source.mu / 2]))[0])
        half = SampledNormalLoss(rate, source.mu, removed=True)
        return FixedSizeLoss(half, source.mu / 2, (1 - rate) * apart)
    pair = SampledLoss(source, rate, removed=True)
    if isinstance(source, LaplaceLoss):
        return FixedSizeLoss(pair, 0.0, (1 - rate) * -math.expm1(-source.epsilon / 2))
    if isinstance(source, BoundedRangeLoss):
        return FixedSizeLoss(pair, 0.0, (1 - rate) * math.tanh(source.epsilon / 4))
    # the variation distance is what P gives to losses above 0 and up to the loss of one shift
    aside = source.shift / source.square / 4
    ends = np.array([-aside, aside, source.shift**2 / source.square + aside])
    at_zero, apart = map(float, source.between(ends)[0])
    return FixedSizeLoss(pair, 0.0, at_zero + (1 - rate) * apart, aside)


def _of_atoms(source: AtomicLoss, rate: float) -> AtomicLoss:
    atoms, middle = [], []
    for loss, mass in source.atoms:
        if loss > 0:
            sampled, plain = math.log1p(rate * math.expm1(loss)), mass * math.exp(-loss)
            atoms += [(sampled, (1 - rate) * plain + rate * mass), (-sampled, plain)]
            middle.append((1 - rate) * mass * -math.expm1(-loss))
        elif loss == 0:
            middle.append(mass)
    atoms.append((0.0, math.fsum(middle)))
    unit = atoms[0][0] if len(atoms) == 3 else None
    return AtomicLoss(tuple(atoms), unit=unit)
