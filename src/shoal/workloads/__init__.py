"""Many linear questions answered at once with the least noise: strategies, exact measurement, and tables that add up."""

from shoal.workloads.counts import GivenMarginals, ListedCells, WholeArray
from shoal.workloads.domain import TableDomain
from shoal.workloads.plan import PublicationPlan
from shoal.workloads.released import ReleasedTable, ReleasedTables
from shoal.workloads.tables import AllRanges, Marginals, PrefixSums, TableQuery, Total, WantedTables
from shoal.workloads.workload import Workload

__all__ = [
    "AllRanges",
    "GivenMarginals",
    "ListedCells",
    "Marginals",
    "PrefixSums",
    "PublicationPlan",
    "ReleasedTable",
    "ReleasedTables",
    "TableDomain",
    "TableQuery",
    "Total",
    "WantedTables",
    "WholeArray",
    "Workload",
]
