"""Sums in which at least one loss is far from 0, apart from all others.

Millions of releases from tiny samples make a sum whose bulk is narrow and whose tail is long: a
delta of 10^-15 is decided by one or two losses that are large.  No tilt makes such a tail the main
part of the weighted law, so whatever floats lose on the bulk hides it.  Here each loss is near, at
most a threshold, or far.  Sums of near losses alone have a Chernoff bound far below delta, and the
line is taken for the sums with a far loss.  Proof: loss.md, *Near and far losses*.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from shoal.loss.cells import UNIT, Complexes, Floats
from shoal.loss.fine_cells import Twin
from shoal.loss.summed_laws import (
    LEAST,
    Circle,
    Laws,
    away_from_one,
    log_one_plus,
    normal_logs,
    power_of,
)

_MOST_RATIO = 1 / 16
"""Far losses of one release may weigh at most so much beside its near ones."""
_MOST_FAR = 40.0
"""So many far losses, weighted, are no longer the exception."""
_QUARTER, _HALF = 0.25, 0.5
_UNITS = 16 * UNIT
_LARGE = 700.0


@dataclass(frozen=True)
class FarLaws:
    """The sums of independent losses of which at least one is above a threshold; ``near`` are the
    others, and ``far`` has for each twin of theirs the losses above it, with the logarithm of their
    mass beside that of the near ones, or None.

    Guarantee: these sums and those of ``near`` are all sums, so their deltas add up.
    Needs: a tilt at which `cumulant` is finite.
    """

    near: Laws
    far: Sequence[tuple[Twin, float] | None]
    slack: float

    @classmethod
    def of(cls, laws: Laws, threshold: float) -> FarLaws:
        near, far, log_mass = [], [], 0.0
        for twin, copies in laws.twins:
            below, above = _cut_at(twin, threshold)
            mass = float(above.masses.sum()) + float(above.weights.sum())
            near.append((below.normed(), copies))
            far.append((above.normed(), math.log(mass / (1 - mass))) if mass else None)
            log_mass += copies * math.log1p(-mass)
        return cls(Laws(near, laws.mu, log_mass), far, laws.slack)

    @property
    def is_empty(self) -> bool:
        """Whether no loss is far."""
        return all(each is None for each in self.far)

    def _log_ratios(self, tilt: float) -> list[float]:
        """The logarithm of what far losses weigh beside near ones, for each that has some."""
        return [
            each[1] + each[0].log_moment(tilt) - twin.log_moment(tilt)
            for each, (twin, _) in zip(self.far, self.near.twins, strict=True)
            if each is not None
        ]

    def _more(self, tilt: float) -> float:
        """The logarithm of all sums over near ones, weighted; infinite where far losses are no
        exception.
        """
        copies = [n for each, (_, n) in zip(self.far, self.near.twins, strict=True) if each]
        ratios = self._log_ratios(tilt)
        if not all(ratio <= math.log(_MOST_RATIO) for ratio in ratios):
            return math.inf
        total = sum(n * math.log1p(math.exp(one)) for n, one in zip(copies, ratios, strict=True))
        return total if total <= _MOST_FAR else math.inf

    def cumulant(self, tilt: float) -> float:
        more = self._more(tilt)
        if math.isinf(more):
            return math.inf
        return self.near.cumulant(tilt) + (math.log(math.expm1(more)) if more else -math.inf)

    def cumulants(self, tilt: float, doublings: int) -> Floats:
        more = np.zeros(doublings)
        with np.errstate(all="ignore"):
            for each, (twin, copies) in zip(self.far, self.near.twins, strict=True):
                if each is not None:
                    ratio = np.array(each[0].log_moments(tilt, doublings)) + each[1]
                    ratio -= np.array(twin.log_moments(tilt, doublings))
                    more += copies * np.log1p(np.exp(ratio))
                    more[~(ratio <= math.log(_MOST_RATIO / 2))] = np.inf
            more[~(more <= _MOST_FAR / 2)] = np.inf
            found: Floats = self.near.cumulants(tilt, doublings) + np.log(np.expm1(more))
        found[~(found < np.inf)] = np.inf
        return found

    def doubt(self, tilt: float) -> float:
        size = 1 + max((abs(ratio) for ratio in self._log_ratios(tilt)), default=0.0)
        return self.near.doubt(tilt) + 4 * _UNITS * size * (1 + self._more(tilt))

    def spectrum(self, tilt: float, circle: Circle) -> tuple[Complexes, Floats]:
        found, ratios = _Product(*normal_logs(self.near.mu, tilt, circle)), self._log_ratios(tilt)
        for each, (twin, copies) in zip(self.far, self.near.twins, strict=True):
            found.multiply(*away_from_one(twin, tilt, circle), copies)
            if each is not None:
                found.add(*away_from_one(each[0], tilt, circle), ratios.pop(0))
        return found.in_units_of(math.expm1(self._more(tilt)))


def _cut_at(twin: Twin, threshold: float) -> tuple[Twin, Twin]:
    """The losses up to a threshold, and those above."""
    near, count = twin.nodes <= threshold, int(np.count_nonzero(twin.lattice <= threshold))
    above = twin.weights.copy()
    above[:count] = 0.0
    return (
        replace(
            twin,
            nodes=twin.nodes[near],
            masses=twin.masses[near],
            weights=twin.weights[:count] if count else np.zeros(1),
        ),
        replace(twin, nodes=twin.nodes[~near], masses=twin.masses[~near], weights=above),
    )


class _Product:
    """The product of (A + C)^n over all losses, less the product of A^n, in units of what the
    latter is at frequency 0; A are near losses and C far ones.
    """

    def __init__(self, logs: Complexes, doubts: Floats) -> None:
        self._logs, self._doubts = logs, doubts
        self._more, self._off = np.zeros(len(logs), dtype=np.complex128), np.zeros(len(logs))
        self._moved, self._most = np.abs(logs), np.zeros(len(logs))
        self._is_unsure, self._parts = np.zeros(len(logs), dtype=bool), 0

    def multiply(self, away: Complexes, off: Floats, copies: int) -> None:
        """By the near losses of one release, 1 + ``away`` within ``off``, so many times."""
        self._parts += 1
        power, doubt = power_of(away, off, copies)
        self._logs, self._doubts = self._logs + power, self._doubts + doubt
        self._moved += np.abs(power)
        self._base: Complexes = 1 + away
        self._copies, self._base_off = copies, off + 8 * UNIT * np.abs(away)
        sizes = np.abs(self._base)
        self._base_most = np.minimum(1.0, sizes + self._base_off)
        self._most += copies * np.log(np.maximum(self._base_most, LEAST))
        self._is_unsure |= (sizes < _HALF) | (self._base_off > _QUARTER * sizes)

    def add(self, away: Complexes, off: Floats, log_ratio: float) -> None:
        """Far losses of the same release, 1 + ``away`` within ``off``, and what they weigh beside
        the near ones.
        """
        ratio, off = math.exp(log_ratio), off + 8 * UNIT * (1 + np.abs(away))
        self._most += self._copies * np.log1p(ratio / np.maximum(self._base_most, LEAST))
        sizes = np.maximum(np.abs(self._base), _HALF)  # smaller ones are unsure
        share: Complexes = np.zeros(len(away), dtype=np.complex128)
        np.divide(ratio * (1 + away), self._base, out=share, where=~self._is_unsure)
        beside = 2 * ratio * (off + self._base_off / sizes) / sizes
        beside += _UNITS * (1 + abs(log_ratio)) * np.abs(share)
        self._is_unsure |= np.abs(share) + beside > _QUARTER
        grown = self._copies * log_one_plus(share)
        self._more += grown
        self._moved += np.abs(grown)
        self._off += self._copies * 2 * beside + _UNITS * np.abs(grown)

    def in_units_of(self, unit: float) -> tuple[Complexes, Floats]:
        """The product, and how far it can be off; where it is unsure, 0 and the most it can be."""
        summed = (16 + 2 * self._parts) * UNIT  # a unit for each sum, the others for the functions
        doubts, off = self._doubts + summed * (4 + self._moved), self._off + summed * self._moved
        unsure = self._is_unsure | (doubts > 1) | (off > 1)
        real, imaginary = self._more.real, self._more.imag
        less_one = np.expm1(real) * np.cos(imaginary) - 2 * np.sin(imaginary / 2) ** 2
        less_one = less_one + 1j * np.exp(real) * np.sin(imaginary)
        grown = np.exp(np.maximum(real, 0.0))
        moved = np.exp(real) * np.expm1(np.minimum(off, 1.0))
        moved += _UNITS * grown * (np.abs(real) + np.abs(imaginary))
        values = np.exp(self._logs)
        doubt = np.expm1(np.minimum(doubts, 1.0)) * (np.abs(less_one) + moved) + moved
        sure_off = np.abs(values) * doubt / unit
        most = np.minimum(1.0, 2 * np.exp(np.minimum(self._most, _LARGE)) / unit)
        return np.where(unsure, 0.0, values * less_one / unit), np.where(unsure, most, sure_off)
