"""The ledger: a durable, exact, chained journal, and the accounts that are charged in it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from threading import Event as Signal
from time import monotonic
from typing import Any, Self, TypeVar
from weakref import finalize

import sqlalchemy as sa

from shoal.errors import AccountError, KeyReusedError, StorageError
from shoal.events import Event
from shoal.exact import Number, out_of_range, positive
from shoal.ledger.account_opening import Opening
from shoal.ledger.answer_waiting import wait_for
from shoal.ledger.answering_locks import AnsweringLocks, locks_path
from shoal.ledger.book import (
    AccountState,
    Request,
    budget_to,
    price,
    read_name,
    read_names,
    request_for,
)
from shoal.ledger.charge import Charge, Pending, Replay, answered_before, charge
from shoal.ledger.entry import BEGUN, BUDGET, OWN_KINDS, Entry, canonical, hash_of, now
from shoal.ledger.entry import NOTHING_BEFORE as _NOTHING
from shoal.ledger.group_commit import BatchCommit, GroupCommit
from shoal.ledger.head import Head
from shoal.ledger.reader import LedgerReader, SeenBooks
from shoal.ledger.schema import ENTRIES
from shoal.ledger.sqlite import ReadOnlyStore, SqliteStore
from shoal.ledger.store import Store, entry_from
from shoal.ledger.transaction import Transaction
from shoal.ledger.verification import Verification, accept_act, alarm_act, examine
from shoal.measures import Measure
from shoal.owned import NotCopied, this_process

_Result = TypeVar("_Result")
_MOST_SECONDS = 10**9
_ADDRESSES = ("postgresql://", "postgres://")


class Ledger(LedgerReader, NotCopied):
    """A journal in a file (SQLite) or under a ``postgresql://`` address, made on first use.

    Guarantee: what a method has returned from is on disk.  A charge takes from all its accounts or
        from none, and never more than is left of any, whoever else charges at the same time, in
        this process or another.
    Needs: for a file, a disk of this machine (SQLite cannot lock on network shares).
    Edges: threads may share a ledger, and what they ask for at once is committed at once.  A forked
        child opens it anew by itself.  ``patience`` is how many seconds a charge may stay
        unanswered before the same request with the same key may take it up, unless whoever answers
        it is known to have ended (`AnsweringLocks`), and ``wait`` how many a caller waits for the
        answer to the same question that someone else is about to give.  With
        ``read_only`` nothing is written, not even beside the file: for auditors who may only read.
        ``head`` is where the head is kept: by default beside a file, and for PostgreSQL in a folder
        of the user.

    >>> from tempfile import mkdtemp
    >>> from shoal.events import StatedPure
    >>> from shoal.measures import Pure
    >>> with Ledger(f"{mkdtemp()}/office.shoal") as ledger:
    ...     _ = ledger.open_account("visits", Pure(1), relation="add_remove")
    ...     with ledger.charge("visits", StatedPure("0.1"), caller="ana") as charge:
    ...         _ = charge.answered({"count": 42})
    ...     print(ledger.account("visits").left)
    epsilon 0.9
    """

    called = "an open ledger"
    harm = "its connection and its locks belong to one process."
    way_out = "Open the same file or address where it is needed: Ledger('office.shoal')."

    def __init__(
        self,
        where: str | os.PathLike[str],
        *,
        head: str | os.PathLike[str] | None = None,
        patience: Number = 900,
        wait: Number = 60,
        read_only: bool = False,
    ) -> None:
        self.patience = timedelta(seconds=_seconds(patience, "patience"))
        self._longest_wait = _seconds(wait, "wait")
        self.read_only = read_only
        self._store: Store = _store_for(
            where, None if head is None else Path(head), read_only=read_only
        )
        self._start()
        finalize(self, _close_own, self._store, self._process).atexit = False
        try:
            if read_only:
                self._store.check_tables()
                return
            self._store.prepare(_begin)
            if not self._store.shares_head:
                self.take(_look)
        except BaseException:
            self._store.close()
            raise

    def _start(self) -> None:
        beside = None if self.read_only or self.place is None else locks_path(self.place)
        self._process = this_process()
        self._desk = Transaction(self._store)
        self._turns = GroupCommit(BatchCommit(self._store, self._desk).work)
        self._counted = (0, 0)
        self._leaving = Signal()
        self._answering = AnsweringLocks(beside)
        self._books_seen = SeenBooks()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file or the connections; nothing is pending when a call has returned."""
        if self._process == this_process():
            self.stop_waiting()
            self._answering.close()
            if self._store.head is not None and not self.read_only:
                self._store.head.sync()
            self._store.close()

    def stop_waiting(self) -> None:
        """Let go of every thread that waits for an answer somebody else is about to give: it is
        refused with `InFlightError`, and nothing is charged.  For programs that are told to end.
        """
        self._leaving.set()

    @property
    def place(self) -> Path | None:
        """The file of the ledger; None where it is in a database of a server."""
        found: Path | None = getattr(self._store, "path", None)
        return found

    # facts

    def record(
        self,
        kind: str,
        body: Any,
        *,
        key: str | None = None,
        opens: Mapping[str, tuple[Measure, str]] | None = None,
    ) -> Entry:
        """Write down a fact: a dataset that is declared, an analyst who is let in.

        ``opens`` are accounts that come with the fact, by name, each with a budget and a relation:
        they are opened if the fact is written, and not otherwise.

        Edges: with a ``key``, the same fact again returns the first entry, and another fact is a
            `KeyReusedError`.  An account that is there and was never charged gets the budget.
        """
        read_name(kind, "kind")
        if kind in OWN_KINDS:
            raise AccountError(
                f"entries of kind {kind!r} are written by the ledger itself.",
                remedy="Name the kind of fact otherwise.",
            )
        scope = None if key is None else f"fact {kind}"
        text = canonical({"fact": body, "key": None if key is None else read_name(key, "key")})
        opening = [Opening.of(name, *terms) for name, terms in (opens or {}).items()]

        def act(transaction: Transaction) -> Entry:
            transaction.check_calm()
            for entry in transaction.found("by key", scope, key) if key is not None else []:
                if entry.kind != kind:
                    continue
                if entry.text == text:
                    return entry
                raise KeyReusedError(
                    f"another {kind} was recorded with the key {key!r}.",
                    remedy="Record a change without a key, or under one of its own.",
                )
            ready = [each.ready(transaction, or_change=True) for each in opening]
            for each, found in zip(opening, ready, strict=True):
                each.open(transaction, found)
            return transaction.add(kind, text, caller=scope, key=key)

        return self.take(act)

    # accounts

    def open_account(
        self, name: str, budget: Measure, *, relation: str, by: str | None = None
    ) -> AccountState:
        """Open an account with a budget, kept by a filter for one relation of neighbours; ``by`` is
        the name of whoever does it, for the journal.

        Edges: opening it again with the same budget and relation changes nothing; with others it is
        refused.
        """
        opening = Opening.of(name, budget, relation, by)

        def act(transaction: Transaction) -> AccountState:
            transaction.check_calm()
            return opening.open(transaction, opening.ready(transaction)).account()

        return self.take(act)

    def change_budget(self, name: str, budget: Measure, *, by: str | None = None) -> AccountState:
        """Give an account another budget in the same measure, never below what was spent; ``by`` is
        the name of whoever does it, for the journal.
        """
        said = {"account": read_name(name), "budget": budget_to(budget)}
        text = canonical(said if by is None else {**said, "by": by})

        def act(transaction: Transaction) -> AccountState:
            transaction.check_calm()
            changed = transaction.book(name).with_budget(budget)
            transaction.add(BUDGET, text)
            transaction.keep(changed)
            return changed.account()

        return self.take(act)

    # charging

    def charge(
        self,
        names: str | Sequence[str],
        event: Event,
        *,
        caller: str,
        body: Mapping[str, Any] | None = None,
        key: str | None = None,
        same: str | None = None,
    ) -> Charge | Replay:
        """Take the cost of an event from every named account, durably, or from none.

        With a ``key``, the caller's name for this request: the same request again is answered from
        the journal (`Replay`), another request is a `KeyReusedError`, and one that is still being
        answered an `InFlightError`.  ``same`` is a digest of the question and of the version of the
        data: when it was answered before, for whomever, the answer is replayed free of charge;
        while it is being answered, in whatever thread or process, the answer is waited for.

        Edges: an event that does not fit one of the accounts is refused with `BudgetExceeded`, and
        nothing is spent.
        """
        request = request_for(
            read_names(names),
            event,
            caller=read_name(caller, "caller"),
            body={} if body is None else body,
            key=None if key is None else read_name(key, "key"),
            same=None if same is None else read_name(same, "same"),
        )
        if (answered := self._answered_before(request)) is not None:
            return answered
        for name in request.names:
            book = self._desk.books.get(name)
            if book is not None:
                price(book.filter, event)  # which may take a while, so not while others wait
        limit = monotonic() + self._longest_wait
        while isinstance(
            found := self.take(
                lambda transaction: charge(transaction, request, self, self.patience)
            ),
            Pending,
        ):
            self._wait_for(found, limit)
        if isinstance(found, Charge):
            found.held_by(self._answering.hold)
        return found

    def _answered_before(self, request: Request) -> Replay | None:
        """The answer to a request that was answered before, without a turn to write: answers that
        are given again must not wait for those that are charged, here and in other processes.

        Where something may be wrong, or only late, a transaction decides: an alarm stands, or the
        head is not that of the journal.
        """
        if request.key is None and request.same is None:  # it cannot be known again
            return None
        self._after_fork()
        store = self._store
        if self.read_only or store.seen("about", "alarm"):
            return None
        if store.head is not None and store.head.read() != Head(*store.look()):
            return None

        def found(statement: str, *values: Any) -> list[Entry]:
            return [entry_from(row) for row in store.seen(statement, *values)]

        return answered_before(found, request)

    def is_gone(self, charge: int, attempt: int) -> bool:
        """Whether whoever answered a charge is known to have ended; see `AnsweringLocks`."""
        return self._answering.is_gone(charge, attempt)

    def _wait_for(self, pending: Pending, limit: float) -> None:
        """Wait until a charge is settled, or may be taken up; who waits too long is refused, and
        nothing is charged.
        """
        wait_for(pending, limit, self._leaving, self.outcome, self.is_gone)

    # trust

    @property
    def head(self) -> Head:
        """How many entries there are, and the hash of the last."""
        self._after_fork()
        return Head(*self._store.look())

    def verify(
        self,
        *,
        known: Iterable[Head] = (),
        progress: Callable[[int, int], None] | None = None,
    ) -> Verification:
        """Read the whole journal again and compare everything with it.

        What is wrong stops all charges, in every process, until `accept`.  ``known`` are heads that
        were noted elsewhere, on a certificate for instance.  ``progress`` is called with how many
        entries of how many were read.
        """
        self._after_fork()
        examination = examine(self._store, known, progress)
        if examination.findings:
            with suppress(StorageError):  # who cannot write can still be told
                self.take(alarm_act(examination))
        elif not self._store.shares_head and not self.read_only:
            self.take(_look)
        return examination.verdict()

    def accept(self, reason: str, *, caller: str) -> Entry:
        """The curator lives with what `verify` finds: charges go on, and the journal says why.

        Each account goes on from the dearer of what its row and the journal say.  What entries that
        are lost have cost is known to nobody: lower the budgets with `change_budget` if they may
        have cost something.
        """
        self.take(_look)
        examination = examine(self._store, (), None)
        return self.take(accept_act(examination, str(reason), read_name(caller, "caller")))

    # transactions

    def take(self, act: Callable[[Transaction], _Result]) -> _Result:
        """Do something in a durable transaction, together with what other threads ask for."""
        if self.read_only:
            raise StorageError(
                f"the ledger in {self._store.word} is open for reading only; nothing was charged or changed.",
                remedy="Open it where it can be written, without read_only.",
            )
        self._after_fork()
        return self._turns.take(act)

    def _reading(self) -> Any:
        self._after_fork()
        return self._store.reading()

    def _after_fork(self) -> None:
        if self._process != this_process():
            self._store.abandon()
            self._answering.abandon()
            self._start()


def _store_for(
    where: str | os.PathLike[str], head: Path | None, *, read_only: bool = False
) -> Store:
    """The store at a path, or under a postgresql:// address."""
    if not isinstance(where, str) or "://" not in where:
        return (ReadOnlyStore if read_only else SqliteStore)(Path(where), head)
    if not where.startswith(_ADDRESSES):
        raise StorageError(
            f"a ledger is not kept under addresses such as {where.partition('://')[0][:20]}://.",
            remedy="Give the path of a file, or an address that begins with postgresql://.",
        )
    from shoal.ledger.postgres import PostgresStore  # noqa: PLC0415 - its driver is an extra

    return PostgresStore(where, head)


def _seconds(given: Number, name: str) -> float:
    number = positive(given, name)
    if number > _MOST_SECONDS:
        raise out_of_range(name, number, "at most 1e9 seconds")
    return float(number)


def _look(transaction: Transaction) -> None:
    """Only see how far the journal reaches: the head is compared with it, and follows it."""


def _close_own(store: Store, process: tuple[object, int]) -> None:
    """When nobody holds the ledger any more: close what this process opened."""
    if process == this_process():
        store.close()


def _begin(connection: sa.Connection) -> None:
    """The first entry of a journal."""
    time, text = now(), canonical({"shoal_ledger": 1})
    chained = hash_of(1, _NOTHING, BEGUN, time, text)
    entry = Entry(1, _NOTHING, BEGUN, time, text, chained)
    connection.execute(ENTRIES.insert().values(entry._asdict()))
