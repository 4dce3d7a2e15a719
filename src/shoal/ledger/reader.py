"""What is read of a ledger: the entries of its journal, and accounts as they stood at one head."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from functools import cached_property
from threading import Lock
from typing import Any

import sqlalchemy as sa

from shoal.events import Event
from shoal.ledger.book import AccountState, Book, price, read_names
from shoal.ledger.entry import Entry
from shoal.ledger.head import Head
from shoal.ledger.schema import ACCOUNTS, CHARGES, ENTRIES, UNLISTED
from shoal.ledger.store import entry_from
from shoal.ledger.transaction import no_account

_PAGE = 1000

_LAST = sa.select(ENTRIES.c.number, ENTRIES.c.hash).order_by(ENTRIES.c.number.desc()).limit(1)


class LedgerReader(ABC):
    """What a `Ledger` has for those who look something up, and write nothing."""

    _books_seen: SeenBooks
    _counted: tuple[int, int]
    """An entry, and how many charges there are up to it."""

    @abstractmethod
    def _reading(self) -> Any:
        """A connection to read with, as `Ledger` has it."""

    @property
    @abstractmethod
    def head(self) -> Head:
        """How many entries there are, and the hash of the last, as `Ledger` has it."""

    # entries

    def facts(self, *kinds: str, since: int = 0) -> list[Entry]:
        """Every fact of some kinds after an entry, in order; what was written is in their
        ``fact``.
        """
        some = (ENTRIES.c.kind.in_(kinds), UNLISTED, ENTRIES.c.number > since)
        chosen = _entries().where(*some).order_by(ENTRIES.c.number)
        with self._reading() as connection:
            return [entry_from(row) for row in connection.execute(chosen)]

    def filed(self, under: str, key: str) -> list[Entry]:
        """Every fact filed under a heading and a key, in order."""
        return self.keyed(f"fact {under}", key)

    def keyed(self, caller: str, key: str | None = None, *, holding: str = "") -> list[Entry]:
        """Every entry that a caller has under a key, or any, in order: charges, and answers given
        again; ``holding`` is a part of their texts.
        """
        under = ENTRIES.c.key.is_not(None) if key is None else ENTRIES.c.key == key
        said = ENTRIES.c.text.contains(holding, autoescape=True)
        here = (ENTRIES.c.caller == caller, under, said)
        with self._reading() as connection:
            rows = connection.execute(_entries().where(*here).order_by(ENTRIES.c.number))
            return [entry_from(row) for row in rows]

    def entry(self, number: int) -> Entry | None:
        """One entry by its number."""
        chosen = _entries().where(ENTRIES.c.number == number)
        with self._reading() as connection:
            row = connection.execute(chosen).one_or_none()
        return None if row is None else entry_from(row)

    def outcome(self, number: int) -> Entry | None:
        """The last entry about a charge: its answer, its failure, or how it was left; None while
        pending.
        """
        chosen = _entries().where(ENTRIES.c.of == number).order_by(ENTRIES.c.number.desc())
        with self._reading() as connection:
            row = connection.execute(chosen.limit(1)).one_or_none()
        return None if row is None else entry_from(row)

    def charged(self, same: str) -> list[Entry]:
        """Every charge for an equal question, by its digest."""
        chosen = _entries().where(ENTRIES.c.same == same, CHARGES)
        with self._reading() as connection:
            return [entry_from(row) for row in connection.execute(chosen)]

    def charges_until(self, number: int) -> int:
        """How many charges there are up to an entry, it included: the rank of a charge among
        them, which never changes.
        """
        # What was counted last is kept: who charges often counts only what is new.
        known, count = self._counted
        if number < known:
            known, count = 0, 0
        some = (CHARGES, ENTRIES.c.number > known, ENTRIES.c.number <= number)
        counted = sa.select(sa.func.count()).select_from(ENTRIES).where(*some)
        with self._reading() as connection:
            count += int(connection.execute(counted).scalar_one())
        self._counted = (number, count)
        return count

    def nth_charge(self, rank: int) -> Entry | None:
        """The charge of a rank, from 1; None if there are fewer."""
        if rank < 1:
            return None
        chosen = sa.select(ENTRIES.c.number).where(CHARGES).order_by(ENTRIES.c.number)
        with self._reading() as connection:
            number = connection.execute(chosen.limit(1).offset(rank - 1)).scalar_one_or_none()
        return None if number is None else self.entry(number)

    def entries(self, *, since: int = 0, limit: int | None = None) -> Iterator[Entry]:
        """The entries after number ``since``, in order, at most ``limit``."""
        left = limit
        while left is None or left > 0:
            size = _PAGE if left is None else min(left, _PAGE)
            chosen = _entries().where(ENTRIES.c.number > since).order_by(ENTRIES.c.number)
            with self._reading() as connection:
                rows = connection.execute(chosen.limit(size)).all()
            for row in rows:
                yield entry_from(row)
            if len(rows) < size:
                return
            since = rows[-1].number
            left = None if left is None else left - len(rows)

    # accounts

    def accounts(self, names: Sequence[str] | None = None) -> list[AccountState]:
        """Every account as it stands, or those of some names that there are, by name."""
        chosen = sa.select(ACCOUNTS).order_by(ACCOUNTS.c.name)
        if names is not None:
            found = self._seen(names)
            return [found[name].state for name in sorted(found)]
        with self._reading() as connection:
            rows = connection.execute(chosen).all()
        return [Book.read(tuple(row)).account() for row in rows]

    def account(self, name: str) -> AccountState:
        """One account as it stands."""
        return self._books((name,))[0].state

    def would_fit(self, names: str | Sequence[str], event: Event) -> bool:
        """Whether an event could be charged to all these accounts now; asking is free."""
        books = [each.book for each in self._books(read_names(names))]
        return all(book.filter.would_fit(price(book.filter, event)) for book in books)

    def _seen(self, names: Sequence[str]) -> dict[str, SeenBook]:
        """Those of some accounts that there are, as they stand now."""
        found = self._books_seen.at(self.head, names)
        if found is None:
            with self._reading() as connection:
                found = self._books_seen.read(connection, names)
        return found

    def _books(self, names: Sequence[str]) -> list[SeenBook]:
        found = self._seen(names)
        for name in names:
            if name not in found:
                raise no_account(name)
        return [found[name] for name in names]


def _entries() -> sa.Select[Any]:
    return sa.select(ENTRIES)


class SeenBook:
    """One account as it was read; nobody charges it here."""

    def __init__(self, book: Book) -> None:
        self.book = book

    @cached_property
    def state(self) -> AccountState:
        """The account as it stands."""
        return self.book.account()


class SeenBooks:
    """Accounts by name, all as they stood at one head of the journal, so that they are not read
    again while nothing was written; threads share it.

    Every change of an account is an entry of the journal, in the same transaction.  So at an equal
    head the accounts are equal, and whoever looks compares heads first: no budget is ever shown as
    it was.
    """

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
