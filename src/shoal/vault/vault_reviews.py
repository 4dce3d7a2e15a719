"""The part of a vault that takes declarations as texts: tried first, and then written down."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from shoal.errors import SchemaError
from shoal.ledger import Ledger
from shoal.measures import Measure
from shoal.plan import Person
from shoal.vault.accounts.budgets import Standing
from shoal.vault.dataset import Dataset
from shoal.vault.declaration import Declaration, to_toml
from shoal.vault.declaration_review import DeclarationReview, notes_on
from shoal.vault.registry import PLAINLY, Registry, Writing
from shoal.vault.sources.people_sample import meet
from shoal.vault.sources.source_choice import source_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

_TRIED = Writing(only_tried=True)


class VaultReviews(ABC):
    """What a `Vault` has for declarations that somebody reviews before they count."""

    _ledger: Ledger

    @property
    @abstractmethod
    def _registry(self) -> Registry:
        """What is declared, as `Vault` has it."""

    @abstractmethod
    def _curator(self) -> None:
        """Refuse analysts, as `Vault` does."""

    @abstractmethod
    def dataset(self, name: str) -> Dataset:
        """One dataset, as `Vault` has it."""

    @abstractmethod
    def budget(self, name: str) -> Standing:
        """What may be spent on it, as `Vault` has it."""

    def register(
        self, said: Declaration, *, relation: str | None = None, writing: Writing = PLAINLY
    ) -> Dataset:
        """Declare a dataset for the first time; ``relation`` as in `Vault.add`."""
        self._curator()
        return self._registry.add(
            said.name,
            said.source,
            table=said.table,
            protects=said.protects,
            said=said.said,
            budget=said.budget,
            shares=said.shares,
            relation=relation,
            writing=writing,
        )

    def redeclare(
        self,
        said: Declaration,
        *,
        relation: str | None = None,
        budget: Measure | None = None,
        writing: Writing = PLAINLY,
    ) -> Dataset:
        """Declare a dataset anew as a whole: what is not stated any more does not hold any more.

        ``relation`` and ``budget`` as in `Vault.update`.
        Edges: who is protected, whose account is shared and the budget stay as they are.
        """
        self._curator()
        before = self.dataset(said.name)
        self._check_kept(before, said)
        moved = source_of(said.source, said.table, name=said.name) != before.location
        return self._registry.update(
            said.name,
            relation=relation,
            path=said.source if moved else None,
            table=said.table if moved else None,
            said=said.said,
            budget=budget,
            protects=said.protects,
            is_whole=True,
            writing=writing,
        )

    def review_new(
        self, said: Declaration, *, relation: str | None = None, beside: Path | None = None
    ) -> DeclarationReview:
        """What `register` would write; nothing is written."""
        made = self.register(said, relation=relation, writing=_TRIED)
        opened = self._opened(made, said.budget)
        text = to_toml(made, next(iter(opened.values()), None), beside=beside)
        notes = (*notes_on(None, made, opened), *self._met(made, opened, None))
        return DeclarationReview(made.name, "", text, notes, made.digest)

    def review_change(
        self,
        said: Declaration,
        *,
        relation: str | None = None,
        budget: Measure | None = None,
        beside: Path | None = None,
        follows: int | None = None,
        sees: Callable[[str], bool] | None = None,
    ) -> DeclarationReview:
        """What `redeclare` would write; nothing is written."""
        before = self.dataset(said.name)
        writing = replace(_TRIED, follows=follows, sees=sees)
        made = self.redeclare(said, relation=relation, budget=budget, writing=writing)
        opened, whole = self._opened(made, budget), self.stated_budget(before)
        texts = (
            to_toml(before, whole, beside=beside),
            to_toml(made, budget if opened else whole, beside=beside),
        )
        notes = (*notes_on(before, made, opened), *self._met(made, opened, sees))
        return DeclarationReview(made.name, *texts, notes, made.digest, before.entry)

    def _met(
        self, made: Dataset, opened: Mapping[str, Measure], sees: Callable[[str], bool] | None
    ) -> Iterator[str]:
        """Who would get a second budget, as far as samples of people show it."""
        known = [each for each in self._registry.history if sees is None or sees(each.name)]
        for name in dict.fromkeys(each.name for each in known if opened and meet(made, each)):
            yield (
                f"Many of those in it are in {name!r} already: they would get a second budget, and "
                "be protected by neither alone."
            )

    def _opened(self, made: Dataset, budget: Measure | None) -> Mapping[str, Measure]:
        """The accounts that a declaration would open, with their budget."""
        known = {each.name for each in self._ledger.accounts()}
        new = [each for each in made.accounts if each not in known]
        return {} if budget is None else dict.fromkeys(new, budget)

    def stated_budget(self, dataset: Dataset) -> Measure | None:
        """The budget that a declaration states: that of an account of its own."""
        alone = not dataset.public and not dataset.shares
        return self.budget(dataset.name).accounts[-1].budget if alone else None

    def _check_kept(self, before: Dataset, said: Declaration) -> None:
        """Refuse changes of what a new declaration does not change."""
        unit, old = said.protects, before.protects
        if isinstance(unit, Person) and isinstance(old, Person):
            unit = unit.with_shares(old.groups, old.rows_per_group)
        if unit != old:
            raise SchemaError(
                f"{before.name!r} protects {'nobody' if old is None else old}, and that stays.",
                remedy="Leave who is protected as it was; groups and rows_per_group may change.",
            )
        if set(said.shares) != set(before.shares):
            raise SchemaError(
                f"{before.name!r} shares the budget of {', '.join(before.shares) or 'nobody'}, and that stays.",
                remedy="Leave shares as it was.",
            )
        whole = self.stated_budget(before)
        if said.budget not in (None, whole):
            raise SchemaError(
                f"the budget of {before.name!r} is {whole}, and a declaration does not change it.",
                remedy="Leave [budget] as it was; a budget is set by itself.",
            )
