"""Huber regression: a line that a few targets far from all others hardly move."""

from __future__ import annotations

from shoal.learning.exact_sums import Integers
from shoal.learning.found_ranges import RangedRows
from shoal.learning.huber_rounds import huber_fit, planned_huber
from shoal.learning.linear_model import IntervalModel
from shoal.learning.row_designs import LinearDesign
from shoal.learning.training_plan import NoisySums, PlannedSum
from shoal.learning.whitened_rounds import FittedLine


class HuberRegression(IntervalModel):
    """Huber's regression by noisy second moments and rounds of clipped residuals.

    Residuals count as they are up to 1.345 times their deviation, which is found from released
    counts, and as that beyond.  ``target_range`` is the declared range of the target.

    Guarantee: two releases of column ranges, two of second moments and five of gradients, together at the stated price.
    Needs: ``columns`` and ``target_range`` are public facts.
    Edges: as `LinearRegression`.  Intervals are for the line that Huber's loss asks for, which is
        that of the mean if errors are symmetric.
    Proof: training.md, *Huber rounds*.
    """

    def _planned_sums(self, design: LinearDesign) -> list[PlannedSum]:
        return planned_huber(design)

    def _line(self, ranged: RangedRows, target: Integers, sums: NoisySums) -> FittedLine:
        return huber_fit(ranged, target, sums)
