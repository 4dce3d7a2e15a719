"""A token: a secret that its holder shows, of which the vault keeps a keyed hash."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from shoal.errors import RangeError
from shoal.exact import whole
from shoal.noise import one_below
from shoal.vault.people.sessions import LONGEST

PREFIX = "shoal"
_NAME_DIGITS, _SECRET_DIGITS = 12, 48
_MOST_DAYS = 3660


@dataclass(frozen=True)
class AccessToken:
    """What is known of a token; the secret itself is kept nowhere.

    ``name`` is its public handle, by which it is listed and revoked.  ``datasets`` narrow it to
    some of what its person may do, and a ``read_only`` one spends and changes nothing.  ``used`` is
    the day of its last use.  A ``once`` token is good for one sign-in in a browser, and
    ``redeemed`` is when that was: it lets nobody in again, and revoking it ends the session.
    """

    name: str
    person: str
    made: str
    expires: str
    digest: str = field(repr=False)
    datasets: tuple[str, ...] = ()
    read_only: bool = False
    once: bool = False
    used: str | None = None
    revoked: bool = False
    redeemed: str | None = None

    def is_valid(self, now: datetime) -> bool:
        """Whether it is neither revoked nor expired, nor used up."""
        if self.redeemed is not None:
            return False
        return not self.revoked and now < datetime.fromisoformat(self.expires)

    def keeps_session(self, now: datetime) -> bool:
        """Whether a browser session that was opened with it may go on; a link may expire
        meanwhile.
        """
        return not self.revoked if self.redeemed is not None else self.is_valid(now)

    def may_be_in_use(self, now: datetime) -> bool:
        """Whether there is something to end: it is valid, or its one session may still be open."""
        if self.redeemed is None:
            return self.is_valid(now)
        return not self.revoked and now - datetime.fromisoformat(self.redeemed) < LONGEST

    def to_dict(self) -> dict[str, Any]:
        """The token as programs are told: without its hash."""
        return {
            "token": self.name,
            "person": self.person,
            "made": self.made,
            "expires": self.expires,
            "datasets": list(self.datasets),
            "read_only": self.read_only,
            "once": self.once,
            "last_used": self.used,
            "revoked": self.revoked,
            "redeemed": self.redeemed,
        }


def new_secret() -> tuple[str, str]:
    """The public name of a new token, and the text that its holder shows: 192 secret bits."""
    name = f"{one_below(16**_NAME_DIGITS):0{_NAME_DIGITS}x}"
    return name, f"{PREFIX}_{name}_{one_below(16**_SECRET_DIGITS):0{_SECRET_DIGITS}x}"


def name_in(text: str) -> str:
    """The public name that a shown token claims; any text has one, if only an empty one."""
    parts = text.split("_")
    return parts[1] if len(parts) == 3 and parts[0] == PREFIX else ""


def digest_of(secret: bytes, text: str) -> str:
    """The hash of a token under the key of the vault, which never leaves it."""
    return hmac.new(secret, b"access token\n" + text.encode(), hashlib.sha256).hexdigest()


def expiry(days: int, *, now: datetime | None = None) -> str:
    """The moment so many days from now."""
    count = whole(days, "days", at_least=1)
    if count > _MOST_DAYS:
        raise RangeError(
            f"a token lives at most {_MOST_DAYS} days; got {count}.",
            remedy="Give days=90, and make another one then.",
        )
    return ((now or datetime.now(UTC)) + timedelta(days=count)).isoformat()
