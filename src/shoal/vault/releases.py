"""What happened in a vault: releases as the journal has them, newest last."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from shoal.errors import VaultError
from shoal.ledger import Entry, Ledger

_STATES = {
    "answered": "answered",
    "failed": "given back",
    "left": "unanswered",
    "resumed": "pending",
}


@dataclass(frozen=True)
class Release:
    """One charge: who asked what, when, for how much, and what became of it.

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

    def to_dict(self) -> dict[str, Any]:
        """The wire shape, without the answer."""
        return {
            "release": self.number,
            "time": self.time,
            "asked_by": self.asked_by,
            "question": self.question,
            "request": self.request,
            "datasets": dict(self.datasets),
            "accounts": list(self.accounts),
            "state": self.state,
        }


def release_at(ledger: Ledger, number: int) -> Release:
    """The release whose charge has this number."""
    entry = ledger.entry(number) if 0 < number <= ledger.head.number else None
    if entry is None or entry.kind != "charge":
        raise VaultError(
            f"there is no release {number}.", remedy="See which there are: vault.log(), shoal log."
        )
    return _release(entry, ledger.outcome(number))


def last_releases(ledger: Ledger, limit: int | None, asked_by: str | None = None) -> list[Release]:
    """The last releases, oldest first; all of them without a limit, and only one asker's if they
    are named.
    """
    head, wanted = ledger.head.number, limit
    window = head if wanted is None else max(64, 3 * wanted)
    while True:
        since = max(0, head - window)
        charges, outcomes = [], {}
        for entry in ledger.entries(since=since):
            if entry.kind == "charge":
                if asked_by in (None, entry.body["caller"]):
                    charges.append(entry)
            elif entry.of is not None:
                outcomes[entry.of] = entry
        if since == 0 or (wanted is not None and len(charges) >= wanted):
            kept = (
                charges if wanted is None else charges[len(charges) - min(wanted, len(charges)) :]
            )
            return [_release(entry, outcomes.get(entry.number)) for entry in kept]
        window *= 4


def _release(entry: Entry, outcome: Entry | None) -> Release:
    body = entry.body
    said = body["body"]
    return Release(
        number=entry.number,
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
