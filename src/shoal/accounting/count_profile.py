"""The delta of a count of shuffled bits, for many values of the others at once; `shuffled_count.md`
has the proofs.

Everything here is in floats.  What they round, and what the finite sums leave out, is bounded and
added.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_ROUNDING = 2.0**-53
_EXPONENT = 40.0
"""What lies beyond the window, and each wave that is left out, is below a few times exp(-40),
4e-18.
"""

_CHUNK = 256

_LEAST = 1e-300
"""Added to every delta from above: exp rounds to zero further down."""


@dataclass(frozen=True)
class CountProfile:
    """Deltas of the count of ones for one tilt; others of whom m hold a one, with m an array.

    ``odds`` is E > 1 and ``tilt`` is r >= 1: both are taken as they stand, and belong to e^epsilon
    = (1 + r E) / (E + r).
    """

    odds: float
    tilt: float

    def deltas(self, others: int, ones: NDArray[np.int64]) -> tuple[Floats, Floats]:
        """For each m in ``ones``, which rise: a number not above its delta, and one not below."""
        parts = [
            self._deltas(others, ones[start : start + _CHUNK].astype(np.float64))
            for start in range(0, len(ones), _CHUNK)
        ]
        low, high = (np.concatenate(each) for each in zip(*parts, strict=True))
        return low, high

    def _deltas(self, others: int, ones: Floats) -> tuple[Floats, Floats]:
        odds, tilt = self.odds, self.tilt
        holds, lies = odds * tilt / (odds * tilt + 1), tilt / (tilt + odds)
        zeros = others - ones
        mean = ones * holds + zeros * lies
        place = np.floor(mean)
        variances = ones * holds * (1 - holds) + zeros * lies * (1 - lies)
        size, angles = _waves(float(variances.min()), float(variances.max()))
        exponent = (
            np.outer(ones, _centred(holds, angles))
            + np.outer(zeros, _centred(lies, angles))
            + 1j * np.outer(mean - place, angles)
        )
        waves = np.exp(exponent) * (2 / size * _kernel(angles, tilt, size // 2))
        off = _sum_error(others, len(angles), size, float(angles[-1]))
        slack = math.exp(32 * _ROUNDING * (3 * others * math.log(tilt) + 50))
        scale = np.exp(self._log_scale(ones, zeros, place))
        # the mode is next to the mean: one of these three, however the mean was rounded
        sums = [(shift, _real_sum(waves, np.exp(-1j * shift * angles))) for shift in (-1, 0, 1)]
        high = np.max([(found + off) * tilt**-shift for shift, found in sums], axis=0)
        low = np.max([(found - off) * tilt**-shift for shift, found in sums], axis=0)
        return np.clip(scale * low / slack, 0, 1), np.clip(scale * high * slack + _LEAST, 0, 1)

    def _log_scale(self, ones: Floats, zeros: Floats, place: Floats) -> Floats:
        """The logarithm of a M r^-c."""
        odds, more = self.odds, self.tilt - 1
        # a = (E - e^epsilon) / (E + 1) with e^epsilon = (1 + r E) / (E + r)
        first = math.log((odds - 1) / (odds + self.tilt))
        held = ones * math.log1p(odds / (odds + 1) * more) + zeros * math.log1p(more / (odds + 1))
        found: Floats = first + held - place * math.log1p(more)
        return found


def _real_sum(waves: NDArray[np.complex128], turn: NDArray[np.complex128]) -> Floats:
    # not a matrix product: threads of a linear algebra library cost more than they save here
    found: Floats = np.einsum("ij,j->i", waves.real, turn.real)
    found -= np.einsum("ij,j->i", waves.imag, turn.imag)
    return found


def _sum_error(others: int, count: int, size: int, widest: float) -> float:
    """What rounding and everything left out can add to a sum of waves or take from it."""
    rounded = 4 * 2 * count / size * 32 * _ROUNDING * (others * widest + 100)
    return rounded + 20 * math.exp(-_EXPONENT)


def _waves(least: float, most: float) -> tuple[int, Floats]:
    """The number of points of the transform, odd, and those positive angles whose waves count."""
    half = _EXPONENT / 3 + math.sqrt((_EXPONENT / 3) ** 2 + 2 * _EXPONENT * most) + 2
    size = 2 * math.ceil(half) + 1
    reached = _EXPONENT / least if least > 0 else 2.0
    widest = math.pi if reached >= 2 else math.acos(1 - reached)
    count = min(size // 2, math.ceil(widest * size / (2 * math.pi)))
    return size, np.arange(1, count + 1, dtype=np.float64) * (2 * math.pi / size)


def _centred(chance: float, angles: Floats) -> NDArray[np.complex128]:
    """The logarithm of E[exp(i t (Z - chance))] for a bit Z that is one with this chance."""
    dip = 2 * np.sin(angles / 2) ** 2
    size = np.log1p(-2 * chance * (1 - chance) * dip) / 2
    turn = np.arctan2(chance * np.sin(angles), 1 - chance * dip) - chance * angles
    found: NDArray[np.complex128] = size + 1j * turn
    return found


def _kernel(angles: Floats, tilt: float, terms: int) -> NDArray[np.complex128]:
    """Σ_v r^-v (z^v - z^(v+1)) over v < terms, z = exp(-i t)."""
    dip, sine = 2 * np.sin(angles / 2) ** 2, np.sin(angles)
    step = dip + 1j * sine
    # 1 - z / r = (r - 1 + (1 - z)) / r
    rest = (tilt - 1 + step) / tilt
    last = np.exp(-terms * (math.log(tilt) + 1j * angles))
    found: NDArray[np.complex128] = step * (1 - last) / rest
    return found
