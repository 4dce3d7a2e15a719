"""Around every answer: its headers, and what is said when something unexpected happens."""

from __future__ import annotations

import logging

from starlette.datastructures import MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from shoal.server.failures import UNEXPECTED, answered
from shoal.server.request_names import HEADER, request_id

_LOG = logging.getLogger("uvicorn.error")
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), interest-cohort=()",
}
_LASTING = "max-age=31536000"


class Envelope:
    """Adds the headers to every answer, a name for the request among them, and answers for what
    nobody foresaw.

    What is logged holds the name of the request and nothing of its text.

    Pages are kept by no cache, and a site with TLS is asked for by TLS only.
    """

    def __init__(self, app: ASGIApp, *, secure: bool) -> None:
        self.app = app
        self.added = {**HEADERS, **({"Strict-Transport-Security": _LASTING} if secure else {})}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        begun, named = False, request_id()
        scope.setdefault("state", {})["request_id"] = named

        async def sending(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                headers = MutableHeaders(scope=message)
                headers.update(self.added)
                headers[HEADER] = named
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        try:
            await self.app(scope, receive, sending)
        except ClientDisconnect:  # the sender left, or was too slow: there is nobody to answer
            return
        except Exception as error:  # noqa: BLE001 - whatever it is, its text may hold what was sent
            _LOG.error(
                "[internal-1] something unexpected happened (%s), request %s",
                type(error).__name__,
                named,
            )
            if not begun:
                await answered(500, UNEXPECTED)(scope, receive, sending)
