"""Browser sessions: a signed text in a cookie, which any process over the same vault can read.

It names a token, the moment of the sign-in and of the last request, and is signed with a key that
follows from the vault's own.  A session ends when it was idle for too long, when it is too old, when
its token or link is revoked, when its token expires, when its person signs out everywhere, and when
they are removed.
"""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from shoal.noise import one_below

IDLE = timedelta(minutes=30)
LONGEST = timedelta(hours=12)
_DIGITS = 32


@dataclass(frozen=True)
class BrowserSession:
    """One sign-in of one browser.  ``mark`` is random; it tells sessions apart."""

    person: str
    mark: str
    began: datetime
    seen: datetime
    token: str
    """The public name of the token or one-time link that it was opened with."""
    datasets: tuple[str, ...] = ()
    read_only: bool = False

    @classmethod
    def begin(
        cls,
        person: str,
        token: str,
        *,
        datasets: tuple[str, ...] = (),
        read_only: bool = False,
        now: datetime | None = None,
    ) -> BrowserSession:
        """A new one, now."""
        moment = now or datetime.now(UTC)
        mark = f"{one_below(16**_DIGITS):0{_DIGITS}x}"
        return cls(person, mark, moment, moment, token, datasets, read_only)

    def is_alive(self, now: datetime) -> bool:
        """Whether it was neither idle for too long nor open for too long."""
        return now - self.seen < IDLE and now - self.began < LONGEST

    def at(self, now: datetime) -> BrowserSession:
        """The session after a request at a moment."""
        return replace(self, seen=now.replace(microsecond=0))

    def text(self, secret: bytes) -> str:
        """The signed text for a cookie."""
        said = "~".join(
            [
                self.person.encode().hex(),
                self.mark,
                self.began.isoformat(),
                self.seen.isoformat(),
                self.token,
                ",".join(self.datasets),
                "read" if self.read_only else "all",
            ]
        )
        return f"{said}~{_signed(secret, 'session', said)}"

    def csrf(self, secret: bytes) -> str:
        """What a form of this session must send along; other sites cannot know it."""
        return _signed(secret, "form", self.mark)

    def csrf_fits(self, secret: bytes, shown: str) -> bool:
        """Whether a form sent what it must; takes as long for a wrong one."""
        return hmac.compare_digest(self.csrf(secret).encode(), shown.encode())


def read_session(secret: bytes, text: str) -> BrowserSession | None:
    """The session in a cookie; None for any other text."""
    said, _, signature = text.rpartition("~")
    if not hmac.compare_digest(_signed(secret, "session", said).encode(), signature.encode()):
        return None
    person, mark, began, seen, token, datasets, scope = said.split("~")
    return BrowserSession(
        bytes.fromhex(person).decode(),
        mark,
        datetime.fromisoformat(began),
        datetime.fromisoformat(seen),
        token,
        tuple(each for each in datasets.split(",") if each),
        scope == "read",
    )


def sealed(secret: bytes, purpose: str, said: str) -> str:
    """A text with its signature for one purpose, in characters that a cookie can hold."""
    carried = said.encode().hex()
    return f"{carried}.{_signed(secret, f'sealed {purpose}', carried)}"


def unsealed(secret: bytes, purpose: str, shown: str) -> str | None:
    """The text that was sealed for this purpose; None for any other."""
    carried, _, signature = shown.rpartition(".")
    wanted = _signed(secret, f"sealed {purpose}", carried)
    if not hmac.compare_digest(wanted.encode(), signature.encode()):
        return None
    return bytes.fromhex(carried).decode()


def _signed(secret: bytes, purpose: str, said: str) -> str:
    key = hmac.new(secret, f"browser {purpose}".encode(), hashlib.sha256).digest()
    return hmac.new(key, said.encode(), hashlib.sha256).hexdigest()
