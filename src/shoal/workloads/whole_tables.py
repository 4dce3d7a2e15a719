"""Tables of whole numbers, none negative, that add up exactly: what an office prints.

All tables are sums of one table of whole numbers over all columns, so they cannot contradict each
other.  It is made of what was released and of known totals, and costs nothing more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from math import prod, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import SchemaError
from shoal.exact import Number, open_unit
from shoal.workloads.column_queries import Floats
from shoal.workloads.known_totals import KnownTotals
from shoal.workloads.nonnegative_fit import NonnegativeFit
from shoal.workloads.released_tables import ReleasedTable, normal_quantile
from shoal.workloads.table_domain import TableDomain
from shoal.workloads.table_queries import TableQuery

if TYPE_CHECKING:
    from shoal.workloads.publication_plan import PublicationPlan

MOST_CELLS = 4_000_000
"""So many cells the table of all columns may have; a fit takes a few seconds for each million."""

_MOST_ORDERS = 5040
_REPETITIONS = 30


@dataclass(frozen=True, eq=False)
class WholeTable(ReleasedTable):
    """One table of whole numbers, with an interval for each cell."""

    errors: Callable[[], Floats]

    @cached_property
    def standard_errors(self) -> Floats:
        """The root of the mean squared error of each cell, found by doing all of it again."""
        return self.errors()

    def intervals(self, *, confidence: Number = "0.95") -> tuple[Floats, Floats]:
        """The ends of an interval for each cell: whole numbers, none below 0.

        Edges: cells that a known total fixes have an interval of one number.  The others rest on a
            simulation, not on a theorem; docs/workloads.md has the coverage that was measured.
        """
        half = normal_quantile(open_unit(confidence, "confidence")) * self.standard_errors
        return np.maximum(np.ceil(self.values - half), 0), np.floor(self.values + half)


@dataclass(frozen=True, eq=False)
class WholeTables:
    """All tables of a release as whole numbers of 0 or more, which add up exactly.

    Guarantee: a function of the release and of the known totals, so it costs nothing more.  Sums
        over the same cells are equal in all tables, and known totals hold.
    Edges: counts that were near 0 come out a little too high and large ones a little too low,
        because nothing is below 0.  `error` includes that.
    """

    plan: PublicationPlan
    cells: NDArray[np.int64]
    known: KnownTotals | None

    @classmethod
    def of(
        cls, plan: PublicationPlan, answers: Sequence[Any], known: KnownTotals | None
    ) -> WholeTables:
        """From what was measured."""
        fit = _fit(plan, known)
        floats = [np.asarray(each, dtype=np.float64) * float(plan.unit) for each in answers]
        return cls(plan, _rounded(fit, plan.workload.tables, floats), known)

    @cached_property
    def _domain(self) -> TableDomain:
        return self.plan.workload.used

    def _values(self, cells: NDArray[np.int64], table: TableQuery) -> NDArray[np.int64]:
        """One table, from all cells."""
        names = self._domain.names
        away = tuple(at for at, name in enumerate(names) if name not in table.columns)
        found: Any = cells.sum(axis=away)
        for axis, query in enumerate(table.queries):
            found = query.apply(found, axis)
        return np.rint(found).astype(np.int64)

    @cached_property
    def _mean_squares(self) -> list[Floats]:
        """The mean squared error of each cell, by doing all of it again.

        These tables are taken for the truth, measured with noise of the same variance, fitted and
        rounded again, several times; how far the results are off says how far these are.
        """
        fit = _fit(self.plan, self.known)
        unit = float(self.plan.unit)
        chance = np.random.default_rng(np.abs(self.cells.reshape(-1)).sum())
        tables = self.plan.workload.tables
        truth = [self._values(self.cells, table) for table in tables]
        exact = [self._measured(at) for at in range(len(fit.measurements))]
        sums: list[Floats] = [np.zeros(each.shape) for each in truth]
        for _ in range(_REPETITIONS):
            noisy = [
                held + unit * sqrt(variance) * chance.standard_normal(held.shape)
                for held, variance in zip(exact, self.plan.noise_variances, strict=True)
            ]
            again = _rounded(fit, tables, noisy)
            for table, held, total in zip(tables, truth, sums, strict=True):
                total += (self._values(again, table) - held) ** 2.0
        return [total / _REPETITIONS for total in sums]

    def _measured(self, at: int) -> Floats:
        """What a measurement would give for these cells without noise."""
        each = self.plan.workload.strategy.measurements[at]
        away = tuple(i for i, name in enumerate(self._domain.names) if name not in each.columns)
        return np.asarray(each.exact(np.asarray(self.cells.sum(axis=away))), dtype=np.float64)

    def __getitem__(self, columns: str | tuple[str, ...]) -> WholeTable:
        """A table by its columns, as in the release."""
        given = (columns,) if isinstance(columns, str) else columns
        return self._table(self.plan.workload.tables.index(self.plan.table(*given)))

    def _table(self, at: int) -> WholeTable:
        query = self.plan.workload.tables[at]
        values = self._values(self.cells, query)
        return WholeTable(self.plan, query, values, lambda: np.sqrt(self._mean_squares[at]))

    def __iter__(self) -> Iterator[WholeTable]:
        return (self._table(at) for at in range(len(self)))

    def __len__(self) -> int:
        return len(self.plan.workload.tables)

    def __repr__(self) -> str:
        return f"<{len(self)} tables of whole numbers, {self.cells.sum()} in all>"


def _fit(plan: PublicationPlan, known: KnownTotals | None) -> NonnegativeFit:
    domain = plan.workload.used
    cells = domain.cells(domain.names)
    if cells > MOST_CELLS:
        raise SchemaError(
            f"the columns of all tables have {cells} cells together; whole numbers that add up "
            f"are made for at most {MOST_CELLS}.",
            remedy="Publish fewer columns together, or group values into fewer.",
        )
    unit = float(plan.unit)
    variances = tuple(unit**2 * variance for variance in plan.noise_variances)
    return NonnegativeFit(domain, plan.workload.strategy.measurements, variances, known)


def _rounded(
    fit: NonnegativeFit, tables: Sequence[TableQuery], answers: Sequence[Floats]
) -> NDArray[np.int64]:
    """The fitted table in whole numbers: running sums are rounded, and each cell is the difference
    of two.

    A table whose cells are runs of neighbouring cells is then off by less than 1.  Columns are put
    in the order that makes runs long for the tables that are wanted; those of known totals are
    first, and theirs are whole already.
    """
    found = fit.solve(answers)
    order = _order(fit.domain, tables, fit.known.columns if fit.known else ())
    turned = np.transpose(found, order)
    groups = 1 if fit.known is None else fit.known.totals.size
    rows = turned.reshape(groups, -1)
    running = np.floor(np.cumsum(rows, axis=1) + 0.5).astype(np.int64)
    whole = np.diff(running, axis=1, prepend=0).reshape(turned.shape)
    return np.ascontiguousarray(np.transpose(whole, np.argsort(order)))


def _order(domain: TableDomain, tables: Sequence[TableQuery], first: Sequence[str]) -> list[int]:
    """The order of axes in which the cells of all tables are made of the fewest runs."""
    names = domain.names
    rest = [name for name in names if name not in first]
    small_first = sorted(rest, key=domain.size)
    tries = permutations(rest) if prod(range(1, len(rest) + 1)) <= _MOST_ORDERS else [small_first]

    def runs(order: Sequence[str]) -> int:
        total = 0
        for table in tables:
            within = [name in table.columns for name in order]
            last = max((at for at, used in enumerate(within) if used), default=-1)
            before = [name for name, used in zip(order[:last], within, strict=False) if not used]
            total += domain.cells(before) * domain.cells(table.columns)
        return total

    best = min(((*first, *each) for each in tries), key=runs)
    return [names.index(name) for name in best]
