"""The loss of Gaussian noise on a Poisson sample: in cells, as a wave, and alone in closed form.

With x standard normal under the plain law, the mixture has density w(x) = 1 - q + q exp(mu x - mu^2
/ 2) beside it and the loss is l = ln w (the person was there, *removed*) or -l (was not, *added*).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from shoal.loss.bracket import Bracket
from shoal.loss.cells import UNIT, Cells, Complexes, Floats, dot
from shoal.loss.characteristic_functions import HasWaves, rotations, spectrum_of
from shoal.loss.loss_sources import cells_between, normal_masses, reach
from shoal.loss.single_release import sampled_delta, sampled_epsilon


@dataclass(frozen=True)
class SampledNormalLoss(HasWaves):
    """A normal law against its mixture with one ``mu`` away, of weight ``rate``: Poisson sampling.

    With ``removed`` P is the mixture and Q the plain law (the person was there), else the other way
    round.
    """

    rate: float
    mu: float
    removed: bool

    @property
    def spacing(self) -> float | None:
        return None

    @property
    def largest(self) -> float:
        return math.inf if self.removed else -math.log1p(-self.rate)

    def span(self, smallest: float) -> float:
        highest = float(self.ratio(np.array([self.mu + reach(smallest)]))[0])
        return highest - math.log1p(-self.rate)

    def ratio(self, x: Floats) -> Floats:
        """l(x) = ln(mixture / plain)."""
        exponents = self.mu * (x - self.mu / 2)
        near = np.log1p(self.rate * np.expm1(np.minimum(exponents, _LARGE)))
        return np.where(exponents > _LARGE, exponents + math.log(self.rate), near)

    def cells(self, step: float, smallest: float) -> Cells:
        # l rises with x
        lowest = math.log1p(-self.rate)
        count = math.ceil(self.span(smallest) / step)
        edges = lowest + np.arange(count + 1) * step
        with np.errstate(divide="ignore"):
            ends = np.log1p(np.expm1(edges) / self.rate) / self.mu + self.mu / 2
        ends[0] = -np.inf
        plain, moved = normal_masses(ends), normal_masses(ends, self.mu)
        mixed = (1 - self.rate) * plain + self.rate * moved
        if self.removed:
            return cells_between(step, edges, mixed, plain, above=smallest, below=0.0)
        return cells_between(
            step, -edges[::-1], plain[::-1], mixed[::-1], above=0.0, below=smallest
        )

    def wave(self, tilt: float) -> SampledNormalWave:
        return SampledNormalWave(self, tilt)

    @property
    def mirrored(self) -> bool:
        return not self.removed

    @property
    def slope(self) -> float:
        return self.mu

    def inner_reach(self, smallest: float) -> tuple[float, float]:
        aside = reach(smallest)
        return -aside, (self.mu if self.removed else 0.0) + aside

    def rising(self, inner: Floats) -> Floats:
        return self.ratio(inner)

    def inner_at(self, rising: Floats) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            near = np.log1p(np.expm1(np.minimum(rising, _LARGE)) / self.rate)
        exponents = np.where(rising > _LARGE, rising - math.log(self.rate), near)
        ends: Floats = exponents / self.mu + self.mu / 2
        return ends

    def masses(self, ends: Floats) -> tuple[Floats, Floats]:
        plain, moved = normal_masses(ends), normal_masses(ends, self.mu)
        return (1 - self.rate) * plain + self.rate * moved, plain

    def epsilon_alone(self, delta: Fraction) -> Bracket:
        return sampled_epsilon(self.rate, self.mu, delta, removed=self.removed)

    def delta_alone(self, low: Fraction, high: Fraction) -> Bracket:
        return sampled_delta(self.rate, self.mu, low, high, removed=self.removed)


@dataclass(frozen=True)
class SampledNormalWave:
    """Moments of w by the trapezoidal rule, which is exact here to the last bit with few nodes.

    The integrand phi(x) w(x)^(a + i omega), a = 1 + tilt or -tilt, is analytic where |mu Im x| <
    pi, because w does not meet the negative axis there.  loss.md bounds what the rule, its cut ends
    and its floats lose.
    """

    source: SampledNormalLoss
    tilt: float

    @cached_property
    def _still(self) -> _Nodes:
        return _nodes(self.source, self._power, 0.0)

    @property
    def _power(self) -> float:
        return 1 + self.tilt if self.source.removed else -self.tilt

    @property
    def _sign(self) -> int:
        return 1 if self.source.removed else -1

    @property
    def log_moment(self) -> float:
        return self._still.log_total

    @property
    def doubt(self) -> float:
        return self._still.doubt

    @cached_property
    def mean(self) -> float:
        return self._sign * dot(self._still.weights, self._still.ratios)

    @cached_property
    def variance(self) -> float:
        apart = self._sign * self._still.ratios - self.mean
        return dot(self._still.weights, apart**2)

    def spectrum(self, spacing: float, count: int) -> tuple[Complexes, Floats]:
        nodes = _nodes(self.source, self._power, spacing * (count - 1))
        losses = self._sign * nodes.ratios
        return spectrum_of(nodes.weights, losses, spacing, count, 2 * nodes.doubt)

    def effort(self, spacing: float, count: int) -> float:
        low, high, step = _range(self.source, self._power, spacing * (count - 1))
        return rotations(count, (high - low) / step)

    def fading(self, frequencies: Floats) -> Floats:
        """By the density of the weighted loss, cut off at some height, and the mass above it.

        Laid around a circle of circumference T = 2 pi / frequency a density of total variation V
        and mass 1 is at most 1 / T + V / 2, and a law on a circle is longest in its first harmonic
        when it fills one arc at that height.  The mass above the cut is counted in full; the best
        of several cuts is taken.
        """
        heights, above = self._cuts
        left = 1 - above
        variation = 2 * _MOST_PEAKS * heights / left
        half_turns = math.pi / (1 + np.outer(math.pi / frequencies, variation))
        bounds = above + left * np.sin(half_turns) / half_turns
        faded: Floats = np.log(np.minimum(1.0, bounds.min(axis=1)))
        return np.minimum.accumulate(faded)

    @cached_property
    def _cuts(self) -> tuple[Floats, Floats]:
        """Heights of the density and, from above, the mass it has beyond each.

        The density of the loss, as a function of x, is proportional to phi w^c exp(-mu x) with c =
        a + 1; its logarithm has slope -x - mu + c mu s(x) for a sigmoid s, so it has at most two
        peaks and is steep only so far.
        """
        mu, c = self.source.mu, self._power + 1
        low, high, _ = _range(self.source, self._power, 0.0)
        steepest = max(abs(low), abs(high)) + mu + max(abs(c), abs(c - 1)) * mu
        count = min(_MOST, max(64, math.ceil((high - low) * steepest * _FINE)))
        x, step = np.linspace(low, high, count + 1, retstep=True)
        ratios, shift = self.source.ratio(x), mu * (x - mu / 2)
        logs = c * ratios - x * x / 2 - self.log_moment - math.log(2 * math.pi) / 2
        density = np.exp(logs - shift) / (mu * self.source.rate)  # of the loss
        hidden = math.exp(min(_LARGE, step * steepest / 2))  # how much more it can be beside a node
        mass = np.exp(logs - ratios) * step * hidden  # of x
        heights = float(density.max()) * hidden * 2.0 ** -np.arange(_CUTS)
        above = _beyond(density * hidden, mass, heights) + 4 * math.exp(-_ENOUGH)
        useful = above < _MOST_ABOVE
        return heights[useful], above[useful]


def _beyond(density: Floats, mass: Floats, heights: Floats) -> Floats:
    """The mass of which the density lies above each height, from above: by sums over all that is
    denser, one for all heights.
    """
    order = np.argsort(-density)
    dense, masses = density[order], mass[order]
    widths = np.divide(masses, dense, out=np.zeros(len(dense)), where=dense > 0)
    denser = np.searchsorted(-dense, -heights, side="left")
    whole, wide = (np.append(0.0, np.cumsum(each))[denser] for each in (masses, widths))
    above: Floats = whole - heights * wide + 4 * UNIT * (len(dense) + 4) * whole
    return above


@dataclass(frozen=True)
class _Nodes:
    """Nodes of the rule: the ratios there, their normed weights, and the integral's logarithm."""

    ratios: Floats
    weights: Floats
    log_total: float
    doubt: float


_LARGE = 600.0
_FINE, _MOST = 12.0, 4096
_CUTS, _MOST_PEAKS, _MOST_ABOVE = 24, 2, 0.75
_ENOUGH = 42.0
"""Everything left out is below exp of minus this, in relative terms: 6e-19."""
_WIDE_ANGLE = 2.5
"""How far mu Im x may go: |w| is at least cos(angle / 2) of its value on the axis."""
_HIGH = 9.0


def _range(source: SampledNormalLoss, power: float, frequency: float) -> tuple[float, float, float]:
    """Where the rule's nodes begin and end, and their distance, for all frequencies up to this
    one.
    """
    mu, rate = source.mu, source.rate
    height = min(_WIDE_ANGLE / mu, _HIGH)
    shrinks = -min(power, 0.0) * -math.log(math.cos(_WIDE_ANGLE / 2))
    wanted = _ENOUGH + height**2 / 2 + frequency * mu * height + shrinks
    step = 2 * math.pi * height / wanted
    if power > 0:
        tail = min(power * (power - 1) * mu**2 / 2, -power * math.log(rate))
        high = power * mu + math.sqrt(2 * (_ENOUGH + tail))
        return -math.sqrt(2 * _ENOUGH), high, step
    high = math.sqrt(2 * (_ENOUGH + power * math.log1p(-rate)))
    return -high, high, step


def _nodes(source: SampledNormalLoss, power: float, frequency: float) -> _Nodes:
    """The rule for all frequencies up to this one; the proof is in loss.md."""
    low, high, step = _range(source, power, frequency)
    x = step * np.arange(math.floor(low / step), math.ceil(high / step) + 1)
    ratios = source.ratio(x)
    exponents = power * ratios - x * x / 2
    top = float(exponents.max())
    products = np.exp(exponents - top)
    total = float(products.sum())
    weights = products / total
    kept = weights > _NEGLIGIBLE
    rounded = dot(weights, x * x / 2 + np.abs(power * ratios))
    doubt = UNIT * (len(x) + 16 + 8 * rounded) + len(x) * _NEGLIGIBLE + 4 * math.exp(-_ENOUGH)
    log_total = top + math.log(total * step / math.sqrt(2 * math.pi))
    return _Nodes(ratios[kept], weights[kept], log_total, doubt)


_NEGLIGIBLE = 1e-21
