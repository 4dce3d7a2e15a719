"""Independent losses as twins with their copies: moments of their sum, and its characteristic
function with a bound on what floats lose.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from shoal.loss.cells import RELATIVE_ERROR, UNIT, Complexes, Floats, dot
from shoal.loss.characteristic_functions import NormalWave
from shoal.loss.fine_cells import Twin
from shoal.loss.nonuniform import nodes_away

LEAST = 1e-300
_PER_LEVEL = 8.0
_HALF = 0.5


@dataclass(frozen=True)
class Circle:
    """The frequencies 2 pi k / ``arc`` for k below ``count``; the lattice has ``size`` points
    around the circle, or 0 where its steps are too long to close one.
    """

    arc: float
    size: int
    count: int


class SummedLaws(Protocol):
    """A measure of sums of losses: all of them, or those that a line is taken for."""

    @property
    def slack(self) -> float:
        """What errors of the masses, and masses left out, can change the logarithm of delta by."""

    def cumulant(self, tilt: float) -> float:
        """The logarithm of the integral of exp(tilt * sum); infinite beyond the floats."""

    def cumulants(self, tilt: float, doublings: int) -> Floats:
        """About the same at this tilt, twice it, four times it and so on; nothing rests on
        these.
        """

    def spectrum(self, tilt: float, circle: Circle) -> tuple[Complexes, Floats]:
        """The characteristic function of the weighted and normed measure, and how far each value
        can be off.
        """

    def doubt(self, tilt: float) -> float:
        """What floats can move `cumulant` by, beside the slack."""


@dataclass(frozen=True)
class Laws:
    """Independent losses: twins with their copies, and one normal loss; a measure of less than
    all sums has the logarithm of its mass.
    """

    twins: Sequence[tuple[Twin, int]]
    mu: float
    log_mass: float = 0.0

    def cumulant(self, tilt: float) -> float:
        found = self.log_mass + NormalWave(self.mu, tilt).log_moment
        return found + sum(copies * twin.log_moment(tilt) for twin, copies in self.twins)

    def cumulants(self, tilt: float, doublings: int) -> Floats:
        found = np.array([NormalWave(self.mu, tilt * 2.0**k).log_moment for k in range(doublings)])
        found += self.log_mass
        for twin, copies in self.twins:
            found += copies * np.array(twin.log_moments(tilt, doublings))
        return found

    @property
    def slack(self) -> float:
        return sum(copies * (3 * RELATIVE_ERROR + twin.infinite) for twin, copies in self.twins)

    def doubt(self, tilt: float) -> float:
        return 16 * UNIT * (1 + abs(self.cumulant(tilt)) + abs(self.log_mass))

    def spectrum(self, tilt: float, circle: Circle) -> tuple[Complexes, Floats]:
        logs, doubts = normal_logs(self.mu, tilt, circle)
        moved = np.abs(logs)
        for twin, copies in self.twins:
            more, off = power_of(*away_from_one(twin, tilt, circle), copies)
            logs, doubts = logs + more, doubts + off
            moved += np.abs(more)
        doubts += (16 + len(self.twins)) * UNIT * (4 + moved)
        values: Complexes = np.exp(logs)
        sizes = np.abs(values)
        # the difference of two powers, or where little is known of it the sum of their sizes
        unsure = np.exp(np.minimum(logs.real + doubts, 0.0)) + sizes
        return values, np.where(doubts < 1, sizes * np.expm1(np.minimum(doubts, 1.0)), unsure)


def normal_logs(mu: float, tilt: float, circle: Circle) -> tuple[Complexes, Floats]:
    """Logarithms of the characteristic function of a normal loss, and how far each can be off."""
    if not mu:
        return np.zeros(circle.count, dtype=np.complex128), np.zeros(circle.count)
    return NormalWave(mu, tilt).spectrum(2 * math.pi / circle.arc, circle.count)


def power_of(away: Complexes, off: Floats, copies: int) -> tuple[Complexes, Floats]:
    """The logarithm of the power of 1 + ``away``, and how far it can be off: (|F| + d)^n is |F|^n
    times the exponential of that.
    """
    sizes = np.maximum(np.abs(1 + away), LEAST)
    logs = log_one_plus(away)
    return copies * logs, copies * np.log1p((off + 8 * UNIT * np.abs(away)) / sizes)


def log_one_plus(away: Complexes) -> Complexes:
    """ln(1 + z), as exact as z is small."""
    sizes = np.maximum(np.abs(1 + away), LEAST)
    # |1 + z|^2 - 1, without the 1, unless nearly nothing is left of it
    grown = np.maximum(2 * away.real + away.real**2 + away.imag**2, -1 + UNIT)
    logs = np.empty(len(away), dtype=np.complex128)
    logs.real = np.where(sizes < _HALF, np.log(sizes), np.log1p(grown) / 2)
    logs.imag = np.arctan2(away.imag, 1 + away.real)
    return logs


def away_from_one(twin: Twin, tilt: float, circle: Circle) -> tuple[Complexes, Floats]:
    """The characteristic function of a weighted twin less 1, and how far each value can be off.

    Taken less 1 from the start, it is as exact as it is small: a loss that is nearly always nearly
    0 can be repeated millions of times.
    """
    arc, size, count = circle.arc, circle.size, circle.count
    total = math.exp(-twin.log_moment(tilt))
    nodes = twin.masses * np.exp(tilt * twin.nodes) * total
    lattice = twin.weights * np.exp(tilt * twin.lattice) * total
    places = twin.nodes
    if not size:
        nodes, places = np.concatenate([nodes, lattice]), np.concatenate([places, twin.lattice])
    turns = 2 * math.pi / arc * np.arange(count)
    away, off = nodes_away(nodes, places, arc, count)
    moved = np.minimum(2.0 * float(nodes.sum()), turns * dot(nodes, np.abs(places)))
    off += 8 * UNIT * (1 + tilt * float(np.abs(places).max(initial=0.0))) * moved
    if size and twin.weights.any():
        turned = _lattice_at(lattice, size, count) * np.exp(1j * turns * twin.origin)
        away += turned - lattice.sum()
        levels = _PER_LEVEL * math.log2(size) + 2 * turns * abs(twin.origin)
        off += UNIT * levels * float(lattice.sum())
        off += UNIT * dot(lattice, 8 * (1 + tilt * np.abs(twin.lattice)))
    return away, off


def _lattice_at(weights: Floats, size: int, count: int) -> Complexes:
    """The transform of a lattice, from its first point, at so many frequencies; it repeats around
    the circle.
    """
    rounds = -(-len(weights) // size)
    padded = np.zeros(rounds * size)
    padded[: len(weights)] = weights
    half = np.conj(np.fft.rfft(padded.reshape(rounds, size).sum(axis=0)))
    places = np.arange(count) % size
    # A transform of real weights has conjugate halves, and `rfft` returns the first half only.
    behind = places > size // 2
    found: Complexes = half[np.where(behind, size - places, places)]
    return np.where(behind, np.conj(found), found)
