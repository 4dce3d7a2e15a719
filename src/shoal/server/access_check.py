"""Who may come in: the researcher's key, its cookie, and where a request comes from."""

from __future__ import annotations

import hmac
import logging
from dataclasses import dataclass, field

from fastapi import Request, Response

from shoal.noise import one_below
from shoal.server.address import Address
from shoal.server.failures import Refused

_DIGITS = 32
_LOG = logging.getLogger("uvicorn.error")


def new_key() -> str:
    """A key that nobody guesses: 128 secret bits, in hexadecimal digits."""
    return f"{one_below(16**_DIGITS):0{_DIGITS}x}"


@dataclass(frozen=True)
class Door:
    """Lets in whoever has the key, from pages of this origin only."""

    address: Address
    key: str = field(repr=False, default_factory=new_key)
    _refused: set[str] = field(repr=False, default_factory=set, compare=False)

    @property
    def cookie(self) -> str:
        """Its name holds the port: browsers share cookies between the ports of a host.  By TLS it
        is for this host alone.
        """
        return f"{'__Host-' if self.address.secure else ''}shoal-key-{self.address.port}"

    @property
    def link(self) -> str:
        """What the researcher opens once."""
        return f"{self.address.origin}/?key={self.key}"

    def fits(self, key: str | None) -> bool:
        """Whether this is the key; takes as long for a wrong one."""
        return key is not None and hmac.compare_digest(key.encode(), self.key.encode())

    def let_in(self, response: Response) -> None:
        """Let a browser keep what only the key can make, new each time, out of the reach of scripts
        and of other sites.
        """
        number = new_key()
        response.set_cookie(
            self.cookie,
            number + self._digest(number),
            httponly=True,
            samesite="strict",
            path="/",
            secure=self.address.secure,
        )

    def knows(self, request: Request) -> bool:
        """Whether the cookie of a request was made with the key: a number, and its digest under the
        key.
        """
        told = request.cookies.get(self.cookie, "")
        number, digest = told[:_DIGITS], told[_DIGITS:]
        return hmac.compare_digest(digest.encode(), self._digest(number).encode())

    def _digest(self, number: str) -> str:
        return hmac.new(self.key.encode(), number.encode(), "sha256").hexdigest()

    def researcher(self, request: Request) -> None:
        """Refuse whoever has no key, and whatever another site asks a browser to send."""
        if not self.knows(request):
            raise Refused(
                401,
                "key-1",
                "this part needs the researcher's key.",
                "Open the link that shoal serve printed.",
            )
        if request.method != "GET":
            self.same_origin(request)

    def same_origin(self, request: Request) -> None:
        """Refuse what a page of another origin sends."""
        told = request.headers.get("sec-fetch-site", "same-origin")
        origin = request.headers.get("origin", self.address.origin)
        if told not in {"same-origin", "none"} or not self._ours(origin):
            self._say_once()
            raise Refused(
                403,
                "origin-1",
                "this request comes from a page of another site.",
                "Use the pages of this server; behind a proxy, tell shoal serve its --public address.",
            )

    def _say_once(self) -> None:
        """Tell whoever started the server, once and without the request: with a wrong address every
        report is refused.
        """
        if not self._refused:
            self._refused.add("origin-1")
            _LOG.warning(
                "[origin-1] a request was refused that came from a page of another address than %s; "
                "if respondents see another one, start with --public.",
                self.address.origin,
            )

    def _ours(self, origin: str) -> bool:
        port, same = self.address.port, {self.address.origin}
        if not self.address.secure:
            same |= {f"http://{host}:{port}" for host in ("localhost", "127.0.0.1", "[::1]")}
        return origin in same
