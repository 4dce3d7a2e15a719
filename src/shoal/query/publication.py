"""Many tables of one dataset, published together: one charge, one reading of the rows, tables that
add up.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from shoal.errors import CalibrationError, FactsError, SchemaError
from shoal.exact import Number, float_up, positive, short, turning_point
from shoal.measures import Pure, ZeroConcentrated
from shoal.mechanisms.affordable_parameters import gaussian_mu_of
from shoal.plan import Bounded, Rows, Selected, count_of, name_of, tables_of, written
from shoal.query.acceptance import AcceptanceSearch
from shoal.query.canonical import canonical_plan
from shoal.query.certificate import certified
from shoal.query.joint_counts import listed_cells
from shoal.query.keys import values_of_key
from shoal.query.payment import Askable, CostRequest, PaymentRequest, QuestionCharge, read_for
from shoal.sensitivity import Norm
from shoal.sql import outputs
from shoal.workloads import (
    HeldTotals,
    Hierarchy,
    ListedCells,
    PublicationPlan,
    ReleasedTables,
    TableDomain,
    WantedTables,
    Workload,
    known_totals,
)
from shoal.workloads.acceptance_criteria import AcceptanceCriterion

_HAIR = 1 + Fraction(1, 10**9)
"""A little more than is needed, for the rounding of floats and of shares."""

_ROUNDS = 20

AS_ASKED = "as asked"
"""The configuration of a workload itself, beside those that it may be replaced by."""


class Publication:
    """Tables to be published together, not yet released.  Only `release` reads private rows, and
    only it spends.

    Columns need declared values: `Choices`, a `Range` of whole numbers or dates, a truth value, or
    a column of a public table.  Where a column can be missing, NULL is one more value, after all
    others.  Levels above a column, such as regions above districts, are stated as a `Hierarchy`.

    >>> import pyarrow as pa
    >>> from shoal import Choices, Marginals, Row, ZeroConcentrated, private
    >>> people = private(
    ...     pa.table({"sex": ["f", "m", "f"], "region": ["N", "S", "S"]}), protects=Row(),
    ...     columns={"sex": Choices(["f", "m"]), "region": Choices(["N", "S"])},
    ...     required=["sex", "region"], budget=ZeroConcentrated(1),
    ... )
    >>> print(people.workload([Marginals(["sex", "region"], up_to=2)]).preview(rho="0.5"))
    costs zero-concentrated, rho 0.5; errors at 95% confidence for each cell
    total: 1 cell within 3.092
    sex: 2 cells, each within 2.555
    region: 2 cells, each within 2.555
    sex,region: 2 x 2 cells, each within 2.112
    """

    def __init__(
        self,
        asked_of: Askable,
        rows: Rows,
        wanted: Sequence[WantedTables] | WantedTables,
        text: str,
        *,
        known: Mapping[Any, Any] | int | None = None,
        hierarchies: Sequence[Hierarchy] = (),
    ) -> None:
        self.text = text
        self._made_of = asked_of, rows
        self._known = known
        self._hierarchies = _hierarchies(hierarchies)
        self._lines = [wanted] if isinstance(wanted, WantedTables) else list(wanted)
        names = {c.name: str(c.name) for c in rows.columns}
        every = TableDomain.of(dict.fromkeys(names, 1))  # only to learn which columns are named
        levels = {level: each.column for each in self._hierarchies for level in each.levels}
        self._names = every.in_order(
            levels.get(name, name) for line in _checked(self._lines) for name in line.named
        )
        by = {name: name_of(name) for name in self._names}
        self.question = outputs(rows, by=by, show={"n": "COUNT(*)"})
        self.source = asked_of.source_for(sorted(tables_of(self.question.relation)))
        for key in self.question.keys:
            if isinstance(key.known, Selected):
                raise FactsError(
                    f"the values of {key.name!r} are not declared, and a published table needs all its cells.",
                    remedy=f"State them: columns={{{key.name!r}: shoal.Choices([...])}}.",
                )

    @cached_property
    def _values(self) -> list[list[Any]]:
        """The values of each key as the engine has them; public tables are read for it, private
        ones never.
        """
        source = self.source
        return [values_of_key(key, source.engine, source.tables) for key in self.question.keys]

    @cached_property
    def workload(self) -> Workload:
        """The tables, over the declared values."""
        pairs = zip(self.question.keys, self._values, strict=True)
        domain = TableDomain(
            tuple((k.name, tuple(written(v, k.expression.type) for v in vs)) for k, vs in pairs)
        )
        used = [each for each in self._hierarchies if each.column in self._names]
        return Workload.of(domain, self._lines, used)

    @cached_property
    def known(self) -> HeldTotals | None:
        """Totals that are public already: told by whoever publishes, and not protected."""
        return None if self._known is None else known_totals(self.workload.used, self._known)

    @cached_property
    def bounded(self) -> Bounded:
        """Counts by all columns together, of which every person has a bounded share in L1.

        One table of all columns, and not one for each measurement: a person with too many rows then
        counts for the same in every table, so that they add up.
        """
        keys = tuple(key.expression for key in self.question.keys)
        domain = self.workload.domain
        possible = domain.cells(domain.names)
        return Bounded(self.question.relation, keys, (count_of(),), Norm.L1, possible)

    def _plan(self, request: CostRequest) -> PublicationPlan:
        bounded, term = self.bounded, count_of()
        reach = term.bound * bounded.reach(term)
        relation, unit = bounded.unit.relation, bounded.worth(term)
        return self.workload.plan_for(request.measure, relation, reach=reach, unit=unit)

    def preview(
        self, *, epsilon: Number | None = None, rho: Number | None = None
    ) -> PublicationPlan:
        """What `release` with these numbers would give: every error, table by table.  Free: no
        private row is read.
        """
        return self._plan(self.source.payer.request(epsilon=epsilon, rho=rho))

    def for_error(
        self,
        error: Number | None = None,
        *,
        table: str | None = None,
        confidence: Number = "0.95",
    ) -> float:
        """The epsilon (or rho) at which every cell of all tables, or of one ``table``, is within an
        error; without one, within what each table asks for by ``within=``.

        Noise that is half as wide costs twice the mu or epsilon, so few plans are needed; they
        differ only by what rounding to whole numbers adds.
        """
        wanted = self._wanted(error, table)
        size = Fraction(1)
        first = self._plan(self._request(size))
        pure, step = isinstance(first.measure, Pure), Fraction(first.half_step)
        if wanted and min(wanted.values()) <= step:
            raise _too_small(min(wanted.values()))
        mu = size if pure else gaussian_mu_of(self._request(size).measure)
        for _ in range(_ROUNDS):
            plan = self._plan(self._request(size))
            far = {name: Fraction(plan.widest(name, confidence=confidence)) for name in wanted}
            if all(far[name] <= wanted[name] for name in wanted) and size != 1:
                return float_up(size)
            mu *= _HAIR * max(
                ((far[name] - step) / (wanted[name] - step) for name in wanted), default=Fraction(1)
            )
            size = mu if pure else self._size_for(mu)
        raise _too_small(min(wanted.values()))

    def _wanted(self, error: Number | None, table: str | None) -> dict[str, Fraction]:
        """The error that is wanted for each table, by its name."""
        tables = self.workload.tables
        if error is None:
            found = {each.name: each.within for each in tables if each.within is not None}
            if not found or table is not None:
                raise SchemaError(
                    "no error is wanted.",
                    remedy="Write for_error(50), or within=50 at each line of the workload.",
                )
            return found
        names = [each.name for each in tables] if table is None else [table]
        return dict.fromkeys(names, positive(error, "error"))

    def _size_for(self, mu: Fraction) -> Fraction:
        """The least epsilon or rho, in the terms of the budget, that buys Gaussian noise of this
        mu.
        """
        if isinstance(self.source.payer.whole, ZeroConcentrated):
            return mu**2 / 2
        inverse, _ = turning_point(
            lambda inverse: gaussian_mu_of(self._request(1 / inverse).measure) >= mu,
            start=Fraction(1),
            bits=30,
        )
        return 1 / inverse

    def _request(self, size: Fraction) -> CostRequest:
        return self.source.payer.request(**self.priced(size))

    def priced(self, size: Number) -> dict[str, Any]:
        """A price as `preview` and `release` take it: in rho or epsilon, as the budget has it."""
        rho = isinstance(self.source.payer.whole, ZeroConcentrated)
        return {"rho" if rho else "epsilon": size}

    def release(
        self, *, epsilon: Number | None = None, rho: Number | None = None, key: str | None = None
    ) -> ReleasedTables:
        """All tables.  The budget is charged once, before rows are read and before any noise is
        drawn.

        Guarantee: the tables together cost what the request says, and no more.  If the engine fails
            after the charge, the error is the same whatever the data.
        Proof: src/shoal/workloads/workloads.md; for the bounded counts src/shoal/plan/bounding.md.
        """
        request = self.source.payer.request(epsilon=epsilon, rho=rho)
        plan = self._plan(request)
        _ = self.known  # refused here, before anything is charged
        self.source.engine.check(self.question.relation)
        charge = self.source.payer.charge(plan.event, self._asked(plan, request, key))
        if not isinstance(charge, QuestionCharge):  # it was published before
            return _restored(plan, charge, self.known)
        charge.begin()
        answers = read_for(charge, lambda: plan.measure_counts(self.counts()))
        certificate = self._certificate(plan, request, charge.facts)
        charge.answered(_kept(answers, certificate))
        return plan.published(answers, certificate, self.known)

    def accept(
        self,
        criteria: Sequence[AcceptanceCriterion] | AcceptanceCriterion,
        *,
        configurations: Mapping[str, Sequence[WantedTables]] | None = None,
        runs: int = 8,
        share: Number = "0.2",
        confidence: Number = "0.95",
        whole_numbers: bool = False,
    ) -> AcceptanceSearch:
        """Publish these tables only if they keep ``criteria``, or else those of other
        ``configurations``: lists of tables by name, in the order in which they are preferred.

        ``runs`` are tried on average, ``share`` is the part of a run's cost that goes to judging,
        and what is accepted keeps all criteria with this ``confidence``.  With ``whole_numbers``
        tables are judged as `ReleasedTables.whole_numbers` makes them.
        """
        asked_of, rows = self._made_of
        every: dict[str, Publication] = {AS_ASKED: self}
        for name, wanted in (configurations or {}).items():
            if name == AS_ASKED:
                raise SchemaError(
                    f"the workload itself is the configuration {name!r}.",
                    remedy="Give the other configuration another name.",
                )
            every[name] = Publication(
                asked_of,
                rows,
                wanted,
                str([str(each) for each in wanted]),
                known=self._known,
                hierarchies=self._hierarchies,
            )
        return AcceptanceSearch(
            every,
            criteria,
            runs=runs,
            share=share,
            confidence=confidence,
            whole_numbers=whole_numbers,
        )

    def counts(self) -> ListedCells:
        """Bounded counts of all cells that have rows; what lies outside the declared values counts
        nowhere.
        """
        engine, domain = self.source.engine, self.workload.domain
        return listed_cells(engine, self.bounded, self._values, domain)

    def _asked(
        self, plan: PublicationPlan, request: CostRequest, key: str | None
    ) -> PaymentRequest:
        body = {
            "publish": canonical_plan(self.question),
            "columns": [key.name for key in self.question.keys],
            "tables": [[t.name, str(t.weight)] for t in self.workload.tables],
            "request": str(request),
            "strategy": plan.strategy_hash,
            "event": plan.event.to_dict(),
            **({} if self.known is None else {"known": self.known.to_dict()}),
            **self.levels(),
        }
        canonical = json.dumps(body, sort_keys=True, separators=(",", ":"))
        return PaymentRequest(self.text, canonical, str(request), key)

    def levels(self, *, members: bool = False) -> dict[str, Any]:
        """The levels above columns: public facts on which the tables rest.

        With ``members`` also the group of each value.  Stored measurements need them not: tables
        are made of them anew, and a level that is measured itself is in the strategy's hash.  A
        stored verdict about tables needs them.
        """
        levels = [
            {
                "level": query.level,
                "of": column,
                "groups": list(map(str, query.labels)),
                **({"members": query.groups.tolist()} if members else {}),
            }
            for column, query in self.workload.domain.levels
        ]
        return {"levels": levels} if levels else {}

    def _certificate(
        self, plan: PublicationPlan, request: CostRequest, facts: Mapping[str, Any]
    ) -> dict[str, Any]:
        tables = tables_of(self.question.relation)
        said = {
            "question": self.text,
            "plan": self.question.explain(),
            "protects": str(self.question.relation.protects),
            "groups": sum(t.cells(self.workload.domain) for t in self.workload.tables),
            "noise": "laplace" if isinstance(plan.measure, Pure) else "gaussian",
            "published": [t.name for t in self.workload.tables],
            "strategy": plan.strategy_hash,
            "terms": plan.measured_terms(),
            "tables": {
                name: [str(column) for column in table.columns]
                for name, table in sorted(tables.items())
            },
            **({} if self.known is None else {"not_protected": self.known.to_dict()}),
            **self.levels(),
        }
        relation = str(self.bounded.unit.relation)
        return certified(said, plan.event.events, relation, request, facts)

    def __repr__(self) -> str:
        return f"<publication of {len(self.workload.tables)} tables: {self.text}>"


def _checked(lines: Sequence[Any]) -> Sequence[WantedTables]:
    if not all(isinstance(line, WantedTables) for line in lines):
        Workload.of({}, lines)  # which says what a workload is
    return lines


def _hierarchies(given: Sequence[Hierarchy] | Hierarchy) -> list[Hierarchy]:
    listed = [given] if isinstance(given, Hierarchy) else list(given)
    if not all(isinstance(each, Hierarchy) for each in listed):
        raise SchemaError(
            "hierarchies must be a list of shoal.Hierarchy.",
            remedy="Write hierarchies=[shoal.Hierarchy('district', region={'north': ['n1', 'n2']})].",
        )
    return listed


def _too_small(error: Fraction) -> CalibrationError:
    return CalibrationError(
        f"no budget makes the error {short(error)}: noise is rounded to whole numbers.",
        remedy="Ask for a larger error.",
    )


def _kept(answers: Sequence[Any], certificate: Mapping[str, Any]) -> dict[str, Any]:
    """The measured numbers, from which all tables follow, and the certificate."""
    measured = [[int(each) for each in answer.reshape(-1)] for answer in answers]
    return {"measured": measured, "certificate": dict(certificate)}


def _restored(
    plan: PublicationPlan, stored: Mapping[str, Any], known: HeldTotals | None
) -> ReleasedTables:
    measured = zip(stored["measured"], plan.strategy.measurements, strict=True)
    answers = [
        np.array(numbers, dtype=object).reshape([factor.rows for factor in each.factors])
        for numbers, each in measured
    ]
    return plan.published(answers, stored["certificate"], known)
