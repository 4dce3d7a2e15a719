"""The edge of the server: connections that stay unfinished are closed, and a crowd is asked to come
back.

A connection has a few seconds to send the head of a request, and some more for its body; between
two requests it may be idle for a few.  One that does not take its answer is closed, too.  There are
only so many connections: one more takes the place of the oldest that has not finished its request,
or has not taken its answer, and if there is none, it is answered with 429 and when to try again.
"""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from http import HTTPStatus
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from shoal.server.request_names import request_id

HEAD_SECONDS = 10.0
"""From the first byte, or the opening of the connection, to the end of a request's head."""
BODY_SECONDS = 10.0
"""From there to the end of its body."""
IDLE_SECONDS = 5
"""Between an answer and the next request."""
TAKE_SECONDS = 20.0
"""So often it is looked whether an answer that waits is taken at all."""
TAKEN_BYTES = 1 << 14
"""Of an answer that waits, so much must be taken from one look to the next."""
RETRY_SECONDS = 5
"""When whoever was turned away may try again."""
_MOST = 512

BUSY = {
    "code": "request-4",
    "message": "the server has more to do than it can.",
    "remedy": f"Try again in {RETRY_SECONDS} seconds.",
}
SLOW = {
    "code": "request-5",
    "message": "the request did not arrive in time.",
    "remedy": "Send it again, at once.",
}
UNREADABLE = {
    "code": "request-1",
    "message": "the request is not HTTP that can be read.",
    "remedy": "Send HTTP/1.1, with one Host header.",
}


def most_connections() -> int:
    """How many connections are held at a time: half of what this process may open, so that files
    stay open, too.
    """
    with suppress(ImportError):
        import resource  # noqa: PLC0415 - not every system has it

        allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        return _MOST if allowed == resource.RLIM_INFINITY else max(8, min(_MOST, allowed // 2))
    return _MOST


class Guarded(H11Protocol):
    """One connection with a time limit on every request that comes in by it."""

    most = most_connections()
    head_seconds, body_seconds, take_seconds = HEAD_SECONDS, BODY_SECONDS, TAKE_SECONDS

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._timer: asyncio.TimerHandle | None = None
        self._awaited = ""
        self._looking: asyncio.TimerHandle | None = None
        self._answers = 0
        self.opened = 0.0

    @property
    def unfinished(self) -> bool:
        """Whether a part of a request is still to come."""
        return self._awaited != "" and not self.transport.is_closing()

    @property
    def untaken(self) -> int:
        """So many bytes of answers wait for whoever asked to take them."""
        return self.transport.get_write_buffer_size()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.opened = self.loop.time()
        if len(self.connections) > self.most and not self._make_room():
            self._end(429, BUSY)
            return
        self._await("head")

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._look()

    def on_response_complete(self) -> None:
        self._calm()  # from here on the connection is idle, and uvicorn closes it if it stays so
        self._answers += 1
        if self.untaken:
            self._look_again()
        super().on_response_complete()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._look_again()

    def connection_lost(self, exc: Exception | None) -> None:
        self._calm()
        if self._looking is not None:
            self._looking.cancel()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - the words are ours
        self._end(400, UNREADABLE)

    def _look(self) -> None:
        """Wait for what has not come yet; of a request that is whole, for nothing."""
        state = self.conn.their_state
        if self.transport.is_closing():
            self._calm()
        elif state is h11.IDLE:
            self._await("head")
        elif state is h11.SEND_BODY:
            self._await("body")
        else:
            self._calm()

    def _await(self, part: str) -> None:
        if self._awaited != part:  # more bytes of the same part win no time
            self._calm()
            self._awaited = part
            seconds = self.head_seconds if part == "head" else self.body_seconds
            self._timer = self.loop.call_later(seconds, self._late)

    def _calm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer, self._awaited = None, ""

    def _late(self) -> None:
        self._end(408, SLOW)

    def _look_again(self) -> None:
        """Look in a while whether the answers that wait are taken."""
        if self._looking is None:
            self._looking = self.loop.call_later(
                self.take_seconds, self._look_at_taking, self.untaken, self._answers
            )

    def _look_at_taking(self, before: int, answers: int) -> None:
        """Drop a connection whose answers stay where they were: it would hold its place for ever,
        since closing waits until they are taken.
        """
        self._looking, left = None, self.untaken
        if not left:
            return
        if left > before - TAKEN_BYTES and answers == self._answers:
            self.transport.abort()
        else:
            self._look_again()

    def _make_room(self) -> bool:
        """Close the oldest connection that has not finished a request or taken its answer; whether
        there was one.
        """
        others = [
            each for each in self.connections if isinstance(each, Guarded) and each is not self
        ]
        waiting = [each for each in others if each.unfinished] or [
            each for each in others if each.untaken
        ]
        if not waiting:
            return False
        min(waiting, key=lambda each: each.opened).transport.abort()
        return True

    def _end(self, status: int, told: dict[str, str]) -> None:
        """Say why, where no answer has begun, and close."""
        self._calm()
        begun = (
            self.cycle is not None
            and self.cycle.response_started
            and not self.cycle.response_complete
        )
        if not (begun or self.transport.is_closing()):
            self.transport.write(_answer(status, told))
        self.transport.close()


def _answer(status: int, told: dict[str, str]) -> bytes:
    """An answer that no application made; whoever is turned away is told when to come back."""
    body = json.dumps({"error": told}).encode()
    later = f"Retry-After: {RETRY_SECONDS}\r\n" if status == 429 else ""
    head = (
        f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        f"Connection: close\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n{later}X-Request-Id: {request_id()}\r\n\r\n"
    )
    return head.encode() + body
