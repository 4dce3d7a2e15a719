"""The chances of every report under every answer, as whole numbers over one denominator."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from typing import Any, Protocol

import numpy as np
from flint import fmpq, fmpq_mat
from numpy.typing import NDArray

from shoal.errors import CalibrationError, RangeError, ShapeError
from shoal.exact import IntegerArray, Number, ball, lower, positive, whole

_FITS = 1 << 62
LARGEST_DENOMINATOR = 10**6
"""Odds made from an epsilon have at most this denominator: small numbers draw fast and read well.
"""


class Odds(Protocol):
    """A report is the place where a uniform whole number below ``total`` falls in the row of the
    answer.

    A row is cut into one piece for each report, in the order of the reports, as long as its weight.
    """

    @property
    def answers(self) -> int:
        """How many answers there are."""

    @property
    def reports(self) -> int:
        """How many reports there are."""

    @property
    def total(self) -> int:
        """The sum of every row."""

    def weight(self, answer: int, report: int) -> int:
        """The chance of a report under an answer, times ``total``."""

    def row(self, answer: int) -> tuple[int, ...]:
        """All weights under one answer."""

    def largest_ratio(self) -> Fraction | None:
        """The largest ratio of two weights of one report, or None where one of them is 0."""

    def undo(self) -> tuple[tuple[Fraction, ...], ...]:
        """For each report, by what it counts for each answer: multiplied from the left by the
        chances, 1.
        """

    def place(self, answer: int, drawn: int) -> int:
        """The report at the place ``drawn`` of a row."""

    def places(self, answers: IntegerArray, drawn: IntegerArray) -> IntegerArray:
        """The same for whole vectors."""


@dataclass(frozen=True)
class TableOdds:
    """Any odds, written out row by row.

    >>> TableOdds(((3, 1), (0, 4))).largest_ratio() is None
    True
    """

    rows: tuple[tuple[int, ...], ...]

    def __post_init__(self) -> None:
        rows = self.rows
        if len(rows) < 2 or len(rows[0]) < 2 or any(len(row) != len(rows[0]) for row in rows):
            raise ShapeError(
                "a transition matrix needs two answers and two reports or more, and rows of one length.",
                remedy="Give one row for each answer and in it one chance for each report.",
            )
        if any(weight < 0 for row in rows for weight in row):
            raise RangeError(
                "a chance below 0 was given.", remedy="Give chances that are 0 or more."
            )
        if len({sum(row) for row in rows}) != 1 or not self.total:
            raise RangeError(
                "the chances of the reports must add up to 1 under every answer.",
                remedy="Let every row of the matrix have the same sum.",
            )
        if not all(any(column) for column in zip(*rows, strict=True)):
            raise RangeError(
                "a report that no answer leads to was given.", remedy="Leave out its column."
            )

    @property
    def answers(self) -> int:
        return len(self.rows)

    @property
    def reports(self) -> int:
        return len(self.rows[0])

    @property
    def total(self) -> int:
        return sum(self.rows[0])

    def weight(self, answer: int, report: int) -> int:
        return self.rows[answer][report]

    def row(self, answer: int) -> tuple[int, ...]:
        return self.rows[answer]

    def largest_ratio(self) -> Fraction | None:
        columns = [(max(column), min(column)) for column in zip(*self.rows, strict=True)]
        if any(least == 0 for _, least in columns):
            return None
        return max(Fraction(most, least) for most, least in columns)

    def undo(self) -> tuple[tuple[Fraction, ...], ...]:
        """The inverse; with more reports than answers the one that is best for equally common
        answers.
        """
        try:
            return _right_inverse(self.rows, self.total)
        except ZeroDivisionError:
            raise CalibrationError(
                "these odds do not tell the answers apart: different shares lead to the same reports.",
                remedy="Choose odds whose rows are linearly independent.",
            ) from None

    @cached_property
    def _reached(self) -> tuple[tuple[int, ...], ...]:
        return tuple(tuple(accumulate(row)) for row in self.rows)

    def place(self, answer: int, drawn: int) -> int:
        return bisect_right(self._reached[answer], drawn)

    def places(self, answers: IntegerArray, drawn: IntegerArray) -> IntegerArray:
        total = self.total
        if total * self.answers >= _FITS:
            pairs = zip(answers.tolist(), drawn.tolist(), strict=True)
            return np.array([self.place(*pair) for pair in pairs], dtype=np.int64)
        ends = np.array(self._reached) + total * np.arange(self.answers)[:, None]
        found = np.searchsorted(ends.reshape(-1), drawn + total * answers, side="right")
        placed: IntegerArray = found - self.reports * answers
        return placed


@dataclass(frozen=True)
class EvenOdds:
    """The answer itself has one weight, and every other answer another: k-ary randomized response.

    >>> EvenOdds(4, same=5, other=1).row(1)
    (1, 5, 1, 1)
    """

    size: int
    same: int
    other: int

    def __post_init__(self) -> None:
        whole(self.size, "the number of answers", at_least=2)
        whole(self.same, "the weight of the answer itself", at_least=0)
        whole(self.other, "the weight of another answer", at_least=0)
        if self.same == self.other == 0:
            raise RangeError("all weights are 0.", remedy="Give at least one weight above 0.")

    @property
    def answers(self) -> int:
        return self.size

    @property
    def reports(self) -> int:
        return self.size

    @property
    def total(self) -> int:
        return self.same + (self.size - 1) * self.other

    def weight(self, answer: int, report: int) -> int:
        return self.same if answer == report else self.other

    def row(self, answer: int) -> tuple[int, ...]:
        return tuple(self.weight(answer, report) for report in range(self.size))

    def largest_ratio(self) -> Fraction | None:
        most, least = max(self.same, self.other), min(self.same, self.other)
        return Fraction(most, least) if least else None

    def undo(self) -> tuple[tuple[Fraction, ...], ...]:
        same, other = self.undone_weights()
        return tuple(
            tuple(same if report == answer else other for answer in range(self.size))
            for report in range(self.size)
        )

    def undone_weights(self) -> tuple[Fraction, Fraction]:
        """By what a report counts for its own answer, and for every other."""
        lean = self.same - self.other
        if not lean:
            raise CalibrationError(
                "reports that do not depend on the answers estimate nothing.",
                remedy="Give the answer itself another weight than the others.",
            )
        return Fraction(self.total - self.other, lean), Fraction(-self.other, lean)

    def place(self, answer: int, drawn: int) -> int:
        before = answer * self.other
        if before <= drawn < before + self.same:
            return answer
        return (drawn if drawn < before else drawn - self.same + self.other) // self.other

    def places(self, answers: IntegerArray, drawn: IntegerArray) -> IntegerArray:
        truth: NDArray[Any] = answers if self.total < _FITS else answers.astype(object)
        before = truth * self.other
        later = drawn >= before
        kept = later & (drawn < before + self.same)
        shift = later.astype(truth.dtype) * (self.other - self.same)
        moved = (drawn + shift) // max(self.other, 1)
        placed: IntegerArray = np.where(kept, truth, moved).astype(np.int64)
        return placed


def odds_down(epsilon: Number, *, largest: int = LARGEST_DENOMINATOR) -> Fraction:
    """The largest rational at or below e^epsilon whose denominator is at most ``largest``.

    Guarantee: a report whose odds are this ratio costs at most epsilon.

    >>> odds_down("1.0986122886681098"), float(odds_down(1))
    (Fraction(3, 1), 2.718281828458...)
    """
    price, most = positive(epsilon, "epsilon"), whole(largest, "largest", at_least=1)
    target = lower(lambda: ball(price).exp())
    low, high = (math.floor(target), 1), (math.floor(target) + 1, 1)
    while True:  # neighbours in the Stern-Brocot tree, low <= target < high
        room = (most - low[1]) // high[1]
        steps = _steps(target, low, high, room)
        low = (low[0] + steps * high[0], low[1] + steps * high[1])
        room = (most - high[1]) // low[1]
        back = _steps_back(target, low, high, room)
        high = (high[0] + back * low[0], high[1] + back * low[1])
        if steps == back == 0:
            return Fraction(*low)


_Pair = tuple[int, int]


def _steps(target: Fraction, low: _Pair, high: _Pair, room: int) -> int:
    """How often ``high`` can be added to ``low`` without passing the target."""
    gap = high[0] - target * high[1]
    return min(room, math.floor((target * low[1] - low[0]) / gap))


def _steps_back(target: Fraction, low: _Pair, high: _Pair, room: int) -> int:
    """How often ``low`` can be added to ``high`` without reaching the target."""
    gap = target * low[1] - low[0]
    if gap == 0:
        return 0
    return max(0, min(room, math.ceil((high[0] - target * high[1]) / gap) - 1))


def _right_inverse(rows: Sequence[Sequence[int]], total: int) -> tuple[tuple[Fraction, ...], ...]:
    """B with A B = 1 for the chances A, of least variance where every answer is equally common."""
    chances = fmpq_mat([[fmpq(weight, total) for weight in row] for row in rows])
    if len(rows) == len(rows[0]):
        return _fractions(chances.inv())
    if len(rows) > len(rows[0]):
        raise ZeroDivisionError
    weighed = fmpq_mat(
        [[fmpq(weight, sum(column)) for weight in column] for column in zip(*rows, strict=True)]
    )
    return _fractions(weighed * (chances * weighed).inv())


def _fractions(matrix: Any) -> tuple[tuple[Fraction, ...], ...]:
    return tuple(
        tuple(Fraction(int(entry.p), int(entry.q)) for entry in row) for row in matrix.tolist()
    )
