"""What no private mechanism can do better: lower bounds on error, each with its theorem, rounded
down.
"""

from shoal.limits.limit import Limit, LimitComparison, beside
from shoal.limits.one_number import count, mean, proportion, quantile
from shoal.limits.packing import largest_count, packing_risk_down, rank
from shoal.limits.promises import Central, Local, ShuffledPromise
from shoal.limits.tables import histogram, table
from shoal.limits.two_points import overlap_down

__all__ = [
    "Central",
    "Limit",
    "LimitComparison",
    "Local",
    "ShuffledPromise",
    "beside",
    "count",
    "histogram",
    "largest_count",
    "mean",
    "overlap_down",
    "packing_risk_down",
    "proportion",
    "quantile",
    "rank",
    "table",
]
