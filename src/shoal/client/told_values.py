"""What an office tells, as the values that an open vault has."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from shoal.engines.held_rows import HeldRows
from shoal.ledger import AccountState, Entry, Head, Verification
from shoal.query import Preview
from shoal.query.preview import Expected
from shoal.query.stored_answer import Kept
from shoal.vault import Dataset, Release, Standing
from shoal.vault.plain_values import budget_from


def dataset_of(told: Mapping[str, Any], office: str) -> Dataset:
    """A dataset; its rows are at the office."""
    place = {"form": "parquet", "path": f"{office}/{told['name']}"}
    kept: dict[str, Any] = {"location": place, "digest": "", "dates": [], "size": None}
    return Dataset.from_dict({**told, **kept}, 0)


def standing_of(told: Mapping[str, Any]) -> Standing:
    """A budget as it stands."""
    return Standing(
        told["dataset"],
        tuple(map(_account, told["accounts"])),
        tuple(map(_account, told["allowances"])),
    )


def _account(told: Mapping[str, Any]) -> AccountState:
    budget, spent, left = (budget_from(told[name]) for name in ("budget", "spent", "left"))
    return AccountState(told["account"], budget, told["relation"], spent, left, told["releases"], 0)


def release_of(told: Mapping[str, Any]) -> Release:
    """A release, with its answer if it was told."""
    entry = Entry(told["entry"], "", "charge", told["time"], "{}", "")
    answer = told.get("answer")
    outcome = None if answer is None else _ToldAnswer.telling(answer, told)
    return Release(
        number=told["release"],
        time=told["time"],
        asked_by=told["asked_by"],
        question=told["question"],
        request=told["request"],
        datasets=told["datasets"],
        accounts=tuple(told["accounts"]),
        state=told["state"],
        entry=entry,
        outcome=outcome,
    )


class _ToldAnswer(Entry):
    """The entry of an answer as the office tells it: only the office can check its hash."""

    answer: Mapping[str, Any]

    @classmethod
    def telling(cls, answer: Mapping[str, Any], told: Mapping[str, Any]) -> _ToldAnswer:
        made = cls(told["entry"], "", "answered", told["time"], "{}", "")
        made.answer = answer
        return made

    @property
    def body(self) -> dict[str, Any]:
        return {"answer": self.answer}


def preview_of_told(told: Mapping[str, Any]) -> Preview:
    """A preview."""
    return Preview(
        told["price"],
        told["fits"],
        Fraction(told["confidence"]),
        tuple(Expected(**each) for each in told["columns"]),
        told["threshold"],
        tuple(told["notes"]),
    )


def verification_of(told: Mapping[str, Any]) -> Verification:
    """What verifying found."""
    return Verification(Head.read(told["head"]), tuple(told["findings"]), tuple(told["accepted"]))


def rows_of_told(told: Mapping[str, Any]) -> HeldRows:
    """The rows of a public dataset."""
    kept = Kept(told)
    return HeldRows(
        {
            name: (kind, [row[at] for row in kept.rows])
            for at, (name, kind) in enumerate(zip(kept.columns, kept.types, strict=True))
        }
    )
