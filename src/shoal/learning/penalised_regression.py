"""Ridge and lasso: the sums of linear regression, and a penalty on what they say."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from shoal.exact import Number, positive
from shoal.learning.exact_sums import Floats, Integers
from shoal.learning.found_ranges import RangedRows
from shoal.learning.linear_model import LinearModel
from shoal.learning.penalties import Evidence, lasso_fit, lasso_penalty, ridge_fit, ridge_variance
from shoal.learning.row_designs import LinearDesign
from shoal.learning.training_plan import NoisySums, PlannedSum
from shoal.learning.whitened_rounds import pooled_rounds


@dataclass(kw_only=True, eq=False, repr=False)
class PenalisedRegression(LinearModel):
    """A line from released second moments and gradients, with a penalty on its slopes."""

    alpha: Number | None = None

    def _planned_sums(self, design: LinearDesign) -> list[PlannedSum]:
        if self.alpha is not None:
            positive(self.alpha, "alpha")
        return super()._planned_sums(design)

    def _theta(self, ranged: RangedRows, target: Integers, sums: NoisySums) -> Floats:
        found, variance, _ = pooled_rounds(ranged, target, sums)
        evidence = Evidence.of(*found.normal_equations(variance), variance)
        return np.asarray(ranged.back @ self._penalised(evidence))

    @abstractmethod
    def _penalised(self, evidence: Evidence) -> Floats:
        """Coefficients of scaled columns, from released numbers."""


class Ridge(PenalisedRegression):
    """Linear regression with slopes that are pulled to zero by the sum of their squares.

    ``alpha`` is that of scikit-learn's Ridge for columns of variance 1; by default it is fitted to
    released numbers, so that nothing needs tuning.  Pulled slopes have no intervals.

    Guarantee: the releases of `LinearRegression`, together at the stated price; ``alpha`` and all
        else is made of them.
    Needs: ``columns`` and ``target_range`` are public facts.
    Edges: rows without a target add nothing.
    Proof: training.md, *Least squares*.
    """

    def _penalised(self, evidence: Evidence) -> Floats:
        width = (
            ridge_variance(evidence)
            if self.alpha is None
            else evidence.variance / float(positive(self.alpha, "alpha"))
        )
        self.alpha_ = evidence.variance / width
        return ridge_fit(evidence, width)


class Lasso(PenalisedRegression):
    """Linear regression with slopes that are pulled to zero by the sum of their sizes: few are left.

    ``alpha`` is that of scikit-learn's Lasso for columns of variance 1; by default it is the least
    that chance and noise would rarely pass, from released numbers.

    Guarantee, Needs, Edges, Proof: as `Ridge`.
    """

    def _penalised(self, evidence: Evidence) -> Floats:
        half = float(self.target_.half)
        penalty = (
            lasso_penalty(evidence)
            if self.alpha is None
            else float(positive(self.alpha, "alpha")) / half
        )
        self.alpha_ = penalty * half
        return lasso_fit(evidence, penalty)
