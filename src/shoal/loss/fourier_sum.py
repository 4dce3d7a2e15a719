"""Many independent losses added up, by one tilted Fourier transform with a bound on everything it
loses.

Let K(t) be the logarithm of E[exp(t L)] for the sum L of all losses.  Weighting each loss by exp(t
l) and norming moves the bulk of the sum to where delta is decided, so that a delta of 10^-30 is as
easy as one of a half:

    delta(e) = exp(K(t) - t e) E~[ exp(-t (L - e)) (1 - exp(-(L - e)))_+ ]      (E~: under the weighted law).

The weighted sum is computed on a circle of ``size`` grid points.  What that can lose or add is
bounded:

* *round-off*: each value of a transform is off by at most c u log2(size) times the sum of the sizes
  of what is transformed, because it is a sum over a tree of that depth; powers multiply the
  relative error;
* *wrapping*: mass of the sum outside the circle's arc lands inside it; Chernoff bounds say how much
  there is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.floats import quick_length
from shoal.loss.cells import RELATIVE_ERROR, Floats, Lattice, dot

Complexes = NDArray[np.complex128]
Part = tuple[Lattice, int]
"""A loss and how many independent copies of it there are."""

_UNIT = 2.0**-53
_PER_LEVEL = 8.0
"""Round-off of one level of a transform, in units of 2^-53: a complex product and a sum, and its
roots of unity.
"""
_BELOW, _ABOVE = 6.0, 9.0
"""Where the arc begins and ends around the mean of the weighted sum, in its standard deviations."""
_FINE = 2.0**-44
_UNHEARD = -60.0
"""Frequencies whose product is below exp of this are left out, and counted as doubt."""
_PROBES = 65
_CLOSE = 1e-6
"""Sums of losses as floats are far closer to the true ones than this."""
_SURE = 3.0
"""From here on the arc, in standard deviations, the optimistic side is asked; below, it answers as
here.
"""
_SHARES = (1.0, 0.5, 0.25, 0.15, 0.1, 0.05)
_STEEPEST = 1e9
"""Chernoff bounds are not sought beyond this: where nearly all mass is one atom, their best tilt
has no bound.
"""
_ENOUGH = -60.0
"""A Chernoff bound below exp of this is not sharpened further."""


@dataclass(frozen=True)
class TransformedSum:
    """The sum of many losses near where it was asked for: delta at any epsilon of its arc, to a
    side.

    ``ahead[k]`` and ``behind[k]`` are the sums over grid points from k on of the weighted law times
    exp(-tilt x) and exp(-(tilt + 1) x), x the distance from the arc's ``start``.
    """

    step: float
    start: float
    tilt: float
    log_total: float
    ahead: Floats
    behind: Floats
    round_off: float
    from_far: float
    from_near: float
    near_lands: float
    sure: float
    from_above: float
    lost_above: float
    infinite: float
    slack: float

    @property
    def end(self) -> float:
        return self.start + self.step * (len(self.ahead) - 1)

    def delta(self, epsilon: float, *, up: bool) -> float:
        """The delta at this epsilon, at or above the truth with ``up``, else at or below it."""
        if not up:
            epsilon = max(epsilon, self.sure)  # delta only falls
        x = epsilon - self.start
        if x >= self.end - self.start:
            return min(1.0, self.lost_above + self.infinite) if up else 0.0
        k = min(len(self.ahead) - 1, max(0, math.floor(x / self.step) + 1))
        scale = math.exp(self.log_total - self.tilt * self.start)
        inside = scale * float(self.ahead[k] - math.exp(x) * self.behind[k])
        doubt = math.exp(self.log_total - self.tilt * epsilon)
        if up:
            missing = self.from_near if x < 0 else 0.0  # between epsilon and the arc
            full = (inside + doubt * (self.round_off + missing)) * (1 + self.slack)
            return min(1.0, full + self.lost_above + self.infinite)
        landing = math.exp(-self.tilt * max(0.0, self.near_lands - epsilon))
        wrapped = self.from_far + self.from_near * landing + self.from_above
        return max(0.0, (inside - doubt * (self.round_off + wrapped)) * (1 - self.slack))

    def epsilon(self, delta: float, *, up: bool) -> float | None:
        """The least epsilon with this delta, to a side; None where it is not on the arc."""
        low, high = self.start, self.end
        if not up:  # far below the answer what may have wrapped hides everything
            told = [
                e for e in np.linspace(self.sure, high, _PROBES) if self.delta(e, up=False) > delta
            ]
            low = float(told[-1]) if told else low
        if self.delta(high, up=up) > delta or self.delta(low, up=up) <= delta:
            return None
        while high - low > _FINE * max(1.0, abs(low)):
            middle = (low + high) / 2
            if self.delta(middle, up=up) > delta:
                low = middle
            else:
                high = middle
        return high if up else low


def compose(parts: Sequence[Part], tilt: float) -> TransformedSum:
    """The sum of all copies of all parts, seen at this tilt."""
    step = parts[0][0].step
    tilted = [_Tilted.of(lattice, copies, tilt) for lattice, copies in parts]
    mean = sum(part.copies * part.mean for part in tilted)
    spread = max(math.sqrt(sum(part.copies * part.variance for part in tilted)), 4 * step)
    # An arc of 15 standard deviations; loss.md (The transform) bounds what lies outside by
    # Chernoff.
    size = _good_size(math.ceil((_BELOW + _ABOVE) * spread / step) + 16)
    origin = sum(copies * lattice.origin for lattice, copies in parts)
    first = math.floor((mean - _BELOW * spread - origin) / step)
    start, arc = origin + first * step, size * step
    end, far = start + arc - step, start - arc / 4
    weighted, round_off = _circle(tilted, size)
    # The transform begins at the sum of the origins; the arc begins at its own start.
    weighted = np.roll(weighted, -(first % size))
    x = np.arange(size) * step
    weighted *= np.exp(-tilt * x)
    # Sums from each grid point on: delta at any epsilon is then a difference of two of them.
    ahead = np.cumsum(weighted[::-1])[::-1]
    weighted *= np.exp(-x)
    behind = np.cumsum(weighted[::-1])[::-1]
    cumulant = sum(part.copies * part.log_moment for part in tilted)
    above, sure = _above(tilted, end), start + _SURE * spread
    return TransformedSum(
        step=step,
        start=start,
        tilt=tilt,
        log_total=cumulant,
        ahead=ahead,
        behind=behind,
        round_off=round_off * min(float(size), 1 / -math.expm1(-tilt * step)),
        from_far=_below(tilted, far, tilt),
        from_near=_below(tilted, start, tilt),
        near_lands=far + arc,
        sure=sure,
        from_above=_above(tilted, sure + arc),
        lost_above=math.exp(cumulant - tilt * end) * above,
        infinite=sum(copies * lattice.infinite for lattice, copies in parts),
        slack=sum(copies for _, copies in parts) * 2 * RELATIVE_ERROR,
    )


@dataclass(frozen=True)
class _Tilted:
    """One part weighted by exp(tilt * loss) and normed."""

    weights: Floats
    losses: Floats
    copies: int
    log_moment: float
    mean: float
    variance: float

    @classmethod
    def of(cls, lattice: Lattice, copies: int, tilt: float) -> _Tilted:
        losses = _losses(lattice)
        log_moment, weights = _weighted(lattice.weights, tilt * losses)
        mean = dot(weights, losses)
        variance = dot(weights, (losses - mean) ** 2)
        return cls(weights, losses, copies, log_moment, mean, variance)

    def log_moment_at(self, further: float) -> float:
        """The logarithm of the weighted mean of exp(further * loss)."""
        return _weighted(self.weights, further * self.losses)[0]


def spread_of(parts: Sequence[Part], tilt: float) -> float:
    """The standard deviation of the weighted sum."""
    tilted = [_Tilted.of(lattice, copies, tilt) for lattice, copies in parts]
    return math.sqrt(sum(part.copies * part.variance for part in tilted))


def log_moment(parts: Sequence[Part], tilt: float) -> float:
    """K(tilt): the logarithm of the mean of exp(tilt * loss) over all finite losses."""
    return sum(
        copies * _weighted(lattice.weights, tilt * _losses(lattice))[0] for lattice, copies in parts
    )


def _weighted(weights: Floats, exponents: Floats) -> tuple[float, Floats]:
    """The logarithm of the sum of weights * exp(exponents), and these products normed."""
    # Less the largest exponent, because exp overflows beyond 709.
    top = float(np.max(exponents, where=weights > 0, initial=-math.inf))
    products = weights * np.exp(np.minimum(exponents - top, 0.0))
    total = float(products.sum())
    return top + math.log(total), products / total


def _losses(lattice: Lattice) -> Floats:
    losses: Floats = lattice.origin + lattice.step * np.arange(len(lattice.weights))
    return losses


def _below(parts: Sequence[_Tilted], bound: float, tilt: float) -> float:
    """Chernoff: a bound on the weighted law's mass at or below ``bound``; 0 below the least sum."""
    if bound < sum(part.copies * part.losses[0] for part in parts) - _CLOSE:
        return 0.0
    mean = sum(part.copies * part.mean for part in parts)
    variance = sum(part.copies * part.variance for part in parts)
    natural = min(_STEEPEST, (mean - bound) / variance) if variance else tilt
    tries = [natural * share for share in _SHARES] + [tilt, tilt / 2]
    return _chernoff(parts, [-each for each in tries], bound)


def _above(parts: Sequence[_Tilted], bound: float) -> float:
    """Chernoff: a bound on the weighted law's mass at or above ``bound``; 0 above the largest
    sum.
    """
    if bound > sum(part.copies * part.losses[-1] for part in parts) + _CLOSE:
        return 0.0
    mean = sum(part.copies * part.mean for part in parts)
    variance = sum(part.copies * part.variance for part in parts)
    natural = min(_STEEPEST, (bound - mean) / variance) if variance else 1.0
    return _chernoff(parts, [natural * share for share in _SHARES], bound)


def _chernoff(parts: Sequence[_Tilted], tries: Sequence[float], bound: float) -> float:
    best = 0.0
    for further in tries:
        exponent = sum(part.copies * part.log_moment_at(further) for part in parts)
        best = min(best, exponent - further * bound)
        if best < _ENOUGH:
            break
    return math.exp(best)


def _circle(parts: Sequence[_Tilted], size: int) -> tuple[Floats, float]:
    """The weighted law of the sum on a circle, and how far each of its values can be off.

    Most frequencies vanish in the product; only their bound is computed.
    """
    level = _PER_LEVEL * _UNIT * max(1.0, math.log2(size))
    spectra = [(np.fft.rfft(_folded(part.weights, size)), part.copies) for part in parts]
    bounds = np.zeros(size // 2 + 1)
    for spectrum, copies in spectra:
        bounds += copies * np.log(np.abs(spectrum) + level)
    total = sum(copies for _, copies in spectra)
    # Powers are taken of the frequencies that are left only: most vanish in the product of many
    # copies.
    heard = np.flatnonzero(bounds > _UNHEARD)
    unheard = len(bounds) * math.exp(_UNHEARD)
    kept = np.ones(len(heard), dtype=np.complex128)
    for spectrum, copies in spectra:
        kept *= power(spectrum[heard], copies)
    sizes = np.abs(kept)
    doubts = np.exp(np.minimum(bounds[heard], 0.0) + total * 4 * _UNIT) - sizes
    product = np.zeros(size // 2 + 1, dtype=np.complex128)
    product[heard] = kept
    weighted: Floats = np.fft.irfft(product, size)
    # Twice, because half of the circle stands for both conjugate halves.
    doubt = 2 * (float(np.maximum(doubts, 0).sum()) + unheard + level * float(sizes.sum()))
    return weighted, doubt / size


def power(values: Complexes, copies: int) -> Complexes:
    """By squaring; each of the at most ``copies`` products that a value goes through errs by 2^-51
    of itself.
    """
    found, square = np.ones_like(values), values
    while copies:
        if copies & 1:
            found = found * square
        copies >>= 1
        if copies:
            square = square * square
    return found


def _folded(weights: Floats, size: int) -> Floats:
    """A law laid around a circle of ``size`` points."""
    rounds = -(-len(weights) // size)
    padded = np.zeros(rounds * size)
    padded[: len(weights)] = weights
    folded: Floats = padded.reshape(rounds, size).sum(axis=0)
    return folded


def _good_size(at_least: int) -> int:
    return quick_length(at_least)
