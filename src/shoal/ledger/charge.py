"""Charging: the request for a debit, what it may find in the journal, and how a charge is
settled.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from fractions import Fraction
from types import TracebackType
from typing import Any, Protocol, Self, TypeVar

from shoal.accounting import PrivacyFilter
from shoal.accounting.budget_refusals import by_account
from shoal.errors import (
    BudgetExceeded,
    ChargeError,
    InFlightError,
    KeyReusedError,
    LedgerError,
    ShoalError,
    TamperedError,
)
from shoal.events import Event
from shoal.ledger.book import Book, Request, price
from shoal.ledger.entry import (
    ANSWERED,
    CHARGE,
    FAILED,
    LEFT,
    REPEATED,
    RESUMED,
    Entry,
    canonical,
    digest,
)
from shoal.ledger.transaction import Transaction
from shoal.noise import one_below
from shoal.owned import Owned

_Result = TypeVar("_Result")
Lookup = Callable[..., list[Entry]]
"""Finds entries by the name of a statement of `store` and its values."""
_MANY_SECONDS = 90
_SALTS = 1 << 128


class CommitQueue(Protocol):
    """Where acts are done one after the other, durably: the ledger."""

    def take(self, act: Callable[[Transaction], _Result]) -> _Result: ...

    def is_gone(self, charge: int, attempt: int) -> bool: ...


@dataclass(frozen=True)
class Replay:
    """A request that was answered before, and its answer; it cost nothing now."""

    charge: int
    answer: Any
    entry: Entry


@dataclass(frozen=True)
class Pending:
    """A charge for the same question that someone else is answering, and how long it may still be
    only theirs.
    """

    charge: int
    left: timedelta
    attempt: int = 0

    def refusal(self) -> InFlightError:
        """What is said to those who have waited long enough."""
        return InFlightError(
            f"the same question is being answered (charge {self.charge}).",
            remedy="Wait and ask again; it will not be charged twice. "
            f"If whoever was answering has died, it is taken up again in {_in_words(self.left)}.",
        )


class Charge(Owned):
    """A debit that is durable and not yet settled; it belongs to the process that made it.

    Used in a ``with`` block it is left unanswered when the block ends without an answer: the budget
    stays spent, and the same request with the same key may take it up again.
    """

    called = "a charge"
    harm = "it pays for one answer, and each copy could give one."
    way_out = "Answer the charge in the process that took it; let others charge for themselves, in the same ledger."

    def __init__(self, line: CommitQueue, entry: Entry, attempt: int) -> None:
        self.entry = entry
        self.number = entry.number
        self._line = line
        self._attempt = attempt
        # A charge that is taken up from someone else is treated as one that has read.
        self._reads = attempt > 0  # who was there before may have read
        self._settled = False
        self._let_go: Callable[[], None] = _nothing

    def held_by(self, hold: Callable[[int, int], Callable[[], None]]) -> None:
        """Let others see that somebody answers it, until it is settled."""
        self._let_go = hold(self.number, self._attempt)

    @property
    def may_be_given_back(self) -> bool:
        """Whether no private row was read for it, by anyone."""
        return not self._reads

    def reads_data(self) -> None:
        """Say that private rows will now be read: from here on nothing can be given back."""
        self._check_owner()
        self._reads = True

    def answered(self, answer: Any) -> Entry:
        """Store the answer, durably.  It may be shown when this returns, and not before."""
        return self._settle(ANSWERED, self._outcome("answer", answer))

    def failed_before_data(self, reason: str) -> Entry:
        """Give the debit back, by an entry of its own, because no private row was read.

        Edges: refused once `reads_data` was called, for a charge that was taken up from someone
            else, and once the charge is settled.
        """
        if self._reads:
            raise ChargeError(
                f"charge {self.number} has read data, or may have; nothing can be given back.",
                remedy="Leave it as spent: what was seen cannot be unseen.",
            )
        return self._settle(FAILED, self._reason(reason), give_back)

    def leave(self, reason: str) -> Entry:
        """Leave the charge unanswered, for good: it stays spent, and its key is used up.

        Something was seen: that there is no answer may depend on what was drawn, so nobody draws
        again for it.
        """
        return self._settle(LEFT, self._reason(reason))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._settled or not self._is_at_home:  # a fork leaves it to the process that charged
            return
        if kind is None:
            self.leave("no answer")
        else:
            with suppress(LedgerError):  # the first error is the one to tell
                self.leave(kind.__name__)

    def _reason(self, reason: str) -> str:
        return self._outcome("reason", str(reason))

    def _outcome(self, name: str, value: Any) -> str:
        """The text of an outcome.  Its salt hides the rest behind the entry's hash: hashes are
        shown to people who may not see the answer, or the moment at which it was found.
        """
        body = {name: value, "attempt": self._attempt, "charge": self.number}
        return canonical({**body, "salt": f"{one_below(_SALTS):032x}"}, name)

    def _settle(
        self,
        kind: str,
        text: str,
        prepare: Callable[[Transaction, Entry], Callable[[], None]] | None = None,
    ) -> Entry:
        self._check_owner()

        def act(transaction: Transaction) -> Entry:
            transaction.check_calm()
            self._check_open(transaction)
            then = None if prepare is None else prepare(transaction, self.entry)
            entry = transaction.add(kind, text, of=self.number)
            if then is not None:
                then()
            return entry

        entry = self._line.take(act)
        self._settled = True
        self._let_go()
        return entry

    def _check_open(self, transaction: Transaction) -> None:
        rows = transaction.found("entry", self.number)
        if not rows or rows[0].hash != self.entry.hash:
            raise TamperedError(
                f"charge {self.number} is no longer in the journal.",
                remedy="Run verify; the answer must not be shown.",
            )
        outcomes = transaction.found("outcomes", self.number)
        if attempts(outcomes) != self._attempt or (outcomes and outcomes[-1].kind != RESUMED):
            raise ChargeError(
                f"charge {self.number} was settled or taken up by someone else.",
                remedy="Do not show this answer; ask again with the same key for the one that counts.",
            )


def charge(
    transaction: Transaction, request: Request, line: CommitQueue, patience: timedelta
) -> Charge | Replay | Pending:
    """Find an earlier answer, or one that is about to be given, or take from every account or from
    none.
    """
    transaction.check_calm()
    if request.key is not None or request.same is not None:
        earlier = _by_key(transaction, request, line, patience) or _by_same(
            transaction, request, line, patience
        )
        if earlier is not None:
            return earlier
    books = [transaction.book(name) for name in request.names]
    _spend(books, request.event)
    entry = transaction.add(
        CHARGE, request.text, caller=request.caller, key=request.key, same=request.same
    )
    for book in books:
        book.events += 1
        transaction.keep(book)
    return Charge(line, entry, 0)


def answered_before(found: Lookup, request: Request) -> Replay | None:
    """The answer that this very request was given before, as anyone who reads the journal sees it;
    None where only a transaction can decide.

    Guarantee: `charge` would return the same answer, and write nothing.  An answer is the last that
        is written about a charge, and an entry never changes, so what was seen once still holds.
    """
    if request.key is None:
        entries = [] if request.same is None else found("by same", request.same)
    else:
        entries = found("by key", request.caller, request.key)[:1]
        if entries and entries[0].kind == REPEATED:
            return _repeated(found, request, entries[0])
        entries = [each for each in entries if each.text == request.text]
    for entry in entries:
        outcomes = found("outcomes", entry.number)
        if outcomes and outcomes[-1].kind == ANSWERED:
            return Replay(entry.number, outcomes[-1].body["answer"], outcomes[-1])
    return None


def _spend(books: Sequence[Book], event: Event) -> None:
    """Spend on every book, or leave all as they were."""
    costs = [price(book.filter, event) for book in books]
    spent: list[tuple[PrivacyFilter, tuple[Fraction | None, ...]]] = []
    for book, cost in zip(books, costs, strict=True):
        kept = book.filter
        before = kept.sums
        try:
            kept.spend(cost)
        except ShoalError as refused:
            for earlier, sums in spent:
                earlier.go_back_to(sums)
            if isinstance(refused, BudgetExceeded):
                raise by_account(refused, book.name) from None
            raise
        spent.append((kept, before))


def give_back(transaction: Transaction, charged: Entry) -> Callable[[], None]:
    """Find out what a charge took from whom; the function that is returned gives it back."""
    body = charged.body
    event = Event.from_dict(body["event"])
    books = [transaction.book(name) for name in body["accounts"]]
    costs = [price(book.filter, event) for book in books]

    def act() -> None:
        for book, cost in zip(books, costs, strict=True):
            book.filter.give_back(cost)
            book.events -= 1
            transaction.keep(book)

    return act


def attempts(outcomes: Sequence[Entry]) -> int:
    """How often a charge was taken up again."""
    return sum(1 for entry in outcomes if entry.kind == RESUMED)


def _by_key(
    transaction: Transaction, request: Request, line: CommitQueue, patience: timedelta
) -> Charge | Replay | None:
    if request.key is None:
        return None
    for entry in transaction.found("by key", request.caller, request.key):
        if entry.kind == REPEATED:
            return _repeated(transaction.found, request, entry)
        outcomes = transaction.found("outcomes", entry.number)
        last = outcomes[-1] if outcomes else entry
        if entry.kind != CHARGE or last.kind == FAILED:
            continue
        if entry.text != request.text:
            raise _other_request(request)
        if last.kind == ANSWERED:
            return Replay(entry.number, last.body["answer"], last)
        if last.kind == LEFT:
            raise ChargeError(
                f"the request with key {request.key!r} ended without an answer (charge {entry.number}); it stays spent.",
                remedy="Ask with another key, which is charged anew.",
            )
        left = _left(transaction, entry, outcomes, line, patience)
        if left > timedelta(0):
            raise InFlightError(
                f"the request with key {request.key!r} is being answered (charge {entry.number}).",
                remedy="Wait and ask again with the same key; it will not be charged twice. "
                f"If whoever was answering has died, it is taken up again in {_in_words(left)}.",
            )
        return _take_up(transaction, entry, outcomes, line)
    return None


def _take_up(
    transaction: Transaction, entry: Entry, outcomes: Sequence[Entry], line: CommitQueue
) -> Charge:
    """Answer a charge whose first owner has not been heard of for too long: the debit was made, and
    nothing was shown.
    """
    attempt = attempts(outcomes) + 1
    transaction.add(
        RESUMED, canonical({"attempt": attempt, "charge": entry.number}), of=entry.number
    )
    return Charge(line, entry, attempt)


def _by_same(
    transaction: Transaction, request: Request, line: CommitQueue, patience: timedelta
) -> Charge | Replay | Pending | None:
    """The answer to an equal question; else one that is being given; else a charge for it that
    nobody answers any more.
    """
    if request.same is None:
        return None
    pending: Pending | None = None
    given_up: tuple[Entry, Sequence[Entry]] | None = None
    for entry in transaction.found("by same", request.same):
        outcomes = transaction.found("outcomes", entry.number)
        last = outcomes[-1] if outcomes else entry
        if last.kind == ANSWERED:
            _bind(transaction, request, entry)
            return Replay(entry.number, last.body["answer"], last)
        if last.kind in {FAILED, LEFT}:
            continue
        left = _left(transaction, entry, outcomes, line, patience)
        if left > timedelta(0):
            pending = Pending(entry.number, left, attempts(outcomes))
        elif _pays(entry, request):
            given_up = entry, outcomes
    if pending is None and given_up is not None:
        return _take_up(transaction, *given_up, line)
    return pending


def _pays(entry: Entry, request: Request) -> bool:
    """Whether a charge took the same event from all accounts that a request names."""
    paid, asked = entry.body, json.loads(request.text)
    return paid["event"] == asked["event"] and set(request.names) <= set(paid["accounts"])


def _bind(transaction: Transaction, request: Request, charged: Entry) -> None:
    """Write down that a key stands for a request which an earlier charge of an equal question
    answers.
    """
    if request.key is None:
        return
    said = {
        "caller": request.caller,
        "charge": charged.number,
        "key": request.key,
        "request": digest(request.text),
    }
    transaction.add(REPEATED, canonical(said), caller=request.caller, key=request.key)


def _repeated(found: Lookup, request: Request, bound: Entry) -> Replay:
    """The answer that a key was given before, if it stands for this very request."""
    said = bound.body
    if said["request"] != digest(request.text):
        raise _other_request(request)
    outcomes = found("outcomes", said["charge"])
    if not outcomes or outcomes[-1].kind != ANSWERED:
        raise TamperedError(
            f"the answer of charge {said['charge']} is no longer in the journal.",
            remedy="Run verify, which says what is wrong.",
        )
    return Replay(said["charge"], outcomes[-1].body["answer"], outcomes[-1])


def _other_request(request: Request) -> KeyReusedError:
    return KeyReusedError(
        f"the key {request.key!r} stands for another request of {request.caller!r}.",
        remedy="Give every new request a key of its own.",
    )


def _in_words(left: timedelta) -> str:
    """A time that is left, never less than it is: 40 seconds, 15 minutes."""
    seconds = math.ceil(left.total_seconds())
    if seconds <= _MANY_SECONDS:
        return f"{seconds} second{'s' * (seconds != 1)}"
    return f"{math.ceil(seconds / 60)} minutes"


def _left(
    transaction: Transaction,
    entry: Entry,
    outcomes: Sequence[Entry],
    line: CommitQueue,
    patience: timedelta,
) -> timedelta:
    """How long a charge is still only for whoever answers it: no longer once they are gone."""
    if line.is_gone(entry.number, attempts(outcomes)):
        return timedelta(0)
    return patience - _age(transaction, outcomes[-1] if outcomes else entry)


def _nothing() -> None:
    """Nobody holds it."""


def _age(transaction: Transaction, entry: Entry) -> timedelta:
    return datetime.fromisoformat(transaction.time) - datetime.fromisoformat(entry.time)
