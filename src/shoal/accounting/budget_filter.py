"""The filter that keeps a budget."""

from __future__ import annotations

from shoal.accounting.filters import PrivacyFilter, PureFilter, ZeroConcentratedFilter
from shoal.accounting.renyi_filter import RenyiFilter
from shoal.errors import RangeError, ShapeError
from shoal.exact import exactly
from shoal.measures import Approx, Measure, Pure, ZeroConcentrated


def filter_for(budget: Measure, *, relation: str | None = None) -> PrivacyFilter:
    """The filter that keeps a budget; half of the delta of an approximate one is its reserve.

    A mechanism that was made for the whole budget, by its ``for_budget``, fits a filter that has
    spent nothing.

    >>> print(round(float(filter_for(Approx(1, "1e-6")).left.rho), 5))
    0.02044
    """
    if isinstance(budget, Pure):
        return PureFilter(budget, relation=relation)
    if isinstance(budget, ZeroConcentrated):
        return ZeroConcentratedFilter(budget, relation=relation)
    if isinstance(budget, Approx) and budget.delta == 0:
        raise RangeError(
            f"an approximate budget needs a delta above 0; got {budget}.",
            remedy=f"Give shoal.Pure({exactly(budget.epsilon)}), which is the same promise.",
        )
    if isinstance(budget, Approx):
        return RenyiFilter(budget, reserve=budget.delta / 2, relation=relation)
    raise ShapeError(
        f"a budget must be Pure, Approx or ZeroConcentrated; got {type(budget).__name__}.",
        remedy="Give budget=shoal.Approx(3, '1e-7'), for example.",
    )
