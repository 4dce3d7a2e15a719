"""Additive models: one curve for every feature, which can be drawn, and grids for pairs of features
that were found to matter together; learned in rounds of noisy histograms.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import RegressorMixin

from shoal.learning.additive_curves import AdditiveModel
from shoal.learning.additive_losses import SquaredLoss, TwoClassLoss
from shoal.learning.additive_rounds import AdditiveRounds
from shoal.learning.estimator import TARGET, ranged_target, stated_range, two_classes
from shoal.learning.exact_sums import Floats
from shoal.learning.feature_columns import FeatureColumn
from shoal.learning.logistic_regression import PrivateClassifier
from shoal.learning.row_designs import Arrays, BinnedRows
from shoal.learning.training_plan import NoisySums, PlannedSum
from shoal.learning.whitened_rounds import UNIT


@dataclass(kw_only=True, eq=False, repr=False)
class AdditiveClassifier(PrivateClassifier, AdditiveModel):
    """A sum of one curve per feature, for two classes: as easy to read as a table, and often as
    good as boosted trees.

    A number has ``bins`` equal bins over its declared range and a prior under which neighbouring
    bins have similar values; a category has its levels.  How strong the priors are is fitted to
    released numbers, so that nothing needs tuning.  ``monotone`` says which curves must rise (1) or
    fall (-1); that is done after the fit and costs nothing.

    Where there are rows and budget enough, one round looks for ``pairs`` of features, as many at
    most, that say more together than each by itself; their grids are fitted by the later rounds.
    ``pairs=0`` never looks.

    Guarantee: one release of counts, then ``rounds`` of histograms of residuals, over all features
        or, in one of them, over pairs; together at the stated price.
    Needs: ``columns`` and ``classes`` are public facts.
    Edges: rows whose target is none of the classes add nothing.  Categories of eight levels or
        more, and features in ``monotone``, are in no pair.  With more than 40 features that could
        be in one, no pair is looked for.
    Proof: training.md, *Rows*, *Centred rows* and *Additive models*.
    """

    def _sums(self, columns: tuple[FeatureColumn, ...]) -> list[PlannedSum]:
        two_classes(self.target_)
        return self._additive_plan(columns, TwoClassLoss.sizes).sums()

    def _train(self, columns: tuple[FeatureColumn, ...], arrays: Arrays, sums: NoisySums) -> None:
        plan = self._additive_plan(columns, TwoClassLoss.sizes)
        codes = two_classes(self.target_).codes(arrays[TARGET])
        rows = BinnedRows(plan.design, arrays, codes < 2)
        loss = TwoClassLoss((codes == 1).astype(np.int64))
        self._learned(plan.design, AdditiveRounds(plan, rows, loss, sums).fit())

    def _scores(self, arrays: Arrays) -> Floats:
        return self._added(arrays)


@dataclass(kw_only=True, eq=False, repr=False)
class AdditiveRegression(RegressorMixin, AdditiveModel):  # type: ignore[misc]
    """A sum of one curve per feature and a few grids of pairs, for a number: `AdditiveClassifier`
    says what curves, ``bins``, ``pairs`` and ``monotone`` are.

    ``target_range`` is the declared range of the target.  Residuals are clipped to what nearly all
    rows are within, which each round finds for the next one; so the range may be wide.

    Guarantee: one release of counts, then ``rounds`` of histograms of residuals and of their sizes,
        together at the stated price.
    Needs: ``columns`` and ``target_range`` are public facts.
    Edges: rows without a target add nothing.  Features in pairs as for `AdditiveClassifier`.  Of a
        skewed target, clipping makes predictions lean to what is typical, away from the mean.
    Proof: training.md, *Rows*, *Centred rows* and *Additive models*.
    """

    target_range: Any = None

    def _target(self) -> FeatureColumn:
        return stated_range(self.target_range)

    def _sums(self, columns: tuple[FeatureColumn, ...]) -> list[PlannedSum]:
        ranged_target(self.target_)
        return self._additive_plan(columns, SquaredLoss.sizes).sums()

    def _train(self, columns: tuple[FeatureColumn, ...], arrays: Arrays, sums: NoisySums) -> None:
        plan = self._additive_plan(columns, SquaredLoss.sizes)
        target, missing = self.target_.steps(arrays[TARGET], UNIT)
        rows = BinnedRows(plan.design, arrays, ~missing)
        loss = SquaredLoss(target, ~missing)
        self._learned(plan.design, AdditiveRounds(plan, rows, loss, sums).fit())

    def predict(self, X: Any) -> Floats:  # noqa: N803 - scikit-learn's name
        """The expected target of each row, within its declared range."""
        held = np.clip(self._scaled(self._arrays(X)), -1, 1)
        return np.asarray(held * float(self.target_.half) + float(self.target_.middle))

    def _scaled(self, arrays: Arrays) -> Floats:
        """Predictions in halves of the target's range about its middle, each of its row alone."""
        return self._added(arrays)
