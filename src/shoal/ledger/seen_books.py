"""Accounts as they stood at one head of the journal, so that they are not read again while nothing
was written.

Every change of an account is an entry of the journal, in the same transaction.  So at an equal head
the accounts are equal, and whoever looks compares heads first: no budget is ever shown as it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from threading import Lock

import sqlalchemy as sa

from shoal.ledger.book import AccountState, Book
from shoal.ledger.head import Head
from shoal.ledger.schema import ACCOUNTS, ENTRIES

_LAST = sa.select(ENTRIES.c.number, ENTRIES.c.hash).order_by(ENTRIES.c.number.desc()).limit(1)


class SeenBook:
    """One account as it was read; nobody charges it here."""

    def __init__(self, book: Book) -> None:
        self.book = book

    @cached_property
    def state(self) -> AccountState:
        """The account as it stands."""
        return self.book.account()


class SeenBooks:
    """Accounts by name, all of one head; threads share it."""

    def __init__(self) -> None:
        self._head: Head | None = None
        self._books: dict[str, SeenBook] = {}
        self._lock = Lock()

    def at(self, head: Head, names: Sequence[str]) -> dict[str, SeenBook] | None:
        """These accounts, if all of them were read at this head."""
        with self._lock:
            if head != self._head or any(name not in self._books for name in names):
                return None
            return {name: self._books[name] for name in names}

    def read(self, connection: sa.Connection, names: Sequence[str]) -> dict[str, SeenBook]:
        """Read those of some accounts that there are, and remember them with the head of the same
        moment; those of another head are dropped.
        """
        head = Head(*connection.execute(_LAST).one())
        rows = connection.execute(sa.select(ACCOUNTS).where(ACCOUNTS.c.name.in_(names))).all()
        found = {row.name: SeenBook(Book.read(tuple(row))) for row in rows}
        with self._lock:
            if head != self._head:
                self._head, self._books = head, {}
            self._books.update(found)
        return found
