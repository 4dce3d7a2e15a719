"""What is sent to the server, read up to a limit."""

from __future__ import annotations

import json
from typing import Any

from fastapi import Request

from shoal.server.failures import Refused, malformed


async def read_json(request: Request, *, most: int) -> dict[str, Any]:
    """The JSON object in a body of at most so many bytes; no more than that is ever held."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Refused(
            415,
            "request-2",
            "the body must be JSON, and say so.",
            "Send it with Content-Type: application/json.",
        )
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > most:
            raise Refused(
                413,
                "request-3",
                f"the body is longer than {most} bytes.",
                "Send only what is asked for.",
            )
    try:
        found = json.loads(body, object_pairs_hook=_once)
    except (ValueError, RecursionError):
        raise malformed() from None
    if not isinstance(found, dict):
        raise malformed()
    return found


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object in which every name stands once: of two readers, neither may see another value."""
    if len({name for name, _ in pairs}) != len(pairs):
        raise ValueError
    return dict(pairs)


def text_of(body: dict[str, Any], field: str, *, most: int = 4000) -> str:
    """A field that must be text."""
    found = body.get(field)
    if not isinstance(found, str) or len(found) > most:
        raise malformed()
    return found
