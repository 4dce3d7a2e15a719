"""The vault: the trusted curator.  Datasets, budgets, analysts and releases over one ledger, in a file
or at an address of PostgreSQL.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

from shoal.engines.held_rows import HeldRows
from shoal.engines.limits import NONE, EngineLimits
from shoal.errors import VaultError
from shoal.exact import Number
from shoal.ledger import Ledger
from shoal.owned import NotCopied
from shoal.polls import Poll, PublishedPoll, one_published, publish, published
from shoal.query import Ask, Private
from shoal.query.batch import Batch
from shoal.query.payment import QuestionSource
from shoal.query.public_lookups import PublicReader
from shoal.query.question_builder import Building
from shoal.query.suggested_bounds import SuggestedBounds
from shoal.query.suggested_shares import SuggestedShares
from shoal.vault.accounts.budgets import VaultBudgets
from shoal.vault.accounts.payer import (
    CURATOR,
    AccountPayer,
    VaultTables,
    analyst_name,
)
from shoal.vault.dataset import Dataset
from shoal.vault.made_up_rows import dummy_rows, rehearsal, rows_of
from shoal.vault.people.office_facts import OfficeFacts
from shoal.vault.people.vault_office import VaultOffice
from shoal.vault.question_cache import KnownQuestions, PayerCache
from shoal.vault.registry import Registry
from shoal.vault.sources.checked_engine import CheckedEngine
from shoal.vault.sources.fingerprint import Progress, make_secret, secret_of
from shoal.vault.sources.source_choice import check_vault_name
from shoal.vault.vault_declarations import VaultDeclarations
from shoal.vault.vault_history import VaultHistory
from shoal.vault.vault_html import vault_html
from shoal.vault.vault_streams import VaultStreams


class Vault(VaultBudgets, VaultDeclarations, VaultHistory, VaultOffice, VaultStreams, NotCopied):
    """Datasets with budgets, in one file or on PostgreSQL; made by `shoal.open`.

    Guarantee: every answer that anyone saw was charged, durably, before a row was read for it; all
        questions about the same people are charged to the same account, which never exceeds its
        budget, whoever asks.
    Needs: a curator who declares truthfully where data lie, how versions stand to each other, and
        which datasets use the same ids for the same people.
    Edges: a forked child may go on with the vault: it opens the file and the rows anew.  Copies and
        pickles are refused.
    """

    called = "an open vault"
    harm = "its connection and its locks belong to one process."
    way_out = "Open the vault again where it is needed: shoal.open('office.shoal')."

    def __init__(
        self,
        ledger: Ledger,
        *,
        analyst: str | None = None,
        progress: Progress | None = None,
        registry: Registry | None = None,
        payers: PayerCache | None = None,
        limits: EngineLimits = NONE,
        approval: int | None = None,
        facts: OfficeFacts | None = None,
        known: KnownQuestions | None = None,
    ) -> None:
        self._ledger, self._analyst, self._approval = ledger, analyst, approval
        self._progress, self._limits = progress, limits
        self._payers, self._known_registry = payers or PayerCache(), registry
        self._known_facts, self._known = facts, known or KnownQuestions()
        if registry is None:
            make_secret(ledger)

    @property
    def _registry(self) -> Registry:
        """What is declared; read when it is needed, so that a vault that is damaged can be
        verified.
        """
        if self._known_registry is None:
            self._known_registry = Registry(self._ledger, secret_of(self._ledger), self._progress)
        return self._known_registry

    @property
    def _facts(self) -> OfficeFacts:
        """People, tokens and requests, read when one is asked for."""
        if self._known_facts is None:
            self._known_facts = OfficeFacts(self._ledger)
        return self._known_facts

    # asking

    def sql(
        self,
        text: str,
        *,
        weights: Mapping[str, Any] | None = None,
        intervals: Number | None = None,
    ) -> Ask:
        """A question in SQL over any of the datasets; nothing is read or spent yet.  `Ask` says
        what the options are.
        """
        declared = tuple((name, each.entry) for name, each in self._registry.current.items())
        key = (self._analyst, self._approval, declared, text)
        known = self._known.get(key)
        if known is None:
            held = self._tables
            known = self._known.read(key, text, held.tables, PublicReader(held))
        held = VaultTables(known.tables, self._payer)
        return Ask(held, known.plan, text, weights, intervals, worked_out=known.worked_out)

    def batch(self, questions: Sequence[str | Ask]) -> Batch:
        """Several counts of the same rows, to be released together: texts of SQL, or questions that
        were built; `Batch` says what they need.
        """
        return Batch([self.sql(each) if isinstance(each, str) else each for each in questions])

    def table(self, name: str) -> Building:
        """The rows of a dataset, to build a question on without writing a SELECT."""
        return Building.of(self._tables, name)

    def suggest_bounds(
        self,
        dataset: str,
        column: str,
        *,
        epsilon: Number | None = None,
        rho: Number | None = None,
        share: Number = "0.99",
    ) -> SuggestedBounds:
        """A range for a column of numbers that nothing is known of, for a part of the budget; see
        `Private.suggest_bounds`.
        """
        alone = self._alone(dataset)
        return alone.suggest_bounds(column, epsilon=epsilon, rho=rho, share=share)

    def suggest_groups(
        self,
        dataset: str,
        *by: str,
        epsilon: Number | None = None,
        rho: Number | None = None,
        share: Number = "0.95",
    ) -> SuggestedShares:
        """How many groups and rows per group to allow a person, for a part of the budget; see
        `Private.suggest_groups`.
        """
        alone = self._alone(dataset)
        return alone.suggest_groups(*by, epsilon=epsilon, rho=rho, share=share)

    def _alone(self, dataset: str) -> Private:
        payer = self._payer([dataset])
        tables = {dataset: self.dataset(dataset).table}
        return Private(QuestionSource(payer.engine, tables, payer), dataset)

    def as_(self, analyst: str, *, approval: int | None = None) -> Vault:
        """The same vault for one analyst, who spends from allowances and may not change
        anything.  ``approval`` is an approved request, which pays in place of the allowance; see
        `Requests.release`.
        """
        return self._view(analyst_name(analyst), self._registry, approval)

    def showing(self, datasets: Collection[str]) -> Vault:
        """The same vault with some of its datasets; the others are as if they were not there."""
        return self._view(self._analyst, replace(self._registry, only=frozenset(datasets)))

    def _view(self, analyst: str | None, registry: Registry, approval: int | None = None) -> Vault:
        return Vault(
            self._ledger,
            analyst=analyst,
            progress=self._progress,
            registry=registry,
            payers=self._payers,
            limits=self._limits,
            approval=approval,
            facts=self._facts,
            known=self._known,
        )

    @property
    def _tables(self) -> VaultTables:
        tables = {name: each.table for name, each in self.datasets.items()}
        return VaultTables(tables, self._payer)

    def _payer(self, names: Collection[str]) -> AccountPayer:
        datasets = [self._registry.one(name) for name in names]
        asker = self._analyst, self._approval
        return self._payers.payer(self._ledger, datasets, asker, lambda: self._engine(datasets))

    def _engine(self, datasets: Sequence[Dataset]) -> CheckedEngine:
        return CheckedEngine(datasets, self._registry.secret, self._progress, self._limits)

    # datasets

    @property
    def datasets(self) -> dict[str, Dataset]:
        """Every dataset by name, in its current version; an analyst sees nothing of it that depends
        on rows.
        """
        return {name: self._told(each) for name, each in self._registry.current.items()}

    def dataset(self, name: str) -> Dataset:
        """One dataset in its current version; an analyst sees nothing of it that depends on
        rows.
        """
        return self._told(self._registry.one(name))

    def _told(self, dataset: Dataset) -> Dataset:
        return dataset if self._analyst is None else dataset.as_told

    # polls

    @property
    def polls(self) -> dict[str, PublishedPoll]:
        """Every poll by name, in the order in which they were published."""
        return published(self._ledger, curator=self._analyst is None)

    def poll(self, name: str) -> PublishedPoll:
        """One poll by name."""
        return one_published(self._ledger, name, curator=self._analyst is None)

    def publish(self, poll: Poll) -> PublishedPoll:
        """Publish a poll: from now on its definition stands, and it can be answered."""
        self._curator()
        return publish(self._ledger, poll)

    # keeping it sound

    def accept(self, reason: str) -> None:
        """Acknowledge what `verify` found, for a reason that the journal keeps, and resume."""
        self._curator()
        self._ledger.accept(reason, caller=CURATOR)

    # rehearsing

    def dummy(self, name: str, n: int = 1000, *, seed: int | None = None) -> Any:
        """A made-up Arrow table with the columns of a dataset, the same one for the same ``seed``;
        it depends on public facts only, and is free.
        """
        return dummy_rows(self.dataset(name), n, seed=seed).to_arrow()

    def public_rows(self, name: str) -> HeldRows:
        """The rows of a public dataset; private ones are refused."""
        dataset = self.dataset(name)
        if not dataset.public:
            raise VaultError(f"{name!r} is not public.", remedy="Ask it: vault.sql(...).")
        return rows_of(self._payer([name]).engine, dataset)

    def rehearse(self, n: int = 1000) -> Private:
        """Every dataset as made-up rows, to try questions on, free of charge; public ones are as
        they are.
        """
        return rehearsal(list(self.datasets.values()), self._ledger, n)

    # the rest

    def stop_waiting(self) -> None:
        """Refuse every thread that waits for an answer somebody else is about to give; see
        `Ledger.stop_waiting`.
        """
        self._ledger.stop_waiting()

    def close(self) -> None:
        """Let go of the file, and of what was kept elsewhere for the next question; also of those
        that `as_` gave.
        """
        self._payers.close()
        self._ledger.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<vault of {', '.join(self.datasets) or 'no datasets yet'}>"

    def _repr_html_(self) -> str:
        found = self.datasets
        private = [name for name, each in found.items() if not each.public]
        return vault_html(found, {name: self.budget(name) for name in private}, self._analyst)

    def _curator(self) -> None:
        if self._analyst is not None:
            raise VaultError(
                "an analyst asks questions; only the curator changes the vault.",
                remedy="Open the vault without as_.",
            )


def open(  # noqa: A001 - the word for it
    where: str | os.PathLike[str],
    *,
    create: bool = True,
    progress: Progress | None = None,
    head: str | os.PathLike[str] | None = None,
    read_only: bool = False,
    limits: EngineLimits = NONE,
) -> Vault:
    """The vault in a file such as ``office.shoal``, or at a ``postgresql://`` address; made on
    first use.

    ``create=False`` refuses a file that is not there.  ``progress`` is called with bytes read and
    all bytes while files are hashed.  With ``read_only`` it can be looked at and verified, with
    read access alone, and nothing can be asked.  ``limits`` is what the engine may take for a
    question.  ``head`` is where the head of the journal is kept: by default beside a file, and for
    PostgreSQL in a folder of the user.

    >>> import pyarrow as pa
    >>> from shoal.plan import Row
    >>> from pyarrow import parquet
    >>> parquet.write_table(pa.table({"age": [34, 71, 12]}), "people.parquet")
    >>> with open("office.shoal") as vault:
    ...     _ = vault.add("people", "people.parquet", protects=Row(), columns={"age": (0, 120)}, budget=1)
    ...     answer = vault.sql("SELECT COUNT(*) AS n FROM people").release(epsilon="0.1")
    ...     print(vault.budget("people").left)
    epsilon 0.9
    """
    text = str(where)
    check_vault_name(text)
    if not create and "://" not in text and not Path(text).is_file():
        raise VaultError(
            f"there is no vault {text!r}.",
            remedy=f"Make one: shoal init {text}, or shoal.open({text!r}).",
        )
    ledger = Ledger(where, head=head, read_only=read_only)
    return Vault(ledger, progress=progress, limits=limits)
