"""A person of a vault, as the journal has them: a name, roles, and what follows from these."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

from shoal.vault.people.rights import CHANGES, RIGHTS, Right


@dataclass(frozen=True, order=True)
class GivenRole:
    """A role, for one dataset or for the whole vault (None)."""

    role: str
    dataset: str | None = None

    def __str__(self) -> str:
        return f"{self.role} of {self.dataset or 'everything'}"


@dataclass(frozen=True)
class Member:
    """Somebody with roles.  ``read_only`` is one who came with a token that changes nothing."""

    name: str
    roles: tuple[GivenRole, ...]
    read_only: bool = False

    def may(self, right: Right, dataset: str | None = None) -> bool:
        """Whether they have a right: for this dataset, or, without one, for any."""
        return any(
            right in self._rights(each) and dataset in (None, each.dataset) for each in self.roles
        ) or self.may_everywhere(right)

    def may_everywhere(self, right: Right) -> bool:
        """Whether they have a right for the whole vault, and not only for some datasets."""
        return any(each.dataset is None and right in self._rights(each) for each in self.roles)

    def _rights(self, given: GivenRole) -> frozenset[Right]:
        found = RIGHTS.get(given.role, frozenset())
        return found - CHANGES if self.read_only else found

    def narrowed(self, datasets: Collection[str], *, read_only: bool) -> Member:
        """The same person with less: only some datasets, or nothing that spends or changes."""
        if not datasets:
            return replace(self, read_only=read_only)
        roles = {
            replace(role, dataset=name)
            for role in self.roles
            for name in datasets
            if role.dataset in (None, name)
        }
        return Member(self.name, tuple(sorted(roles, key=str)), read_only)

    def to_dict(self) -> dict[str, Any]:
        """The person as programs are told."""
        roles = [{"role": each.role, "dataset": each.dataset} for each in self.roles]
        return {"person": self.name, "roles": roles}

    def __str__(self) -> str:
        return f"{self.name}: {', '.join(map(str, self.roles))}"
