"""Inverse sensitivity: answers that few changes of the data would make true are the likely ones."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from shoal import events
from shoal.errors import RangeError
from shoal.exact import Grid, Number, closed_unit, non_negative, positive, whole
from shoal.functions.rows import BoundedRows
from shoal.measures import Measure, Pure
from shoal.mechanisms import Exponential
from shoal.mechanisms.affordable_parameters import pure_epsilon_of
from shoal.mechanisms.mechanism import Mechanism
from shoal.sensitivity import Norm, Relation, Sensitivity

Steps = NDArray[np.int64]


@dataclass(frozen=True)
class Target(ABC):
    """A statistic of bounded rows that knows how many rows must change for it to take a value."""

    rows: BoundedRows

    @abstractmethod
    def lengths(self, steps: Steps, lows: Steps, highs: Steps) -> Steps:
        """For each pair, the fewest rows that must change for the statistic to lie from low to
        high.
        """

    @abstractmethod
    def exactly(self, steps: Steps) -> Fraction:
        """The statistic itself, in steps."""


@dataclass(frozen=True)
class RankTarget(Target):
    """The row of one rank, from 1, in sorted order."""

    rank: int

    def lengths(self, steps: Steps, lows: Steps, highs: Steps) -> Steps:
        """Rows below the low end must go up until fewer than ``rank`` are left; rows up to the high
        end, likewise down.
        """
        ordered = np.sort(steps)
        below = np.searchsorted(ordered, lows, side="left")
        upto = np.searchsorted(ordered, highs, side="right")
        needed = np.maximum(below - (self.rank - 1), self.rank - upto)
        return np.maximum(needed, 0)

    def exactly(self, steps: Steps) -> Fraction:
        return Fraction(int(np.sort(steps)[self.rank - 1]))


@dataclass(frozen=True)
class MeanTarget(Target):
    """The mean of all rows."""

    def lengths(self, steps: Steps, lows: Steps, highs: Steps) -> Steps:
        """The lowest rows go to the top first, each gaining the most; or the highest to the
        bottom.
        """
        ordered, count, total = np.sort(steps), self.rows.size, int(steps.sum())
        gains = np.concatenate([[0], np.cumsum(self.rows.width - ordered)])
        losses = np.concatenate([[0], np.cumsum(ordered[::-1])])
        up = np.searchsorted(gains, np.maximum(lows * count - total, 0), side="left")
        down = np.searchsorted(losses, np.maximum(total - highs * count, 0), side="left")
        return np.maximum(up, down)

    def exactly(self, steps: Steps) -> Fraction:
        return Fraction(int(steps.sum()), self.rows.size)


@dataclass(frozen=True, init=False, repr=False)
class InverseSensitivity(Mechanism):
    """Choose a point of a public grid by how few rows would have to change to make it the answer.

    The score of a point is minus the fewest rows to change until the statistic lies within
    ``radius`` of it.  Made by `median`, `quantile` and `mean`.

    Guarantee: epsilon-DP, exactly, and of bounded range: epsilon^2 / 8 zero-concentrated.
    Needs: a public number of rows, under CHANGE; a public range, cut into ``points`` points.
    Edges: the answer is within radius and half a point of the statistic of a dataset `error`
        changes away.  A radius of 0 gives nothing to points between the rows but what chance does.
    Reference: Asi and Duchi 2020, mechanisms M_inv and its relaxation.  Proof: inverse_sensitivity.md.

    >>> mechanism = InverseSensitivity.median(epsilon=1, size=1001, low=0, high=120)
    >>> mechanism.error("0.95"), str(mechanism.cost)
    (19.75..., 'epsilon 1')
    >>> answer = mechanism.release([18 + i * i % 73 for i in range(1001)])
    """

    epsilon: Fraction
    target: Target
    points: int
    radius: int

    def __init__(
        self, *, epsilon: Number, target: Target, points: int = 1025, radius: Number | None = None
    ) -> None:
        put = object.__setattr__
        put(self, "epsilon", positive(epsilon, "epsilon"))
        put(self, "target", target)
        rows = target.rows
        count = whole(points, "points", at_least=2)
        if count > min(rows.width + 1, 1 << 24) or rows.width * rows.size >= 1 << 62:
            raise RangeError(
                "points must be at most 2^24 and at most the steps of the grid, and the sum of all rows below 2^62 steps.",
                remedy="Choose fewer points, a finer grid for few rows or a coarser one for very many.",
            )
        put(self, "points", count)
        half = math.ceil(Fraction(rows.width, 2 * (count - 1)))
        if radius is not None:
            half = math.floor(non_negative(radius, "radius") / rows.grid.spacing)
        put(self, "radius", half)

    @classmethod
    def median(
        cls,
        *,
        epsilon: Number,
        size: int,
        low: Number,
        high: Number,
        points: int = 1025,
        radius: Number | None = None,
        grid: Grid | None = None,
    ) -> Self:
        """For the middle row; of an even number the lower one."""
        return cls.quantile(
            "1/2",
            epsilon=epsilon,
            size=size,
            low=low,
            high=high,
            points=points,
            radius=radius,
            grid=grid,
        )

    @classmethod
    def quantile(
        cls,
        level: Number,
        *,
        epsilon: Number,
        size: int,
        low: Number,
        high: Number,
        points: int = 1025,
        radius: Number | None = None,
        grid: Grid | None = None,
    ) -> Self:
        """For the first row at or below which this share of all rows lies."""
        rows = BoundedRows.read(size=size, low=low, high=high, grid=grid)
        rank = max(1, math.ceil(closed_unit(level, "level") * rows.size))
        return cls(epsilon=epsilon, target=RankTarget(rows, rank), points=points, radius=radius)

    @classmethod
    def mean(
        cls,
        *,
        epsilon: Number,
        size: int,
        low: Number,
        high: Number,
        points: int = 1025,
        radius: Number | None = None,
        grid: Grid | None = None,
    ) -> Self:
        """For the mean of all rows."""
        rows = BoundedRows.read(size=size, low=low, high=high, grid=grid)
        return cls(epsilon=epsilon, target=MeanTarget(rows), points=points, radius=radius)

    def for_budget(self, budget: Measure) -> Self:
        """The same with the largest epsilon that a budget allows."""
        spacing = self.target.rows.grid.spacing
        return type(self)(
            epsilon=pure_epsilon_of(budget),
            target=self.target,
            points=self.points,
            radius=self.radius * spacing,
        )

    @property
    def size(self) -> int:
        """How many rows there are."""
        return self.target.rows.size

    @property
    def cost(self) -> Pure:
        """What one release costs."""
        return Pure(self.epsilon)

    @cached_property
    def _choice(self) -> Exponential:
        moved = Sensitivity(Fraction(1), Norm.LINF, Relation.CHANGE)
        return Exponential(epsilon=self.epsilon, sensitivity=moved)

    @property
    def event(self) -> events.Exponential:
        """The description of one release."""
        return self._choice.event_for(candidates=self.points)

    def error(self, confidence: Number) -> float:
        """How many rows of the data, changed, make the answer right within the radius, at this
        confidence.

        For data whose statistic lies within the radius of a point, as all do with the usual radius.
        """
        return self._choice.error(confidence, candidates=self.points)

    def release(self, data: Iterable[Any]) -> float:
        """A point of the grid.

        Guarantee: what `cost` says.
        """
        rows = self.target.rows
        return float(rows.number(self.chosen_steps(rows.steps(data))))

    def chosen_steps(self, steps: Steps) -> int:
        """The same for rows that are steps already, in steps above the low end."""
        return int(self.places[int(self._choice.release(self._scores(steps)))])

    def probabilities(self, data: Iterable[Any]) -> dict[float, float]:
        """The exact law of the answer, rounded down: for teaching and checking, never for
        publishing.
        """
        law = self._choice.probabilities(self.scores(data))
        numbers = [float(self.target.rows.number(int(place))) for place in self.places]
        return dict(zip(numbers, law.values(), strict=True))

    @cached_property
    def places(self) -> Steps:
        """The points, in steps above the low end."""
        return np.arange(self.points, dtype=np.int64) * self.target.rows.width // (self.points - 1)

    def scores(self, data: Iterable[Any]) -> Steps:
        """Minus the number of changes for each point.  They are private."""
        return self._scores(self.target.rows.steps(data))

    def _scores(self, steps: Steps) -> Steps:
        lows = np.maximum(self.places - self.radius, 0)
        highs = np.minimum(self.places + self.radius, self.target.rows.width)
        return -self.target.lengths(steps, lows, highs)
