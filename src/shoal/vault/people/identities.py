"""People who sign in through their organisation: who vouches for whom, and which groups give which
roles.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from shoal.errors import RightsError, VaultError
from shoal.measures import StatedBudget
from shoal.vault.people.member import GivenRole, Member
from shoal.vault.people.office_facts import GROUPS, PERSON
from shoal.vault.people.person_name import person_name
from shoal.vault.people.rights import ANALYST, RESEARCHER, read_role

if TYPE_CHECKING:
    from shoal.vault.people.people import People
    from shoal.vault.vault import Vault


@dataclass(frozen=True)
class GroupRole:
    """A role that everybody in a group of the organisation has.

    An analyst needs a dataset and an ``allowance``; it is what each of them may spend, and counts
    for whoever has none yet.
    """

    group: str
    role: str
    dataset: str | None = None
    allowance: StatedBudget | None = None

    def check(self, vault: Vault) -> GroupRole:
        """Refuse what could not be given to anybody."""
        read_role(self.role)
        if self.dataset is not None:
            vault.dataset(self.dataset)
        is_analyst = self.role == ANALYST
        if is_analyst != (self.allowance is not None) or (is_analyst and self.dataset is None):
            raise VaultError(
                f"the group {self.group[:60]!r} gives the role {self.role}: an analyst needs a dataset and an allowance, and nobody else an allowance.",
                remedy='Give role = "analyst", dataset = "visits" and allowance = "0.5".',
            )
        if self.role == RESEARCHER and self.dataset is not None:
            raise VaultError(
                "a researcher has polls, and no dataset.", remedy="Leave the dataset out."
            )
        return self

    @property
    def given(self) -> GivenRole:
        """The role as a person has it."""
        return GivenRole(self.role, self.dataset)


@dataclass(frozen=True)
class Identities:
    """The people of a vault by who vouches for them; made by ``vault.identities``.

    Guarantee: whoever signs in is the person that the same issuer vouched for under the same number
        before; a name alone opens nothing.  Roles by groups are those of the groups at the last
        sign-in.  Whoever an owner removed stays out, whatever groups say.
    Needs: an issuer that gives no number to two people.
    Edges: roles that an owner gave stay.  Somebody whose name is taken is refused until an owner
        links them.  Who loses their last group loses sessions and tokens at the next sign-in, not
        before.
    """

    people: People

    def arrive(
        self,
        issuer: str,
        subject: str,
        name: str,
        groups: Collection[str],
        rules: Sequence[GroupRole],
    ) -> Member:
        """Whoever the issuer vouches for, with the roles of their groups; refused if they have
        none.
        """
        wanted = {each.given: each for each in rules if each.group in groups}
        person = self._person(issuer, subject, name, wanted=bool(wanted))
        state = self.people.facts.state
        if person in state.barred:
            raise _not_let_in()
        known = state.people.get(person)
        for role in state.from_groups.get(person, frozenset()) - set(wanted):
            self._record("remove", GROUPS, person=person, role=role.role, dataset=role.dataset)
        for role, rule in wanted.items():
            if known is None or role not in known.roles:
                self._give(person, rule)
        found = self.people.facts.state.people.get(person)
        if found is None:
            raise _not_let_in()
        return found

    def _person(self, issuer: str, subject: str, name: str, *, wanted: bool) -> str:
        """The name that somebody has here: the one of their first sign-in."""
        state = self.people.facts.state
        known = state.identities.get((issuer, subject))
        if known is not None:
            return known
        if not wanted:
            raise _not_let_in()
        taken = {*state.people, *state.identities.values(), *state.barred, *state.signed_out}
        made = person_name(name.replace("@", "."), ())
        if made in taken or self._is_spent(made):
            raise _taken(made)
        person_name(made, taken)  # nor is it like another
        self._record("link", GROUPS, person=made, issuer=issuer, subject=subject)
        if self.people.facts.state.identities.get((issuer, subject)) != made:
            raise _taken(made)  # of two who came at once, the other was first
        return made

    def _is_spent(self, name: str) -> bool:
        """Whether somebody of this name had an allowance or a token once."""
        accounts = {each.name.partition("@")[2] for each in self.people.ledger.accounts()}
        return name in accounts or name in {each.person for each in self.people.tokens}

    def _give(self, person: str, rule: GroupRole) -> None:
        if rule.role == ANALYST:
            assert rule.dataset is not None
            account = f"{rule.dataset}@{person}"
            if account not in {each.name for each in self.people.ledger.accounts([account])}:
                assert rule.allowance is not None
                self.people.vault.grant(person, rule.dataset, rule.allowance, by=GROUPS)
        self._record("add", GROUPS, person=person, role=rule.role, dataset=rule.dataset)

    def _record(self, act: str, by: str, **said: Any) -> None:
        self.people.ledger.record(PERSON, {"act": act, "by": by, **said})


def _not_let_in() -> RightsError:
    """One text for whoever has no group, and whoever was removed."""
    return RightsError(
        "your organisation vouches for you, and no group of yours has a role here.",
        remedy="Ask the owner of the vault which group you need.",
    )


def _taken(name: str) -> RightsError:
    return RightsError(
        f"the name {name!r} is taken by somebody else here.",
        remedy="Ask the owner of the vault to link you: shoal people link NAME --issuer URL --subject NUMBER.",
    )
