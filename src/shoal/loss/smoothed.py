"""Many independent losses added up along a line of the complex plane, with a payoff that is
smoothed so that the sum ends.

`saddle_point` needs losses that fade together.  A release from a small sample hardly does: nearly
all of its loss lies in one place.  Here the payoff fades instead (`kernel`), and the losses are
twins of fine cells and a lattice (`fine_cells`), one twin for either side.  The proof is in
loss.md, *Smoothing*.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from shoal.floats import quick_length
from shoal.loss.cells import RELATIVE_ERROR, UNIT, Complexes, Floats, dot
from shoal.loss.characteristic_functions import NormalWave
from shoal.loss.fine_cells import Twin
from shoal.loss.kernel import Kernel, NormalKernel
from shoal.loss.nonuniform import nodes_away

_PER_LEVEL = 8.0
_FEWEST = 64
"""A circle of fewer steps is not closed by the lattice: its points are then places like any other.
"""
_NEWTON = 40
_CLOSE = 1e-10
_PADS = 14
_ARCS = 32
_ADDED = 128
"""Units that a pairwise sum of turned terms can be off by: blocks of 128 in eight rows, and as many
levels as there are.
"""
_LEAST = 1e-300
_LARGE = 600.0
_HALF = 0.5


@dataclass(frozen=True)
class Laws:
    """Independent losses: twins with their copies, and one normal loss."""

    twins: Sequence[tuple[Twin, int]]
    mu: float

    def cumulant(self, tilt: float) -> float:
        """K at a tilt; infinite beyond the floats."""
        found = NormalWave(self.mu, tilt).log_moment
        return found + sum(copies * twin.log_moment(tilt) for twin, copies in self.twins)

    def cumulants(self, tilt: float, doublings: int) -> Floats:
        """About K at this tilt, twice it, four times it and so on; nothing rests on these."""
        found = np.array([NormalWave(self.mu, tilt * 2.0**k).log_moment for k in range(doublings)])
        for twin, copies in self.twins:
            found += copies * np.array(twin.log_moments(tilt, doublings))
        return found

    @property
    def slack(self) -> float:
        """What errors of the masses, and masses left out, can change the logarithm of delta by."""
        return sum(copies * (3 * RELATIVE_ERROR + twin.infinite) for twin, copies in self.twins)

    @property
    def infinite(self) -> float:
        """A bound on the probability that some loss is infinite."""
        return sum(copies * twin.infinite for twin, copies in self.twins)


@dataclass(frozen=True)
class Setting:
    """Where and how finely the sum is taken; ``aside`` are tilts that tell what it counts in beside
    delta.
    """

    tilt: float
    arc: float
    step: float
    kernel: Kernel | NormalKernel
    frequency: float
    aside: tuple[float, float]

    @cached_property
    def size(self) -> int:
        """Points of the lattice around the circle; 0 where its steps are too long to close one."""
        if self.arc < _FEWEST * self.step:
            return 0
        return quick_length(math.ceil(self.arc / self.step))

    @property
    def closed_arc(self) -> float:
        """The arc, lengthened to whole steps where the lattice closes a circle."""
        return self.size * self.step if self.size else self.arc

    @property
    def count(self) -> int:
        """Terms of the sum."""
        return math.ceil(self.frequency * self.closed_arc / (2 * math.pi)) + 2


class SmoothedLine:
    """The terms of the sum for one side, ``up`` or not, and what they can be off by, in units of
    exp(K(t) - t e).
    """

    def __init__(self, laws: Laws, setting: Setting, *, up: bool) -> None:
        self._laws, self._setting, self._up = laws, setting, up
        self._tilt, kernel = setting.tilt, setting.kernel
        self._cumulant = laws.cumulant(self._tilt)
        self._arc, count = setting.closed_arc, setting.count
        spacing = 2 * math.pi / self._arc
        self._turns = spacing * np.arange(count)
        logs, doubts = self._logs(setting.size, count)
        orders: Complexes = (self._tilt + 1j * self._turns).astype(np.complex128)
        payoff = kernel.payoff(orders)
        last = float(self._turns[-1])
        beyond = kernel.payoff_beyond(self._tilt, last)
        if not up:
            assert isinstance(kernel, Kernel)
            payoff -= kernel.cover(orders)
            beyond += kernel.cover_beyond(self._tilt, last)
        payoff *= spacing / math.pi
        payoff[0] /= 2
        self._terms: Complexes = np.exp(logs) * payoff
        sizes, shares = np.abs(self._terms), np.abs(payoff)
        doubts += 16 * UNIT * (4 + np.abs(logs))
        # the difference of two powers, or where little is known of it the sum of their sizes
        unsure = shares * np.exp(np.minimum(logs.real + doubts, 0.0)) + sizes
        surely = sizes * np.expm1(np.minimum(doubts, 1.0))
        off = np.where(doubts < 1, surely, unsure)
        self._off = beyond + float(off.sum()) + _ADDED * UNIT * float(sizes.sum())
        self._turning = 8 * UNIT * dot(sizes, self._turns)
        self._leave_out_faint(sizes)
        self._aside = [(r, laws.cumulant(r)) for r in setting.aside]

    def _leave_out_faint(self, sizes: Floats) -> None:
        """Without the last terms, where all of them together are less than round-off; their sizes
        count as doubt.
        """
        rest = np.cumsum(sizes[::-1])[::-1]
        heard = max(2, int(np.count_nonzero(rest > UNIT * rest[0])))
        self._off += 2 * float(rest[heard:][:1].sum())
        self._terms, self._turns = self._terms[:heard], self._turns[:heard]

    def _logs(self, size: int, count: int) -> tuple[Complexes, Floats]:
        """Logarithms of the product of characteristic functions, and how far each can be off."""
        logs, doubts = np.zeros(count, dtype=np.complex128), np.zeros(count)
        if self._laws.mu:
            more, off = NormalWave(self._laws.mu, self._tilt).spectrum(
                2 * math.pi / self._arc, count
            )
            logs, doubts = logs + more, doubts + off
        for twin, copies in self._laws.twins:
            away, off = _away_from_one(twin, self._tilt, size, self._arc, count)
            sizes = np.maximum(np.abs(1 + away), _LEAST)
            # |1 + z|^2 - 1, without the 1, unless nearly nothing is left of it
            grown = np.maximum(2 * away.real + away.real**2 + away.imag**2, -1 + UNIT)
            logs.real += copies * np.where(sizes < _HALF, np.log(sizes), np.log1p(grown) / 2)
            logs.imag += copies * np.arctan2(away.imag, 1 + away.real)
            # (|F| + d)^n is |F|^n times the exponential of this
            doubts += copies * np.log1p((off + 8 * UNIT * np.abs(away)) / sizes)
        return logs, doubts

    def bulk(self, epsilon: float) -> tuple[float, float]:
        """The sum, and how fast it falls."""
        terms = self._terms * np.exp(-1j * self._turns * epsilon)
        return float(terms.real.sum()), -dot(self._turns, terms.imag)

    def log_delta(self, epsilon: float) -> float:
        """The logarithm of delta, to the side of the line; minus infinity where nothing is sure."""
        inside, off = self.bulk(epsilon)[0], self._off + self._turning * abs(epsilon)
        inside = inside + off if self._up else inside - off - self._beside(epsilon)
        if inside <= 0:
            return -math.inf
        shift = self._tilt * epsilon
        doubt = self._laws.slack + 16 * UNIT * (1 + abs(self._cumulant) + abs(shift))
        return self._cumulant - shift + math.log(inside) + (doubt if self._up else -doubt)

    def _beside(self, epsilon: float) -> float:
        """A bound on what the sum counts in beside delta, by Chernoff at the tilts aside."""
        total = 0.0
        for other, cumulant in self._aside:
            exponent = cumulant - self._cumulant - (other - self._tilt) * epsilon
            assert isinstance(self._setting.kernel, Kernel)
            exponent += other * self._setting.kernel.reach
            apart = abs(other - self._tilt) * self._arc
            total += math.exp(min(_LARGE, exponent - apart - math.log(-math.expm1(-apart))))
        return total

    def told(self, epsilon: float) -> tuple[float, float]:
        """About the logarithm of delta, and how fast it falls; minus infinity where nothing is
        heard.
        """
        value, falling = self.bulk(epsilon)
        if value <= 0:
            return -math.inf, 0.0
        return self._cumulant - self._tilt * epsilon + math.log(value), self._tilt + falling / value

    def _about(self, wanted: float, near: float) -> float | None:
        """About where the logarithm of delta is the wanted one: arc by arc from ``near`` down.

        Near 0 the bump that is taken off can hide delta, so the lower side takes the last place
        before ``near``, and not the first.
        """
        size = 1 << (2 * len(self._terms) - 1).bit_length()
        start = near - 0.9 * self._arc
        for _ in range(_ARCS):
            start = max(0.0, start)
            # One transform gives the sum at every epsilon of the arc; asking for each would cost
            # as many sums.
            values = np.fft.fft(self._terms * np.exp(-1j * self._turns * start), size).real
            epsilons = start + np.arange(size) * (self._arc / size)
            logs = np.log(np.maximum(values, _LEAST)) + self._cumulant - self._tilt * epsilons
            if self._up:
                places = np.flatnonzero(logs <= wanted)[:1] - 1
            else:
                places = np.flatnonzero((logs > wanted) & (epsilons <= near))[-1:]
            if len(places) and (places[0] > 0 or start == 0):
                return float(epsilons[max(0, places[0])])
            if start == 0:
                return None
            start -= 0.8 * self._arc
        return None

    def solved(
        self, wanted: float, near: float, *, closely: bool = False
    ) -> tuple[float, float] | None:
        """By Newton's method, where the logarithm is the wanted one, and its slope; nothing rests
        on it.

        Where ``near`` is close to it, an FFT over the whole arc is saved.
        """
        if closely and (found := self._newton(wanted, near)) is not None:
            return found
        epsilon = self._about(wanted, near)
        return None if epsilon is None else self._newton(wanted, epsilon)

    def _newton(self, wanted: float, epsilon: float) -> tuple[float, float] | None:
        for _ in range(_NEWTON):
            told, slope = self.told(epsilon)
            if slope <= 0:
                return None
            above = told - wanted
            heard = self._off * math.exp(self._cumulant - self._tilt * epsilon - told)
            if abs(above) < _CLOSE * max(1.0, abs(wanted)) + heard:
                return epsilon, slope
            epsilon += above / slope
        return None

    def enclosed(self, wanted: float, found: float, slope: float) -> float | None:
        """The epsilon to this side of the truth, checked; 0 where none is needed."""
        sign = 1 if self._up else -1
        value = self.bulk(found)[0]
        off = self._off + self._turning * abs(found) + (0.0 if self._up else self._beside(found))
        doubt = _CLOSE * max(1.0, abs(wanted)) + 1.05 * (
            self._laws.slack + off / max(value, _LEAST)
        )
        pad = max(doubt / slope, 4 * UNIT * abs(found))
        for _ in range(_PADS):
            epsilon = found + sign * pad
            if epsilon <= 0 and not self._up:
                return 0.0
            reached = self.log_delta(max(0.0, epsilon))
            if (reached <= wanted) if self._up else (reached >= wanted):
                return max(0.0, epsilon)
            # The first pad is an estimate by the slope; only the check above counts, so a pad
            # that fails is lengthened.
            pad = 1.5 * pad
        return None


def _away_from_one(
    twin: Twin, tilt: float, size: int, arc: float, count: int
) -> tuple[Complexes, Floats]:
    """The characteristic function of a weighted twin less 1, and how far each value can be off.

    Taken less 1 from the start, it is as exact as it is small: a loss that is nearly always nearly
    0 can be repeated millions of times.
    """
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
