"""What is sent to the server, read up to a limit."""

from __future__ import annotations

import json
from typing import Any

from fastapi import Request

from shoal.server.failures import Refused, malformed


async def read_body(request: Request, *, kind: str, most: int, called: str) -> bytes:
    """A body of one kind of at most so many bytes, which is not compressed."""
    if request.headers.get("content-encoding", "identity").lower() != "identity":
        raise Refused(
            415,
            "request-2",
            "the body must not be compressed.",
            "Send it without Content-Encoding.",
        )
    told = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if told != kind:
        raise Refused(
            415,
            "request-2",
            f"the body must be {called}, and say so.",
            f"Send it with Content-Type: {kind}.",
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
    return bytes(body)


async def read_json(
    request: Request, *, most: int, numbers_as_text: bool = False
) -> dict[str, Any]:
    """The JSON object in a body of at most so many bytes; no more than that is ever held.

    A compressed body is refused, so that nothing small becomes large here.  ``numbers_as_text``
    keeps numbers with a point as they were written.
    """
    body = await read_body(request, kind="application/json", most=most, called="JSON")
    try:
        found = json.loads(
            body,
            object_pairs_hook=_once,
            parse_constant=_none,
            parse_float=str if numbers_as_text else None,
        )
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


def _none(_: str) -> Any:
    """NaN and the infinities are not JSON."""
    raise ValueError


def text_of(body: dict[str, Any], field: str, *, most: int = 4000) -> str:
    """A field that must be text."""
    found = body.get(field)
    if not isinstance(found, str) or len(found) > most:
        raise malformed()
    return found
