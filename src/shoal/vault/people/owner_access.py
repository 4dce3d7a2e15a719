"""What owners may do, act by act: people, tokens, allowances, budgets, datasets, publication."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from shoal.errors import RightsError, VaultError
from shoal.measures import StatedBudget
from shoal.vault.accounts.budgets import Standing
from shoal.vault.people.access import Access, no_right
from shoal.vault.people.access_token import AccessToken
from shoal.vault.people.member import GivenRole, Member
from shoal.vault.people.people import People
from shoal.vault.people.rights import Right
from shoal.vault.releases import Release


@dataclass(frozen=True)
class OwnerAccess(Access):
    """An `Access` with the acts of owners; each refuses everybody else.

    The owner of one dataset gives roles and allowances for that dataset.  Tokens open everything
    that a person may do, so only an owner of the whole vault makes and revokes them.
    """

    @property
    def _people(self) -> People:
        return self.vault.people_for(self.member.name)

    def people(self) -> list[Member]:
        """Everybody, with their roles."""
        self.needs_everywhere(Right.MANAGE)
        return list(self._people)

    def add_person(
        self, name: str, *, role: str, dataset: str | None, allowance: StatedBudget | None
    ) -> Member:
        """Give somebody a role; told are their roles that the owner manages."""
        self._manages(dataset)
        made = self._people.add(name, role=role, dataset=dataset, allowance=allowance)
        if self.member.may_everywhere(Right.MANAGE):
            return made
        return replace(made, roles=self._managed(made))

    def remove_person(self, name: str, *, role: str | None, dataset: str | None) -> None:
        """Take roles away from somebody else: an owner cannot lock themselves out by mistake."""
        self._manages(dataset)
        if name == self.member.name:
            raise RightsError(
                "you cannot take your own roles away.",
                remedy="Let another owner do it, or shoal people remove at the vault itself.",
            )
        if not self.member.may_everywhere(Right.MANAGE):
            known = next((each for each in self._people if each.name == name), None)
            managed = () if known is None else self._managed(known)
            if not any(each.dataset == dataset and role in (None, each.role) for each in managed):
                raise VaultError(  # the same for a person of other datasets and for nobody
                    f"{str(name)[:60]!r} has no such role for {dataset!r}.",
                    remedy="Give the name and the role of somebody who has one there.",
                )
        self._people.remove(name, role=role, dataset=dataset)

    def tokens(self) -> list[AccessToken]:
        """Every token, without its secret: all, or, for who is not an owner, one's own.  A token for
        some datasets shows only itself.
        """
        if self._narrowed is not None:
            return [each for each in self._people.tokens if each.name == self._narrowed]
        if self.member.may_everywhere(Right.MANAGE):
            return self._people.tokens
        return [each for each in self._people.tokens if each.person == self.member.name]

    def make_token(
        self, name: str, *, days: int, datasets: tuple[str, ...], read_only: bool, once: bool
    ) -> str:
        """A new token for somebody; its text is told once."""
        self.needs_everywhere(Right.MANAGE)
        return self._people.token(
            name, days=days, datasets=datasets, read_only=read_only, once=once
        )

    def revoke(self, token: str) -> AccessToken:
        """End a token: any of one's own, or, for an owner, anybody's.  A token for some datasets
        ends only itself, and a read-only one nothing.
        """
        self._may_end()
        if not any(each.name == token for each in self.tokens()):
            raise no_right(self.member, Right.MANAGE, None)
        return self._people.revoke(token)

    def grant(self, name: str, dataset: str, budget: StatedBudget) -> Standing:
        """Set the allowance of an analyst."""
        self._manages(dataset)
        return self.vault.grant(self._people.named(name), dataset, budget, by=self.member.name)

    def set_budget(self, dataset: str, budget: StatedBudget) -> Standing:
        """Set the budget of a dataset, never below what was spent.

        Datasets with the same people share an account, so it takes an owner of them all.
        """
        self._manages(dataset)
        self.needs_all_who_share(dataset, {self.vault.budget(dataset).accounts[-1].name})
        return self.vault.set_budget(dataset, budget, by=self.member.name)

    def needs_all_who_share(self, dataset: str, accounts: Collection[str]) -> None:
        """Refuse who does not manage every dataset that some accounts of a dataset pay for."""
        every = self.vault.datasets.values()
        sharing = [each for each in every if not set(accounts).isdisjoint(each.accounts)]
        if not all(self.member.may(Right.MANAGE, each.name) for each in sharing):
            raise RightsError(
                f"other datasets share the budget of {dataset!r}, and you do not manage them all.",
                remedy="Ask an owner of the whole vault to set it.",
            )

    def publish(self, number: int, title: str) -> Release:
        """Let everybody see a release."""
        self._manages_release(number)
        return self.vault.gallery_for(self.member.name).add(number, title=title)

    def withdraw(self, number: int) -> None:
        """Let nobody new see it."""
        self._manages_release(number)
        self.vault.gallery_for(self.member.name).remove(number)

    def sign_out(self) -> None:
        """End every browser session of the person; no lesser token than their own does it."""
        self._may_end()
        if self._narrowed is not None:
            raise _lesser_token()
        self._people.sign_out(self.member.name)

    def _managed(self, person: Member) -> tuple[GivenRole, ...]:
        """The roles of somebody for the datasets that the owner manages."""
        found = (each for each in person.roles if each.dataset is not None)
        return tuple(each for each in found if self.member.may(Right.MANAGE, each.dataset))

    @property
    def _narrowed(self) -> str | None:
        """The name of the token that the person came with, if it is for some datasets only."""
        return self.token.name if self.token is not None and self.token.datasets else None

    def _may_end(self) -> None:
        if self.member.read_only:
            raise _lesser_token()

    def _manages(self, dataset: str | None) -> None:
        if dataset is None:
            self.needs_everywhere(Right.MANAGE)
        else:
            self.needs(Right.MANAGE, dataset)

    def _manages_release(self, number: int) -> None:
        self.needs(Right.MANAGE)
        found = self.release_at(number, answer=True)
        if not self._covers(Right.MANAGE, found.datasets):
            raise no_right(self.member, Right.MANAGE, None)


def _lesser_token() -> RightsError:
    return RightsError(
        "this token may not end other tokens or sessions.",
        remedy="Use a token that is neither read-only nor for some datasets only, or ask an owner.",
    )
