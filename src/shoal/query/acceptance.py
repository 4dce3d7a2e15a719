"""Tables of private rows that are published only if they keep stated criteria."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.accounting.affordable_runs import run_epsilon, run_mu
from shoal.errors import RangeError, SchemaError
from shoal.exact import Number, open_unit, whole
from shoal.measures import Approx, GaussianDP, Measure, Pure
from shoal.plan import count_of, tables_of
from shoal.query.canonical import canonical_plan
from shoal.query.certificate import certified
from shoal.query.payment import CostRequest, PaymentRequest, QuestionCharge, read_for
from shoal.workloads import ReleasedTables, WholeTables, check_whole_numbers
from shoal.workloads.acceptance_criteria import AcceptanceCriterion
from shoal.workloads.acceptance_plan import (
    AcceptanceConfiguration,
    AcceptancePlan,
    AcceptanceRun,
    configuration_of,
)

if TYPE_CHECKING:
    from shoal.query.publication import Publication

_MOST_RUNS = 50


@dataclass(frozen=True, eq=False)
class AcceptedTables:
    """What a search found: the tables of an accepted run, or no tables.

    Guarantee: ``tables`` keep all criteria as they are, with the confidence of the search.
    """

    accepted: bool
    configuration: str | None
    """Which one the best run had; None where no run was drawn."""
    criteria: tuple[str, ...]
    """Each criterion of the best run in words, with what was found."""
    tables: ReleasedTables | WholeTables | None
    """In the form that was judged: whole numbers where these were asked for."""
    released: ReleasedTables | None
    """What the run measured, for those who would rather estimate in their own way; estimates of
    another form than ``tables`` were not judged."""
    certificate: Mapping[str, Any]

    def __repr__(self) -> str:
        if self.accepted:
            return f"<tables of the configuration {self.configuration!r}, accepted>"
        return "<no tables: none were accepted>"


class AcceptanceSearch:
    """Tables that are published only if they keep criteria, not yet released.  Only `release` reads
    private rows, and only it spends.

    Each of a secret number of runs draws one configuration, makes its tables, and judges them with
    noise.  Only the best run is told: accepted ones first, then those of earlier configurations.
    """

    def __init__(
        self,
        configurations: Mapping[str, Publication],
        criteria: Sequence[AcceptanceCriterion] | AcceptanceCriterion,
        *,
        runs: int = 8,
        share: Number = "0.2",
        confidence: Number = "0.95",
        whole_numbers: bool = False,
    ) -> None:
        listed = [criteria] if isinstance(criteria, AcceptanceCriterion) else list(criteria)
        if not listed or not all(isinstance(each, AcceptanceCriterion) for each in listed):
            raise SchemaError(
                "criteria must be a list of shoal.CellsWithin and shoal.MeanWithin.",
                remedy="Write accept([shoal.CellsWithin('region,sex', 20, share='0.95')]).",
            )
        self._named, self._criteria = dict(configurations), listed
        self._mean = whole(runs, "runs", at_least=2)
        if self._mean > _MOST_RUNS:
            raise RangeError(
                f"{self._mean} runs on average are too many.",
                remedy=f"Give runs={_MOST_RUNS} or fewer.",
            )
        self._share = open_unit(share, "share")
        self._confidence = open_unit(confidence, "confidence")
        self._whole = whole_numbers

    @property
    def _first(self) -> Publication:
        return next(iter(self._named.values()))

    @cached_property
    def text(self) -> str:
        """The search as it was asked."""
        judged = ", ".join(_said(each) for each in self._criteria)
        others = [f"{name!r}: {each.text}" for name, each in list(self._named.items())[1:]]
        more = f", configurations={{{', '.join(others)}}}" if others else ""
        return (
            f"{self._first.text}.accept([{judged}]{more}, runs={self._mean}, share={self._share}, "
            f"confidence={self._confidence}, whole_numbers={self._whole})"
        )

    def _check_names(self) -> None:
        known = {
            tuple(sorted(table.name.split(",")))
            for each in self._named.values()
            for table in each.workload.tables
        }
        for each in self._criteria:
            if each.table is not None and tuple(sorted(each.table.split(","))) not in known:
                raise SchemaError(
                    f"a criterion is about {each.table[:40]!r}, which no configuration publishes.",
                    remedy="Name a table as preview does, such as 'region,sex', or None for all.",
                )

    def _plan(self, request: CostRequest) -> AcceptancePlan:
        self._check_names()
        measure = _priced(request.measure)
        run: Measure
        if isinstance(measure, Pure):
            cost = run_epsilon(measure, self._mean)
            run = Pure(cost)
        else:
            cost = run_mu(measure, self._mean)
            run = GaussianDP(cost)
        made = [self._configuration(name, each, run, measure) for name, each in self._named.items()]
        relation = self._first.bounded.unit.relation
        return AcceptancePlan(tuple(made), measure, relation, cost, self._mean, self._confidence)

    def _configuration(
        self, name: str, asked: Publication, run: Measure, price: Measure
    ) -> AcceptanceConfiguration:
        bounded, term = asked.bounded, count_of()
        found = configuration_of(
            name,
            asked.workload,
            self._criteria,
            run,
            bounded.unit.relation,
            price=price,
            reach=term.bound * bounded.reach(term),
            unit=bounded.worth(term),
            share=self._share,
            wrong=(1 - self._confidence) / self._mean,
            known=asked.known,
            whole_numbers=self._whole,
        )
        if self._whole:
            check_whole_numbers(found.plan)
        return found

    def preview(self, *, epsilon: Number | None = None) -> AcceptancePlan:
        """What `release` would cost, whether that fits the budget, what is judged, and every error.
        Free: no private row is read.
        """
        payer = self._first.source.payer
        plan = self._plan(payer.request(epsilon=epsilon))
        return replace(plan, fits=payer.would_fit(plan.event))

    def release(self, *, epsilon: Number | None = None, key: str | None = None) -> AcceptedTables:
        """Search, and give the tables of the best run if it is accepted.  The budget is charged
        once, before rows are read and before any noise is drawn, whatever is found.

        Guarantee: tables, criteria and search together cost what the request says, and no more.
        Proof: src/shoal/workloads/acceptance.md.
        """
        source = self._first.source
        request = source.payer.request(epsilon=epsilon)
        plan = self._plan(request)
        for each in self._named.values():
            source.engine.check(each.question.relation)
        charge = source.payer.charge(plan.event, self._asked(plan, request, key))
        if not isinstance(charge, QuestionCharge):  # it was searched before
            return _told(plan, _restored(plan, charge["best"]), charge["certificate"])
        charge.begin()
        best = read_for(
            charge, lambda: plan.search([each.counts() for each in self._named.values()])
        )
        certificate = self._certificate(plan, request, charge.facts)
        charge.answered({"best": _kept(plan, best), "certificate": certificate})
        return _told(plan, best, certificate)

    def _identity(self, plan: AcceptancePlan) -> dict[str, Any]:
        """Configurations, criteria and search, as a ledger and a certificate have them."""
        return {
            "configurations": [
                {
                    "name": each.name,
                    **self._named[each.name].levels(members=True),
                    "published": [[t.name, str(t.weight)] for t in each.plan.workload.tables],
                    "strategy": each.plan.strategy_hash,
                    "criteria": [
                        {
                            "table": one.table.name,
                            "wanted": one.criterion.words(),
                            **one.criterion.identity(),
                            "limit": str(one.limit),
                            "margin": str(one.margin),
                        }
                        for one in each.judged
                    ],
                    "terms": _terms(each),
                    **({} if each.known is None else {"not_protected": each.known.to_dict()}),
                }
                for each in plan.configurations
            ],
            "runs": {"law": "poisson", "mean": self._mean, "cost_of_one": str(plan.run_cost)},
            "share_for_criteria": str(self._share),
            "confidence": str(self._confidence),
            "whole_numbers": self._whole,
        }

    def _asked(self, plan: AcceptancePlan, request: CostRequest, key: str | None) -> PaymentRequest:
        body = {
            "accept": [canonical_plan(each.question) for each in self._named.values()],
            "columns": [[k.name for k in each.question.keys] for each in self._named.values()],
            **self._identity(plan),
            "request": str(request),
            "event": plan.event.to_dict(),
        }
        canonical = json.dumps(body, sort_keys=True, separators=(",", ":"))
        return PaymentRequest(self.text, canonical, str(request), key)

    def _certificate(
        self, plan: AcceptancePlan, request: CostRequest, facts: Mapping[str, Any]
    ) -> dict[str, Any]:
        question = self._first.question
        cells = [
            sum(t.cells(each.workload.domain) for t in each.workload.tables)
            for each in self._named.values()
        ]
        said = {
            "question": self.text,
            "plan": question.explain(),
            "protects": str(question.relation.protects),
            "groups": max(cells),
            "noise": "laplace" if isinstance(plan.measure, Pure) else "gaussian",
            "acceptance": self._identity(plan),
            "terms": _terms(plan.configurations[0]),
            "tables": {
                name: [str(column) for column in table.columns]
                for name, table in sorted(tables_of(question.relation).items())
            },
        }
        return certified(said, plan.event.events, str(plan.relation), request, facts)

    def __repr__(self) -> str:
        return f"<tables to be accepted: {self.text}>"


def _said(criterion: AcceptanceCriterion) -> str:
    return f"{type(criterion).__name__}({criterion.table!r}: {criterion.words()})"


def _priced(measure: Measure) -> Approx | Pure:
    if isinstance(measure, Approx) and not measure.delta:
        measure = Pure(measure.epsilon)
    if not isinstance(measure, Approx | Pure):
        raise RangeError(
            "a search for accepted tables has a price in epsilon, or in epsilon and delta.",
            remedy="Use a budget such as shoal.Approx(1, '1e-6') or shoal.Pure(1).",
        )
    return measure


def _terms(held: AcceptanceConfiguration) -> list[dict[str, str]]:
    """What one run of a configuration measures and judges, with its noise."""
    law = (
        "discrete Laplace, scale"
        if isinstance(held.plan.measure, Pure)
        else "rounded Gaussian, sigma"
    )
    judged = [
        {
            "total": f"how far {one.table.name} is off",
            "unit": str(held.plan.unit),
            "sensitivity": str(one.noise.sensitivity.value),
            "norm": str(one.noise.sensitivity.norm),
            "noise": f"{law} {one.noise.spread} units",
        }
        for one in held.judged
    ]
    return [*held.plan.measured_terms(), *judged]


def _kept(plan: AcceptancePlan, best: AcceptanceRun | None) -> dict[str, Any] | None:
    """The best run as a ledger has it; tables that were not accepted are not kept, and the number
    of runs is in no file.
    """
    if best is None:
        return None
    kept: dict[str, Any] = {"place": best.place, "totals": list(best.totals)}
    if plan.configurations[best.place].accepted(best):
        kept["measured"] = [[int(each) for each in a.reshape(-1)] for a in best.answers]
    return kept


def _restored(plan: AcceptancePlan, stored: Mapping[str, Any] | None) -> AcceptanceRun | None:
    if stored is None:
        return None
    held = plan.configurations[int(stored["place"])]
    measurements = held.plan.strategy.measurements if "measured" in stored else ()
    answers = [
        np.array(numbers, dtype=object).reshape([factor.rows for factor in each.factors])
        for numbers, each in zip(stored.get("measured", ()), measurements, strict=True)
    ]
    return AcceptanceRun(int(stored["place"]), answers, tuple(map(int, stored["totals"])))


def _told(
    plan: AcceptancePlan, best: AcceptanceRun | None, certificate: Mapping[str, Any]
) -> AcceptedTables:
    if best is None:
        return AcceptedTables(
            accepted=False,
            configuration=None,
            criteria=(),
            tables=None,
            released=None,
            certificate=certificate,
        )
    held = plan.configurations[best.place]
    accepted = held.accepted(best)
    criteria = tuple(
        f"{one.words()}: {'met' if one.met(noisy) else 'not met'}, with "
        f"{100 * max(0.0, float(Fraction(noisy, one.limit))):.0f} % of what it allows"
        for one, noisy in zip(held.judged, best.totals, strict=True)
    )
    released, tables = None, None
    if accepted:
        released = replace(held.tables(best.answers, certificate), event=plan.event)
        tables = held.in_judged_form(released)
        if isinstance(tables, ReleasedTables):
            tables = replace(tables, judged=True)
    return AcceptedTables(
        accepted=accepted,
        configuration=held.name,
        criteria=criteria,
        tables=tables,
        released=released,
        certificate=certificate,
    )
