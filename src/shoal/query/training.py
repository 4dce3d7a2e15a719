"""A model learned from private rows: priced, charged, and only then are rows read.

A model is whatever keeps to `Learnable`: it plans its noisy sums from public facts, and is trained
by drawing them.  `shoal.learning` has models; this file knows none of them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from shoal.errors import FactsError, RangeError, SchemaError, UnknownNameError
from shoal.events import Composed
from shoal.exact import Number
from shoal.measures import Measure, Pure
from shoal.plan import Bounded, Column, Person, Project, Ref, Rows, count_of, tables_of
from shoal.query.canonical import canonical_rows, columns_called
from shoal.query.certificate import certified
from shoal.query.payment import Askable, CostRequest, PaymentRequest, QuestionCharge, read_for
from shoal.query.source_values import with_source_values
from shoal.sensitivity import Norm, Relation


class Trained(Protocol):
    """A training that was planned from public facts: what it will release, and how it is done."""

    @property
    def event(self) -> Composed: ...

    @property
    def samples_units(self) -> bool: ...

    @property
    def noise(self) -> str: ...

    def identity(self) -> dict[str, Any]: ...

    def terms(self) -> list[dict[str, str]]: ...

    def read(
        self,
        rows: Sequence[tuple[Any, ...]],
        features: Sequence[Column],
        target: Column | None,
        owners: NDArray[Any] | None,
    ) -> Any: ...

    def fitted(self, arrays: Any) -> Any: ...

    def stored(self) -> dict[str, Any]: ...

    def restored(self, state: Mapping[str, Any], certificate: Mapping[str, Any]) -> Any: ...

    def certified(self, certificate: Mapping[str, Any]) -> Any: ...


class Learnable(Protocol):
    """A model that can plan its training for a price.

    Where it has a true ``reads_source_values``, its columns are not moved into their declared facts
    before it reads them.
    """

    def learning(
        self,
        features: Sequence[Column],
        target: Column | None,
        measure: Measure,
        reach: int,
        relation: Relation,
    ) -> Trained: ...


class Training:
    """A model to be learned from rows, not yet trained.  Only `release` reads private rows, and only
    it spends.
    """

    def __init__(
        self,
        asked_of: Askable,
        rows: Rows,
        model: Learnable,
        *,
        target: str | None,
        features: Sequence[str] | None,
        text: str,
    ) -> None:
        self.text, self._model = text, model
        if rows.protects is None:
            raise SchemaError(
                "these rows are public, so nothing protects them from being learned.",
                remedy="Fit a model of scikit-learn to them.",
            )
        known = {column.name: column for column in rows.columns}
        own = {c.name for c in rows.columns if c.person is not None}
        if features is None:
            features = [name for name in known if name != target and name not in own]
        self._features = [_known(known, name) for name in features]
        self._target = None if target is None else _known(known, target)
        wanted = [*self._features, *([] if self._target is None else [self._target])]
        if getattr(model, "reads_source_values", False):
            rows = with_source_values(rows, {each.name for each in wanted})
            read = {each.name: each for each in rows.columns}
            wanted = [read[each.name] for each in wanted]
        self.relation = Project(rows, tuple((each.name, Ref(each)) for each in wanted))
        self._bounded = Bounded(self.relation, (), (count_of(),), Norm.L2)
        self._source = asked_of.source_for(sorted(tables_of(self.relation)))

    @property
    def rows_of_one(self) -> int:
        """How many rows one protected unit counts with, at most."""
        unit = self._bounded.unit
        return unit.rows_per_group if isinstance(unit, Person) else self._bounded.rows_of_one

    def _planned(self, request: CostRequest) -> Trained:
        if isinstance(request.measure, Pure) and not getattr(
            self._model, "takes_pure_budgets", False
        ):
            raise RangeError(
                "this model is learned with Gaussian noise, which a pure budget cannot pay: it has no delta.",
                remedy="Use a budget such as shoal.Approx(1, '1e-6') or shoal.ZeroConcentrated(0.5). Of "
                "the models, PureLogisticRegression, NaiveBayes, PCA and HistogramDensity need no delta.",
            )
        unit, rows = self._bounded.unit, self.rows_of_one
        planned = self._model.learning(
            self._features, self._target, request.measure, rows, unit.relation
        )
        if planned.samples_units and rows > 1 and not isinstance(unit, Person):
            # nobody knows which rows are one unit's, so each would have chance of its own
            raise FactsError(
                f"one protected row can become {rows} rows here, and a sample would take them one "
                "by one; the price is that of a sample, or batch, which takes all or none.",
                remedy="Train without samples: give the model rate=1. Or learn from rows before "
                "they are joined.",
            )
        return planned

    def preview(
        self, *, epsilon: Number | None = None, rho: Number | None = None
    ) -> list[dict[str, str]]:
        """Every sum that training would release, with its noise.  Free: no private row is read."""
        return self._planned(self._source.payer.request(epsilon=epsilon, rho=rho)).terms()

    def release(
        self, *, epsilon: Number | None = None, rho: Number | None = None, key: str | None = None
    ) -> Any:
        """The trained model.  The budget is charged once, before rows are read and before any noise
        is drawn.

        Guarantee: the model costs what the request says, and no more.  A person counts with
            `rows_of_one` rows at most, chosen by secret chance; if the engine fails after the
            charge, the error is the same whatever the data.
        Proof: src/shoal/learning/training.md.
        """
        request = self._source.payer.request(epsilon=epsilon, rho=rho)
        planned = self._planned(request)
        self._source.engine.check(self.relation)
        charge = self._source.payer.charge(planned.event, self._asked(planned, request, key))
        if not isinstance(charge, QuestionCharge):  # it was learned before
            return planned.restored(charge["model"], charge["certificate"])
        charge.begin()
        read_for(charge, lambda: planned.fitted(self._rows(planned)))
        certificate = self._certificate(planned, request, charge.facts)
        charge.answered({"model": planned.stored(), "certificate": certificate})
        return planned.certified(certificate)

    def _rows(self, planned: Trained) -> Any:
        persons = isinstance(self._bounded.unit, Person)
        rows = self._source.engine.rows(self.relation, persons=persons)
        if persons:
            width = len(self.relation.columns)
            owners = np.empty(len(rows), dtype=object)
            owners[:] = [row[width:] for row in rows]
            rows = [row[:width] for row in rows]
            return planned.read(rows, self._features, self._target, owners)
        return planned.read(rows, self._features, self._target, None)

    def _asked(self, planned: Trained, request: CostRequest, key: str | None) -> PaymentRequest:
        body = {
            "learn": planned.identity(),
            "rows": canonical_rows(self.relation),
            "columns": dict(columns_called(self.relation)),  # features are told by name
            "request": str(request),
            "event": planned.event.to_dict(),
        }
        canonical = json.dumps(body, sort_keys=True, separators=(",", ":"))
        return PaymentRequest(self.text, canonical, str(request), key)

    def _certificate(
        self, planned: Trained, request: CostRequest, facts: Mapping[str, Any]
    ) -> dict[str, Any]:
        said = {
            "question": self.text,
            "plan": f"learn {planned.identity()['model']} from {', '.join(c.name for c in self._features)}",
            "protects": str(self.relation.protects),
            "rows_of_one": self.rows_of_one,
            "groups": 1,
            "noise": planned.noise,
            "learned": planned.identity(),
            "terms": planned.terms(),
            "tables": {
                name: [str(column) for column in table.columns]
                for name, table in sorted(tables_of(self.relation).items())
            },
        }
        relation = str(self._bounded.unit.relation)
        return certified(said, planned.event.events, relation, request, facts)

    def __repr__(self) -> str:
        return f"<training, not yet released: {self.text}>"


def _known(known: Mapping[str, Column], name: str) -> Column:
    if name not in known:
        raise UnknownNameError(
            f"there is no column {str(name)[:40]!r}.",
            remedy=f"The columns are: {', '.join(known)}.",
        )
    return known[name]
