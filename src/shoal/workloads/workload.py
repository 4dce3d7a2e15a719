"""A workload: everything that is to be published of one dataset at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from shoal.errors import RangeError, SchemaError
from shoal.exact import Number, positive, whole
from shoal.measures import Approx, GaussianDP, Measure, Pure, ZeroConcentrated
from shoal.sensitivity import Relation
from shoal.workloads.column_hierarchy import Hierarchy
from shoal.workloads.even_errors import even_weights
from shoal.workloads.large_ordered import LargeOrderedStrategy
from shoal.workloads.ordered_strategy import MOST_ORDERED, OrderedStrategy
from shoal.workloads.publication_plan import PublicationPlan
from shoal.workloads.pure_ordered import PureOrderedStrategy
from shoal.workloads.pure_strategy import PureStrategy
from shoal.workloads.residual_strategy import ResidualStrategy
from shoal.workloads.strategy import LaplaceStrategy, Strategy
from shoal.workloads.table_domain import TableDomain
from shoal.workloads.table_queries import TableQuery, WantedTables

MOST_CELLS = 100_000_000
"""So many cells all tables may have together."""

_DENSE = 1024
"""An ordered column of more values is measured through its waves, which takes much less time and costs
less than half a per cent of accuracy."""


@dataclass(frozen=True)
class Workload:
    """Tables over declared domains, to be published together.

    Needs: a domain, and a list of `Marginals`, `PrefixSums`, `AllRanges` and `Total`; for tables by
        levels above a column also its `Hierarchy`.
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
        hierarchies: Sequence[Hierarchy] = (),
    ) -> Workload:
        """The tables that some lines stand for; those that are the same are merged."""
        known = TableDomain.of(domain).with_levels(hierarchies)
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
                if before is not None and not table.asks_the_same_as(before):
                    raise SchemaError(
                        f"two tables would be called {table.name[:60]!r}: one of them by a column of "
                        "this name.",
                        remedy="Rename the column in the source, such as to 'total_amount'.",
                    )
                weight = table.weight + (before.weight if before else 0)
                wishes = [each.within for each in (table, before) if each is not None]
                least = min((wish for wish in wishes if wish is not None), default=None)
                merged[table.name] = replace(table, weight=weight, within=least)
        made = cls(known, tuple(merged.values()))
        made._check_size()
        wished = [table.within is not None for table in made.tables]
        if any(wished) and not all(wished):
            raise SchemaError(
                "some tables have an error that is wanted, and others have none.",
                remedy="Give within= for every table, or for none.",
            )
        return made.evened() if any(wished) else made

    def evened(self) -> Workload:
        """The same tables with weights under which the largest error, as a share of what is wanted
        for its table, is as small as can be.

        Tables without a wish count alike, so that the largest error of all is made least.
        """
        return replace(self, tables=even_weights(self))

    def _check_size(self) -> None:
        cells = sum(table.cells(self.domain) for table in self.tables)
        if cells > MOST_CELLS:
            raise SchemaError(
                f"the tables have {cells} cells together; at most {MOST_CELLS} can be published.",
                remedy="Ask for tables of fewer columns, or group values into fewer.",
            )
        for table in self.tables:
            if self.domain.cells(table.columns) > MOST_CELLS:  # counted before levels are summed
                raise SchemaError(
                    f"the columns of table {table.name[:60]!r} have more than {MOST_CELLS} cells "
                    "below their levels.",
                    remedy="State the values of the finest level that is published, and no finer.",
                )
            for column, query in zip(table.columns, table.queries, strict=True):
                if query.is_ordered:
                    self._check_order(column)

    def _check_order(self, column: str) -> None:
        """Refuses prefix sums and ranges of more values than can be answered."""
        alone = len(self.used.names) == 1 and LargeOrderedStrategy.serves(self.tables, both=True)
        if alone or self.domain.size(column) <= MOST_ORDERED:
            return
        raise SchemaError(
            f"prefix sums and ranges beside other columns or levels are answered for at most "
            f"{MOST_ORDERED} values; column {column[:40]!r} has {self.domain.size(column)}.",
            remedy="Group its values into fewer, or publish this column by itself.",
        )

    @cached_property
    def used(self) -> TableDomain:
        """The columns that stand in a table; all others are summed over."""
        return self.domain.part(column for table in self.tables for column in table.columns)

    @cached_property
    def strategy(self) -> Strategy:
        """The strategy with the least weighted sum of variances that is known here."""
        used = self.used
        ordered = any(query.is_ordered for table in self.tables for query in table.queries)
        if ordered and len(used.names) == 1:
            if self._is_large(used):
                return LargeOrderedStrategy(used, self.tables)
            return OrderedStrategy(used, self.tables)
        return ResidualStrategy(used, self.tables)

    @cached_property
    def pure_strategy(self) -> LaplaceStrategy:
        """The strategy for Laplace noise with the least expected error that is known here."""
        used = self.used
        ordered = any(query.is_ordered for table in self.tables for query in table.queries)
        if ordered and len(used.names) == 1:
            size = used.size(used.names[0])
            if size > MOST_ORDERED:
                raise SchemaError(
                    "with a budget in epsilon alone, prefix sums and ranges are answered for at "
                    f"most {MOST_ORDERED} values; there are {size}.",
                    remedy="Use a budget such as shoal.ZeroConcentrated('0.5'), or fewer values.",
                )
            return PureOrderedStrategy(used, self.tables)
        return PureStrategy.best(used, self.tables)

    def _is_large(self, used: TableDomain) -> bool:
        """Whether one ordered column has so many values that it is measured through its waves."""
        size = used.size(used.names[0])
        return size > _DENSE and LargeOrderedStrategy.serves(self.tables, both=size > MOST_ORDERED)

    def strategy_for(self, measure: Measure) -> Strategy:
        """The strategy for the noise that a budget buys: Laplace for a pure one, else Gaussian."""
        return self.pure_strategy if isinstance(measure, Pure) else self.strategy

    def plan(
        self,
        budget: Measure | None = None,
        *,
        rho: Number | None = None,
        epsilon: Number | None = None,
        relation: Relation | str = Relation.ADD_REMOVE,
        rows_per_person: int = 1,
    ) -> PublicationPlan:
        """The tables at a price: every error is known, and nothing is read or drawn.

        ``rows_per_person`` is how many rows one person has in the data, at most.

        Guarantee: the plan's event costs no more than the budget, and short of it only by the
            rounding of roots.
        Needs: a budget in rho, `GaussianDP` or `Approx` with delta above 0, which buy Gaussian
            noise; or an epsilon alone, which buys Laplace noise.
        """
        if [budget, rho, epsilon].count(None) != 2:
            raise RangeError(
                "a plan needs a budget or a rho or an epsilon, and only one of them.",
                remedy="Write plan(rho=0.5) or plan(epsilon=1).",
            )
        measure = ZeroConcentrated(rho) if rho is not None else budget
        if epsilon is not None:
            measure = Pure(positive(epsilon, "epsilon"))
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
        if isinstance(measure, Approx) and not measure.delta:
            measure = Pure(measure.epsilon)
        if not isinstance(measure, Pure | ZeroConcentrated | GaussianDP | Approx):
            raise RangeError(
                "tables that are published together need a budget in epsilon or in rho.",
                remedy="Use a budget such as shoal.Pure(1), shoal.ZeroConcentrated('0.5') or "
                "shoal.Approx(1, '1e-6').",
            )
        return PublicationPlan.of(self, measure, relation, reach, unit)
