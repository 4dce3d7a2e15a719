"""What happened in a vault: releases as the journal has them, newest last."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from shoal.errors import VaultError
from shoal.ledger import Entry, Ledger
from shoal.vault.deployment_record import record_of_release

_STATES = {
    "answered": "answered",
    "failed": "given back",
    "left": "unanswered",
    "resumed": "pending",
}


@dataclass(frozen=True)
class Release:
    """One charge: who asked what, when, for how much, and what became of it.

    ``number`` counts releases: 1, 2, 3.  It is the rank of the charge among all charges of the
    journal, so it never changes; ``entry`` is the charge itself, with its place in the journal.
    ``state`` is answered, pending, unanswered (charged, without an answer) or given back.
    """

    number: int
    time: str
    asked_by: str
    question: str
    request: str
    datasets: Mapping[str, int]
    accounts: tuple[str, ...]
    state: str
    entry: Entry
    outcome: Entry | None = None

    @property
    def answer(self) -> Mapping[str, Any] | None:
        """The stored answer: columns, rows, intervals and certificate; None if there is none."""
        if self.outcome is None or self.outcome.kind != "answered":
            return None
        found: Mapping[str, Any] = self.outcome.body["answer"]
        return found

    @property
    def certificate(self) -> Mapping[str, Any]:
        """The certificate of the answer."""
        if self.answer is None or "certificate" not in self.answer:
            raise VaultError(
                f"release {self.number} ({self.state}) has no certificate.",
                remedy="Choose an answered question: shoal log.",
            )
        found: Mapping[str, Any] = self.answer["certificate"]
        return found

    def registry(self) -> dict[str, Any]:
        """The release as a record of the Deployments Registry; what only the curator knows is
        empty.
        """
        return record_of_release(self.certificate, date=self.time)

    def to_dict(self) -> dict[str, Any]:
        """The wire shape, without the answer."""
        return {
            "release": self.number,
            "entry": self.entry.number,
            "time": self.time,
            "asked_by": self.asked_by,
            "question": self.question,
            "request": self.request,
            "datasets": dict(self.datasets),
            "accounts": list(self.accounts),
            "state": self.state,
        }


def release_at(ledger: Ledger, number: int) -> Release:
    """The release of this number."""
    head = ledger.head.number
    entry = ledger.nth_charge(number) if 0 < number <= head else None
    if entry is None:
        raise VaultError(
            f"there is no release {number}.",
            remedy=f"{_other_count(ledger, number, head)}See which there are: vault.log(), shoal log.",
        )
    return _release(entry, ledger.outcome(entry.number), number)


def release_of_entry(ledger: Ledger, entry: int) -> Release | None:
    """The release whose charge is this entry of the journal; None if it is no charge."""
    found = ledger.entry(entry) if 0 < entry <= ledger.head.number else None
    if found is None or found.kind != "charge":
        return None
    return _release(found, ledger.outcome(entry), ledger.charges_until(entry))


def release_with_key(ledger: Ledger, caller: str, key: str) -> Release | None:
    """The release that a caller's key stands for: their own charge that was not given back, or an
    earlier one that answered it; None if there is none.
    """
    for entry in reversed(ledger.keyed(caller, key)):
        charge = entry.body["charge"] if entry.kind == "repeated" else entry.number
        found = release_of_entry(ledger, charge)
        if found is not None and found.state != "given back":
            return found
    return None


def _other_count(ledger: Ledger, number: int, head: int) -> str:
    """A word for those who have the place in the journal, by which releases were called before."""
    entry = ledger.entry(number) if 0 < number <= head else None
    if entry is None or entry.kind != "charge":
        return ""
    return f"Entry {number} of the journal is release {ledger.charges_until(number)}. "


def last_releases(ledger: Ledger, limit: int | None, asked_by: str | None = None) -> list[Release]:
    """The last releases, oldest first; all of them without a limit, and only one asker's if they
    are named.
    """
    head, wanted = ledger.head.number, limit
    window = head if wanted is None else max(64, 3 * wanted)
    while True:
        since = max(0, head - window)
        rank = ledger.charges_until(since)
        charges, outcomes = list[tuple[int, Entry]](), dict[int, Entry]()
        for entry in ledger.entries(since=since):
            if entry.kind == "charge":
                rank += 1
                if asked_by in (None, entry.body["caller"]):
                    charges.append((rank, entry))
            elif entry.of is not None:
                outcomes[entry.of] = entry
        if since == 0 or (wanted is not None and len(charges) >= wanted):
            kept = (
                charges if wanted is None else charges[len(charges) - min(wanted, len(charges)) :]
            )
            return [_release(entry, outcomes.get(entry.number), at) for at, entry in kept]
        window *= 4


def _release(entry: Entry, outcome: Entry | None, number: int) -> Release:
    body = entry.body
    said = body["body"]
    return Release(
        number=number,
        time=entry.time,
        asked_by=body["caller"],
        question=said.get("question", ""),
        request=said.get("request", ""),
        datasets=said.get("datasets", {}),
        accounts=tuple(body["accounts"]),
        state="pending" if outcome is None else _STATES[outcome.kind],
        entry=entry,
        outcome=outcome,
    )
