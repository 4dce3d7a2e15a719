"""A table without negative numbers whose margins are near the estimated ones: where a fit begins.

Least squares alone puts large negative numbers into cells of which only sums were measured.  From
there a fit has a long way.  Here every margin in turn is multiplied to what was estimated of it,
cut at 0 (iterative proportional fitting), so the fit has only to settle what noise left open.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.workloads.column_queries import Floats
from shoal.workloads.controlled_rounding import Margin, margin_spread, margin_sums
from shoal.workloads.joint_totals import HeldTotals

_CYCLES = 15


def proportional_start(
    shares: Floats, targets: Sequence[tuple[Margin, Floats]], known: HeldTotals | None
) -> Floats:
    """The table, from what each cell has of the total where nothing is known, and the margins."""
    table = shares.copy()
    for _ in range(_CYCLES):
        for margin, target in targets:
            table *= margin_spread(
                _ratio(np.maximum(target, 0.0), margin_sums(table, margin)), margin
            )
        if known is not None:
            table = known.scaled(table)
    return table


def _ratio(wanted: Floats, held: Floats) -> Floats:
    return np.divide(wanted, held, out=np.zeros_like(held), where=held > 0)
