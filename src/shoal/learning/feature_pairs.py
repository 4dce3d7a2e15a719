"""Two features together: their cells merged into at most eight groups each, and what a grid of
groups adds to the moments of an additive model.

Groups follow from released counts, so everything here is public or was released.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from shoal.learning.exact_sums import Floats, Integers
from shoal.learning.feature_columns import FeatureColumn
from shoal.learning.row_designs import CoefficientBlock

FINE = 8
"""The most groups that a feature has in a fitted pair."""

COARSE = 4
"""The most groups of a number while pairs are chosen."""

MOST_COLUMNS = 40
"""With more features than this, no pair is looked for: there would be too many."""


def candidates(columns: Sequence[FeatureColumn], kept_out: Sequence[str]) -> list[tuple[int, int]]:
    """Pairs of features that may be chosen: numbers, and categories of few declared levels."""
    fitting = [
        at
        for at, each in enumerate(columns)
        if (each.ordered or len(each.levels) < FINE) and each.name not in kept_out
    ]
    return list(combinations(fitting, 2)) if len(fitting) <= MOST_COLUMNS else []


@dataclass(frozen=True)
class CellGroups:
    """The cells of one feature in groups: ``group`` of each cell, counted from 0, and the released
    ``shares`` of groups.
    """

    start: int
    group: Integers
    shares: Floats
    ordered: bool

    @classmethod
    def of(cls, start: int, shares: Floats, bins: int, most: int, *, ordered: bool) -> CellGroups:
        """Groups of about equal released counts; each level is a group of its own.

        A missing number is in the group of the middle bin.
        """
        total = max(float(shares.sum()), 1e-300)
        if not ordered:
            return cls(start, np.arange(len(shares)), shares / total, ordered=False)
        held = shares[:bins]
        middles = (np.cumsum(held) - held / 2) / max(float(held.sum()), 1e-300)
        places = np.unique(np.clip(np.floor(middles * most), 0, most - 1), return_inverse=True)[1]
        missing = np.full(len(shares) - bins, places[bins // 2])
        group = np.concatenate([places, missing]).astype(np.int64)
        return cls(start, group, np.bincount(group, shares) / total, ordered=True)

    @property
    def size(self) -> int:
        return len(self.shares)

    def codes(self, cells: Integers) -> Integers:
        """The group of each row, by its cell."""
        return np.asarray(self.group[cells - self.start])


@dataclass(frozen=True)
class FeaturePair:
    """Two features, by their place among all, and their groups."""

    places: tuple[int, int]
    left: CellGroups
    right: CellGroups

    @property
    def size(self) -> int:
        return self.left.size * self.right.size

    @property
    def shares(self) -> Floats:
        """The share of each cell of the grid if the two features were independent."""
        return np.outer(self.left.shares, self.right.shares).reshape(-1)

    def codes(self, cells: Integers) -> Integers:
        """The cell of each row in the grid, by the cells of all features."""
        first, second = (cells[at] for at in self.places)
        return np.asarray(self.left.codes(first) * self.right.size + self.right.codes(second))

    def block(self, name: str, start: int) -> CoefficientBlock:
        grid = ((self.left.size, self.left.ordered), (self.right.size, self.right.ordered))
        return CoefficientBlock(
            name, start, start + self.size, ordered=False, linear=False, grid=grid
        )

    def sides(self) -> Iterator[tuple[int, CellGroups, Floats]]:
        """Each feature with its groups, and how rows of one of its groups are spread over the grid:
        one line for each group.
        """
        left, right = self.left, self.right
        yield self.places[0], left, np.asarray(np.kron(np.eye(left.size), right.shares), float)
        yield self.places[1], right, np.asarray(np.kron(left.shares, np.eye(right.size)), float)


def paired_moments(
    moments: Floats, shares: Floats, pairs: Sequence[FeaturePair], rows: float
) -> Floats:
    """The sum of x x' of centred rows, with cells of pairs, if features were independent.

    ``moments`` are those without pairs; the new cells stand before the intercept.
    """
    old = len(moments) - 1
    size = len(moments) + sum(each.size for each in pairs)
    made = np.zeros((size, size))
    made[:old, :old] = moments[:old, :old]
    made[-1, -1] = moments[-1, -1]
    at, before = old, list[tuple[int, FeaturePair]]()
    for pair in pairs:
        place = slice(at, at + pair.size)
        part = pair.shares
        made[place, place] = (
            np.diag(part) - np.outer(part, part) + 1e-4 * np.eye(len(part))
        ) * rows
        for _, groups, spread in pair.sides():
            cells = slice(groups.start, groups.start + len(groups.group))
            held = shares[cells]
            inner = held[:, None] * (spread[groups.group] - part[None, :]) * rows
            made[cells, place], made[place, cells] = inner, inner.T
        for start, other in before:
            inner = _shared(other, pair) * rows
            there = slice(start, start + other.size)
            made[there, place], made[place, there] = inner, inner.T
        before.append((at, pair))
        at += pair.size
    return made


def _shared(one: FeaturePair, two: FeaturePair) -> Floats:
    """The covariance of cells of two pairs, which may have one feature in common."""
    found = np.zeros((one.size, two.size))
    for first, groups, spread in one.sides():
        for second, _, other in two.sides():
            if first == second:
                found += (spread * groups.shares[:, None]).T @ other
                found -= np.outer(one.shares, two.shares)
    return found
