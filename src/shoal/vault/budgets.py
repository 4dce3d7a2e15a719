"""The budget of a dataset as it stands: what may be spent, what was, who may, and what it means for one person."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from shoal.errors import ConversionError
from shoal.ledger import Account
from shoal.measures import Approx, Measure, Pure, ZeroConcentrated, explain
from shoal.vault.wording import budget_to


@dataclass(frozen=True)
class Standing:
    """The accounts that pay for a dataset, and the allowances of analysts under it.

    Where several accounts pay, a question must fit all of them: ``whole``, ``spent`` and ``left`` are those of the one that
    has least left.
    """

    dataset: str
    accounts: tuple[Account, ...]
    allowances: tuple[Account, ...]

    @property
    def tightest(self) -> Account:
        """The account that refuses first: the one with the least left."""
        return min(self.accounts, key=lambda each: _amount(each.left))

    @property
    def whole(self) -> Measure:
        """All that may be spent, of the tightest account."""
        return self.tightest.budget

    @property
    def spent(self) -> Measure:
        """What was spent, of the tightest account."""
        return self.tightest.spent

    @property
    def left(self) -> Measure:
        """What still fits every account; of an approximate budget as the rho of an event that does."""
        return self.tightest.left

    def risk(self) -> tuple[str, ...]:
        """What an attacker can learn of one person, at most: if all is spent, and so far; of the account that tells most."""
        used = any(each.events for each in self.accounts)
        whole = max((each.budget for each in self.accounts), key=_told)
        spent = max((each.spent for each in self.accounts), key=_told)
        return (
            f"If all is spent: {risk_of(whole)}",
            f"So far: {risk_of(spent) if used else 'nothing was released.'}",
        )

    def to_dict(self) -> dict[str, Any]:
        """The wire shape, exact."""
        return {
            "dataset": self.dataset,
            "accounts": [_account(each) for each in self.accounts],
            "allowances": [_account(each) for each in self.allowances],
            "risk": list(self.risk()),
        }

    def __str__(self) -> str:
        lines = [
            f"{each.name}: {each.budget}; spent {each.spent}; {each.events} releases"
            for each in (*self.accounts, *self.allowances)
        ]
        return "\n".join([*lines, *self.risk()])


def risk_of(promise: Measure) -> str:
    """How far a belief about one person can move, in one sentence."""
    try:
        sentences: Sequence[str] = explain(promise).sentences
    except ConversionError:
        return "nothing is promised."
    found = next((each for each in sentences if each.startswith("A suspicion")), sentences[-1])
    return found[0].lower() + found[1:]


def _told(promise: Measure) -> tuple[float, float]:
    """How much a promise lets through, to compare: how far a belief can rise, and how often farther."""
    try:
        figures = dict(explain(promise).figures)
    except ConversionError:
        return math.inf, math.inf
    return figures.get("posterior_high", math.inf), figures.get("failing", math.inf)


def _amount(left: Measure) -> Fraction:
    """What is left as one number: an epsilon or a rho."""
    if isinstance(left, ZeroConcentrated):
        return left.rho
    assert isinstance(left, Pure | Approx)
    return left.epsilon


def _account(account: Account) -> dict[str, Any]:
    return {
        "account": account.name,
        "budget": budget_to(account.budget),
        "spent": budget_to(account.spent),
        "left": budget_to(account.left),
        "relation": account.relation,
        "releases": account.events,
    }
