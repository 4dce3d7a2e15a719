"""Several counting questions about the same rows, released together: one charge, one certificate, and
answers that agree.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Protocol, runtime_checkable

from shoal.errors import FactsError, SchemaError
from shoal.exact import Number
from shoal.plan import Key, Value, tables_of
from shoal.query.answer import CONFIDENCE, Answer
from shoal.query.ask import Ask
from shoal.query.batch_plan import BatchPlan, BatchQuestion, planned
from shoal.query.canonical import canonical_plan
from shoal.query.certificate import certified, measured_terms_of
from shoal.query.drawn_groups import DrawnGroups, drawn_together, noisy_groups
from shoal.query.joint_counts import MOST_CELLS, JointCounts, Places, counted_sets
from shoal.query.joint_noise import JointNoised
from shoal.query.keys import selects
from shoal.query.payment import (
    Budget,
    CostRequest,
    PaymentRequest,
    QuestionCharge,
    QuestionSource,
    StoredAnswer,
    read_for,
)
from shoal.query.stored_answer import restored, stored


class Batch:
    """Questions that count rows, not yet released.  Only `release` reads private rows, and only it
    spends.

    Each is a SELECT with COUNT(*) and keys whose values are declared, of the same rows: the same
    table and the same WHERE.  GROUP BY may have ROLLUP, CUBE and GROUPING SETS.  They are measured
    together, as the tables of a `Publication` are, where that has less error than giving each a
    part of the budget.

    >>> import pyarrow as pa
    >>> from shoal import Choices, Row, ZeroConcentrated, private
    >>> people = private(
    ...     pa.table({"sex": ["f", "m", "f"], "region": ["N", "S", "S"]}), protects=Row(),
    ...     columns={"sex": Choices(["f", "m"]), "region": Choices(["N", "S"])},
    ...     required=["sex", "region"], budget=ZeroConcentrated(1),
    ... )
    >>> print(people.batch([
    ...     "SELECT sex, COUNT(*) AS n FROM data GROUP BY sex",
    ...     "SELECT region, COUNT(*) AS n FROM data GROUP BY region",
    ... ]).preview(rho="0.5"))
    costs zero-concentrated, rho 0.5; errors at 95% confidence
    within 2.366: SELECT sex, COUNT(*) AS n FROM data GROUP BY sex
    within 2.366: SELECT region, COUNT(*) AS n FROM data GROUP BY region
    note: The questions are measured together, so that their answers agree. One by one, squared errors would be 1.37 times as large.
    """

    def __init__(self, asks: Sequence[Ask]) -> None:
        self._asks = tuple(asks)
        if not self._asks:
            raise SchemaError(
                "a batch needs questions.",
                remedy="Write batch(['SELECT sex, COUNT(*) AS n FROM people GROUP BY sex']).",
            )
        self._sets = [_sets(ask, at) for at, ask in enumerate(self._asks)]
        for at, ask in enumerate(self._asks):
            if ask.spelled.relation != self._asks[0].spelled.relation:
                raise SchemaError(
                    f"question {at + 1} of the batch counts other rows than question 1.",
                    remedy="Give all of them the same FROM and WHERE, or release them in two batches.",
                )
            if _holder(ask.source) != _holder(self._asks[0].source):
                raise SchemaError(
                    f"question {at + 1} of the batch was asked of other data, or by someone else, "
                    "than question 1.",
                    remedy="Give its text, such as people.batch(['SELECT ...']), or release it in a "
                    "batch of the data it was asked of.",
                )

    @property
    def text(self) -> str:
        """All questions, one after another."""
        return "; ".join(ask.text for ask in self._asks)

    @cached_property
    def _keys(self) -> dict[Key, tuple[Value, ...]]:
        """The keys of all questions, each once under its first name, and their values."""
        found: dict[Any, tuple[Key, tuple[Value, ...]]] = {}
        for ask, sets in zip(self._asks, self._sets, strict=True):
            counts = ask.counted(sets)
            for key, values in zip(counts.keys, counts.values, strict=True):
                found.setdefault(key.expression, (key, values))
        return dict(found.values())

    def _places(self, ask: Ask) -> Places:
        """Where the keys of a question stand among all."""
        every = [key.expression for key in self._keys]
        return tuple(every.index(key.expression) for key in ask.spelled.keys)

    def _joined(self, ask: Ask, sets: Iterable[Places]) -> tuple[Places, ...]:
        own = self._places(ask)
        return tuple(tuple(sorted(own[at] for at in each)) for each in sets)

    @cached_property
    def _counts(self) -> JointCounts | None:
        """What is measured together; None where that cannot be."""
        pairs = zip(self._asks, self._sets, strict=True)
        sets = dict.fromkeys(each for ask, own in pairs for each in self._joined(ask, own))
        relation = self._asks[0].spelled.relation
        found = JointCounts(relation, tuple(self._keys), tuple(self._keys.values()), tuple(sets))
        tied = any(ask.has_tied_keys for ask in self._asks)
        return None if tied or math.prod(found.shape) > MOST_CELLS else found

    def _plan(self, request: CostRequest) -> BatchPlan:
        asked = [
            BatchQuestion(
                ask.text,
                ask.priced_alone(request),
                len(ask.groups or ()),
                self._places(ask),
                self._joined(ask, sets),
                _sizes(ask, sets),
            )
            for ask, sets in zip(self._asks, self._sets, strict=True)
        ]
        return planned(request, asked, self._counts)

    def preview(self, *, epsilon: Number | None = None, rho: Number | None = None) -> BatchPlan:
        """What `release` with these numbers would cost and give, question by question.  Free: no
        private row is read.
        """
        payer = self._asks[0].budget
        made = self._plan(payer.request(epsilon=epsilon, rho=rho))
        return replace(made, fits=payer.would_fit(made.event))

    def release(
        self, *, epsilon: Number | None = None, rho: Number | None = None, key: str | None = None
    ) -> list[Answer]:
        """An answer for each question.  The budget is charged once, before rows are read and before
        any noise is drawn.

        Guarantee: the answers together cost what the request says, and no more.  If the engine
            fails after the charge, the error is the same whatever the data.
        Proof: joint_counts.md.
        """
        source = self._asks[0].source
        request = source.payer.request(epsilon=epsilon, rho=rho)
        made = self._plan(request)
        source.engine.check(self._asks[0].spelled.relation)
        asked = PaymentRequest(self.text, self._canonical(made), str(request), key)
        charge = source.payer.charge(made.event, asked)
        if not isinstance(charge, QuestionCharge):  # it was answered before
            return self._restored(made, charge)
        charge.begin()
        drawn = read_for(charge, lambda: self._drawn(made))
        certificate = self._certificate(made, charge.facts)
        answers = [
            each.answer(part, certificate, CONFIDENCE)
            for each, part in zip(drawn, made.parts, strict=True)
        ]
        listed = [
            {name: said for name, said in stored(each).items() if name != "certificate"}
            for each in answers
        ]
        charge.answered({"answers": listed, "certificate": certificate})
        return answers

    def _drawn(self, made: BatchPlan) -> list[DrawnGroups]:
        engine = self._asks[0].source.engine
        groups = [list(ask.groups or ()) for ask in self._asks]
        if made.plan is None:
            return [
                DrawnGroups(own, noisy_groups(part, engine, own))
                for own, part in zip(groups, made.parts, strict=True)
            ]
        assert self._counts is not None
        cells = self._counts.release(made.plan, engine)
        whole = self._counts.whole(cells)
        found = []
        for own, part in zip(groups, made.parts, strict=True):
            assert isinstance(part.noised, JointNoised)
            found.append(drawn_together(part.noised, cells, whole, own))
        return found

    def _restored(self, made: BatchPlan, kept: StoredAnswer) -> list[Answer]:
        pairs = zip(self._asks, made.parts, kept["answers"], strict=True)
        return [
            restored(part, {**one, "certificate": kept["certificate"]}, asked=ask.question)
            for ask, part, one in pairs
        ]

    def _canonical(self, made: BatchPlan) -> str:
        body = {
            "batch": [
                [canonical_plan(ask.spelled), list(map(list, sets))]
                for ask, sets in zip(self._asks, self._sets, strict=True)
            ],
            "request": str(made.request),
            "strategy": None if made.plan is None else made.plan.strategy_hash,
            "event": made.event.to_dict(),
        }
        return json.dumps(body, sort_keys=True, separators=(",", ":"))

    def _certificate(self, made: BatchPlan, facts: Mapping[str, Any]) -> dict[str, Any]:
        first, tables = self._asks[0], self._asks[0].source.tables
        relation = first.spelled.relation
        if made.plan is None:
            terms = [each for part in made.parts for each in measured_terms_of(part)["terms"]]
            measured: dict[str, Any] = {"terms": terms}
        else:
            measured = measured_terms_of(made.parts[0])
        said = {
            "question": self.text,
            "plan": "\n".join(ask.spelled.explain() for ask in self._asks),
            "protects": str(relation.protects),
            "groups": sum(len(ask.groups or ()) for ask in self._asks),
            "noise": made.parts[0].law,
            **measured,
            "tables": {
                name: [str(column) for column in tables[name].columns]
                for name in sorted(tables_of(relation))
            },
        }
        unit = made.parts[0].noised.bounded.unit
        return certified(said, made.event.events, str(unit.relation), made.request, facts)

    def __repr__(self) -> str:
        return f"<batch of {len(self._asks)} questions: {self.text}>"


@runtime_checkable
class _LedgerPayer(Protocol):
    """What tells apart the payers of a vault, which makes one for each set of tables."""

    @property
    def ledger(self) -> object: ...

    @property
    def datasets(self) -> Sequence[Any]: ...

    @property
    def analyst(self) -> str | None: ...

    @property
    def approval(self) -> int | None: ...


def _holder(source: QuestionSource) -> tuple[object, ...]:
    """Whose rows a question counts and who pays for it: equal for questions that the source of one
    of them can answer.  Names of tables do not tell: two people can call theirs the same.
    """
    payer = source.payer
    if isinstance(payer, _LedgerPayer):
        private = [(each.name, each.entry) for each in payer.datasets if each.protects is not None]
        return payer.ledger, private, payer.analyst, payer.approval
    # One engine has one budget; for rows that are made up, one is made for each question.
    return (source.engine,) if isinstance(payer, Budget) else (source.engine, payer)


def _sizes(ask: Ask, sets: tuple[Places, ...]) -> tuple[int, ...]:
    """How many groups a question has by each set of its keys."""
    groups = ask.groups or []
    return tuple(len({tuple(group[at] for at in each) for group in groups}) for each in sets)


def _sets(ask: Ask, at: int) -> tuple[Places, ...]:
    """The sets of keys by which a question of a batch counts, or why it cannot be one."""
    found = counted_sets(ask.spelled)
    if found is not None:
        return found
    if selects(ask.spelled):
        raise FactsError(
            f"question {at + 1} of the batch groups by values that are not declared.",
            remedy="State them, such as columns={'city': shoal.Choices([...])}, or ask it by itself.",
        )
    raise SchemaError(
        f"question {at + 1} of the batch shows more than one COUNT(*).",
        remedy="Count rows in a batch: SELECT sex, COUNT(*) AS n FROM people GROUP BY sex. "
        "Ask for other numbers by themselves.",
    )
