"""Ranges and quantiles from a tree of intervals, of which each person reports one level."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from shoal.errors import RangeError
from shoal.exact import Number, open_unit, whole
from shoal.local.indices import read_indices
from shoal.local.protocols.attributes import plain_oracle, read_choices
from shoal.local.protocols.oracles import Oracle
from shoal.measures import Pure
from shoal.noise import uniform_below

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class IntervalTree:
    """Values 0 to size - 1 under a tree; each person reports the interval of one level, chosen at
    random.

    Guarantee: a report costs what the dearest of its oracles costs; the level depends on nothing.
    Needs: at least two values, and two branches or more.
    Edges: the number of values is rounded up to a power of the branches.
    Reference: Cormode, Kulkarni and Srivastava 2019.

    >>> tree = IntervalTree.for_epsilon(1, size=1000)
    >>> tree.branches, [level.size for level in tree.levels]
    (4, [4, 16, 64, 256, 1024])
    """

    size: int
    branches: int
    levels: tuple[Oracle, ...]

    @classmethod
    def for_epsilon(cls, epsilon: Number, *, size: int, branches: int = 4) -> Self:
        """The best oracle for each level."""
        values = whole(size, "size", at_least=2)
        split = whole(branches, "branches", at_least=2)
        height = 1
        while split**height < values:
            height += 1
        levels = tuple(plain_oracle(epsilon, split**level) for level in range(1, height + 1))
        return cls(values, split, levels)

    @property
    def cost(self) -> Pure:
        """What one report costs the person who sends it."""
        return Pure(max(level.epsilon for level in self.levels))

    def report(self, values: Any) -> NDArray[np.int64]:
        """Pairs: the level from 0, and the report of the interval on it."""
        known = read_indices(values, self.size, what="values").reshape(-1)
        chosen = uniform_below(len(self.levels), len(known)).astype(np.int64, copy=False)
        made = np.stack([chosen, np.zeros_like(chosen)], axis=1)
        for place, level in enumerate(self.levels):
            who = np.flatnonzero(chosen == place)
            if len(who):
                wide = self.branches ** (len(self.levels) - 1 - place)
                made[who, 1] = level.report(known[who] // wide)
        return made

    def estimate(self, reports: Any) -> TreeEstimate:
        """The share of every interval, unbiased and level by level."""
        told = read_choices(reports, len(self.levels))
        shares, errors = list[Floats](), list[float]()
        for place, level in enumerate(self.levels):
            found = level.estimate(told[told[:, 0] == place, 1])
            shares.append(found.frequencies)
            errors.append(float(level.variance(0, people=found.people)))
        return TreeEstimate(self.size, self.branches, tuple(shares), tuple(errors), how="unbiased")


@dataclass(frozen=True, eq=False)
class TreeEstimate:
    """Shares of all intervals of a tree; ``how`` says whether they are as reported or were made to
    agree.
    """

    size: int
    branches: int
    shares: tuple[Floats, ...]
    variances: tuple[float, ...]
    how: str

    def share_of(self, first: int, last: int) -> tuple[float, float]:
        """The share of values from ``first`` to ``last``, both included, and its standard error for
        rare values.
        """
        if not 0 <= first <= last < self.size:
            raise RangeError(
                f"a range within 0 to {self.size - 1} is needed.", remedy="Give its first and last."
            )
        total, variance = 0.0, 0.0
        for level, node in self._pieces(first, last + 1):
            total += float(self.shares[level][node])
            variance += self.variances[level]
        return total, math.sqrt(variance)

    def _pieces(self, first: int, end: int) -> list[tuple[int, int]]:
        """The fewest intervals that make up a range, from the leaves up."""
        pieces, level = list[tuple[int, int]](), len(self.shares) - 1
        while first < end and level >= 0:
            if level == 0:
                return pieces + [(0, node) for node in range(first, end)]
            while first < end and first % self.branches:
                pieces.append((level, first))
                first += 1
            while first < end and end % self.branches:
                end -= 1
                pieces.append((level, end))
            first, end, level = first // self.branches, end // self.branches, level - 1
        return pieces

    @cached_property
    def distribution(self) -> Floats:
        """The share of values up to each one, never falling and at most 1."""
        raw = np.array([self.share_of(0, last)[0] for last in range(self.size)])
        return np.clip(np.maximum.accumulate(raw), 0, 1)

    def quantile(self, share: Number) -> int:
        """The least value up to which at least this share of people lie."""
        wanted = float(open_unit(share, "share"))
        return min(self.size - 1, int(np.searchsorted(self.distribution, wanted)))

    def consistent(self) -> TreeEstimate:
        """The shares nearest to those reported, weighed by their variance, in which every interval
        is the sum of its parts.

        Up the tree each interval takes the best of its own share and of its parts' sum; down the
        tree parts are moved alike until they add up.  What is estimated this way stays unbiased and
        has less variance; standard errors of ranges are then upper bounds.
        """
        best = [level.copy() for level in self.shares]
        spread = list(self.variances)
        for level in range(len(best) - 2, -1, -1):
            below = best[level + 1].reshape(-1, self.branches).sum(axis=1)
            summed = self.branches * spread[level + 1]
            weight = summed / (spread[level] + summed)
            best[level] = weight * best[level] + (1 - weight) * below
            spread[level] = spread[level] * weight
        above = np.ones(1)
        for level in range(len(best)):
            parts = best[level].reshape(-1, self.branches)
            parts += ((above - parts.sum(axis=1)) / self.branches)[:, None]
            above = best[level] = parts.reshape(-1)
        return TreeEstimate(
            self.size, self.branches, tuple(best), tuple(spread), how="made to agree"
        )
