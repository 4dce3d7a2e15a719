"""The budget of a dataset, in all and of each analyst: what may be spent, what was, who may, and what
it means for one person.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from shoal.errors import ConversionError, VaultError
from shoal.interpret import explain_belief, risk_of
from shoal.ledger import AccountState, Ledger
from shoal.measures import Approx, Measure, Pure, StatedBudget, ZeroConcentrated, budget_of
from shoal.query.notebook_html import block, quiet, table, title
from shoal.query.payment import amount_of, budget_bar, left_text
from shoal.vault.accounts.payer import allowance, analyst_name
from shoal.vault.dataset import Dataset
from shoal.vault.plain_values import budget_to


class VaultBudgets(ABC):
    """What a `Vault` has for budgets and allowances."""

    _ledger: Ledger
    _analyst: str | None

    @abstractmethod
    def _curator(self) -> None:
        """Refuse analysts, as `Vault` does."""

    @abstractmethod
    def dataset(self, name: str) -> Dataset:
        """One dataset, as `Vault` has it."""

    def budget(self, name: str) -> Standing:
        """What may be spent on a dataset, what was, by whom, and what that means for one person."""
        dataset = self.dataset(name)
        if dataset.public:
            raise VaultError(f"{name!r} is public; it has no budget.", remedy="Ask it as you like.")
        known = self._ledger.accounts()
        mine = None if self._analyst is None else allowance(name, self._analyst)
        return Standing(
            name,
            tuple(self._ledger.account(each) for each in dataset.accounts),
            tuple(
                each
                for each in known
                if each.name.startswith(f"{name}@") and mine in (None, each.name)
            ),
        )

    def set_budget(self, name: str, budget: StatedBudget, *, by: str | None = None) -> Standing:
        """Give a dataset another budget in the same measure, never below what was spent; ``by`` is
        the owner who does it, for the journal.
        """
        self._curator()
        account = self.budget(name).accounts[-1].name
        self._ledger.change_budget(account, budget_of(budget), by=by)
        return self.budget(name)

    def grant(
        self, analyst: str, dataset: str, budget: StatedBudget, *, by: str | None = None
    ) -> Standing:
        """Let an analyst spend so much on a dataset, within its budget; granting again changes the
        allowance.  ``by`` is the owner who does it, for the journal.

        Allowances may sum to more than the budget; what is spent never does.
        """
        self._curator()
        whole, given = self.budget(dataset).whole, budget_of(budget)
        if type(given) is not type(whole):
            raise VaultError(
                f"the budget of {dataset!r} is {whole}; an allowance is counted in the same measure.",
                remedy=f"Give one like {whole}.",
            )
        name = allowance(dataset, analyst_name(analyst))
        if name in {each.name for each in self._ledger.accounts()}:
            self._ledger.change_budget(name, given, by=by)
        else:
            protects = self.dataset(dataset).protects
            assert protects is not None
            self._ledger.open_account(name, given, relation=str(protects.relation), by=by)
        return self.budget(dataset)


@dataclass(frozen=True)
class Standing:
    """The accounts that pay for a dataset, and the allowances of analysts under it.

    Where several accounts pay, a question must fit all of them: ``whole``, ``spent`` and ``left``
    are those of the one that has least left.
    """

    dataset: str
    accounts: tuple[AccountState, ...]
    allowances: tuple[AccountState, ...]

    @property
    def tightest(self) -> AccountState:
        """The account that refuses first: the one with the least left."""
        return min(self.accounts, key=lambda each: amount_of(each.left))

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
        """What still fits every account, exactly; of an approximate budget as the rho of an event
        that does.

        As text a measure is rounded up, since it says what is spent; `str` of a standing shows what
        is left rounded down.
        """
        return self.tightest.left

    def risk(self) -> tuple[str, ...]:
        """What an attacker can learn of one person, at most: if all is spent, and so far.

        Where several accounts pay, somebody may be in the data of all of them: then what is spent
        on each adds up.
        """
        used = any(each.events for each in self.accounts)
        budgets = [each.budget for each in self.accounts]
        spent = [each.spent for each in self.accounts]
        so_far = _risks(spent) if used else ["nothing was released."]
        return (
            *(f"If all is spent: {each}" for each in _risks(budgets)),
            *(f"So far: {each}" for each in so_far),
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
            f"{each.name}: {each.budget}; spent {each.spent}; left {left_text(each.left)}; {each.events} release{'' if each.events == 1 else 's'}"
            for each in (*self.accounts, *self.allowances)
        ]
        return "\n".join([*lines, *self.risk()])

    def _repr_html_(self) -> str:
        rows = [
            [each.name, budget_bar(each.budget, each.spent, each.left), f"{each.events:,}"]
            for each in (*self.accounts, *self.allowances)
        ]
        return block(
            title(self.dataset), table(["account", "budget", "releases"], rows), quiet(self.risk())
        )


def _risks(promises: Sequence[Measure]) -> list[str]:
    """The risk of somebody in the data of one account, and of somebody in those of all."""
    if len(promises) == 1:
        return [risk_of(promises[0])]
    worst, added = max(promises, key=_told), together(promises)
    if added is None:
        return [
            f"for a person in the data of one account, {risk_of(worst)}",
            "for a person in the data of several, every account's promise holds, and what they let through adds up.",
        ]
    number = "both" if len(promises) == 2 else f"all {len(promises)}"
    return [
        f"for a person in the data of one account, {risk_of(worst)}",
        f"for a person in the data of {number}, {risk_of(added)}",
    ]


def together(promises: Sequence[Measure]) -> Measure | None:
    """What several promises about one person come to together, by adding up; None if they are of
    different kinds.

    >>> print(together([Pure(1), Pure(2)]))
    epsilon 3
    """
    if all(isinstance(each, Pure) for each in promises):
        return Pure(sum((each.epsilon for each in promises if isinstance(each, Pure)), Fraction(0)))
    if all(isinstance(each, ZeroConcentrated) for each in promises):
        rhos = (each.rho for each in promises if isinstance(each, ZeroConcentrated))
        return ZeroConcentrated(sum(rhos, Fraction(0)))
    known = [each for each in promises if isinstance(each, Pure | Approx)]
    if len(known) < len(promises):
        return None
    deltas = [each.delta for each in known if isinstance(each, Approx)]
    epsilon = sum((each.epsilon for each in known), Fraction(0))
    return Approx(epsilon, min(Fraction(1), sum(deltas, Fraction(0))))


def _told(promise: Measure) -> tuple[float, float]:
    """How much a promise lets through, to compare: how far a belief can rise, and how often
    farther.
    """
    try:
        figures = dict(explain_belief(promise).figures)
    except ConversionError:
        return math.inf, math.inf
    return figures.get("posterior_high", math.inf), figures.get("failing", math.inf)


def _account(account: AccountState) -> dict[str, Any]:
    return {
        "account": account.name,
        "budget": budget_to(account.budget),
        "spent": budget_to(account.spent),
        "left": budget_to(account.left),
        "relation": account.relation,
        "releases": account.events,
    }
