"""Requests to an office: by TLS or to this machine, with a token in a header, and again where that
is safe.
"""

from __future__ import annotations

import inspect
import json
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from ipaddress import ip_address
from time import monotonic, sleep
from typing import Any
from urllib.parse import quote, urlsplit

from shoal import errors
from shoal.errors import OfficeError, SchemaError, ShoalError

PREFIX = "/api/v1"
_TRIES = 5
_SECONDS = 60.0
_MOST_WAITING = 600.0
_LONGEST = 1 << 28


@dataclass(frozen=True)
class Connection:
    """One office and one token.  Threads may share it: every request opens its own socket.

    ``patience`` is how many seconds an answer that takes long is waited for.
    """

    origin: str
    token: str = field(repr=False)
    patience: float = _MOST_WAITING

    @classmethod
    def to(cls, address: str, token: str, *, patience: float = _MOST_WAITING) -> Connection:
        """A connection to an address, which must have TLS unless it is of this machine."""
        parts = urlsplit(address)
        host = parts.hostname or ""
        plain = parts.scheme == "http" and _is_here(host)
        if not host or (parts.scheme != "https" and not plain):
            raise SchemaError(
                f"{address[:80]!r} is not the address of an office: a token is sent by TLS only.",
                remedy="Give https://office.example.org, or http://127.0.0.1:8000 on this machine.",
            )
        if "@" in parts.netloc or parts.query or parts.fragment or parts.path.strip("/"):
            raise SchemaError(
                "the address of an office has no path, and no token in it.",
                remedy="Give https://office.example.org, and the token in SHOAL_TOKEN.",
            )
        return cls(f"{parts.scheme}://{parts.netloc}", token, patience)

    def get(self, path: str) -> Any:
        """What is at a path, as values."""
        return self.send("GET", path)[1]

    def post(
        self, path: str, body: Mapping[str, Any] | None = None, *, key: str | None = None
    ) -> Any:
        """What an act at a path gives.  With a ``key`` it is done once, however often it is sent;
        an answer that takes long is waited for.
        """
        status, found, place = self._sent("POST", path, body, key)
        end = monotonic() + self.patience
        while status == 202:
            if monotonic() > end:
                raise OfficeError(
                    "the answer takes longer than this client waits.",
                    remedy=f"Ask again later with the same key, {key!r}; it is charged once.",
                )
            sleep(0.2)
            status, found, _ = self._sent("GET", place.removeprefix(PREFIX), None, None)
        return found

    def send(
        self, method: str, path: str, body: Mapping[str, Any] | None = None
    ) -> tuple[int, Any]:
        """A status, and what came with it."""
        return self._sent(method, path, body, None)[:2]

    def _sent(
        self, method: str, path: str, body: Mapping[str, Any] | None, key: str | None
    ) -> tuple[int, Any, str]:
        """Send a request, again if it is safe: nothing is charged twice under one key."""
        safe = method == "GET" or key is not None or body is None
        for attempt in range(_TRIES):
            last = attempt == _TRIES - 1
            try:
                status, headers, text = self.once(method, path, body, key)
            except (OSError, HTTPException):
                if last or not safe:
                    raise OfficeError(
                        f"the office at {self.origin} cannot be reached, or left before it answered.",
                        remedy="Check the address and the network, and ask again"
                        + (f" with the same key, {key!r}." if key else "."),
                    ) from None
                sleep(0.2 * 2**attempt)
                continue
            if status == 429 and not last:
                sleep(min(5.0, _seconds(headers.get("retry-after", "1"))))
                continue
            return _read(status, headers, text)
        raise OfficeError("the office is busy.", remedy="Ask again later; nothing was charged.")

    def once(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        key: str | None = None,
    ) -> tuple[int, dict[str, str], bytes]:
        """One request, as it is answered: its status, headers and body."""
        parts = urlsplit(self.origin)
        port = parts.port
        made: HTTPConnection = (
            HTTPSConnection(
                parts.hostname or "", port, timeout=_SECONDS, context=ssl.create_default_context()
            )
            if parts.scheme == "https"
            else HTTPConnection(parts.hostname or "", port, timeout=_SECONDS)
        )
        headers = {"Authorization": f"Bearer {self.token}", "Accept": "application/json"}
        if key is not None:
            headers["Idempotency-Key"] = key
        sent = None
        if body is not None:
            sent, headers["Content-Type"] = json.dumps(body).encode(), "application/json"
        try:
            made.request(method, PREFIX + path, body=sent, headers=headers)
            answer = made.getresponse()
            text = answer.read(_LONGEST)
            told = {name.lower(): value for name, value in answer.getheaders()}
            return answer.status, told, text
        finally:
            made.close()


def part(name: object) -> str:
    """A name as a part of a path."""
    return quote(str(name), safe="")


def _read(status: int, headers: Mapping[str, str], text: bytes) -> tuple[int, Any, str]:
    """What an answer holds; an error of the office is raised as the error it is there."""
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if status < 300 and found is not None:
        return status, found, headers.get("location", "")
    told = found.get("error") if isinstance(found, dict) else None
    if not isinstance(told, dict) or not isinstance(told.get("code"), str):
        raise OfficeError(
            f"the answer ({status}) is not one of an office.", remedy="Check the address."
        )
    raise _error(told)


def _error(told: Mapping[str, Any]) -> ShoalError:
    """An error of the office as the same error here."""
    kind = _KINDS.get(told["code"], OfficeError)
    problem = str(told.get("message"))
    if kind is OfficeError and told["code"] != OfficeError.code:
        problem = f"{told['code']}: {problem}"
    return kind(problem, remedy=str(told.get("remedy")))


_KINDS: dict[str, type[ShoalError]] = {
    kind.code: kind
    for _, kind in inspect.getmembers(errors, inspect.isclass)
    if issubclass(kind, ShoalError) and not kind.__subclasses__()
}


def _is_here(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _seconds(text: str) -> float:
    return float(text) if text.isdecimal() else 1.0
