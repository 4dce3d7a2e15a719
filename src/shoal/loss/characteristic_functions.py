"""What the contour needs to know of a loss: its moments along a vertical line of the complex plane.

A *wave* is a loss L weighted by exp(tilt L) and normed.  It knows the logarithm of what it was
normed by, its mean and variance, its characteristic function at equally spaced frequencies, and how
fast that fades.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from shoal.loss.cells import ON_ONE_CORE, UNIT, Complexes, Floats, dot, product_of_tables
from shoal.loss.nonuniform import nodes_up_to


class Wave(Protocol):
    """A loss as seen at one tilt.

    ``doubt`` is how far ``log_moment`` can be off.
    """

    @property
    def log_moment(self) -> float: ...
    @property
    def doubt(self) -> float: ...
    @property
    def mean(self) -> float: ...
    @property
    def variance(self) -> float: ...

    def fading(self, frequencies: Floats) -> Floats:
        """Logarithms of bounds on the characteristic function at and beyond each frequency."""

    def effort(self, spacing: float, count: int) -> float:
        """About how many rotations so many frequencies take."""

    def spectrum(self, spacing: float, count: int) -> tuple[Complexes, Floats]:
        """Logarithms of the characteristic function at 0, spacing, 2 spacing, ..., and their
        doubts.
        """


class HasWaves(ABC):
    """A loss whose moments are known."""

    @abstractmethod
    def wave(self, tilt: float) -> Wave:
        """The loss as seen at this tilt."""


@dataclass(frozen=True)
class NormalWave:
    """A normal loss stays normal: K(s) = mu^2 s (s + 1) / 2."""

    mu: float
    tilt: float

    @property
    def log_moment(self) -> float:
        return self.mu**2 * self.tilt * (self.tilt + 1) / 2

    @property
    def doubt(self) -> float:
        return 8 * UNIT * self.log_moment

    @property
    def mean(self) -> float:
        return self.mu**2 * (self.tilt + 0.5)

    @property
    def variance(self) -> float:
        return self.mu**2

    def fading(self, frequencies: Floats) -> Floats:
        return -((self.mu * frequencies) ** 2) / 2

    def effort(self, spacing: float, count: int) -> float:  # noqa: ARG002 - any spacing is as easy
        return count

    def spectrum(self, spacing: float, count: int) -> tuple[Complexes, Floats]:
        turns = spacing * np.arange(count)
        logs: Complexes = np.empty(count, dtype=np.complex128)
        logs.real = -((self.mu * turns) ** 2) / 2
        logs.imag = self.mu**2 * (self.tilt + 0.5) * turns
        return logs, 8 * UNIT * np.abs(logs)


@dataclass(frozen=True)
class AtomicWave:
    """A loss with few values: finite sums.  It need not fade at all."""

    losses: Floats
    weights: Floats
    log_moment: float
    doubt: float

    @classmethod
    def of(cls, losses: Floats, masses: Floats, tilt: float) -> AtomicWave:
        exponents = tilt * losses
        top = float(exponents.max())
        products = masses * np.exp(exponents - top)
        total = float(products.sum())
        weights = products / total
        doubt = UNIT * (len(losses) + 16 + 8 * dot(weights, np.abs(exponents)))
        return cls(losses, weights, top + math.log(total), doubt)

    @cached_property
    def mean(self) -> float:
        return dot(self.weights, self.losses)

    @property
    def variance(self) -> float:
        return dot(self.weights, (self.losses - self.mean) ** 2)

    def fading(self, frequencies: Floats) -> Floats:
        return np.zeros(len(frequencies))

    def effort(self, spacing: float, count: int) -> float:  # noqa: ARG002 - any spacing is as easy
        return rotations(count, len(self.losses))

    def spectrum(self, spacing: float, count: int) -> tuple[Complexes, Floats]:
        return spectrum_of(self.weights, self.losses, spacing, count, 2 * self.doubt)


@dataclass(frozen=True)
class LaplaceWave:
    """Continuous Laplace noise: two atoms at plus and minus epsilon, and an exponential between
    them.
    """

    epsilon: float
    tilt: float

    @property
    def log_moment(self) -> float:
        return self.epsilon * self.tilt + math.log(self._whole)

    @property
    def doubt(self) -> float:
        return UNIT * (32 + 4 * self.epsilon * (1 + self.tilt))

    @property
    def mean(self) -> float:
        return self.epsilon + self._below()[0]

    @property
    def variance(self) -> float:
        mean, square = self._below()
        return max(0.0, square - mean**2)

    def _below(self) -> tuple[float, float]:
        """The weighted means of L - epsilon and of its square; nothing is promised by them."""
        epsilon, rate, whole = self.epsilon, 1 + 2 * self.tilt, self._whole
        falls = math.exp(-rate * epsilon)
        turned = rate * epsilon
        mean = -epsilon * falls - (1 - falls * (1 + turned)) / rate**2
        square = epsilon**2 * falls + (2 - falls * (turned**2 + 2 * turned + 2)) / rate**3
        return mean / whole, 2 * square / whole

    @property
    def atoms(self) -> float:
        """What the two atoms weigh."""
        rate = 1 + 2 * self.tilt
        return (1 + math.exp(-rate * self.epsilon)) / (2 * self._whole)

    @property
    def steepest(self) -> float:
        """Twice the largest density between the atoms: it rises, so its transform is at most this
        over frequency.
        """
        return 1 / (2 * self._whole)

    @cached_property
    def _whole(self) -> float:
        """E[exp(tilt (L - epsilon))]: `_moments` without arrays, since a sum asks at many tilts."""
        rate = 1 + 2 * self.tilt
        lost = -math.expm1(-rate * self.epsilon)
        return 1 - lost / 2 + lost / (2 * rate)

    def fading(self, frequencies: Floats) -> Floats:
        faded: Floats = np.log(np.minimum(1.0, self.atoms + self.steepest / frequencies))
        return faded

    def parts(self, turns: Floats) -> tuple[Complexes, Complexes]:
        """The transforms of the atoms and of what lies between, which add up to that of the
        loss.
        """
        between = 1 + 2 * (self.tilt + 1j * turns)
        falls = np.exp(-between * self.epsilon)
        ahead = np.exp(1j * turns * self.epsilon) / (2 * self._whole)
        return ahead * (1 + falls), ahead * (1 - falls) / between

    def effort(self, spacing: float, count: int) -> float:  # noqa: ARG002 - any spacing is as easy
        return count

    def spectrum(self, spacing: float, count: int) -> tuple[Complexes, Floats]:
        turns = spacing * np.arange(count)
        moments = self._moments(self.tilt + 1j * turns)
        sizes = np.abs(moments) / moments[0].real
        logs = np.log(moments / moments[0].real) + 1j * turns * self.epsilon
        return logs, (2 * self.doubt + 8 * UNIT * self.epsilon * turns) / sizes

    def _moments(self, orders: NDArray[Any]) -> Complexes:
        """E[exp(order (L - epsilon))]."""
        between = 1 + 2 * np.asarray(orders, dtype=np.complex128)
        lost = -np.expm1(-between * self.epsilon)
        return 1 - lost / 2 + lost / (2 * between)


def rotations(count: int, nodes: float) -> float:
    """About how many rotations `spectrum_of` takes, or what a fast transform takes in their
    stead.
    """
    return min(count * nodes, _PER_PLACE * (count + _SPREADING * nodes))


def spectrum_of(
    weights: Floats, losses: Floats, spacing: float, count: int, doubt: float
) -> tuple[Complexes, Floats]:
    """The characteristic function of a finite law, as one product of two small tables of rotations
    where these are small.

    ``doubt`` is what the weights can be off by together; round-off of angles and of the sums is
    added to it.
    """
    inner = math.isqrt(count - 1) + 1
    if inner * len(losses) > _MOST_PRODUCTS:
        away, off = nodes_up_to(weights, losses, 2 * math.pi / spacing, count)
        values = away + float(weights.sum())
        off += doubt + 4 * UNIT * (len(losses) + 8)
        return np.log(values + _NOT_ZERO), off / np.maximum(np.abs(values), _NOT_ZERO)
    values = _turned(weights, losses, spacing, count)
    turns = spacing * (count - 1) * dot(weights, np.abs(losses))
    doubt += 4 * UNIT * (len(losses) + turns + 8 + 4 * inner)
    return np.log(values + _NOT_ZERO), doubt / np.maximum(np.abs(values), _NOT_ZERO)


def _turned(weights: Floats, losses: Floats, spacing: float, count: int) -> Complexes:
    """The sum of weights times exp(i turn loss), turns being sums of a slow and a fast one."""
    if len(losses) <= _FEW:
        direct: Complexes = np.exp(1j * spacing * np.outer(np.arange(count), losses)) @ weights
        return direct
    inner = math.isqrt(count - 1) + 1
    outer = -(-count // inner)
    fast, slow = _powers(spacing * losses, inner), _powers(spacing * inner * losses, outer)
    return product_of_tables(weights * slow, fast).ravel()[:count]


def _powers(angles: Floats, count: int) -> Complexes:
    """Rows of exp(i k angle) for k from 0: products cost a fifth of sines and cosines, and each
    adds at most five units of round-off.
    """
    turned: Complexes = np.empty((count, len(angles)), dtype=np.complex128)
    turned[0] = 1.0
    if count > 1:
        turned[1] = np.exp(1j * angles)
    for k in range(2, count):
        np.multiply(turned[k - 1], turned[1], out=turned[k])
    return turned


_NOT_ZERO = 1e-300
_FEW = 4
_PER_PLACE, _SPREADING = 32, 24
_MOST_PRODUCTS = ON_ONE_CORE // 4
"""Products for a row and a column, each of two real numbers; above it one fast transform is faster.
"""
