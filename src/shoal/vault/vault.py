"""The vault: the trusted curator.  Datasets, budgets, analysts and releases over one ledger."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

from shoal.engines.held_rows import HeldRows
from shoal.engines.limits import NONE, EngineLimits
from shoal.errors import SchemaError, VaultError
from shoal.exact import Number
from shoal.ledger import Ledger
from shoal.measures import Measure, StatedBudget, budget_of
from shoal.owned import NotCopied
from shoal.plan import Person as PersonUnit
from shoal.plan import Row, Unit, facts_of
from shoal.polls import Poll, PublishedPoll, one_published, publish, published
from shoal.query import Ask, Private
from shoal.query.building import Building
from shoal.query.opening import Facts
from shoal.query.paying import QuestionSource
from shoal.query.public_lookups import public_reader
from shoal.query.shares import SuggestedShares
from shoal.query.suggesting import SuggestedBounds
from shoal.vault.accounts.payer import (
    CURATOR,
    AccountPayer,
    VaultTables,
    allowance,
    analyst_name,
)
from shoal.vault.accounts.payer_cache import PayerCache
from shoal.vault.accounts.standing import Standing
from shoal.vault.dataset import Dataset
from shoal.vault.declaration import declared_source, from_toml, names_of, to_toml
from shoal.vault.declaration_check import DeclarationCheck, check_declaration
from shoal.vault.dummy import dummy_rows, rehearsal, rows_of
from shoal.vault.known_questions import KnownQuestions
from shoal.vault.people.office_facts import OfficeFacts
from shoal.vault.people.vault_office import VaultOffice
from shoal.vault.proposal import declare, proposal
from shoal.vault.registry import Registry
from shoal.vault.sources.checked_engine import CheckedEngine
from shoal.vault.sources.fingerprint import Progress, make_secret, secret_of
from shoal.vault.stated_columns import Said, proposed_dataset
from shoal.vault.vault_history import VaultHistory
from shoal.vault.vault_html import vault_html
from shoal.vault.vault_streams import VaultStreams


class Vault(VaultHistory, VaultOffice, VaultStreams, NotCopied):
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
        self._facts, self._known = facts or OfficeFacts(ledger), known or KnownQuestions()
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
            known = self._known.read(key, text, held.tables, public_reader(held))
        held = VaultTables(known.tables, self._payer)
        return Ask(held, known.plan, text, weights, intervals, worked_out=known.worked_out)

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

    def add(
        self,
        name: str,
        source: object,
        *,
        protects: Unit | None = None,
        budget: StatedBudget | None = None,
        columns: Facts | None = None,
        required: Sequence[str] = (),
        keys: Mapping[str, int] | None = None,
        table: str | None = None,
        public: bool = False,
        shares: str | Sequence[str] | None = None,
        relation: str | None = None,
    ) -> Dataset:
        """Declare a dataset: where its rows lie, whom it protects, what is known of its columns,
        and its budget.

        ``source`` is a path to Parquet, a `CsvFile` with the types of its columns, a folder of
        Parquet files, a DuckDB file with a ``table``, an address of Spark with a ``table``, a
        `SparkTable`, or a frame of Spark, which this process alone remembers.  A ``public`` one
        protects nobody and has no budget.  ``shares`` names a dataset whose account it shares: an
        id means the same person in both.  Where private rows lie or lay already, ``shares`` or
        ``relation="new people"`` must say who is in it.

        Edges: content that is registered already, under whatever name, shares that account; no
        budget is added.
        """
        self._curator()
        if public == (protects is not None) or (
            protects is not None and not isinstance(protects, Row | PersonUnit)
        ):
            raise SchemaError(
                "protects must say who is protected, or public that nobody is.",
                remedy="Give protects=shoal.Person('user_id', groups=5, rows_per_group=3), shoal.Row(), or public=True.",
            )
        said = Said(facts_of(columns), tuple(required), dict(keys or {}))
        return self._registry.add(
            name,
            source,
            table=table,
            protects=protects,
            said=said,
            budget=_budget(budget),
            shares=names_of(shares),
            relation=relation,
        )

    def add_from(
        self, path: str | Path, *, name: str | None = None, relation: str | None = None
    ) -> Dataset:
        """Declare a dataset as a file says that `to_toml` wrote, under its name or another;
        ``relation`` as in `add`.
        """
        self._curator()
        said = from_toml(path)
        return self._registry.add(
            name or said.name,
            said.source,
            table=said.table,
            protects=said.protects,
            said=said.said,
            budget=said.budget,
            shares=said.shares,
            relation=relation,
        )

    def proposal(
        self,
        name: str,
        source: object,
        *,
        protects: Unit | None = None,
        budget: StatedBudget | None = None,
        columns: Facts | None = None,
        required: Sequence[str] = (),
        keys: Mapping[str, int] | None = None,
        shares: str | Sequence[str] | None = None,
        file: Path | None = None,
    ) -> str | None:
        """The text of a declaration to edit in ``file``, with the types that fit the cells of a CSV
        file; None if all types are known.
        """
        self._curator()
        said = Said(facts_of(columns), tuple(required), dict(keys or {}))
        made = proposed_dataset(name, source, said, protects, names_of(shares))
        if made is None:
            return None
        self._registry.check_first(made, _budget(budget))
        return proposal(made, _budget(budget), file or Path(f"{name}.toml"))

    def declare(
        self,
        path: str | Path,
        out: str | Path | None = None,
        *,
        name: str | None = None,
        protects: Unit | None = None,
        budget: StatedBudget | None = None,
        types: Mapping[str, str] | None = None,
        header: bool | None = None,
        names: Sequence[str] = (),
        delimiter: str | None = None,
        decimal: str | None = None,
        encoding: str | None = None,
        force: bool = False,
    ) -> Path:
        """Write a declaration of a file for you to edit, NAME.toml here or ``out``; `add_from`
        registers it.

        ``header``, ``names``, ``delimiter``, ``decimal`` and ``encoding`` say how a CSV file is
        written, as in `CsvFile`; ``names`` are those of a file without a header.
        """
        self._curator()
        source = declared_source(
            str(path),
            types or {},
            header=header,
            delimiter=delimiter,
            decimal=decimal,
            encoding=encoding,
        )
        return declare(
            source,
            name=name,
            out=out,
            names=names,
            protects=protects,
            budget=_budget(budget),
            force=force,
        )

    def check(self, name: str) -> DeclarationCheck:
        """What the declaration of a dataset cuts off, as exact numbers for the curator alone;
        nothing is written.
        """
        self._curator()
        return check_declaration(self.dataset(name))

    def to_toml(self, name: str, *, beside: Path | None = None) -> str:
        """A dataset as a declaration that people can review, and `add_from` reads."""
        dataset = self.dataset(name)
        alone = not dataset.public and not dataset.shares
        whole = self.budget(name).accounts[-1].budget if alone else None
        return to_toml(dataset, whole, beside=beside)

    def update(
        self,
        name: str,
        *,
        relation: str | None = None,
        path: object = None,
        table: str | None = None,
        budget: StatedBudget | None = None,
        columns: Facts | None = None,
        required: Sequence[str] | None = None,
        keys: Mapping[str, int] | None = None,
        groups: int | None = None,
        rows_per_group: int | None = None,
    ) -> Dataset:
        """Declare how the data of a dataset stand to those before, where they are now, or other
        facts of its columns.

        ``relation`` is ``"same people"``, ``"new people"`` (with a ``budget``), ``"all people"`` or
        ``"same rows"``; see `shoal.vault.sources.lineage`.  ``path`` and ``table`` say where they
        are, as in `add`; ``groups`` and ``rows_per_group`` how much of each person may count from
        now on.
        """
        self._curator()
        said = Said(facts_of(columns), tuple(required or ()), dict(keys or {}))
        unit = self.dataset(name).unit_with(groups, rows_per_group)
        return self._registry.update(
            name,
            relation=relation,
            path=path,
            table=table,
            said=said,
            budget=_budget(budget),
            protects=unit,
        )

    # budgets

    def budget(self, name: str) -> Standing:
        """What may be spent on a dataset, what was, by whom, and what that means for one person."""
        dataset = self.dataset(name)
        if dataset.public:
            raise VaultError(f"{name!r} is public; it has no budget.", remedy="Ask it as you like.")
        known = self._ledger.accounts()
        mine = None if self._analyst is None else allowance(name, self._analyst)
        return Standing(
            name,
            tuple(self._ledger.account(each) for each in dataset.accounts),
            tuple(
                each
                for each in known
                if each.name.startswith(f"{name}@") and mine in (None, each.name)
            ),
        )

    def set_budget(self, name: str, budget: StatedBudget, *, by: str | None = None) -> Standing:
        """Give a dataset another budget in the same measure, never below what was spent; ``by`` is
        the owner who does it, for the journal.
        """
        self._curator()
        account = self.budget(name).accounts[-1].name
        self._ledger.change_budget(account, budget_of(budget), by=by)
        return self.budget(name)

    def grant(
        self, analyst: str, dataset: str, budget: StatedBudget, *, by: str | None = None
    ) -> Standing:
        """Let an analyst spend so much on a dataset, within its budget; granting again changes the
        allowance.  ``by`` is the owner who does it, for the journal.

        Allowances may sum to more than the budget; what is spent never does.
        """
        self._curator()
        whole, given = self.budget(dataset).whole, budget_of(budget)
        if type(given) is not type(whole):
            raise VaultError(
                f"the budget of {dataset!r} is {whole}; an allowance is counted in the same measure.",
                remedy=f"Give one like {whole}.",
            )
        name = allowance(dataset, analyst_name(analyst))
        if name in {each.name for each in self._ledger.accounts()}:
            self._ledger.change_budget(name, given, by=by)
        else:
            protects = self.dataset(dataset).protects
            assert protects is not None
            self._ledger.open_account(name, given, relation=str(protects.relation), by=by)
        return self.budget(dataset)

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

    def check_out(self, path: str | Path) -> None:
        """Refuse to write to a file that holds rows of a dataset, now or in an earlier version."""
        for each in self._registry.history:
            if each.location.holds(Path(path), self._registry.secret):
                raise VaultError(
                    f"{Path(path).name!r} is where the rows of {each.name!r} lie; nothing was written.",
                    remedy="Choose another file.",
                )

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


def _budget(given: StatedBudget | None) -> Measure | None:
    return None if given is None else budget_of(given)
