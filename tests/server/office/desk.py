"""An office in this process: a vault with one person for each role, and requests to it."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import httpx
from tests.vault.office import office

import shoal
from shoal.server.access_check import Door
from shoal.server.address import Address
from shoal.server.app import application
from shoal.server.office.office_state import OfficeHost
from shoal.server.office.request_limits import RequestLimits
from shoal.server.office.work import ReleaseWork
from shoal.vault import Vault
from shoal.vault.people.rights import GIVEN
from shoal.vault.sources.data_folder import DataFolder

API = "/api/v1"
_Result = TypeVar("_Result")


def apart(sending: Coroutine[Any, Any, _Result]) -> _Result:
    """What is sent, in a thread of its own: a browser in the same process keeps this thread's
    loop.
    """
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, sending).result()


class Desk:
    """People with tokens, by their roles, who send requests to the application itself."""

    def __init__(
        self,
        vault: Vault,
        *,
        rate: float = 0,
        pad: bool = False,
        patience: float = 20,
        most_inside: int = 1000,
        data: Path | None = None,
    ) -> None:
        self.vault = vault
        self.door = Door(Address.of("127.0.0.1", 8000))
        work = ReleaseWork(pad=pad, patience=patience, most_each=100)
        limits = RequestLimits(rate, 2 * rate, most_inside=most_inside)
        folder = None if data is None else DataFolder.at(data)
        self.host = OfficeHost(vault, self.door, limits, work, data=folder)
        self.app = application(vault, self.door, self.host)
        self.tokens: dict[str, str] = {}
        self.cookies = httpx.Cookies()

    def send(self, method: str, path: str, who: str | None = None, **more: Any) -> httpx.Response:
        """One request of somebody, or of nobody; ``path`` is under the API."""
        return apart(self._send(method, path, who, **more))

    async def _send(
        self, method: str, path: str, who: str | None = None, **more: Any
    ) -> httpx.Response:
        headers = httpx.Headers(more.pop("headers", {}))
        if who is not None:
            headers["Authorization"] = f"Bearer {self.tokens[who]}"
        if "key" in more:
            headers["Idempotency-Key"] = more.pop("key")
        carrier = httpx.ASGITransport(app=self.app, raise_app_exceptions=False)
        origin = self.door.address.origin
        async with httpx.AsyncClient(
            transport=carrier, base_url=origin, cookies=self.cookies
        ) as client:
            found = await client.request(method, API + path, headers=headers, **more)
            self.cookies = client.cookies
            return found

    def all_at_once(
        self, wanted: list[tuple[str, str, str, dict[str, Any]]]
    ) -> list[httpx.Response]:
        """Many requests at a time."""

        async def sending() -> list[httpx.Response]:
            made = (self._send(method, path, who, **more) for method, path, who, more in wanted)
            return list(await asyncio.gather(*made))

        return apart(sending())


def desk_with_everybody(folder: Path, *, budget: shoal.Measure | None = None, **more: Any) -> Desk:
    """A desk whose people are called by their roles."""
    vault = office(folder, budget or shoal.Pure(2), towns=True)
    for role in GIVEN:
        dataset = "visits" if role in {"steward", "analyst"} else None
        allowance = 1 if role == "analyst" else None
        vault.people.add(role, role=role, dataset=dataset, allowance=allowance)
    desk = Desk(vault, **more)
    desk.tokens = {role: vault.people.token(role) for role in GIVEN}
    return desk
