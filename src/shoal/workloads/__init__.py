"""Many linear questions answered at once with the least noise: strategies, exact measurement, tables that add up, and
streams.
"""

from shoal.workloads.acceptance_criteria import AcceptanceCriterion, CellsWithin, MeanWithin
from shoal.workloads.banded_matrix import BandedMatrix
from shoal.workloads.cell_counts import GivenMarginals, ListedCells, WholeArray
from shoal.workloads.column_hierarchy import Hierarchy
from shoal.workloads.joint_totals import HeldTotals, JointTotals, known_totals
from shoal.workloads.known_totals import KnownTotals
from shoal.workloads.publication_plan import PlannedTable, PublicationPlan
from shoal.workloads.released_tables import ReleasedTable, ReleasedTables
from shoal.workloads.stream_matrix import StreamMatrix
from shoal.workloads.stream_plan import StreamPlan
from shoal.workloads.table_domain import TableDomain
from shoal.workloads.table_queries import (
    AllRanges,
    Marginals,
    PrefixSums,
    TableQuery,
    Total,
    WantedTables,
)
from shoal.workloads.whole_tables import WholeTable, WholeTables, check_whole_numbers
from shoal.workloads.workload import Workload

__all__ = [
    "AcceptanceCriterion",
    "AllRanges",
    "BandedMatrix",
    "CellsWithin",
    "GivenMarginals",
    "HeldTotals",
    "Hierarchy",
    "JointTotals",
    "KnownTotals",
    "ListedCells",
    "Marginals",
    "MeanWithin",
    "PlannedTable",
    "PrefixSums",
    "PublicationPlan",
    "ReleasedTable",
    "ReleasedTables",
    "StreamMatrix",
    "StreamPlan",
    "TableDomain",
    "TableQuery",
    "Total",
    "WantedTables",
    "WholeArray",
    "WholeTable",
    "WholeTables",
    "Workload",
    "check_whole_numbers",
    "known_totals",
]
