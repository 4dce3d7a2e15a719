"""Tables that are published only if they keep stated criteria: several configurations, a secret
number of runs, and the best run alone is told.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from shoal.errors import CalibrationError, SchemaError
from shoal.events import Composed, Event, Gaussian, RepeatAndSelect, StatedPure
from shoal.exact import IntegerArray, ball, lower, short, shown_up
from shoal.measures import Approx, GaussianDP, Measure, Pure
from shoal.mechanisms import Gaussian as GaussianNoise
from shoal.mechanisms import Laplace as LaplaceNoise
from shoal.noise import LARGEST_SCALE, one_below
from shoal.noise.poisson_runs import drawn_runs, work_of
from shoal.sensitivity import Norm, Relation, Sensitivity
from shoal.workloads.acceptance_criteria import AcceptanceCriterion
from shoal.workloads.cell_counts import counts_of
from shoal.workloads.joint_totals import HeldTotals
from shoal.workloads.publication_plan import PublicationPlan
from shoal.workloads.released_tables import ReleasedTables
from shoal.workloads.table_queries import TableQuery
from shoal.workloads.whole_tables import WholeTables
from shoal.workloads.workload import Workload


@dataclass(frozen=True, eq=False)
class JudgedTable:
    """A criterion for one table, with the noise under which it is judged.

    A table is good enough if its noisy total is at most ``limit`` less ``margin``.
    """

    criterion: AcceptanceCriterion
    table: TableQuery
    noise: GaussianNoise | LaplaceNoise
    limit: int
    margin: int

    def met(self, noisy: int) -> bool:
        """Whether a noisy total is low enough."""
        return noisy <= self.limit - self.margin

    def room(self, noisy: int) -> Fraction:
        """How much of the limit is left; below 0 if it is passed."""
        return 1 - Fraction(noisy + self.margin, self.limit)

    def words(self) -> str:
        """The criterion, for a reader."""
        return f"{self.table.name}: {self.criterion.words()}"


class AcceptanceRun(NamedTuple):
    """One run: its configuration, what it measured, and its noisy totals."""

    place: int
    answers: Sequence[IntegerArray]
    totals: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class AcceptanceConfiguration:
    """One way to publish: its tables at the price of a run, and the criteria that judge them."""

    name: str
    plan: PublicationPlan
    judged: tuple[JudgedTable, ...]
    known: HeldTotals | None
    whole_numbers: bool

    def tables(self, answers: Sequence[IntegerArray], certificate: Any = None) -> ReleasedTables:
        """All that was measured, and the estimates made of it."""
        return self.plan.published(answers, certificate, self.known)

    def in_judged_form(self, released: ReleasedTables) -> ReleasedTables | WholeTables:
        """The tables as criteria judge them and readers get them."""
        return released.whole_numbers() if self.whole_numbers else released

    def run(self, place: int, counts: Any) -> AcceptanceRun:
        """Measure and judge once.

        Guarantee: answers and totals together cost what one run may cost.
        """
        answers = self.plan.measure_counts(counts)
        told = self.in_judged_form(self.tables(answers))
        totals = []
        for each in self.judged:
            values = told[tuple(each.table.name.split(","))].values
            exact = each.criterion.total(values, self._exact(each.table, counts), self.plan.unit)
            noisy: Any = each.noise.release(np.array([exact], dtype=object))
            totals.append(int(noisy[0]))
        return AcceptanceRun(place, answers, tuple(totals))

    def _exact(self, table: TableQuery, counts: Any) -> IntegerArray:
        held = counts_of(self.plan.workload.domain, counts)
        found: Any = held.marginal(table.columns)
        for axis, query in enumerate(table.queries):
            found = query.apply(found, axis)
        return np.asarray(found)

    def accepted(self, run: AcceptanceRun) -> bool:
        """Whether all criteria are met."""
        return all(one.met(noisy) for one, noisy in zip(self.judged, run.totals, strict=True))

    def score(self, run: AcceptanceRun) -> Fraction:
        """The least room that a criterion leaves."""
        return min(one.room(noisy) for one, noisy in zip(self.judged, run.totals, strict=True))


@dataclass(frozen=True, eq=False)
class AcceptancePlan:
    """A search for tables that keep criteria.

    ``run_cost`` is what one run may cost, in mu where noise is Gaussian and in epsilon where it is
    Laplace; ``mean`` is how many runs there are on average.

    Guarantee: what `search` gives costs no more than ``measure``, where ``run_cost`` is what the
        accountant allows for it.
    Needs: the number of runs stays secret, and every configuration's plan costs a run at most.
    Proof: acceptance.md.
    """

    configurations: tuple[AcceptanceConfiguration, ...]
    measure: Approx | Pure
    relation: Relation
    run_cost: Fraction
    mean: int
    confidence: Fraction
    fits: bool = True
    """Whether the budget can pay for it now."""

    @property
    def event(self) -> Composed:
        """What is released, as one event: the best of a Poisson number of runs."""
        relation = str(self.relation)
        run: Event = Gaussian(1 / self.run_cost, 1, relation=relation)
        if isinstance(self.measure, Pure):
            run = StatedPure(self.run_cost, relation=relation)
        return Composed((RepeatAndSelect(run, "poisson", mean=self.mean, relation=relation),))

    def search(self, counts: Sequence[Any]) -> AcceptanceRun | None:
        """The best run; None where no run was drawn, or every one of them failed.

        ``counts`` are those of each configuration.  Runs are done beyond the number drawn, so that
        the time of a search does not tell it.
        """
        number, best = drawn_runs(self.mean), None
        for at in range(max(number, work_of(self.mean))):
            place = one_below(len(self.configurations))
            run = self._run(place, counts[place])
            if run is None or at >= number:
                continue
            if best is None or self._order(run) > self._order(best):
                best = run
        return best

    def _run(self, place: int, counts: Any) -> AcceptanceRun | None:
        """One run; None where it fails: an error of one run would tell that this one was done."""
        try:
            return self.configurations[place].run(place, counts)
        except Exception:  # noqa: BLE001 - whatever it is, it may depend on a row
            return None

    def _order(self, run: AcceptanceRun) -> tuple[bool, int, Fraction]:
        """Accepted runs first, then earlier configurations, then the score: a public order of what
        runs tell.
        """
        held = self.configurations[run.place]
        good = held.accepted(run)
        return good, -run.place if good else 0, held.score(run)

    @cached_property
    def _lines(self) -> list[str]:
        level = short(100 * self.confidence)
        fits = "" if self.fits else " (more than is left of the budget)"
        lines = [
            f"costs {self.measure}{fits}; {self.mean} runs on average",
            f"what is accepted keeps the criteria with {level} % confidence",
        ]
        for each in self.configurations:
            lines.append(f"{each.name}:")
            lines += [
                f"  {one.words()}; {100 * float(Fraction(one.margin, one.limit)):.1f} % of what it "
                "allows is kept for noise"
                for one in each.judged
            ]
            lines += [
                f"  {table.name}: each cell within {shown_up(table.widest)}"
                for table in each.plan.lines()
            ]
        return lines

    def preview(self) -> str:
        """What it costs, what is judged, and how far each table's cells can be off; free."""
        return "\n".join(self._lines)

    __str__ = preview

    def __repr__(self) -> str:
        return f"<search among {len(self.configurations)} configurations, costing {self.measure}>"


def configuration_of(
    name: str,
    workload: Workload,
    criteria: Sequence[AcceptanceCriterion],
    run: Measure,
    relation: Relation,
    *,
    price: Measure,
    reach: Fraction,
    unit: Fraction,
    share: Fraction,
    wrong: Fraction,
    known: HeldTotals | None,
    whole_numbers: bool,
) -> AcceptanceConfiguration:
    """A configuration at the cost of a ``run``: a ``share`` of it for the criteria, in equal parts.

    ``price`` is what the whole search costs, which is what its tables are said to cost.
    ``wrong`` is the chance that one run is accepted though it fails a criterion, at most.
    """
    asked = [
        (criterion, table)
        for criterion in criteria
        for table in workload.tables
        if _is_judged(criterion, table)
    ]
    if not asked:
        raise SchemaError(
            f"no criterion judges a table of the configuration {name[:40]!r}.",
            remedy="Give a criterion for one of its tables, or one for all: CellsWithin(None, 20).",
        )
    plan = PublicationPlan.of(workload, _part(run, 1 - share), relation, reach, unit)
    plan = replace(plan, search_cost=price)
    far = reach * (2 if relation is Relation.CHANGE else 1)
    noise = _noise(_part(run, share / len(asked)), far, relation)
    margin = int(noise.error(1 - 2 * wrong, integers=True))
    judged = []
    for criterion, table in asked:
        limit = criterion.limit(table.cells(workload.domain), unit)
        if limit <= margin:
            raise CalibrationError(
                f"at this price nothing can be accepted by {table.name[:40]}: {criterion.words()}.",
                remedy="Ask with more budget or for less accuracy; judge small tables by MeanWithin.",
            )
        judged.append(JudgedTable(criterion, table, noise, limit, margin))
    return AcceptanceConfiguration(name, plan, tuple(judged), known, whole_numbers)


def _is_judged(criterion: AcceptanceCriterion, table: TableQuery) -> bool:
    ordered = any(query.is_ordered for query in table.queries)
    if criterion.table is None:
        return not ordered
    if sorted(criterion.table.split(",")) != sorted(table.name.split(",")):
        return False
    if ordered:
        raise SchemaError(
            f"prefix sums and ranges cannot be judged: {table.name[:40]!r}.",
            remedy="Judge the counts of the single values, such as CellsWithin('age', 20).",
        )
    return True


def _part(run: Measure, share: Fraction) -> Measure:
    """A share of what a run may cost."""
    if isinstance(run, Pure):
        return Pure(run.epsilon * share)
    assert isinstance(run, GaussianDP)
    return GaussianDP(lower(lambda: ball(run.mu**2 * share).sqrt()))


def _noise(part: Measure, far: Fraction, relation: Relation) -> GaussianNoise | LaplaceNoise:
    """The noise of one total that moves by at most ``far``."""
    made: GaussianNoise | LaplaceNoise
    if isinstance(part, Pure):
        made = LaplaceNoise.for_budget(part, sensitivity=Sensitivity(far, Norm.L1, relation, 1))
    else:
        assert isinstance(part, GaussianDP)
        moved = Sensitivity(far, Norm.L2, relation, 1)
        made = GaussianNoise(sigma=far / part.mu, sensitivity=moved)
    if made.spread > LARGEST_SCALE:
        raise CalibrationError(
            "the noise would be wider than can be drawn.", remedy="Ask with more budget."
        )
    return made
