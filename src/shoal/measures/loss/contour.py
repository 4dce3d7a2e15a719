"""Many independent losses added up without any grid of losses: delta as a sum along a vertical line.

Let K(s) be the logarithm of E[exp(s L)] for the sum L of all finite losses.  Then for every tilt t > 0

    delta(e) = 1 / (2 pi) * integral over omega of exp(K(s) - s e) / (s (s + 1)),      s = t + i omega,

and the trapezoidal rule with spacing 2 pi / arc gives, by Poisson's summation formula, exactly

    delta(e) + sum over m != 0 of exp(t m arc) delta(e + m arc):

never less than delta, and more by what Chernoff's bound makes as small as one likes.  This serves wherever the
product of characteristic functions fades fast, as with any Gaussian noise or many sampled releases; `transform` serves
the rest.  The proof is in loss.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from shoal.measures.loss.bracket import Bracket
from shoal.measures.loss.cells import Floats
from shoal.measures.loss.waves import UNIT, Complexes, HasWaves, Wave

Copies = Sequence[tuple[HasWaves, int]]

_PER_OCTAVE = 4
_LOWEST, _HIGHEST = -40, 40
"""Tilts are 2^(k / 4) for k between these: nearby questions then share what is known at a tilt."""
_FREQUENCIES: Floats = 2.0 ** (np.arange(-40, 81) / 4)
_FADED = -26.0
_MOST_ROTATIONS = 1e7
"""Above this the transform is faster."""
_ASIDE = (1, 2, 3, 4, 6, 10, 16)
"""How many steps of the ladder of tilts Chernoff bounds are taken aside."""
_SPREADS, _REACHES = 14.0, 4.0
_WIDENINGS = 8
_NEGLIGIBLE = 1e-9
_NEWTON = 60
_PADS = 12
_LEAST = 1e-300


def contour_epsilon(losses: Losses, delta: float) -> Bracket | None:
    """Epsilon at a delta, enclosed; None where the sum does not fade fast enough."""
    if delta < _LEAST:
        return None
    wanted = math.log(delta)

    def renyi(index: int) -> float:
        tilt = _tilt(index)
        extra = tilt * math.log(tilt) - (1 + tilt) * math.log1p(tilt)
        return (losses.cumulant(index) - wanted + extra) / tilt

    index = losses.lowest(renyi)
    near = renyi(index)
    for widening in range(_WIDENINGS):
        line = losses.line(index, widening)
        found = None if line is None else line.solved(near, wanted)
        if line is None or found is None:
            return None
        if line.beside(found) <= _NEGLIGIBLE * line.bulk(found):
            return line.enclosed(found, wanted)
        near = found
    return None


def contour_delta(losses: Losses, low: float, high: float) -> Bracket | None:
    """Delta between an epsilon rounded down and the same rounded up; None as above."""

    def chernoff(index: int) -> float:
        tilt = _tilt(index)
        extra = tilt * math.log(tilt) - (1 + tilt) * math.log1p(tilt)
        return losses.cumulant(index) - tilt * high + extra

    index = losses.lowest(chernoff)
    for widening in range(_WIDENINGS):
        line = losses.line(index, widening)
        if line is None or line.bulk(high) <= 0:
            return None
        if line.beside(high) <= _NEGLIGIBLE * line.bulk(high):
            return Bracket(line.delta(high, up=False), line.delta(low, up=True))
    return None


class Losses:
    """A sum of losses, seen from the tilts of a ladder.

    Everything known about a sum is itself a sum over its parts, so `plus` only adds what is new to what was
    already asked for: an account that grows by one release answers at the price of that release.
    """

    def __init__(self, sources: Copies) -> None:
        self._sources = tuple(sources)
        self._added: Copies = ()
        self._before: dict[_Key, Any] = {}
        self._known: dict[_Key, Any] = {}
        self._last_tilt = 0

    def plus(self, sources: Copies) -> Losses:
        """The sum of these losses and of more."""
        new = Losses((*self._sources, *sources))
        new._added, new._before, new._last_tilt = sources, self._known, self._last_tilt
        return new

    def _sum(self, key: _Key, one: Callable[[HasWaves], Any]) -> Any:
        """The sum over all copies of what one loss has; ``key`` names it."""
        if key not in self._known:
            start, sources = (
                (self._before[key], self._added) if key in self._before else (0.0, self._sources)
            )
            for source, copies in sources:
                start = start + copies * one(source)
            self._known[key] = np.asarray(start)
        return self._known[key]

    def _moments(self, index: int) -> Floats:
        found: Floats = self._sum(("moments", index), lambda source: _moments(source, index))
        return found

    def cumulant(self, index: int) -> float:
        """K at a tilt of the ladder."""
        return float(self._moments(index)[0])

    def doubt(self, index: int) -> float:
        """How far K at a tilt can be off."""
        moments = self._moments(index)
        return float(moments[1] + UNIT * len(self._sources) * moments[2])

    def lowest(self, value: Callable[[int], float]) -> int:
        """Where on the ladder a function that falls and then rises is least, from where it was last."""
        here = self._last_tilt
        for direction in (1, -1, 1):
            stride = 1
            while stride:
                there = min(_HIGHEST, max(_LOWEST, here + direction * stride))
                if value(there) < value(here):
                    here, stride = there, 2 * stride
                else:
                    stride //= 2
        self._last_tilt = here
        return here

    def line(self, index: int, widening: int) -> _Line | None:
        """The terms of the sum along the line at this tilt; None where there would be too many."""
        tilt = _tilt(index)
        spread = math.sqrt(max(0.0, float(self._moments(index)[3])))
        octave = math.ceil(2 * math.log2(_SPREADS * spread + _REACHES / tilt)) + widening
        spacing = _spacing(octave)
        fading = self._sum(("fading", index), lambda source: _fading(source, index))
        faded = np.flatnonzero(fading < _FADED)
        if len(faded) == 0:
            return None
        last = float(_FREQUENCIES[faded[0]])
        count = math.ceil(last / spacing) + 1
        efforts = (_wave(source, index).effort(spacing, count) for source, _ in self._sources)
        if sum(efforts) > _MOST_ROTATIONS:
            return None
        logs = self._sum(
            ("logs", index, octave, count),
            lambda source: _spectrum(source, index, octave, count)[0],
        )
        loudest = self._sum(
            ("loudest", index, octave, count),
            lambda source: _spectrum(source, index, octave, count)[1],
        )
        left_out = math.exp(fading[faded[0]]) / (math.pi * last)
        return self._summed(index, spacing, logs, loudest=loudest, left_out=left_out)

    def _summed(
        self, index: int, spacing: float, logs: Complexes, *, loudest: Floats, left_out: float
    ) -> _Line:
        """The line's terms from the logarithms of the product and of the largest it can be."""
        turns = spacing * np.arange(len(logs))
        order = _tilt(index) + 1j * turns
        payoff = (spacing / math.pi / (order * (1 + order))).astype(np.complex128)
        payoff[0] /= 2
        values: Complexes = np.exp(logs)
        sizes, shares = np.abs(values), np.abs(payoff)
        doubts = np.exp(np.minimum(loudest, 0.0)) - sizes * (1 - 8 * UNIT * (4 + np.abs(logs)))
        sums = np.maximum(doubts, 8 * UNIT * len(logs) * sizes)
        return _Line(
            losses=self,
            index=index,
            spacing=spacing,
            turns=turns,
            terms=values * payoff,
            round_off=left_out + float(shares @ sums),
            turning=8 * UNIT * float((shares * sizes) @ turns),
        )


_Key = tuple[str | int, ...]


@dataclass(frozen=True)
class _Line:
    """The terms of the sum along one line, and what they can be off by, in units of exp(K(t) - t e).

    ``terms`` turn with epsilon at the rates ``turns``; ``round_off`` holds at any epsilon, and ``turning`` times
    epsilon is what rounding of the angles adds.
    """

    losses: Losses
    index: int
    spacing: float
    turns: Floats
    terms: Complexes
    round_off: float
    turning: float

    @property
    def tilt(self) -> float:
        return _tilt(self.index)

    def bulk(self, epsilon: float) -> float:
        """The sum."""
        return float((self.terms * np.exp(-1j * self.turns * epsilon)).real.sum())

    def beside(self, epsilon: float) -> float:
        """A bound on the deltas at whole arcs from epsilon, which the sum counts in."""
        arc, here = 2 * math.pi / self.spacing, self.losses.cumulant(self.index)
        bounds: dict[bool, float] = {
            True: math.inf,
            False: self.tilt * epsilon - here - _log_expm1(self.tilt * arc),
        }
        for aside in (*_ASIDE, *(-step for step in _ASIDE)):
            if not _LOWEST <= self.index + aside <= _HIGHEST:
                continue
            other = _tilt(self.index + aside)
            exponent = self.losses.cumulant(self.index + aside) - here
            exponent -= (other - self.tilt) * epsilon + _log_expm1(abs(other - self.tilt) * arc)
            bounds[aside > 0] = min(bounds[aside > 0], exponent)
        return sum(math.exp(min(bound, _LARGE)) for bound in bounds.values())

    def log_delta(self, epsilon: float, *, up: bool) -> float:
        """The logarithm of delta, to a side; minus infinity where nothing is sure."""
        off = self.round_off + self.turning * abs(epsilon)
        inside = self.bulk(epsilon)
        inside = inside + off if up else inside - off - 1.01 * self.beside(epsilon)
        if inside <= 0:
            return -math.inf
        doubt = self.losses.doubt(self.index) + 8 * UNIT * self.tilt * abs(epsilon) + 8 * UNIT
        front = self.losses.cumulant(self.index) - self.tilt * epsilon
        return front + math.log(inside) + (doubt if up else -doubt)

    def delta(self, epsilon: float, *, up: bool) -> float:
        return min(1.0, math.exp(min(0.0, self.log_delta(epsilon, up=up))))

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
        pad = _CLOSE * max(1.0, abs(found))
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
def _wave(source: HasWaves, index: int) -> Wave:
    return source.wave(_tilt(index))


@lru_cache(maxsize=4096)
def _moments(source: HasWaves, index: int) -> Floats:
    """The logarithm of the moment, its doubt, its size, and the variance."""
    wave = _wave(source, index)
    return np.array([wave.log_moment, wave.doubt, abs(wave.log_moment), wave.variance])


@lru_cache(maxsize=4096)
def _fading(source: HasWaves, index: int) -> Floats:
    return _wave(source, index).fading(_FREQUENCIES)


@lru_cache(maxsize=512)
def _spectrum(source: HasWaves, index: int, octave: int, count: int) -> tuple[Complexes, Floats]:
    """Logarithms of the characteristic function, and of the largest size it can have."""
    logs, doubts = _wave(source, index).spectrum(_spacing(octave), count)
    return logs, logs.real + np.log1p(doubts)


def _tilt(index: int) -> float:
    return float(2.0 ** (index / _PER_OCTAVE))


def _spacing(octave: int) -> float:
    return float(2 * math.pi / 2.0 ** (octave / 2))


def _log_expm1(number: float) -> float:
    return number + math.log(-math.expm1(-number))


_CLOSE = 1e-11
_LARGE = 700.0
