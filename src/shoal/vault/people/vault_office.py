"""The part of a vault that knows people: who they are, what they request, what is published."""

from __future__ import annotations

from abc import ABC, abstractmethod
from datetime import UTC, datetime
from typing import TYPE_CHECKING, cast

from shoal.ledger import Ledger
from shoal.vault.accounts.payer import CURATOR
from shoal.vault.people.access_token import name_in
from shoal.vault.people.gallery import Gallery
from shoal.vault.people.identities import Identities
from shoal.vault.people.office_facts import OfficeFacts
from shoal.vault.people.owner_access import OwnerAccess
from shoal.vault.people.people import People, no_token
from shoal.vault.people.requests import Requests
from shoal.vault.people.sessions import BrowserSession, read_session, sealed, unsealed

if TYPE_CHECKING:
    from shoal.vault.vault import Vault


class VaultOffice(ABC):
    """What a `Vault` has for its people."""

    _ledger: Ledger
    _analyst: str | None

    @abstractmethod
    def _curator(self) -> None:
        """Refuse analysts, as `Vault` does."""

    @property
    @abstractmethod
    def _facts(self) -> OfficeFacts:
        """People, tokens and requests, as `Vault` has them."""

    @property
    def people(self) -> People:
        """Who may do what: ``vault.people.add("ana", role="analyst", dataset="visits",
        allowance=1)``.
        """
        self._curator()
        return self.people_for(CURATOR)

    def people_for(self, by: str) -> People:
        """The same, on behalf of somebody, whose name the journal keeps."""
        return People(self._whole, self._ledger, self._facts, by)

    @property
    def identities(self) -> Identities:
        """People who sign in through their organisation."""
        self._curator()
        return Identities(self.people_for(CURATOR))

    @property
    def requests(self) -> Requests:
        """What analysts request beyond their allowance: ``vault.requests.approve(1)``."""
        return self.requests_for(self._analyst or CURATOR)

    def requests_for(self, by: str) -> Requests:
        """The same, on behalf of somebody."""
        return Requests(self._whole, self._ledger, self._facts, by)

    @property
    def gallery(self) -> Gallery:
        """Published releases: ``vault.gallery.add(3, title="Visits in 2026")``."""
        self._curator()
        return self.gallery_for(CURATOR)

    def gallery_for(self, by: str) -> Gallery:
        """The same, on behalf of somebody."""
        return Gallery(self._whole, self._ledger, self._facts, by)

    @property
    def _whole(self) -> Vault:
        return cast("Vault", self)

    def enter(self, token: str) -> OwnerAccess:
        """The vault for whoever holds a token, with their rights and no more."""
        member, known = self.people_for(CURATOR).holder(token)
        return OwnerAccess(self._whole, member, known)

    def sign_in(self, token: str) -> str:
        """The text of a browser's cookie for whoever holds a token, also one for a single
        sign-in.
        """
        people, now = self.people_for(CURATOR), datetime.now(UTC)
        known = self._facts.state.tokens.get(name_in(token))
        once = known is not None and known.once
        member, held = people.holder(token, once=once)
        made = BrowserSession.begin(
            member.name,
            held.name,
            datasets=held.datasets,
            read_only=held.read_only,
            now=now,
        )
        return made.text(self._facts.secret)

    def resume(self, cookie: str) -> tuple[OwnerAccess, BrowserSession]:
        """The vault for a browser that signed in, and its session after this request.

        Guarantee: refused when the session was idle or open for too long, when its token or link
            is revoked or its token expired, and after its person signed out everywhere or was
            removed, also if somebody of that name was added since; in every process.
        """
        now, state = datetime.now(UTC), self._facts.state
        found = read_session(self._facts.secret, cookie)
        if found is None or not found.is_alive(now):
            raise no_token()
        member, token = state.people.get(found.person), state.tokens.get(found.token)
        out = state.signed_out.get(found.person)
        over = token is None or not token.keeps_session(now)
        if member is None or over or (out and found.began <= datetime.fromisoformat(out)):
            raise no_token()
        narrowed = member.narrowed(found.datasets, read_only=found.read_only)
        return OwnerAccess(self._whole, narrowed, token), found.at(now)

    def sealed(self, purpose: str, said: str) -> str:
        """A text that only this vault can have written, for others to carry and bring back."""
        return sealed(self._facts.secret, purpose, said)

    def unsealed(self, purpose: str, shown: str) -> str | None:
        """What `sealed` was given for the same purpose; None for any other text."""
        return unsealed(self._facts.secret, purpose, shown)

    def cookie_of(self, session: BrowserSession) -> str:
        """The text of a browser's cookie for a session."""
        return session.text(self._facts.secret)

    def form_key(self, session: BrowserSession) -> str:
        """What the forms of a session send along, so that no other site can send them."""
        return session.csrf(self._facts.secret)

    def form_fits(self, session: BrowserSession, shown: str) -> bool:
        """Whether a form of a session sent it."""
        return session.csrf_fits(self._facts.secret, shown)
