"""A request of an analyst: a question, its purpose, and what a steward said to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

APPROVE, DENY, COMMENT = "approve", "deny", "comment"
_STATES = {APPROVE: "approved", DENY: "denied"}

TERMS = ("epsilon", "delta", "rho", "noise", "intervals", "weights", "show_clipped")
"""What a request fixes of the release that it asks for; approval is for these and no others."""

OF_QUESTION = ("intervals", "weights")
"""Those that the question is made with; the others are for its release."""


@dataclass(frozen=True)
class Remark:
    """What somebody said to a request: an approval, a denial or a comment."""

    act: str
    by: str
    word: str
    time: str

    def to_dict(self) -> dict[str, str]:
        """The remark as programs are told."""
        return {"act": self.act, "by": self.by, "word": self.word, "time": self.time}


@dataclass(frozen=True)
class ApprovalRequest:
    """A release that an analyst asks for beyond their allowance.

    ``terms`` are those of the release, ``price`` and ``expected`` what its preview said, and
    ``datasets`` the versions that it was previewed for.  ``risk`` is what it can tell of one person
    by itself; requests of earlier versions of Shoal have none.
    """

    number: int
    time: str
    by: str
    question: str
    purpose: str
    terms: Mapping[str, Any]
    price: str
    expected: tuple[str, ...]
    datasets: Mapping[str, int]
    risk: str = ""
    remarks: tuple[Remark, ...] = ()
    entry: int = 0

    @property
    def state(self) -> str:
        """Whether it is open, approved or denied; the first decision counts."""
        for each in self.remarks:
            if each.act in _STATES:
                return _STATES[each.act]
        return "open"

    def with_remark(self, remark: Remark) -> ApprovalRequest:
        """The request with one more remark."""
        return replace(self, remarks=(*self.remarks, remark))

    def to_fact(self) -> dict[str, Any]:
        """The request as the journal has it."""
        return {
            "act": "ask",
            "by": self.by,
            "question": self.question,
            "purpose": self.purpose,
            "terms": dict(self.terms),
            "price": self.price,
            "expected": list(self.expected),
            "datasets": dict(self.datasets),
            "risk": self.risk,
        }

    @classmethod
    def from_fact(
        cls, number: int, fact: Mapping[str, Any], time: str, entry: int
    ) -> ApprovalRequest:
        """The request that `to_fact` wrote."""
        return cls(
            number,
            time,
            fact["by"],
            fact["question"],
            fact["purpose"],
            fact["terms"],
            fact["price"],
            tuple(fact["expected"]),
            fact["datasets"],
            fact.get("risk", ""),
            entry=entry,
        )

    def to_dict(self) -> dict[str, Any]:
        """The request as programs are told."""
        told = {name: value for name, value in self.to_fact().items() if name != "act"}
        head = {"request": self.number, "time": self.time, "state": self.state}
        return {**head, **told, "remarks": [each.to_dict() for each in self.remarks]}
