"""Regression of counts: the logarithm of the expected count is linear in the features."""

from __future__ import annotations

import math

import numpy as np

from shoal.errors import FactsError
from shoal.learning.estimator import stated_range
from shoal.learning.exact_sums import Floats
from shoal.learning.feature_columns import FeatureColumn
from shoal.learning.found_ranges import RangedRows
from shoal.learning.log_link_model import LogLinkModel
from shoal.learning.newton_rounds import LinkTables, newton_fit, planned_newton
from shoal.learning.posterior_rounds import RESIDUAL
from shoal.learning.row_designs import LinearDesign
from shoal.learning.training_plan import NoisySums, PlannedSum
from shoal.learning.whitened_rounds import FittedLine


class PoissonRegression(LogLinkModel):
    """Poisson regression with intervals that include the noise.

    ``target_range`` is the declared range of the count and begins at 0; noise grows with its end, so
    declare no more than you need.  The first level of a category is the one that others are compared
    with.

    Guarantee: two releases of column ranges, one of targets, one of second moments, six of gradients and one of the
        curvature, together at the stated price.
    Needs: ``columns`` and ``target_range`` are public facts.
    Edges: rows without a target add nothing; counts above the range count as its end; coefficients
        that rows and budget do not tell are flagged by `coefficients`.
    Proof: training.md, *Newton steps*.
    """

    def _target(self) -> FeatureColumn:
        return stated_range(self.target_range, count=True)

    def _check_target(self, target: FeatureColumn) -> None:
        if not (target.ordered and target.low == 0 and target.half > 0):
            raise FactsError(
                "the target of a Poisson regression must be a count with a range from 0.",
                remedy="State shoal.Range(0, 20) for it.",
            )

    def _planned_sums(self, design: LinearDesign) -> list[PlannedSum]:
        return planned_newton(design)

    def _line(self, ranged: RangedRows, target: Floats, sums: NoisySums) -> FittedLine:
        steps = np.rint(target * RESIDUAL).astype(np.int64)
        tables = _counts_up_to(float(self.target_.high))
        return newton_fit(ranged, (steps + RESIDUAL) >> 1, tables, sums)


def _counts_up_to(most: float) -> LinkTables:
    """Poisson means by score, none above the largest count."""

    def mean(scores: Floats) -> Floats:
        return np.asarray(np.minimum(np.exp(scores), most))

    return LinkTables.of(mean, mean, most, lambda share: math.log(share * most))
