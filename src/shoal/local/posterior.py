"""What a Bayesian believes about the share after the replies, from a beta prior."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.exact import Number, finite_float, open_unit, out_of_range, rational
from shoal.local.design import Design
from shoal.local.indices import read_counts

_COARSE, _FINE = 4001, 20001
_DEEP = 45.0
"""Places whose density is below e^-45 of the highest are left out; together they weigh less than a
float can say.
"""


@dataclass(frozen=True, init=False)
class Posterior:
    """The law of the share, given replies to a design of two answers and a beta prior (Jeffreys'
    unless another is given).

    The density is that of the prior times (floor + lean s)^yes (1 - floor - lean s)^no.  It is
    integrated along the angle a with s = sin(a)^2, in which a beta density with parameters 1/2 or
    more has no poles.

    >>> from shoal.local import warner
    >>> found = Posterior(warner(), [60, 40])
    >>> round(found.mean, 3), tuple(round(end, 3) for end in found.interval())
    (0.292, (0.096, 0.491))
    """

    design: Design
    counts: tuple[int, ...]
    prior: tuple[Fraction, Fraction]

    def __init__(
        self, design: Design, counts: Any, *, prior: tuple[Number, Number] = ("1/2", "1/2")
    ) -> None:
        keep = object.__setattr__
        a, b = (rational(part, "prior") for part in prior)
        for part in (a, b):
            if part < Fraction(1, 2):
                raise out_of_range("prior", part, "1/2 or more in both parts")
        keep(self, "design", design)
        keep(self, "counts", read_counts(counts, 2))
        keep(self, "prior", (a, b))
        angles, weights = self._integrated()
        keep(self, "_shares", np.sin(angles) ** 2)
        keep(self, "_weights", weights)

    def _log_density(self, angles: NDArray[np.float64]) -> NDArray[np.float64]:
        share, rest = np.sin(angles) ** 2, np.cos(angles) ** 2
        floor, lean = float(self.design.floor), float(self.design.lean)
        yes, no = (
            floor * rest + (floor + lean) * share,
            (1 - floor) * rest + (1 - floor - lean) * share,
        )
        no_count, yes_count = self.counts
        a, b = (float(part) for part in self.prior)
        parts = [
            (2 * a - 1, np.sqrt(share)),
            (2 * b - 1, np.sqrt(rest)),
            (yes_count, yes),
            (no_count, no),
        ]
        found = np.zeros_like(angles)
        for power, value in parts:
            if power:
                found += power * np.log(np.maximum(value, 1e-300))
        return found

    def _integrated(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Angles and their weights, by the trapezoid rule where the density is not negligible."""
        low, high = 0.0, math.pi / 2
        for _ in range(6):  # close in on the mass; a density this smooth has one hump
            angles = np.linspace(low, high, _COARSE)
            logs = self._log_density(angles)
            inside = np.flatnonzero(logs > logs.max() - _DEEP)
            step = angles[1] - angles[0]
            low, high = (
                max(0.0, angles[inside[0]] - step),
                min(math.pi / 2, angles[inside[-1]] + step),
            )
        angles = np.linspace(low, high, _FINE)
        logs = self._log_density(angles)
        weights = np.exp(logs - logs.max())
        weights[[0, -1]] /= 2
        return angles, weights / weights.sum()

    @property
    def _grid(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        return self.__dict__["_shares"], self.__dict__["_weights"]

    @property
    def mean(self) -> float:
        """The expected share."""
        shares, weights = self._grid
        return float(weights @ shares)

    @property
    def deviation(self) -> float:
        """The standard deviation of the share."""
        shares, weights = self._grid
        return math.sqrt(max(0.0, float(weights @ (shares - self.mean) ** 2)))

    def quantile(self, level: Number) -> float:
        """The share below which the truth lies with this probability."""
        shares, weights = self._grid
        reached = np.cumsum(weights) - weights / 2
        return float(np.interp(float(open_unit(level, "level")), reached, shares))

    def interval(self, credibility: Number = "0.95") -> tuple[float, float]:
        """The shares between which the truth lies with this probability, equally likely to be
        passed on both sides.
        """
        risk = 1 - open_unit(credibility, "credibility")
        return self.quantile(risk / 2), self.quantile(1 - risk / 2)

    def chance_above(self, share: Number) -> float:
        """The probability that the share is above a given one."""
        shares, weights = self._grid
        reached = np.cumsum(weights) - weights / 2
        return 1 - float(
            np.interp(
                finite_float(rational(share, "share"), "share"),
                shares,
                reached,
                left=0.0,
                right=1.0,
            )
        )

    def respondent(self, reply: int) -> float:
        """The probability that a new person who gives this reply has the answer yes, averaged over
        the posterior.
        """
        shares, weights = self._grid
        yes, no = (float(self.design.matrix.chance(answer, reply)) for answer in (1, 0))
        told = yes * shares + no * (1 - shares)
        return float(weights @ (yes * shares)) / float(weights @ told)
