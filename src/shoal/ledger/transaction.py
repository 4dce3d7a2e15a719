"""The transaction: what is known inside one transaction, and what it will add to the journal."""

from __future__ import annotations

from typing import Any

from shoal.errors import AccountError, TamperedError
from shoal.ledger.book import Book, seal_of
from shoal.ledger.entry import ALARM, Entry, canonical, hash_of, now
from shoal.ledger.head import EMPTY, Head
from shoal.ledger.store import Store, entry_from


class Transaction:
    """The end of the journal and the accounts, as the transaction sees them.

    Between transactions it is a memory of how things stood; `open` finds out whether they still do,
    by the hash at the end of the journal, which stands for all that went before.
    """

    def __init__(self, store: Store) -> None:
        self.store = store
        self.head = EMPTY
        self.books: dict[str, Book] = {}
        self._earlier: dict[str, Book] = {}
        self.alarm: str | None = None
        self.recorded_alarm: str | None = None
        self.time = ""
        self._known = False
        self._new: list[Entry] = []
        self._written = 0
        self._touched: dict[str, Book] = {}
        self._added: set[str] = set()
        self._rewritten = self._unmarked = False
        self.lags = False

    # the transaction

    def open(self) -> None:
        """Begin: look at the end of the journal; where it is the one that is remembered, so is all
        before it.
        """
        self.time = now()
        self._new, self._written, self._touched, self._added = [], 0, {}, set()
        self._rewritten = False
        marked = self.store.head.read() if self.store.head else None
        self._unmarked = marked is None
        rows = self.store.rows("tail")
        head = Head(*rows[0]) if rows else EMPTY
        if not self._known or head != self.head or marked not in (None, head):
            self._look(head, marked)
        self.lags = self._known and marked != self.head

    def _look(self, head: Head, marked: Head | None) -> None:
        # An account as it once stood spares reading its budget again, if that has not changed
        # (`Book.read`).
        self._earlier |= self.books
        self.head, self.books = head, {}
        found = self.store.rows("about", "alarm")
        self.alarm = self.recorded_alarm = found[0][0] if found else None
        wrong = self._wrong_head(marked)
        if wrong:
            self.alarm = self.alarm or wrong
        self._known = not wrong
        if wrong and marked and not self.store.shares_head and self.recorded_alarm is None:
            self.add(ALARM, canonical({"findings": [[None, wrong]]}))
            self.raise_alarm(wrong)

    def _wrong_head(self, marked: Head | None) -> str | None:
        """What the head beside the file has against the journal; see head.md."""
        if self.store.head is None or marked == self.head:
            return None
        if marked is None and not self.store.head.must_be_there:
            return None
        rows = self.store.rows("entry", marked.number) if marked else []
        return wrong_head(marked, self.head, entry_from(rows[0]) if rows else None)

    def close(self) -> bool:
        """Write what was decided; False when nothing was."""
        if not self._new and not self._rewritten:
            return False
        self._write_entries()
        for name, book in self._touched.items():
            self._write_book(name, book)
        return True

    def mark(self) -> None:
        """After the commit: let the head say how far the journal reaches, or how far others have
        written it.

        While the head contradicts the journal it is left alone: it is the evidence.
        """
        if self.store.head is not None and self._known:
            self.store.head.write(self.head, over=self._rewritten or self._unmarked)

    def forget(self) -> None:
        """Trust nothing that is remembered."""
        self.books, self._earlier, self._known = {}, {}, False

    # the journal

    def add(
        self,
        kind: str,
        text: str,
        *,
        caller: str | None = None,
        key: str | None = None,
        same: str | None = None,
        of: int | None = None,
    ) -> Entry:
        """Append an entry."""
        number, previous = self.head.number + 1, self.head.hash
        chained = hash_of(number, previous, kind, self.time, text)
        entry = Entry(number, previous, kind, self.time, text, chained, caller, key, same, of)
        self._new.append(entry)
        self.head = Head(number, chained)
        return entry

    def file(self, kind: str, fact: Any, *, under: str, key: str) -> Entry:
        """Append a fact that is found again, with others of its kind or not, under a heading and a
        key.
        """
        text = canonical({"fact": fact, "key": key, "under": under})
        return self.add(kind, text, caller=f"fact {under}", key=key)

    def found(self, statement: str, *values: Any) -> list[Entry]:
        """Entries that a named statement finds, those of this transaction among them."""
        self._write_entries()
        return [entry_from(row) for row in self.store.rows(statement, *values)]

    def filed(self, under: str, key: str) -> list[Entry]:
        """The facts under a heading and a key, the last first."""
        return self.found("by key", f"fact {under}", key)

    def kinds(self, under: str, key: str) -> list[str]:
        """Their kinds."""
        self._write_entries()
        return [kind for (kind,) in self.store.rows("kinds by key", f"fact {under}", key)]

    def _write_entries(self) -> None:
        if self._written < len(self._new):
            self.store.insert(self._new[self._written :])
            self._written = len(self._new)

    # accounts

    def book(self, name: str) -> Book:
        """An account by name, or an error that says there is none."""
        book = self.find(name)
        if book is None:
            raise no_account(name)
        return book

    def find(self, name: str) -> Book | None:
        """An account by name, if there is one."""
        book = self.books.get(name)
        if book is None:
            rows = self.store.rows("account", name)
            if not rows:
                return None
            self._check_seal(rows[0])
            book = self.books[name] = Book.read(rows[0], known=self._earlier.get(name))
        return book

    def _check_seal(self, row: Any) -> None:
        *values, seal = row
        entries = self.store.rows("entry", values[-1])
        if not entries or seal_of(tuple(values), entry_from(entries[0]).hash) != seal:
            self._known = False
            raise TamperedError(
                f"the account {row[0]!r} does not follow from the journal.",
                remedy="Run verify, which says what is wrong; nothing is charged until the curator accepts it.",
            )

    def keep(self, book: Book, *, is_new: bool = False) -> None:
        """Remember an account as the last entry left it."""
        book.entry = self.head.number
        self.books[book.name] = self._touched[book.name] = book
        if is_new:
            self._added.add(book.name)

    def keep_only(self, books: dict[str, Book]) -> None:
        """Put these accounts in the place of all."""
        self.store.run("delete accounts")
        self.books = {}
        for book in books.values():
            self.keep(book, is_new=True)

    def _write_book(self, name: str, book: Book) -> None:
        first = self._new[0].number
        row = book.row(self._new[book.entry - first].hash)
        if name in self._added:
            self.store.run("insert account", *row)
        else:
            self.store.run("update account", *row[1:], name)

    # alarms

    def raise_alarm(self, reason: str) -> None:
        """Stop all charges until the curator accepts."""
        self.store.run("forget", "alarm")
        self.store.run("remember", "alarm", reason)
        self.alarm = self.recorded_alarm = reason
        self._rewritten = True

    def end_alarm(self) -> None:
        self.store.run("forget", "alarm")
        self.alarm = self.recorded_alarm = None
        self._rewritten = self._known = True

    def check_calm(self) -> None:
        """Refuse while an alarm stands."""
        if self.alarm is not None:
            raise TamperedError(
                f"asking has stopped: {self.alarm}.",
                remedy="The curator looks at what verify says, and calls accept with a reason to go on.",
            )


def wrong_head(marked: Head | None, head: Head, at_mark: Entry | None) -> str | None:
    """What a head beside the file has against a journal that ends at ``head``; ``at_mark`` is its
    entry there.
    """
    if marked is None:
        if head.number <= 1:
            return None
        return f"the head beside the ledger is missing, and {head.number} entries were written"
    if marked.number > head.number:
        return f"the ledger ends at entry {head.number}, but entry {marked.number} was written: it is an old copy, or its end is lost"
    if at_mark is None or at_mark.hash != marked.hash:
        return f"entry {marked.number} is not the one that was written"
    return None


def no_account(name: str) -> AccountError:
    return AccountError(
        f"there is no account {name[:40]!r}.",
        remedy="Open it with open_account, or give one of the names in accounts().",
    )
