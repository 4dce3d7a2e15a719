"""The loss of Skellam noise on one integer, atom by atom."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from flint import arb
from numpy.typing import NDArray

from shoal.exact import at_precision, ball
from shoal.loss.cells import Cells, Floats, cells_of_atoms
from shoal.loss.tails import KnownTails

LARGEST_VARIANCE = 100_000
"""Up to this variance the atoms are listed."""

_PRECISION = 256
_SMALLEST = 2.0**-960
"""The tails that are not listed have at most this mass."""


@dataclass(frozen=True)
class SkellamLoss(KnownTails):
    """Two Skellam laws of this ``variance``, ``shift`` integers apart.

    Guarantee: the mass of y is f(y) = e^-v I_|y|(v), v the variance and I the modified Bessel
        function; at the noise y, seen in the direction of the shift, the loss is ln(f(y) / f(y +
        shift)), which rises with y.  Masses and losses are enclosed before they are rounded to
        floats.
    Needs: shift >= 1, 0 < variance <= `LARGEST_VARIANCE`.
    Reference: Agarwal, Kairouz and Liu 2021.  Proof: loss.md, with the tails.
    """

    shift: int
    variance: Fraction
    blur: float = 0.0

    @property
    def spacing(self) -> float | None:
        return None

    @property
    def largest(self) -> float:
        return math.inf

    @property
    def unlisted(self) -> float:
        return 2 * _SMALLEST

    def span(self, smallest: float) -> float:
        low, high = self.reach(smallest)
        return high - low

    def reach(self, smallest: float) -> tuple[float, float]:
        first, last = self._range(smallest)
        return float(self._losses[first]), float(self._losses[last])

    def cells(self, step: float, smallest: float) -> Cells:
        first, last = self._range(smallest)
        listed = slice(first, last + 1)
        found = cells_of_atoms(self._losses[listed], self._first[listed], step)
        left = max(smallest, self.unlisted)
        return replace(found, above=left, below=left)

    def between(self, ends: Floats) -> tuple[Floats, Floats]:
        """The masses of P and Q on losses from each end up to the next."""
        places = np.searchsorted(self._losses, ends, side="left")
        return _blocks(self._first, places), _blocks(self._second, places)

    def tails(self, epsilon: float) -> tuple[float, float]:
        place = int(np.searchsorted(self._losses, epsilon, side="left"))
        return math.fsum(self._first[place:]), math.fsum(self._second[place:])

    def _range(self, smallest: float) -> tuple[int, int]:
        """The places of all atoms but for tails of at most ``smallest``, of either law on either
        side.
        """
        laws = (self._first, self._second)
        half = (
            smallest / 2
        )  # the other half is for what is not listed, and for the rounding of sums
        last = max(len(law) - 1 - int(np.searchsorted(np.cumsum(law[::-1]), half)) for law in laws)
        first = min(int(np.searchsorted(np.cumsum(law), half)) for law in laws)
        return first, last

    @property
    def _losses(self) -> Floats:
        return _atoms(self.shift, self.variance)[0]

    @property
    def _first(self) -> Floats:
        return _atoms(self.shift, self.variance)[1]

    @property
    def _second(self) -> Floats:
        return _atoms(self.shift, self.variance)[2]


def _blocks(masses: Floats, places: NDArray[np.signedinteger[Any]]) -> Floats:
    """The mass between places that follow each other."""
    found = np.zeros(len(places) - 1)
    for block in np.flatnonzero(np.diff(places) > 0):
        found[block] = masses[places[block] : places[block + 1]].sum()
    return found


@lru_cache(maxsize=16)
def _atoms(shift: int, variance: Fraction) -> tuple[Floats, Floats, Floats]:
    """The losses, rising, and their masses under P and under Q."""
    logs = skellam_logs(variance, beyond=shift)
    last = len(logs) - 1 - shift

    def read() -> list[tuple[float, float, float]]:
        return [
            (
                float((logs[abs(y)] - logs[abs(y + shift)]).mid()),
                float(logs[abs(y)].exp().mid()),
                float(logs[abs(y + shift)].exp().mid()),
            )
            for y in range(-last - shift, last + 1)
        ]

    rows = at_precision(_PRECISION, read)
    losses, first, second = (np.array(column) for column in zip(*rows, strict=True))
    return losses, first, second


@lru_cache(maxsize=16)
def skellam_logs(variance: Fraction, *, beyond: int = 0) -> tuple[arb, ...]:
    """Ln f(0), ln f(1), ... enclosed, up to where less than `_SMALLEST` is left, and ``beyond``
    that.

    Guarantee: the quotients f(y + 1) / f(y) = 1 / (2 (y + 1) / v + f(y + 2) / f(y + 1)) are
        enclosed from far out, where any number between 0 and 1 will do, down to 0: each step
        shrinks a doubt, since both numbers are below 1.
    """

    def listed() -> tuple[arb, ...]:
        v, ratio = ball(variance), arb(0.5, 0.5)
        count = _enough(float(variance)) + beyond
        ratios = []
        for y in range(2 * count + 8 * _PRECISION, 0, -1):
            ratio = 1 / (2 * y / v + ratio)  # f(y) / f(y - 1)
            if y <= count:
                ratios.append(ratio)
        logs = [v.bessel_i(arb(0), scaled=True).log()]
        for ratio in reversed(ratios):
            logs.append(logs[-1] + ratio.log())
        return tuple(logs)

    return at_precision(_PRECISION, listed)


def _enough(variance: float) -> int:
    """A count beyond which, on either side, there is at most `_SMALLEST`.

    By Chernoff at e^s: v (cosh s - 1) - s y, where at s = asinh(y / v) it is sqrt(v^2 + y^2) - v -
    y asinh(y / v).
    """
    count = 16
    while math.hypot(variance, count) - variance - count * math.asinh(count / variance) > -670:
        count = math.ceil(count * 1.05)
    return count
