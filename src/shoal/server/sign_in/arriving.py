"""People who arrive through their organisation: what is sent out with them, and what they get when
they come back.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import BoundedSemaphore
from time import time
from typing import Any

from fastapi import Request

from shoal.errors import RightsError, TokenError, VaultError
from shoal.server.access_check import new_key
from shoal.server.office.request_limits import busy
from shoal.server.sign_in.openid_provider import OpenIdProvider, Vouched
from shoal.server.sign_in.sign_in_settings import SignInSettings
from shoal.vault import Vault
from shoal.vault.people.office_facts import GROUPS

AWAY = 600
"""So many seconds a browser may stay away at the provider."""
_MOST_AT_ONCE = 8
_MOST_DEVICE = 1800
_BROWSER, _DEVICE = "away", "device"


@dataclass(frozen=True)
class Away:
    """A browser on its way to the provider: where it goes, and what it keeps meanwhile."""

    place: str
    kept: str


class SignIn:
    """The ways into a vault beside tokens."""

    def __init__(self, vault: Vault, settings: SignInSettings) -> None:
        self.settings = settings
        self._vault = vault
        self._provider = None if settings.openid is None else OpenIdProvider(settings.openid)
        self._room = BoundedSemaphore(_MOST_AT_ONCE)

    @property
    def by_organisation(self) -> bool:
        """Whether there is a provider."""
        return self._provider is not None

    def begin(self, back: str) -> Away:
        """Send a browser to the provider."""
        state, nonce, verifier = new_key(), new_key(), new_key() + new_key()
        with self._asking() as provider:
            place = provider.place(back=back, state=state, nonce=nonce, verifier=verifier)
        said = json.dumps([state, nonce, verifier, int(time()) + AWAY])
        return Away(place, self._vault.sealed(_BROWSER, said))

    def back(self, kept: str, *, state: str, code: str, issuer: str | None, back: str) -> str:
        """The cookie of a session for a browser that comes back with a code.

        What it kept says that it is the one that was sent: a link that somebody else made signs
        nobody in.
        """
        said = self._vault.unsealed(_BROWSER, kept)
        held: list[Any] = ["", "", "", 0] if said is None else json.loads(said)
        known, nonce, verifier, end = held
        fits = hmac.compare_digest(str(known).encode(), state.encode())
        with self._asking() as provider:
            if said is None or not fits or time() > end:
                raise _strange()
            if issuer not in (None, provider.settings.issuer):
                raise _strange()
            vouched = provider.by_code(code, back=back, nonce=nonce, verifier=verifier)
        return self._session(self._arrived(vouched))

    def begin_device(self) -> dict[str, Any]:
        """A code to confirm in a browser, for a command that waits; its ``handle`` asks for more."""
        with self._asking() as provider:
            said = provider.begin_device()
        lasts = min(int(said["expires_in"]), _MOST_DEVICE)
        kept = json.dumps([said["device_code"], int(time()) + lasts])
        complete = said.get("verification_uri_complete")
        return {
            "code": str(said["user_code"]),
            "place": str(said["verification_uri"]),
            "whole_place": None if complete is None else str(complete),
            "seconds": lasts,
            "pause": max(1, int(said.get("interval", 5))),
            "handle": self._vault.sealed(_DEVICE, kept),
        }

    def token_of_device(self, handle: str) -> tuple[str, str]:
        """Who confirmed the code of a device, and a token for a day."""
        said = self._vault.unsealed(_DEVICE, handle)
        held: list[Any] = ["", 0] if said is None else json.loads(said)
        device, end = held
        if said is None or time() > end:
            raise _strange()
        with self._asking() as provider:
            vouched = provider.by_device(device)
        person = self._arrived(vouched)
        return person, self._vault.people_for(GROUPS).token(person, days=1)

    def forwarded(self, request: Request) -> str:
        """The cookie of a session for whoever the proxy in front names."""
        settings = self.settings.forwarded
        if settings is None:
            raise _strange()
        names = request.headers.getlist(settings.header)
        secrets = request.headers.getlist(settings.secret_header)
        shown = secrets[0] if len(secrets) == 1 else ""
        fits = hmac.compare_digest(shown.encode(), settings.secret.encode())
        if not fits or len(names) != 1:
            raise _strange()
        try:
            return self._session(names[0])
        except VaultError:
            raise RightsError(
                "the proxy knows you, and there is nobody of this name here.",
                remedy="Ask the owner of the vault to add you.",
            ) from None

    def _arrived(self, vouched: Vouched) -> str:
        found = self._vault.identities.arrive(
            vouched.issuer, vouched.subject, vouched.name, vouched.groups, self.settings.roles
        )
        return found.name

    def _session(self, person: str) -> str:
        made = self._vault.people_for(GROUPS).token(person, days=1, once=True)
        return self._vault.sign_in(made)

    @contextmanager
    def _asking(self) -> Iterator[OpenIdProvider]:
        """The provider, for a few at a time: who comes without a name must not hold every thread."""
        if self._provider is None:
            raise _strange()
        if not self._room.acquire(blocking=False):
            raise busy("many people sign in at this moment.", 1)
        try:
            yield self._provider
        finally:
            self._room.release()


def _strange() -> TokenError:
    return TokenError(
        "this sign-in was not begun here, or too long ago.", remedy="Sign in from the beginning."
    )
