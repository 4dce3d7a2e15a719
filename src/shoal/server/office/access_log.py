"""One line for each request to the office: who, which question (as a hash), what price, what came of
it; never a value.
"""

from __future__ import annotations

import json
import logging
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from shoal.server.access_check import Door
from shoal.server.office.request_limits import RequestLimits

LOG = logging.getLogger("shoal.access")
LOG.propagate = False
LOG.addHandler(logging.NullHandler())


def write_to(path: Path) -> None:
    """Write a line for each request to a file that only its owner can read."""
    with suppress(FileExistsError):
        path.touch(mode=0o600, exist_ok=False)
    handler = logging.FileHandler(path, encoding="utf-8")
    LOG.addHandler(handler)
    LOG.setLevel(logging.INFO)


class AccessLog:
    """Around the office: it notes what the routes told, renews the cookie of a session, and says
    when a person's request is done.
    """

    def __init__(self, app: ASGIApp, *, door: Door, cookie: str, limits: RequestLimits) -> None:
        self.app, self.door, self.cookie, self.limits = app, door, cookie, limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        state = scope.setdefault("state", {})
        told: dict[str, Any] = state.setdefault("told", {})

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                told["status"] = message["status"]
                if "cookie" in state:
                    kept = _kept(self.cookie, state["cookie"], secure=self.door.address.secure)
                    MutableHeaders(scope=message).append("Set-Cookie", kept)
            await send(message)

        try:
            await self.app(scope, receive, sending)
        finally:
            if "inside" in state:
                self.limits.leave(state.pop("inside"))
            if LOG.isEnabledFor(logging.INFO):
                LOG.info(_line(scope, told, state.get("request_id")))


def _kept(name: str, value: str, *, secure: bool) -> str:
    """A cookie that scripts cannot read and other sites cannot use; an empty one ends it."""
    end = "" if value else "; Max-Age=0"
    return f"{name}={value}; Path=/; HttpOnly; SameSite=Strict{'; Secure' * secure}{end}"


def _line(scope: Scope, told: dict[str, Any], request: str | None) -> str:
    route = scope.get("route")
    said = {
        "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "request": request,
        "who": told.get("who"),
        "token": told.get("token"),
        "method": scope["method"],
        "route": None if route is None else route.path,
        "status": told.get("status"),
        "question": told.get("question"),
        "price": told.get("price"),
        "outcome": told.get("outcome", "done"),
    }
    return json.dumps(said)
