"""A browser without a screen: it keeps cookies, and sends the forms of pages."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import httpx
from tests.server.office.desk import Desk, apart

PLACE = "/office"
_KEY = re.compile(r'name="form" value="([0-9a-f]{64})"')


@dataclass
class ConsoleVisit:
    """One browser of one person, or of nobody."""

    desk: Desk
    cookies: httpx.Cookies = field(default_factory=httpx.Cookies)
    key: str = ""

    def send(self, method: str, path: str, **more: Any) -> httpx.Response:
        """One request; redirects are not followed."""

        async def sending() -> httpx.Response:
            carrier = httpx.ASGITransport(app=self.desk.app, raise_app_exceptions=False)
            origin = self.desk.door.address.origin
            async with httpx.AsyncClient(
                transport=carrier, base_url=origin, cookies=self.cookies
            ) as client:
                found = await client.request(method, PLACE + path, **more)
                self.cookies = client.cookies
                return found

        return apart(sending())

    def open(self, path: str) -> httpx.Response:
        """Open a page, and note the key of its forms."""
        found = self.send("GET", path)
        shown = _KEY.search(found.text)
        if shown is not None:
            self.key = shown[1]
        return found

    def submit(self, path: str, **fields: str) -> httpx.Response:
        """Send a form with its key."""
        return self.send("POST", path, data={"form": self.key, **fields})

    def sign_in(self, token: str) -> httpx.Response:
        """Sign in with a token, and open the first page."""
        found = self.send("POST", "/sign-in", data={"token": token})
        self.open("/")
        return found


def visit_as(desk: Desk, role: str) -> ConsoleVisit:
    """A browser of whoever has a role."""
    visit = ConsoleVisit(desk)
    assert visit.sign_in(desk.tokens[role]).status_code == 303
    return visit
