"""Made-up rows with the columns of a dataset, from public facts alone: to write and try questions
on, for free.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from fractions import Fraction

from shoal.engines.engine import Engine
from shoal.engines.engine_choice import engine_over
from shoal.engines.held_rows import HeldRows
from shoal.errors import VaultError
from shoal.events import Event
from shoal.exact import whole
from shoal.ledger import AccountState, Ledger
from shoal.measures import Measure
from shoal.noise import uniform_below
from shoal.noise.seam import seeded
from shoal.plan import (
    Column,
    Kind,
    Person,
    Scan,
    Table,
    Value,
    number_of,
    value_at,
    written,
)
from shoal.query import Budget, Private
from shoal.query.payment import PaymentRequest, QuestionCharge, QuestionSource
from shoal.vault.accounts.payer import asked_in
from shoal.vault.dataset import Dataset

_STEPS = 1 << 20
_MISSING = 20
_FIRST = dt.datetime(2026, 1, 1)  # noqa: DTZ001 - moments in the data have no zone
_WORDS = ("amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heron", "islet", "jetty")


def dummy_rows(dataset: Dataset, n: int, *, seed: int | None = None) -> HeldRows:
    """So many made-up rows; the same ones for the same ``seed``.

    Guarantee: it depends on what was declared of the dataset, which is public, and on nothing else.
    """
    count = whole(n, "n", at_least=1)
    with nullcontext() if seed is None else seeded(seed):
        return HeldRows(
            {
                each.name: (
                    each.type,
                    [written(v, each.type) for v in _values(each, dataset, count)],
                )
                for each in dataset.table.columns
            }
        )


def rows_of(engine: Engine, dataset: Dataset) -> HeldRows:
    """The rows of a dataset as values; for public ones."""
    table = dataset.table
    found = engine.rows(Scan(table))
    return HeldRows(
        {
            each.name: (each.type, [written(row[at], each.type) for row in found])
            for at, each in enumerate(table.columns)
        }
    )


def rehearsal(datasets: Sequence[Dataset], ledger: Ledger, n: int) -> Private:
    """Every private dataset as made-up rows, and every public one as it is, with budgets that are
    not the real ones.

    A question is asked in the measure, and for the neighbours, of the accounts that would pay for
    it.
    """
    paid_by = {
        each.name: tuple(map(ledger.account, each.accounts)) for each in datasets if not each.public
    }
    if not paid_by:
        raise VaultError(
            "there is no private dataset to make up.", remedy="Add one: shoal add NAME PATH."
        )
    sources = {
        each.name: each.source(each.location) if each.public else dummy_rows(each, n)
        for each in datasets
    }
    tables = {each.name: each.table for each in datasets}
    return Private(DummyTables(engine_over(sources), tables, paid_by), next(iter(paid_by)))


@dataclass(frozen=True)
class DummyTables:
    """Made-up tables; a question finds by the tables it reads what it would be paid from."""

    engine: Engine
    tables: Mapping[str, Table]
    paid_by: Mapping[str, tuple[AccountState, ...]]

    def source_for(self, names: Collection[str]) -> QuestionSource:
        """The made-up rows; a question of public tables alone is paid as one of the first private
        table.
        """
        paying = [account for name in names for account in self.paid_by.get(name, ())]
        first = next(iter(self.paid_by.values()))
        return QuestionSource(self.engine, self.tables, _pretended(paying or first))

    def with_tables(self, tables: Mapping[str, Table]) -> DummyTables:
        """The same rows and the same payers."""
        return replace(self, tables=tables)


def _pretended(accounts: Sequence[AccountState]) -> Rehearsal:
    whole = asked_in([account.budget for account in accounts])
    return Rehearsal(whole, relation=accounts[0].relation)


class Rehearsal(Budget):
    """A budget that is never used up, for made-up rows; certificates of what it pays say so."""

    def __init__(self, whole: Measure, *, relation: str) -> None:
        super().__init__(whole, relation=relation)

    def charge(self, event: Event, asked: PaymentRequest | None = None) -> QuestionCharge:  # noqa: ARG002 - nothing is kept
        """Nothing is taken: nobody is in these rows."""
        return QuestionCharge(facts={"dummy": True})


def _values(column: Column, dataset: Dataset, n: int) -> list[Value]:
    drawn = _drawn(column, dataset, n)
    if not column.nullable or column.person is not None:
        return drawn
    missing = uniform_below(_MISSING, n)
    return [None if gone == 0 else value for value, gone in zip(drawn, missing, strict=True)]


def _drawn(column: Column, dataset: Dataset, n: int) -> list[Value]:
    if column.person is not None:
        return _persons(column, dataset, n)
    if column.choices:
        return [column.choices[at] for at in uniform_below(len(column.choices), n)]
    kind = column.type
    if kind.kind is Kind.BOOLEAN:
        return [bool(at) for at in uniform_below(2, n)]
    if kind.kind is Kind.TEXT:
        return [_WORDS[at] for at in uniform_below(len(_WORDS), n)]
    lo, hi = _ends(column)
    return [
        value_at(lo + (hi - lo) * Fraction(int(at), _STEPS), kind)
        for at in uniform_below(_STEPS + 1, n)
    ]


def _ends(column: Column) -> tuple[Fraction, Fraction]:
    """The range that is stated, or a plain one where none is."""
    if column.span is not None:
        return column.span.lo, column.span.hi
    if column.type.temporal:
        first = _FIRST if column.type.kind is Kind.TIMESTAMP else _FIRST.date()
        last = first + dt.timedelta(days=364)
        ends = number_of(first, column.type), number_of(last, column.type)
        assert ends[0] is not None
        assert ends[1] is not None
        return ends[0], ends[1]
    return Fraction(0), Fraction(100)


def _persons(column: Column, dataset: Dataset, n: int) -> list[Value]:
    """As many persons as fill the rows that are allowed to each."""
    assert isinstance(dataset.protects, Person)
    each = dataset.protects.groups * dataset.protects.rows_per_group
    drawn = [int(at) for at in uniform_below(max(1, -(-n // each)), n)]
    if column.type.kind is Kind.TEXT:
        return [f"person-{at}" for at in drawn]
    if column.type.temporal or column.type.kind is Kind.BOOLEAN:
        start = number_of(
            _FIRST if column.type.kind is Kind.TIMESTAMP else _FIRST.date(), column.type
        )
        return [value_at((start or Fraction(0)) + at, column.type) for at in drawn]
    return [value_at(Fraction(at), column.type) for at in drawn]
