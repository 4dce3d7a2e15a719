"""The rounds of an additive model: counts once, gradients of all curves, and half way one look for
pairs of features, whose grids the later rounds fit as well.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from shoal.learning.centred_rows import CentredBinnedRows, centred_moments, typical_length
from shoal.learning.exact_sums import Floats, Integers, whole_weights
from shoal.learning.feature_pairs import COARSE, FINE, CellGroups, FeaturePair, paired_moments
from shoal.learning.linear_moments import COUNTS
from shoal.learning.pair_selection import ENOUGH, chosen, grid_sums, mark_of_pairs
from shoal.learning.posterior_rounds import RESIDUAL, PooledRounds
from shoal.learning.row_designs import BinnedDesign, BinnedRows
from shoal.learning.training_plan import NoisySums, PlannedSum
from shoal.learning.whitened_rounds import LENGTH


class LossSizes(NamedTuple):
    """How much a loss releases, known before rows are read.

    ``mark`` is what a row counts in the first release, where there are ``totals`` sums over targets,
    to each of which a row adds at most a mark; each round releases ``extra`` numbers beside the
    gradient, to which a row adds squares of ``beside_squared`` at most.
    """

    mark: int
    totals: int
    extra: int
    beside_squared: int


class AdditiveLoss(Protocol):
    """A loss of scores: whole residuals of at most `RESIDUAL` in size, and what they are worth.

    ``begin`` gives the first score and the curvature, from the means of what ``total`` says and
    their noise.  ``level`` and ``first`` are those of `PooledRounds`.
    """

    @property
    def level(self) -> float: ...

    @property
    def first(self) -> float: ...

    @property
    def unit(self) -> float: ...

    @property
    def variance(self) -> float: ...

    def total(self) -> Integers: ...

    def begin(self, means: Floats, noise: float) -> tuple[float, float]: ...

    def residuals(self, scores: Integers) -> Integers: ...

    def beside(self) -> Integers: ...

    def hear(self, noisy: Floats, sigma: float, rows: float) -> None: ...


@dataclass(frozen=True)
class AdditivePlan:
    """What an additive model releases: ``rounds`` times as much as fits, one of them for pairs."""

    design: BinnedDesign
    rounds: int
    candidates: Sequence[tuple[int, int]]
    most_pairs: int
    loss: LossSizes

    @property
    def looks(self) -> int:
        """The round in which pairs are looked for; 0 if there are none to be found."""
        return (self.rounds + 1) // 2 if self.candidates and self.most_pairs else 0

    def size(self, at: int) -> int:
        """How many numbers a round can need."""
        size = self.design.size + (self.most_pairs * FINE**2 if 0 < self.looks < at else 0)
        if at == self.looks:
            size = max(size, sum(self._cells(a) * self._cells(b) for a, b in self.candidates))
        return size + self.loss.extra

    def _cells(self, at: int) -> int:
        column = self.design.columns[at]
        return COARSE if column.ordered else len(column.levels) + 1

    def sums(self) -> list[PlannedSum]:
        """All sums; whatever a round is used for, a row moves it by as much at most."""
        share = (1 - COUNTS) / self.rounds
        mark, totals = self.loss.mark, self.loss.totals
        cells = len(self.design.columns) + 1 + totals
        squared = (LENGTH * RESIDUAL) ** 2 + self.loss.beside_squared
        return [
            PlannedSum("counts", self.design.size + totals, cells * mark * mark, COUNTS),
            *(
                PlannedSum(f"gradient {at}", self.size(at), squared, share)
                for at in range(1, self.rounds + 1)
            ),
        ]


class AdditiveFit(NamedTuple):
    """Coefficients of cells, those of pairs after them and the intercept last, and counts."""

    theta: Floats
    counts: Floats
    pairs: list[FeaturePair]


class AdditiveRounds:
    """One training, which reads rows through the planned sums alone."""

    def __init__(
        self, plan: AdditivePlan, rows: BinnedRows, loss: AdditiveLoss, sums: NoisySums
    ) -> None:
        self._plan, self._rows, self._loss, self._sums = plan, rows, loss, sums
        self._spans = spans_of(plan.design)
        ones = np.full(rows.codes.shape[1], plan.loss.mark, dtype=np.int64)
        told = np.concatenate([rows.gradient(ones, plan.loss.mark), loss.total()])
        noisy, sigma = sums.release("counts", told)
        size = plan.design.size
        self.counts = _counts(plan.design, noisy[:size] / plan.loss.mark)
        self._count = float(self.counts[-1])
        mu = math.sqrt(len(plan.design.columns) + 1 + plan.loss.totals) * plan.loss.mark / sigma
        self._worth = self._count * mu / math.sqrt(float(COUNTS))
        self.shares = self.counts / self._count
        worth = 1 / (plan.loss.mark * self._count)
        begin, curvature = loss.begin(noisy[size:] * worth, sigma * worth)
        start = np.zeros(rows.size)
        start[-1] = begin
        none = np.full(rows.size, np.nan)
        self._moments = centred_moments(self.shares, none, self._spans, self._count)
        blocks = plan.design.blocks
        self._posterior = PooledRounds(
            self._moments, curvature, blocks, start, level=loss.level, first=loss.first
        )
        self._centre(rows, self.shares, self._spans, self._moments)
        self.pairs: list[FeaturePair] = []

    def fit(self) -> AdditiveFit:
        """Every round; in the one for pairs either those, or one gradient more."""
        plan = self._plan
        for at in range(1, plan.rounds + 1):
            weights, bits = whole_weights(np.clip(self._posterior.theta, -500, 500), 1)
            residuals = self._loss.residuals(self._centred.scores(weights, bits))
            if at == plan.looks and self._worth > ENOUGH * math.sqrt(len(plan.candidates)):
                self._look(at, residuals)
            else:
                unit = self._centred.unit / RESIDUAL * self._loss.unit
                noisy, sigma = self._released(at, self._centred.gradient(residuals, RESIDUAL))
                self._posterior.observe(noisy * unit, sigma * unit)
        theta = self._posterior.theta.copy()
        theta[-1] -= float(theta @ self._centred.centre)
        return AdditiveFit(theta, self.counts, self.pairs)

    def _released(self, at: int, found: Integers) -> tuple[Floats, float]:
        """The planned sums of a round: what was found, zeros up to the planned size, and what the
        loss needs beside it.
        """
        extra = self._plan.loss.extra
        told = np.zeros(self._plan.size(at), dtype=np.int64)
        told[: len(found)] = found
        told[len(told) - extra :] = self._loss.beside()
        noisy, sigma = self._sums.release(f"gradient {at}", told)
        self._loss.hear(noisy[len(told) - extra :], sigma, self._count)
        return noisy[: len(found)], sigma

    def _look(self, at: int, residuals: Integers) -> None:
        """Choose pairs, and take their cells among the coefficients."""
        candidates = self._plan.candidates
        coarse = [self._pair(each, COARSE) for each in candidates]
        exact = grid_sums(coarse, self._rows.codes, residuals, self._rows.keep)
        unit = self._loss.unit / RESIDUAL / mark_of_pairs(len(candidates))
        noisy, sigma = self._released(at, exact)
        places = chosen(
            coarse, noisy * unit, sigma * unit,
            rows=self._count, variance=self._loss.variance, most=self._plan.most_pairs,
        )  # fmt: skip
        if places:
            self._take([self._pair(candidates[place], FINE) for place in places])

    def _pair(self, places: tuple[int, int], most: int) -> FeaturePair:
        made = []
        for at in places:
            start, stop = self._spans[at]
            ordered = self._plan.design.columns[at].ordered
            part, bins = self.shares[start:stop], self._plan.design.bins
            made.append(CellGroups.of(start, part, bins, most, ordered=ordered))
        return FeaturePair(places, *made)

    def _take(self, pairs: list[FeaturePair]) -> None:
        moments = paired_moments(self._moments, self.shares, pairs, self._count)
        at, lines, blocks, spans = self._rows.size - 1, [], [], list(self._spans)
        for number, each in enumerate(pairs):
            lines.append(each.codes(self._rows.codes) + (at - self._rows.size + 1))
            blocks.append(each.block(f"pair {number}", at))
            spans.append((at, at + each.size))
            at += each.size
        more = np.concatenate([each.shares for each in pairs])
        shares = np.concatenate([self.shares[:-1], more, self.shares[-1:]])
        self._centre(self._rows.beside(np.array(lines), len(more)), shares, spans, moments)
        self._posterior.widen(moments, blocks)
        self.pairs = pairs

    def _centre(
        self, rows: BinnedRows, shares: Floats, spans: Sequence[tuple[int, int]], moments: Floats
    ) -> None:
        length = typical_length(moments, self._count)
        self._centred = CentredBinnedRows(rows, shares, spans, length)


def spans_of(design: BinnedDesign) -> list[tuple[int, int]]:
    """Where the cells of each column begin and end, those of missing numbers among them."""
    found, at = [], 0
    for column in design.columns:
        size = design.bins + column.nullable if column.ordered else len(column.levels) + 1
        found.append((at, at + size))
        at += size
    return found


def _counts(design: BinnedDesign, noisy: Floats) -> Floats:
    """Released counts, none below 0, those of each column scaled to one number of rows."""
    rows = max(float(noisy[design.size - 1]), 1.0)
    counts = np.maximum(noisy[: design.size], 0.0)
    for start, stop in spans_of(design):
        total = float(counts[start:stop].sum())
        counts[start:stop] *= rows / total if total > 0 else 0.0
    counts[-1] = rows
    return np.asarray(counts)
