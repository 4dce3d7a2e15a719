"""Requests to the application in this process, without a network."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

import shoal
from shoal.polls import Poll
from shoal.server.access_check import Door
from shoal.server.address import Address
from shoal.server.app import application
from shoal.vault import Vault

ADDRESS = Address.of("127.0.0.1", 8000)
ELSEWHERE = ("203.0.113.77", 51515)


class Asker:
    """A browser without scripts: it keeps cookies, and sends what it is told."""

    def __init__(self, vault: Vault, address: Address = ADDRESS) -> None:
        self.vault = vault
        self.door = Door(address)
        self.app = application(vault, self.door)
        self.cookies = httpx.Cookies()

    def send(self, method: str, path: str, **more: Any) -> httpx.Response:
        async def sending() -> httpx.Response:
            carrier = httpx.ASGITransport(
                app=self.app, raise_app_exceptions=False, client=ELSEWHERE
            )
            origin = self.door.address.origin
            async with httpx.AsyncClient(
                transport=carrier, base_url=origin, cookies=self.cookies
            ) as client:
                return await client.request(method, path, **more)

        with ThreadPoolExecutor(
            1
        ) as apart:  # a browser in the same process keeps this thread's loop
            answer = apart.submit(asyncio.run, sending()).result()
        self.cookies.update(answer.cookies)
        return answer

    def get(self, path: str, **more: Any) -> httpx.Response:
        return self.send("GET", path, **more)

    def post(self, path: str, body: Any, **more: Any) -> httpx.Response:
        kind = {"Content-Type": "application/json", **more.pop("headers", {})}
        return self.send("POST", path, content=json.dumps(body), headers=kind, **more)

    def unlock(self) -> Asker:
        self.get(f"/?key={self.door.key}")
        return self

    def report(self, poll: Poll, report: str, once: str, **more: Any) -> httpx.Response:
        body = {"mark": poll.mark, "report": report, "once": once}
        return self.post(f"/p/{poll.name}/reports", body, **more)


@contextmanager
def hosting(folder: Path, *polls: Poll, address: Address = ADDRESS) -> Iterator[Asker]:
    """A new vault with these polls, hosted."""
    with shoal.open(folder / "office.shoal") as vault:
        for poll in polls:
            vault.publish(poll)
        yield Asker(vault, address)
