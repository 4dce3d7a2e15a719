"""Linear regression with standard errors that include the noise."""

from __future__ import annotations

from shoal.learning.exact_sums import Integers
from shoal.learning.found_ranges import RangedRows
from shoal.learning.linear_model import IntervalModel
from shoal.learning.training_plan import NoisySums
from shoal.learning.whitened_rounds import FittedLine, fitted


class LinearRegression(IntervalModel):
    """Linear regression by noisy second moments and rounds of clipped residuals.

    ``target_range`` is the declared range of the target.  The first level of a category is the one
    that others are compared with.

    Guarantee: two releases of column ranges, two of second moments and four of gradients, together at the stated price.
    Needs: ``columns`` and ``target_range`` are public facts.
    Edges: rows without a target add nothing; coefficients that rows and budget do not tell are
        flagged by `coefficients`.
    Proof: training.md, *Least squares*.
    """

    def _line(self, ranged: RangedRows, target: Integers, sums: NoisySums) -> FittedLine:
        return fitted(ranged, target, sums)
