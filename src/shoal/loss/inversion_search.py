"""Which line, how far apart its terms and how fine its cells: found from coarse to fine, until the
bracket is narrow.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from shoal.loss.cells import RELATIVE_ERROR, Floats, dot
from shoal.loss.fine_cells import FINE_ERROR, HasInner, Twin, of_atoms, twins
from shoal.loss.kernel import WIDEST, Kernel, NormalKernel
from shoal.loss.loss_sources import AtomicLoss, LossSource, NormalLoss, Sources
from shoal.loss.smoothed import Laws, Setting, SmoothedLine

_MOST_ATOMS = 256
_PASSES = 6
_MOST_CELLS = 1 << 17
_MOST_TERMS = 3 << 15
_LOST = 1e-6
"""Of delta, what may be left out of the losses, and of the sum."""
_LEAST_DELTA = 1e-30
_LEAST_SHARE = 5e-3
_LEAST_TILT, _HALVES, _OCTAVES = 2.0**-6, 18, 47
_TILTS: Floats = np.sort(
    np.concatenate(
        [
            _LEAST_TILT * np.exp2(np.arange(_OCTAVES)),
            _LEAST_TILT * math.sqrt(2) * np.exp2(np.arange(_HALVES)),
        ]
    )
)
_PAYOFFS: Floats = _TILTS * np.log(_TILTS) - (1 + _TILTS) * np.log1p(_TILTS)
"""The logarithm of the largest (1 - e^-y) e^(-tilt y)."""
_CLEAR = 18.0
"""The logarithm of how much less than delta the sum may count in beside it."""
_FAINT = -16.0
"""Below this logarithm of delta in units of the line, round-off begins to be heard."""
_COARSE_SHARE, _COARSE_CELLS, _FINEST_SHARE = 0.1, 2048, 1e-3
_SMOOTHING, _CUTTING = 0.5, 0.06
"""What smoothing may use of the tolerance, and what fine cells and the lattice may each: terms cost
more than cells.
"""
_COVERED = 7.0
"""The bump that covers the smoothing moves epsilon by about so many squares of its width, times how
steep delta is.
"""
_STEADY = 1.4
_LEAST_TURN = 0.5
_SIDES, _ROUNDED = 2, 1.2
_LEAST_SMOOTHING = 0.1
_FINER, _FINER_BY = 8, 2.0
_LEAST_AGAIN = 0.2
"""Cells are at most so much finer from one pass to the next: a wide bracket may have other causes.
"""
_BOLDLY = 0.6
"""A pass costs more than the cells that make it the last one."""
_WIDER = 1.5
_MOST_STEPS = 1 << 17
_SHARP = 2e-7
"""What the kernel of a sharpened line, its fine cells and its lattice may each move epsilon by."""
_BLUNT = 1e-6
"""Where floats move it by more than this, there is nothing to sharpen."""
_UNHEARD = 1e-8
_MOST_SHARP_TERMS = 3 << 15
_DEEP = 200.0
"""Losses so many times below 0, in units of 1 / tilt, are not heard: one cell will do."""


def can_smooth(sources: Sources) -> bool:
    """Whether every loss has fine cells, is normal, or has few values."""
    return all(
        isinstance(source, HasInner | NormalLoss)
        or (
            isinstance(source, AtomicLoss)
            and len(source.atoms) <= _MOST_ATOMS
            and not source.infinite
        )
        for source, _ in sources
    )


@dataclass(frozen=True)
class LocalSlope:
    """About where epsilon is, and how fast the logarithm of delta falls there."""

    epsilon: float
    slope: float

    def is_as_steep_as(self, before: LocalSlope) -> bool:
        return 1 / _STEADY < self.slope / before.slope < _STEADY


class LinePair:
    """The line of either side; the lower one only when asked for.

    They are ``limited`` where a narrower kernel would have more terms than are added up.
    """

    def __init__(self, above: Laws, below: Laws, setting: Setting, *, limited: bool) -> None:
        self.limited = limited
        self.above, self._laws, self._setting = (
            SmoothedLine(above, setting, up=True),
            below,
            setting,
        )
        self._below: SmoothedLine | None = None

    @property
    def count(self) -> int:
        """Terms of either line."""
        return self._setting.count

    def below(self) -> SmoothedLine:
        if self._below is None:
            self._below = SmoothedLine(self._laws, self._setting, up=False)
        return self._below


class LineSearch:
    """From coarse to fine: each pass learns from the last where epsilon is and how fast delta falls
    there.
    """

    def __init__(self, sources: Sources, lost: float) -> None:
        self._sources, self.lost = sources, lost
        self._smallest = lost / sum(copies for _, copies in sources)
        self._share, self._step, self._tilt = _COARSE_SHARE, self._first_step(), 1.0
        self._arc = 0.0
        self._finest, self._passes = self._step * _COARSE_CELLS / _MOST_CELLS, 0
        self._cut()

    @property
    def tilt(self) -> float:
        """Where the last line was taken: about how fast the logarithm of delta falls."""
        return self._tilt

    def _first_step(self) -> float:
        spans = []
        for source, _ in self._sources:
            if isinstance(source, HasInner):
                ends = source.rising(np.array(source.inner_reach(self._smallest)))
                spans.append(float(ends[1] - ends[0]))
        return max(spans, default=1.0) / _COARSE_CELLS

    def _cut(self) -> None:
        """The twins of all losses, as finely as it stands."""
        above, below = [], []
        for source, copies in self._sources:
            if not isinstance(source, NormalLoss):
                one, other = self._twins(source)
                above.append((one, copies))
                below.append((other, copies))
        mu = math.sqrt(
            sum(n * one.mu**2 for one, n in self._sources if isinstance(one, NormalLoss))
        )
        self._above, self._below = Laws(above, mu), Laws(below, mu)
        self._cumulants = self._above.cumulants(_LEAST_TILT, _OCTAVES)
        between = self._above.cumulants(_LEAST_TILT * math.sqrt(2), _HALVES)
        self._cumulants = np.insert(self._cumulants, np.arange(1, _HALVES + 1), between)

    def _twins(self, source: LossSource) -> tuple[Twin, Twin]:
        if isinstance(source, AtomicLoss):
            losses, masses = (np.array(each) for each in zip(*source.atoms, strict=True))
            both = of_atoms(losses, masses, self._step)
            return both, both
        assert isinstance(source, HasInner)
        return twins(source, self._share, self._step, self._smallest, lowest=-_DEEP / self._tilt)

    def renyi(self, wanted: float) -> float:
        """An epsilon that is enough, by the best moment."""
        return float(np.min((self._cumulants - wanted + _PAYOFFS) / _TILTS))

    def chernoff(self, epsilon: float) -> float:
        """The logarithm of a delta that is enough, by the best moment."""
        return float(np.min(self._cumulants - _TILTS * epsilon + _PAYOFFS))

    def lines(
        self, there: LocalSlope | None, wanted: float, tolerance: float, *, at: float = 0.0
    ) -> LinePair | None:
        """The lines of both sides; None where they would take too long."""
        epsilon = there.epsilon if there else at
        most = epsilon if there or at else self.renyi(wanted)
        if (place := self._place(epsilon, most, wanted)) is None:
            return None
        if place.arc > _MOST_STEPS * self._step:
            self._step = self._finest = place.arc / _MOST_STEPS
            self._cut()
        steep = max(place.tilt, there.slope) if there else place.tilt
        part = self._smoothing(there, tolerance) if there else tolerance
        widest = min(WIDEST, _LEAST_TURN / place.tilt)
        width = min(math.sqrt(part / (_COVERED * (1 + steep))), widest)
        setting = self._setting(place, Kernel(width))
        most = _MOST_TERMS if there else _MOST_TERMS // 4
        if limited := setting.count > most:
            wider = min(width * setting.count / most, widest)
            setting, limited = self._setting(place, Kernel(wider)), there is not None
        if setting.size > 2 * _MOST_STEPS or setting.count > 2 * _MOST_TERMS:
            return None
        self._tilt, self._arc = place.tilt, place.arc
        return LinePair(self._above, self._below, setting, limited=limited)

    def _setting(self, place: _Place, kernel: Kernel) -> Setting:
        """As many terms as this kernel needs to fade."""
        frequency, heard = 1 / kernel.width, _LOST * math.exp(place.size)
        while (
            max(
                kernel.payoff_beyond(place.tilt, frequency),
                kernel.cover_beyond(place.tilt, frequency),
            )
            > heard
        ):
            frequency *= 1.1
        return Setting(place.tilt, place.arc, self._step, kernel, frequency, place.aside)

    def _place(self, epsilon: float, most: float, wanted: float) -> _Place | None:
        """The line with the shortest arc on which nothing but delta counts, unless delta is faint
        there.

        Epsilon lies between ``epsilon`` and ``most``.
        """
        tilts, cumulants = np.append(0.0, _TILTS), np.append(0.0, self._cumulants)
        # Chernoff at r leaves nothing beside delta on arcs of this over |r - t|
        needed = cumulants - tilts * epsilon + _CLEAR - wanted
        best, least = None, math.inf
        for k in range(1, len(tilts) - 1):
            if not math.isfinite(cumulants[k]):
                break
            lower, upper = (
                needed[:k] / (tilts[k] - tilts[:k]),
                needed[k + 1 :] / (tilts[k + 1 :] - tilts[k]),
            )
            arc = max(float(lower.min()), float(upper.min()))
            size = wanted - float(cumulants[k]) + float(tilts[k]) * most
            effort = math.log(arc) + max(0.0, _FAINT - size) / 2
            if effort < least:
                aside = float(tilts[lower.argmin()]), float(tilts[k + 1 + upper.argmin()])
                best, least = _Place(float(tilts[k]), 1.02 * arc, size, aside), effort
        return best

    def refined(self, there: LocalSlope, tolerance: float, width: float | None) -> bool:
        """Cells whose spreading moves epsilon by about a part of what is allowed; False where they
        are as fine as can be.
        """
        self._passes += 1
        allowed, steep = _allowed(tolerance, there.epsilon), 1 + there.slope
        fine, even = self._spreading()
        share = self._share * math.sqrt(
            min(1.0, _CUTTING * allowed / max(_LEAST_DELTA, fine * steep))
        )
        step = min(self._step, math.sqrt(_CUTTING * allowed / (max(even, 1 / 8) * steep)))
        if width is not None:  # too bold
            again = max(_BOLDLY * math.sqrt(allowed / width), _LEAST_AGAIN)
            share, step = min(share, again * self._share), min(step, again * self._step)
        if _SIDES * 4 * RELATIVE_ERROR * self._even() > _CUTTING * allowed:
            share = min(share, self._share / _FINER)  # fine cells know more of their masses
        finer = self._spare(there, tolerance, share, step)
        share, step = max(share / finer, _FINEST_SHARE), max(step / finer, self._finest)
        if width is not None and share == self._share and step == self._step:
            return False
        self._share, self._step = share, step
        self._cut()
        return self._passes < _PASSES

    def sharpened(self, there: LocalSlope, wanted: float) -> SmoothedLine | None:
        """A line for the upper side alone, with a finer kernel and finer cells; None where floats
        or terms do not allow it.
        """
        sharp = max(_SHARP, self._floats(there))
        if sharp > _BLUNT or self._arc == 0:
            return None
        steep = 1 + there.slope
        fine, even = self._spreading()
        share = self._share * math.sqrt(min(1.0, sharp / max(_LEAST_DELTA, fine * steep)))
        step = min(self._step, math.sqrt(sharp / (max(even, 1 / 8) * steep)))
        before = self._share, self._step
        self._step = max(step, self._finest, self._arc / _MOST_STEPS)
        # fine cells that are nowhere as wide as a step would take the place of the whole lattice
        self._share = max(share, _FINEST_SHARE, _WIDER * self._step)
        if before != (self._share, self._step):
            self._cut()
        if (place := self._place(there.epsilon, there.epsilon, wanted)) is None:
            return None
        mu = math.sqrt(2 * sharp / steep)
        setting = self._sharp_setting(place, mu)
        if setting.count > _MOST_SHARP_TERMS:
            mu *= setting.count / _MOST_SHARP_TERMS
            if mu**2 * place.tilt * (1 + place.tilt) > 1:
                return None  # such a release would cost more than is left to gain
            setting = self._sharp_setting(place, mu)
        if setting.size > _MOST_STEPS or setting.count > _SIDES * _MOST_TERMS:
            return None
        return SmoothedLine(self._above, setting, up=True)

    def _sharp_setting(self, place: _Place, mu: float) -> Setting:
        """As many terms as one more release needs to fade."""
        kernel = NormalKernel(mu)
        frequency, heard = 1 / mu, _UNHEARD * math.exp(place.size)
        while kernel.payoff_beyond(place.tilt, frequency) > heard:
            frequency *= 1.1
        return Setting(place.tilt, place.arc, self._step, kernel, frequency, place.aside)

    def _spare(self, there: LocalSlope, tolerance: float, share: float, step: float) -> float:
        """How much finer cells may be before they cost as much as the terms."""
        width = math.sqrt(self._smoothing(there, tolerance) / (_COVERED * (1 + there.slope)))
        terms = 2 / width * self._arc / (2 * math.pi)
        cells = sum(
            len(twin.nodes) * self._share / share + len(twin.weights) * self._step / step
            for twin, _ in self._above.twins
        )
        return min(_FINER_BY, max(1.0, terms / (1 + cells)))

    def _even(self) -> float:
        """How many losses lie on the lattice, on average."""
        return sum(copies * float(twin.weights.sum()) for twin, copies in self._above.twins)

    def _floats(self, there: LocalSlope) -> float:
        """How wide a bracket is in any case: no cells are finer than what floats tell of their
        masses.
        """
        copies = sum(count for _, count in self._above.twins)
        return _SIDES * (4 * FINE_ERROR * copies + self._above.slack / there.slope)

    def _smoothing(self, there: LocalSlope, tolerance: float) -> float:
        """What smoothing may use of the tolerance."""
        allowed = _allowed(tolerance, there.epsilon)
        return max(_SMOOTHING * (allowed - self._floats(there)), _LEAST_SMOOTHING * allowed)

    def narrowest(self, there: LocalSlope, tolerance: float) -> float:
        """A bracket that finer cells would not make narrower by much."""
        allowed, floats = _allowed(tolerance, there.epsilon), _ROUNDED * self._floats(there)
        return allowed if floats < allowed / 2 else allowed / 2 + floats

    def _spreading(self) -> tuple[float, float]:
        """What fine cells add to the variance of the sum, and lattice cells per square of their
        step.
        """
        fine = even = 0.0
        for twin, copies in self._above.twins:
            scale = copies * math.exp(-twin.log_moment(self._tilt)) / 8
            squares = np.diff(twin.nodes, append=twin.nodes[-1]) ** 2
            fine += scale * dot(twin.masses * np.exp(self._tilt * twin.nodes), squares)
            even += scale * float((twin.weights * np.exp(self._tilt * twin.lattice)).sum())
        return fine, even


@dataclass(frozen=True)
class _Place:
    """A line: its tilt, its arc, the logarithm of delta in its units, and the tilts aside."""

    tilt: float
    arc: float
    size: float
    aside: tuple[float, float]


def _allowed(tolerance: float, epsilon: float) -> float:
    """How wide a bracket may be: less where epsilon is small."""
    return tolerance * min(1.0, max(40 * epsilon, _LEAST_SHARE))
