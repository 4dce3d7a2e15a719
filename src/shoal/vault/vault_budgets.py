"""The part of a vault that says what may be spent on a dataset, in all and by each analyst."""

from __future__ import annotations

from abc import ABC, abstractmethod

from shoal.errors import VaultError
from shoal.ledger import Ledger
from shoal.measures import StatedBudget, budget_of
from shoal.vault.accounts.payer import allowance, analyst_name
from shoal.vault.accounts.standing import Standing
from shoal.vault.dataset import Dataset


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
