"""What an additive model has learned: a curve for each feature, a grid for each pair, and how they
are read and drawn.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.isotonic import IsotonicRegression

from shoal.errors import FactsError, UnknownNameError
from shoal.exact import whole
from shoal.learning.additive_rounds import AdditiveFit, AdditivePlan, LossSizes, spans_of
from shoal.learning.estimator import PrivateEstimator
from shoal.learning.exact_sums import Floats, Integers
from shoal.learning.feature_columns import FeatureColumn
from shoal.learning.feature_pairs import FeaturePair, candidates
from shoal.learning.row_designs import Arrays, BinnedDesign


class Shape(NamedTuple):
    """What one feature adds to the score: the bins of a number by their ends, or levels.

    ``places`` are the lower ends of bins (of a moment, microseconds since 1970) or the levels;
    ``missing`` is what a missing number adds.
    """

    name: str
    places: list[Any]
    values: Floats
    missing: float | None


class PairShape(NamedTuple):
    """What two features together add beside their own curves: one line for each of ``places`` of the
    first, one column for each of the second.
    """

    names: tuple[str, str]
    places: tuple[list[Any], list[Any]]
    values: Floats


@dataclass(kw_only=True, eq=False, repr=False)
class AdditiveModel(PrivateEstimator):
    """What additive models share: curves, grids, and their sum."""

    rounds: int = 12
    bins: int = 32
    pairs: int = 4
    monotone: Mapping[str, int] | None = None

    def _additive_plan(self, columns: tuple[FeatureColumn, ...], loss: LossSizes) -> AdditivePlan:
        rounds = whole(self.rounds, "rounds", at_least=1)
        pairs = whole(self.pairs, "pairs", at_least=0)
        wanted = self.monotone or {}
        numbers = {each.name for each in columns if each.ordered}
        for name, way in wanted.items():
            if name not in numbers or way not in (-1, 0, 1):
                raise FactsError(
                    f"monotone names {str(name)[:40]!r}, which is no number among the features, or gives no 1 or -1.",
                    remedy="Write monotone={'age': 1} for a curve that rises, -1 for one that falls.",
                )
        design = BinnedDesign(columns, whole(self.bins, "bins", at_least=1))
        fitting = candidates(columns, [name for name, way in wanted.items() if way])
        return AdditivePlan(design, rounds, fitting, pairs, loss)

    def _learned(self, design: BinnedDesign, fit: AdditiveFit) -> None:
        """Keep curves with mean 0 over the counted rows, monotone where that was asked for, and
        grids whose lines and columns have mean 0, as if features were independent.
        """
        size = design.size - 1
        values, at = fit.theta[:size].copy(), size
        intercept, grids = float(fit.theta[-1]), []
        for each in fit.pairs:
            grid = fit.theta[at : at + each.size].reshape(each.left.size, each.right.size).copy()
            at += each.size
            intercept += _alone(each, grid, values)
            grids.append(grid)
        wanted = self.monotone or {}
        for block in design.blocks:
            place = slice(block.start, block.stop)
            if block.ordered and wanted.get(block.name):
                line = IsotonicRegression(increasing=wanted[block.name] > 0)
                steps = np.arange(block.stop - block.start)
                line.fit(steps, values[place], fit.counts[place] + 1e-3)
                values[place] = line.predict(steps)
        for start, stop in spans_of(design):
            weights = fit.counts[start:stop] + 1e-3
            mean = float(weights @ values[start:stop] / weights.sum())
            values[start:stop] -= mean
            intercept += mean
        self.counts_, self.values_, self.intercept_ = fit.counts, values, np.array([intercept])
        self.bins_ = design.bins
        names = [each.name for each in design.columns]
        self.pairs_ = tuple(tuple(names[place] for place in each.places) for each in fit.pairs)
        self.pair_values_ = tuple(grids)
        self.pair_groups_ = tuple((each.left.group, each.right.group) for each in fit.pairs)

    def _added(self, arrays: Arrays) -> Floats:
        """The sum of curves and grids for each row, which depends on that row alone."""
        design = BinnedDesign(self._columns(), self.bins_)
        cells = design.codes(arrays)
        found = np.full(cells.shape[1], float(self.intercept_[0]))
        for line in cells:
            found += self.values_[line]
        for names, groups, grid in zip(
            self.pairs_, self.pair_groups_, self.pair_values_, strict=True
        ):
            lines = [
                group[cells[at] - spans_of(design)[at][0]]
                for at, group in zip(self._places(names), groups, strict=True)
            ]
            found += grid[lines[0], lines[1]]
        return found

    def _places(self, names: tuple[str, ...]) -> list[int]:
        known = [each.name for each in self._columns()]
        for name in names:
            if name not in known:
                raise UnknownNameError(
                    f"there is no feature {str(name)[:40]!r}.",
                    remedy=f"The features are: {', '.join(known)}.",
                )
        return [known.index(name) for name in names]

    def shape(self, name: str) -> Shape:
        """The curve of one feature: what each of its values adds to the score."""
        design = BinnedDesign(self._columns(), self.bins_)
        (place,) = self._places((name,))
        start, stop = spans_of(design)[place]
        column, values = design.columns[place], self.values_[start:stop]
        if not column.ordered:
            return Shape(name, _cell_names(column, self.bins_), values.copy(), None)
        missing = float(values[self.bins_]) if column.nullable else None
        return Shape(name, _cell_names(column, self.bins_), values[: self.bins_].copy(), missing)

    def pair_shape(self, first: str, second: str) -> PairShape:
        """The grid of a pair that was chosen, as ``pairs_`` lists it."""
        columns = self._columns()
        places = self._places((first, second))
        if (first, second) not in self.pairs_:
            raise UnknownNameError(
                f"{first!r} and {second!r} are no pair of this model.",
                remedy=f"The pairs are: {', '.join(' and '.join(each) for each in self.pairs_) or 'none'}.",
            )
        at = self.pairs_.index((first, second))
        names = [
            _group_names(columns[place], group, self.bins_)
            for place, group in zip(places, self.pair_groups_[at], strict=True)
        ]
        return PairShape((first, second), (names[0], names[1]), self.pair_values_[at].copy())

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:  # noqa: ARG002
        """The features, each of which has one curve."""
        return np.array([each.name for each in self._columns()], dtype=object)


def _alone(pair: FeaturePair, grid: Floats, values: Floats) -> float:
    """Move what a grid says about each feature alone to its curve, and its mean, which is given, to
    the intercept.
    """
    left, right = pair.left, pair.right
    lines, columns = grid @ right.shares, left.shares @ grid
    mean = float(left.shares @ lines)
    values[left.start : left.start + len(left.group)] += (lines - mean)[left.group]
    values[right.start : right.start + len(right.group)] += (columns - mean)[right.group]
    grid -= lines[:, None] + columns[None, :] - mean
    return mean


def _cell_names(column: FeatureColumn, bins: int) -> list[Any]:
    if not column.ordered:
        return [*column.levels, "(other)"]
    ends = np.linspace(float(column.low or 0), float(column.high or 0), bins + 1)[:-1]
    return list(ends.tolist())


def _group_names(column: FeatureColumn, group: Integers, bins: int) -> list[Any]:
    """The first cell of each group."""
    names = _cell_names(column, bins)
    return [names[int(np.flatnonzero(group == at)[0])] for at in range(int(group.max()) + 1)]
