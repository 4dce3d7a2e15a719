"""The noise of counts that are measured together, in the terms of one question."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from shoal.events import Event
from shoal.exact import shown_up
from shoal.measures import Pure
from shoal.plan import Term, Value
from shoal.query.joint_counts import JointCounts, Places
from shoal.query.noise_choice import Noised
from shoal.query.pricing import Priced
from shoal.workloads import PublicationPlan, TableQuery
from shoal.workloads.column_queries import EACH_VALUE


@dataclass(frozen=True, eq=False)
class JointNoised(Noised):
    """Counts of the groups of one question, from measurements that serve all sets of keys.

    ``own`` are the places of the question's keys among all, in its order, ``names`` what it calls
    them, and ``sets`` the sets of keys that it shows.  ``saved`` is how many times as large squared
    errors would be if the finest groups were added up.

    Guarantee: errors are those of `PublicationPlan.half_widths`; a sum of groups has one if it is a
        cell of a table that is measured, and else none but that of its parts together.
    """

    counts: JointCounts
    plan: PublicationPlan
    own: Places
    names: tuple[str, ...]
    sets: tuple[Places, ...]
    saved: float | None = None

    def of(self, term: Term) -> Any:  # noqa: ARG002 - all measurements serve the one count
        return self.plan.mechanisms[0]

    @cached_property
    def _deviations(self) -> dict[Places, float]:
        return {}

    def standard_error(self, places: Places) -> float:
        """That of each count by a set of keys; infinite where no table tells these counts."""
        if not any(set(places) <= set(each) for each in self.counts.sets):
            return math.inf
        if places not in self._deviations:
            columns = tuple(self.counts.columns(sorted(places)))
            table = TableQuery(columns, (EACH_VALUE,) * len(columns))
            found = self.plan.strategy.variances(table, self.plan.noise_variances)
            self._deviations[places] = math.sqrt(float(found.max())) * float(self.plan.unit)
        return self._deviations[places]

    def within(self, places: Places, confidence: Fraction) -> float:
        """How far a count by a set of keys can be off, at this confidence."""
        error = self.standard_error(places)
        if math.isinf(error):
            return error
        return float(self.plan.half_widths(np.array(error), confidence)) * (1 + 1e-12)

    def widest(self, confidence: Fraction) -> float:
        """The largest error of all counts that the question shows."""
        return max(self.within(each, confidence) for each in self.sets)

    def error(self, term: Term, confidence: Fraction, *, size: int = 1) -> float:  # noqa: ARG002
        return self.within(self.own, 1 - (1 - confidence) / size)

    def error_of_groups(
        self,
        term: Term,  # noqa: ARG002 - there is one
        confidence: Fraction,
        groups: Sequence[Mapping[str, Value]],
    ) -> float:
        first = groups[0]
        alike = [all(each[name] == first[name] for each in groups) for name in self.names]
        pairs = list(zip(self.own, alike, strict=True))
        others = math.prod(len(self.counts.values[place]) for place, same in pairs if not same)
        if others != len(groups):  # not all groups of a cell
            return math.inf
        return self.within(tuple(place for place, same in pairs if same), confidence)

    def deviation(self, term: Term) -> float:  # noqa: ARG002
        return self.standard_error(self.own)

    def events(self, size: int) -> list[Event]:  # noqa: ARG002 - measurements have their own sizes
        return list(self.plan.event.events)

    @property
    def law_in_words(self) -> str:
        """For a preview."""
        law = "Laplace" if isinstance(self.plan.measure, Pure) else "Gaussian"
        return f"{law} noise on {len(self.plan.mechanisms)} measurements that serve all levels"

    def note(self, confidence: Fraction) -> str:
        """How far the counts of each level can be off."""
        said = [
            f"{', '.join(self.counts.columns(each)) or 'the total'} within "
            f"{shown_up(self.within(each, confidence))}"
            for each in self.sets
        ]
        more = ""
        if self.saved is not None:
            more = (
                f" The finest groups alone, added up, would have squared errors {self.saved:.3g} "
                "times as large."
            )
        return f"Levels are measured together, and add up: {'; '.join(said)}.{more}"


def squared_errors(plan: PublicationPlan) -> float:
    """The sum of the expected squared errors of all counts of a plan."""
    return plan.overall_rmse**2 * sum(
        table.cells(plan.workload.domain) for table in plan.workload.tables
    )


def together(made: Priced, counts: JointCounts, law: str | None) -> Priced:
    """A question that shows several levels, measured together where that has less error.

    The other way gives all of the budget to the finest groups and adds them up.  Which one is taken
    follows from declared facts, the request and the law that was asked for.
    """
    plan = counts.plan(made.request, law)
    if plan is None:
        return made
    alone = made.noised.deviation(made.noised.bounded.terms[0]) ** 2
    added_up = len(counts.sets) * math.prod(counts.shape) * alone
    ratio = added_up / squared_errors(plan)
    if ratio <= 1:
        return made
    own = tuple(range(len(counts.keys)))
    return replace(made, noised=noised_by(counts, plan, made, own, counts.sets, saved=ratio))


def noised_by(
    counts: JointCounts,
    plan: PublicationPlan,
    made: Priced,
    own: Places,
    sets: tuple[Places, ...],
    *,
    saved: float | None = None,
) -> JointNoised:
    """The noise of one question of those that are measured together."""
    names = tuple(key.name for key in made.question.keys)
    law = "laplace" if isinstance(plan.measure, Pure) else "gaussian"
    return JointNoised(counts.bounded, law, (), counts, plan, own, names, sets, saved)
