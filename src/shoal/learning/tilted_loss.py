"""A logistic loss with a ridge and a linear tilt: its gradient with a certified error, and its
minimiser to within a stated gradient.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from shoal.exact import root_up
from shoal.learning.exact_sums import Floats, Integers, products
from shoal.learning.feature_columns import STEPS
from shoal.learning.logistic_shares import (
    QUICK_ERROR_BITS,
    SCORE_BITS,
    SHARE_BITS,
    fine_shares,
    quick_shares,
)

GRID_BITS = 56
"""Coefficients are whole numbers of 2^-56, while that is fine enough."""

_UPPER = 28
"""The upper part of a coefficient is a whole number of 2^-28, so that products with rows are exact."""

_HALF = 26
_ROWS = 1 << 14
_SEARCH, _POLISH, _CLOSE = 200, 8, 1e-7


@dataclass(frozen=True)
class Point:
    """Coefficients as whole numbers of 2^-``bits``."""

    steps: tuple[int, ...]
    bits: int = GRID_BITS

    @property
    def largest(self) -> int:
        return max(map(abs, self.steps))

    def moved(self, away: Floats) -> Point | None:
        """These coefficients less ``away``; None if that is no number."""
        if not np.isfinite(away).all():
            return None
        less = (round(Fraction(each) * (1 << self.bits)) for each in away.tolist())
        return Point(tuple(a - b for a, b in zip(self.steps, less, strict=True)), self.bits)

    def finer(self, bits: int) -> Point:
        return Point(tuple(each << (bits - self.bits) for each in self.steps), bits)

    @property
    def floats(self) -> Floats:
        return np.array([each / (1 << self.bits) for each in self.steps])


@dataclass(frozen=True)
class TiltedLoss:
    """The sum over rows of log(1 + exp(-+ x theta)), and ridge |theta|^2 / 2 + tilt theta.

    ``matrix`` has whole steps of 1 / `STEPS`, at most ``columns`` of which are not 0 in a row, each
    of at most one unit; ``second`` says which rows are of the second class.  The tilt is in whole
    numbers of ``step``.
    """

    matrix: Floats
    second: Integers
    columns: int
    ridge: Fraction
    tilt: tuple[int, ...]
    step: Fraction

    def gradient(self, at: Point, bits: int = 0) -> tuple[list[Fraction], Fraction]:
        """The gradient, and by how much it may be off: the length of the difference, at most.

        With ``bits`` shares are computed to that many; otherwise in doubles, where these hold the
        scores.
        """
        if bits == 0 and not self._is_small(at):
            bits = 2 * GRID_BITS
        sums, unit, error = self._quick(at) if bits == 0 else self._fine(at, bits)
        found = [
            Fraction(total, unit) + self.ridge * Fraction(place, 1 << at.bits) + self.step * tilt
            for total, place, tilt in zip(sums, at.steps, self.tilt, strict=True)
        ]
        return found, error * len(self.matrix) * root_up(Fraction(self.columns))

    def _is_small(self, at: Point) -> bool:
        """Whether both parts of every score are exact in doubles, whatever the order of summation."""
        upper = (at.largest >> _UPPER) + 1
        return (
            at.bits == GRID_BITS
            and self.columns * STEPS * upper <= 1 << 53
            and self.columns * STEPS << (_UPPER - 1) <= 1 << 53
        )

    def _quick(self, at: Point) -> tuple[list[int], int, Fraction]:
        upper = [(each + (1 << (_UPPER - 1))) >> _UPPER for each in at.steps]
        lower = [each - (more << _UPPER) for each, more in zip(at.steps, upper, strict=True)]
        parts = np.array([upper, lower], dtype=np.float64).T
        scores = self.matrix @ parts
        # of 64 and more the share is 0 or 1; below, both parts together fit 64 bits
        first = np.clip(scores[:, 0], -(2.0**48), 2.0**48).astype(np.int64) << (SCORE_BITS - 42)
        shares = quick_shares(first + (scores[:, 1].astype(np.int64) >> (70 - SCORE_BITS)))
        left = shares - (self.second << SHARE_BITS)
        high = left >> _HALF
        halves = np.column_stack([high, left - (high << _HALF)]).astype(np.float64)
        total = [0] * len(at.steps)
        for start in range(0, len(left), _ROWS):
            piece = slice(start, start + _ROWS)
            found = products(self.matrix[piece], halves[piece], STEPS, 1 << _HALF)
            total = [t + (a << _HALF) + b for t, (a, b) in zip(total, found.tolist(), strict=True)]
        return total, STEPS << SHARE_BITS, Fraction(1, 1 << QUICK_ERROR_BITS)

    def _fine(self, at: Point, bits: int) -> tuple[list[int], int, Fraction]:
        steps = np.array(at.steps, dtype=object)
        total = np.array([0] * len(at.steps), dtype=object)
        for start in range(0, len(self.matrix), _ROWS):
            piece = slice(start, start + _ROWS)
            rows = self.matrix[piece].astype(np.int64).astype(object)
            shares = fine_shares(rows @ steps, at.bits + STEPS.bit_length() - 1, bits)
            left = np.array(shares, dtype=object) - (self.second[piece].astype(object) << bits)
            total = total + left @ rows
        return total.tolist(), STEPS << bits, Fraction(2, 1 << bits)

    def minimiser(self, target: Fraction) -> Point:
        """A point at which the true gradient is no longer than ``target``, certainly.

        It is searched in doubles, and improved with certified gradients.  Where that does not come
        to an end, short steps do, with as many digits as it takes.

        Guarantee: it always ends, and never fails.  How long it takes depends on the rows.
        Proof: objective.md, *Minimiser*.
        """
        theta, curved = self._searched()
        point = Point((0,) * len(self.tilt)).moved(-theta)
        bits = 0
        for turn in range(_POLISH):
            if point is None:
                break
            slope, error = self.gradient(point, bits)
            if is_within(slope, error, target):
                return point
            if bits == 0 and (2 * error > target or turn >= _POLISH // 2):
                bits = 2 * GRID_BITS  # more rows, or a sharper curve, than doubles can tell
                point = point.finer(bits)
            away = _solved(curved, np.array([float(each) for each in slope]))
            point = None if away is None else point.moved(away)
        return self._descended(target)

    def _searched(self) -> tuple[Floats, Floats]:
        """About where the minimum is, and the curvature there, by steps of Newton in doubles: whole
        ones, halved while the loss does not fall, and at last as short as to be sure of it.

        Reference: Sun and Tran-Dinh 2019, for the length that is sure.
        """
        theta = np.zeros(len(self.tilt))
        loss, slope, curved = self._doubles(theta)
        for _ in range(_SEARCH):
            away = _solved(curved, slope)
            if away is None:
                break
            far = math.sqrt(self.columns) * float(np.linalg.norm(away))
            if not far > _CLOSE:
                break
            length, fall = 1.0, float(slope @ away) / 4
            sure = math.log1p(far) / far
            while length > sure and not self._loss(theta - length * away) < loss - length * fall:
                length = max(length / 2, sure)
            theta = theta - length * away
            loss, slope, curved = self._doubles(theta)
        return theta, curved

    def _loss(self, theta: Floats) -> float:
        total = self._tilted(theta)
        for start in range(0, len(self.matrix), _ROWS):
            piece = slice(start, start + _ROWS)
            score = self.matrix[piece] @ theta * (1 / STEPS)
            total += float(np.logaddexp(0, score).sum() - score @ self.second[piece])
        return total

    def _tilted(self, theta: Floats) -> float:
        tilt = float(self.step) * np.array(self.tilt, dtype=np.float64)
        return float(float(self.ridge) / 2 * (theta @ theta) + tilt @ theta)

    def _doubles(self, theta: Floats) -> tuple[float, Floats, Floats]:
        """The loss, its slope and its curvature."""
        total = self._tilted(theta)
        slope = float(self.ridge) * theta + float(self.step) * np.array(self.tilt, dtype=np.float64)
        curved = float(self.ridge) * np.eye(len(theta))
        for start in range(0, len(self.matrix), _ROWS):
            piece = slice(start, start + _ROWS)
            rows = self.matrix[piece] * (1 / STEPS)
            score = rows @ theta
            share = 1 / (1 + np.exp(-np.clip(score, -500, 500)))
            total += float(np.logaddexp(0, score).sum() - score @ self.second[piece])
            slope = slope + (share - self.second[piece]) @ rows
            curved = curved + (rows * (share * (1 - share))[:, None]).T @ rows
        return total, slope, curved

    def _descended(self, target: Fraction) -> Point:
        """Steps of the gradient over the largest curvature there can be, with more and more digits."""
        steepest = self.ridge + Fraction(len(self.matrix) * self.columns, 4)
        point = Point((0,) * len(self.tilt))
        bits = GRID_BITS
        while True:
            bits *= 2
            point = point.finer(bits)
            for _ in range(bits * math.ceil(steepest / self.ridge)):
                slope, error = self.gradient(point, bits)
                if is_within(slope, error, target):
                    return point
                less = (round(each / steepest * (1 << bits)) for each in slope)
                moved = tuple(a - b for a, b in zip(point.steps, less, strict=True))
                point = Point(moved, bits)


def is_within(slope: list[Fraction], error: Fraction, target: Fraction) -> bool:
    """Whether a gradient that may be off by ``error`` is no longer than the target, certainly."""
    room = target - error
    return room >= 0 and sum(each * each for each in slope) <= room * room


def _solved(curved: Floats, slope: Floats) -> Floats | None:
    try:
        return np.asarray(np.linalg.solve(curved, slope), dtype=np.float64)
    except np.linalg.LinAlgError:
        return None
