"""Losses of releases from a Poisson sample, from the losses of the release itself.

Let P and Q be the laws with and without a person, l = ln(P / Q), and q the rate.  From a sample
they are (1 - q) Q + q P and Q, so that at a point of loss l the loss is ln(1 - q + q e^l), or its
negative the other way round.  The pair inside is one that dominates the release both ways, as all
symmetric ones here do.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from shoal.loss.cells import Cells, Floats
from shoal.loss.loss_sources import AtomicLoss, cells_between
from shoal.loss.tails import KnownTails

_LARGE = 600.0


class LossPair(Protocol):
    """Two laws P and Q, known by what they give to any range of their loss."""

    @property
    def largest(self) -> float: ...

    @property
    def blur(self) -> float: ...

    def reach(self, smallest: float) -> tuple[float, float]:
        """Losses below and above which each law has at most ``smallest``, and nothing where losses
        are bounded.
        """

    def between(self, ends: Floats) -> tuple[Floats, Floats]:
        """The masses of P and of Q on losses from each end, inclusive, up to the next."""


@dataclass(frozen=True)
class SampledLoss(KnownTails):
    """The loss of a pair under Poisson sampling with ``rate``.

    With ``removed`` the mixture is compared with the plain law Q (the person was there), else the
    other way round.

    Guarantee: the pair dominates the sampled release in its direction if the pair inside dominates
        the release in both.
    Needs: 0 < rate < 1; a pair whose mirror image (Q, P) has the same losses.
    Reference: Zhu, Dong and Wang 2022, Theorem 11.  Proof: loss.md.
    """

    pair: LossPair
    rate: float
    removed: bool

    @property
    def spacing(self) -> float | None:
        return None if self.pair.largest == math.inf else self.span(0.5)

    @property
    def largest(self) -> float:
        low, high = -self.pair.largest, self.pair.largest
        return self._loss(high) if self.removed else -self._loss(low)

    def span(self, smallest: float) -> float:
        low, high = self.pair.reach(smallest)
        return self._loss(high) - self._loss(low)

    def cells(self, step: float, smallest: float) -> Cells:
        low, high = (self._loss(end) for end in self.pair.reach(smallest))
        count = math.floor((high - low) / step * (1 + 1e-12)) + 1
        edges = low + np.arange(count + 1) * step
        first, plain = self.pair.between(self._inside(edges))
        mixed = (1 - self.rate) * plain + self.rate * first
        left = 0.0 if self.pair.largest < math.inf else smallest
        if self.removed:
            found = cells_between(step, edges, mixed, plain, above=left, below=left)
        else:
            mirrored = (-edges[::-1], plain[::-1], mixed[::-1])
            found = cells_between(step, *mirrored, above=left, below=left)
        return replace(found, blur=self.moved)

    @property
    def moved(self) -> float:
        """How far the sampled loss can lie from where it is put: less than the one inside, as it
        rises more slowly.
        """
        if self.pair.largest == math.inf:
            return self.pair.blur
        slope = -math.expm1(math.log1p(-self.rate) - self._loss(self.pair.largest))
        return self.pair.blur * min(1.0, slope * (1 + 1e-9))

    @property
    def unlisted(self) -> float:
        return float(getattr(self.pair, "unlisted", 0.0))

    def tails(self, epsilon: float) -> tuple[float, float]:
        turn = math.expm1(epsilon if self.removed else -epsilon) / self.rate
        inside = math.log1p(turn) if turn > -1 else -math.inf
        ends = [inside, math.inf] if self.removed else [-math.inf, inside]
        first, plain = (float(mass[0]) for mass in self.pair.between(np.array(ends)))
        mixed = (1 - self.rate) * plain + self.rate * first
        return (mixed, plain) if self.removed else (plain, mixed)

    @property
    def mirrored(self) -> bool:
        return not self.removed

    @property
    def slope(self) -> float:
        return 1.0

    def inner_reach(self, smallest: float) -> tuple[float, float]:
        return self.pair.reach(smallest)

    def rising(self, inner: Floats) -> Floats:
        inside = np.clip(inner, -self.pair.largest, self.pair.largest)
        near = np.log1p(self.rate * np.expm1(np.minimum(inside, _LARGE)))
        losses: Floats = np.where(inside > _LARGE, inside + math.log(self.rate), near)
        return losses

    def inner_at(self, rising: Floats) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            near = np.log1p(np.expm1(np.minimum(rising, _LARGE)) / self.rate)
        ends: Floats = np.where(rising > _LARGE, rising - math.log(self.rate), near)
        return ends

    def masses(self, ends: Floats) -> tuple[Floats, Floats]:
        first, plain = self.pair.between(ends)
        return (1 - self.rate) * plain + self.rate * first, plain

    def _loss(self, inside: float) -> float:
        """ln(1 - q + q e^l)."""
        if inside > 700:
            return inside + math.log(self.rate)
        return math.log1p(self.rate * math.expm1(inside))

    def _inside(self, edges: Floats) -> Floats:
        """The losses of the pair at which the sampled loss is at these edges; the ends hold all
        that lies beyond.
        """
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            ends = np.log1p(np.expm1(edges) / self.rate)
        ends = np.where(edges > 600, edges - math.log(self.rate), ends)
        ends[0] = -np.inf
        if self.pair.largest < math.inf:
            ends[-1] = np.inf
        ends[np.isnan(ends)] = -np.inf  # a rounding below the least loss
        rising: Floats = np.maximum.accumulate(ends)
        return rising


def sampled_atoms(inside: AtomicLoss, rate: float, *, removed: bool) -> AtomicLoss:
    """The loss of finitely many atoms under Poisson sampling; as `SampledLoss`.

    Needs: no infinite loss inside; a mirror image with the same atoms.
    """
    atoms = []
    for loss, mass in inside.atoms:
        sampled, plain = math.log1p(rate * math.expm1(loss)), mass * math.exp(-loss)
        atoms.append((sampled, (1 - rate) * plain + rate * mass) if removed else (-sampled, plain))
    places = sorted(loss for loss, _ in atoms)
    return AtomicLoss(tuple(atoms), unit=places[1] - places[0] if len(places) == 2 else None)
