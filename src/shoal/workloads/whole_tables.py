"""Tables of whole numbers, none negative, that add up exactly: what an office prints.

All tables are sums of one table of whole numbers over all columns, so they cannot contradict each
other.  It is made of what was released and of known totals, and costs nothing more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.errors import SchemaError
from shoal.exact import Number, open_unit
from shoal.noise.seam import seeded
from shoal.workloads.column_hierarchy import EachGroup
from shoal.workloads.column_queries import EACH_VALUE, Floats
from shoal.workloads.controlled_rounding import Margin, Whole, rounded
from shoal.workloads.joint_totals import HeldTotals
from shoal.workloads.nonnegative_fit import FitState, NonnegativeFit
from shoal.workloads.proportional_start import proportional_start
from shoal.workloads.released_tables import ReleasedTable, normal_quantile
from shoal.workloads.student_quantile import student_quantile
from shoal.workloads.table_domain import TableDomain
from shoal.workloads.table_queries import TableQuery

if TYPE_CHECKING:
    from shoal.workloads.publication_plan import PublicationPlan

MOST_CELLS = 1_000_000
"""So many cells the table of all columns may have.  A fit of so many, of which 97 % are empty, takes
some 5 CPU s, and intervals take thirty fits."""

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
        half = self.half_widths(confidence)
        low: Any = np.maximum(np.ceil(self.values - half), 0).astype(np.int64)
        high: Any = np.floor(self.values + half).astype(np.int64)
        return low, high

    def half_widths(self, confidence: Number = "0.95") -> Floats:
        """Half the length of the interval of each cell, before its ends are made whole numbers.

        Standard errors of so few repetitions are rough, so intervals are longer than those of known
        ones, by Student's law.
        """
        level = open_unit(confidence, "confidence")
        longer = student_quantile(level, _REPETITIONS) / normal_quantile(level)
        return self.plan.half_widths(longer * self.standard_errors, confidence)


@dataclass(frozen=True, eq=False)
class WholeTables:
    """All tables of a release as whole numbers of 0 or more, which add up exactly.

    Guarantee: a function of the release and of the known totals, so it costs nothing more.  Sums
        over the same cells are equal in all tables, and known totals hold.
    Edges: counts that were near 0 come out a little too high and large ones a little too low,
        because nothing is below 0.  Standard errors include that.
    """

    plan: PublicationPlan
    cells: Whole
    known: HeldTotals | None

    @classmethod
    def of(
        cls, plan: PublicationPlan, answers: Sequence[Any], known: HeldTotals | None
    ) -> WholeTables:
        """From what was measured."""
        fit = _fit(plan, known)
        floats = [np.asarray(each, dtype=np.float64) * float(plan.unit) for each in answers]
        fitted = fit.solved(floats, _start(fit, plan, floats)).allowed
        return cls(plan, _rounded(fitted, fit, plan), known)

    @cached_property
    def _domain(self) -> TableDomain:
        return self.plan.workload.used

    def _values(self, cells: Whole, table: TableQuery) -> Whole:
        """One table, from all cells."""
        names = self._domain.names
        away = tuple(at for at, name in enumerate(names) if name not in table.columns)
        found: Any = cells.sum(axis=away)
        for axis, query in enumerate(table.queries):
            found = query.apply(found, axis)
        values: Whole = np.rint(found).astype(np.int64)
        return values

    @cached_property
    def _mean_squares(self) -> list[Floats]:
        """The mean squared error of each cell, by doing all of it again.

        These tables are taken for the truth, measured with noise of the same variance, fitted and
        rounded again, several times; how far the results are off says how far these are.
        """
        fit = _fit(self.plan, self.known)
        unit = float(self.plan.unit)
        tables = self.plan.workload.tables
        truth = [self._values(self.cells, table) for table in tables]
        exact = [self._measured(at) for at in range(len(fit.measurements))]
        state: FitState | None = None
        sums: list[Floats] = [np.zeros(each.shape) for each in truth]
        for at in range(_REPETITIONS):
            noisy = [
                held + unit * drawn for held, drawn in zip(exact, self._noise(at), strict=True)
            ]
            state = fit.solved(noisy, state or _start(fit, self.plan, noisy))
            again = _rounded(state.allowed, fit, self.plan)
            for k, (table, held) in enumerate(zip(tables, truth, strict=True)):
                sums[k] += (self._values(again, table) - held) ** 2.0
        return [total / _REPETITIONS for total in sums]

    def _noise(self, at: int) -> list[Floats]:
        """Noise as it was drawn for the release, the same whenever it is asked for."""
        pairs = zip(self.plan.mechanisms, self.plan.strategy.measurements, strict=True)
        with seeded(f"whole tables {int(self.cells.sum())} {at}"):
            return [
                np.asarray(
                    law.release(np.zeros(each.size, dtype=np.int64)), dtype=np.float64
                ).reshape([factor.rows for factor in each.factors])
                for law, each in pairs
            ]

    def _measured(self, at: int) -> Floats:
        """What a measurement would give for these cells without noise."""
        each = self.plan.strategy.measurements[at]
        away = tuple(i for i, name in enumerate(self._domain.names) if name not in each.columns)
        return np.asarray(each.exact(np.asarray(self.cells.sum(axis=away))), dtype=np.float64)

    def __getitem__(self, columns: str | tuple[str, ...]) -> WholeTable:
        """A table by its columns, as in the release."""
        given = (columns,) if isinstance(columns, str) else columns
        return self._table(self.plan.workload.tables.index(self.plan.table(*given)))

    def _table(self, at: int) -> WholeTable:
        query = self.plan.workload.tables[at]
        values: Any = self._values(self.cells, query)
        return WholeTable(self.plan, query, values, lambda: np.sqrt(self._mean_squares[at]))

    def __iter__(self) -> Iterator[WholeTable]:
        return (self._table(at) for at in range(len(self)))

    def __len__(self) -> int:
        return len(self.plan.workload.tables)

    def __repr__(self) -> str:
        return f"<{len(self)} tables of whole numbers, {self.cells.sum()} in all>"


def check_whole_numbers(plan: PublicationPlan) -> None:
    """Refuse a plan whose tables have too many cells together to be made whole numbers."""
    domain = plan.workload.used
    cells = domain.cells(domain.names)
    if cells > MOST_CELLS:
        raise SchemaError(
            f"the columns of all tables have {cells} cells together; whole numbers that add up "
            f"are made for at most {MOST_CELLS}.",
            remedy="Publish fewer columns together, or group values into fewer.",
        )


def _fit(plan: PublicationPlan, known: HeldTotals | None) -> NonnegativeFit:
    check_whole_numbers(plan)
    domain = plan.workload.used
    unit = float(plan.unit)
    variances = tuple(unit**2 * variance for variance in plan.noise_variances)
    return NonnegativeFit(domain, plan.strategy.measurements, variances, known)


def _start(
    fit: NonnegativeFit, plan: PublicationPlan, answers: Sequence[Floats]
) -> FitState | None:
    """Where a fit begins: a table with the estimated margins; None for a single column, which is
    measured cell by cell.
    """
    if len(fit.domain.names) < 2:
        return None
    plain = [_by_value(table) for table in plan.workload.tables if table.columns]
    estimates = plan.strategy.estimates(plain, list(answers))
    targets = []
    for table, estimate in zip(plain, estimates, strict=True):
        margin = _margin(table, fit.domain.names)
        kept = [axis for axis, _ in margin]
        away = tuple(axis for axis in range(len(fit.domain.names)) if axis not in kept)
        targets.append((margin, np.expand_dims(estimate, away)))
    begun = proportional_start(fit.shares, targets, fit.known)
    return FitState(begun, np.zeros_like(begun), None)


def _by_value(table: TableQuery) -> TableQuery:
    """The same table with each value in the place of prefix sums and ranges."""
    queries = tuple(EACH_VALUE if query.is_ordered else query for query in table.queries)
    return replace(table, queries=queries)


def _margin(table: TableQuery, names: Sequence[str]) -> Margin:
    return tuple(
        (names.index(column), query if isinstance(query, EachGroup) else None)
        for column, query in zip(table.columns, table.queries, strict=True)
    )


def _rounded(fitted: Floats, fit: NonnegativeFit, plan: PublicationPlan) -> Whole:
    """The fitted table in whole numbers, its margins as near to the fitted ones as the tables that
    are wanted need them.

    No unit is moved along a column of which prefix sums or ranges are asked: all sums between its
    old and its new place would be off by one.
    """
    names = fit.domain.names
    margins: dict[Margin, float] = {}
    held = set[int]()
    for table in plan.workload.tables:
        pairs = zip(table.columns, table.queries, strict=True)
        held |= {names.index(column) for column, query in pairs if query.is_ordered}
        if table.columns:
            margin = _margin(table, names)
            margins[margin] = margins.get(margin, 0.0) + 1 / plan.rmse(table.name) ** 2
    if fit.known is None:
        return rounded(fitted, margins, sorted(held))
    held |= {names.index(column) for column, _ in fit.known.asked}
    return rounded(fit.known.settled(fitted), margins, sorted(held), fit.known.places)
