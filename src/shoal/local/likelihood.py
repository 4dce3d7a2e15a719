"""The likelihood of replies when the chance of each hidden answer depends on covariates."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shoal.exact import IntegerArray
from shoal.local.transition import TransitionMatrix

Floats = NDArray[np.float64]


_BLOCK = 1 << 13
"""So many people are worked on at a time, that what is computed for them stays near the processor.
"""


class HiddenAnswers:
    """Replies, covariates and weights: everything that stays while coefficients change."""

    def __init__(
        self, matrix: TransitionMatrix, told: IntegerArray, rows: Floats, mass: Floats | None
    ) -> None:
        self.people, self.wide = len(told), rows.shape[1]
        self.size = (matrix.odds.answers - 1) * self.wide
        self.spread: Floats = np.where(np.ptp(rows, axis=0) > 0, rows.std(axis=0), np.abs(rows[0]))
        starts = range(0, self.people, _BLOCK)
        pieces = [slice(start, start + _BLOCK) for start in starts]
        self._blocks = [
            PeopleBlock(matrix, told[piece], rows[piece], None if mass is None else mass[piece])
            for piece in pieces
        ]

    def at(self, coefficients: Floats) -> LikelihoodPoint:
        """The likelihood and its derivatives at these coefficients."""
        table = coefficients.reshape(-1, self.wide)
        return LikelihoodPoint([Around(block, table) for block in self._blocks])


class LikelihoodPoint:
    """Coefficients, and what the likelihood of everyone is around them."""

    def __init__(self, parts: list[Around]) -> None:
        self._parts = parts

    @cached_property
    def value(self) -> float:
        """The logarithm of the likelihood; minus infinity where a reply cannot be."""
        return math.fsum(part.value for part in self._parts)

    def slope(self) -> Floats:
        """The derivative along every coefficient."""
        return _added(part.slope() for part in self._parts)

    def observed(self) -> Floats:
        """Minus the second derivative."""
        return _added(part.observed() for part in self._parts)

    def expected(self) -> Floats:
        """Its mean over the replies that could have come."""
        return _added(part.expected() for part in self._parts)


def _added(parts: Iterable[Floats]) -> Floats:
    total: Floats = np.add.reduce(list(parts))
    return total


@dataclass(frozen=True)
class PeopleBlock:
    """Some of the people."""

    matrix: TransitionMatrix
    told: IntegerArray
    rows: Floats
    mass: Floats | None

    @cached_property
    def chances(self) -> Floats:
        """The matrix in floats: answers by reports."""
        odds = self.matrix.odds
        return np.array(
            [[weight / odds.total for weight in odds.row(x)] for x in range(odds.answers)]
        )

    @cached_property
    def under(self) -> list[Floats]:
        """The chance of each person's reply under every answer."""
        return [row[self.told] for row in self.chances]


@dataclass(frozen=True)
class Around:
    """Coefficients, and what the likelihood of a block of people is around them.

    With p the chances of the answers before, and q after the reply, the slope along the logit of an
    answer is q - p, and the observed information p (1 - p) - q (1 - q), crosswise -p p' + q q':
    both laws are softmaxes of the same logits.
    """

    hidden: PeopleBlock
    coefficients: Floats

    @cached_property
    def before(self) -> list[Floats]:
        """The chance of every answer, for each person."""
        logits = [self.hidden.rows @ row for row in self.coefficients]
        top = np.maximum.reduce([np.zeros(len(self.hidden.rows)), *logits])
        grown = [np.exp(-top), *(np.exp(logit - top) for logit in logits)]
        total = np.add.reduce(grown)
        return [each / total for each in grown]

    @cached_property
    def replied(self) -> Floats:
        """The chance of each person's reply."""
        pairs = zip(self.hidden.under, self.before, strict=True)
        total: Floats = np.add.reduce([chance * before for chance, before in pairs])
        return total

    @cached_property
    def after(self) -> list[Floats]:
        """The chance of every answer after the reply."""
        pairs = zip(self.hidden.under, self.before, strict=True)
        return [chance * before / self.replied for chance, before in pairs]

    @cached_property
    def value(self) -> float:
        """The logarithm of the likelihood; minus infinity where a reply cannot be."""
        if not (self.replied > 0).all():
            return -np.inf
        return float(self._weighed(np.log(self.replied)).sum())

    def slope(self) -> Floats:
        """The derivative along every coefficient."""
        parts = [
            self.hidden.rows.T @ self._weighed(after - before)
            for before, after in list(zip(self.before, self.after, strict=True))[1:]
        ]
        return np.concatenate(parts)

    def observed(self) -> Floats:
        """Minus the second derivative."""

        def curve(a: int, b: int) -> Floats:
            p, q = self.before, self.after
            if a == b:
                return p[a] * (1 - p[a]) - q[a] * (1 - q[a])
            return q[a] * q[b] - p[a] * p[b]

        return self._squares({pair: curve(*pair) for pair in self._pairs()})

    def expected(self) -> Floats:
        """Its mean over the replies that could have come."""
        found = {pair: np.zeros(len(self.hidden.told)) for pair in self._pairs()}
        for column in self.hidden.chances.T:
            told = np.add.reduce([c * p for c, p in zip(column, self.before, strict=True)])
            away = [p * (c - told) for c, p in zip(column, self.before, strict=True)]
            safe = np.where(told > 0, told, 1.0)
            for a, b in found:
                found[a, b] += away[a] * away[b] / safe
        return self._squares(found)

    def _pairs(self) -> Iterator[tuple[int, int]]:
        answers = len(self.before)
        return ((a, b) for a in range(1, answers) for b in range(a, answers))

    def _squares(self, curves: dict[tuple[int, int], Floats]) -> Floats:
        """Rows times curvature times rows, block by block."""
        rows = self.hidden.rows
        wide = rows.shape[1]
        size = (len(self.before) - 1) * wide
        whole = np.empty((size, size))
        for (a, b), curve in curves.items():
            block = rows.T @ (rows * self._weighed(curve)[:, None])
            one, two = (a - 1) * wide, (b - 1) * wide
            whole[one : one + wide, two : two + wide] = block
            whole[two : two + wide, one : one + wide] = block.T
        return whole

    def _weighed(self, values: Floats) -> Floats:
        return values if self.hidden.mass is None else values * self.hidden.mass
