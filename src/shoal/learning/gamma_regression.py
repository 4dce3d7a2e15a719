"""Regression of amounts above 0, such as costs and durations, whose spread grows with their mean."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from shoal.errors import FactsError
from shoal.learning.estimator import stated_range
from shoal.learning.exact_sums import Floats
from shoal.learning.feature_columns import FeatureColumn
from shoal.learning.found_ranges import RangedRows
from shoal.learning.gamma_rounds import gamma_fit, planned_gamma
from shoal.learning.log_link_model import LogLinkModel
from shoal.learning.row_designs import LinearDesign
from shoal.learning.training_plan import NoisySums, PlannedSum
from shoal.learning.whitened_rounds import FittedLine


class GammaRegression(LogLinkModel):
    """Gamma regression with a logarithmic link, and intervals that include the noise.

    ``target_range`` is the declared range of the amount and does not begin below 0.  ``dispersion_``
    is the variance of targets over the square of their mean.  Targets far above their mean are
    clipped at a multiple of it, found from released numbers; slopes keep their meaning, and the
    intercept is corrected by the gamma law.

    Guarantee: two releases of column ranges, one of targets, two of second moments and six of
        gradients, together at the stated price.
    Needs: ``columns`` and ``target_range`` are public facts.
    Edges: rows without a target add nothing; targets outside the range count as its nearer end;
        coefficients that rows and budget do not tell are flagged by `coefficients`, and so are all
        where the range ends more than about 100,000 times above the mean.  ``dispersion_`` is told
        from 0.004 to 8.  If large targets are more common than under the gamma law, the intercept
        and predictions are too low.
    Proof: training.md, *Gamma rounds*.
    """

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = True
        return tags

    def _target(self) -> FeatureColumn:
        return stated_range(self.target_range)

    def _check_target(self, target: FeatureColumn) -> None:
        if not (target.ordered and target.half > 0) or (target.low or 0) < 0:
            raise FactsError(
                "the target of a gamma regression must be a number with a range from 0 or above.",
                remedy="State shoal.Range(0, 50000) for it.",
            )

    def _planned_sums(self, design: LinearDesign) -> list[PlannedSum]:
        return planned_gamma(design)

    def _line(self, ranged: RangedRows, target: Floats, sums: NoisySums) -> FittedLine:
        high = self.target_.high
        middle, half = float(self.target_.middle / high), float(self.target_.half / high)
        shares = np.minimum(np.maximum(middle + half * target, 0.0), 1.0)
        found = gamma_fit(ranged, shares, sums)
        self.dispersion_ = found.dispersion
        theta = found.line.theta.copy()
        theta[-1] += math.log(high)
        return replace(found.line, theta=theta)
