"""Means without tight bounds: first find out privately where the rows lie, then clip to that and
add noise.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import RangeError
from shoal.events import Composed, Event, Gaussian
from shoal.exact import Grid, Number, ball, float_up, lower, open_unit, positive, read_ends, whole
from shoal.functions.inverse_sensitivity import InverseSensitivity, RankTarget
from shoal.functions.rows import BoundedRows
from shoal.measures import ZeroConcentrated
from shoal.mechanisms import Gaussian as GaussianMechanism
from shoal.mechanisms.mechanism import Mechanism
from shoal.noise import secret
from shoal.sensitivity import Relation

Steps = NDArray[np.int64]


@dataclass(frozen=True)
class ClippedMean:
    """A released mean, with what is public about it: the range rows were clipped to, and the
    noise.
    """

    value: float
    low: float
    high: float
    sigma: float
    """The standard deviation of the noise in ``value``; what clipping took away is not in it."""


@dataclass(frozen=True, init=False, repr=False)
class _FoundMean(Mechanism, ABC):
    """What both share: rows in a wide public range, and a budget in zero-concentrated terms."""

    rho: Fraction
    rows: BoundedRows
    share: Fraction

    def _read(
        self,
        *,
        rho: Number,
        size: int,
        low: Number,
        high: Number,
        share: Number,
        grid: Grid | None,
    ) -> None:
        put = object.__setattr__
        put(self, "rho", positive(rho, "rho"))
        put(self, "rows", BoundedRows.read(size=size, low=low, high=high, grid=grid))
        put(self, "share", open_unit(share, "share"))
        if self.rows.size * self.rows.width >= 1 << 62:
            raise RangeError(
                "the sum of all rows must be below 2^62 steps.",
                remedy="Choose a coarser grid.",
            )

    @property
    def cost(self) -> ZeroConcentrated:
        """What one release costs, all its parts together."""
        return ZeroConcentrated(self.rho)

    @property
    @abstractmethod
    def event(self) -> Event:
        """The description of one release: its parts, in order."""

    def _noisy(self, steps: Steps, low: int, high: int, mu: Fraction) -> ClippedMean:
        """The mean of the rows clipped from low to high (steps), with Gaussian noise of mu-GDP."""
        total = int(np.clip(steps, low, high).sum())
        mechanism = GaussianMechanism(sigma=(high - low) / mu, sensitivity=high - low)
        noisy = Fraction(mechanism.release(total), self.rows.size)
        spacing = self.rows.grid.spacing
        return ClippedMean(
            value=float(self.rows.number(noisy)),
            low=float(self.rows.number(low)),
            high=float(self.rows.number(high)),
            sigma=float_up((high - low) / mu / self.rows.size * spacing),
        )

    def _gaussian(self, mu: Fraction) -> Gaussian:
        """The event of one noisy sum, in units of its range."""
        return Gaussian(sigma=1 / mu, sensitivity=1, relation=Relation.CHANGE, private=secret())


@dataclass(frozen=True, init=False, repr=False)
class QuantileClippedMean(_FoundMean):
    """Choose a low and a high quantile privately, clip all rows to them, and add Gaussian noise to
    the mean.

    Guarantee: rho-zero-concentrated DP, whatever the rows: ``share`` of rho buys the two quantiles,
        each a choice by `InverseSensitivity`, and the rest buys the noise.
    Needs: a public number of rows, under CHANGE; a public range that may be generous: it counts
        only as a logarithm.
    Edges: rows beyond the ``rank``-th lowest and highest are clipped, by default one in fifty, or
        more where a private choice cannot tell so few; that moves the mean of skewed rows.
    Reference: Smith 2011; Amin, Kulesza, Munoz and Vassilvitskii 2019.  Proof: means.md.

    >>> mechanism = QuantileClippedMean(rho="0.5", size=1000, low=-1000, high=1000)
    >>> found = mechanism.release([20 + i % 7 for i in range(1000)])
    >>> 15 < found.value < 31
    True
    """

    rank: int
    points: int

    def __init__(
        self,
        *,
        rho: Number,
        size: int,
        low: Number,
        high: Number,
        rank: int | None = None,
        points: int = 4097,
        share: Number = "1/3",
        grid: Grid | None = None,
    ) -> None:
        self._read(rho=rho, size=size, low=low, high=high, share=share, grid=grid)
        put = object.__setattr__
        put(self, "points", whole(points, "points", at_least=2))
        chosen = self._usual_rank() if rank is None else whole(rank, "rank", at_least=1)
        put(self, "rank", chosen)
        if 2 * chosen > self.rows.size + 1:
            raise RangeError(
                "rank must be at most half of the rows.",
                remedy="Clip few rows on either side, or leave rank out.",
            )

    def _usual_rank(self) -> int:
        """One in fifty, or as far inside as a choice among so many points can be off."""
        off = math.ceil(2.5 * math.log(self.points) / float(self._epsilon))
        return max(1, min(self.rows.size // 2, max(self.rows.size // 50, off)))

    @property
    def _epsilon(self) -> Fraction:
        """Bounded range epsilon for each quantile, epsilon^2 / 8 half of their share of rho."""
        return lower(lambda: ball(4 * self.rho * self.share).sqrt())

    @property
    def _choices(self) -> tuple[InverseSensitivity, InverseSensitivity]:
        made = [
            InverseSensitivity(
                epsilon=self._epsilon, target=RankTarget(self.rows, rank), points=self.points
            )
            for rank in (self.rank, self.rows.size + 1 - self.rank)
        ]
        return made[0], made[1]

    @property
    def _mu(self) -> Fraction:
        return lower(lambda: ball(2 * self.rho * (1 - self.share)).sqrt())

    @property
    def event(self) -> Composed:
        return Composed((*(choice.event for choice in self._choices), self._gaussian(self._mu)))

    def release(self, data: Iterable[Any]) -> ClippedMean:
        """The mean of the clipped rows, with noise."""
        steps = self.rows.steps(data)
        ends = sorted(choice.chosen_steps(steps) for choice in self._choices)
        low, high = _apart(ends[0], ends[1], self.rows.width)
        return self._noisy(steps, low, high, self._mu)


@dataclass(frozen=True, init=False, repr=False)
class NarrowingMean(_FoundMean):
    """Guess the mean with much noise, narrow the range to what the guess leaves, and go on from
    there.

    Each round clips the rows to where they should lie if the mean is in the range so far and rows
    scatter around it like a normal law of standard deviation at most ``spread``; a noisy mean then
    narrows the range.

    Guarantee: rho-zero-concentrated DP, whatever the rows: all rounds but the last have ``share``
        of rho together.
    Needs: a public number of rows, under CHANGE; a public range of the rows; ``spread`` chosen
        without the data.
    Edges: privacy does not rest on the spread; accuracy does.  ``risk`` is what the rounds together
        may miss, for normal rows.
    Reference: Biswas, Dong, Kamath and Ullman 2020 (CoinPress), Algorithm 1.  Proof: means.md.

    >>> mechanism = NarrowingMean(rho="0.5", size=1000, low=-10000, high=10000, spread=3)
    >>> found = mechanism.release([20 + i % 7 for i in range(1000)])
    >>> 20 < found.value < 26
    True
    """

    spread: Fraction
    rounds: int
    risk: Fraction

    def __init__(
        self,
        *,
        rho: Number,
        size: int,
        low: Number,
        high: Number,
        spread: Number,
        rounds: int = 3,
        risk: Number = "0.01",
        share: Number = "1/4",
        grid: Grid | None = None,
    ) -> None:
        read_ends(low, high)  # the range is narrowed in doubles
        self._read(rho=rho, size=size, low=low, high=high, share=share, grid=grid)
        put = object.__setattr__
        put(self, "spread", positive(spread, "spread"))
        put(self, "rounds", whole(rounds, "rounds", at_least=2))
        put(self, "risk", open_unit(risk, "risk"))

    @property
    def _mus(self) -> tuple[Fraction, ...]:
        """The mu of every round: equal ones, and the last."""
        early = self.rho * self.share / (self.rounds - 1)
        parts = [early] * (self.rounds - 1) + [self.rho * (1 - self.share)]
        return tuple(_root_down(2 * part) for part in parts)

    @property
    def event(self) -> Composed:
        return Composed(tuple(self._gaussian(mu) for mu in self._mus))

    def release(self, data: Iterable[Any]) -> ClippedMean:
        """The last noisy mean."""
        steps = self.rows.steps(data)
        *early, last = self._mus
        low, high = 0.0, float(self.rows.width)
        for mu in early:
            low, high = self._narrowed(self._noisy(steps, *self._clip(low, high), mu), low, high)
        return self._noisy(steps, *self._clip(low, high), last)

    @property
    def _steps_of_spread(self) -> float:
        return float(self.spread / self.rows.grid.spacing)

    def _clip(self, low: float, high: float) -> tuple[int, int]:
        """Where all rows lie, at this risk, if the mean is from low to high."""
        size = self.rows.size
        reach = self._steps_of_spread * math.sqrt(2 * math.log(2 * size * self.rounds / self.risk))
        bottom, top = math.floor(low - reach), math.ceil(high + reach)
        return _apart(max(0, bottom), min(self.rows.width, top), self.rows.width)

    def _narrowed(self, found: ClippedMean, low: float, high: float) -> tuple[float, float]:
        """Where the mean lies, at this risk, after a noisy one; never wider than before."""
        spacing = float(self.rows.grid.spacing)
        centre = found.value / spacing - self.rows.low
        scatter = math.hypot(
            self._steps_of_spread / math.sqrt(self.rows.size), found.sigma / spacing
        )
        reach = scatter * math.sqrt(2 * math.log(2 * self.rounds / self.risk))
        bottom, top = max(low, centre - reach), min(high, centre + reach)
        return (bottom, top) if bottom < top else (low, high)


def _root_down(square: Fraction) -> Fraction:
    return lower(lambda: ball(square).sqrt())


def _apart(low: int, high: int, width: int) -> tuple[int, int]:
    """A range of at least one step inside the public one."""
    bottom = min(max(low, 0), width - 1)
    return bottom, min(max(high, bottom + 1), width)
