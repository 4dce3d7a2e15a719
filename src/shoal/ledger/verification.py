"""Verifying: the whole journal is read again, and everything that is kept beside it is compared
with what follows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

import sqlalchemy as sa

from shoal.errors import StorageError, TamperedError
from shoal.ledger.book import Book
from shoal.ledger.entry import ACCEPTED, ALARM, Entry, canonical
from shoal.ledger.head import Head
from shoal.ledger.history import WRONG, Finding, History, written_accounts
from shoal.ledger.schema import ABOUT, ACCOUNTS, COUNTERS, ENTRIES, MARKS
from shoal.ledger.store import Store, entry_from
from shoal.ledger.transaction import Transaction, wrong_head

_PAGE = 5000
_MOST_TOLD = 1000


@dataclass(frozen=True)
class Verification:
    """What verifying found.  ``findings`` stop all charges; ``accepted`` are those the curator
    lives with.
    """

    head: Head
    findings: tuple[str, ...]
    accepted: tuple[str, ...]

    @property
    def is_sound(self) -> bool:
        """Whether nothing is wrong that the curator has not accepted."""
        return not self.findings

    def __str__(self) -> str:
        count = f"{self.head.number:,} entries, the last {self.head.hash[:16]}"
        if self.is_sound:
            more = (
                f" ({len(self.accepted)} earlier findings were accepted)" if self.accepted else ""
            )
            return f"sound: {count}{more}"
        return "\n".join([f"NOT sound: {count}", *(f"  - {each}" for each in self.findings)])


@dataclass(frozen=True)
class Examination:
    """A reading of the whole ledger at one moment."""

    history: History
    beside: tuple[str, ...]
    kept: dict[str, Book]

    @property
    def findings(self) -> list[Finding]:
        """What is wrong, entries first."""
        return self.history.unaccepted + [(None, what) for what in self.beside]

    def verdict(self) -> Verification:
        accepted = [
            what
            for number, what in self.history.findings
            if (number, what) in self.history.accepted
        ]
        return Verification(
            self.history.head, tuple(what for _, what in self.findings), tuple(accepted)
        )


def examine(
    store: Store, known: Iterable[Head], progress: Callable[[int, int], None] | None
) -> Examination:
    """Read everything, and say what does not fit."""
    history = History()
    beside: list[str] = []
    kept: dict[str, Book] = {}
    try:
        with store.translated():
            marked = (
                store.head.read() if store.head else None
            )  # before the journal, which only grows
        beside += [f"the file is damaged: {each}" for each in store.damage()]
        noted = [*known, *([] if marked is None else [marked])]
        with store.reading() as connection:
            met = _read_journal(connection, history, {head.number for head in noted}, progress)
            kept, wrong = _compare_accounts(connection, history)
            beside += wrong + _compare_alarm(connection, history) + _compare_tallies(connection)
        beside += _compare_heads(noted[: len(noted) - (marked is not None)], met)
        at_mark = None if marked is None else met.get(marked.number)
        wrong_mark = None
        if store.head and (marked or store.head.must_be_there):
            wrong_mark = wrong_head(marked, history.head, at_mark)
        beside += [] if wrong_mark is None else [wrong_mark]
    except StorageError as error:
        beside.append(f"the journal could not be read to its end: {error.problem.rstrip('.')}")
    except WRONG:
        beside.append("what is kept beside the journal cannot be understood")
    return Examination(history, tuple(beside), kept)


def _read_journal(
    connection: sa.Connection,
    history: History,
    wanted: set[int],
    progress: Callable[[int, int], None] | None,
) -> dict[int, Entry]:
    """Have the history read every entry; those with wanted numbers are returned."""
    total = connection.execute(sa.select(sa.func.count()).select_from(ENTRIES)).scalar_one()
    met: dict[int, Entry] = {}
    for done, entry in enumerate(_entries(connection)):
        history.read(entry)
        if entry.number in wanted:
            met[entry.number] = entry
        if progress is not None and done % _PAGE == 0:
            progress(done, total)
    return met


def _entries(connection: sa.Connection) -> Iterator[Entry]:
    """Every entry by its number, those with impossible numbers too."""
    since = -(2**63)
    while True:
        chosen = sa.select(ENTRIES).where(ENTRIES.c.number > since).order_by(ENTRIES.c.number)
        rows = connection.execute(chosen.limit(_PAGE)).all()
        for row in rows:
            yield entry_from(row)
        if len(rows) < _PAGE:
            return
        since = rows[-1].number


def _compare_accounts(
    connection: sa.Connection, history: History
) -> tuple[dict[str, Book], list[str]]:
    kept: dict[str, Book] = {}
    wrong = []
    rows = {row.name: tuple(row) for row in connection.execute(sa.select(ACCOUNTS))}
    for name, row in sorted(rows.items()):
        with suppress(*WRONG):
            kept[name] = Book.read(row)
        if name not in history.books:
            wrong.append(f"the account {name!r} is not in the journal")
        elif history.books[name].row(history.hashes[name]) != row:
            wrong.append(f"the account {name!r} does not stand where the journal leaves it")
    missing = sorted(set(history.books) - set(rows))
    wrong += [f"the account {name!r} of the journal is missing" for name in missing]
    return kept, wrong


def _compare_alarm(connection: sa.Connection, history: History) -> list[str]:
    found = connection.execute(sa.select(ABOUT.c.value).where(ABOUT.c.name == "alarm")).scalar()
    if history.alarm and found is None:
        return ["an alarm was raised and silenced without being accepted"]
    return []


def _compare_tallies(connection: sa.Connection) -> list[str]:
    """Every count used a mark, and every used mark was counted."""
    counted = sa.select(COUNTERS.c.tally, sa.func.sum(COUNTERS.c["count"]))
    used = sa.select(MARKS.c.tally, sa.func.sum(MARKS.c.used))
    found = [
        {name: int(total) for name, total in connection.execute(chosen) if total}
        for chosen in (counted.group_by(COUNTERS.c.tally), used.group_by(MARKS.c.tally))
    ]
    return [
        f"the tally {name!r} counts {found[0].get(name, 0)} reports, but {found[1].get(name, 0)} marks were used"
        for name in sorted({*found[0], *found[1]})
        if found[0].get(name) != found[1].get(name)
    ]


def _compare_heads(known: Sequence[Head], met: dict[int, Entry]) -> list[str]:
    return [
        f"entry {head.number} is not the one that is known from elsewhere"
        for head in known
        if head.number not in met or met[head.number].hash != head.hash
    ]


def alarm_act(examination: Examination) -> Callable[[Transaction], None]:
    """Write down that the journal is not sound, and stop all charges."""
    found = examination.findings[:_MOST_TOLD]

    def act(transaction: Transaction) -> None:
        reason = found[0][1] + (f", and {len(found) - 1} more" if len(found) > 1 else "")
        if transaction.recorded_alarm is None:
            transaction.add(ALARM, canonical({"findings": found}))
            transaction.raise_alarm(reason)

    return act


def accept_act(
    examination: Examination, reason: str, caller: str
) -> Callable[[Transaction], Entry]:
    """Write down that the curator accepts what was found; each account goes on from the dearer of
    what is known.
    """
    books = dict(examination.history.books)
    for name, kept in examination.kept.items():
        books[name] = books[name].dearer(kept) if name in books else kept
    body = {
        "accounts": written_accounts(books),
        "caller": caller,
        "findings": [[number, what] for number, what in examination.findings],
        "reason": reason,
    }

    def act(transaction: Transaction) -> Entry:
        if transaction.head != examination.history.head:
            raise TamperedError(
                "the journal has changed while it was examined.",
                remedy="Accept again, when nobody else writes.",
            )
        if transaction.alarm is None and not examination.findings:
            raise TamperedError(
                "there is nothing to accept: the journal is sound.",
                remedy="Go on; verify says the same.",
            )
        entry = transaction.add(ACCEPTED, canonical(body))
        transaction.keep_only(books)
        transaction.end_alarm()
        return entry

    return act
