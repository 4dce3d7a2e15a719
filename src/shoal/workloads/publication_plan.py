"""Tables at a price: which noise each measurement gets, what all of it costs, and every error in
advance.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from html import escape
from math import log, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from shoal.errors import CalibrationError, UnknownNameError
from shoal.events import Composed
from shoal.exact import IntegerArray, Number, ball, lower, open_unit, short_down, shown_up
from shoal.measures import Measure, Pure, ZeroConcentrated
from shoal.mechanisms import DiscreteGaussian, Gaussian, Laplace
from shoal.mechanisms.affordable_parameters import gaussian_mu_of
from shoal.noise import LARGEST_SCALE
from shoal.sensitivity import Relation
from shoal.workloads.cell_counts import counts_of
from shoal.workloads.column_queries import Floats
from shoal.workloads.error_picture import error_picture
from shoal.workloads.joint_totals import HeldTotals, known_totals
from shoal.workloads.measurement import Measurement
from shoal.workloads.released_tables import ReleasedTables, normal_quantile
from shoal.workloads.strategy import LaplaceStrategy, Strategy
from shoal.workloads.table_queries import TableQuery

if TYPE_CHECKING:
    from shoal.workloads.workload import Workload

_CUT = 1 << 40
Noise = Gaussian | DiscreteGaussian | Laplace


class PlannedTable(NamedTuple):
    """A table before its release: its name and shape, and how far its worst cell can be off."""

    name: str
    shape: tuple[int, ...]
    widest: float


@dataclass(frozen=True, eq=False)
class PublicationPlan:
    """A workload, its measurements and their noise.

    ``reach`` is the largest sum of counts that one unit adds, and ``unit`` what a count of 1 is
    worth.  ``search_cost`` is what a search costs of which this is one run.

    Guarantee: the mechanisms together cost no more than ``measure``.  Every estimate is a function
        of what they release.
    Needs: one unit adds to the counts numbers of 0 or more that sum to at most ``reach``.
    Proof: workloads.md.
    """

    workload: Workload
    measure: Measure
    relation: Relation
    reach: Fraction
    unit: Fraction
    mechanisms: tuple[Noise, ...]
    search_cost: Measure | None = None

    @classmethod
    def of(
        cls,
        workload: Workload,
        measure: Measure,
        relation: Relation,
        reach: Fraction | int,
        unit: Fraction = Fraction(1),
    ) -> PublicationPlan:
        """With the shares that make the weighted sum of variances least."""
        bound = Fraction(reach)
        if isinstance(measure, Pure):
            mechanisms = _laplace(workload.pure_strategy, measure, relation, bound)
        else:
            mechanisms = _gaussian(workload.strategy, measure, relation, bound)
        if any(noise.spread > LARGEST_SCALE for noise in mechanisms):
            raise CalibrationError(
                "the noise would be wider than can be drawn.",
                remedy="Ask with more budget, or for tables with fewer columns or values.",
            )
        return cls(workload, measure, relation, bound, unit, tuple(mechanisms))

    @property
    def event(self) -> Composed:
        """What is released, as one event."""
        pairs = zip(self.mechanisms, self._measurements, strict=True)
        return Composed(tuple(noise.event_for(size=each.size) for noise, each in pairs))

    @property
    def price(self) -> Measure:
        """What whoever gets these tables has paid: for tables that a search found, the cost of the
        whole search, of which ``measure`` is the part of one run.
        """
        return self.search_cost or self.measure

    @property
    def price_words(self) -> str:
        """The same for a reader."""
        return f"{self.price}{' for the whole search' if self.search_cost else ''}"

    @property
    def measured(self) -> tuple[tuple[str, ...], ...]:
        """The sets of columns whose marginals are measured; () is the total."""
        return tuple(each.columns for each in self._measurements)

    @property
    def strategy_hash(self) -> str:
        """A hash of what is measured, matrix by matrix.

        Matrices for ordered columns come from an optimiser in floats, which another machine may
        round otherwise.
        """
        found = hashlib.sha256()
        for each in self._measurements:
            found.update(repr(each.columns).encode())
            for factor in each.factors:
                found.update(hashlib.sha256(factor.identity).digest())
        return found.hexdigest()

    @property
    def strategy(self) -> Strategy:
        """What is measured, for the noise that the budget buys."""
        return self.workload.strategy_for(self.measure)

    @property
    def _measurements(self) -> tuple[Measurement, ...]:
        return self.strategy.measurements

    @cached_property
    def noise_variances(self) -> tuple[float, ...]:
        """The variance of each measurement's noise, in its own whole numbers.

        A rounded normal number has a twelfth more than its sigma says, and a discrete one no more
        than that.  Discrete Laplace noise has a little less than twice the square of its scale.
        """
        if isinstance(self.measure, Pure):
            return tuple(2 * float(noise.spread) ** 2 for noise in self.mechanisms)
        more = 0.0 if isinstance(self.measure, ZeroConcentrated) else 1 / 12
        return tuple(float(noise.spread) ** 2 + more for noise in self.mechanisms)

    def table(self, *columns: str) -> TableQuery:
        """A table of the workload by its columns, such as ``"region", "sex"`` or
        ``"sex,prefix(age)"``.
        """
        wanted = sorted(part for column in columns for part in column.split(","))
        for table in self.workload.tables:
            if sorted(table.name.split(",")) == (wanted or ["total"]):
                return table
        names = [table.name for table in self.workload.tables]
        more = f" and {len(names) - 8} more" if len(names) > 8 else ""
        raise UnknownNameError(
            f"there is no table {','.join(columns)[:60]!r} in the workload.",
            remedy=f"The tables are: {'; '.join(names[:8])}{more}.",
        )

    def standard_errors(self, *columns: str) -> Floats:
        """The standard error of each cell of a table."""
        return self._standard_errors(self.table(*columns))

    def _standard_errors(self, table: TableQuery) -> Floats:
        found = self.strategy.variances(table, self.noise_variances)
        return np.sqrt(found) * float(self.unit)

    def rmse(self, *columns: str) -> float:
        """The root of the mean squared error over the cells of a table."""
        return float(np.sqrt((self.standard_errors(*columns) ** 2).mean()))

    def widest(self, *columns: str, confidence: Number = "0.95") -> float:
        """Half the widest interval of a table's cells at a confidence; without columns, of all
        tables.
        """
        tables = [self.table(*columns)] if columns else self.workload.tables
        widths = (self.half_widths(self._standard_errors(table), confidence) for table in tables)
        return max((float(width.max()) for width in widths), default=0.0)

    @property
    def half_step(self) -> float:
        """What intervals have at each end because Laplace noise is drawn in whole counts."""
        return float(self.unit) / 2 if isinstance(self.measure, Pure) else 0.0

    def half_widths(self, standard_errors: Floats, confidence: Number) -> Floats:
        """Half the length of intervals at a confidence.

        Sums of Laplace noise lie between one such number and the normal law, so the wider of both
        is used for them.
        """
        level = open_unit(confidence, "confidence")
        far = normal_quantile(level)
        if isinstance(self.measure, Pure):
            far = max(far, -log(1 - float(level)) / sqrt(2))
        found: Floats = far * standard_errors + self.half_step
        return found

    @cached_property
    def _sums(self) -> tuple[float, float, int]:
        """Over all tables: the weighted and the plain sum of variances, and the number of cells."""
        weighted = plain = 0.0
        cells = 0
        for table in self.workload.tables:
            total = float((self._standard_errors(table) ** 2).sum())
            weighted, plain = weighted + float(table.weight) * total, plain + total
            cells += table.cells(self.workload.domain)
        return weighted, plain, cells

    @property
    def overall_rmse(self) -> float:
        """The same over the cells of all tables."""
        _, plain, cells = self._sums
        return sqrt(plain / cells) if cells else 0.0

    @property
    def optimality_gap(self) -> float | None:
        """By which share the weighted sum of variances is above what any strategy must have.

        Guarantee: no strategy under noise of the same kind and cost has a weighted sum of variances
            below this one divided by 1 + gap, up to the rounding of floats.  None where no bound is
            known, or rows change in the place of coming and going.
        Edges: for Laplace noise the bound is that of Gaussian noise of the same variance, which no
            strategy is known to reach: the gap is large, and most of it is not waste.
        """
        bound = self.workload.strategy.bound
        if bound is None or self.relation is not Relation.ADD_REMOVE:
            return None
        scale = float(self.reach * self.unit) ** 2
        if isinstance(self.measure, Pure):
            scale *= 2 / float(self.measure.epsilon) ** 2
        else:
            scale /= float(gaussian_mu_of(self.measure)) ** 2
        return self._sums[0] / (bound * scale) - 1 if bound else 0.0

    def release(
        self, counts: Any, *, known: Mapping[Any, Any] | int | None = None
    ) -> ReleasedTables:
        """Every table, with noise.

        ``counts`` is a mapping of cells to counts, an array over the whole domain, or anything with
        ``marginal``.  Nothing is charged here: charge ``event`` first, as with a bare mechanism.
        """
        held = None if known is None else known_totals(self.workload.used, known)
        return self.published(self.measure_counts(counts), known=held)

    def measure_counts(self, counts: Any) -> list[IntegerArray]:
        """What is measured, with noise: whole numbers, from which everything else follows."""
        held = counts_of(self.workload.domain, counts)
        answers = []
        for measurement, noise in zip(self._measurements, self.mechanisms, strict=True):
            exact: Any = measurement.exact(held.marginal(measurement.columns))
            answers.append(noise.release(exact.reshape(-1)).reshape(exact.shape))
        return answers

    def published(
        self,
        answers: Sequence[IntegerArray],
        certificate: Mapping[str, Any] | None = None,
        known: HeldTotals | None = None,
    ) -> ReleasedTables:
        """Every table, from what was measured with noise."""
        floats = [answer.astype(np.float64) for answer in answers]
        found = self.strategy.estimates(self.workload.tables, floats)
        arrays = tuple(np.asarray(each * float(self.unit)) for each in found)
        return ReleasedTables(self, arrays, self.event, tuple(answers), certificate, known)

    def measured_terms(self) -> list[dict[str, str]]:
        """Each measurement in words, for a certificate."""
        law = "discrete Gaussian, sigma"
        if not isinstance(self.measure, ZeroConcentrated):
            law = "rounded Gaussian, sigma"
        if isinstance(self.measure, Pure):
            law = "discrete Laplace, scale"
        return [
            {
                "total": f"what {', '.join(each.columns)} tell" if each.columns else "the total",
                "unit": str(self.unit),
                "sensitivity": str(noise.sensitivity.value),
                "norm": str(noise.sensitivity.norm),
                "noise": f"{law} {noise.spread} units",
            }
            for each, noise in zip(self._measurements, self.mechanisms, strict=True)
        ]

    def lines(self, *, confidence: Number = "0.95") -> list[PlannedTable]:
        """How far each table's cells can be off at a confidence; free."""
        return [
            PlannedTable(
                table.name,
                table.shape(self.workload.domain),
                float(self.half_widths(self._standard_errors(table), confidence).max()),
            )
            for table in self.workload.tables
        ]

    def preview(self, *, confidence: Number = "0.95") -> str:
        """What it costs, and how far each table's cells can be off, in words; free."""
        level = open_unit(confidence, "confidence")
        lines = [
            f"costs {self.price_words}; errors at {short_down(100 * level)}% confidence for each cell"
        ]
        for table in self.lines(confidence=level):
            shape = " x ".join(map(str, table.shape)) or "1"
            cells = "cell" if shape == "1" else "cells, each"
            lines.append(f"{table.name}: {shape} {cells} within {shown_up(table.widest)}")
        return "\n".join(lines)

    __str__ = preview

    def heat_map(self, *, confidence: Number = "0.95") -> str:
        """A picture (SVG) of how far the cells of each table can be off, darker where it is more;
        free.
        """
        return error_picture(
            [
                (table.name, self.half_widths(self._standard_errors(table), confidence))
                for table in self.workload.tables
            ]
        )

    def _repr_html_(self) -> str:
        """For notebooks: the preview, and the picture of errors below it."""
        picture = self.heat_map() if self.workload.tables else ""
        return f"<pre>{escape(self.preview())}</pre>{picture}"

    def __repr__(self) -> str:
        made_of = f"{len(self.workload.tables)} tables from {len(self.mechanisms)} measurements"
        return f"<plan of {made_of}, costing {self.price_words}>"


def _laplace(
    strategy: LaplaceStrategy, measure: Pure, relation: Relation, reach: Fraction
) -> list[Noise]:
    """Laplace noise for every measurement: parts of epsilon that sum to all of it."""
    moved = [each.l1_sensitivity(reach, relation) for each in strategy.measurements]
    shares = _shares(list(strategy.shares))
    return [
        Laplace.for_budget(Pure(measure.epsilon * share), sensitivity=far)
        for far, share in zip(moved, shares, strict=True)
    ]


def _gaussian(
    strategy: Strategy, measure: Measure, relation: Relation, reach: Fraction
) -> list[Noise]:
    """Gaussian noise for every measurement: parts of rho, or of mu squared, that sum to all of it."""
    moved = [each.sensitivity(reach, relation) for each in strategy.measurements]
    shares = _shares(
        [sqrt(pull) * float(far.value) for pull, far in zip(strategy.pulls, moved, strict=True)]
    )
    made: list[Noise] = []
    discrete = isinstance(measure, ZeroConcentrated)
    squared = None if discrete or not moved else gaussian_mu_of(measure) ** 2
    for far, share in zip(moved, shares, strict=True):
        if isinstance(measure, ZeroConcentrated):
            part = ZeroConcentrated(measure.rho * share)
            made.append(DiscreteGaussian.for_budget(part, sensitivity=far))
        else:
            assert squared is not None
            made.append(Gaussian(sigma=far.value / _root_down(squared * share), sensitivity=far))
    return made


def _shares(raw: list[float]) -> list[Fraction]:
    """Shares in proportion to some numbers, which sum to exactly 1; each at least one part in
    2^40.
    """
    total = sum(raw)
    parts = [max(1, round(_CUT * each / total)) if total else 1 for each in raw]
    return [Fraction(part, sum(parts)) for part in parts]


def _root_down(square: Fraction) -> Fraction:
    return lower(lambda: ball(square).sqrt())
