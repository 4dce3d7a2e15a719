"""Budgets of the approximate kind, for noise whose width changes."""

from __future__ import annotations

from fractions import Fraction

from shoal.errors import CalibrationError
from shoal.measures import Approx, Measure


def approx_of(budget: Measure) -> tuple[Fraction, Fraction]:
    """Epsilon and delta of a budget that has both above 0; any other is refused."""
    if isinstance(budget, Approx) and budget.epsilon > 0 and 0 < budget.delta < 1:
        return budget.epsilon, budget.delta
    raise CalibrationError(
        f"a budget of {budget} leaves nothing for a width that changes with the data.",
        remedy="Give Approx(epsilon, delta) with both above 0, or use SmoothCauchy for a pure budget"
        " and SmoothArsinhNormal for a zero-concentrated one.",
    )
