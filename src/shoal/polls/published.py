"""Polls in a vault: published once, counted, closed and opened again, each fact in the journal."""

from __future__ import annotations

import re
from fractions import Fraction
from hashlib import sha256
from typing import Any

from shoal.errors import ClosedError, ReportError, TamperedError, UnknownPollError, VaultError
from shoal.exact import Number, out_of_range, whole
from shoal.ledger import Ledger, Tally
from shoal.ledger.entry import Entry, digest
from shoal.ledger.transaction import Transaction
from shoal.polls.client import once_number
from shoal.polls.export import export_csv, export_json
from shoal.polls.poll import Poll
from shoal.polls.results import Results

PUBLISHED, CLOSED, REOPENED, INVITED = "poll", "poll closed", "poll reopened", "poll invited"
_FILED, _GUESTS = "poll", "poll invitations"
_ONCE = re.compile(r"[0-9a-f]{32}")
MOST_AT_ONCE = 100_000


class PublishedPoll:
    """A poll that can be answered; `shoal.open("office.shoal").poll("commute")` finds it.

    Guarantee: a report is counted, and its number used up, in one durable transaction; each number
        is counted once, and none while the poll is closed.
    Edges: what is kept of a report is in polls.md: a counter for its text, and a digest of its
        number.
    """

    def __init__(self, ledger: Ledger, poll: Poll, *, curator: bool = True) -> None:
        self.poll = poll
        self._curator = curator
        self._ledger = ledger
        self._tally = Tally(ledger, poll.name)

    @property
    def name(self) -> str:
        """The name of the poll."""
        return self.poll.name

    # answering

    def add(self, report: str, *, once: str, mark: str) -> None:
        """Count a report, once for its number of 32 hexadecimal digits.

        ``mark`` is the digest of the definition the report was made for, `Poll.mark`: the text of a
        report alone fits many polls.
        """
        if mark != self.poll.mark:
            raise _unknown(self.name, "has another definition than the one of this report")
        self.poll.read(report)
        if not isinstance(once, str) or not _ONCE.fullmatch(once):
            raise ReportError(
                "a report comes with a number of 32 hexadecimal digits, in small letters.",
                remedy="Take it from the invitation, or make it with shoal.polls.once_number.",
            )
        kept = digest(f"{self.poll.mark}\n{once}")
        given_out = self.poll.once == "invitation"
        self._tally.count(report, kept, gate=self._open_gate, given_out=given_out)

    def _open_gate(self, transaction: Transaction) -> None:
        transaction.check_calm()
        if transaction.kinds(_FILED, self.name)[0] == CLOSED:
            raise ClosedError(
                f"the poll {self.name!r} is closed; nothing was counted.",
                remedy="Ask whoever runs it to open it again.",
            )

    # running

    @property
    def is_open(self) -> bool:
        """Whether reports are counted."""
        return self._last().kind != CLOSED

    def _last(self) -> Entry:
        return _filed(self._ledger, self.name)[-1]

    def close(self) -> None:
        """Count no more reports; the journal keeps how many there were and a digest of all
        counters.

        The counters and the used numbers are written anew in their own order, so that the file does
        not tell which came first.
        """
        self._check_curator()

        def act(transaction: Transaction) -> None:
            self._in_state(transaction, closed=False)
            cells = self._tally.cells_at(transaction)
            self._write(
                transaction, CLOSED, {"reports": sum(cells.values()), "digest": _digest(cells)}
            )
            self._tally.settle(transaction)

        self._ledger.take(act)

    def reopen(self) -> None:
        """Count reports again."""
        self._check_curator()

        def act(transaction: Transaction) -> None:
            self._in_state(transaction, closed=True)
            self._write(transaction, REOPENED, {})

        self._ledger.take(act)

    def _check_curator(self) -> None:
        if not self._curator:
            raise VaultError(
                "an analyst looks at polls; only the curator runs them.",
                remedy="Open the vault without as_.",
            )

    def _in_state(self, transaction: Transaction, *, closed: bool) -> None:
        transaction.check_calm()
        if (transaction.kinds(_FILED, self.name)[0] == CLOSED) != closed:
            raise ClosedError(
                f"the poll {self.name!r} is {'open' if closed else 'closed'} already.",
                remedy="Nothing more is needed.",
            )

    def _write(
        self, transaction: Transaction, kind: str, fact: dict[str, Any], filed: str = _FILED
    ) -> None:
        transaction.file(kind, {"name": self.name, **fact}, under=filed, key=self.name)

    def invite(self, people: int) -> list[str]:
        """So many new numbers, one for each person; only their digests and how many they are is
        kept.
        """
        self._check_curator()
        if self.poll.once != "invitation":
            raise UnknownPollError(
                f"the poll {self.name!r} is open to every browser; it has no invitations.",
                remedy="Publish a poll with once='invitation'.",
            )
        count = whole(people, "people", at_least=1)
        if count > MOST_AT_ONCE:
            raise out_of_range("people", Fraction(count), f"at most {MOST_AT_ONCE} at a time")
        numbers = [once_number() for _ in range(count)]
        kept = sorted(digest(f"{self.poll.mark}\n{number}") for number in numbers)

        def fact(transaction: Transaction) -> None:
            transaction.check_calm()
            self._write(transaction, INVITED, {"people": count}, _GUESTS)

        self._tally.give_out(kept, fact=fact)
        return numbers

    @property
    def invited(self) -> int:
        """How many invitations were given out."""
        return self._tally.marks()[0] if self.poll.once == "invitation" else 0

    # looking

    @property
    def people(self) -> int:
        """How many reports were counted."""
        return sum(self.cells.values())

    @property
    def cells(self) -> dict[str, int]:
        """How often each text of a report came: all that is known of the answers."""
        return self._tally.cells()

    def results(self, confidence: Number = "0.95") -> Results:
        """What the reports say so far.

        Edges: of a closed poll whose counters are not those it was closed with, a `TamperedError`
        is raised.
        """
        last, cells = self._last_and_cells()
        if last.kind == CLOSED and last.fact["digest"] != _digest(cells):
            raise TamperedError(
                f"the counters of the poll {self.name!r} are not those it was closed with.",
                remedy="Take the file from a copy that was made after the poll was closed.",
            )
        return Results(self.poll, cells, is_open=last.kind != CLOSED, confidence=confidence)

    def _last_and_cells(self) -> tuple[Entry, dict[str, int]]:
        """The last word on the poll and its counters, as of one moment: closing in between would
        look like tampering.
        """
        if not self._ledger.read_only:
            return self._ledger.take(
                lambda transaction: (
                    transaction.filed(_FILED, self.name)[0],
                    dict(self._tally.cells_at(transaction)),
                )
            )
        while True:
            last, cells = self._last(), self.cells
            if self._last() == last:
                return last, cells

    def to_json(self) -> str:
        """The definition with its exact odds and all counters, for `shoal.polls.read_export` and
        other programs.
        """
        return export_json(self.results())

    def to_csv(self) -> str:
        """All counters as a table: the arm and each question's report, in words, and how often."""
        return export_csv(self.results())

    def __repr__(self) -> str:
        state = "open" if self.is_open else "closed"
        return f"<poll {self.name}: {state}, {self.people} reports>"


def publish(ledger: Ledger, poll: Poll) -> PublishedPoll:
    """Publish a poll: from now on its definition stands.

    Edges: publishing the same definition again changes nothing; another one under the same name is
    refused.
    """
    fact = {"name": poll.name, "mark": poll.mark, "definition": poll.to_json()}

    def act(transaction: Transaction) -> None:
        transaction.check_calm()
        known = transaction.filed(_FILED, poll.name)
        if known and known[-1].fact != fact:
            raise _unknown(poll.name, "is there already, with another definition")
        if not known:
            transaction.file(PUBLISHED, fact, under=_FILED, key=poll.name)

    ledger.take(act)
    return PublishedPoll(ledger, poll)


def published(ledger: Ledger, *, curator: bool = True) -> dict[str, PublishedPoll]:
    """Every poll by name, in the order in which they were published; only a curator may run
    them.
    """
    return {
        entry.fact["name"]: PublishedPoll(ledger, _read(entry), curator=curator)
        for entry in ledger.facts(PUBLISHED)
    }


def one_published(ledger: Ledger, name: str, *, curator: bool = True) -> PublishedPoll:
    """One poll by name."""
    entries = _filed(ledger, name)
    if not entries:
        raise UnknownPollError(
            f"the poll {str(name)[:40]!r} is not there.",
            remedy="See which there are: vault.polls, or shoal poll list. A draft is no poll yet: "
            "shoal poll publish POLL.TOML.",
        )
    return PublishedPoll(ledger, _read(entries[0]), curator=curator)


def _read(entry: Entry) -> Poll:
    return Poll.from_json(entry.fact["definition"])


def _filed(ledger: Ledger, name: str) -> list[Entry]:
    """What the journal says about a poll, in order: its definition first."""
    return ledger.filed(_FILED, str(name))


def _digest(cells: dict[str, int] | Any) -> str:
    lines = (f"{cell} {count}\n" for cell, count in sorted(cells.items()))
    return sha256("".join(lines).encode()).hexdigest()


def _unknown(name: str, what: str) -> UnknownPollError:
    return UnknownPollError(
        f"the poll {name!r} {what}.",
        remedy="Publish this one under another name. vault.polls and shoal poll list show them all.",
    )
