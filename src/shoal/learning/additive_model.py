"""Additive models: one curve for every feature, which can be drawn, learned in rounds of noisy
histograms.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.isotonic import IsotonicRegression

from shoal.errors import FactsError, UnknownNameError
from shoal.exact import Number
from shoal.learning.centred_rows import CentredBinnedRows, centred_moments, typical_length
from shoal.learning.estimator import TARGET, two_classes
from shoal.learning.exact_sums import Floats
from shoal.learning.feature_columns import FeatureColumn
from shoal.learning.logistic_regression import COUNTS, PrivateClassifier, logistic_residuals
from shoal.learning.posterior_rounds import (
    RESIDUAL,
    PooledRounds,
    rounds,
)
from shoal.learning.row_designs import Arrays, BinnedDesign, BinnedRows
from shoal.learning.training_plan import NoisySums, PlannedSum
from shoal.learning.whitened_rounds import LENGTH

_FLATTER = 0.7


class Shape(NamedTuple):
    """What one feature adds to the score: the bins of a number by their ends, or levels.

    ``places`` are the lower ends of bins (of a moment, microseconds since 1970) or the levels;
    ``missing`` is what a missing number adds.
    """

    name: str
    places: list[Any]
    values: Floats
    missing: float | None


class AdditiveClassifier(PrivateClassifier):
    """A sum of one curve per feature, for two classes: as easy to read as a table, and often as
    good as boosted trees.

    A number has ``bins`` equal bins over its declared range and a prior under which neighbouring
    bins have similar values; a category has its levels.  How strong the priors are is fitted to
    released numbers, so that nothing needs tuning.  ``monotone`` says which curves must rise (1) or
    fall (-1); that is done after the fit and costs nothing.

    Guarantee: one release of counts, then ``rounds`` of gradient histograms over all features,
        together at the stated price.
    Needs: ``columns`` and ``classes`` are public facts.
    Edges: rows whose target is none of the classes add nothing.
    Proof: training.md, *Rows*.
    """

    def __init__(
        self,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        rho: Number | None = None,
        columns: Any = None,
        classes: Any = None,
        nullable: Sequence[str] = (),
        rows_per_person: int = 1,
        rounds: int = 12,
        bins: int = 32,
        monotone: Mapping[str, int] | None = None,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.rho = rho
        self.columns = columns
        self.classes = classes
        self.nullable = nullable
        self.rows_per_person = rows_per_person
        self.rounds = rounds
        self.bins = bins
        self.monotone = monotone

    def _sums(self, columns: tuple[FeatureColumn, ...]) -> list[PlannedSum]:
        self._check_monotone(columns)
        design = BinnedDesign(columns, self.bins)
        cells = len(columns) + 1
        share = (1 - COUNTS) / self.rounds
        gradient = (LENGTH * RESIDUAL) ** 2
        return [
            PlannedSum("counts", design.size + 1, cells + 1, Fraction(COUNTS)),
            *(
                PlannedSum(f"gradient {at + 1}", design.size, gradient, share)
                for at in range(self.rounds)
            ),
        ]

    def _train(self, columns: tuple[FeatureColumn, ...], arrays: Arrays, sums: NoisySums) -> None:
        design = BinnedDesign(columns, self.bins)
        codes = two_classes(self.target_).codes(arrays[TARGET])
        rows = BinnedRows(design, arrays, codes < 2)
        labels = (codes == 1).astype(np.int64)
        told = np.append(rows.gradient(np.ones_like(labels), 1), labels.sum())
        noisy, _ = sums.release("counts", told)
        self.counts_ = _counts(design, noisy)
        posterior, length = _started(design, self.counts_, float(noisy[-1]))
        shares, spans = self.counts_ / self.counts_[-1], _of_columns(design)
        centred = CentredBinnedRows(rows, shares, spans, length)
        residuals, unit = logistic_residuals(labels), centred.unit / RESIDUAL
        rounds(centred, posterior, sums, self.rounds, residuals, most_row=1, unit=unit)
        theta = posterior.theta.copy()
        theta[-1] -= float(theta @ centred.centre)
        self.values_, self.intercept_ = self._curves(design, theta, self.counts_)
        self.bins_ = self.bins

    def _curves(self, design: BinnedDesign, theta: Floats, counts: Floats) -> tuple[Floats, Floats]:
        """Curves with mean 0 over the counted rows, made monotone where that was asked for."""
        values, intercept = theta[:-1].copy(), float(theta[-1])
        wanted = self.monotone or {}
        for each in design.blocks:
            place = slice(each.start, each.stop)
            weights = counts[place] + 1e-3
            if each.ordered and wanted.get(each.name):
                fit = IsotonicRegression(increasing=wanted[each.name] > 0)
                values[place] = fit.fit_transform(
                    np.arange(each.stop - each.start), values[place], weights
                )
        for start, stop in _of_columns(design):
            weights = counts[start:stop] + 1e-3
            mean = float(weights @ values[start:stop] / weights.sum())
            values[start:stop] -= mean
            intercept += mean
        return values, np.array([intercept])

    def _check_monotone(self, columns: tuple[FeatureColumn, ...]) -> None:
        numbers = {each.name for each in columns if each.ordered}
        for name, way in (self.monotone or {}).items():
            if name not in numbers or way not in (-1, 0, 1):
                raise FactsError(
                    f"monotone names {str(name)[:40]!r}, which is no number among the features, or gives no 1 or -1.",
                    remedy="Write monotone={'age': 1} for a curve that rises, -1 for one that falls.",
                )

    def _scores(self, arrays: Arrays) -> Floats:
        design = BinnedDesign(self._columns(), self.bins_)
        found = np.full(design.codes(arrays).shape[1], float(self.intercept_[0]))
        for line in design.codes(arrays):
            found += self.values_[line]
        return found

    def shape(self, name: str) -> Shape:
        """The curve of one feature: what each of its values adds to the log-odds."""
        design = BinnedDesign(self._columns(), self.bins_)
        for column, (start, stop) in zip(design.columns, _of_columns(design), strict=True):
            if column.name == name:
                return _shape(column, self.values_[start:stop], self.bins_)
        raise UnknownNameError(
            f"there is no feature {str(name)[:40]!r}.",
            remedy=f"The features are: {', '.join(each.name for each in design.columns)}.",
        )

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:  # noqa: ARG002
        """The features, each of which has one curve."""
        return np.array([each.name for each in self._columns()], dtype=object)


def _shape(column: FeatureColumn, values: Floats, bins: int) -> Shape:
    if not column.ordered:
        return Shape(column.name, [*column.levels, "(other)"], values.copy(), None)
    ends = np.linspace(float(column.low or 0), float(column.high or 0), bins + 1)[:-1]
    missing = float(values[bins]) if column.nullable else None
    return Shape(column.name, ends.tolist(), values[:bins].copy(), missing)


def _of_columns(design: BinnedDesign) -> list[tuple[int, int]]:
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
    for start, stop in _of_columns(design):
        total = float(counts[start:stop].sum())
        counts[start:stop] *= rows / total if total > 0 else 0.0
    counts[-1] = rows
    return np.asarray(counts)


def _started(design: BinnedDesign, counts: Floats, second: float) -> tuple[PooledRounds, float]:
    rows = float(counts[-1])
    rate = float(np.clip(second / rows, 0.02, 0.98))
    start = np.zeros(design.size)
    start[-1] = np.log(rate / (1 - rate))
    none = np.full(design.size, np.nan)
    moments = centred_moments(counts / rows, none, _of_columns(design), rows)
    length = typical_length(moments, rows)
    spread = _FLATTER * rate * (1 - rate)
    return PooledRounds(moments, spread, design.blocks, start, level=0.1), length
