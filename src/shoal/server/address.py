"""Where a server listens, which address it is known by, and when that is refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

from shoal.errors import SchemaError


@dataclass(frozen=True)
class Address:
    """A host and a port to listen on, the origin that browsers know them by, and further hosts that
    requests may name.

    >>> Address.of("127.0.0.1", 8000).origin
    'http://127.0.0.1:8000'
    >>> Address.of("127.0.0.1", 8000, public="https://polls.example.org").origin
    'https://polls.example.org'
    """

    host: str
    port: int
    origin: str
    also: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        host: str,
        port: int,
        *,
        public: str | None = None,
        behind_tls: bool = False,
        tls: bool = False,
        also: Sequence[str] = (),
    ) -> Address:
        """What was asked for, checked: other machines come in by TLS only, of this server (``tls``)
        or of a proxy in front.
        """
        if not is_loopback(host) and not behind_tls and not tls:
            raise SchemaError(
                f"to listen on {host!r} would let other machines in, and this server does not speak TLS: whoever is on the way "
                "could read the researcher's key and change the page that randomises, before it reaches a respondent.",
                remedy="Listen on 127.0.0.1 behind a reverse proxy that speaks TLS, with --public https://...; "
                "give this server a certificate with --tls-certificate and --tls-key; "
                "or, if the proxy runs elsewhere on a network you trust, say --behind-tls as well.",
            )
        if behind_tls and public is None:
            raise SchemaError(
                "behind a proxy the server must know the address that browsers see: it refuses reports from pages of any other.",
                remedy="Say it: --behind-tls --public https://polls.example.org.",
            )
        shown = f"[{host}]" if ":" in host else host
        scheme = "https" if tls else "http"
        origin = f"{scheme}://{shown}:{port}" if public is None else public_origin(public)
        return cls(host, port, origin, tuple(map(_name, also)))

    @property
    def hosts(self) -> tuple[str, ...]:
        """The hosts that requests may name: that of the origin, the one listened on, and those that
        were allowed.
        """
        return (urlsplit(self.origin).hostname or "", self.host, *self.also)

    @property
    def secure(self) -> bool:
        """Whether browsers reach it by TLS."""
        return self.origin.startswith("https://")


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a host.

    >>> is_loopback("localhost"), is_loopback("::1"), is_loopback("0.0.0.0"), is_loopback("polls.example.org")
    (True, True, False, False)
    """
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _name(host: str) -> str:
    """A host by name, as it is allowed."""
    if not host or len(host) > 253 or any(each in host for each in "/ @*?#\t\r\n"):
        raise SchemaError(
            f"{host[:80]!r} is not the name of a host.",
            remedy="Give a name without scheme and path: --allow-host polls.internal.",
        )
    return host.strip("[]").lower()


CONSOLE = "/office"
"""Where the console is, on every server."""


def sign_in_link(address: str, token: str) -> str:
    """A link for one sign-in at the server with an address.

    The token is after the #, which browsers send to no server: so it is in no log.
    """
    return f"{public_origin(address)}{CONSOLE}/sign-in#{token}"


def public_origin(address: str) -> str:
    """The address that browsers see, checked: by TLS, or on this machine."""
    parts = urlsplit(address)
    plain = parts.scheme == "http" and parts.hostname is not None and is_loopback(parts.hostname)
    rest = parts.path.strip("/") or parts.query or parts.fragment or "@" in parts.netloc
    if not parts.hostname or rest or not (parts.scheme == "https" or plain):
        raise SchemaError(
            f"the public address {address[:80]!r} is not of the form https://host.",
            remedy="Give the address that respondents see, without a path: --public https://polls.example.org.",
        )
    return f"{parts.scheme}://{parts.netloc}"
