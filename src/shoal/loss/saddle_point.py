"""Many independent losses added up without any grid of losses: delta as a sum along a vertical
line.

Let K(s) be the logarithm of E[exp(s L)] for the sum L of all finite losses.  Then for every tilt t
> 0

    delta(e) = 1 / (2 pi) * integral over omega of exp(K(s) - s e) / (s (s + 1)),      s = t + i omega,

and the trapezoidal rule with spacing 2 pi / arc gives, by Poisson's summation formula, exactly

    delta(e) + sum over m != 0 of exp(t m arc) delta(e + m arc):

never less than delta, and more by what Chernoff's bound makes as small as one likes.  This serves
wherever the product of characteristic functions fades fast, as with any Gaussian noise or many
sampled releases; `fourier_sum` serves the rest.  The proof is in loss.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from shoal.loss.bracket import Bracket
from shoal.loss.cells import UNIT, Complexes, Floats, dot
from shoal.loss.characteristic_functions import HasWaves, NormalWave, Wave
from shoal.loss.delta_levels import level_of
from shoal.loss.tilt_ladder import (
    HIGHEST,
    LONGEST_STRIDE,
    LOWEST,
    Rises,
    index_near,
    least_on_ladder,
    log_best_payoff,
    log_expm1,
    shortest_arc,
    spacing_of,
    tilt_of,
)

Copies = Sequence[tuple[HasWaves, int]]

_FREQUENCIES: Floats = 2.0 ** (np.arange(-40, 97) / 4)
# e^-26 is 5e-12: a line ends where the product of characteristic functions is below that; what
# lies beyond counts as doubt.
_FADED = -26.0
_FEW_TERMS = 512
_MOST_ROTATIONS = 1.25e7
"""Above this the transform is faster."""
_ASIDE = (4, 2, 1, 0.5, 0.25, 0.125, 0.0625, 8, 16)
"""How many steps of the ladder of tilts Chernoff bounds are taken aside."""
_ALWAYS_ASIDE = (4, 2, 1)
"""These are asked for even where fewer would do: a sum that grows may need them, and all of its
parts would be asked then.  Others are not asked for by a sum that grows: each costs as much as a
new release.
"""
# A tilt that is nearer, in units of one over the spread of the sum, leaves too much beside delta.
_TOO_NEAR = 1.0
# The first length of an arc that is tried; `beside` says whether it is long enough, so only time
# depends on it.
_SPREADS, _REACHES = 14.0, 4.0
_LONGEST, _RETRIES = 16.0, 4
_NEAREST, _FURTHEST = 2.0**-4, 16.0
_FEW_KINDS = 2
_SPARE, _COMMON = 2, 14
_NEGLIGIBLE = 1e-9
_NEWTON = 60
_PADS = 12
_LEAST = 1e-300
_AS_GOOD = 1e-7


def contour_epsilon(losses: LossSum, delta: float) -> Bracket | None:
    """Epsilon at a delta, enclosed; None where the sum does not fade fast enough."""
    if delta < _LEAST:
        return None
    wanted = math.log(delta)
    if (kept := losses.kept_line()) is not None and (found := kept.told(wanted)) is not None:
        return found
    if (at_level := losses.line_of(level_of(delta))) is None:
        return None
    line, near = at_level
    near_delta = line.solved(near, wanted)
    if near_delta is None:
        return None
    losses.keep(line)
    return line.enclosed(near_delta, wanted)


def contour_delta(losses: LossSum, low: float, high: float) -> Bracket | None:
    """Delta between an epsilon rounded down and the same rounded up; None as above.

    The line is the one that served last, where that tells it as well, or that of the level in which
    delta lies: the same that tells the epsilon at such a delta.
    """
    if (kept := losses.kept_line()) is not None:
        found = kept.deltas(low, high)
        if found.width <= _AS_GOOD * kept.tilt * found.low:
            return found
    best, tried = Bracket(0.0, 1.0), set[int]()
    levels = [level_of(losses.about(high))]
    while levels and len(tried) < _RETRIES:
        level = levels.pop()
        tried.add(level)
        if (at_level := losses.line_of(level)) is not None:
            best = best.met(at_level[0].deltas(low, high))
        likely = range(level_of(best.low or best.high), level_of(best.high) + 1)
        levels = [each for each in likely if each not in tried]
    return best if best.low > 0 else None


class LossSum:
    """A sum of losses, seen from the tilts of a ladder.

    Everything known about a sum is itself a sum over its parts, so `plus` only adds what is new to
    what was already asked for: an account that grows by one release answers at the price of that
    release.
    """

    def __init__(self, sources: Copies, *, grows: bool = False) -> None:
        self._sources = tuple(sources)
        self._added: Copies = ()
        self._grows = grows
        self._before: dict[_Key, Any] = {}
        self._known: dict[_Key, Any] = {}
        self._last_tilt: int | None = None
        self._kept: tuple[int, int, int] | None = None
        self._lines: dict[int, tuple[SaddleLine, float] | None] = {}
        self._summed_lines: dict[tuple[int, int, int], SaddleLine] = {}

    def plus(self, sources: Copies) -> LossSum:
        """The sum of these losses and of more."""
        new = LossSum((*self._sources, *sources), grows=True)
        new._added, new._before, new._last_tilt = sources, self._known, self._last_tilt
        new._kept = self._kept
        return new

    @property
    def spare(self) -> int:
        """By how much a line has a lower tilt and a longer arc than is best, where a sum may grow:
        so it serves for many more releases.
        """
        return _SPARE if self._grows or len(self._sources) > _FEW_KINDS else 0

    def _sum(self, key: _Key, one: Callable[[HasWaves], Any]) -> Any:
        """The sum over all copies of what one loss has; ``key`` names it."""
        if key not in self._known:
            start, sources = (
                (self._before[key], self._added) if key in self._before else (0.0, self._sources)
            )
            for source, copies in sources:
                start = start + copies * one(source)
            # Kept for sums that grow from this one: they add their own parts to it instead of
            # asking all parts again.
            self._known[key] = np.asarray(start)
        return self._known[key]

    def moments(self, index: float) -> Floats:
        """Sums of what `_moments` tells of each loss."""
        found: Floats = self._sum(("moments", index), lambda source: _moments(source, index))
        return found

    def cumulant(self, index: float) -> float:
        """K at a tilt of the ladder."""
        return float(self.moments(index)[0])

    def doubt(self, index: int) -> float:
        """How far K at a tilt can be off."""
        moments = self.moments(index)
        return float(moments[1] + UNIT * len(self._sources) * moments[2])

    def about(self, epsilon: float) -> float:
        """About the delta at an epsilon: by Laplace's method, as if the weighted sum were
        normal.
        """
        index = self.best_for_epsilon(epsilon)
        tilt, spread = tilt_of(index), math.sqrt(max(1e-12, float(self.moments(index)[3])))
        size = self.cumulant(index) - tilt * epsilon
        size -= math.log(tilt * (1 + tilt) * (spread * math.sqrt(2 * math.pi) + 1 / tilt))
        return math.exp(min(0.0, max(size, -_LARGE)))

    def line_of(self, level: int) -> tuple[SaddleLine, float] | None:
        """The line for the least delta of a level, and its epsilon there; None where there would be
        too many terms.
        """
        if level not in self._lines:
            self._lines[level] = self._line_for(level * math.log(2))
        return self._lines[level]

    def _line_for(self, wanted: float) -> tuple[SaddleLine, float] | None:
        self.begin_near(wanted)
        best = self.best_for_delta(wanted)
        near = self.renyi(best, wanted)
        index = max(LOWEST, best - self.spare)
        about = wanted - self.cumulant(index) + tilt_of(index) * near
        first = self.octave_for(index, near, math.exp(min(about, 0.0)) / 100) + self.spare
        for widening in range(_RETRIES):
            line = self.line(index, first + widening)
            found = None if line is None else line.solved(near, wanted)
            if line is None or found is None:
                return None
            if line.is_alone(found):
                return line, found
            near = found
        return None

    def renyi(self, index: int, log_delta: float) -> float:
        """An epsilon that is enough at a delta, by the moment at this tilt."""
        return (self.cumulant(index) - log_delta + log_best_payoff(index)) / tilt_of(index)

    def chernoff(self, index: int, epsilon: float) -> float:
        """The logarithm of a delta that is enough at an epsilon, by the moment at this tilt."""
        return self.cumulant(index) - tilt_of(index) * epsilon + log_best_payoff(index)

    def begin_near(self, log_delta: float) -> None:
        """Begin to look for a tilt where a normal sum of this variance would have it; nothing rests
        on it.
        """
        if self._last_tilt is None:
            variance = float(self.moments(_COMMON)[3])
            tilt = math.sqrt(-2 * log_delta / variance) if variance > 0 else 0.0
            index = index_near(tilt) if tilt > 0 else _COMMON
            # from nearby the search is as quick, and has already been here
            self._last_tilt = _COMMON if abs(index - _COMMON) <= LONGEST_STRIDE else index

    def best_for_delta(self, log_delta: float) -> int:
        """The tilt of the ladder at which `renyi` is least."""

        def rises(index: int) -> tuple[float, float]:
            tilt, (total, _, _, variance, mean) = tilt_of(index), self.moments(index)
            rate = tilt * mean - total + log_delta + math.log1p(tilt)
            return float(rate), float(tilt * variance + 1 / (1 + tilt))

        return self._least(lambda index: self.renyi(index, log_delta), rises)

    def best_for_epsilon(self, epsilon: float) -> int:
        """The tilt of the ladder at which `chernoff` is least."""

        def rises(index: int) -> tuple[float, float]:
            tilt, (_, _, _, variance, mean) = tilt_of(index), self.moments(index)
            rate = mean - math.log1p(1 / tilt) - epsilon
            return float(rate), float(variance + 1 / (tilt * (1 + tilt)))

        return self._least(lambda index: self.chernoff(index, epsilon), rises)

    def _least(self, value: Callable[[int], float], rises: Rises) -> int:
        self._last_tilt = least_on_ladder(self._last_tilt or 0, value, rises)
        return self._last_tilt

    def line(self, index: int, octave: int) -> SaddleLine | None:
        """The terms of the sum along the line at this tilt; None where there would be too many."""
        count = self._count(index, octave)
        if count is None:
            return None
        waves = (_wave(source, index) for source, _ in self._sources)
        if sum(wave.effort(spacing_of(octave), count) for wave in waves) > _MOST_ROTATIONS:
            return None
        return self._summed(index, octave, count)

    def _count(self, index: int, octave: int) -> int | None:
        """So many terms until the product of characteristic functions has faded; None where it does
        not.

        Where normal losses fade soon the others are not asked: for a sampled one that takes long.
        """
        normals = self._fading_of_normals(index)
        count = _terms_until_faded(normals, octave)
        if count is not None and count <= _FEW_TERMS:
            self._known.setdefault(("fading at least", index), normals)
            return count
        return _terms_until_faded(self._fading(index), octave)

    def _fading_of_normals(self, index: int) -> Floats:
        fading: Floats = np.zeros(len(_FREQUENCIES))
        for source, copies in self._sources:
            if isinstance(_wave(source, index), NormalWave):
                fading = fading + copies * _fading(source, index)
        return fading

    def _fading(self, index: int) -> Floats:
        found: Floats = self._sum(("fading", index), lambda source: _fading(source, index))
        return found

    def _fading_at_least(self, index: int) -> Floats:
        """As `_fading`, where what some losses add may be left out, those of a sum that grew or all
        but the normal ones: no factor is above 1.
        """
        key, bound = ("fading", index), ("fading at least", index)
        for known in (self._known, self._before):
            for name in (key, bound):
                if name in known:
                    found: Floats = known[name]
                    self._known.setdefault(bound, found)
                    return found
        return self._fading(index)

    def beside(self, index: int, octave: int, epsilon: float) -> float:
        """A bound on what the sum counts in beside delta, by Chernoff at other tilts, in units of
        the line.
        """
        return sum(self._beside(index, octave, epsilon, direction) for direction in (1, -1))

    def _beside(self, index: int, octave: int, epsilon: float, direction: int) -> float:
        """The same of the epsilons above, or of those below."""
        arc, here, tilt = 2 * math.pi / spacing_of(octave), self.cumulant(index), tilt_of(index)
        spread = math.sqrt(max(0.0, float(self.moments(index)[3])))
        # Below the line a bound is always at hand: the tilt 0, where K is at most 0 (loss.md, The
        # contour).
        best = math.inf if direction > 0 else tilt * epsilon - here - log_expm1(tilt * arc)
        for step in _ALWAYS_ASIDE if self._grows else _ASIDE:
            if best < _TINY and not (direction > 0 and step in _ALWAYS_ASIDE):
                break
            if not LOWEST <= index + direction * step <= HIGHEST:
                break
            other = tilt_of(index + direction * step)
            if step not in _ALWAYS_ASIDE and abs(other - tilt) * spread < _TOO_NEAR:
                continue
            exponent = self.cumulant(index + direction * step) - here - (other - tilt) * epsilon
            best = min(best, exponent - log_expm1(abs(other - tilt) * arc))
        return math.exp(min(best, _LARGE))

    def octave_for(self, index: int, epsilon: float, bulk: float) -> int:
        """An arc at which nothing beside delta counts, if epsilon and the sum are about these."""
        spread = math.sqrt(max(0.0, float(self.moments(index)[3])))
        wanted, tilt = math.log(_NEGLIGIBLE * bulk / 2), tilt_of(index)
        shortest = _SPREADS * spread + _REACHES / tilt
        arc = self._arc_for(index, epsilon, wanted, 1, enough=shortest)
        # at tilt 0, where K is at most 0
        below = (tilt * epsilon - self.cumulant(index) - wanted) / tilt
        if below > arc:
            arc = max(arc, min(below, self._arc_for(index, epsilon, wanted, -1, enough=arc)))
        return math.ceil(2 * math.log2(min(arc, _LONGEST * shortest)))

    def _arc_for(
        self, index: int, epsilon: float, wanted: float, direction: int, *, enough: float
    ) -> float:
        """The shortest arc at which Chernoff's bound at some tilt aside is the wanted one, or
        ``enough``.
        """
        here, tilt = self.cumulant(index), tilt_of(index)

        def arc(step: float) -> float:
            if not LOWEST <= index + direction * step <= HIGHEST:
                return math.inf
            other = tilt_of(index + direction * step)
            exponent = self.cumulant(index + direction * step) - here - (other - tilt) * epsilon
            return (exponent - wanted) / abs(other - tilt)

        nearest, furthest = (1.0, 4.0) if self._grows else (_NEAREST, _FURTHEST)
        return shortest_arc(arc, nearest, furthest, enough=enough)

    def keep(self, line: SaddleLine) -> None:
        """Let sums that grow from this one begin with the same line; it serves until epsilon has
        moved far.
        """
        self._kept = line.index, line.octave, len(line.turns)

    def kept_line(self) -> SaddleLine | None:
        """The line that served last, where all of its terms but the new ones are known."""
        if self._kept is None:
            return None
        index, octave, count = self._kept
        return self._summed(index, octave, count)

    def _summed(self, index: int, octave: int, count: int) -> SaddleLine:
        """The line's terms; asked again, it is the same line."""
        key = index, octave, count
        if key not in self._summed_lines:
            self._summed_lines[key] = self._sum_of_terms(*key)
        return self._summed_lines[key]

    def _sum_of_terms(self, index: int, octave: int, count: int) -> SaddleLine:
        """The line's terms from the logarithms of the product and of the largest it can be."""
        logs: Complexes = self._sum(
            ("logs", index, octave, count),
            lambda source: _spectrum(source, index, octave, count)[0],
        )
        loudest: Floats = self._sum(
            ("loudest", index, octave, count),
            lambda source: _spectrum(source, index, octave, count)[1],
        )
        spacing = spacing_of(octave)
        heard = spacing * (count - 1) >= _FREQUENCIES
        faded = math.exp(min(0.0, float(self._fading_at_least(index)[heard][-1])))
        left_out = faded / (math.pi * spacing * (count - 1))
        turns = spacing * np.arange(len(logs))
        order = tilt_of(index) + 1j * turns
        payoff = (spacing / math.pi / (order * (1 + order))).astype(np.complex128)
        # The terms at k and -k are conjugate, so each k > 0 stands for both; k = 0 counts once.
        payoff[0] /= 2
        values: Complexes = np.exp(logs)
        sizes, shares = np.abs(values), np.abs(payoff)
        doubts = np.exp(np.minimum(loudest, 0.0)) - sizes * (1 - 8 * UNIT * (4 + np.abs(logs)))
        sums = np.maximum(doubts, 8 * UNIT * len(logs) * sizes)
        return SaddleLine(
            losses=self,
            index=index,
            octave=octave,
            turns=turns,
            terms=values * payoff,
            round_off=left_out + dot(shares, sums),
            turning=8 * UNIT * dot(shares * sizes, turns),
        )


_Key = tuple[str | float, ...]


@dataclass(frozen=True)
class SaddleLine:
    """The terms of the sum along one line, and what they can be off by, in units of exp(K(t) - t
    e).

    ``terms`` turn with epsilon at the rates ``turns``; ``round_off`` holds at any epsilon, and
    ``turning`` times epsilon is what rounding of the angles adds.
    """

    losses: LossSum
    index: int
    octave: int
    turns: Floats
    terms: Complexes
    round_off: float
    turning: float

    @property
    def tilt(self) -> float:
        return tilt_of(self.index)

    @property
    def mean(self) -> float:
        """About where the sum lies when weighted."""
        return float(self.losses.moments(self.index)[4])

    def bulk(self, epsilon: float) -> float:
        """The sum."""
        return float((self.terms * np.exp(-1j * self.turns * epsilon)).real.sum())

    def beside(self, epsilon: float) -> float:
        """A bound on the deltas at whole arcs from epsilon, which the sum counts in."""
        return self.losses.beside(self.index, self.octave, epsilon)

    def is_alone(self, epsilon: float) -> bool:
        """Whether what the sum counts in beside delta is negligible."""
        return self.beside(epsilon) <= _NEGLIGIBLE * self.bulk(epsilon)

    def told(self, wanted: float) -> Bracket | None:
        """The answer, where this line gives it as well as the best one would."""
        near = self.solved(self.mean, wanted)
        found = None if near is None else self.enclosed(near, wanted)
        return found if found is not None and found.width <= _AS_GOOD else None

    def _doubt_at(self, epsilon: float) -> float:
        """About what the logarithm of delta can be off by: where to begin with a bracket."""
        off = self.round_off + self.turning * abs(epsilon) + self.beside(epsilon)
        return off / max(self.bulk(epsilon), _LEAST) + self.losses.doubt(self.index)

    def log_delta(self, epsilon: float, *, up: bool) -> float:
        """The logarithm of delta, to a side; minus infinity where nothing is sure."""
        off = self.round_off + self.turning * abs(epsilon)
        inside = self.bulk(epsilon)
        inside = inside + off if up else inside - off - 1.01 * self.beside(epsilon)
        if inside <= 0:
            return -math.inf
        total, shift, size = self.losses.cumulant(self.index), self.tilt * epsilon, math.log(inside)
        doubt = self.losses.doubt(self.index)
        doubt += (
            8 * UNIT * (1 + abs(total) + abs(shift) + abs(size))
        )  # sums and logarithms, theirs and ours
        return total - shift + size + (doubt if up else -doubt)

    def delta(self, epsilon: float, *, up: bool) -> float:
        return min(1.0, math.exp(min(0.0, self.log_delta(epsilon, up=up))))

    def deltas(self, low: float, high: float) -> Bracket:
        """Delta between two epsilons."""
        return Bracket(self.delta(high, up=False), self.delta(low, up=True))

    def solved(self, near: float, wanted: float) -> float | None:
        """By Newton's method, where the sum's logarithm is the wanted one; nothing rests on it."""
        epsilon, total = near, self.losses.cumulant(self.index)
        for _ in range(_NEWTON):
            terms = self.terms * np.exp(-1j * self.turns * epsilon)
            value, slope = float(terms.real.sum()), float((self.turns * terms.imag).sum())
            if value <= 0:
                return None
            above = total - self.tilt * epsilon + math.log(value) - wanted
            falls = self.tilt - slope / value
            if falls <= 0:
                return None
            epsilon += above / falls
            if abs(above) < _CLOSE * max(1.0, abs(wanted)):
                return epsilon
        return None

    def enclosed(self, found: float, wanted: float) -> Bracket | None:
        """Both sides, each checked; 0 where no epsilon is needed."""
        if self.log_delta(0.0, up=True) <= wanted:
            return Bracket(0.0, 0.0)
        pad = max(_CLOSE * max(1.0, abs(found)), self._doubt_at(found) / self.tilt)
        low = high = None
        for _ in range(_PADS):
            if high is None and self.log_delta(found + pad, up=True) <= wanted:
                high = found + pad
            if low is None and self.log_delta(found - pad, up=False) >= wanted:
                low = found - pad
            if low is not None and high is not None:
                return Bracket(max(0.0, low), max(0.0, high))
            pad *= 4
        return None


@lru_cache(maxsize=4096)
def _wave(source: HasWaves, index: float) -> Wave:
    return source.wave(tilt_of(index))


@lru_cache(maxsize=4096)
def _moments(source: HasWaves, index: float) -> Floats:
    """The logarithm of the moment, its doubt, its size, the variance and the mean."""
    wave = _wave(source, index)
    log = wave.log_moment
    return np.array([log, wave.doubt, abs(log), wave.variance, wave.mean])


@lru_cache(maxsize=4096)
def _fading(source: HasWaves, index: int) -> Floats:
    return _wave(source, index).fading(_FREQUENCIES)


def _terms_until_faded(fading: Floats, octave: int) -> int | None:
    faded = np.flatnonzero(fading < _FADED)
    return math.ceil(_FREQUENCIES[faded[0]] / spacing_of(octave)) + 1 if len(faded) else None


@lru_cache(maxsize=512)
def _spectrum(source: HasWaves, index: int, octave: int, count: int) -> tuple[Complexes, Floats]:
    """Logarithms of the characteristic function, and of the largest size it can have."""
    logs, doubts = _wave(source, index).spectrum(spacing_of(octave), count)
    return logs, logs.real + np.log1p(doubts)


_CLOSE = 1e-11
_TINY = -32.0
_LARGE = 700.0
