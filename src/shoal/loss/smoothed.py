"""Many independent losses added up along a line of the complex plane, with a payoff that is
smoothed so that the sum ends.

`saddle_point` needs losses that fade together.  A release from a small sample hardly does: nearly
all of its loss lies in one place.  Here the payoff fades instead (`smoothed_payoff`), and the losses are
twins of fine cells and a lattice (`fine_cells`), one twin for either side.  The proof is in
loss.md, *Smoothing*.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from shoal.floats import quick_length
from shoal.loss.cells import UNIT, Complexes, Floats, dot
from shoal.loss.smoothed_payoff import Kernel, NormalKernel
from shoal.loss.summed_laws import LEAST, Circle, SummedLaws

_FEWEST = 64
"""A circle of fewer steps is not closed by the lattice: its points are then places like any other.
"""
_ARCS = 32
_ADDED = 128
"""Units that a pairwise sum of turned terms can be off by: blocks of 128 in eight rows, and as many
levels as there are.
"""
_PAYOFF = 64
"""Units that a term can be off by, beside its characteristic function."""
_LARGE = 600.0


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

    def __init__(self, laws: SummedLaws, setting: Setting, *, up: bool) -> None:
        self._laws, self._setting, self._up = laws, setting, up
        self._tilt, kernel = setting.tilt, setting.kernel
        self._cumulant = laws.cumulant(self._tilt)
        self._doubt = laws.slack + laws.doubt(self._tilt)
        self._arc, count = setting.closed_arc, setting.count
        spacing = 2 * math.pi / self._arc
        self._turns = spacing * np.arange(count)
        values, doubts = laws.spectrum(self._tilt, Circle(self._arc, setting.size, count))
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
        self._terms: Complexes = values * payoff
        sizes = np.abs(self._terms)
        off = beyond + dot(np.abs(payoff), doubts)
        self._off = off + (_ADDED + _PAYOFF) * UNIT * float(sizes.sum())
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
        doubt = self._doubt + 16 * UNIT * abs(shift)
        return self._cumulant - shift + math.log(inside) + (doubt if self._up else -doubt)

    def _beside(self, epsilon: float) -> float:
        """A bound on what the sum counts in beside delta, by Chernoff at the tilts aside."""
        total = 0.0
        for other, cumulant in self._aside:
            exponent = cumulant - self._cumulant - (other - self._tilt) * epsilon
            assert isinstance(self._setting.kernel, Kernel)
            exponent += other * self._setting.kernel.reach + 2 * self._doubt
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

    def log_off(self, epsilon: float) -> float:
        """The logarithm of what the sum can be off by."""
        return self._cumulant - self._tilt * epsilon + math.log(max(self._off, LEAST))

    def about(self, wanted: float, near: float) -> float | None:
        """About where the logarithm of delta is the wanted one: arc by arc from ``near`` down.

        Far below, round-off can hide delta, and near 0 the bump that is taken off: so it is the last
        place that counts, of the lower side the last before ``near``.
        """
        size = 1 << (2 * len(self._terms) - 1).bit_length()
        start = near - 0.9 * self._arc
        for _ in range(_ARCS):
            start = max(0.0, start)
            # One transform gives the sum at every epsilon of the arc; asking for each would cost
            # as many sums.
            values = np.fft.fft(self._terms * np.exp(-1j * self._turns * start), size).real
            epsilons = start + np.arange(size) * (self._arc / size)
            logs = np.log(np.maximum(values, LEAST)) + self._cumulant - self._tilt * epsilons
            above = logs > wanted
            if not self._up:
                above &= epsilons <= near
            places = np.flatnonzero(above)[-1:]
            if len(places) and (places[0] > 0 or start == 0):
                return float(epsilons[places[0]])
            if start == 0:  # from above, the root may lie below 0
                return 0.0 if self._up else None
            start -= 0.8 * self._arc
        return None
