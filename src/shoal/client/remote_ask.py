"""Questions to an office: read, priced and explained here, released there.

The plan and the price of a question follow from public facts, so both sides find the same.  Only the
release goes to the office, as text; what comes back is what was drawn, of which the answer is made
here.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, cast

from shoal.client.office_connection import Connection, part
from shoal.client.told_values import preview_of_told, rows_of_told, standing_of
from shoal.engines.engine import Engine
from shoal.engines.engine_choice import engine_over
from shoal.errors import RefusedError, UnansweredError
from shoal.events import Event
from shoal.exact import Number
from shoal.measures import Measure
from shoal.noise import one_below
from shoal.plan import Rows, Table, Value, name_of, tables_of
from shoal.query import Answer, Ask, CostRequest, Preview
from shoal.query.ask import StatedTerms
from shoal.query.payment import (
    PaymentRequest,
    QuestionCharge,
    QuestionSource,
    StoredAnswer,
    cost_request,
)
from shoal.query.question_builder import Building
from shoal.sql import question
from shoal.vault import Standing
from shoal.vault.accounts.payer import asked_in

_NOT_SQL = "a question to an office is SQL, or built with where, join, group_by and agg."


class RemoteAsk(Ask):
    """A question to an office, with the words of `Ask`: previewed and released there."""

    connection: Connection
    stated_weights: Mapping[str, Any]

    def _previewed(self, stated: StatedTerms, confidence: Number | None) -> Preview:
        body = self._body(stated)
        if confidence is not None:
            body["confidence"] = str(confidence)
        return preview_of_told(self.connection.post("/preview", body))

    def _released(self, stated: StatedTerms, key: str | None) -> Answer:
        """The answer is drawn at the office and charged there.  Without a ``key`` the call has one
        of its own, so that a lost connection costs nothing twice.
        """
        made = self._priced_as(stated)
        found = self.connection.post("/releases", self._body(stated), key=key or new_key())
        kept = found["answer"] if "state" in found else found  # waited for, or told at once
        if kept is None:
            raise UnansweredError(
                "the question was charged, but there is no answer. What was charged stays spent.",
                remedy="Ask with another key, which is charged anew.",
            )
        return self._restored(made, kept)

    def _body(self, stated: StatedTerms) -> dict[str, Any]:
        said = {name: getattr(stated, name) for name in ("epsilon", "delta", "rho")}
        said["intervals"] = self.intervals
        body: dict[str, Any] = {"sql": self.text}
        body |= {"noise": stated.noise, "show_clipped": stated.show_clipped}
        body |= {name: None if value is None else str(value) for name, value in said.items()}
        if self.stated_weights:
            body["weights"] = {name: str(value) for name, value in self.stated_weights.items()}
        return body


def new_key() -> str:
    """A key that nobody has used."""
    return f"{one_below(16**32):032x}"


@dataclass(frozen=True)
class RemotePayer:
    """What the office says of the accounts that pay for some datasets."""

    connection: Connection
    names: tuple[str, ...]

    @cached_property
    def _standings(self) -> list[Standing]:
        return [standing_of(self.connection.get(f"/budgets/{part(each)}")) for each in self.names]

    @property
    def whole(self) -> Measure:
        """The measure that questions are asked in."""
        return asked_in(
            [
                account.budget
                for each in self._standings
                for account in (*each.accounts, *each.allowances)
            ]
        )

    @property
    def spent(self) -> Measure:
        """What was spent of the first account."""
        return self._standings[0].spent

    @property
    def left(self) -> Measure:
        """What is left of the first account."""
        return self._standings[0].left

    @property
    def relation(self) -> str:
        """The neighbours for which the accounts are kept."""
        return self._standings[0].accounts[0].relation

    def request(
        self,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        rho: Number | None = None,
        selects: bool = False,
    ) -> CostRequest:
        """What is asked for, in the terms of the accounts."""
        return cost_request(self.whole, epsilon=epsilon, delta=delta, rho=rho, selects=selects)

    def would_fit(self, event: Event) -> bool:  # noqa: ARG002 - only the office knows
        """Whether an event could be charged: the office says so in a preview."""
        raise RefusedError(_NOT_SQL, remedy="Use preview(...).fits.")

    def has_answered(self, asked: PaymentRequest) -> bool:  # noqa: ARG002 - only the office knows
        """No: an office finds the answers that it keeps."""
        return False

    def charge(self, event: Event, asked: PaymentRequest) -> QuestionCharge | StoredAnswer:  # noqa: ARG002 - as above
        """Refused: releases of an office are made there."""
        raise RefusedError(_NOT_SQL, remedy="Write it in SQL: office.sql('SELECT ...').")


@dataclass(frozen=True)
class PublicRows:
    """The engine of a client: it has public tables, fetched when a question groups by them."""

    connection: Connection

    def check(self, relation: Rows) -> None:
        """The office checks a question before it charges it."""

    def rows(self, relation: Rows, *, persons: bool = False) -> list[tuple[Value, ...]]:
        """Every row of a relation over public tables."""
        names = tables_of(relation)
        sources = {
            each: rows_of_told(self.connection.get(f"/datasets/{part(each)}/rows"))
            for each in names
        }
        return engine_over(sources).rows(relation, persons=persons)


@dataclass(frozen=True)
class RemoteTables:
    """The tables of an office; a question finds its accounts by the tables that it reads."""

    connection: Connection
    tables: Mapping[str, Table]

    def source_for(self, names: Collection[str]) -> QuestionSource:
        """The accounts that pay for these tables."""
        private = tuple(each for each in names if self.tables[each].protects is not None)
        engine = cast("Engine", PublicRows(self.connection))
        return QuestionSource(engine, self.tables, RemotePayer(self.connection, private))

    def with_tables(self, tables: Mapping[str, Table]) -> RemoteTables:
        """The same office."""
        return replace(self, tables=tables)

    def ask(
        self,
        text: str,
        weights: Mapping[str, Any] | None = None,
        intervals: Number | None = None,
    ) -> RemoteAsk:
        """A question in SQL."""
        made = RemoteAsk(self, question(text, self.tables), text, weights, intervals)
        made.connection, made.stated_weights = self.connection, dict(weights or {})
        return made


@dataclass(frozen=True)
class RemoteBuilding(Building):
    """A question built step by step, which goes to the office as SQL."""

    source: str = ""
    conditions: tuple[str, ...] = ()

    def where(self, condition: str) -> RemoteBuilding:
        """The rows for which a condition is true."""
        made = cast("RemoteBuilding", super().where(condition))
        return replace(made, conditions=(*self.conditions, condition))

    def join(self, table: str, *, using: str) -> RemoteBuilding:
        """Each row with the rows of a public table that agree with it in a column."""
        made = cast("RemoteBuilding", super().join(table, using=using))
        return replace(made, source=f"{self.source} JOIN {name_of(table)} USING ({name_of(using)})")

    def agg(
        self,
        *,
        having: str | None = None,
        weights: Mapping[str, Any] | None = None,
        intervals: Number | None = None,
        **shown: str,
    ) -> RemoteAsk:
        """The question: what is to be known of each group, under a name."""
        listed = [f"{text} AS {name_of(name)}" for name, text in (*self.keys, *shown.items())]
        sql = f"SELECT {', '.join(listed)} FROM {self.source}"  # noqa: S608 - read by the office, as any question
        if self.conditions:
            sql += f" WHERE {' AND '.join(f'({each})' for each in self.conditions)}"
        if self.keys:
            sql += f" GROUP BY {', '.join(text for _, text in self.keys)}"
        if having is not None:
            sql += f" HAVING {having}"
        return cast("RemoteTables", self.held).ask(sql, weights, intervals)
