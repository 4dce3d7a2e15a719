"""A workload: everything that is to be published of one dataset at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from shoal.errors import RangeError, SchemaError
from shoal.exact import Number, whole
from shoal.measures import Approx, GaussianDP, Measure, ZeroConcentrated
from shoal.sensitivity import Relation
from shoal.workloads.column_queries import EACH_VALUE
from shoal.workloads.ordered_strategy import MOST_ORDERED, OrderedStrategy
from shoal.workloads.publication_plan import PublicationPlan
from shoal.workloads.residual_strategy import ResidualStrategy
from shoal.workloads.strategy import Strategy
from shoal.workloads.table_domain import TableDomain
from shoal.workloads.table_queries import TableQuery, WantedTables

MOST_CELLS = 100_000_000
"""So many cells all tables may have together."""


@dataclass(frozen=True)
class Workload:
    """Tables over declared domains, to be published together.

    Needs: a domain, and a list of `Marginals`, `PrefixSums`, `AllRanges` and `Total`.
    Edges: a table that is wanted twice counts with both weights and is published once.  A workload
        without tables costs nothing and publishes nothing.  Columns that no table names are summed
        over.

    >>> from shoal.workloads import Marginals
    >>> workload = Workload.of({"region": 4, "sex": ["f", "m"]}, [Marginals(["region", "sex"], up_to=2)])
    >>> [table.name for table in workload.tables]
    ['total', 'region', 'sex', 'region,sex']
    """

    domain: TableDomain
    tables: tuple[TableQuery, ...]

    @classmethod
    def of(
        cls,
        domain: TableDomain | Mapping[str, Any],
        wanted: Sequence[WantedTables] | WantedTables,
    ) -> Workload:
        """The tables that some lines stand for; those that are the same are merged."""
        known = TableDomain.of(domain)
        lines = [wanted] if isinstance(wanted, WantedTables) else list(wanted)
        if not all(isinstance(line, WantedTables) for line in lines):
            raise SchemaError(
                "a workload is a list of tables.",
                remedy="Give a list such as [Marginals(['region', 'sex'], up_to=2)].",
            )
        merged: dict[str, TableQuery] = {}
        for line in lines:
            for table in line.tables(known):
                before = merged.get(table.name)
                weight = table.weight + (before.weight if before else 0)
                merged[table.name] = replace(table, weight=weight)
        made = cls(known, tuple(merged.values()))
        made._check_size()
        return made

    def _check_size(self) -> None:
        cells = sum(table.cells(self.domain) for table in self.tables)
        if cells > MOST_CELLS:
            raise SchemaError(
                f"the tables have {cells} cells together; at most {MOST_CELLS} can be published.",
                remedy="Ask for tables of fewer columns, or group values into fewer.",
            )
        for table in self.tables:
            for column, query in zip(table.columns, table.queries, strict=True):
                if query is not EACH_VALUE and self.domain.size(column) > MOST_ORDERED:
                    raise SchemaError(
                        f"prefix sums and ranges are answered for at most {MOST_ORDERED} values; "
                        f"column {column[:40]!r} has {self.domain.size(column)}.",
                        remedy="Group its values into fewer.",
                    )

    @cached_property
    def used(self) -> TableDomain:
        """The columns that stand in a table; all others are summed over."""
        return self.domain.part(column for table in self.tables for column in table.columns)

    @cached_property
    def strategy(self) -> Strategy:
        """The strategy with the least weighted sum of variances that is known here."""
        used = self.used
        ordered = any(query is not EACH_VALUE for table in self.tables for query in table.queries)
        if ordered and len(used.names) == 1:
            return OrderedStrategy(used, self.tables)
        return ResidualStrategy(used, self.tables)

    def plan(
        self,
        budget: Measure | None = None,
        *,
        rho: Number | None = None,
        relation: Relation | str = Relation.ADD_REMOVE,
        rows_per_person: int = 1,
    ) -> PublicationPlan:
        """The tables at a price: every error is known, and nothing is read or drawn.

        ``rows_per_person`` is how many rows one person has in the data, at most.

        Guarantee: the plan's event costs no more than the budget, and short of it only by the
            rounding of roots.
        Needs: a budget in rho, or one that buys Gaussian noise: `ZeroConcentrated`, `GaussianDP`,
            or `Approx` with delta above 0.
        """
        if (budget is None) == (rho is None):
            raise RangeError(
                "a plan needs a budget or a rho, and not both.", remedy="Write plan(rho=0.5)."
            )
        measure = ZeroConcentrated(rho) if rho is not None else budget
        reach = Fraction(whole(rows_per_person, "rows_per_person", at_least=1))
        return self.plan_for(measure, Relation.read(relation, "relation"), reach=reach)

    def plan_for(
        self,
        measure: Measure | None,
        relation: Relation,
        *,
        reach: Fraction,
        unit: Fraction = Fraction(1),
    ) -> PublicationPlan:
        """The same for counts in other units: one person adds at most ``reach`` to them, and 1 is
        worth a ``unit``.
        """
        pure = isinstance(measure, Approx) and not measure.delta
        if pure or not isinstance(measure, ZeroConcentrated | GaussianDP | Approx):
            raise RangeError(
                "tables that are published together get Gaussian noise, which a pure budget cannot buy.",
                remedy="Use a budget such as shoal.ZeroConcentrated('0.5') or shoal.Approx(1, '1e-6').",
            )
        return PublicationPlan.of(self, measure, relation, reach, unit)
