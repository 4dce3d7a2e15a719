"""A tally: counters that are raised once for each mark, durably, and nothing that says who or
when.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

import sqlalchemy as sa

from shoal.errors import AnsweredError, InvitationError
from shoal.ledger.ledger import Ledger
from shoal.ledger.schema import COUNTERS, MARKS
from shoal.ledger.transaction import Transaction

Gate = Callable[[Transaction], None]
"""Asked inside the transaction, before anything is counted; it refuses by raising."""

_Result = TypeVar("_Result")


@dataclass(frozen=True)
class Tally:
    """Counters by cell, and marks of which each is used once, under one name.

    Guarantee: a counter is raised and a mark used in one transaction: after a crash either both
        were done or neither.  Of a mark that comes several times at once, in whatever threads and
        processes, one is counted.
    Edges: nothing is kept but how often each cell came and which marks were given out and used: no
        number and no time.  In a file the log is emptied after each count, and `settle` removes the
        order in which rows were added.  Who can copy the storage between two commits can see which
        cell and which mark changed; PostgreSQL keeps a log of its own, which is not ours to empty.

    >>> from tempfile import mkdtemp
    >>> with Ledger(f"{mkdtemp()}/office.shoal") as ledger:
    ...     tally = Tally(ledger, "commute")
    ...     tally.count("yes", "4f", gate=lambda transaction: None)
    ...     tally.cells()
    {'yes': 1}
    """

    ledger: Ledger
    name: str

    def count(self, cell: str, mark: str, *, gate: Gate, given_out: bool = False) -> None:
        """Raise the counter of a cell by one, and use up the mark; ``given_out`` says that only
        marks of `give_out` count.
        """

        def act(transaction: Transaction) -> None:
            gate(transaction)
            store, known = transaction.store, transaction.store.rows("mark", self.name, mark)
            if known and known[0][0]:
                raise AnsweredError(
                    "this number was counted already; nothing was changed.",
                    remedy="Nothing more is needed: each number is counted once.",
                )
            if given_out and not known:
                raise InvitationError(
                    "this number was not given out as an invitation; nothing was counted.",
                    remedy="Use the whole link of the invitation, unchanged.",
                )
            store.sensitive = True
            if known:
                store.run("use mark", self.name, mark)
            else:
                store.run("insert mark", self.name, mark, 1)
            if store.rows("counter", self.name, cell):
                store.run("raise counter", self.name, cell)
            else:
                store.run("insert counter", self.name, cell, 1)

        self.ledger.take(act)

    def give_out(self, marks: Iterable[str], *, fact: Callable[[Transaction], _Result]) -> _Result:
        """Let these marks be used, once each; ``fact`` writes in the same transaction that they
        were given out.
        """
        new = tuple(marks)

        def act(transaction: Transaction) -> _Result:
            done = fact(transaction)
            for mark in new:
                transaction.store.run("insert mark", self.name, mark, 0)
            return done

        return self.ledger.take(act)

    def settle(self, transaction: Transaction) -> None:
        """Inside a transaction: write all counters and marks anew, so that their places in the file
        do not tell which came first.
        """
        transaction.store.settle()

    def cells(self) -> dict[str, int]:
        """How often each cell came, in the order of the cells."""
        with self.ledger._reading() as connection:  # noqa: SLF001 - its other half
            return _cells(connection, self.name)

    def cells_at(self, transaction: Transaction) -> Mapping[str, int]:
        """The same inside a transaction."""
        return {cell: int(count) for cell, count in transaction.store.rows("counters", self.name)}

    def marks(self) -> tuple[int, int]:
        """How many marks there are, and how many of them were used."""
        chosen = sa.select(sa.func.count(), sa.func.coalesce(sa.func.sum(MARKS.c.used), 0))
        with self.ledger._reading() as connection:  # noqa: SLF001 - its other half
            known, used = connection.execute(chosen.where(MARKS.c.tally == self.name)).one()
        return int(known), int(used)


def _cells(connection: sa.Connection, name: str) -> dict[str, int]:
    chosen = sa.select(COUNTERS.c.cell, COUNTERS.c["count"]).where(COUNTERS.c.tally == name)
    return {cell: int(count) for cell, count in connection.execute(chosen.order_by("cell"))}
