"""What is turned away before anything is done: requests to another host, addresses too long, and
more than fit at a time.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from shoal.server.connection_limits import BUSY, RETRY_SECONDS
from shoal.server.failures import answered

MOST_AT_ONCE = 64
"""So many requests are worked on at a time."""
MOST_ARRIVING = 256
"""So many bodies may be on their way at a time; one more takes the place of the oldest."""
MOST_HELD = 1 << 17
"""So many bytes of a body are read before its request is worked on."""
LONGEST = 2000
"""So long may the path and the query of an address be together, in characters."""
_LOG = logging.getLogger("uvicorn.error")
_LOOPBACK = ("localhost", "127.0.0.1", "::1")

WRONG_HOST = {
    "code": "host-1",
    "message": "this server is not known by the host that the request names.",
    "remedy": "Open the address that shoal serve printed; behind a proxy, start it with --public or --allow-host.",
}
TOO_LONG = {
    "code": "request-6",
    "message": f"the address is longer than {LONGEST} characters.",
    "remedy": "Send shorter fields: a confidence such as 0.95 is enough.",
}


class Gate:
    """Lets requests through that name an allowed host and are of a sensible length, some at a
    time.  A request takes a place when its body has arrived and leaves it when its answer begins, so
    that half-sent ones hold none, and neither do answers that nobody takes.
    """

    def __init__(self, app: ASGIApp, *, hosts: Collection[str]) -> None:
        self.app = app
        self.hosts = {*_LOOPBACK, *(each.lower() for each in hosts)}
        self._inside = 0
        self._arriving: dict[asyncio.Task[list[Message]], None] = {}
        self._said = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal, come = self._refusal(scope), list[Message]()
        if refusal is None and has_body(scope):
            found = await self._arrived(receive)
            if found is None:
                refusal = 429, BUSY
            elif found[-1]["type"] != "http.request":
                return  # the sender left, or was too slow: there is nobody to answer
            else:
                come = found
        if refusal is None and self._inside >= MOST_AT_ONCE:
            refusal = 429, BUSY
        if refusal is not None:
            status, told = refusal
            answer = answered(status, told)
            if status == 429:
                answer.headers["Retry-After"] = str(RETRY_SECONDS)
            await answer(scope, receive, send)
            return

        async def again() -> Message:
            return come.pop(0) if come else await receive()

        inside = True

        def leave() -> None:
            nonlocal inside
            self._inside -= inside
            inside = False

        async def sending(message: Message) -> None:
            leave()
            await send(message)

        self._inside += 1
        try:
            await self.app(scope, again, sending)
        finally:
            leave()

    def _refusal(self, scope: Scope) -> tuple[int, dict[str, str]] | None:
        if len(scope["raw_path"]) + len(scope["query_string"]) > LONGEST:
            return 414, TOO_LONG
        named = [value for name, value in scope["headers"] if name == b"host"]
        if len(named) != 1 or host_in(named[0].decode("latin-1")) not in self.hosts:
            self._say_once()
            return 400, WRONG_HOST
        return None

    async def _arrived(self, receive: Receive) -> list[Message] | None:
        """The body of a request, before it takes a place; None if a newer one took its turn."""
        if len(self._arriving) >= MOST_ARRIVING:
            oldest = next(iter(self._arriving))
            del self._arriving[oldest]
            oldest.cancel()
        task = asyncio.ensure_future(_read(receive))
        self._arriving[task] = None
        try:
            await asyncio.wait([task])
        finally:
            self._arriving.pop(task, None)
            task.cancel()
        return None if task.cancelled() else task.result()

    def _say_once(self) -> None:
        """Tell whoever started the server, once and without the name: with a wrong one every
        request is refused.
        """
        if not self._said:
            self._said = True
            _LOG.warning(
                "[host-1] a request was refused that names another host than this server's; "
                "if people reach it by another name, start with --public or --allow-host."
            )


def has_body(scope: Scope) -> bool:
    """Whether a request says that a body follows."""
    said = dict(scope["headers"])
    return b"transfer-encoding" in said or said.get(b"content-length", b"0") != b"0"


async def _read(receive: Receive) -> list[Message]:
    """What comes until the body ends, is longer than any that is taken, or its sender leaves."""
    come, size = list[Message](), 0
    while size <= MOST_HELD:
        come.append(await receive())
        size += len(come[-1].get("body", b""))
        if come[-1]["type"] != "http.request" or not come[-1].get("more_body", False):
            break
    return come


def host_in(header: str) -> str:
    """The host of a Host header, without its port.

    >>> host_in("Polls.example.org:8000"), host_in("[::1]:8000"), host_in("localhost")
    ('polls.example.org', '::1', 'localhost')
    """
    text = header.strip().lower()
    if text.startswith("["):
        return text[1:].partition("]")[0]
    return text.rpartition(":")[0] if text.count(":") == 1 else text
