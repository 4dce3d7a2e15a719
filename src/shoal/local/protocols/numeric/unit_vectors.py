"""Unit vectors: a normal vector that is likelier on the side of the true one."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Self

import numpy as np
from flint import arb
from numpy.typing import NDArray

from shoal.errors import DataError, RangeError, ShapeError
from shoal.exact import Number, ball, positive, root_up, upper, whole
from shoal.local.odds import odds_down
from shoal.measures import Pure
from shoal.mechanisms.values import array_of, real_array
from shoal.mechanisms.witness import NoiseWitness, meet
from shoal.noise import Coin, rounded_gaussian
from shoal.sensitivity.claims import Answers

_STEPS = 20
"""A normal coordinate is drawn in steps of 2^-20."""
_GRID = 24
"""A coordinate of the value is a whole number of 2^-24."""
_LARGEST = 1 << 14


@dataclass(frozen=True)
class UnitVector:
    """A normal vector U, ``lean`` times as likely where its product with the value exceeds ``cut``
    as where it does not.

    Guarantee: a report costs its sender ``epsilon``, which is the logarithm of ``lean`` plus what
        rounding can add, rounded up; all comparisons are of whole numbers.
    Needs: vectors of length 1 with 2 to 16384 coordinates; other lengths are scaled to 1.
    Edges: a vector of zeros has no direction and is refused.
    Reference: Bhowmick et al. 2018, PrivUnit; Asi, Feldman and Talwar 2022, PrivUnitG, whose vector
        is normal.  Proof: numeric.md.

    >>> mechanism = UnitVector.for_epsilon(2, dimensions=8)
    >>> mechanism.epsilon <= 2, mechanism.report(np.eye(8)).shape
    (True, (8, 8))
    """

    dimensions: int
    lean: Fraction
    cut: Fraction

    def __post_init__(self) -> None:
        if not 2 <= self.dimensions <= _LARGEST or self.lean <= 1 or self.cut < 0:
            raise RangeError(
                "vectors of 2 to 16384 coordinates, a lean above 1 and a cut of 0 or more are needed.",
                remedy="Let for_epsilon choose the lean and the cut.",
            )

    @classmethod
    def for_epsilon(cls, epsilon: Number, *, dimensions: int) -> Self:
        """The cut with the least error for an epsilon."""
        price, size = positive(epsilon, "epsilon"), whole(dimensions, "dimensions", at_least=2)
        kept = price * (1 - Fraction(1, 2**12))  # a little is left for what rounding adds
        lean = odds_down(kept)
        cuts = [Fraction(step, 64) for step in range(256)]
        best = min((cls(size, lean, cut) for cut in cuts), key=lambda made: made.squared_error)
        return best if best.epsilon <= price else cls(size, lean, Fraction(0))

    @property
    def _slack(self) -> Fraction:
        """How far the product of the rounded vectors can lie from that of the true ones, over the
        length of the value.

        Rounding U moves it by at most sqrt(d) 2^-21, and the length of the rounded value moves the
        cut by its relative error.
        """
        root = root_up(Fraction(self.dimensions))
        return Fraction(1, 2 << _STEPS) * root + (self.cut + 1) * root / (1 << _GRID)

    @cached_property
    def epsilon(self) -> Fraction:
        """What a report costs: the ratio of two chances is the lean times that of the two
        normalisations.
        """
        more, slack = self.lean - 1, self._slack

        def cost() -> arb:
            wide, narrow = (_beyond(ball(self.cut + s)) for s in (-slack, slack))
            return (
                ball(self.lean).log() + ((1 + ball(more) * wide) / (1 + ball(more) * narrow)).log()
            )

        return upper(cost)

    @property
    def cost(self) -> Pure:
        """What one report costs the person who sends it."""
        return Pure(self.epsilon)

    @cached_property
    def _shrunk(self) -> float:
        """The mean of U along the value."""
        density = math.exp(-(float(self.cut) ** 2) / 2) / math.sqrt(2 * math.pi)
        more, tail = float(self.lean) - 1, math.erfc(float(self.cut) / math.sqrt(2)) / 2
        return more * density / (1 + more * tail)

    @cached_property
    def squared_error(self) -> float:
        """The mean squared distance of one estimate from the value, all coordinates together."""
        squared = self.dimensions + float(self.cut) * self._shrunk
        return squared / self._shrunk**2 - 1

    def report(self, vectors: Any) -> NDArray[np.int64]:
        """A report for each row: whole numbers of 2^-20."""
        known = self._on_grid(vectors)
        return meet(
            lambda: self._drawn(known), lambda: NoiseWitness(self, ("direction",), known, Answers())
        )

    def _drawn(self, known: NDArray[np.int64]) -> NDArray[np.int64]:
        limits = self._limits(known)
        noise, kept = rounded_gaussian(Fraction(4**_STEPS)), Coin(1 / self.lean)
        made, left = np.empty_like(known), np.arange(len(known))
        while len(left):
            drawn = noise.many(len(left) * self.dimensions).astype(np.int64)
            drawn = drawn.reshape(len(left), self.dimensions)
            inside = (drawn * known[left]).sum(axis=1) > limits[left]
            taken = inside | kept.many(len(left))
            made[left[taken]] = drawn[taken]
            left = left[~taken]
        return made

    def estimate(self, reports: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The mean of the vectors, and unbiased estimates of the variance of each coordinate."""
        told = array_of(reports, what="reports")
        whole_numbers = told.dtype.kind == "i" and told.ndim == 2
        if not whole_numbers or told.shape[1] != self.dimensions or not len(told):
            raise ShapeError(
                f"rows of {self.dimensions} whole numbers are needed.",
                remedy="Give the reports as `report` made them.",
            )
        scaled = told / (self._shrunk * 2**_STEPS)
        return scaled.mean(axis=0), scaled.var(axis=0) / max(1, len(told) - 1)

    def _on_grid(self, vectors: Any) -> NDArray[np.int64]:
        rows = real_array(vectors, what="coordinates")
        if rows.ndim != 2 or rows.shape[1] != self.dimensions:
            raise ShapeError(
                f"rows of {self.dimensions} numbers are needed.",
                remedy="Give one vector for each person.",
            )
        largest = np.abs(rows).max(axis=1)
        if not (np.isfinite(largest) & (largest > 0)).all():
            raise DataError(
                "one of the vectors has no direction, or is not finite.",
                remedy="Leave out such vectors by a public rule first.",
            )
        # Without this the squares of tiny numbers are 0, and those of huge ones infinite.
        rows = rows / largest[:, None]
        lengths = np.sqrt((rows**2).sum(axis=1))
        rounded: NDArray[np.int64] = np.rint(rows / lengths[:, None] * 2**_GRID).astype(np.int64)
        return rounded

    def _limits(self, known: NDArray[np.int64]) -> NDArray[np.int64]:
        """The least whole product that does not count, for each value."""
        limit = math.floor(self.cut * 2 ** (_STEPS + _GRID))
        return np.full(len(known), limit, dtype=np.int64)


def _beyond(cut: arb) -> arb:
    """The chance that a normal variable exceeds a number."""
    return (cut / arb(2).sqrt()).erfc() / 2
