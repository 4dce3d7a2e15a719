"""Which line, how far apart its terms and how fine its cells: found from coarse to fine, until the
bracket is narrow.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from shoal.loss.bracket import Bracket
from shoal.loss.cells import RELATIVE_ERROR, dot
from shoal.loss.far_threshold import SplitTable
from shoal.loss.fine_cells import FINE_ERROR, HasInner, Twin, of_atoms, twins
from shoal.loss.line_pieces import (
    PAYOFFS,
    TILTS,
    LinePair,
    LinePiece,
    Place,
    cumulants_of,
    pieces_for,
    place_for,
)
from shoal.loss.line_sums import LeftOut, LineSum
from shoal.loss.loss_sources import AtomicLoss, LossSource, NormalLoss, Sources
from shoal.loss.smoothed import Setting, SmoothedLine
from shoal.loss.smoothed_payoff import WIDEST, Kernel, NormalKernel
from shoal.loss.summed_laws import Laws

_MOST_ATOMS = 256
_PASSES = 6
_MOST_CELLS = 1 << 17
_MOST_TERMS = 3 << 15
_LOST = 1e-6
"""Of delta, what may be left out of the losses, and of the sum."""
_LEAST_DELTA = 1e-30
_LEAST_SHARE = 5e-3
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
_SPARE, _NEARLY = 0.9, 2.0
"""Brackets of the other deltas of a level can be a little wider."""
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
        self._coarsest = self._above
        self._seen: list[LinePiece] = []
        self._last: LinePair | None = None

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
        self._cumulants = cumulants_of(self._above)

    def _twins(self, source: LossSource) -> tuple[Twin, Twin]:
        if isinstance(source, AtomicLoss):
            losses, masses = (np.array(each) for each in zip(*source.atoms, strict=True))
            both = of_atoms(losses, masses, self._step)
            return both, both
        assert isinstance(source, HasInner)
        return twins(source, self._share, self._step, self._smallest, lowest=-_DEEP / self._tilt)

    @cached_property
    def _split(self) -> SplitTable:
        return SplitTable(self._coarsest, TILTS)

    def start(self, wanted: float) -> LocalSlope:
        """An epsilon that is about enough, by the best moment of all sums or by those of near and
        far losses, where no line tells it.
        """
        return LocalSlope(*self._split.start(self.renyi(wanted), self._tilt, wanted))

    def renyi(self, wanted: float) -> float:
        """An epsilon that is enough, by the best moment."""
        return float(np.min((self._cumulants - wanted + PAYOFFS) / TILTS))

    def chernoff(self, epsilon: float) -> float:
        """The logarithm of a delta that is enough, by the best moment."""
        return float(np.min(self._cumulants - TILTS * epsilon + PAYOFFS))

    def lines(
        self, there: LocalSlope | None, wanted: float, tolerance: float, *, at: float = 0.0
    ) -> LinePair | None:
        """The lines of both sides; None where they would take too long."""
        epsilon = there.epsilon if there else at
        most = epsilon if there or at else self.renyi(wanted)
        place = place_for(self._cumulants, 0.0, epsilon, most, wanted)
        if place is None:
            return None
        slope = there.slope if there else 0.0
        pieces, left_out = self._pieces(epsilon, place, wanted, slope)
        if (arc := max(piece.place.arc for piece in pieces)) > _MOST_STEPS * self._step:
            self._step = self._finest = arc / _MOST_STEPS
            self._cut()
            pieces, left_out = self._pieces(epsilon, place, wanted, slope)
        part = self._smoothing(there, tolerance) if there else tolerance
        slopes = self._slopes(there)
        most = (_MOST_TERMS if there else _MOST_TERMS // 4) // len(pieces)
        settings, limited = [], False
        for piece in pieces:
            steep = max(piece.place.tilt, slopes.get(piece.is_far, 0.0))
            setting, cut = self._within(piece.place, part / (1 + steep), most)
            if setting.size > 2 * _MOST_STEPS or setting.count > 2 * _MOST_TERMS:
                return None
            settings.append(setting)
            limited |= cut
        self._seen, self._arc = pieces, max(piece.place.arc for piece in pieces)
        self._tilt = min(piece.place.tilt for piece in pieces)
        self._last = LinePair(pieces, settings, left_out)
        self._last.limited = limited and there is not None
        return self._last

    def _slopes(self, there: LocalSlope | None) -> dict[bool, float]:
        """How fast delta fell on the last lines, for sums with a far loss and for others."""
        if there is None:
            return {}
        slopes = {False: there.slope}
        if self._last is not None:
            for piece, line in zip(self._seen, self._last.above.lines, strict=True):
                slopes[piece.is_far] = max(0.0, line.told(there.epsilon)[1])
        return slopes

    def _within(self, place: Place, part: float, most: int) -> tuple[Setting, bool]:
        """The kernel that moves epsilon by so much, or a wider one that has fewer terms, and
        whether it is one.
        """
        widest = min(WIDEST, _LEAST_TURN / place.tilt)
        width = min(math.sqrt(part / _COVERED), widest)
        setting = self._setting(place, Kernel(width))
        if setting.count <= most:
            return setting, False
        return self._setting(place, Kernel(min(width * setting.count / most, widest))), True

    def _pieces(
        self, epsilon: float, place: Place, wanted: float, slope: float
    ) -> tuple[list[LinePiece], LeftOut | None]:
        whole = LinePiece(self._above, self._below, place)
        return pieces_for(whole, lambda: self._split, epsilon, wanted, slope)

    def _setting(self, place: Place, kernel: Kernel) -> Setting:
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

    def refined(self, there: LocalSlope, tolerance: float, width: float | None) -> bool:
        """Cells whose spreading moves epsilon by about a part of what is allowed; False where they
        are as fine as can be.
        """
        self._passes += 1
        allowed = _allowed(tolerance, there.epsilon)
        fine, even = self._spreading(there)
        share = self._share * math.sqrt(min(1.0, _CUTTING * allowed / max(_LEAST_DELTA, fine)))
        step = min(self._step, math.sqrt(_CUTTING * allowed / even))
        if width is not None:  # too bold
            again = max(_BOLDLY * math.sqrt(allowed / width), _LEAST_AGAIN)
            share, step = min(share, again * self._share), min(step, again * self._step)
        if _SIDES * 4 * RELATIVE_ERROR * self._even() > _CUTTING * allowed:
            share = min(share, self._share / _FINER)  # fine cells know more of their masses
        finer = self._spare(there, tolerance, share, step)
        share = max(share / finer, _FINEST_SHARE)
        step = max(step / finer, self._finest, min(self._step, self._arc / _MOST_STEPS))
        if width is not None and share == self._share and step == self._step:
            return False
        self._share, self._step = share, step
        self._cut()
        return self._passes < _PASSES

    def sharpened(self, there: LocalSlope, wanted: float) -> LineSum | None:
        """A line for the upper side alone, with a finer kernel and finer cells; None where floats
        or terms do not allow it.
        """
        sharp = max(_SHARP, self._floats(there))
        if sharp > _BLUNT or self._arc == 0:
            return None
        fine, even = self._spreading(there)
        share = self._share * math.sqrt(min(1.0, sharp / max(_LEAST_DELTA, fine)))
        step = min(self._step, math.sqrt(sharp / even))
        before = self._share, self._step
        self._step = max(step, self._finest, self._arc / _MOST_STEPS)
        # fine cells that are nowhere as wide as a step would take the place of the whole lattice
        self._share = max(share, _FINEST_SHARE, _WIDER * self._step)
        if before != (self._share, self._step):
            self._cut()
        place = place_for(self._cumulants, 0.0, there.epsilon, there.epsilon, wanted)
        if place is None:
            return None
        pieces, left_out = self._pieces(there.epsilon, place, wanted, there.slope)
        lines, slopes = [], self._slopes(there)
        for piece in pieces:
            its = piece.place
            steep = 1 + max(its.tilt, slopes.get(piece.is_far, there.slope))
            mu = math.sqrt(2 * sharp / steep)
            setting = self._sharp_setting(its, mu)
            if setting.count > _MOST_SHARP_TERMS:
                mu *= setting.count / _MOST_SHARP_TERMS
                if mu**2 * its.tilt * (1 + its.tilt) > 1:
                    return None  # such a release would cost more than is left to gain
                setting = self._sharp_setting(its, mu)
            if setting.size > _MOST_STEPS or setting.count > _SIDES * _MOST_TERMS:
                return None
            lines.append(SmoothedLine(piece.above, setting, up=True))
        return LineSum(tuple(lines), left_out, up=True)

    def _sharp_setting(self, place: Place, mu: float) -> Setting:
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

    def is_narrow(self, found: Bracket, there: LocalSlope, tolerance: float) -> bool:
        """Whether a bracket is as narrow as is wanted, or as finer cells would leave it."""
        allowed, floats = _allowed(tolerance, there.epsilon), _ROUNDED * self._floats(there)
        narrowest = allowed if floats < allowed / 2 else allowed / 2 + floats
        # what is wanted of a small epsilon is a matter of taste, and another pass costs time
        return found.width <= (_SPARE if allowed == tolerance else _NEARLY) * narrowest

    def _spreading(self, there: LocalSlope) -> tuple[float, float]:
        """About how far fine cells move epsilon, and lattice cells per square of their step: half
        of what they add to the variance of the sum, times how fast delta falls.
        """
        if not self._seen:
            fine, even = _spreading(self._above, self._tilt)
            return fine * (1 + there.slope), max(even, 1 / 8) * (1 + there.slope)
        slopes, fine, even = self._slopes(there), 0.0, 0.0
        for piece in self._seen:
            laws = piece.above if isinstance(piece.above, Laws) else self._above
            more, steep = _spreading(laws, piece.place.tilt), 1 + slopes[piece.is_far]
            # of near losses alone there may be none on the lattice
            least = 0.0 if len(self._seen) > 1 and not piece.is_far else 1 / 8
            fine, even = max(fine, more[0] * steep), max(even, max(more[1], least) * steep)
        return fine, even


def _spreading(laws: Laws, tilt: float) -> tuple[float, float]:
    """What fine cells add to the variance of the sum, and lattice cells per square of their step."""
    fine = even = 0.0
    for twin, copies in laws.twins:
        scale = copies * math.exp(-twin.log_moment(tilt)) / 8
        squares = np.diff(twin.nodes, append=twin.nodes[-1:]) ** 2
        fine += scale * dot(twin.masses * np.exp(tilt * twin.nodes), squares)
        even += scale * float((twin.weights * np.exp(tilt * twin.lattice)).sum())
    return fine, even


def _allowed(tolerance: float, epsilon: float) -> float:
    """How wide a bracket may be: less where epsilon is small."""
    return tolerance * min(1.0, max(40 * epsilon, _LEAST_SHARE))
