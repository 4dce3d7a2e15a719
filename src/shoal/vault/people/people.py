"""Who may do what in a vault: people are added and removed, and get tokens."""

from __future__ import annotations

import hmac
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from shoal.errors import LedgerError, TokenError, VaultError
from shoal.ledger import Ledger
from shoal.ledger.book import read_name
from shoal.measures import StatedBudget
from shoal.query.notebook_html import block, table, title
from shoal.vault.people.access_token import AccessToken, digest_of, expiry, name_in, new_secret
from shoal.vault.people.member import GivenRole, Member
from shoal.vault.people.office_facts import PERSON, TOKEN, OfficeFacts
from shoal.vault.people.person_name import person_name
from shoal.vault.people.rights import ANALYST, RESEARCHER, read_role

if TYPE_CHECKING:
    from shoal.vault.vault import Vault

_NOBODY = "0" * 64
"""What a token that is not there is compared with, so that it takes as long as a wrong one."""


@dataclass(frozen=True)
class People:
    """The people of a vault, by name; made by ``vault.people``.

    Guarantee: a person has no right that no role gives them.  Of a token only a hash under the
        vault's own key is kept; a removed person and a revoked token are refused from the next look
        on, in every process.
    Edges: whoever opens the vault's file is its curator, with or without a role; roles are for those
        who come through a server.  The allowance of an analyst who is removed stays in the journal,
        and nobody can spend it.
    """

    vault: Vault
    ledger: Ledger
    facts: OfficeFacts
    by: str

    def __iter__(self) -> Iterator[Member]:
        return iter(self.facts.state.people.values())

    def __len__(self) -> int:
        return len(self.facts.state.people)

    def __getitem__(self, name: str) -> Member:
        known = self.facts.state.people
        if name not in known:
            raise VaultError(
                f"there is nobody called {str(name)[:60]!r}.",
                remedy=f"The people are: {', '.join(known)}."
                if known
                else "Add somebody: shoal people add ana --role analyst --dataset visits --allowance 1.",
            )
        return known[name]

    def add(
        self,
        name: str,
        *,
        role: str,
        dataset: str | None = None,
        allowance: StatedBudget | None = None,
    ) -> Member:
        """Give somebody a role: for a dataset, or for the whole vault without one.

        An analyst needs a dataset, and gets an allowance under its budget; without ``allowance``
        the one that was granted before counts, and there must be one.
        """
        person, given = self.named(name), read_role(role)
        if dataset is not None:
            self.vault.dataset(dataset)
        if given == ANALYST:
            self._allow(person, dataset, allowance)
        elif allowance is not None:
            raise VaultError(
                f"an allowance is for analysts; {person!r} becomes {given}.",
                remedy="Leave --allowance out, or give the role analyst as well.",
            )
        if given == RESEARCHER and dataset is not None:
            raise VaultError(
                "a researcher has polls, and no dataset.", remedy="Leave --dataset out."
            )
        self._record(PERSON, "add", person=person, role=given, dataset=dataset)
        return self[person]

    def link(self, name: str, *, issuer: str, subject: str) -> None:
        """Say that somebody here is whom a provider of sign-ins knows under a number."""
        for given in (issuer, subject):
            read_name(given, "an issuer or a subject")
        self._record(PERSON, "link", person=self[name].name, issuer=issuer, subject=subject)

    def named(self, name: str) -> str:
        """The name of somebody who is there, or of a new person if they can be called so."""
        return person_name(name, self.facts.state.people)

    def _allow(self, person: str, dataset: str | None, allowance: StatedBudget | None) -> None:
        if dataset is None:
            raise VaultError(
                "an analyst asks of one dataset, within an allowance.",
                remedy=f"Say which: shoal people add {person} --role analyst --dataset visits --allowance 1.",
            )
        if allowance is not None:
            self.vault.grant(person, dataset, allowance, by=self.by)
        elif f"{dataset}@{person}" not in {each.name for each in self.ledger.accounts()}:
            raise VaultError(
                f"{person!r} has no allowance for {dataset!r} yet.",
                remedy="Say how much they may spend: --allowance 1.",
            )

    def remove(self, name: str, *, role: str | None = None, dataset: str | None = None) -> None:
        """Take roles away: all, or those of a kind or for a dataset.  Whoever has none left is
        gone, and their tokens are revoked.
        """
        known = self[name]
        if role is not None or dataset is not None:
            some = {GivenRole(role or each.role, dataset or each.dataset) for each in known.roles}
            if not some & set(known.roles):
                raise VaultError(f"{name!r} has no such role.", remedy=f"The roles are: {known}.")
        self._record(PERSON, "remove", person=name, role=role, dataset=dataset)

    # tokens

    @property
    def tokens(self) -> list[AccessToken]:
        """Every token that was made, also those that are over."""
        return list(self.facts.state.tokens.values())

    def token(
        self,
        name: str,
        *,
        days: int = 90,
        datasets: str | Sequence[str] = (),
        read_only: bool = False,
        once: bool = False,
    ) -> str:
        """Make a token for somebody: the secret text, which is shown now and never again.

        ``datasets`` narrow it to some of what they may do, and a ``read_only`` one spends and
        changes nothing.  A ``once`` token is for one sign-in in a browser.
        """
        member = self[name]
        some = (datasets,) if isinstance(datasets, str) else tuple(datasets)
        for each in some:
            self.vault.dataset(each)
        if some and not member.narrowed(some, read_only=False).roles:
            raise VaultError(
                f"{name!r} has no role for {', '.join(some)}.",
                remedy=f"Their roles are: {', '.join(map(str, member.roles))}.",
            )
        handle, text = new_secret()
        self._record(
            TOKEN,
            "make",
            token=handle,
            person=member.name,
            digest=digest_of(self.facts.secret, text),
            expires=expiry(days),
            datasets=list(some),
            read_only=read_only,
            once=once,
        )
        return text

    def revoke(self, token: str) -> AccessToken:
        """End a token, by its public name; it is refused from the next request on."""
        known = self.facts.state.tokens
        if token not in known:
            raise VaultError(
                f"there is no token {str(token)[:40]!r}.",
                remedy="shoal people lists them by the first twelve digits after shoal_.",
            )
        self._record(TOKEN, "revoke", token=token)
        return self.facts.state.tokens[token]

    def holder(self, shown: str, *, once: bool = False) -> tuple[Member, AccessToken]:
        """Whoever holds a token, with no more rights than it has.

        Unknown, wrong, expired and revoked tokens get one answer, after one hash and one comparison.
        """
        state = self.facts.state
        known = state.tokens.get(name_in(shown))
        digest = digest_of(self.facts.secret, shown)
        fits = hmac.compare_digest(digest, _NOBODY if known is None else known.digest)
        now = datetime.now(UTC)
        if known is None or not fits or not known.is_valid(now) or known.once != once:
            raise no_token()
        member = state.people.get(known.person)
        if member is None:
            raise no_token()
        self._used(known, now)
        return member.narrowed(known.datasets, read_only=known.read_only), known

    def _used(self, token: AccessToken, now: datetime) -> None:
        """Note the day of a use, once a day: an entry for every request would fill the journal."""
        day = now.date().isoformat()
        if token.once:
            self._redeem(token.name)
        if token.used != day and not self.ledger.read_only:
            with suppress(LedgerError):  # while an alarm stands, an auditor must still come in
                said = {"act": "use", "token": token.name, "day": day}
                self.ledger.record(TOKEN, said, key=f"use {token.name} {day}")

    def _redeem(self, token: str) -> None:
        """Use up a token for one sign-in: of two who come at once, one is let in."""
        _, mine = new_secret()
        said = {"act": "redeem", "token": token, "by": digest_of(self.facts.secret, mine)[:16]}
        try:
            self.ledger.record(TOKEN, said, key=f"redeem {token}")
        except LedgerError:
            raise no_token() from None

    def sign_out(self, name: str) -> None:
        """End every browser session of somebody."""
        self._record(PERSON, "sign out", person=self[name].name)

    def _record(self, kind: str, act: str, **said: Any) -> None:
        self.ledger.record(kind, {"act": act, "by": self.by, **said})

    def __repr__(self) -> str:
        return "\n".join(map(str, self)) or "<nobody yet>"

    def _repr_html_(self) -> str:
        rows = [[each.name, ", ".join(map(str, each.roles))] for each in self]
        return block(title("people"), table(["person", "roles"], rows))


def no_token() -> TokenError:
    """The one answer to every token that does not count."""
    return TokenError(
        "this token is not one of this vault, or no longer.",
        remedy="Ask the owner of the vault for a new one: shoal token NAME --days 90.",
    )
