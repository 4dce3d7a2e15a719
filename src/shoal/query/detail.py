"""A table of private rows that is as fine as its counts allow."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from shoal.engines.held_rows import HeldRows
from shoal.exact import IntegerArray, Number, open_unit, positive
from shoal.measures import Pure, ZeroConcentrated
from shoal.plan import INTEGER, REAL, TEXT, Rows, count_of, tables_of
from shoal.query.canonical import canonical_plan
from shoal.query.certificate import certified
from shoal.query.payment import Askable, CostRequest, PaymentRequest, QuestionCharge, read_for
from shoal.query.publication import Publication
from shoal.workloads import Hierarchy, Marginals
from shoal.workloads.adaptive_detail import DetailPlan, ToldPlace
from shoal.workloads.column_names import key_name


@dataclass(frozen=True, eq=False)
class DetailedTable:
    """The released table: for each place that is told its counts by the other columns.

    Guarantee: given the places, each interval holds the bounded count with its confidence; the law
        of the noise is exact.
    """

    plan: DetailPlan
    places: Sequence[ToldPlace]
    counts: IntegerArray
    certificate: Mapping[str, Any]

    def rows(self, *, confidence: Number = "0.95") -> Iterator[tuple[Any, ...]]:
        """Level, place, values of the other columns, count, and the ends of its interval."""
        plan, unit = self.plan, self.plan.unit
        off = Fraction(plan.within(plan.table, open_unit(confidence, "confidence")))
        beside = list(product(*(plan.domain.values(name) for name in plan.by)))
        for place, line in zip(self.places, self.counts, strict=True):
            for cell, noisy in zip(beside, np.ravel(line), strict=True):
                value = int(noisy) * unit
                low, high = max(Fraction(0), value - off), max(Fraction(0), value + off)
                count = int(value) if unit == 1 else float(value)
                yield place.level, place.label, *cell, count, float(low), float(high)

    def to_rows(self) -> HeldRows:
        """The values that files and frames hold; a key that is called like another column of them gets a
        ``_`` behind its name.
        """
        numbers = ["count", "count_low", "count_high"]
        taken = {"level", *numbers}
        keys = [key_name(each, taken) for each in (self.plan.column, *self.plan.by)]
        names = ["level", *keys, *numbers]
        columns = [list(each) for each in zip(*self.rows(), strict=True)]
        kinds = [TEXT] * (len(names) - 3) + [INTEGER if self.plan.unit == 1 else REAL, REAL, REAL]
        found: dict[str, Any] = {}
        for name, kind, values in zip(names, kinds, columns, strict=True):
            held = [None if each is None else str(each) for each in values]
            found[name] = kind, held if kind == TEXT else values
        return HeldRows(found)

    def to_pandas(self) -> Any:
        """A pandas frame; it needs the extra `frames`."""
        return self.to_rows().to_arrow().to_pandas()

    def to_csv(self, path: str | Path) -> None:
        """A CSV file."""
        Path(path).write_text(self.to_rows().csv(), encoding="utf-8", newline="")

    def __len__(self) -> int:
        return self.counts.size


class Detail:
    """A table by a column with levels above it, not yet released: large groups member by member,
    small ones as one.  Only `release` reads private rows, and only it spends.

    ``least`` is the count from which a group is told in detail, and ``share`` the part of the cost
    that goes to deciding it.  Columns need declared values, as those of a `Publication` do.
    """

    def __init__(
        self,
        asked_of: Askable,
        rows: Rows,
        hierarchy: Hierarchy,
        text: str,
        *,
        least: Number,
        by: Sequence[str] = (),
        share: Number = "0.1",
    ) -> None:
        self.text = text
        self.column, self.by = hierarchy.column, tuple(by)
        self._least, self._share = positive(least, "least"), open_unit(share, "share")
        lines = [Marginals([self.column, *self.by])]
        self._counted = Publication(asked_of, rows, lines, text, hierarchies=[hierarchy])

    @cached_property
    def _domain(self) -> Any:
        return self._counted.workload.domain

    def _plan(self, request: CostRequest) -> DetailPlan:
        bounded, term = self._counted.bounded, count_of()
        return DetailPlan.of(
            self._domain,
            self.column,
            self.by,
            request.measure,
            bounded.unit.relation,
            reach=term.bound * bounded.reach(term),
            least=self._least,
            share=self._share,
            unit=bounded.worth(term),
        )

    def preview(self, *, epsilon: Number | None = None, rho: Number | None = None) -> DetailPlan:
        """What `release` with these numbers would cost and give.  Free: no private row is read."""
        return self._plan(self._counted.source.payer.request(epsilon=epsilon, rho=rho))

    def release(
        self, *, epsilon: Number | None = None, rho: Number | None = None, key: str | None = None
    ) -> DetailedTable:
        """The table.  The budget is charged once, before rows are read and before any noise is
        drawn.

        Guarantee: the decision and the table together cost what the request says, and no more.
        Proof: src/shoal/workloads/adaptive_detail.md.
        """
        source = self._counted.source
        request = source.payer.request(epsilon=epsilon, rho=rho)
        plan = self._plan(request)
        source.engine.check(self._counted.question.relation)
        charge = source.payer.charge(plan.event, self._asked(plan, request, key))
        if not isinstance(charge, QuestionCharge):  # it was released before
            levels = [np.array(each, dtype=object) for each in charge["deciding"]]
            return self._table(plan, levels, charge["measured"], charge["certificate"])
        charge.begin()
        levels, table = read_for(charge, lambda: self._measured(plan))
        certificate = self._certificate(plan, request, charge.facts)
        measured = [int(each) for each in table.reshape(-1)]
        deciding = [[int(each) for each in level] for level in levels]
        charge.answered({"deciding": deciding, "measured": measured, "certificate": certificate})
        return self._table(plan, levels, measured, certificate)

    def _measured(self, plan: DetailPlan) -> tuple[list[IntegerArray], IntegerArray]:
        names = self._domain.names
        found = self._counted.counts().marginal((self.column, *plan.by))
        assert set(names) == {self.column, *plan.by}
        levels = plan.noisy_levels(found.sum(axis=tuple(range(1, found.ndim))))
        return levels, plan.noisy_table(found, plan.places(levels))

    def _table(
        self,
        plan: DetailPlan,
        levels: Sequence[IntegerArray],
        measured: Sequence[int],
        certificate: Mapping[str, Any],
    ) -> DetailedTable:
        places = plan.places(levels)
        shape = (len(places), *self._domain.shape(plan.by))
        counts: IntegerArray = np.array(measured, dtype=object).reshape(shape)
        return DetailedTable(plan, places, counts, certificate)

    def _said(self, plan: DetailPlan) -> dict[str, Any]:
        return {
            "detail_of": self.column,
            "by": list(plan.by),
            "least": str(self._least),
            "share_for_deciding": str(self._share),
            "levels": [
                {
                    "level": each.level,
                    "groups": list(map(str, each.labels)),
                    "members": each.groups.tolist(),
                }
                for each in plan.levels
            ],
        }

    def _asked(self, plan: DetailPlan, request: CostRequest, key: str | None) -> PaymentRequest:
        body = {
            "detail": canonical_plan(self._counted.question),
            **self._said(plan),
            "request": str(request),
            "event": plan.event.to_dict(),
        }
        canonical = json.dumps(body, sort_keys=True, separators=(",", ":"))
        return PaymentRequest(self.text, canonical, str(request), key)

    def _certificate(
        self, plan: DetailPlan, request: CostRequest, facts: Mapping[str, Any]
    ) -> dict[str, Any]:
        question = self._counted.question
        names = [f"counts by {each.level}, which decide" for each in plan.levels]
        noises = [*plan.deciding, plan.table]
        law = "rounded Gaussian, sigma"
        if isinstance(plan.measure, ZeroConcentrated):
            law = "discrete Gaussian, sigma"
        if isinstance(plan.measure, Pure):
            law = "discrete Laplace, scale"
        said = {
            "question": self.text,
            "plan": question.explain(),
            "protects": str(question.relation.protects),
            "groups": self._domain.cells(self._domain.names),
            "noise": "laplace" if isinstance(plan.measure, Pure) else "gaussian",
            **self._said(plan),
            "terms": [
                {
                    "total": name,
                    "unit": str(plan.unit),
                    "sensitivity": str(noise.sensitivity.value),
                    "norm": str(noise.sensitivity.norm),
                    "noise": f"{law} {noise.spread} units",
                }
                for name, noise in zip([*names, "counts that are told"], noises, strict=True)
            ],
            "tables": {
                name: [str(column) for column in table.columns]
                for name, table in sorted(tables_of(question.relation).items())
            },
        }
        relation = str(self._counted.bounded.unit.relation)
        return certified(said, plan.event.events, relation, request, facts)

    def __repr__(self) -> str:
        return f"<table as fine as its counts allow: {self.text}>"
