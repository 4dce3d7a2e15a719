"""The ledger: a durable, exact, chained journal, and the accounts that are charged in it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from threading import Event as Signal
from time import monotonic
from typing import Any, Self, TypeVar
from weakref import finalize

import sqlalchemy as sa

from shoal.errors import AccountError, KeyReusedError, ShoalError, StorageError
from shoal.events import Event
from shoal.exact import Number, out_of_range, positive
from shoal.ledger import fault_points
from shoal.ledger.account_opening import Opening
from shoal.ledger.book import AccountState, Book, budget_to, read_name
from shoal.ledger.charge import Charge, Pending, Replay, charge
from shoal.ledger.entry import BEGUN, BUDGET, OWN_KINDS, RESUMED, Entry, canonical, hash_of, now
from shoal.ledger.entry import NOTHING_BEFORE as _NOTHING
from shoal.ledger.group_commit import CommitTurn, GroupCommit
from shoal.ledger.head import Head
from shoal.ledger.lock_notice import SECONDS, tell_answer
from shoal.ledger.request import price, read_names, request_for
from shoal.ledger.schema import ACCOUNTS, CHARGES, ENTRIES, UNLISTED
from shoal.ledger.seen_books import SeenBook, SeenBooks
from shoal.ledger.store import Store, entry_from
from shoal.ledger.store_address import store_for
from shoal.ledger.transaction import Transaction, no_account
from shoal.ledger.verification import Verification, accept_act, alarm_act, examine
from shoal.measures import Measure
from shoal.owned import NotCopied, this_process

_Result = TypeVar("_Result")
_TRIES = 50
_PAUSES = (0.005, 0.25)
"""Between two looks at a charge that someone else answers: the first pause and the longest, in
seconds.
"""
_PAGE = 1000
_MOST_SECONDS = 10**9


class Ledger(NotCopied):
    """A journal in a file (SQLite) or under a ``postgresql://`` address, made on first use.

    Guarantee: what a method has returned from is on disk.  A charge takes from all its accounts or
        from none, and never more than is left of any, whoever else charges at the same time, in
        this process or another.
    Needs: for a file, a disk of this machine (SQLite cannot lock on network shares).
    Edges: threads may share a ledger, and what they ask for at once is committed at once.  A forked
        child opens it anew by itself.  ``patience`` is how many seconds a charge may stay
        unanswered before the same request with the same key may take it up, and ``wait`` how many a
        caller waits for the answer to the same question that someone else is about to give.  With
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
        self._store: Store = store_for(
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
        self._process = this_process()
        self._desk = Transaction(self._store)
        self._turns = GroupCommit(self._work)
        self._counted = (0, 0)
        self._leaving = Signal()
        self._books_seen = SeenBooks()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file or the connections; nothing is pending when a call has returned."""
        if self._process == this_process():
            self.stop_waiting()
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

    def keyed(self, caller: str, key: str) -> list[Entry]:
        """Every entry that a caller has under a key, in order: charges, and answers given again."""
        here = (ENTRIES.c.caller == caller, ENTRIES.c.key == key)
        with self._reading() as connection:
            rows = connection.execute(_entries().where(*here).order_by(ENTRIES.c.number))
            return [entry_from(row) for row in rows]

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
        return found

    def _wait_for(self, pending: Pending, limit: float) -> None:
        """Wait until a charge is settled, or may be taken up; who waits too long is refused, and
        nothing is charged.
        """
        began, pause, told = monotonic(), _PAUSES[0], False
        end = began + pending.left.total_seconds()
        while monotonic() < end:
            outcome = self.outcome(pending.charge)
            if outcome is not None and outcome.kind != RESUMED:
                return
            if monotonic() > limit or self._leaving.is_set():
                raise pending.refusal()
            if not told and monotonic() - began > SECONDS:
                tell_answer(pending.charge)
                told = True
            self._leaving.wait(pause)
            pause = min(2 * pause, _PAUSES[1])

    # reading the journal

    @property
    def head(self) -> Head:
        """How many entries there are, and the hash of the last."""
        self._after_fork()
        return Head(*self._store.look())

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

    # trust

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
            self._start()

    def _work(self, batch: Sequence[CommitTurn[Any]]) -> None:
        """One transaction for all these turns, done again when someone else wrote in between."""
        try:
            for _ in range(_TRIES):
                if self._commit(batch):
                    return
            raise TimeoutError(0, "others wrote in between too often")  # noqa: TRY301
        except BaseException as error:  # noqa: BLE001 - it is handed to every thread that waits
            self._give_up()
            ours = self._store.translation(error)
            for turn in batch:
                turn.result, turn.error = None, ours if turn.leads else _for_others(ours)

    def _commit(self, batch: Sequence[CommitTurn[Any]]) -> bool:
        store, transaction = self._store, self._desk
        store.wait()
        try:
            store.begin()
            fault_points.done("begun")
            transaction.open()
            for turn in batch:
                _decide(turn, transaction)
            fault_points.done("decided")
            changed = transaction.close()
            fault_points.done("written")
            store.commit()
            fault_points.done("committed")
            if changed or transaction.lags:
                transaction.mark()
            fault_points.done("marked")
            if store.sensitive:
                store.sweep()
        except store.driver_errors as error:
            if not store.is_conflict(error):
                raise
            self._give_up()
            return False
        finally:
            store.leave()
        return True

    def _give_up(self) -> None:
        """After an error nothing that is remembered is trusted, and the connection is dropped."""
        self._desk.forget()
        self._store.let_go()


def _seconds(given: Number, name: str) -> float:
    number = positive(given, name)
    if number > _MOST_SECONDS:
        raise out_of_range(name, number, "at most 1e9 seconds")
    return float(number)


def _decide(turn: CommitTurn[Any], transaction: Transaction) -> None:
    turn.result = turn.error = None
    try:
        turn.result = turn.act(transaction)
    except ShoalError as refusal:  # an act refuses before it changes anything
        turn.error = refusal


def _look(transaction: Transaction) -> None:
    """Only see how far the journal reaches: the head is compared with it, and follows it."""


def _for_others(error: BaseException) -> BaseException:
    """What the threads are told whose requests were in the same batch."""
    if isinstance(error, ShoalError):
        return type(error)(error.problem, remedy=error.remedy)
    return StorageError(
        f"the commit of several requests together ended in {type(error).__name__}.",
        remedy="Nothing that was not confirmed may be answered. Ask again, with the same key.",
    )


def _close_own(store: Store, process: tuple[object, int]) -> None:
    """When nobody holds the ledger any more: close what this process opened."""
    if process == this_process():
        store.close()


def _entries() -> sa.Select[Any]:
    return sa.select(ENTRIES)


def _begin(connection: sa.Connection) -> None:
    """The first entry of a journal."""
    time, text = now(), canonical({"shoal_ledger": 1})
    chained = hash_of(1, _NOTHING, BEGUN, time, text)
    entry = Entry(1, _NOTHING, BEGUN, time, text, chained)
    connection.execute(ENTRIES.insert().values(entry._asdict()))
