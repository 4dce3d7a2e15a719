"""History: the journal read from its beginning, believing nothing, to see where every account must
stand.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from shoal.errors import ShoalError
from shoal.events import Event
from shoal.ledger.book import Book, budget_from, budget_to, price
from shoal.ledger.entry import (
    ANSWERED,
    CHARGE,
    FAILED,
    LEFT,
    NOTHING_BEFORE,
    OWN_KINDS,
    REPEATED,
    RESUMED,
    Entry,
    canonical,
)
from shoal.ledger.head import EMPTY, Head

Finding = tuple[int | None, str]
"""The number of an entry, or None for the ledger as a whole, and what is wrong."""


WRONG = (
    *(ShoalError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError),
    RecursionError,
)
"""What may come of reading an entry that says anything whatever."""


class History:
    """Reads entries in order; what does not fit is a finding, and reading goes on."""

    def __init__(self) -> None:
        self.head: Head = EMPTY
        self.books: dict[str, Book] = {}
        self.hashes: dict[str, str] = {}
        self.findings: list[Finding] = []
        self.accepted: set[Finding] = set()
        self.alarm = False
        self._open: dict[int, tuple[str, int]] = {}

    @property
    def unaccepted(self) -> list[Finding]:
        """What is wrong and was not accepted by the curator."""
        return [finding for finding in self.findings if finding not in self.accepted]

    def read(self, entry: Entry) -> None:
        """One more entry."""
        self._check_chain(entry)
        try:
            self._apply(entry)
        except WRONG as error:
            why = error.problem if isinstance(error, ShoalError) else "it cannot be understood"
            self._find(entry, f"entry {entry.number} does not add up: {why.rstrip('.')}")
        if entry.number > 0:
            self.head = Head(entry.number, entry.hash)

    def _find(self, entry: Entry, what: str) -> None:
        self.findings.append((entry.number, what))

    def _check_chain(self, entry: Entry) -> None:
        expected = self.head.number + 1
        if entry.number < 1:
            self._find(entry, f"there is an entry with the number {entry.number}")
        elif entry.number > expected:
            last = entry.number - 1
            gone = f"entry {last} is" if last == expected else f"entries {expected} to {last} are"
            self._find(entry, f"{gone} missing")
        elif entry.previous != (self.head.hash if self.head.number else NOTHING_BEFORE):
            self._find(entry, f"entry {entry.number} does not follow from the one before it")
        if not entry.is_whole:
            self._find(entry, f"entry {entry.number} was changed after it was written")

    def _apply(self, entry: Entry) -> None:
        body = entry.unchecked
        self._check_columns(entry, body)
        match entry.kind:
            case "begun":
                if entry.number != 1:
                    self._find(entry, f"entry {entry.number} begins the journal a second time")
            case "account":
                self._open_account(entry, body)
            case "budget":
                book = self.books[body["account"]].with_budget(budget_from(body["budget"]))
                self._keep(entry, book)
            case "charge":
                self._charge(entry, body)
            case "answered" | "failed" | "left" | "resumed":
                self._settle(entry, body)
            case "repeated":
                self._check_repeated(entry, body)
            case "alarm":
                self.alarm = True
            case "accepted":
                self._accept(entry, body)

    def _check_columns(self, entry: Entry, body: dict[str, Any]) -> None:
        """What is kept beside the body to be looked up says the same as the body."""
        said: tuple[Any, ...] = (None, None, None, None)
        if entry.kind == CHARGE:
            said = (body["caller"], body["key"], body["same"], None)
        elif entry.kind == REPEATED:
            said = (body["caller"], body["key"], None, None)
        elif entry.kind in {ANSWERED, FAILED, LEFT, RESUMED}:
            said = (None, None, None, body["charge"])
        elif entry.kind not in OWN_KINDS and body["key"] is not None:
            said = (f"fact {body.get('under', entry.kind)}", body["key"], None, None)
        if (entry.caller, entry.key, entry.same, entry.of) != said:
            self._find(entry, f"entry {entry.number} is filed under something it does not say")

    def _open_account(self, entry: Entry, body: dict[str, Any]) -> None:
        name = body["account"]
        if name in self.books:
            self._find(entry, f"entry {entry.number} opens the account {name!r} again")
        book = Book(name, budget_from(body["budget"]), body["relation"])
        book.filter = book.filter.restored(body["state"])
        self._keep(entry, book)

    def _charge(self, entry: Entry, body: dict[str, Any]) -> None:
        event = _event(canonical(body["event"]))
        self._open[entry.number] = (entry.text, 0)
        for name in body["accounts"]:
            book = self.books[name]
            book.filter.spend(price(book.filter, event))
            book.events += 1
            self._keep(entry, book)

    def _settle(self, entry: Entry, body: dict[str, Any]) -> None:
        number, attempt = body["charge"], body["attempt"]
        text, now_at = self._open[number]
        if attempt != now_at + (entry.kind == RESUMED):
            self._find(entry, f"entry {entry.number} settles an attempt that was given up")
        if entry.kind == RESUMED:
            self._open[number] = (text, attempt)
        elif entry.kind != LEFT:
            del self._open[number]
        if entry.kind == FAILED and attempt:
            self._find(entry, f"entry {entry.number} gives back what may have been used")
        if entry.kind == FAILED:
            charged = json.loads(text)
            for name in charged["accounts"]:
                book = self.books[name]
                event = _event(canonical(charged["event"]))
                book.filter.give_back(price(book.filter, event))
                book.events -= 1
                self._keep(entry, book)

    def _check_repeated(self, entry: Entry, body: dict[str, Any]) -> None:
        """A key can stand for an answer only where there is one."""
        if not 0 < body["charge"] < entry.number or body["charge"] in self._open:
            self._find(entry, f"entry {entry.number} repeats an answer that is not there")

    def _accept(self, entry: Entry, body: dict[str, Any]) -> None:
        """What the curator accepted is no finding any more, and the accounts stand where it
        says.
        """
        self.alarm = False
        self.accepted.update((number, what) for number, what in body["findings"])
        self.books = {}
        for name, written in body["accounts"].items():
            book = Book(name, budget_from(written["budget"]), written["relation"])
            book.filter = book.filter.restored(written["state"])
            book.events = written["events"]
            self._keep(entry, book)

    def _keep(self, entry: Entry, book: Book) -> None:
        book.entry = entry.number
        self.books[book.name] = book
        self.hashes[book.name] = entry.hash


def written_accounts(books: dict[str, Book]) -> dict[str, Any]:
    """Accounts as an entry of kind 'accepted' writes them."""
    return {
        name: {
            "budget": budget_to(book.budget),
            "relation": book.relation,
            "state": dict(book.filter.state()),
            "events": book.events,
        }
        for name, book in books.items()
    }


@lru_cache(maxsize=512)
def _event(text: str) -> Event:
    return Event.from_json(text)
