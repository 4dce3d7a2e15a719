"""Two mixtures of normal laws on one line, the first to the right of the second: their ratio, its
inverse, and masses.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from shoal.loss.cells import Floats
from shoal.loss.loss_sources import normal_masses, reach
from shoal.loss.single_release import POSITION_ERROR

Components = tuple[tuple[float, float], ...]
"""Distances from 0, none of them negative, each with its weight; the weights add up to 1."""

_TABLE = 4097
_STEPS = 80
_NEAR = 0.5
_LARGE = 50.0
_FURTHEST = 2.0**40


@dataclass(frozen=True)
class NormalMixtures:
    """P, the mixture of N(c, 1) over ``right``, and Q, the mixture of N(-d, 1) over ``left``.

    The logarithm of P / Q rises with x: ln sum w exp(c x - c^2 / 2) does, and that of Q falls.
    """

    right: Components
    left: Components

    @property
    def swapped(self) -> NormalMixtures:
        """Q and P, seen from the other side."""
        return NormalMixtures(self.left, self.right)

    @cached_property
    def limits(self) -> tuple[float, float]:
        """What the logarithm tends to on the far left and on the far right."""
        return -_limit(self.left, self.right), _limit(self.right, self.left)

    def log_ratio(self, x: Floats) -> Floats:
        least, most = self.limits
        inside = np.where(np.isfinite(x), x, 0.0)
        logs = _log_sum(self.right, inside)[0] - _log_sum(self.left, -inside)[0]
        found: Floats = np.where(x == np.inf, most, np.where(x == -np.inf, least, logs))
        return found

    def place_of(self, logs: Floats) -> Floats:
        """Where the logarithm of P / Q is this; infinite where it is nowhere.

        Guarantee: it differs there from what was asked for by at most `POSITION_ERROR`, or that
            share of itself, and by what floats lose in the sums.
        """
        least, most = self.limits
        within = (logs > least) & (logs < most)
        places: Floats = np.where(logs >= most, np.inf, -np.inf)
        if within.any():
            places[within] = self._solved(logs[within])
        return places

    def _solved(self, wanted: Floats) -> Floats:
        """Newton's method between two neighbours of a table; halving where it leaves them."""
        x = self._table(float(wanted.min()), float(wanted.max()))
        known = np.maximum.accumulate(self.log_ratio(x))
        index = np.clip(np.searchsorted(known, wanted), 1, len(x) - 1)
        low, high = x[index - 1], x[index]
        place = np.clip(np.interp(wanted, known, x), low, high)
        enough = POSITION_ERROR / 2 * np.maximum(1.0, np.abs(wanted))
        for _ in range(_STEPS):
            up, rises = _log_sum(self.right, place)
            down, falls = _log_sum(self.left, -place)
            off = up - down - wanted
            if (np.abs(off) <= enough).all():
                break
            low, high = np.where(off < 0, place, low), np.where(off > 0, place, high)
            with np.errstate(divide="ignore", invalid="ignore"):
                step = place - off / (rises + falls)
            middle = (low + high) / 2
            place = np.where((step > low) & (step < high), step, middle)
        return place

    def _table(self, least: float, most: float) -> Floats:
        """Places from one at or below the least logarithm to one at or above the largest."""
        low, high = -1.0, 1.0
        while low > -_FURTHEST and float(self.log_ratio(np.array([low]))[0]) > least:
            low *= 2
        while high < _FURTHEST and float(self.log_ratio(np.array([high]))[0]) < most:
            high *= 2
        return np.linspace(low, high, _TABLE)

    def reach_of_first(self, smallest: float) -> tuple[float, float]:
        """Places below and above which P has at most ``smallest``."""
        share = smallest / len(self.right)
        far = [(c, reach(share / w)) for c, w in self.right if w > share]
        return min(c - aside for c, aside in far), max(c + aside for c, aside in far)

    def masses(self, ends: Floats) -> tuple[Floats, Floats]:
        """What P and Q give to the intervals between neighbouring ends."""
        first = [weight * normal_masses(ends, distance) for distance, weight in self.right]
        second = [weight * normal_masses(ends, -distance) for distance, weight in self.left]
        return np.sum(first, axis=0), np.sum(second, axis=0)

    def above(self, place: float) -> tuple[float, float]:
        """What P and Q give to all that lies above a place."""
        first, second = self.masses(np.array([place, np.inf]))
        return float(first[0]), float(second[0])


def _limit(far: Components, near: Components) -> float:
    """The logarithm of the ratio far out on the side of ``far``: infinite unless both end at 0."""
    if max(far)[0] > 0 or min(near)[0] > 0:
        return math.inf
    return -math.log(math.fsum(weight for distance, weight in near if distance == 0))


def _log_sum(components: Components, x: Floats) -> tuple[Floats, Floats]:
    """The logarithm of sum w exp(c x - c^2 / 2), and how fast it rises: the weighted mean of c.

    Near 0 it is taken as ln(1 + sum w (exp(...) - 1)), which loses nothing of a small logarithm.
    """
    distances, weights = (np.array(each)[:, None] for each in zip(*components, strict=True))
    exponents = distances * (x - distances / 2)
    top = exponents.max(axis=0)
    parts = weights * np.exp(exponents - top)
    total = parts.sum(axis=0)
    logs = top + np.log(total)
    near = np.log1p((weights * np.expm1(np.minimum(exponents, _LARGE))).sum(axis=0))
    return np.where(np.abs(logs) < _NEAR, near, logs), (distances * parts).sum(axis=0) / total
