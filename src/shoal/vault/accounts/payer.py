"""Who pays for a question in a vault: the accounts of its datasets, and the analyst's
allowances.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from shoal.errors import VaultError
from shoal.events import Event
from shoal.exact import Number
from shoal.ledger import AccountState, Charge, Ledger, Replay
from shoal.ledger.entry import ANSWERED
from shoal.measures import Approx, Measure
from shoal.plan import Row, Table
from shoal.plan.types import is_broken
from shoal.query import CostRequest
from shoal.query.notebook_html import block, table, title
from shoal.query.payment import (
    PaymentRequest,
    QuestionCharge,
    QuestionSource,
    StoredAnswer,
    amount_of,
    budget_bar,
    cost_request,
)
from shoal.vault.dataset import Dataset
from shoal.vault.sources.checked_engine import CheckedEngine

CURATOR = "curator"
"""Who asks when nobody is named."""


def allowance(dataset: str, analyst: str) -> str:
    """The name of an analyst's account under a dataset."""
    return f"{dataset}@{analyst}"


def asked_in(budgets: Sequence[Measure]) -> Measure:
    """The measure that a question is asked in which several budgets pay for: the one with the least
    delta.
    """
    kinds = {type(budget) for budget in budgets}
    if len(kinds) > 1:
        raise VaultError(
            "the budgets of these datasets are counted in different measures.",
            remedy="Ask of datasets whose budgets are all epsilons, all epsilons with a delta, or all rhos.",
        )
    return min(budgets, key=lambda b: b.delta) if isinstance(budgets[0], Approx) else budgets[0]  # type: ignore[attr-defined]


@dataclass(frozen=True)
class AccountPayer:
    """The payer of one question: every account of every private dataset it reads, and the asker's
    allowances.
    """

    ledger: Ledger
    datasets: Sequence[Dataset]
    engine: CheckedEngine
    analyst: str | None = None
    approval: int | None = None
    """The number of an approved request, which pays in place of the allowances."""

    @property
    def names(self) -> tuple[str, ...]:
        """The accounts, each once."""
        found: dict[str, None] = {}
        for each in self.datasets:
            found |= dict.fromkeys(each.accounts)
            if self.analyst is not None and self.approval is None and not each.public:
                found[allowance(each.name, self.analyst)] = None
        return tuple(found)

    @property
    def whole(self) -> Measure:
        """The measure that questions are asked in: of several budgets the one with the least
        delta.
        """
        return asked_in([each.budget for each in self._states()])

    @property
    def spent(self) -> Measure:
        """What has been spent of the first account."""
        return self.ledger.account(self.names[0]).spent

    @property
    def left(self) -> Measure:
        """What still fits every account: that of the one with the least left."""
        return min((each.left for each in self._states()), key=amount_of)

    def _repr_html_(self) -> str:
        found = self._states()
        rows = [[each.name, budget_bar(each.budget, each.spent, each.left)] for each in found]
        return block(title("budget"), table([], rows))

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

    def would_fit(self, event: Event) -> bool:
        """Whether an event could be charged to every account now."""
        return self.ledger.would_fit(self._checked(), event)

    def has_answered(self, asked: PaymentRequest) -> bool:
        """Whether the journal has the answer, to these rows."""
        charges = self.ledger.charged(self._same(asked))
        outcomes = (self.ledger.outcome(charge.number) for charge in charges)
        return any(each is not None and each.kind == ANSWERED for each in outcomes)

    def _same(self, asked: PaymentRequest) -> str:
        """The digest of a question and of the version of its rows."""
        same = hashlib.sha256(asked.canonical.encode())
        for each in sorted(self.datasets, key=lambda one: one.name):
            same.update(each.data_digest.encode())
        return same.hexdigest()

    def charge(self, event: Event, asked: PaymentRequest) -> QuestionCharge | StoredAnswer:
        """Take an event from every account or from none; an answer that was given before is
        free.
        """
        self._check_apart()
        self.engine.check_content()
        found = self.ledger.charge(
            self._checked(),
            event,
            caller=self.analyst or CURATOR,
            body={
                "question": asked.text,
                "request": asked.request,
                "datasets": {each.name: each.version for each in self.datasets},
                **({} if self.approval is None else {"approval": self.approval}),
            },
            key=asked.key,
            same=self._same(asked),
        )
        if isinstance(found, Replay):
            stored: StoredAnswer = found.answer
            return stored
        return LedgerCharge(charge=found, engine=self.engine, facts=self._facts(found))

    def _facts(self, charge: Charge) -> dict[str, Any]:
        """What the certificate says beside the question: the datasets, and the place in the
        journal.
        """
        return {
            "datasets": [each.stated for each in self.datasets],
            "asked_by": self.analyst or CURATOR,
            "release": self.ledger.charges_until(charge.entry.number),
            "ledger": {
                "entry": charge.entry.number,
                "time": charge.entry.time,
                "previous": charge.entry.previous,
                "hash": charge.entry.hash,
                "accounts": list(self.names),
            },
        }

    @property
    def relation(self) -> str:
        """The neighbours for which the accounts are kept."""
        return self.ledger.account(self.names[0]).relation

    def _check_apart(self) -> None:
        """Refuse protected rows that may lie in two of the datasets: each would count once in
        each.
        """
        seen: set[str] = set()
        for each in self.datasets:
            if not isinstance(each.protects, Row):
                continue
            if seen & set(each.accounts):
                raise VaultError(
                    f"{each.name!r} may hold the same rows as another dataset of this question: they share an account, "
                    "and each row is protected by itself.",
                    remedy="Ask of one of them, or protect persons, who are bounded wherever their rows lie.",
                )
            seen |= set(each.accounts)

    def _checked(self) -> tuple[str, ...]:
        """The accounts, where an analyst has an allowance for every dataset."""
        self._states()
        return self.names

    def _states(self) -> list[AccountState]:
        """Where the accounts stand, all read at once; refused where an allowance is missing."""
        found = {each.name: each for each in self.ledger.accounts(self.names)}
        if self.analyst is not None and self.approval is None:
            known = set(found)
            for each in self.datasets:
                if not each.public and allowance(each.name, self.analyst) not in known:
                    raise VaultError(
                        f"{self.analyst!r} has no allowance for {each.name!r}.",
                        remedy=f"Let the curator grant one: vault.grant({self.analyst!r}, {each.name!r}, shoal.Pure(1)), "
                        f"or shoal grant {self.analyst} {each.name} --budget 1.",
                    )
        return [found.get(name) or self.ledger.account(name) for name in self.names]


@dataclass(frozen=True)
class VaultTables:
    """The tables of a vault; a question finds its own rows and accounts by the tables it reads."""

    tables: Mapping[str, Table]
    payer_for: Callable[[Collection[str]], AccountPayer]

    def source_for(self, names: Collection[str]) -> QuestionSource:
        """The rows of these tables, and the accounts that pay for them."""
        payer = self.payer_for(names)
        return QuestionSource(payer.engine, self.tables, payer)

    def with_tables(self, tables: Mapping[str, Table]) -> VaultTables:
        """The same vault."""
        return replace(self, tables=tables)


@dataclass(frozen=True, kw_only=True)
class LedgerCharge(QuestionCharge):
    """A charge that is durable, whose answer is not there yet."""

    charge: Charge
    engine: CheckedEngine

    def begin(self) -> None:
        """Open the rows; where that fails nothing was read, and the charge is given back.

        One that was taken up from someone who died may have been read for, and stays spent.
        """
        try:
            self.engine.open()
        except BaseException as error:
            back = self.charge.may_be_given_back
            (self.charge.failed_before_data if back else self.charge.leave)(type(error).__name__)
            raise
        self.charge.reads_data()

    def answered(self, answer: StoredAnswer) -> None:
        """Keep the answer, unless the rows were written while they were read."""
        try:
            self.engine.check_content(after_reading=True)
        except BaseException as error:
            self.left(type(error).__name__)
            raise
        self.charge.answered(dict(answer))

    def left(self, reason: str) -> None:
        """Leave the charge as spent, without an answer."""
        self.charge.leave(reason)


def analyst_name(name: str) -> str:
    """The name of an analyst, if it can be one."""
    usable = isinstance(name, str) and name.strip() and "@" not in name and name != CURATOR
    if not usable or is_broken(name):
        raise VaultError(
            "an analyst needs a name, without @, other than 'curator'.", remedy="Give 'ana'."
        )
    return name
